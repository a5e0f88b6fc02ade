"""Fitting a family: iterations under missing values, batches, threads, and where the iteration starts."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from parzen import (
    DensityEstimator,
    Gaussian,
    Labels,
    Poisson,
    Product,
    fit,
    log_likelihood,
)


class TestIterating:
    @pytest.fixture
    def X(self, rng):
        X = rng.normal(size=(200, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0.3], [0, 0, 2]])
        X[rng.random(X.shape) < 0.2] = np.nan
        return X

    def test_a_fit_s_density_maximises_its_statistic(self, X):
        found = fit(Gaussian(), X, tol=1e-3)
        np.testing.assert_array_equal(Gaussian().maximise(found.statistic).factor, found.density.factor)

    def test_the_steps_don_t_depend_on_how_rows_are_cut(self, X):
        first, second = X[:100].copy(), X[100:].copy()
        first[:, 0], second[:, 1] = np.nan, np.nan
        whole = fit(Gaussian(), np.vstack([first, second]), tol=1e-4)
        assert fit(Gaussian(), [first, second], tol=1e-4).n_iter == whole.n_iter

    def test_an_iterator_can_be_read_once(self, X, rng):
        complete = rng.normal(size=(20, 3))
        assert fit(Gaussian(), iter([complete, complete])).statistic.weight == 40
        for options in ({"trace": True}, {"start": fit(Gaussian(), complete).density}):
            with pytest.raises(ValueError, match="read once"):
                fit(Gaussian(), iter([complete, complete]), **options)

    def test_threads_that_fit_leave_the_warning_filters_alone(self, X):
        before = list(warnings.filters)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: fit(Gaussian(), X), range(16)))
        assert list(warnings.filters) == before

    def test_a_block_iterates_only_where_its_own_cells_are_missing(self, X):
        table = np.column_stack([X[:, :2], np.arange(200.0)])
        found = fit(Product({(0, 1): Gaussian(), 2: Gaussian(estimate="bayes")}), table)
        assert found.outcome == "converged"

    def test_a_missing_cell_is_marginalised_in_a_predictive(self, rng):
        model = DensityEstimator(Gaussian(estimate="bayes")).fit(rng.normal(size=(30, 3)))
        row = np.array([[np.nan, 0.0, 1.0]])
        np.testing.assert_allclose(model.score_samples(row), model.marginal([1, 2]).score_samples(row[:, 1:]))

    def test_a_start_for_a_family_that_needs_none(self, rng):
        X = rng.poisson(2, (20, 2))
        first = fit(Poisson(), X).density
        np.testing.assert_array_equal(fit(Poisson(), X, start=first).density.rate, first.rate)

    def test_likelihoods_need_a_group_for_each_density(self, rng):
        X = rng.normal(size=(20, 2))
        density = fit(Gaussian(), X, Labels(np.arange(20) % 2)).density
        with pytest.raises(ValueError, match="2 densities, but memberships in 1"):
            log_likelihood(density, X)
