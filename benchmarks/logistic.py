"""Logistic regression from scratch, against scikit-learn's: the time, and how far the objective lies above its least.

The error is that distance, relative to the least objective (of ours at a tolerance of 1e-9). Rows of the same name with
"equal accuracy" give scikit-learn the tolerance that it needs to end about as near.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import sklearn.linear_model
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning

import parzen
from benchmarks.harness import Memory, Row, peak_memory, race
from benchmarks.moments import problem


def objective(model: Any, X: Any, y: np.ndarray) -> float:
    """The penalised negative log-likelihood."""
    ratio = model.l1_ratio or 0.0
    weights = np.append(model.coef_, model.intercept_) if model.solver == "liblinear" else model.coef_
    penalty = ratio * np.abs(weights).sum() + 0.5 * (1.0 - ratio) * (weights**2).sum()
    return float(-model.predict_log_proba(X)[np.arange(len(y)), y].sum() + penalty / model.C)


def separated(n: int, d: int, K: int, apart: float) -> tuple[np.ndarray, np.ndarray]:
    """Normal rows about means that are so many standard deviations apart in each column."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, K, n)
    return rng.normal(size=(n, d)) + apart * rng.normal(size=(K, d))[y], y


def text(n: int, d: int, K: int) -> tuple[Any, np.ndarray]:
    """Rows of 47 words each, whose frequencies follow a power law; 200 of them tell of the class."""
    rng = np.random.default_rng(1)
    common = 1.0 / np.arange(1, d + 1) ** 0.8
    columns = rng.choice(d, size=(n, 47), p=common / common.sum())
    X = sparse.csr_matrix((np.ones(n * 47), (np.repeat(np.arange(n), 47), columns.ravel())), shape=(n, d))
    X.sum_duplicates()
    weights = np.zeros((d, K))
    weights[rng.choice(2000, 200)] = 1.5 * rng.normal(size=(200, K))
    return X, (X @ weights + rng.gumbel(size=(n, K))).argmax(axis=1)


def pair(what: str, X: Any, y: np.ndarray, target: float | None = None, repeat: int = 3, **options: Any) -> Row:
    """The same model, fitted by us and by the peer; options that begin with `peer_` are the peer's alone.

    With one repeat the peer, which then takes seconds, runs once.
    """
    shared = {name: value for name, value in options.items() if not name.startswith("peer_")}
    own = {name.removeprefix("peer_"): value for name, value in options.items() if name.startswith("peer_")}
    ours = parzen.LogisticRegression(**shared)
    theirs = sklearn.linear_model.LogisticRegression(**{**shared, **own})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        best = parzen.LogisticRegression(**{**shared, "tol": 1e-9, "max_iter": 1000}).fit(X, y)
        least = objective(best, X, y)
        above: Callable[[Any], float] = lambda model: objective(model, X, y) / least - 1.0  # noqa: E731
        name = f"scikit-learn LogisticRegression, {theirs.solver}"
        fits = (lambda: ours.fit(X, y)), (lambda: theirs.fit(X, y))
        slow = {"slow": 1.0, "their_error": above} if repeat == 1 else {}
        return race(f"LogisticRegression.fit, {what}", name, *fits, above, target=target, repeat=repeat, **slow)  # type: ignore[arg-type]


def rows() -> Iterator[Row | Memory]:
    X, y = problem()
    large = "200,000 x 10, 10 classes"
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    yield pair(f"{large}, raw", X, y, 5)
    yield pair(f"{large}, standardised", standard, y, 5)
    yield pair(f"{large}, standardised, equal accuracy", standard, y, 20, 1, peer_tol=1e-6, peer_max_iter=2000)
    yield pair(f"{large}, nearly separable", *separated(200_000, 10, 10, 1.5), 5)
    yield from two_classes()
    yield pair("20,000 x 10, 5 classes", X[y < 5][:20_000], y[y < 5][:20_000], 5)
    yield pair("20,000 x 10, 5 classes, strongly separated", *separated(20_000, 10, 5, 1.5), 5)
    yield pair("20,000 x 100, 3 classes", *separated(20_000, 100, 3, 0.2), 5)
    for name, load in (("iris, 150 x 4", load_iris), ("breast cancer, 569 x 30", load_breast_cancer)):
        small, labels = load(return_X_y=True)
        scaled = (small - small.mean(axis=0)) / small.std(axis=0)
        yield pair(f"{name}, standardised", scaled, labels, 1, 15)
        yield chosen(f"{name}, standardised", scaled, labels)
    model = parzen.LogisticRegression()
    yield Memory(f"LogisticRegression.fit, {large}", peak_memory(lambda: model.fit(X, y)))
    yield from sparse_weights()


def two_classes() -> Iterator[Row]:
    """Two classes, also by the peer's best solver for few columns, and at equal accuracy by its default one."""
    for n, d, apart in (
        (200_000, 10, 0.7),
        (200_000, 10, 1.5),
        (20_000, 10, 0.7),
        (20_000, 10, 1.5),
        (20_000, 100, 0.2),
        (20_000, 100, 0.5),
        (2_000, 10, 0.7),
    ):
        what, data = f"{n:,} x {d}, 2 classes, {apart} apart", separated(n, d, 2, apart)
        yield pair(what, *data, 5)
        yield pair(f"{what}, equal accuracy", *data, 20, 1, peer_tol=1e-7, peer_max_iter=5000)
        yield pair(what, *data, peer_solver="newton-cholesky")


def chosen(what: str, X: np.ndarray, y: np.ndarray) -> Row:
    """The penalty chosen by cross-validation along ten values; the errors are those of the weights at the end."""
    options: dict[str, Any] = {"l1_ratios": (0,), "scoring": "neg_log_loss", "use_legacy_attributes": False}
    ours, theirs = parzen.LogisticRegressionCV(**options), sklearn.linear_model.LogisticRegressionCV(**options)

    def above(model: Any) -> float:
        best = parzen.LogisticRegression(C=model.C_, tol=1e-9, max_iter=1000).fit(X, y)
        least = objective(best, X, y)
        best.coef_, best.intercept_ = model.coef_, model.intercept_
        return objective(best, X, y) / least - 1.0

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fits = (lambda: ours.fit(X, y)), (lambda: theirs.fit(X, y))
        return race(f"LogisticRegressionCV.fit, {what}", "scikit-learn LogisticRegressionCV", *fits, above, target=1)


def sparse_weights() -> Iterator[Row]:
    """Penalties with absolute values, and rows in CSR form."""
    few, labels = separated(20_000, 20, 3, 0.5)
    yield pair("20,000 x 20, 3 classes, l1", few, labels, 5, C=0.05, l1_ratio=1.0, solver="saga")
    yield pair("20,000 x 20, 3 classes, elastic net", few, labels, 5, C=0.05, l1_ratio=0.5, solver="saga")
    for K in (2, 5):
        words, labels = text(20_000, 20_000, K)
        what = f"CSR 20,000 x 20,000, {words.nnz / 1e6:.1f} million stored, {K} classes"
        yield pair(f"{what}, l2", words, labels, 5, 1)
        if K == 2:
            # liblinear penalises its intercept, so ours of that name does too.
            yield pair(f"{what}, l1", words, labels, repeat=1, C=0.1, l1_ratio=1.0, solver="liblinear")
        yield pair(f"{what}, l1", words, labels, 5, 1, C=0.1, l1_ratio=1.0, solver="saga")
