"""Classifiers against scikit-learn's of the same name: fitting, predicting, and peak memory.

The error of `fit` is the largest difference of a posterior probability from the peer's. The error of `predict` is the
proportion of rows whose class differs from the argmax of the peer's posterior probabilities. Logistic regression is in
`benchmarks.logistic`.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import sklearn.discriminant_analysis
import sklearn.naive_bayes
from scipy import sparse

import parzen
from benchmarks.harness import Memory, Row, peak_memory, race
from benchmarks.moments import problem

THEIRS = {
    name: getattr(module, name)
    for module in (sklearn.naive_bayes, sklearn.discriminant_analysis)
    for name in module.__all__
}


def pair(name: str, X: Any, y: np.ndarray, what: str, targets: tuple[float | None, float | None]) -> Iterator[Any]:
    """Fit and predict, by us and by the peer.

    Predictions are compared in rows where the peer's two largest posterior probabilities differ by more than 1e-9.
    """
    ours, theirs, peer = getattr(parzen, name)(), THEIRS[name](), f"scikit-learn {name}"
    ours.fit(X, y), theirs.fit(X, y)
    proba = theirs.predict_proba(X[:20_000])
    top = np.sort(proba, axis=1)
    clear = top[:, -1] - top[:, -2] > 1e-9
    best = theirs.classes_[proba.argmax(axis=1)]

    def wrong(labels: np.ndarray) -> float:
        return float((labels[:20_000][clear] != best[clear]).mean())

    yield race(
        f"{name}.fit, {what}", peer, lambda: ours.fit(X, y), lambda: theirs.fit(X, y),
        lambda model: float(np.abs(model.predict_proba(X[:20_000]) - proba).max()), target=targets[0],
    )  # fmt: skip
    yield race(
        f"{name}.predict, {what}", peer, lambda: ours.predict(X), lambda: theirs.predict(X), wrong, target=targets[1]
    )
    if not sparse.issparse(X):
        yield from memory(name, ours, X, y, what)


def memory(name: str, model: Any, X: np.ndarray, y: np.ndarray, what: str) -> Iterator[Memory]:
    """Peak memory of fitting and predicting."""
    yield Memory(f"{name}.fit, {what}", peak_memory(lambda: model.fit(X, y)))
    yield Memory(f"{name}.predict, {what}", peak_memory(lambda: model.predict(X)))


def words(n: int, d: int, groups: int) -> tuple[Any, np.ndarray]:
    """Rows of 47 words each, whose frequencies follow a power law."""
    rng = np.random.default_rng(1)
    common = 1.0 / np.arange(1, d + 1) ** 0.8
    columns = rng.choice(d, size=(n, 47), p=common / common.sum())
    rows = np.repeat(np.arange(n), 47)
    counts = rng.geometric(0.7, size=n * 47).astype(np.float64)
    X = sparse.csr_matrix((counts, (rows, columns.ravel())), shape=(n, d))
    X.sum_duplicates()
    return X, rng.integers(0, groups, n)


def rows() -> Iterator[Row | Memory]:
    X, y = problem()
    dense = "200,000 x 10, 10 classes"
    yield from pair("GaussianNB", X, y, dense, (20, 15))
    yield from pair("QuadraticDiscriminantAnalysis", X, y, dense, (15, 15))
    yield from pair("LinearDiscriminantAnalysis", X, y, dense, (20, None))
    codes = np.random.default_rng(2).integers(0, 8, (200_000, 20))
    yield from pair("CategoricalNB", codes, y, "200,000 x 20 of 8 values, 10 classes", (30, 20))
    for groups in (2, 20):
        text, labels = words(100_000, 50_000, groups)
        what = f"CSR 100,000 x 50,000, {text.nnz / 1e6:.1f} million stored, {groups} classes"
        for name in ("MultinomialNB", "BernoulliNB"):
            yield from pair(name, text, labels, what, (3, 3))
