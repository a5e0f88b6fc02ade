"""Broken tables, models and arguments with every command: an answer, or one sentence and the exit code of the help."""

import gzip

import numpy as np
import pandas as pd
import pytest

import parzen
from parzen.cli.main import main

pytestmark = pytest.mark.filterwarnings("ignore")

ROWS = 40
NORMAL = np.random.default_rng(0).normal(size=ROWS)
KIND = np.repeat(["a", "b"], ROWS // 2)
COLUMNS = {
    "subnormal": NORMAL * 1e-310,
    "the smallest": np.arange(ROWS) % 3 * 5e-324,
    "huge": NORMAL * 1e307,
    "huge of both signs": np.where(np.arange(ROWS) % 2, 1e308, -1e308),
    "infinite": np.full(ROWS, np.inf),
    "infinite of both signs": np.where(np.arange(ROWS) % 2, np.inf, -np.inf),
    "infinite or missing": np.where(np.arange(ROWS) % 2, np.inf, np.nan),
    "missing": np.full(ROWS, np.nan),
    "constant": np.ones(ROWS),
    "zeros of both signs": np.where(np.arange(ROWS) % 2, 0.0, -0.0),
    "whole numbers beyond 64 bits": [str(10**30 + i) for i in range(ROWS)],
    "one far away": np.r_[np.zeros(ROWS - 1), 1e300],
    "all different": [f"c{i}" for i in range(ROWS)],
    "text and numbers": ["x", "1", "", "2.5"] * (ROWS // 4),
    "dates and none": ["2020-01-01", "2020-02-30"] * (ROWS // 2),
}
TEXT = pd.DataFrame({"x": NORMAL, "k": KIND}).to_csv(index=False)
PACKED = gzip.compress(TEXT.encode())
FILES = {
    "empty.csv": b"",
    "blank.csv": b"\n",
    "header.csv": b"x,k\n",
    "commas.csv": b",,,\n,,,\n,,,\n",
    "zeros.csv": bytes(1000),
    "ragged.csv": b"x,k\n1,2,3\n4\n5,6,7,8\n",
    "open quote.csv": b'x,k\n"1,2\n3,4\n',
    "binary.csv": bytes(range(256)) * 40,
    "one row.csv": b"x,k\n1,a\n",
    "two rows.csv": b"x,k\n1,a\n2,b\n",
    "cut.csv.gz": PACKED[:40],
    "garbage.csv.gz": b"\x1f\x8b" + b"garbage" * 10,
    "damaged.csv.gz": PACKED[:60] + b"\xff" * 50 + PACKED[110:],
    "checksum.csv.gz": PACKED[:-8] + b"12345678",
    "garbage.bz2": b"BZh9garbage",
    "garbage.xz": b"\xfd7zXZ\0garbage",
    "garbage.parquet": b"PAR1garbagePAR1",
    "empty.parquet": b"",
    "cut.jsonl": b'{"a":1}\n{"a"',
    "list.json": b"[1,2,3]",
    "number.json": b"3",
    "null.json": b"null",
    "deep.json": b"[" * 100_000,
    "too large.jsonl": b'{"x":1e400}\n{"x":2}\n',
    "whole and too large.jsonl": b'{"x":' + b"9" * 400 + b'}\n{"x":2}\n',
    "mixed.jsonl": b'{"x":1}\n{"x":"a"}\n{"x":null}\n{"x":true}\n',
}


@pytest.fixture
def answers(capsys, tmp_path, monkeypatch):
    """Runs a command: it must give an answer, or one sentence with the exit code 1 or 2."""
    monkeypatch.chdir(tmp_path)

    def answers(*arguments):
        try:
            code = main([str(one) for one in arguments])
        except SystemExit as stop:
            code = stop.code
        err = capsys.readouterr().err
        assert code in (0, 1, 2), (arguments, err)
        assert "Traceback" not in err
        assert "np." not in err
        if code == 1:
            assert err.rstrip().split("\n")[-1].startswith("parzen: "), err
        return code == 0

    return answers


def commands(answers, table):
    for target in ([], ["--target", "k"]):
        if answers("fit", table, *target, "-o", "m"):
            answers("sample", "m", "-n", 3, "-o", "drawn.csv")
            answers("predict", "m", table, "-o", "predicted.csv")
            answers("score", "m", table)
            answers("merge", "m", "m", "-o", "both")
    answers("outliers", table, "-o", "outliers.csv")


@pytest.mark.parametrize("name", COLUMNS)
def test_no_column_is_a_mistake_of_ours(name, answers):
    pd.DataFrame({"x": COLUMNS[name], "z": NORMAL, "k": KIND}).to_csv("t.csv", index=False)
    commands(answers, "t.csv")


@pytest.mark.parametrize("name", FILES)
def test_no_file_is_a_mistake_of_ours(name, answers, tmp_path):
    (tmp_path / name).write_bytes(FILES[name])
    commands(answers, name)
    answers("bandwidth", name)


def test_no_model_is_a_mistake_of_ours(answers, table):
    X = NORMAL.reshape(-1, 2)
    y = np.arange(len(X)) % 2
    models = {
        "list": [1, 2],
        "dict": {"a": np.arange(3)},
        "none": None,
        "array": np.arange(4),
        "family": parzen.Gaussian(),
        "unfitted": parzen.GaussianNB(),
        "statistic": parzen.Gaussian().observe(X),
        "clusters": parzen.KMeans(2, random_state=0).fit(X),
        "chain": parzen.MarkovChain().fit([["a", "b", "a"]]),
        "regression": parzen.KernelRegressor().fit(X, X[:, 0]),
        "without names": parzen.GaussianNB().fit(X, y),
        "outliers": parzen.DensityOutlier().fit(X),
        "states": parzen.HiddenMarkov(parzen.Gaussian(), 2, random_state=0).fit(X),
    }
    for name, model in models.items():
        parzen.save(model, name)
    for name in [*models, "nothing", ".", "", table, "/dev/zero", "a\0b", "n" * 300]:
        answers("inspect", name)
        answers("sample", name, "-o", "drawn.csv")
        answers("predict", name, table, "-o", "predicted.csv")
        answers("score", name, table, "--target", "kind")
        answers("merge", name, name, "-o", "both")
        answers("merge", "without names", name, "-o", "both")


def test_no_argument_is_a_mistake_of_ours(answers, table):
    answers("fit", table, "-o", "m")
    for arguments in (
        *(["sample", "m", "-n", n, "-o", "s"] for n in (0, -1, 1.5, "²", 10**15, 10**20, "9" * 5000)),
        *(["sample", "m", "--seed", seed, "-o", "s"] for seed in (-1, "x", 10**400, "9" * 5000)),
        *(["outliers", table, "--fdr", fdr] for fdr in ("nan", "inf", 0, "x", 1e-320)),
        *(["fit", table, "-o", path] for path in ("", "/", ".", "no/such", "n" * 300, "a\0b", "/proc/no")),
        *(["fit", table, "--target", name, "-o", "x"] for name in ("", "length", "id", "a\0b")),
        *(["fit", table, "--encoding", name, "-o", "x"] for name in ("", "rot13", "base64", "utf-16", "cp037", "a\0")),
        *(["fit", path, "-o", "x"] for path in ("", "a\0b", "n" * 300, "/dev/null", "/proc/self/mem")),
        *(["bandwidth", table, "--column", name] for name in ("", "kind", "a\0b")),
        *(["report", table, "--target", "kind", "--loss", path] for path in ("nothing", ".", table)),
    ):
        answers(*arguments)


def test_labels_that_are_numbers_are_scored(run, tmp_path):
    pd.DataFrame({"x": NORMAL, "k": np.arange(ROWS) % 2}).to_csv(tmp_path / "t.csv", index=False)
    table = pd.read_csv(tmp_path / "t.csv")
    parzen.NaiveBayes().fit(table[["x"]], table["k"]).save(tmp_path / "m")
    code, out, err = run("score", tmp_path / "m", tmp_path / "t.csv", "--target", "k", "--json")
    assert code == 0, err
    assert '"accuracy": 0.' in out
    code, _, err = run("score", tmp_path / "m", tmp_path / "t.csv", "--target", "x")
    assert (code, err) == (
        1,
        f"parzen: 'x' holds the class {sorted(map(str, NORMAL))[0]!r}, which the model was not fitted to.\n",
    )
