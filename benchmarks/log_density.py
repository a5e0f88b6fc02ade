"""Log-densities of K Gaussians, the cost of predicting.

Errors are the largest ones of 2,000 rows, against forward substitution in extended precision.
"""

from collections.abc import Iterator

import numpy as np
from sklearn.mixture import GaussianMixture

from benchmarks.harness import Row, race
from benchmarks.moments import problem
from parzen import Gaussian, Labels, evaluate, fit
from parzen.densities.gaussian import GaussianDensity

PEER = "scikit-learn GaussianMixture"


def mixture(density: GaussianDensity, kind: str) -> GaussianMixture:
    """The peer with our parameters, so that both evaluate the same Gaussians."""
    model = GaussianMixture(density.shape[0], covariance_type=kind)
    model.means_ = density.mean
    inverse = {
        "full": lambda: np.array([np.linalg.inv(L).T for L in density.factor]),
        "tied": lambda: np.linalg.inv(density.factor[0]).T,
        "diag": lambda: 1 / density.factor,
    }[kind]
    model.precisions_cholesky_ = inverse()
    return model


def exact(density: GaussianDensity, X: np.ndarray) -> np.ndarray:
    """Forward substitution in extended precision, rows at once."""
    K, d = density.shape
    factors = np.repeat(density.factor, K // len(density.factor), axis=0).astype(np.longdouble)
    out = np.empty((len(X), K), np.longdouble)
    for k in range(K):
        u = X.astype(np.longdouble) - density.mean[k]
        z = np.empty_like(u)
        L = factors[k] if factors[k].ndim == 2 else np.diag(factors[k])
        for i in range(d):
            z[:, i] = (u[:, i] - z[:, :i] @ L[i, :i]) / L[i, i]
        out[:, k] = -0.5 * (z**2).sum(1) - np.log(np.diag(L)).sum() - d / 2 * np.log(2 * np.pi)
    return out


def rows() -> Iterator[Row]:
    X, y = problem()
    for family, kind, target in (
        (Gaussian(), "full", 20),
        (Gaussian(shared=True), "tied", None),
        (Gaussian("diag"), "diag", None),
    ):
        density = fit(family, X, Labels(y)).density
        model = mixture(density, kind)
        truth = exact(density, X[:2000])
        yield race(
            f"log-densities of 10 {kind} Gaussians, 200,000 x 10",
            PEER,
            lambda density=density: evaluate(density, X),
            lambda model=model: model._estimate_log_prob(X),
            lambda found, truth=truth: float(np.abs(found[:2000] - truth).max()),
            target=target,
        )
    with_holes = X.copy()
    with_holes[np.random.default_rng(1).random(X.shape) < 0.05] = np.nan
    density = fit(Gaussian(), X, Labels(y)).density
    yield race(
        "log-densities of 10 full Gaussians, 200,000 x 10, 5% of the cells missing",
        "ours without missing cells",
        lambda: evaluate(density, with_holes),
        lambda: evaluate(density, X),
    )
