"""Density estimators in batches and shards: partial_fit and merge equal one fit."""

import warnings
from functools import reduce

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from parzen import (
    Bernoulli,
    Categorical,
    DensityEstimator,
    FloorWarning,
    Gaussian,
    Multinomial,
    Poisson,
)
from tests import oracle

MODELS = {
    "gaussian": (Gaussian(), lambda rng: rng.normal(size=(90, 3)) + 1e3),
    "ledoit_wolf": (Gaussian(shrinkage="ledoit_wolf"), lambda rng: rng.gamma(1.0, size=(90, 3))),
    "shared bayes": (Gaussian(shared=True, estimate="bayes"), lambda rng: rng.normal(size=(90, 3))),
    "diag": (
        Gaussian("diag"),
        lambda rng: np.where(rng.random((90, 3)) < 0.1, np.nan, rng.normal(size=(90, 3))),
    ),
    "bernoulli": (Bernoulli(), lambda rng: rng.integers(0, 2, (90, 3))),
    "categorical": (Categorical(categories=[4, 4, 4]), lambda rng: rng.integers(0, 4, (90, 3))),
    "poisson": (Poisson(), lambda rng: rng.poisson(3, (90, 3))),
    "multinomial": (Multinomial(), lambda rng: rng.poisson(3, (90, 3))),
}


class TestBatches:
    @pytest.mark.parametrize("name", MODELS)
    @given(cuts=st.lists(st.integers(1, 89), min_size=1, max_size=4, unique=True), seed=st.integers(0, 99))
    def test_partial_fit_and_merge_equal_fit(self, name, cuts, seed):
        family, rows = MODELS[name]
        rng = np.random.default_rng(seed)
        X, w = rows(rng), rng.integers(1, 4, 90).astype(float)
        cuts = [30, 60] if name == "diag" else sorted(cuts)  # a batch may not lack a column altogether
        whole = DensityEstimator(family).fit(X, sample_weight=w).score_samples(X)
        parts = list(zip(np.split(X, cuts), np.split(w, cuts), strict=True))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FloorWarning)  # a batch may be one row
            batched = DensityEstimator(family)
            for part, weight in parts:
                batched.partial_fit(part, sample_weight=weight)
            shards = [DensityEstimator(family).fit(part, sample_weight=weight) for part, weight in parts]
            merged = reduce(DensityEstimator.merge, shards)
        np.testing.assert_allclose(batched.score_samples(X), whole, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(merged.score_samples(X), whole, rtol=1e-10, atol=1e-10)
        twice = DensityEstimator(family).fit(np.vstack([X, X]), sample_weight=np.append(w, np.ones(90)))
        more = merged.partial_fit(X).score_samples(X)
        np.testing.assert_allclose(more, twice.score_samples(X), rtol=1e-10, atol=1e-10)

    def test_a_new_category_in_a_later_batch_is_an_error_with_the_remedy(self):
        model = DensityEstimator(Categorical()).partial_fit(pd.DataFrame({"city": ["Oslo", "Lund"]}))
        with pytest.raises(ValueError, match=r"column 'city' holds 'Graz'.*categories="):
            model.partial_fit(pd.DataFrame({"city": ["Graz"]}))
        declared = DensityEstimator(Categorical(categories=[["Graz", "Lund", "Oslo"]]))
        declared.partial_fit(pd.DataFrame({"city": ["Oslo", "Lund"]})).partial_fit(pd.DataFrame({"city": ["Graz"]}))
        assert declared.statistic_.counts.tolist() == [[1, 1, 1]]

    def test_shards_that_differ_do_not_merge(self, rng):
        X = rng.normal(size=(20, 2))
        one = DensityEstimator().fit(X)
        with pytest.raises(ValueError, match="one family"):
            one.merge(DensityEstimator(Gaussian("diag")).fit(X))
        with pytest.raises(ValueError, match="different columns"):
            one.merge(DensityEstimator().fit(X[:, :1]))
        with pytest.raises(NotFittedError):
            one.merge(DensityEstimator())
        X[0, 0] = np.nan
        with pytest.raises(ValueError, match="found by EM"):
            one.merge(DensityEstimator().fit(X))

    def test_missing_cells_in_batches_take_steps_of_em(self, rng):
        """Each batch once, at the density so far: Neal & Hinton's incremental EM, against the blackboard."""
        X = rng.normal(size=(300, 2)) @ np.array([[1.0, 0.8], [0, 0.6]])
        X[rng.random(X.shape) < 0.1] = np.nan
        batched = DensityEstimator()
        first = X[:30]
        mean, covariance = np.nanmean(first, axis=0)[None], np.diag(np.nanvar(first, axis=0))[None]
        n, total, square = 0.0, np.zeros(2), np.zeros((2, 2))
        for part in np.split(X, 10):
            batched.partial_fit(part)
            weight, m, scatter, _ = oracle.expected_moments(part, None, mean, covariance)
            n, total = n + weight[0], total + weight[0] * m[0]
            square = square + scatter[0] + weight[0] * np.outer(m[0], m[0])
            mean, covariance = (total / n)[None], (square / n - np.outer(total, total) / n**2)[None]
        np.testing.assert_allclose(batched.density_.mean, mean, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(batched.density_.covariance, covariance, rtol=1e-9)

    def test_a_batch_may_lack_a_column_that_others_had(self, rng):
        X = rng.normal(size=(50, 2))
        empty = X[:5].copy()
        empty[:, 0] = np.nan
        model = DensityEstimator().fit(X).partial_fit(empty)
        assert np.isfinite(model.score_samples(X)).all()

    def test_a_later_batch_adds_to_the_observed_cells_of_the_first(self, rng):
        X = rng.normal(size=(200, 3))
        X[rng.random(X.shape) < 0.2] = np.nan
        model = DensityEstimator().partial_fit(X).partial_fit(rng.normal(size=(50, 3)))
        assert model.statistic_.observed.weight[0, 0] == 50 + (~np.isnan(X[:, 0])).sum()

    def test_a_fitted_family_is_the_estimator_s_own(self, rng):
        X = rng.normal(size=(30, 2))
        model = DensityEstimator(Gaussian()).fit(X)
        model.set_params(family__covariance_type="diag")
        assert model.family_.covariance_type == "full"
        with pytest.raises(ValueError, match="call fit to change it"):
            model.partial_fit(X)

    def test_a_marginal_learns_nothing_and_forgets_nothing(self, rng):
        marginal = DensityEstimator().fit(rng.normal(size=(30, 3))).marginal([0, 1])
        for learn in (marginal.partial_fit, lambda X: marginal.merge(marginal)):
            with pytest.raises(ValueError, match="no statistic to add to"):
                learn(rng.normal(size=(5, 2)))
