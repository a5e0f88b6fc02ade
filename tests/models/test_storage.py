"""Model files: every estimator round-trips to the last bit; broken files are refused; nothing is executed."""

import contextlib
import json
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression as Theirs

import parzen
from parzen import (
    BayesClassifier,
    Bernoulli,
    BernoulliNB,
    Categorical,
    CategoricalHMM,
    CategoricalNB,
    ComplementNB,
    ConditionalDensity,
    DecisionClassifier,
    DensityEstimator,
    DensityOutlier,
    Gaussian,
    GaussianDiscriminant,
    GaussianHMM,
    GaussianMixture,
    GaussianNB,
    HiddenMarkov,
    Histogram,
    HistogramDensity,
    Kernel,
    KernelDensity,
    KernelRegressor,
    KMeans,
    Labels,
    LinearDiscriminantAnalysis,
    LocalDensityFactor,
    LogisticRegression,
    Markov,
    MarkovChain,
    Mixture,
    MixtureModel,
    ModelFileError,
    Multinomial,
    MultinomialNB,
    NaiveBayes,
    Poisson,
    Product,
    QuadraticDiscriminantAnalysis,
    TransitionCounts,
    Uniform,
    accumulate,
    fit,
    load,
    save,
)
from parzen.conjugate import Dirichlet, NormalInverseWishart
from parzen.storage.container import packed, unpacked
from parzen.storage.files import describe

pytestmark = pytest.mark.filterwarnings("ignore")

rng = np.random.default_rng(7)
X = np.concatenate([rng.normal(0, 1, (60, 3)), rng.normal(4, 1, (60, 3))])
X[3, 1] = np.nan
WHOLE = np.where(np.isnan(X), 0.0, X)
COUNTS = rng.poisson(2.0, (120, 3))
CODES = rng.integers(0, 3, (120, 3))
Y = np.repeat(["a", "b"], 60)
FRAME = pd.DataFrame(
    {
        "x": WHOLE[:, 0],
        "n": COUNTS[:, 0],
        "kind": pd.Categorical(np.where(CODES[:, 0] == 0, "red", "blue")),
        "word": np.where(CODES[:, 1] == 0, "<b>", "ü"),
        "flag": CODES[:, 2] > 0,
    }
)
MIXED = Product({"x": Gaussian(), "n": Poisson(), ("kind", "word"): Categorical(), "flag": Bernoulli()})

MODELS = {
    "gaussian": (DensityEstimator(Gaussian()), X, None),
    "bayes": (DensityEstimator(Gaussian(prior=NormalInverseWishart(np.zeros(3), 1.0, 5.0, np.eye(3)))), WHOLE, None),
    "product": (DensityEstimator(MIXED), FRAME, None),
    "polars": (DensityEstimator(MIXED), pl.from_pandas(FRAME.assign(kind=FRAME.kind.astype(str))), None),
    "poisson": (DensityEstimator(Poisson()), COUNTS, None),
    "histogram family": (DensityEstimator(Histogram()), WHOLE[:, :1], None),
    "uniform": (DensityEstimator(Uniform()), WHOLE, None),
    "multinomial": (DensityEstimator(Multinomial()), COUNTS, None),
    "mixture": (DensityEstimator(Mixture(Gaussian(), 2)), WHOLE, None),
    "kernel": (KernelDensity(bandwidth="sj"), WHOLE[:, :1], None),
    "kernels": (KernelDensity(bandwidth="scott", kernel="epanechnikov"), WHOLE, None),
    "adaptive": (KernelDensity(bandwidth=0.5, adaptive=True), WHOLE[:, :1], None),
    "histogram": (HistogramDensity(), WHOLE[:, :1], None),
    "BayesClassifier": (BayesClassifier(Kernel()), WHOLE, Y),
    "NaiveBayes": (NaiveBayes(), FRAME, Y),
    "GaussianDiscriminant": (GaussianDiscriminant("diag"), X, Y),
    "GaussianNB": (GaussianNB(), WHOLE, Y),
    "BernoulliNB": (BernoulliNB(), CODES > 1, Y),
    "MultinomialNB": (MultinomialNB(), COUNTS, Y),
    "ComplementNB": (ComplementNB(), COUNTS, Y),
    "CategoricalNB": (CategoricalNB(), CODES, Y),
    "LDA": (LinearDiscriminantAnalysis(), WHOLE, Y),
    "QDA": (QuadraticDiscriminantAnalysis(), WHOLE, Y),
    "logistic": (LogisticRegression(degree=2), WHOLE, Y),
    "GaussianMixture": (GaussianMixture(2, random_state=0), X, None),
    "MixtureModel": (MixtureModel(MIXED, 2, random_state=np.random.RandomState(3)), FRAME, None),
    "KMeans": (KMeans(2, random_state=0), WHOLE, None),
    "outlier": (DensityOutlier(), FRAME[["x", "n", "kind"]], None),
    "outliers of a mixture": (DensityOutlier(GaussianMixture(2, random_state=0)), WHOLE, None),
    "local": (LocalDensityFactor(), WHOLE, None),
    "regressor": (KernelRegressor(order=1), WHOLE[:, :2], WHOLE[:, 2]),
    "mixed regressor": (KernelRegressor(), FRAME[["x", "kind"]], WHOLE[:, 2]),
    "conditional": (ConditionalDensity(), WHOLE[:, :2], WHOLE[:, 2]),
    "conditional joint": (ConditionalDensity(GaussianMixture(2, random_state=0)), WHOLE[:, :2], WHOLE[:, 2]),
    "decision": (DecisionClassifier(GaussianNB(), loss=[[0, 1], [5, 0]], calibration="beta"), WHOLE, Y),
    "isotonic": (DecisionClassifier(NaiveBayes(), calibration="isotonic"), WHOLE, Y),
    "hidden": (HiddenMarkov(Gaussian(), 2, random_state=0), X, None),
    "GaussianHMM": (GaussianHMM(2, random_state=0), WHOLE, None),
    "CategoricalHMM": (CategoricalHMM(2, random_state=0), CODES[:, :1], None),
    "chain": (MarkovChain(2), ["abracadabra", "barba"], None),
    "words": (MarkovChain(estimate="ml"), [["sun", ("a", 1)], [3, "sun"]], None),
    "transitions": (TransitionCounts(), ["ab", "ba"], None),
}


def answers(model, X):
    """What a model says of rows, by every method that has an answer without being told more."""
    for name in (
        "score_samples", "predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "log_prob",
        "perplexity", "p_values",
    ):  # fmt: skip
        method = getattr(model, name, None)
        if method is None:
            continue
        try:
            found = method(X)
        except (TypeError, ValueError, AttributeError) as error:
            yield name, type(error)
        else:
            yield name, found


@pytest.mark.parametrize("name", MODELS)
def test_every_estimator_round_trips_to_the_last_bit(name, tmp_path):
    model, rows, y = MODELS[name]
    model = model.fit(rows) if y is None else model.fit(rows, y)
    model.save(tmp_path / "model.parzen")
    again = load(tmp_path / "model.parzen")
    assert type(again) is type(model)
    assert re.sub(" at 0x.*", "", repr(again)) == re.sub(" at 0x.*", "", repr(model))
    own = {key for key, value in vars(model).items() if isinstance(value, np.ndarray)}
    for key in own:
        np.testing.assert_array_equal(getattr(again, key), getattr(model, key), err_msg=key)
    asked = len(own)
    for (method, mine), (_, theirs) in zip(answers(model, rows), answers(again, rows), strict=True):
        if isinstance(mine, type):
            assert mine is theirs, method
            continue
        asked += 1
        for one, other in zip(mine, theirs, strict=True) if isinstance(mine, tuple) else [(mine, theirs)]:
            one, other = (part.toarray() if hasattr(part, "toarray") else np.asarray(part) for part in (one, other))
            np.testing.assert_array_equal(one, other, err_msg=method)
            assert one.dtype == other.dtype
    assert asked
    if hasattr(model, "sample"):
        what = rows[:5] if isinstance(model, ConditionalDensity) else 5
        mine, theirs = (one.sample(what, random_state=0) for one in (model, again))
        for one, other in zip(mine, theirs, strict=True) if isinstance(mine, tuple) else [(mine, theirs)]:
            assert str(one) == str(other)
    if hasattr(model, "merge"):
        try:
            merged = model.merge(model)
        except ValueError:
            return
        saved = again.merge(again)
        assert repr(merged) == repr(saved)


def test_every_public_estimator_is_among_them():
    from sklearn.base import BaseEstimator

    public = {
        name
        for name in parzen.__all__
        if isinstance(getattr(parzen, name), type)
        and issubclass(getattr(parzen, name), BaseEstimator)
        and not issubclass(getattr(parzen, name), parzen.Family)
    }
    assert public == {type(model).__name__ for model, _, _ in MODELS.values()}


def test_statistics_are_saved_added_and_read_back(tmp_path):
    whole = accumulate(Gaussian(), WHOLE, Labels(np.repeat([0, 1], 60)))
    for name, rows in (("a", slice(0, 50)), ("b", slice(50, None))):
        part = accumulate(Gaussian(), WHOLE[rows], Labels(np.repeat([0, 1], 60)[rows], groups=2))
        part.save(tmp_path / name)
    total = load(tmp_path / "a") + load(tmp_path / "b")
    np.testing.assert_allclose(total.mean, whole.mean, rtol=1e-12)
    np.testing.assert_allclose(total.scatter, whole.scatter, rtol=1e-12)


def test_families_and_densities_too(tmp_path):
    for one in (MIXED, Markov(2), Mixture(Gaussian("diag"), 3), Categorical(prior=Dirichlet([1.0, 2.0, 3.0]))):
        save(one, tmp_path / "x")
        assert repr(load(tmp_path / "x")) == repr(one)
    density = fit(Gaussian(), WHOLE).density
    save(density, tmp_path / "x")
    np.testing.assert_array_equal(load(tmp_path / "x").log_density(WHOLE), density.log_density(WHOLE))


def test_values_of_every_kind(tmp_path):
    import datetime

    values = {
        "numbers": [0, -1, 2**100, 0.1, -0.0, float("inf"), float("-inf"), True, None],
        ("a", 1): {"set": {1, 2}, "frozen": frozenset({"x"}), "range": range(3, 9, 2), "bytes": b"\x00\xff"},
        "times": [datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2, 3), pd.Timestamp("2021-05-06 07:08")],
        "scalars": [np.float32(0.1), np.int8(-3), np.bool_(True)],
        "text": "<script>\u2028\U0001f600\x00",
    }
    save(values, tmp_path / "x")
    again = load(tmp_path / "x")
    assert again == values
    assert [type(one) for one in again["scalars"]] == [np.float32, np.int8, np.bool_]
    assert str(again["numbers"][4]) == "-0.0"
    arrays = [
        np.asfortranarray(WHOLE), WHOLE.astype(np.float32)[::2], np.zeros((0, 3)), np.array(3.5),
        np.array(["a", "bcd"]), np.array([1, "x", None, (1, 2)], dtype=object), np.array([True, False]),
        WHOLE.astype(">f8"),
    ]  # fmt: skip
    save(arrays, tmp_path / "x")
    for one, other in zip(arrays, load(tmp_path / "x"), strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype.newbyteorder("=") == other.dtype
        assert one.flags.f_contiguous == other.flags.f_contiguous or one.ndim < 2 or not one.flags.contiguous
        assert other.flags.writeable
    for generator in (np.random.RandomState(5), np.random.default_rng(6)):
        generator.random(3)
        save(generator, tmp_path / "x")
        assert load(tmp_path / "x").random() == generator.random()


def test_what_a_file_cannot_hold_is_named(tmp_path):
    wrapped = DecisionClassifier(Theirs(), loss=[[0, 1], [1, 0]]).fit(WHOLE, Y)
    own = KernelDensity(bandwidth=0.3, kernel=lambda u: np.exp(-u * u) / np.sqrt(np.pi)).fit(WHOLE[:, :1])
    for model, what in ((wrapped, "LogisticRegression"), (own, "lambda"), ({"a": print}, "print")):
        with pytest.raises(ModelFileError, match=what):
            save(model, tmp_path / "x")
        assert not list(tmp_path.iterdir())


def test_a_file_is_there_whole_or_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "model.parzen"
    save([1], path)
    before = path.read_bytes()
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        save([2], path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_safetensors_reads_the_arrays(tmp_path):
    from safetensors.numpy import load_file

    model = GaussianNB().fit(WHOLE, Y)
    model.save(tmp_path / "x.safetensors")
    arrays = load_file(tmp_path / "x.safetensors")
    assert any(np.array_equal(one, model.density_.mean) for one in arrays.values() if one.shape == (2, 3))
    told = describe(tmp_path / "x.safetensors")
    assert told["class"] == "GaussianNB"
    assert told["parzen"] == parzen.__version__


# Broken files --------------------------------------------------------------------------------------------------------


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


@given(JSON)
def test_any_tree_is_read_or_refused(tree):
    from parzen.storage.decode import Decoder

    with contextlib.suppress(ModelFileError):
        Decoder({"0": np.arange(3)}, 2).node(tree)


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
        model = Decoder(again.arrays, 2).node(again.tree)
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


GOLDEN = Path(__file__).parents[1] / "golden"


def test_files_of_the_first_version_are_read():
    """Written by the first version; never to be written again. Later versions must read them."""
    told = json.loads((GOLDEN / "version1.json").read_text())
    for name, answer in told.items():
        model = load(GOLDEN / f"{name}.parzen")
        if name == "naive_bayes":
            rows = pd.DataFrame({"x": [0.5, None], "n": [2, 0], "kind": ["red", "green"], "flag": [True, False]})
            found = model.predict_log_proba(rows)
        elif name == "markov_chain":
            found = model.log_prob(["abra", "zebra"])
        elif name == "statistic":
            found = model.mean + (model + model).weight[:, None]
        else:
            found = model.score_samples([[0.5, 1.0], [9.0, -3.0]])
        np.testing.assert_allclose(found, answer, rtol=1e-12, err_msg=name)
