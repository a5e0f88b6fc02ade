"""Bad input to the density estimator is named, and changes nothing."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from parzen import (
    Bernoulli,
    Categorical,
    DensityEstimator,
    Gaussian,
    Multinomial,
    Poisson,
    Product,
)
from parzen.conjugate import Beta

GOOD = np.array([[0.0, 1.0], [2.0, 5.0], [3.0, 3.0]])


BAD = {
    "one dimension": (DensityEstimator(), np.zeros(3), {}, "2D array"),
    "three dimensions": (DensityEstimator(), np.zeros((2, 2, 2)), {}, "dim"),
    "no rows": (DensityEstimator(), np.zeros((0, 2)), {}, "0 sample"),
    "no columns": (DensityEstimator(), np.zeros((2, 0)), {}, "0 feature"),
    "an empty frame": (DensityEstimator(), pd.DataFrame({"a": []}), {}, "0 sample"),
    "infinity": (DensityEstimator(), np.array([[0.0, np.inf], [1, 2]]), {}, "infinity"),
    "infinity in a frame": (DensityEstimator(), pd.DataFrame({"a": [1.0, np.inf]}), {}, "infinity"),
    "text": (DensityEstimator(), np.array([["a", "b"], ["c", "d"]]), {}, "column 0 holds 'a'.*Categorical"),
    "text in a frame": (DensityEstimator(), pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), {}, "column 'b' holds 'x'"),
    "a column all missing": (DensityEstimator(), np.array([[1.0, np.nan], [2.0, np.nan]]), {}, "column 1 has no value"),
    "negative counts": (DensityEstimator(Poisson()), np.array([[1, -2]]), {}, "column 1 holds -2"),
    "fractions": (DensityEstimator(Poisson()), np.array([[1.5]]), {}, "column 0 holds 1.5"),
    "negative words": (DensityEstimator(Multinomial()), np.array([[1, -2]]), {}, "not negative.*-2"),
    "missing words": (DensityEstimator(Multinomial()), np.array([[1, np.nan]]), {}, "counts are missing"),
    "no bits": (DensityEstimator(Bernoulli()), np.array([[0, 2]]), {}, "column 1 holds 2"),
    "negative weights": (DensityEstimator(), GOOD, {"sample_weight": [1, -1, 1]}, "[Nn]egative"),
    "weights of other length": (DensityEstimator(), GOOD, {"sample_weight": [1, 1]}, "sample_weight"),
    "weights all zero": (DensityEstimator(), GOOD, {"sample_weight": [0, 0, 0]}, "non-zero|zero for every row"),
    "weights missing": (DensityEstimator(), GOOD, {"sample_weight": [1, np.nan, 1]}, "NaN"),
    "an unknown option": (DensityEstimator(Gaussian("round")), GOOD, {}, "covariance_type must be one of"),
    "no family": (DensityEstimator("gaussian"), GOOD, {}, "family must be a family"),
    "sparse rows": (DensityEstimator(), sparse.csr_array(GOOD), {}, "[Ss]parse"),
    "a prior of another kind": (DensityEstimator(Gaussian(prior=Beta(1, 1))), GOOD, {}, "NormalInverseWishart"),
    "columns in no block": (
        DensityEstimator(Product({0: Gaussian()})),
        GOOD,
        {},
        "every column must stand in one block",
    ),
    "columns in two blocks": (DensityEstimator(Product({0: Gaussian(), (0, 1): Gaussian()})), GOOD, {}, "one block"),
    "an unknown column": (DensityEstimator(Product({"a": Gaussian()})), GOOD, {}, "no column 'a'.*no names"),
    "no blocks": (DensityEstimator(Product({})), GOOD, {}, "dict from columns to families"),
    "too many alphabets": (
        DensityEstimator(Categorical(categories=[2])),
        GOOD,
        {},
        "one list for each of 2 columns",
    ),
    "an undeclared category": (
        DensityEstimator(Categorical(categories=[["a"]])),
        pd.DataFrame({"c": ["b"]}),
        {},
        "holds 'b'",
    ),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize(("method", "fitted"), [("fit", False), ("fit", True), ("partial_fit", False)])
def test_bad_input_is_named_and_changes_nothing(name, fitted, method):
    given, X, options, match = BAD[name]
    model = DensityEstimator().fit(GOOD) if fitted else DensityEstimator()
    model.family = given.family
    before = dict(vars(model))
    with pytest.raises((ValueError, TypeError), match=match):
        getattr(model, method)(X, **options)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[key] is before[key] for key in before)


@pytest.mark.parametrize(
    ("X", "options", "match"),
    [
        (np.zeros((3, 3)), {}, "3 features"),
        (np.full((3, 2), np.inf), {}, "infinity"),
        (GOOD, {"sample_weight": [1, -1, 1]}, "[Nn]egative"),
        (np.array([["a", "b"]]), {}, "holds 'a'"),
    ],
)
def test_a_bad_batch_leaves_what_was_learnt(X, options, match):
    model = DensityEstimator().partial_fit(GOOD)
    before = dict(vars(model))
    with pytest.raises(ValueError, match=match):
        model.partial_fit(X, **options)
    assert vars(model) == before


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda m: m.sample(0), "n_samples must be at least 1"),
        (lambda m: m.marginal(["x"]), "no column 'x'"),
        (lambda m: m.marginal([5]), "position from 0 to 1"),
        (lambda m: m.marginal([0, 0]), "different"),
        (lambda m: m.marginal([]), "at least one"),
        (lambda m: m.conditional([0], [1.0, 2.0]), "one for each given column"),
        (lambda m: m.conditional([0, 1], [1.0, 2.0]), "leave a column"),
        (lambda m: m.conditional([0], [np.nan]), "known and finite"),
        (lambda m: m.score_samples(np.zeros((2, 3))), "3 features"),
        (lambda m: m.score_samples(np.array([[np.inf, 0.0]])), "infinity"),
    ],
)
def test_bad_questions_are_answered_by_what_is_wrong(call, match):
    with pytest.raises(ValueError, match=match):
        call(DensityEstimator().fit(GOOD))


@pytest.mark.parametrize("options", [{"max_iter": -1}, {"max_iter": "a"}, {"tol": np.nan}, {"tol": -1}])
def test_options_are_checked_before_any_work(options, rng):
    with pytest.raises(ValueError, match=next(iter(options))):
        DensityEstimator(**options).fit(rng.normal(size=(5, 2)))


def test_scores_take_weights(rng):
    X = rng.normal(size=(10, 2))
    model = DensityEstimator().fit(X)
    w = np.arange(10.0)
    assert model.score(X, sample_weight=w) == pytest.approx(np.average(model.score_samples(X), weights=w))
