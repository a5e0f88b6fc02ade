"""Means and covariances of classes, the cost of fitting naive Bayes and discriminant analysis.

Errors are relative errors of the variances or covariances, against two passes in extended precision.
"""

from collections.abc import Iterator

import numpy as np
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

from benchmarks.harness import Row, race
from parzen import Gaussian, Labels, fit


def problem(n: int = 200_000, d: int = 10, K: int = 10) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, K, n)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + y[:, None], y


def exact_covariances(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Two passes in extended precision."""
    out = []
    for k in range(y.max() + 1):
        rows = X[y == k].astype(np.longdouble)
        centred = rows - rows.mean(axis=0)
        out.append((centred.T @ centred / len(rows)).astype(float))
    return np.array(out)


def rows() -> Iterator[Row]:
    X, y = problem()
    exact = exact_covariances(X, y)
    for name, table in (("float64", X), ("float32", X.astype(np.float32))):
        truth = exact if name == "float64" else exact_covariances(table, y)
        yield race(
            f"means and variances, 200,000 x 10, 10 classes, {name}",
            "scikit-learn GaussianNB.fit",
            lambda table=table: fit(Gaussian("diag"), table, Labels(y)).density.factor ** 2,
            lambda table=table: (lambda model: model.var_ - model.epsilon_)(GaussianNB().fit(table, y)),
            lambda found, truth=truth: float(np.abs(found / np.diagonal(truth, axis1=1, axis2=2) - 1).max()),
            target=20 if name == "float64" else None,
        )
        yield race(
            f"means and covariances, 200,000 x 10, 10 classes, {name}",
            "scikit-learn QuadraticDiscriminantAnalysis.fit",
            lambda table=table: fit(Gaussian(), table, Labels(y)).density.covariance,
            lambda table=table: np.array(
                QuadraticDiscriminantAnalysis(store_covariance=True).fit(table, y).covariance_
            ),
            lambda found, truth=truth: float(np.abs(found - truth).max() / np.abs(truth).max()),
            target=15 if name == "float64" else None,
        )
    offset = X + 1e8
    centre = exact_covariances(offset, y)
    yield race(
        "means and variances at an offset of 1e8, 200,000 x 10, 10 classes",
        "scikit-learn GaussianNB.fit",
        lambda: fit(Gaussian("diag"), offset, Labels(y)).density.factor ** 2,
        lambda: (lambda model: model.var_ - model.epsilon_)(GaussianNB().fit(offset, y)),
        lambda found: float(np.abs(found / np.diagonal(centre, axis1=1, axis2=2) - 1).max()),
    )
