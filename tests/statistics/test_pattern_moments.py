"""Moments by patterns of missing cells: they add, and everything expected of the rows follows from them."""

import numpy as np
import pytest

from parzen import Gaussian, Labels, accumulate, fit, load, save
from parzen.families.family import Additive
from parzen.statistics import Moments, PatternMoments
from parzen.statistics.statistic import arrays_of

ADDITIVE = Additive(Gaussian())


def same(one, other, tolerance=1e-12):
    np.testing.assert_array_equal(one.there, other.there)
    for mine, theirs in zip(arrays_of(one, rounding=False), arrays_of(other, rounding=False), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance)


@pytest.fixture
def X(rng):
    X = rng.normal(size=(200, 4)) @ rng.normal(size=(4, 4)) + 5.0
    X[rng.random(X.shape) < 0.3] = np.nan
    X[7] = np.nan
    return X


@pytest.fixture(params=["none", "weights", "labels", "weighted labels", "responsibilities"])
def R(request, rng):
    codes, w = rng.integers(-1, 3, 200), rng.random(200)
    return {
        "none": None,
        "weights": w,
        "labels": Labels(codes, groups=3),
        "weighted labels": Labels(codes, w, groups=3),
        "responsibilities": rng.random((200, 3)),
    }[request.param]


def part(R, rows):
    return None if R is None else R[rows]


class TestAlgebra:
    def test_parts_of_the_rows_add_to_all_of_them_in_any_order(self, X, R):
        whole = accumulate(ADDITIVE, X, R)
        a, b, c = (accumulate(ADDITIVE, X[rows], part(R, rows)) for rows in np.split(np.arange(200), [40, 130]))
        for total in ((a + b) + c, a + (b + c), c + a + b):
            same(total, whole)

    def test_no_rows_add_nothing(self, X, R):
        whole = accumulate(ADDITIVE, X, R)
        nothing = accumulate(Gaussian(), X[:0], part(R, slice(0, 0)))
        for total in (whole + nothing, nothing + whole, whole + 0.0 * whole):
            same(total.canonical(), whole.canonical())

    def test_weight_two_is_a_row_twice(self, X, R):
        whole = accumulate(ADDITIVE, X, R)
        same(2.0 * whole, whole + whole)

    def test_pooled_is_without_groups(self, X, R):
        pooled = accumulate(ADDITIVE, X, R).pooled()
        w = R.sum(axis=1) if isinstance(R, np.ndarray) and R.ndim == 2 else R
        if isinstance(R, Labels):
            w = R.dense().sum(axis=1)
        same(pooled.canonical(), accumulate(ADDITIVE, X, w).canonical())

    def test_complete_rows_are_moments_and_add_on_either_side(self, X, rng):
        complete = rng.normal(size=(30, 4))
        seen, gaps = accumulate(ADDITIVE, complete), accumulate(ADDITIVE, X)
        assert isinstance(seen, Moments)
        whole = accumulate(ADDITIVE, np.vstack([X, complete]))
        same(seen + gaps, whole)
        same(gaps + seen, whole)

    def test_other_columns_or_groups_are_refused(self, X):
        one = accumulate(ADDITIVE, X)
        with pytest.raises(ValueError, match="don't add"):
            one + accumulate(ADDITIVE, X[:, :3])
        with pytest.raises(ValueError, match="don't add"):
            one + accumulate(ADDITIVE, X, Labels(np.arange(200) % 2))
        with pytest.raises(ValueError, match="expected under a density"):
            one + accumulate(Gaussian(), X, at=fit(Gaussian(), X).density).statistic


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_what_is_expected_of_the_rows_follows(X, R, offset, shared, rng):
    K = 3 if isinstance(R, Labels) or (isinstance(R, np.ndarray) and R.ndim == 2) else 1
    filled = np.where(np.isnan(X), 5.0, X) + offset + rng.normal(size=X.shape)
    family = Gaussian(shared=shared)
    at = fit(family, filled, Labels(np.arange(200) % K, groups=K)).density
    by_rows = accumulate(family, X + offset, R, at=at)
    by_patterns = family.observe(accumulate(ADDITIVE, X + offset, R), at=at)
    np.testing.assert_allclose(by_patterns.log_likelihood, by_rows.log_likelihood, rtol=1e-11)
    np.testing.assert_allclose(by_patterns.weight, by_rows.weight, rtol=1e-12)
    for one, other in (
        (by_patterns.statistic, by_rows.statistic),
        (by_patterns.statistic.observed, by_rows.statistic.observed),
    ):
        np.testing.assert_allclose(one.weight, other.weight, rtol=1e-12)
        np.testing.assert_allclose(one.mean, other.mean, rtol=1e-12)
        np.testing.assert_allclose(one.scatter, other.scatter, rtol=1e-11, atol=1e-12 * abs(other.scatter).max())


def test_the_density_is_that_of_the_rows(X):
    codes = np.arange(200) % 2
    for family in (Gaussian(), Gaussian(shared=True), Gaussian(estimate="map"), Gaussian(shrinkage=0.2)):
        by_rows = fit(family, X, Labels(codes), tol=1e-10, max_iter=2000)
        by_patterns = fit(family, by_rows.additive, tol=1e-10, max_iter=2000)
        assert isinstance(by_rows.additive, PatternMoments)
        np.testing.assert_allclose(by_patterns.density.mean, by_rows.density.mean, rtol=1e-7)
        np.testing.assert_allclose(by_patterns.density.covariance, by_rows.density.covariance, rtol=1e-6, atol=1e-8)
        assert by_patterns.objective[-1] == pytest.approx(by_rows.objective[-1], rel=1e-10)


def test_batches_with_missing_cells_can_be_read_once_by_their_statistic(X):
    total = accumulate(ADDITIVE, iter([X[:80], X[80:]]))
    found = Gaussian().maximise(total)
    np.testing.assert_allclose(found.mean, fit(Gaussian(), X).density.mean, rtol=1e-8)


def test_it_is_saved_and_loaded(X, tmp_path):
    seen = accumulate(ADDITIVE, X)
    save(seen, tmp_path / "seen.parzen")
    same(load(tmp_path / "seen.parzen"), seen, 0.0)


def test_a_predictive_has_none(X):
    with pytest.raises(ValueError, match="no exact form"):
        Gaussian(estimate="bayes").observe_additive(X)
