"""Local density factors: their formula, local outliers, ties, few rows, and the local outlier factor."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor

from parzen import (
    DensityOutlier,
    LocalDensityFactor,
)


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
    with pytest.warns(UserWarning, match=r"n_neighbors \(20\) is above the number of other rows; 4 are used"):
        model = LocalDensityFactor().fit(X)
    assert model.n_neighbors_ == 4
    with pytest.raises(ValueError, match="has no neighbours"):
        LocalDensityFactor().fit(X[:1])


def test_local_factors_are_level_with_lof(shared):
    ours, theirs = [], []
    for name in ("glass", "ionosphere", "vowels", "lymphography", "wbc"):
        with np.load(shared(f"odds/{name}.npz")) as data:
            X, y = data["X"].astype(float), data["y"]
        ours.append(roc_auc_score(y, -LocalDensityFactor().fit(X).negative_outlier_factor_))
        theirs.append(roc_auc_score(y, -LocalOutlierFactor().fit(X).negative_outlier_factor_))
    assert np.mean(ours) > np.mean(theirs) - 0.02


@pytest.mark.parametrize("apart", [1e6, 1e8])
def test_neighbours_in_many_columns_far_from_the_origin(apart, rng):
    X = rng.normal(size=(200, 20))
    alone = LocalDensityFactor(10).fit(X[:100]).negative_outlier_factor_
    X[100:] += apart
    np.testing.assert_allclose(LocalDensityFactor(10).fit(X).negative_outlier_factor_[:100], alone, rtol=1e-6)
