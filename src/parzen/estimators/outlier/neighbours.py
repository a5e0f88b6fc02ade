"""Nearest neighbours, with distances that keep their digits far from the origin."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from parzen.compute.arrays import Array


def neighbour_index(rows: Array, k: int, n_jobs: int | None) -> NearestNeighbors:
    """An index for the k nearest of some rows."""
    # In many columns scikit-learn compares |x|^2 - 2 x'y + |y|^2, which cancels far from the origin.
    algorithm = "auto" if _squares_suffice(rows) else "kd_tree"
    return NearestNeighbors(n_neighbors=k, algorithm=algorithm, n_jobs=n_jobs).fit(rows)


def nearest_rows(index: Any, rows: Array, queries: Array | None = None) -> tuple[Array, NDArray[np.int64]]:
    """Distances, (m, k), in rising order, and positions of the nearest rows; of each row itself without queries.

    Distances are computed anew from differences, which lose no digits.
    """
    own = rows if queries is None else queries
    nearest = index.kneighbors(queries, return_distance=False)
    distance = np.empty(nearest.shape)
    for k in range(nearest.shape[1]):
        distance[:, k] = np.sqrt(((own - rows[nearest[:, k]]) ** 2).sum(axis=1))
    order = np.argsort(distance, axis=1, kind="stable")
    return np.take_along_axis(distance, order, axis=1), np.take_along_axis(nearest, order, axis=1)


def _squares_suffice(rows: Array) -> bool:
    """Whether squared coordinates are small enough beside squared distances: those of a sample are."""
    some = rows[:: max(1, len(rows) // 200)]
    apart = ((some[:, None] - some) ** 2).sum(axis=2)
    apart[apart == 0] = np.inf
    return bool((some**2).sum(axis=1).max() < 1e8 * np.median(apart.min(axis=1)))
