"""k-means of sparse rows, over batches, and of small tables, against scikit-learn.

The error of a step is the largest one of the centres after it, against sums in float64. The error of a whole fit is how
far its inertia lies above the least that either has found in the same number of starts, as a part of it: starts are
random, and the figure is the mean of several seeds. Small tables are fitted by the default settings of both.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import sklearn.cluster
from sklearn.cluster._k_means_lloyd import lloyd_iter_chunked_sparse
from sklearn.datasets import load_breast_cancer, load_iris

import parzen
from benchmarks.classifiers import words
from benchmarks.harness import Memory, Row, peak_memory, race
from benchmarks.mixtures import problem
from parzen.families.kmeans import CentroidDensity, Centroids

SEEDS = 2


def step(X: Any, K: int, target: float) -> Row:
    """One step of k-means of sparse rows from the same centres."""
    n = X.shape[0]
    centre, w = np.ascontiguousarray(X[:K].toarray()), np.ones(n, dtype=X.dtype)
    family, at = Centroids(K), CentroidDensity(centre)
    threads = parzen.thread_count()

    def ours() -> Any:
        return family.maximise(parzen.accumulate(family, X, at=at).statistic).centre

    def theirs() -> Any:
        new, weight, shift = np.zeros_like(centre), np.zeros(K, dtype=X.dtype), np.zeros(K, dtype=X.dtype)
        lloyd_iter_chunked_sparse(X, w, centre, new, weight, np.full(n, -1, dtype=np.int32), shift, threads)
        return new

    codes = at.nearest(X)
    exact = np.stack([np.asarray(X[codes == k].mean(axis=0, dtype=np.float64)).ravel() for k in range(K)])
    return race(
        f"One step of k-means, {_shape(X)}, {K} clusters, {X.dtype}", "scikit-learn KMeans (Lloyd)", ours, theirs,
        lambda found: float(np.abs(found - exact).max()), target=target, repeat=3,
    )  # fmt: skip


def whole(name: str, X: Any, K: int, target: float, **options: Any) -> Row:
    """Fits from several random starts."""

    def fits(of: Any) -> Callable[[], Any]:
        return lambda: [getattr(of, name)(K, random_state=seed, **options).fit(X) for seed in range(SEEDS)]

    ours, theirs = fits(parzen), fits(sklearn.cluster)
    least = min(model.inertia_ for model in (*ours(), *theirs()))
    told = "".join(f", {key}={value}" for key, value in options.items())
    return race(
        f"{name}({K}{told}).fit, {_shape(X)}, {SEEDS} seeds", f"scikit-learn {name}", ours, theirs,
        lambda models: float(np.mean([model.inertia_ for model in models]) / least - 1), target=target, repeat=3,
    )  # fmt: skip


def small(name: str, X: Any, K: int) -> Row:
    """Fits of a small table by the default settings."""
    ours, theirs = getattr(parzen, name)(K), getattr(sklearn.cluster, name)(K)

    def fits(model: Any) -> Callable[[], Any]:
        return lambda: [model.set_params(random_state=seed).fit(X).inertia_ for seed in range(10)]

    least = min(*fits(ours)(), *fits(theirs)())
    return race(
        f"{name}({K}).fit, {_shape(X)}, 10 seeds", f"scikit-learn {name}", fits(ours), fits(theirs),
        lambda found: float(np.mean(found) / least - 1), target=1, repeat=15,
    )  # fmt: skip


def _shape(X: Any) -> str:
    n, d = X.shape
    return f"{n:,} x {d:,}" if isinstance(X, np.ndarray) else f"CSR {n:,} x {d:,}, {X.nnz / 1e6:.1f} million stored"


def rows() -> Iterator[Row | Memory]:
    warnings.simplefilter("ignore")
    text, _ = words(100_000, 50_000, 20)
    yield step(text, 20, 1)
    yield step(text.astype(np.float32), 20, 1)
    yield whole("KMeans", text, 20, 1, max_iter=5)
    yield whole("MiniBatchKMeans", text, 20, 1, max_iter=1)
    dense = problem(200_000, 10, 10, 3)
    yield whole("KMeans", dense, 10, 1)
    yield whole("MiniBatchKMeans", dense, 10, 1)
    for table in (load_iris().data, load_breast_cancer().data):
        for name in ("KMeans", "MiniBatchKMeans"):
            yield small(name, table, 3)
    model = parzen.KMeans(20, max_iter=3, random_state=0)
    yield Memory(f"KMeans(20).fit, {_shape(text)}", peak_memory(lambda: model.fit(text)))
