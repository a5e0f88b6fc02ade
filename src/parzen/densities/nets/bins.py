"""Bins of a column of numbers, so that a net can treat it as categories."""

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array

#: Rows of a class for each cell of two columns, where the number of bins is chosen; the fewest and the most bins.
ROWS_OF_CELL, FEWEST, MOST = 15, 3, 10


def affordable(rows: float, classes: int) -> int:
    """So many bins that a table of two columns has enough rows of a class in each of its cells.

    The constants were chosen by the log loss of held-out rows of six tables with 150 to 6,000 rows.

    Examples
    --------
    >>> [affordable(rows, 2) for rows in (100, 1000, 10_000)]
    [3, 5, 10]
    """
    return int(np.clip(np.sqrt(rows / (classes * ROWS_OF_CELL)), FEWEST, MOST))


@dataclass(frozen=True)
class Bins:
    """Bins of a column of numbers: values up to the first cut, above it and up to the second, and so on.

    Attributes
    ----------
    cuts : array of shape (b - 1,), ascending
    typical : array of shape (b,)
        Median of the values that were seen in each bin, by their weights.
    limits : array of shape (2,)
        Least and greatest value that was seen.

    Examples
    --------
    >>> import numpy as np
    >>> bins = Bins.of(np.array([0.0, 0.0, 0.0, 0.0, 3.0, 9.0]), 3)
    >>> bins.names(), bins.codes(np.array([0.0, 5.0, 20.0]))
    (['up to 0', '0 to 3', 'above 3'], array([0, 2, 2]))
    """

    cuts: Array
    typical: Array
    limits: Array

    @classmethod
    def of(cls, values: Array, count: int, weights: Array | None = None) -> "Bins":
        """So many bins of about equal weight; a value that fills a bin alone has its own, the rest share the others."""
        seen, w = _seen(values, weights)
        if not len(seen):
            raise ValueError("no value is known, and bins are learnt from values.")
        different, which = np.unique(seen, return_inverse=True)
        weight = np.bincount(which, w)
        full = weight * count >= weight.sum()
        heavy = np.flatnonzero(full)
        own = np.concatenate([different[heavy], different[heavy[heavy > 0] - 1]])
        rest, below = different[~full], np.cumsum(weight[~full])
        shared = max(count - len(heavy), 1) if len(rest) else 1
        ends = np.arange(1, shared) / shared * (below[-1] if len(rest) else 0.0)
        return cls.at(values, [*own, *rest[np.searchsorted(below, ends)]], weights)

    @classmethod
    def at(cls, values: Array, cuts: ArrayLike, weights: Array | None = None) -> "Bins":
        """Bins with given cuts."""
        seen, w = _seen(values, weights)
        cuts = np.unique(np.asarray(cuts, dtype=np.float64))
        if not np.isfinite(cuts).all():
            raise ValueError(f"cuts must be finite numbers, got {cuts.tolist()}.")
        cuts = cuts[cuts < seen.max(initial=-np.inf)] if len(seen) else cuts
        edges = [*cuts, seen.max(initial=cuts.max(initial=0.0))]
        which = np.searchsorted(cuts, seen, side="left")
        inside = [which == b for b in range(len(edges))]
        typical = [_median(seen[own], w[own]) if own.any() else edges[b] for b, own in enumerate(inside)]
        limits = [seen.min(initial=edges[0]), edges[-1]]
        return cls(cuts, np.array(typical, dtype=np.float64), np.array(limits, dtype=np.float64))

    def codes(self, values: Array) -> NDArray[np.int64]:
        """The bin of each value; of NaN the last."""
        if np.isinf(values).any():
            raise ValueError("a number that is cut into bins must be finite, got infinity.")
        return np.searchsorted(self.cuts, values, side="left")

    def names(self) -> list[str]:
        """What the bins are called."""
        shown = [f"{cut:.6g}" for cut in self.cuts]
        if not shown:
            return ["any"]
        between = [f"{low} to {high}" for low, high in itertools.pairwise(shown)]
        return [f"up to {shown[0]}", *between, f"above {shown[-1]}"]

    def draw(self, codes: NDArray[np.integer], rng: np.random.Generator) -> Array:
        """A value in each of some bins, uniform between its cuts."""
        edges = np.concatenate([self.limits[:1], self.cuts, self.limits[1:]])
        low, high = np.minimum(edges[codes], edges[codes + 1]), edges[codes + 1]
        return np.asarray(high - rng.random(len(codes)) * (high - low))


def _seen(values: Array, weights: Array | None) -> tuple[Array, Array]:
    """Values that are known and have a weight, and their weights."""
    w = np.ones(len(values)) if weights is None else weights
    own = np.isfinite(values) & (w > 0)
    return values[own], w[own]


def _median(values: Array, weights: Array) -> float:
    """Where half of the weight is reached; between two values, where it is reached exactly, their mean."""
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    at = [min(int(np.searchsorted(below, 0.5 * below[-1], side=side)), len(values) - 1) for side in ("left", "right")]
    return float(values[order[at]].mean())
