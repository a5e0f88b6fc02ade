"""Rows of a few columns that are read batch by batch, as rules of bandwidths and bins see them: in two passes.

Rows that are few are kept whole, and a rule sees what it sees of a table. Of more, the first pass knows their number,
ends and covariance; the second the weight and the mean of the rows in a million equal bins of each column, which stand
for the rows: what a rule finds is off by about the square of a bin over the bandwidth.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from parzen.compute.arrays import Array, ColumnError
from parzen.compute.memberships import Memberships
from parzen.compute.moments import moments
from parzen.families.bins import edges_by
from parzen.families.sampling import observed
from parzen.smoothing import bandwidth as bandwidths
from parzen.smoothing.bandwidth.matrix import factor_of
from parzen.smoothing.bandwidth.points import Points
from parzen.smoothing.row_weights import counts_rows
from parzen.statistics.accumulate import accumulate
from parzen.statistics.messages import Collapse
from parzen.statistics.moments import Moments

Passes = Iterable[tuple[Any, Any]]

#: Rows up to which all are kept; bins of a column; and the least bins in a bandwidth.
FEW, BINS, FINE = 2**16, 2**20, 16
#: Rules of several columns that need no pairs.
OF_MOMENTS = ("scott", "silverman")


@dataclass(frozen=True)
class Ends:
    """What the first pass knows of the rows.

    Attributes
    ----------
    moments : with the whole scatter
    low, high : arrays of shape (d,)
    count : int
    whole : whether all weights are whole numbers
    kept : the rows and their weights, while they are few
    """

    moments: Moments
    low: Array
    high: Array
    count: int
    whole: bool
    kept: tuple[tuple[Array, Array | None], ...] | None

    def __add__(self, other: "Ends") -> "Ends":
        count = self.count + other.count
        few = self.kept is not None and other.kept is not None and count <= FEW
        return Ends(
            self.moments + other.moments,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            count,
            self.whole and other.whole,
            (*self.kept, *other.kept) if few and self.kept is not None and other.kept is not None else None,
        )

    def rows(self) -> tuple[Array, Array | None] | None:
        """All rows and their weights, where they are few; else None."""
        if self.kept is None:
            return None
        parts = [w for _, w in self.kept]
        w = None if all(one is None for one in parts) else _filled(self.kept)
        return np.concatenate([X for X, _ in self.kept]), w


def _filled(parts: tuple[tuple[Array, Array | None], ...]) -> Array:
    return np.concatenate([np.ones(len(X)) if w is None else w for X, w in parts])


@dataclass(frozen=True)
class EndsOfRows:
    """What observes `Ends`."""

    keeps_rows: ClassVar[bool] = False

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Any:
        points, w = _complete(X, R)
        few = ((np.array(points, dtype=np.float64), w),) if len(points) <= FEW else None
        empty = np.full(points.shape[1], np.inf)
        low, high = (points.min(axis=0), points.max(axis=0)) if len(points) else (empty, -empty)
        return Ends(Moments(*moments(points, w)), low, high, len(points), counts_rows(w), few)


@dataclass(frozen=True)
class Binned:
    """Weights and sums of the rows in the bins of each column, (d, BINS)."""

    weight: Array
    total: Array

    def __add__(self, other: "Binned") -> "Binned":
        return Binned(self.weight + other.weight, self.total + other.total)


@dataclass(frozen=True, eq=False)
class BinsOfRows:
    """What observes `Binned` between the ends of columns."""

    low: Array
    high: Array

    keeps_rows: ClassVar[bool] = False

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Any:
        points, w = _complete(X, R)
        d = points.shape[1]
        weight, total = np.zeros((d, BINS)), np.zeros((d, BINS))
        inverse = BINS / np.where(self.high > self.low, self.high - self.low, 1.0)
        for j in range(d):
            off = points[:, j] - self.low[j]
            place = np.minimum((off * inverse[j]).astype(np.int64), BINS - 1)
            weight[j] = np.bincount(place, w, BINS)
            total[j] = np.bincount(place, off if w is None else off * w, BINS)
        return Binned(weight, total)


def _complete(X: Any, R: Memberships) -> tuple[Array, Array | None]:
    sample = observed(np.asarray(X, dtype=np.float64), R, "a rule")
    return (sample.batches[0][0], sample.batches[0][2]) if sample.batches else (np.empty((0, X.shape[1])), None)


def _ends(batches: Passes) -> Ends:
    found: Ends = accumulate(EndsOfRows(), batches)
    if not found.count:
        raise Collapse("a rule needs at least one row with weight; none came.")
    return found


def _columns(batches: Passes, known: Ends) -> list[Points]:
    """Each column as means of bins and their weights, the ends exact."""
    if not known.whole:
        raise TypeError(
            "rules over a source take rows, or weights that count them; these are fractions. Give a number."
        )
    found = accumulate(BinsOfRows(known.low, known.high), batches)
    columns = []
    for j, (weight, total) in enumerate(zip(found.weight, found.total, strict=True)):
        used = np.flatnonzero(weight)
        x = known.low[j] + total[used] / weight[used]
        x[0], x[-1] = known.low[j], known.high[j]
        if len(x) < 2:
            raise ColumnError("column {column} is constant, so nothing follows from it; leave it out.", j)
        columns.append(Points(x[:, None], weight[used]))
    return columns


@dataclass(frozen=True, eq=False)
class SummedPoints(Points):
    """Several columns, of which the covariance is known and each column apart."""

    columns: tuple[Points, ...] = ()

    def column(self, j: int) -> Points:
        return self.columns[j]


def chosen_factor(rule: str, batches: Passes, d: int, covariance: str | None) -> Array:
    """Lower triangular factor of the bandwidth matrix that a rule chooses: see `parzen.bandwidth.choose`."""
    known = _ends(batches)
    rows = known.rows()
    if rows is not None:
        return bandwidths.choose(rule, *rows, covariance)
    if d > 1 and rule not in OF_MOMENTS:
        raise TypeError(
            f"the rule {rule!r} of {d} columns sums over pairs of rows, which a source has too many of; take 'scott', "
            "'silverman', a number, or a table in memory."
        )
    columns = _columns(batches, known)
    if d == 1:
        factor = bandwidths.choose(rule, columns[0].X, columns[0].weights)
        if factor[0, 0] * BINS < FINE * (known.high[0] - known.low[0]):
            raise ValueError(
                f"the rows reach over {(known.high[0] - known.low[0]) / factor[0, 0]:.2g} bandwidths, more than a rule "
                "can tell apart in two passes over a source; leave out far rows, or give bandwidth a number."
            )
        return factor
    points = SummedPoints(np.empty((0, d)), columns=tuple(columns))
    weight = float(known.moments.weight.max())
    vars(points).update(n=weight, covariance=known.moments.scatter[0] / (weight - 1.0))
    H = bandwidths.RULES[rule](points, covariance=covariance)
    return factor_of(H)


def chosen_edges(rules: list[Any], batches: Passes) -> tuple[tuple[Array, ...], int]:
    """Edges of each column's bins by its rule, and how many rows there are."""
    known = _ends(batches)
    rows, d = known.rows(), len(rules)
    if rows is not None:
        X, w = rows
        own = (one if isinstance(one, np.ndarray) else edges_by(one, X[:, j], w, d, j) for j, one in enumerate(rules))
        return tuple(own), known.count
    if all(isinstance(one, np.ndarray | int | tuple) for one in rules):
        ends = np.stack([known.low, known.high])
        own = (
            one if isinstance(one, np.ndarray) else edges_by(one, ends[:, j], None, d, j) for j, one in enumerate(rules)
        )
        return tuple(own), known.count
    columns = _columns(batches, known)
    edges = []
    for j, (one, column) in enumerate(zip(rules, columns, strict=True)):
        edges.append(one if isinstance(one, np.ndarray) else edges_by(one, column.X[:, 0], column.weights, d, j))
    return tuple(edges), known.count
