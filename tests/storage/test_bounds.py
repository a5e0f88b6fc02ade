"""What a file says of sizes is checked before anything of that size is read or made: its length bounds the memory."""

import copy
import hashlib
import json
import subprocess
import sys

import numpy as np
import pytest

from parzen import ModelFileError, NaiveBayes, load, save
from parzen.storage.container import packed
from tests.storage.models import WHOLE

#: Loads the files of its arguments in little memory; says for each whether it was read or refused.
READER = """
import resource, sys
import parzen
from parzen.storage.files import describe
from parzen.storage.registry import classes
import pandas
classes()
import pathlib
pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
limit = pages * resource.getpagesize() + 300 * 2**20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    try:
        describe(path)
        model = parzen.load(path)
    except parzen.ModelFileError as error:
        print("refused", path.name, error)
        continue
    print("read", path.name)
    for method, argument in (("predict_proba", [[0.0, 1.0, 2.0]]), ("score_samples", [[0.0, 1.0, 2.0]]), ("sample", 2)):
        try:
            getattr(model, method)(argument)
        except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
            pass  # a model of nonsense
"""


def in_little_memory(folder):
    """What is said of files by a process that may take 300 MB more than its libraries do."""
    found = subprocess.run([sys.executable, "-c", READER, folder], capture_output=True, text=True, timeout=600)
    assert (found.returncode, found.stderr) == (0, ""), found.stderr[-2000:]
    return found.stdout


def signed(table, body=b"", model="1"):
    """A file of a table of arrays whose checksum is right, whatever it says."""
    told = {"format": "parzen", "version": "2", "parzen": "1", "model": model}
    text = json.dumps([told, table], sort_keys=True, separators=(",", ":")).encode()
    told["sha256"] = hashlib.sha256(text + body).hexdigest()
    data = json.dumps({"__metadata__": told, **table}).encode()
    return len(data).to_bytes(8, "little") + data + body


def tree(node):
    return packed(json.dumps(node), {})


def array(shape, end, begin=0, dtype="F64"):
    return signed({"a": {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}})


WIDE = {"cells": ["x" * 60_000, *["y"] * 30_000], "kind": "<U60000", "shape": [30_001]}
FILES = {
    "text that is wide once": tree(WIDE),
    "wide text, often": tree([{"cells": ["x" * 9000, *["y"] * 400], "kind": "<U9000", "shape": [401]}] * 200),
    "text that says that it is wide": tree({"cells": ["x"] * 1000, "kind": "<U999999999", "shape": [1000]}),
    "bytes that say that they are wide": tree({"cells": [{"bytes": ""}] * 9, "kind": "|S999999999", "shape": [9]}),
    "a kind of many digits": tree({"cells": [], "kind": "<U" + "9" * 5000, "shape": [0]}),
    "a long range": tree({"range": [0, 10**9, 1]}),
    "a range backwards": tree({"range": [10**9, 0, -1]}),
    "a range beyond all numbers": tree({"range": [0, 10**400, 1]}),
    "many ranges": tree([{"range": [0, 10**6, 1]}] * 10_000),
    "a range of two": tree({"range": [0, 1]}),
    "a shape of many cells": tree({"cells": [], "kind": "object", "shape": [2**40]}),
    "an empty shape, huge in a direction": tree({"cells": [], "kind": "object", "shape": [0, 2**62, 2**62]}),
    "an array that is not there": array([2**40], 2**43),
    "an empty array, huge in a direction": array([0, 2**50], 0),
    "an empty array, huge in two": array([0, 2**59, 2**59], 0),
    "an array that overflows": array([2**40, 2**40], 0),
    "an array at a distant place": array([0], 2**50, 2**50),
    "an array of more directions than there are": array([1] * 40, 8),
    "a deep tree": packed("[" * 250 + "]" * 250, {}),
    "a header longer than the file": (2**40).to_bytes(8, "little") + b"{" * 1000,
    "zeros": bytes(10_000),
    "a hashed collision of kinds": tree({"set": [[1]]}),
    "a wild generator": tree({"random": "RandomState", "state": {"dict": [["state", {"dict": [["pos", 2**70]]}]]}}),
    "a sparse matrix without rows": tree({"csr": [{"cells": [], "kind": "object", "shape": [0]}] * 3, "matrix": True,
                                          "shape": [2**40, 2**40]}),
}  # fmt: skip


NUMBERS = (10**9, -(10**300), 1e308, [10**9], {"range": [0, 10**6, 1]})


def wild_files(data):
    """A model file with wild numbers in every field of the header and of the tree, the checksums made right again."""
    length = int.from_bytes(data[:8], "little")
    header, body = json.loads(data[8 : 8 + length]), data[8 + length :]
    parts = [header, json.loads(header.pop("__metadata__")["model"])]
    for part in (0, 1):
        for *within, last in _places(parts[part]):
            for number in NUMBERS:
                wild = copy.deepcopy(parts)
                inner = wild[part]
                for key in within:
                    inner = inner[key]
                inner[last] = number
                yield signed(wild[0], body, json.dumps(wild[1]))


def _places(value, at=()):
    """Where numbers and text stand in a value of JSON."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from _places(value[key], (*at, key))
    elif at and value is not None:
        yield at


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What a process with little memory says of each file: one line for each, whether it was read or refused."""
    folder = tmp_path_factory.mktemp("files")
    save(NaiveBayes().fit(WHOLE, WHOLE[:, 0] > 0), folder / "sound")
    for name, data in FILES.items():
        assert len(data) < 6_000_000
        (folder / name).write_bytes(data)
    for i, data in enumerate(wild_files((folder / "sound").read_bytes())):
        (folder / f"wild {i}").write_bytes(data)
    with (folder / "a terabyte").open("wb") as file:  # that no disk holds
        file.write((100).to_bytes(8, "little") + b"{" * 100)
        file.truncate(2**40)
    lines = in_little_memory(folder).splitlines()
    assert len(lines) == len(list(folder.iterdir()))
    return lines


def test_a_sound_file_is_read(told):
    assert "read sound" in told


@pytest.mark.parametrize("name", [*FILES, "a terabyte"])
def test_a_file_that_asks_for_much_is_refused_in_little_memory(told, name):
    assert any(line.startswith(f"refused {name} this") for line in told)


def test_wild_numbers_in_any_field_are_read_or_refused_in_little_memory(told):
    """And what was read answers or fails, and does not fill the memory either."""
    assert sum(line.startswith(("read wild", "refused wild")) for line in told) > 400


def test_sizes_that_a_model_may_have_are_read(tmp_path):
    for value in (
        np.array(["a" * 300, *["b"] * 2000]),
        range(5, 10_000, 3),
        range(0),
        np.empty((0, 1000)),
        np.array([], dtype="U5"),
        np.array([b"ab", b""]),
        np.array([True, False]),
        {"nothing": np.zeros((3, 0, 2))},
    ):
        save(value, tmp_path / "x")
        again = load(tmp_path / "x")
        assert type(again) is type(value)
        if isinstance(value, range):
            assert again == value
        else:
            np.testing.assert_equal(again, value)
        assert getattr(again, "dtype", None) == getattr(value, "dtype", None)


def test_what_could_not_be_read_is_not_written(tmp_path):
    for value in (np.array(["x" * 60_000, *["y"] * 100]), range(10**9), np.empty((0, 10**8))):
        with pytest.raises(ModelFileError, match="a file can't hold this model"):
            save(value, tmp_path / "x")
    assert list(tmp_path.iterdir()) == []
