"""The density of an outlier detector where none is given."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.estimators.base.validation import finite
from parzen.families.auto_columns import AutoColumns
from parzen.families.family import Family
from parzen.families.kernel import Kernel
from parzen.tables.cells import column_of, frame_kind, is_numeric
from parzen.tables.kinds import Column
from parzen.tables.schema import bare_schema


def default_family(X: Any, w: Array | None) -> Family:
    """A smooth kernel density of numbers without missing values; otherwise a density of its kind for each column.

    The exponential kernel has heavy tails, and the bandwidth of a column is its standard deviation: a wide one, since
    outliers are a matter of the tails and not of details.
    """
    if frame_kind(X) and all(Column(column_of(X, j)).kernel == "continuous" for j in range(X.shape[1])):
        X = bare_schema(X).encode(X)
    if not is_numeric(X):
        return AutoColumns()
    if not np.isfinite(X.sum()):
        finite(X)
        if np.isnan(X.sum()):
            return AutoColumns()
    rows = np.asarray(X, dtype=np.float64)
    off = rows - rows[0]
    unit = np.abs(off).max(axis=0)  # so that squares neither vanish nor overflow
    off /= np.where(unit > 0, unit, 1.0)
    spread = unit * np.sqrt(np.average((off - np.average(off, axis=0, weights=w)) ** 2, axis=0, weights=w))
    return Kernel(np.where(spread > 0, spread, 1.0), "exponential")
