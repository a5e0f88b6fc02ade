"""Which of the rows that kernel densities were fitted to each row is, for leave-one-out densities."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, as_floats
from parzen.densities.support import Support
from parzen.densities.windows import Windows


def training_rows(
    parts: Sequence[tuple[Windows, ...]], supports: Sequence[Support | None], blocks: Sequence[Any]
) -> NDArray[np.int64]:
    """Index of the training row that each row equals, for each of K densities, (n, K); -1 where it equals none.

    Parameters
    ----------
    parts : windows of the K densities of each block of columns
        All were fitted to the same rows; where they kept different rows, none is found.
    supports : the support of each block
    blocks : the columns of each block, (n, columns)
    """
    rows = [np.asarray(as_floats(X, part[0].width), dtype=np.float64) for part, X in zip(parts, blocks, strict=True)]
    rows = [X if support is None else support.fold(X) for support, X in zip(supports, rows, strict=True)]
    out = np.full((len(rows[0]), len(parts[0])), -1, dtype=np.int64)
    for k in range(len(parts[0])):
        points = [part[k].points for part in parts]
        if len({len(one) for one in points}) > 1:
            continue
        known, asked = _as_keys(np.column_stack(points)), _as_keys(np.column_stack(rows))
        order = np.argsort(known, kind="stable")
        known = known[order]
        at = np.minimum(np.searchsorted(known, asked), len(known) - 1)
        out[:, k] = np.where(known[at] == asked, order[at], -1)
    return out


def _as_keys(X: Array) -> NDArray[Any]:
    """Rows as single keys that compare bit by bit."""
    rows = np.ascontiguousarray(X + 0.0)  # -0.0 is 0.0
    return rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1])))[:, 0]
