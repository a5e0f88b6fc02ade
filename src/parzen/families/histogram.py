"""Histograms: how many rows fall between edges, and how the edges are chosen."""

from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import special

from parzen.compute.arrays import Array, ColumnError, as_floats
from parzen.compute.checks import choose
from parzen.compute.memberships import Memberships
from parzen.conjugate import Dirichlet
from parzen.densities.histogram import BinDensity, bin_of
from parzen.families.checks import ESTIMATES, check_prior
from parzen.families.family import Family
from parzen.families.kernel import observed
from parzen.smoothing.bandwidth.points import Points
from parzen.statistics.counts import Counts
from parzen.statistics.messages import Collapse, warn_floor
from parzen.statistics.sample import Sample
from parzen.tables.table import Table

RULES = ("fd", "scott", "sturges", "knuth", "equal")
#: Most boxes of a histogram: beyond, it says nothing and costs much.
MOST_BOXES = 2**24


@dataclass(eq=False, repr=False)
class Histogram(Family):
    r"""Histogram of a few columns: :math:`f(x) = p_b / v_b`, b the box of x, v its volume.

    Its statistic is `Counts` where the edges are given (shards then add in memory that doesn't grow), and `Sample`
    where they are chosen from all rows.

    Parameters
    ----------
    bins : int, str, list of edges, or one of these for each column
        A number of equal bins; edges; or a rule: "fd" (Freedman and Diaconis), "scott", "sturges", "knuth" (the number
        of bins of greatest posterior probability), "equal" (bins of equal counts, 2 n^(2/5) of them).
    width : float, or one for each column
        Width of bins that begin at multiples of it, instead of `bins`.
    estimate : "bayes", "map" or "ml"
        The posterior mean, the posterior's mode, or the share of rows, by which an empty bin has probability zero.
    prior : Dirichlet, optional
        With one number, of each box. By default the prior of all boxes together weighs as much as one row; with "map"
        it is one more for each box, which has the same effect.

    Notes
    -----
    Beyond the outer edges the density is zero, with any prior.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import Histogram, fit
    >>> X = np.array([[0.1], [0.2], [0.9], [2.5]])
    >>> density = fit(Histogram(bins=[0, 1, 2, 3], estimate="ml"), X).density
    >>> np.exp(density.log_density(np.array([[0.5], [1.5], [2.5]])))
    array([[0.75],
           [0.  ],
           [0.25]])
    """

    bins: Any = "fd"
    width: Any = None
    estimate: str = "bayes"
    prior: Dirichlet | None = None

    keeps_rows: ClassVar[bool] = True

    @property
    def takes_missing(self) -> bool:  # type: ignore[override]
        """Not in several columns; of one column alone, a missing cell is no row."""
        return False

    def bind(self, table: Table) -> Self:
        d = len(table.names())
        bound = self
        if isinstance(self.bins, dict):
            places = {table.positions(column)[0]: value for column, value in self.bins.items()}
            bound = replace(self, bins=[places.get(j, "fd") for j in range(d)])
        edges = bound._known_edges(d)
        return bound if edges is None else replace(bound, bins=list(edges))

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Counts | Sample:
        choose("estimate", self.estimate, ESTIMATES)
        rows = as_floats(X)
        d = rows.shape[1]
        edges = self._known_edges(d)
        sample = observed(rows, R, "a histogram")
        return sample if edges is None else Counts(self._counted(sample, edges), (_boxes(edges),))

    def maximise(self, statistic: Counts | Sample) -> BinDensity:
        if isinstance(statistic, Sample):
            edges = self._chosen_edges(statistic)
            counts = self._counted(statistic, edges)
        else:
            edges, counts = self._known_edges_of(statistic), statistic.counts
        if not counts.any():
            raise Collapse("a histogram needs at least one row with weight; none came.")
        counts = np.where(counts.any(axis=1, keepdims=True), counts, counts.sum(axis=0))
        return BinDensity(edges, self._log_mass(counts).reshape(-1, *(len(part) - 1 for part in edges)))

    def _log_mass(self, counts: Array) -> Array:
        if self.estimate == "ml":
            with np.errstate(divide="ignore"):
                return np.log(counts) - np.log(counts.sum(axis=1, keepdims=True))
        check_prior(self.prior, Dirichlet, "Histogram", counts.shape)
        prior = self.prior or Dirichlet(1.0 / counts.shape[1] + (self.estimate == "map"))
        raised = counts + np.broadcast_to(prior.concentration, counts.shape) - (self.estimate == "map")
        if (raised < 0).any() or not (raised.sum(axis=1) > 0).all():
            raise Collapse("the prior of Histogram has no mode inside; use estimate='bayes', or numbers of at least 1.")
        with np.errstate(divide="ignore"):
            return np.log(raised) - np.log(raised.sum(axis=1, keepdims=True))

    @staticmethod
    def _counted(sample: Sample, edges: tuple[Array, ...]) -> Array:
        """Weight in each box, of each group."""
        return np.stack([_tally(*sample.of_group(k), edges) for k in range(sample.groups)])

    # Edges ----------------------------------------------------------------------------------------------------------

    def _each(self, d: int) -> list[Any]:
        """Bins of each column: edges, a number, or a rule."""
        if self.width is not None:
            try:
                widths = np.broadcast_to(np.asarray(self.width, dtype=np.float64), d)
            except (TypeError, ValueError):
                widths = np.full(d, np.nan)
            if not (np.isfinite(widths).all() and (widths > 0).all()):
                raise ValueError(f"width must be finite and above 0, one or {d} numbers, got {self.width!r}.")
            return [("width", float(width)) for width in widths]
        given = self.bins
        if isinstance(given, str | Integral) or (isinstance(given, list | tuple | np.ndarray) and _are_edges(given, d)):
            return [_read(given)] * d
        if not isinstance(given, list | tuple | np.ndarray) or len(given) != d:
            raise ValueError(
                f"bins must be a number, edges, one of {', '.join(map(repr, RULES))}, or one of these for each of {d} "
                f"columns, got {given!r}."
            )
        return [_read(one) for one in given]

    def _known_edges(self, d: int) -> tuple[Array, ...] | None:
        each = self._each(d)
        return tuple(each) if all(isinstance(one, np.ndarray) for one in each) else None

    def _known_edges_of(self, statistic: Counts) -> tuple[Array, ...]:
        for d in range(1, 65):
            try:
                edges = self._known_edges(d)
            except ValueError:
                continue
            if edges is not None and _boxes(edges) == statistic.sizes[0]:
                return edges
        raise ValueError("these counts were taken over other bins; observe the rows again.")

    def _chosen_edges(self, sample: Sample) -> tuple[Array, ...]:
        points, w = sample.pooled().of_group(0)
        if not len(points):
            raise Collapse("a histogram needs at least one row with weight; none came.")
        d = sample.width
        edges = tuple(
            one if isinstance(one, np.ndarray) else _edges(one, points[:, j], w, d, j)
            for j, one in enumerate(self._each(d))
        )
        boxes = _boxes(edges)
        for j, part in enumerate(edges):
            if not (np.diff(part) > 0).all():
                raise ColumnError("bins of column {column} are narrower than its digits; ask for wider ones.", j)
        if boxes > max(1000, 10 * len(points)) and boxes <= MOST_BOXES:
            warn_floor(
                f"there are {boxes:,} boxes for {len(points):,} rows, so that most are empty: far rows, or many "
                "columns. Use bins='knuth' or 'equal', fewer bins, or leave out what is far away."
            )
        if boxes > MOST_BOXES:
            raise ValueError(
                f"there would be {boxes:,} boxes; ask for fewer bins or columns, or use Kernel, or Product of "
                "histograms."
            )
        return edges


def _tally(points: Array, weights: Array | None, edges: tuple[Array, ...]) -> Array:
    box = np.zeros(len(points), dtype=np.int64)
    for j, part in enumerate(edges):
        place = bin_of(points[:, j], part)
        if (place < 0).any():
            value = points[place < 0, j][0]
            raise ColumnError(
                f"bins of column {{column}} reach from {part[0]:g} to {part[-1]:g}, but it holds {value:g}; widen the "
                "edges, or leave out such rows.",
                j,
            )
        box = box * (len(part) - 1) + place
    return np.bincount(box, weights=weights, minlength=_boxes(edges)).astype(np.float64)


def _boxes(edges: tuple[Array, ...]) -> int:
    return int(np.prod([len(part) - 1 for part in edges], dtype=object))


def _are_edges(given: Any, d: int) -> bool:
    """Whether a list holds edges, rather than bins for each of d columns, as d > 1 whole numbers are."""
    if any(not isinstance(one, Real) for one in given):
        return False
    return not (d > 1 and len(given) == d and all(isinstance(one, Integral) for one in given))


def _read(one: Any) -> Any:
    """Bins of a column as they are given, checked."""
    if isinstance(one, str):
        if one not in RULES:
            raise ValueError(f"bins must be a number, edges or one of {', '.join(map(repr, RULES))}, got {one!r}.")
        return one
    if isinstance(one, Integral) and not isinstance(one, bool):
        if one < 1:
            raise ValueError(f"bins must be at least 1, got {one}.")
        return int(one)
    edges = np.asarray(one, dtype=np.float64)
    if edges.ndim != 1 or len(edges) < 2 or not np.isfinite(edges).all() or not (np.diff(edges) > 0).all():
        raise ValueError(f"edges of bins must be at least two finite numbers that rise, got {one!r}.")
    return edges


def _edges(rule: Any, x: Array, w: Array | None, d: int, j: int) -> Array:
    """Edges of a column by a rule."""
    low, high = float(x.min()), float(x.max())
    if isinstance(rule, tuple):
        width = rule[1]
        first, last = np.floor(low / width), np.floor(high / width) + 1
        first -= first * width > low  # a quotient may round either way
        last += last * width < high
        return width * (first + np.arange(min(last - first, MOST_BOXES + 1) + 1))
    if not high > low:
        raise ColumnError(
            f"column {{column}} is constant (n_samples = {len(x)}), so no bins follow from it; leave it out, or give "
            "edges or a width.",
            j,
        )
    if isinstance(rule, int):
        return np.linspace(low, high, rule + 1)
    points = Points.of(x, w)
    n = points.n
    if rule == "equal":
        inner = points.quantiles(tuple(np.linspace(0.0, 1.0, max(1, round(2.0 * n**0.4)) + 1)))
        return np.unique(inner)
    if rule == "knuth":
        return np.linspace(low, high, _knuth(x, w, n) + 1)
    if rule == "sturges":
        return np.linspace(low, high, int(np.ceil(np.log2(n))) + 2)
    first, third = points.quantiles((0.25, 0.75))
    by_range = 2.0 * (third - first) * n ** (-1.0 / (d + 2))
    width = by_range if rule == "fd" and by_range > 0 else 3.49 * points.deviation * n ** (-1.0 / (d + 2))
    return np.linspace(low, high, int(np.clip(np.ceil((high - low) / width), 1, MOST_BOXES + 1)) + 1)


def _knuth(x: Array, w: Array | None, n: float) -> int:
    """Number of equal bins of greatest posterior probability (Knuth 2006)."""
    scaled = (x - x.min()) / (x.max() - x.min())
    weights = None if w is None else w * (n / w.sum())

    def log_posterior(m: int) -> float:
        counts = np.bincount(np.minimum((scaled * m).astype(np.int64), m - 1), weights=weights, minlength=m)
        constant = n * np.log(m) + special.gammaln(0.5 * m) - m * special.gammaln(0.5) - special.gammaln(n + 0.5 * m)
        return float(constant + special.gammaln(counts + 0.5).sum())

    most = int(min(max(50, 4 * n**0.5), 2000))
    return 1 + int(np.argmax([log_posterior(m) for m in range(1, most + 1)]))
