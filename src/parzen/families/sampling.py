"""Rows that are kept as a statistic, and rows that are drawn."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import ColumnError
from parzen.compute.memberships import Labels, Memberships, group_count
from parzen.compute.order import copy_rows
from parzen.statistics.sample import Sample


@lru_cache(maxsize=64)
def drawn(n: int, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """At most so many of n rows, drawn at random (all of them where they are no more), and a random order of these.

    They depend on both numbers alone: columns without missing cells are compared on the same rows.
    """
    rng = np.random.default_rng(0)
    rows = rng.choice(n, most, replace=False) if n > most else np.arange(n)
    order = rng.permutation(len(rows))
    for part in (rows, order):
        part.setflags(write=False)
    return rows, order


def observed(rows: Any, R: Memberships, what: str, incomplete: str = "error") -> Sample:
    """The sample of a block of rows.

    A missing cell of the only column is no row; of several columns it is an error, or no row either where `incomplete`
    is "drop".
    """
    points, codes, weights, *ends = _members(rows, R)
    if np.isfinite(ends).all():
        return Sample(((points, codes, weights),) if len(points) else (), group_count(R), rows.shape[1], tuple(ends))
    if not np.isnan(points).any():
        column = int(np.flatnonzero(np.isinf(points).any(axis=0))[0])
        raise ColumnError(f"column {{column}} holds an infinity (inf), and {what} needs numbers; leave it out.", column)
    missing = np.isnan(points)
    if rows.shape[1] > 1 and incomplete != "drop":
        raise ColumnError(
            f"column {{column}} has missing cells (NaN), and {what} of several columns needs complete rows; leave "
            "those rows out, fill them, or give each column a density of its own: Product({...}).",
            int(np.flatnonzero(missing.any(axis=0))[0]),
        )
    kept = ~missing.any(axis=1)
    points, codes, weights = points[kept], *(None if part is None else part[kept] for part in (codes, weights))
    if np.isinf(points).any():
        column = int(np.flatnonzero(np.isinf(points).any(axis=0))[0])
        raise ColumnError(f"column {{column}} holds an infinity (inf), and {what} needs numbers; leave it out.", column)
    return Sample(((points, codes, weights),) if len(points) else (), group_count(R), rows.shape[1])


def _members(rows: Any, R: Memberships) -> Any:
    """Rows, once for every group in which they have weight, with the group and the weight (None: 0, and 1).

    And the ends of the columns.
    """
    codes, weights = None, None
    if isinstance(R, Labels):
        keep = R.codes >= 0 if R.weights is None else (R.codes >= 0) & (R.weights != 0)
        weights = None if R.weights is None else np.array(R.weights[keep])
        rows, codes = rows[keep], np.array(R.codes[keep])
    elif R is not None and R.ndim == 1:
        rows, weights = rows[R != 0], np.array(R[R != 0])
    elif R is not None:
        i, k = np.nonzero(R)
        rows, codes, weights = rows[i], k.astype(np.int32), np.array(R[i, k])
    points, *ends = copy_rows(rows)
    return points, codes, weights, *ends
