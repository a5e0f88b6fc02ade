"""SciPy's class for kernel densities: its numbers, its callers, its rules."""

import copy
import pickle
from unittest.mock import patch

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.stats
import seaborn
from hypothesis import given, settings
from hypothesis import strategies as st

import parzen


def _data(d, n, weighted, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(d, n)) @ np.diag(rng.uniform(0.5, 2.0, n)) + offset
    X[-1] += 0.8 * X[0]
    return X, (rng.exponential(size=n) if weighted else None)


@pytest.mark.parametrize("bandwidth", ["scott", "silverman", 0.3, lambda kde: 0.5 * kde.scotts_factor()])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_densities_are_scipys(d, weighted, bandwidth):
    X, w = _data(d, 300, weighted)
    ours, theirs = (kind(X, bandwidth, w) for kind in (parzen.gaussian_kde, scipy.stats.gaussian_kde))
    points = np.concatenate([X[:, :50], 3.0 * X[:, :20]], axis=1)
    np.testing.assert_allclose(ours(points), theirs(points), rtol=1e-9)
    np.testing.assert_allclose(ours.logpdf(points), theirs.logpdf(points), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.covariance, theirs.covariance, rtol=1e-12)
    np.testing.assert_allclose(ours.inv_cov, theirs.inv_cov, rtol=1e-9)
    assert ours.factor == pytest.approx(theirs.factor, rel=1e-14)
    assert ours.neff == pytest.approx(theirs.neff, rel=1e-14)


@pytest.mark.parametrize("weighted", [False, True])
def test_integrals_are_scipys(weighted):
    X, w = _data(2, 80, weighted)
    Z, v = _data(2, 120, weighted, seed=1)
    ours, theirs = (kind(X, weights=w) for kind in (parzen.gaussian_kde, scipy.stats.gaussian_kde))
    other = scipy.stats.gaussian_kde(Z, weights=v)
    assert ours.integrate_gaussian([0.1, 0.2], [[1.0, 0.3], [0.3, 2.0]]) == pytest.approx(
        theirs.integrate_gaussian([0.1, 0.2], [[1.0, 0.3], [0.3, 2.0]]), rel=1e-9
    )
    assert ours.integrate_kde(parzen.gaussian_kde(Z, weights=v)) == pytest.approx(theirs.integrate_kde(other), rel=1e-9)
    box = ([-1.0, -0.5], [0.7, 2.0])
    assert ours.integrate_box(*box) == pytest.approx(theirs.integrate_box(*box), rel=1e-6)
    one = ([-1.0, -np.inf], [0.7, np.inf])
    assert ours.integrate_box(*one) == pytest.approx(theirs.integrate_box(*one), rel=1e-5)
    assert ours.integrate_box(*one) == pytest.approx(ours.marginal(0).integrate_box_1d(-1.0, 0.7), rel=1e-14)
    assert ours.integrate_box([-np.inf] * 2, [np.inf] * 2) == 1.0


def test_draws_of_a_seed_are_scipys():
    X, w = _data(2, 40, True)
    ours, theirs = (kind(X, weights=w) for kind in (parzen.gaussian_kde, scipy.stats.gaussian_kde))
    np.testing.assert_allclose(ours.resample(20, seed=3), theirs.resample(20, seed=3), rtol=1e-12)
    assert ours.resample().shape == theirs.resample().shape


def test_probabilities_of_both_tails_keep_their_digits():
    kde = parzen.gaussian_kde([-1.0, 1.0])
    assert kde.integrate_box_1d(30.0, np.inf) == pytest.approx(kde.integrate_box_1d(-np.inf, -30.0), rel=1e-12)
    assert 0 < kde.integrate_box_1d(30.0, np.inf) < 1e-50


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 40), st.floats(-1e6, 1e6), st.integers(0, 10_000))
def test_a_density_moves_with_its_data(n, shift, seed):
    x = np.random.default_rng(seed).normal(size=n)
    q = np.linspace(-4, 4, 9)
    moved = parzen.gaussian_kde(x + shift)(q + shift)
    np.testing.assert_allclose(moved, parzen.gaussian_kde(x)(q), rtol=1e-7)


def test_missing_queries_are_missing_and_infinite_ones_have_no_density():
    kde = parzen.gaussian_kde([0.0, 1.0, 5.0])
    np.testing.assert_array_equal(kde([np.nan, np.inf, -np.inf]), [np.nan, 0.0, 0.0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: parzen.gaussian_kde([1.0]), "more than one element"),
        (lambda: parzen.gaussian_kde([1.0, 2.0], "isj"), "bw_method must be"),
        (lambda: parzen.gaussian_kde([1.0, 2.0], weights=[1.0]), "length n = 2, got 1"),
        (lambda: parzen.gaussian_kde([1.0, 2.0], weights=[1.0, -1.0]), "not negative"),
        (lambda: parzen.gaussian_kde(np.eye(3)[:, :2]), "dataset.T may be meant"),
        (lambda: parzen.gaussian_kde([1.0, 2.0]).pdf([[1.0], [2.0]]), "points have dimension 2"),
        (lambda: parzen.gaussian_kde(np.eye(2)).integrate_box_1d(0, 1), "integrate_box"),
        (lambda: parzen.gaussian_kde([1.0, 2.0]).integrate_box([0.0, 1.0], [1.0, 2.0]), "low_bounds must have shape"),
        (lambda: parzen.gaussian_kde([1.0, 2.0]).marginal(0.5), "must be integers"),
    ],
)
def test_what_is_wrong_is_said(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_data_without_spread_are_an_error_of_linear_algebra():
    with pytest.raises(np.linalg.LinAlgError, match="lower-dimensional subspace"):
        parzen.gaussian_kde([2.0, 2.0, 2.0])


def test_copies_and_pickles_answer_the_same():
    kde = parzen.gaussian_kde([0.0, 1.0, 5.0], "silverman", [1, 2, 3])
    for again in (copy.deepcopy(kde), pickle.loads(pickle.dumps(kde))):
        np.testing.assert_array_equal(again([0.5]), kde([0.5]))


def _curves(draw):
    figure, axes = plt.subplots()
    draw(axes)
    found = [line.get_xydata() for line in axes.lines]
    found += [path.vertices for collection in axes.collections for path in collection.get_paths()]
    plt.close(figure)
    return found


PICTURES = {
    "pandas": lambda frame: lambda axes: frame["x"].plot.kde(ax=axes),
    "seaborn, one variable": lambda frame: lambda axes: seaborn.kdeplot(frame, x="x", hue="g", ax=axes),
    "seaborn, two variables": lambda frame: lambda axes: seaborn.kdeplot(frame, x="x", y="y", ax=axes),
}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_of_pandas_and_seaborn_have_the_same_curves(name):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=200), "y": rng.normal(size=200), "g": ["a", "b"] * 100})
    expected = _curves(PICTURES[name](frame))
    with (
        patch("scipy.stats.gaussian_kde", parzen.gaussian_kde),
        patch("seaborn._statistics.gaussian_kde", parzen.gaussian_kde),
    ):
        found = _curves(PICTURES[name](frame))
    assert len(expected) > 0
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-8)
