"""Query points of local averages: numbers, categories, and a row that is left out."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array


@dataclass(frozen=True, eq=False)
class Queries:
    """Query points of local averages.

    Attributes
    ----------
    Q : array of shape (m, d)
    codes : array of shape (m, e), optional
        Categories.
    own, left : arrays of shape (m,), optional
        A row of each query whose weight is `left` instead of its own: leave-one-out.
    """

    Q: Array
    codes: NDArray[np.int64] | None = None
    own: NDArray[np.int64] | None = None
    left: Array | None = None

    def take(self, rows: Any) -> "Queries":
        """Some of the queries."""
        codes, own, left = (None if part is None else part[rows] for part in (self.codes, self.own, self.left))
        return Queries(self.Q[rows], codes, own, left)
