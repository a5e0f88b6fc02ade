"""Where EM begins: partitions of a sample of the rows."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, is_sparse
from parzen.compute.memberships import Labels
from parzen.compute.partitions import kmeans_partition, merged_partition
from parzen.families.kmeans import SEEDS, CentroidDensity
from parzen.families.seeding import distinct_rows, filled_in, plus_plus, sampled
from parzen.statistics.batches import Batches
from parzen.tables.kinds import few_levels

#: Most starts that are tried by default, and steps after which k-means nearly always has come to rest.
MANY, ALL_STEPS = 12, 100

INITS = ("auto", "kmeans", "k-means++", "random", "random_from_data")


def labels_to_try(
    X: Any, w: Array | None, C: int, init: str, starts: int, rng: np.random.Generator, counts: bool = True
) -> tuple[Any, Array | None, Iterable[NDArray[np.int32]]]:
    """A sample of the rows, their weights, and partitions of it into C parts.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d), n > 0
    w : weights of the rows, or None
    init : how partitions are made: see `Mixture`
    starts : how many times more than by default
    counts : whether a sparse row is one of counts, of which the shares matter
    """
    rows, own = sampled(X, w, max(2048, C * max(256, 16 * X.shape[1])), rng)
    points = _scattered(rows, rng, counts) if is_sparse(rows) else filled_in(rows, own)
    n = len(points)
    if C == 1:
        return rows, own, [np.zeros(n, dtype=np.int32)]
    if n <= C:
        return rows, own, [np.arange(n, dtype=np.int32)]
    if init == "random":
        return rows, own, [rng.integers(C, size=n).astype(np.int32) for _ in range(starts)]
    if init != "auto":
        return rows, own, [_partition(points, own, C, init, rng) for _ in range(starts)]
    return rows, own, _auto(points, own, C, MANY // 4 * starts, rng, is_sparse(rows))


def _auto(
    points: Array, w: Array | None, C: int, rounds: int, rng: np.random.Generator, mapped: bool
) -> Iterator[NDArray[np.int32]]:
    """Partitions by k-means and by merging small clusters: in units of deviations, of axes, in the data's own."""
    even, white = _standardised(points, w), cache(lambda: _whitened(even, w))
    for _ in range(rounds):
        yield _partition(even, w, C, "kmeans", rng)
        yield from _merged(even, w, C, rng)
        if not mapped:
            yield _partition(points, w, C, "kmeans", rng)
        axes = white()
        if axes is not None:
            yield _partition(axes, w, C, "kmeans", rng)
            yield from _merged(axes, w, C, rng)


def _partition(points: Array, w: Array | None, C: int, init: str, rng: np.random.Generator) -> NDArray[np.int32]:
    n = len(points)
    if init == "random_from_data":
        return CentroidDensity(points[distinct_rows(n, w, C, rng)]).nearest(points)
    trials = 2 + int(np.log(C))
    if init == "k-means++":
        return kmeans_partition(points, w, C, rng.random((1, 1 + (C - 1) * trials)), 0)
    most = 1024 + 32 * C
    some = np.sort(rng.choice(n, size=most, replace=False)) if n > most else None
    seeds, steps = (1, ALL_STEPS) if C < 5 else (SEEDS, 8)  # of many clusters seeds often miss one
    return kmeans_partition(points, w, C, rng.random((seeds, 1 + (C - 1) * trials)), steps, some)


def _merged(points: Array, w: Array | None, C: int, rng: np.random.Generator) -> Iterator[NDArray[np.int32]]:
    """A partition by merging many small clusters; none where there are too few rows."""
    n, d = points.shape
    M = min(max(4 * C, 30), n // (d + 2), max(2 * C + 2, int(np.sqrt(3e6 / d**3))))  # M^2 covariances are factorised
    if C >= M:
        return
    if w is not None:  # in rows, whatever their unit; more of them than that, and the few of an average one round away
        w = w / w.max() * (min(rows_worth(points, w), 1e15) / (w / w.max()).sum())
    yield merged_partition(points, w, np.sort(distinct_rows(n, w, M, rng)), C, 6)


def alike(one: NDArray[np.int32], other: NDArray[np.int32], C: int) -> bool:
    """Whether two partitions are the same but for the names of their parts, and for one row in a hundred."""
    table = np.bincount(one * C + other, minlength=C * C).reshape(C, C)
    return bool(table.max(axis=1).sum() >= 0.99 * len(one)) and len(set(table.argmax(axis=1).tolist())) == C


def _standardised(points: Array, w: Array | None) -> Array:
    """Columns in units of their deviations; columns of a few whole numbers as indicators of each."""
    share = _shares(points, w)
    centred = points - share @ points
    spread = np.sqrt(share @ centred**2)
    even = centred / np.where(spread > 0, spread, 1.0)
    some = points[:: len(points) // 100 + 1]
    levels = {int(j): few_levels(points[:, j]) for j in np.flatnonzero((some == np.floor(some)).all(axis=0))}
    if all(found is None for found in levels.values()):
        return np.ascontiguousarray(even)
    parts = [
        even[:, j : j + 1] if levels.get(j) is None else (points[:, j : j + 1] == levels[j]).astype(np.float64)
        for j in range(points.shape[1])
    ]
    return np.ascontiguousarray(np.concatenate(parts, axis=1))


def _whitened(points: Array, w: Array | None) -> Array | None:
    """Principal axes in units of their deviations; None where there is one."""
    share = _shares(points, w)
    centred = points - share @ points
    values, vectors = np.linalg.eigh((share[:, None] * centred).T @ centred)
    kept = values > 1e-10 * max(values[-1], 0.0)
    if kept.sum() < 2:
        return None
    return np.ascontiguousarray(centred @ (vectors[:, kept] / np.sqrt(values[kept])))


def _shares(points: Array, w: Array | None) -> Array:
    """The share of each row in the weight of all; of the heaviest first, so that no sum overflows."""
    heavy = np.ones(len(points)) if w is None else w / w.max()
    return heavy / heavy.sum()


def _scattered(rows: Any, rng: np.random.Generator, counts: bool = True) -> Array:
    """Sparse rows (of counts: their shares), in a few random directions."""
    if counts:
        total = np.asarray(rows.sum(axis=1), dtype=np.float64).ravel()
        rows = rows.multiply(1.0 / np.where(total == 0, 1.0, total)[:, None]).tocsr()
    width = min(rows.shape[1], 50)
    return np.asarray(rows @ rng.standard_normal((rows.shape[1], width)), dtype=np.float64)


def completed_labels(X: Any, R: Labels, rng: np.random.Generator) -> NDArray[np.int32]:
    """Labels of all rows, where some are known: the nearest of the known parts' means, and of others far from them."""
    points = _standardised(_scattered(X, rng) if is_sparse(X) else filled_in(X, R.weights), R.weights)
    known = np.unique(R.codes[R.codes >= 0])
    own = [points[R.codes == k].mean(axis=0) for k in known]
    some, w = sampled(points, R.weights, max(4096, 256 * R.groups), rng)
    centre = plus_plus(some, w, R.groups, rng, np.array(own) if len(own) else None)
    order = np.concatenate([known, np.setdiff1d(np.arange(R.groups), known)]).astype(np.int32)
    found = order[CentroidDensity(centre).nearest(points)]
    return np.where(R.codes >= 0, R.codes, found).astype(np.int32)


def starts_worth(work: int, sampled: int, n: int) -> int:
    """How many starts are worth trying: many where they cost next to nothing, else no more than EM on all rows does."""
    if work < 200_000:
        return MANY if work < 60_000 else MANY // 2
    return int(np.clip(4 * n // sampled, MANY // 2, MANY))


def rows_worth(rows: Any, w: Array | None) -> float:
    """How many rows weights stand for: their sum if they are counts, else as many as there are."""
    if isinstance(rows, Batches):
        return rows.worth
    return float(rows.shape[0] if w is None or not (w >= 1).all() else w.sum())
