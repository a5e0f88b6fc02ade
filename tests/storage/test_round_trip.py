"""Model files: every estimator, family and statistic comes back to the last bit."""

import os
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression as Theirs

import parzen
from parzen import (
    Categorical,
    ConditionalDensity,
    DecisionClassifier,
    Gaussian,
    GaussianNB,
    KernelDensity,
    Labels,
    Markov,
    Mixture,
    ModelFileError,
    accumulate,
    fit,
    load,
    save,
)
from parzen.conjugate import Dirichlet
from parzen.storage.files import describe
from tests.storage.models import MIXED, MODELS, WHOLE, Y, answers
from tests.storage.test_golden_later import MODELS as LATER

pytestmark = pytest.mark.filterwarnings("ignore")


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
    assert public == {type(model).__name__ for model, _, _ in (*MODELS.values(), *LATER.values())}


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
    load_file = pytest.importorskip("safetensors.numpy").load_file

    model = GaussianNB().fit(WHOLE, Y)
    model.save(tmp_path / "x.safetensors")
    arrays = load_file(tmp_path / "x.safetensors")
    assert any(np.array_equal(one, model.density_.mean) for one in arrays.values() if one.shape == (2, 3))
    told = describe(tmp_path / "x.safetensors")
    assert told["class"] == "GaussianNB"
    assert told["parzen"] == parzen.__version__


# Broken files --------------------------------------------------------------------------------------------------------
