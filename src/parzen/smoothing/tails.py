"""Cells of a grid that matter at queries in the tails, where sums are too small for the bound of an expansion."""

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array

#: Most pairs of queries and cells that are looked at to find the points that matter in the tails.
MOST_NEAR = 20_000_000


def line_near(mass: Array, u: Array, width: float, extra: float) -> NDArray[np.uint8]:
    """Flags of the cells of one column that hold points which matter at queries.

    Parameters
    ----------
    mass : weight in each cell
    u : queries, in cells from the first cell's lower edge
    width : of a cell, in bandwidths
    extra : squared distance, in bandwidths, by which points farther than the nearest still matter
    """
    occupied = np.flatnonzero(mass > 0)
    after = np.searchsorted(occupied, u)
    ends = (occupied[np.clip(after + step, 0, len(occupied) - 1)] for step in (-1, 0))
    nearest = np.minimum(*(np.abs(u - (end + 0.5)) + 0.5 for end in ends))
    reach = np.sqrt((width * nearest) ** 2 + extra) / width
    marks = np.zeros(len(mass) + 1, dtype=np.int64)
    np.add.at(marks, np.clip(u - reach, 0, len(marks) - 1).astype(np.int64), 1)
    np.add.at(marks, np.clip(u + reach + 1, 0, len(marks) - 1).astype(np.int64), -1)
    return (np.cumsum(marks[:-1]) > 0).astype(np.uint8)


def plane_near(mass: Array, u: Array, width: float, extra: float) -> NDArray[np.uint8] | None:
    """The same for a grid over two columns; None where there are too many pairs of queries and cells."""
    occupied = np.argwhere(mass > 0)
    if len(u) * len(occupied) > MOST_NEAR:
        return None
    nearest, farthest = (np.zeros((len(u), len(occupied))) for _ in range(2))
    for j in range(2):
        off = np.abs(u[:, j, None] - (occupied[:, j] + 0.5))
        nearest += (width * np.maximum(off - 0.5, 0.0)) ** 2
        farthest += (width * (off + 0.5)) ** 2
    reach = farthest.min(axis=1) + extra
    chosen = (nearest <= reach[:, None]).any(axis=0)
    flags = np.zeros(mass.shape, dtype=np.uint8)
    flags[tuple(occupied[chosen].T)] = 1
    return flags.ravel()
