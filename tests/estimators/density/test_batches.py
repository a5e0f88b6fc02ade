"""Density estimators in batches and shards: partial_fit and merge equal one fit."""

import warnings
from functools import reduce

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from parzen import (
    Bernoulli,
    Categorical,
    DensityEstimator,
    FloorWarning,
    Gaussian,
    Mixture,
    Multinomial,
    Poisson,
    Product,
)
from parzen.statistics import pattern_moments

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
        mixture = DensityEstimator(Mixture(Gaussian(), 2), random_state=0).fit(X)
        with pytest.raises(ValueError, match="found by EM"):
            mixture.merge(mixture)

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
        assert model.statistic_.cells().weight[0, 0] == 50 + (~np.isnan(X[:, 0])).sum()

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


GAPS = {
    "full": Gaussian(),
    "map": Gaussian(estimate="map"),
    "shrunk": Gaussian(shrinkage="oas"),
    "a block of a product": Product({(0, 1): Gaussian(), 2: Poisson()}),
}


class TestMissingCells:
    """Batches and shards of rows with missing cells, of a full covariance: what one fit finds by EM in all rows."""

    @staticmethod
    def table(rng, n=150):
        X = rng.normal(size=(n, 3))
        X[:, 1] += X[:, 0]
        X[:, 2] = rng.poisson(2, n)
        return np.where(rng.random(X.shape) < 0.25, np.nan, X)

    @pytest.mark.parametrize("name", GAPS)
    def test_batches_shards_and_one_fit_agree(self, name, rng):
        family, X, w = GAPS[name], self.table(rng), rng.random(150)
        whole = DensityEstimator(family).fit(X, sample_weight=w).score_samples(X)
        batched = DensityEstimator(family)
        cuts = [slice(0, 20), slice(20, 70), slice(70, 150)]
        for part in cuts:
            batched.partial_fit(X[part], sample_weight=w[part])
        shards = [DensityEstimator(family).fit(X[part], sample_weight=w[part]) for part in cuts]
        for found in (batched, reduce(DensityEstimator.merge, shards), shards[0].merge(shards[2]).merge(shards[1])):
            np.testing.assert_allclose(found.score_samples(X), whole, rtol=1e-8, atol=1e-8)

    @given(seed=st.integers(0, 2**16), cut=st.integers(40, 110))
    @settings(max_examples=15, deadline=None)
    def test_batches_agree_with_one_fit_within_the_tolerance_of_em(self, seed, cut):
        X = self.table(np.random.default_rng(seed))
        whole = DensityEstimator().fit(X)
        batched = DensityEstimator().partial_fit(X[:cut]).partial_fit(X[cut:])
        assert batched.score(X) == pytest.approx(whole.score(X), abs=3e-7)  # tol is 1e-7 a row and step

    def test_complete_rows_and_rows_with_gaps_add(self, rng):
        X, more = self.table(rng), rng.normal(size=(50, 3))
        whole = DensityEstimator().fit(np.vstack([X, more])).score_samples(X)
        for batches in ((X, more), (more, X)):
            model = DensityEstimator()
            for batch in batches:
                model.partial_fit(batch)
            np.testing.assert_allclose(model.score_samples(X), whole, rtol=1e-8, atol=1e-8)
        again = DensityEstimator().fit(X).partial_fit(more)
        np.testing.assert_allclose(again.score_samples(X), whole, rtol=1e-8, atol=1e-8)

    def test_more_patterns_than_there_is_room_for_are_refused(self, rng, monkeypatch):
        X = self.table(rng)
        monkeypatch.setattr(pattern_moments, "MOST", 50)
        with pytest.raises(ValueError, match=r"patterns of missing cells in 3 columns.*fit on all rows together"):
            DensityEstimator().partial_fit(X)
        found = DensityEstimator().fit(X)  # EM over the rows needs no patterns
        for add in (lambda: found.partial_fit(X), lambda: found.merge(found)):
            with pytest.raises(ValueError, match="too many patterns"):
                add()

    def test_shards_that_together_have_too_many_patterns_are_refused(self, rng, monkeypatch):
        X = rng.normal(size=(40, 2))
        X[:20, 0], X[20:, 1] = np.nan, np.nan
        X[0], X[20] = 1.0, 1.0
        one, other = DensityEstimator(Gaussian(floor=1e-6)), DensityEstimator(Gaussian(floor=1e-6))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FloorWarning)
            one.fit(X[:20]), other.fit(X[20:])
        monkeypatch.setattr(pattern_moments, "MOST", 9)
        with pytest.raises(ValueError, match="don't merge into what fit finds"):
            one.merge(other)

    def test_missing_counts_of_a_multinomial_are_refused_in_batches(self, rng):
        X = rng.poisson(3, (30, 3)).astype(float)
        X[0, 0] = np.nan
        model = DensityEstimator(Multinomial(estimate="map"))
        assert np.isfinite(model.fit(X).score_samples(X)).all()
        with pytest.raises(ValueError, match="missing counts"):
            DensityEstimator(Multinomial(estimate="map")).partial_fit(X)
