"""Gaussian mixtures of CSR rows: what the dense ones find, without making rows dense."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from parzen import Gaussian, GaussianMixture, MixtureModel
from parzen.compute.sparse import csr_moments, csr_squares


def _rows(rng, n=600, d=12):
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.4)
    X[: n // 3] += 3.0 * (rng.random((n // 3, d)) < 0.7)
    return X


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", ["diag", "spherical"])
def test_sparse_and_dense_rows_are_fitted_alike(shape, dtype, form, rng):
    X = _rows(rng).astype(dtype)
    start = {"weights_init": [0.5, 0.5], "means_init": X[[0, -1]], "tol": 1e-8, "max_iter": 500}
    given = np.ones((2, 12)) if shape == "diag" else np.ones(2)
    dense = GaussianMixture(2, covariance_type=shape, precisions_init=given, **start).fit(X)
    thin = GaussianMixture(2, covariance_type=shape, precisions_init=given, **start).fit(form(X))
    np.testing.assert_allclose(thin.means_, dense.means_, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(thin.covariances_, dense.covariances_, rtol=1e-5, atol=1e-7)
    assert thin.means_.dtype == dtype
    np.testing.assert_allclose(thin.predict_proba(form(X)), dense.predict_proba(X), atol=1e-4)
    np.testing.assert_allclose(thin.score_samples(form(X)), dense.score_samples(X), rtol=1e-4)
    np.testing.assert_array_equal(thin.predict(form(X)), thin.predict(X))


def test_starts_are_found_in_sparse_rows(rng):
    X = _rows(rng)
    w = rng.integers(1, 4, 600)
    for model in (GaussianMixture(2, covariance_type="diag"), MixtureModel(Gaussian("diag", noise=1e-6), 2)):
        dense = model.set_params(random_state=0).fit(X, sample_weight=w).score(X)
        thin = model.fit(sparse.csr_matrix(X), sample_weight=w).score(sparse.csr_matrix(X))
        assert thin == pytest.approx(dense, abs=0.05)


def test_full_covariances_need_dense_rows(rng):
    with pytest.raises((TypeError, ValueError), match=r"[Ss]parse|dense"):
        GaussianMixture(2).fit(sparse.csr_matrix(_rows(rng)))


@pytest.mark.filterwarnings("ignore")  # two steps don't converge
def test_wide_rows_are_not_made_dense(rng):
    X = sparse.random(500, 40_000, 1e-3, format="csr", random_state=0)
    model = GaussianMixture(2, covariance_type="diag", random_state=0, max_iter=2, reg_covar=1e-3, init_params="kmeans")
    tracemalloc.start()
    model.fit(X)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 0.5 * 8 * 500 * 40_000


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_moments_and_squares_of_stored_cells_keep_their_digits(offset, rng):
    X = _rows(rng)
    X[:, 3] = offset + rng.normal(size=600)  # every cell is stored
    R = rng.random((600, 3))
    weight, mean, scatter, _ = csr_moments(sparse.csr_matrix(X), R)
    exact = (R.T @ X) / R.sum(axis=0)[:, None]
    spread = np.stack([R[:, k] @ (X - exact[k]) ** 2 for k in range(3)])
    np.testing.assert_allclose(weight, np.repeat(R.sum(axis=0)[:, None], 12, axis=1))
    np.testing.assert_allclose(mean, exact, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(scatter, spread, rtol=1e-7)
    near = X[:, :3]
    squares = csr_squares(sparse.csr_matrix(near), near[:4], np.full((4, 3), 0.5))
    np.testing.assert_allclose(squares, ((near[:, None] - near[:4]) ** 2 / 0.25).sum(axis=2), atol=1e-9)
