"""Model files that are broken or tampered with are refused, and nothing in them is executed."""

import contextlib
import json
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parzen import (
    GaussianMixture,
    ModelFileError,
    load,
    save,
)
from parzen.storage import container
from parzen.storage.container import packed
from tests.storage.models import WHOLE

pytestmark = pytest.mark.filterwarnings("ignore")


def unpacked(data):
    return container.unpacked(BytesIO(data), len(data))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "model.parzen"
    GaussianMixture(2, random_state=0).fit(WHOLE).save(path)
    return path.read_bytes()


@given(data=st.data())
def test_mutated_files_are_refused(saved, data, tmp_path_factory):
    broken = bytearray(saved)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(broken) - 1))
        broken[at] = data.draw(st.integers(0, 255).filter(lambda byte, at=at: byte != broken[at]))
    with pytest.raises(ModelFileError):
        unpacked(bytes(broken))


@given(cut=st.integers(0, 4000))
def test_truncated_and_lengthened_files_are_refused(saved, cut):
    with pytest.raises(ModelFileError):
        unpacked(saved[: min(cut, len(saved) - 1)])
    with pytest.raises(ModelFileError):
        unpacked(saved + bytes(cut + 1))


@given(st.binary(max_size=300))
def test_any_bytes_are_refused(data):
    with pytest.raises(ModelFileError):
        unpacked(data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(
            ["class", "state", "array", "cells", "kind", "shape", "dict", "tuple", "set", "range", "scalar", "float",
             "dtype", "csr", "matrix", "random", "bytes", "date", "datetime", "stamp", "pandas", "polars", "turned"]
        ),
        inner | st.sampled_from(["GaussianNB", "Gaussian", "0", "float64", "<U5", "RandomState", "category", "object"]),
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@pytest.mark.parametrize("version", [1, 2])
@given(JSON)
def test_any_tree_is_read_or_refused(version, tree):
    from parzen.storage.decode import Decoder

    with contextlib.suppress(ModelFileError):
        Decoder({"0": np.arange(3)}, version, 1000).node(tree)


@given(data=st.data())
def test_a_model_whose_tree_was_tampered_with_is_refused_or_read(saved, data):
    """Even with the checksum made right again."""
    from parzen.storage.decode import Decoder

    node, arrays, *_ = unpacked(saved)
    spots = []

    def walk(one):
        for key in one if isinstance(one, dict) else range(len(one)):
            spots.append((one, key))
            if isinstance(one[key], dict | list):
                walk(one[key])

    walk(node)
    for _ in range(data.draw(st.integers(1, 3))):
        where, key = data.draw(st.sampled_from(spots))
        where[key] = data.draw(JSON)
    again = unpacked(packed(json.dumps(node), {name: np.array(one) for name, one in arrays.items()}))
    with contextlib.suppress(ModelFileError):
        model = Decoder(again.arrays, data.draw(st.sampled_from([1, 2])), again.size).node(again.tree)
        with contextlib.suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError, AssertionError):
            model.predict(WHOLE[:2])  # a sentence or nonsense, and no crash of the process


def tampered(saved, change):
    node, arrays, *_ = unpacked(saved)
    change(node)
    return packed(json.dumps(node), {name: np.array(one) for name, one in arrays.items()})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda node: node.update({"class": "os.system"}), "does not know"),
        (lambda node: node.update({"class": "Popen"}), "does not know"),
        (lambda node: node["state"].update({"__class__": 1}), "no attribute '__class__'"),
        (lambda node: node["state"].update({"predict": 1}), "no attribute 'predict'"),
        (lambda node: node["state"].update({"score_samples": {"class": "GaussianNB", "state": {}}}), "no attribute"),
        (lambda node: node["state"].pop("n_components"), "lacks"),
        (lambda node: node["state"]["density_"]["state"].update({"x": 1}), "has no"),
        (lambda node: node["state"].update({"tol": {"array": "nowhere"}}), "is not in it"),
        (lambda node: node["state"].update({"tol": {"python/object": "x"}}), "from a newer parzen"),
        (lambda node: node["state"].update({"tol": {"range": [0, 1, 0]}}), "can't be read"),
        (lambda node: node["state"].update({"tol": {"cells": [1], "kind": "object", "shape": [2**50]}}), "cells"),
    ],
)
def test_tampering_is_named(saved, change, message, tmp_path):
    path = tmp_path / "x"
    path.write_bytes(tampered(saved, change))
    with pytest.raises(ModelFileError, match=message):
        load(path)


def test_generators_in_impossible_states_are_refused(tmp_path):
    save(np.random.RandomState(0), tmp_path / "x")
    for place in (2_000_000_000, -5, "0"):

        def change(node, place=place):
            pairs = {key: i for i, (key, _) in enumerate(node["state"]["dict"])}
            inner = node["state"]["dict"][pairs["state"]][1]["dict"]
            next(pair for pair in inner if pair[0] == "pos")[1] = place

        (tmp_path / "y").write_bytes(tampered((tmp_path / "x").read_bytes(), change))
        with pytest.raises(ModelFileError, match="no state that it can be in"):
            load(tmp_path / "y")
    with pytest.raises(ModelFileError, match="give a number as random_state"):
        save(np.random.Generator(np.random.Philox(0)), tmp_path / "z")


def test_headers_that_lie(saved, tmp_path):
    size = int.from_bytes(saved[:8], "little")
    header = json.loads(saved[8 : 8 + size])
    body = saved[8 + size :]
    for change, message in (
        (lambda h: h["__metadata__"].update(version="3"), "install a newer one"),
        (lambda h: h["__metadata__"].update(format="other"), "no model file of parzen"),
        (lambda h: h.pop("__metadata__"), "no model file of parzen"),
        (lambda h: h["__metadata__"].update(sha256="0"), "damaged: its checksum"),
    ):
        changed = json.loads(json.dumps(header))
        change(changed)
        text = json.dumps(changed).encode()
        with pytest.raises(ModelFileError, match=message):
            unpacked(len(text).to_bytes(8, "little") + text + body)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere")


def test_deep_trees_are_refused(tmp_path):
    deep = [1]
    for _ in range(150):
        deep = [deep]
    with pytest.raises(ModelFileError, match="too deep"):
        save(deep, tmp_path / "x")
    text = packed("[" * 100_000 + "]" * 100_000, {})
    (tmp_path / "x").write_bytes(text)
    with pytest.raises(ModelFileError, match=r"can't be read|too deep"):
        load(tmp_path / "x")
