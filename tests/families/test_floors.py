"""Floors of variances: rows that are too few, constant columns, empty groups, and collapses that are errors."""

import warnings

import numpy as np
import pytest

from parzen import (
    Collapse,
    DensityEstimator,
    FloorWarning,
    Gaussian,
    Labels,
    Multinomial,
    fit,
)
from parzen.families.covariance_floor import factors


class TestTooFewRows:
    @pytest.mark.parametrize("covariance", ["full", "diag", "spherical"])
    @pytest.mark.parametrize(
        "X",
        [
            np.array([[1.0, 2.0, 3.0]]),
            np.repeat([[1.0, 2.0, 3.0]], 5, axis=0),
            np.zeros((4, 3)),
            np.full((4, 3), 1e8),
        ],
        ids=["one row", "duplicates", "zeros", "far constants"],
    )
    def test_rows_without_spread_get_a_floor_and_a_word(self, X, covariance):
        with pytest.warns(FloorWarning, match="singular"):
            density = fit(Gaussian(covariance), X).density
        assert np.isfinite(density.log_density(X)).all()
        with pytest.raises(Collapse, match="floor above 0, shrinkage, or a prior"):
            fit(Gaussian(covariance, floor=0), X)

    def test_more_columns_than_rows(self, rng):
        X = rng.normal(size=(10, 40))
        with pytest.warns(FloorWarning):
            density = fit(Gaussian(), X).density
        assert np.isfinite(density.log_density(rng.normal(size=(5, 40)))).all()
        for family in (
            Gaussian(shrinkage="oas"),
            Gaussian(estimate="bayes"),
            Gaussian(estimate="map"),
            Gaussian("diag"),
        ):
            assert np.isfinite(fit(family, X).density.log_density(X)).all()

    def test_a_constant_column_is_named_by_the_floor_and_spoils_no_other(self, rng):
        X = rng.normal(size=(200, 3))
        plain = fit(Gaussian(), X).density.covariance
        X[:, 1] = 7.0
        for covariance in ("full", "diag"):
            with pytest.warns(FloorWarning):
                density = fit(Gaussian(covariance), X).density
            rest = density.marginal([0, 2]).covariance[0]
            expected = plain[0][np.ix_([0, 2], [0, 2])]
            np.testing.assert_allclose(np.diag(rest), np.diag(expected), rtol=1e-6)
            assert np.isfinite(density.log_density(X)).all()

    def test_the_floor_is_in_units_of_the_data(self, rng):
        """Scaling a column scales the densities and nothing else."""
        X = np.column_stack([rng.normal(size=50), np.ones(50), rng.normal(size=50)])
        X[0, 1] = 1 + 1e-9
        codes = np.arange(50) % 2
        scale = np.array([2.0**20, 2.0**-10, 1.0])  # powers of two change no digit
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FloorWarning)
            for covariance in ("full", "diag"):
                one = fit(Gaussian(covariance, floor=1e-3), X, Labels(codes)).density.log_density(X)
                other = fit(Gaussian(covariance, floor=1e-3), X * scale, Labels(codes)).density.log_density(X * scale)
                np.testing.assert_allclose(one, other + np.log(scale).sum(), rtol=1e-12, atol=1e-9)

    def test_a_nearly_singular_covariance_is_left_as_it_is(self, rng):
        """A condition number of 1e11 is data, not a fault."""
        d = 4
        turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
        X = (rng.normal(size=(2000, d)) * np.logspace(-5.5, 0, d)) @ turn.T
        found = np.linalg.eigvalsh(fit(Gaussian(), X).density.covariance[0])
        np.testing.assert_allclose(np.sqrt(found), np.logspace(-5.5, 0, d), rtol=0.1)

    def test_an_empty_group_gets_the_estimate_of_all_rows(self, rng):
        X = rng.normal(size=(30, 2))
        whole = fit(Gaussian(), X).density
        with pytest.warns(FloorWarning, match=r"groups \[1\] have no weight"):
            density = fit(Gaussian(), X, Labels(np.zeros(30, int), groups=2)).density
        np.testing.assert_allclose(density.mean[1], whole.mean[0])
        np.testing.assert_allclose(density.covariance[1], whole.covariance[0])

    def test_no_weight_at_all_is_an_error(self, rng):
        with pytest.raises(Collapse, match="column 0 has no value with any weight"):
            fit(Gaussian(), rng.normal(size=(5, 2)), np.zeros(5))
        X = rng.normal(size=(5, 2))
        X[:, 1] = np.nan
        with pytest.raises(Collapse, match="column 1 has no value"):
            fit(Gaussian("diag"), X)


class TestFloors:
    def test_the_floor_holds_in_every_direction(self):
        """A Kahan matrix: least eigenvalue far below its least pivot."""
        d, c = 22, 0.3
        kahan = np.diag(np.sqrt(1 - c * c) ** np.arange(d)) @ (np.eye(d) - c * np.triu(np.ones((d, d)), 1))
        for floor in (1e-12, 1e-6):
            factor = factors((kahan @ kahan.T)[None], np.ones((1, d)), floor)[0]
            assert np.linalg.eigvalsh(factor @ factor.T)[0] > 0.9 * floor

    def test_a_collapse_of_no_one_column_reaches_the_user(self, rng):
        X = rng.normal(size=(50, 2))
        with pytest.raises(Collapse, match="floor above 0"):
            DensityEstimator(Gaussian(floor=0)).fit(np.column_stack([X, X[:, 0]]))
        with pytest.raises(Collapse, match="all counts are zero"):
            DensityEstimator(Multinomial(estimate="ml")).fit(np.zeros((4, 2)))

    @pytest.mark.parametrize("covariance", ["full", "diag", "spherical"])
    def test_an_empty_group_changes_no_shared_covariance(self, covariance, rng):
        X, codes = rng.normal(size=(60, 2)), np.repeat([0, 1], 30)
        X[30:] += 5
        one = fit(Gaussian(covariance, shared=True), X, Labels(codes)).density
        with pytest.warns(FloorWarning, match="no weight"):
            other = fit(Gaussian(covariance, shared=True), X, Labels(codes, groups=3)).density
        np.testing.assert_allclose(other.covariance[:2], one.covariance, rtol=1e-12)

    def test_the_floor_holds_while_em_iterates(self, rng):
        X = rng.normal(size=(200, 3))
        X[rng.random(X.shape) < 0.3] = np.nan
        X[:, 1] = np.where(np.isnan(X[:, 1]), np.nan, 2.5)
        with pytest.warns(FloorWarning, match="singular") as said:
            found = fit(Gaussian(), X)
        assert len(said) == 1
        assert 1e-13 < found.density.covariance[0, 1, 1] < 1e-11
        assert found.outcome == "converged"

    @pytest.mark.parametrize("covariance", ["full", "diag"])
    def test_rounding_of_weights_makes_no_constant_column_vary(self, covariance):
        for seed in range(40):
            rng = np.random.default_rng(seed)
            X, w = np.column_stack([rng.normal(size=500), np.full(500, 0.1)]), rng.random(500)
            with pytest.warns(FloorWarning):
                density = fit(Gaussian(covariance), X, w).density
            assert density.covariance[0, 1, 1] > 1e-13
            assert fit(Gaussian(covariance, estimate="map"), X, w).density.covariance[0, 1, 1] > 1e-5

    def test_without_a_floor_dependent_columns_collapse(self, rng):
        for _ in range(30):
            X = rng.normal(size=(40, 2))
            X = np.column_stack([X, X @ [0.3, 0.7]])
            with pytest.raises(Collapse, match="floor above 0"):
                fit(Gaussian(floor=0), X)

    def test_em_warns_of_floors_once(self, rng):
        X = np.repeat(rng.normal(size=(3, 4)), 2, axis=0)
        X[0, 0] = np.nan
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            DensityEstimator().fit(X)
        assert sum(issubclass(one.category, FloorWarning) for one in said) == 1
