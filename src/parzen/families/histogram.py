"""Histograms: how many rows fall between edges, and how the edges are chosen."""

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np

from parzen.compute.arrays import Array, ColumnError, as_floats, on_host
from parzen.compute.checks import choose
from parzen.compute.device import is_device
from parzen.compute.memberships import Memberships, members_on_host
from parzen.conjugate import Dirichlet
from parzen.densities.histogram import BinDensity
from parzen.families.bins import (
    MOST_BOXES,
    RULES,
    are_edges,
    bin_weights,
    box_count,
    box_weights,
    box_weights_there,
    checked_bins,
    edges_by,
)
from parzen.families.checks import ESTIMATES, check_prior
from parzen.families.family import Family
from parzen.families.sampling import observed
from parzen.statistics.counts import Counts
from parzen.statistics.messages import Collapse, warn_floor
from parzen.statistics.sample import Sample
from parzen.tables.table import Table


@dataclass(eq=False, repr=False)
class Histogram(Family):
    r"""Histogram of a few columns: :math:`f(x) = p_b / v_b`, b the box of x, v its volume.

    Its statistic is `Counts` where the edges are given (shards then add in memory that doesn't grow), and `Sample`
    where they are chosen from all rows; those of a source are chosen in a pass or two, and then given.

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
    Beyond the outer edges the density is zero, with any prior; unless they are -inf and inf: in an open outer bin it
    falls off exponentially, by e over the length of all bounded bins.

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
    takes_device: ClassVar[bool] = True

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
        edges, batches = bound._known_edges(d), table.batches()
        if edges is None and batches is not None:
            from parzen.families.streamed_points import chosen_edges  # with all rules of bandwidths

            edges, count = chosen_edges(bound._each(d), batches)
            check_boxes(edges, count)
            return replace(bound, bins=list(edges), width=None)
        return bound if edges is None else replace(bound, bins=list(edges))

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Counts | Sample:
        choose("estimate", self.estimate, ESTIMATES)
        rows = as_floats(X)
        d = rows.shape[1]
        edges = self._known_edges(d)
        if is_device(rows):
            if edges is not None:
                return Counts(self._counted_there(rows, R, edges), (box_count(edges),))
            rows = on_host(rows)  # edges are chosen from all rows, which are the statistic
            R = members_on_host(R)
        counts = None if edges is None or d > 1 else bin_weights(rows[:, 0], R, edges[0])
        if counts is not None:
            return Counts(counts, (counts.shape[1],))
        sample = observed(rows, R, "a histogram")
        return sample if edges is None else Counts(self._counted(sample, edges), (box_count(edges),))

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
    def _counted_there(rows: Any, R: Memberships, edges: tuple[Array, ...]) -> Array:
        """Weight in each box, of each group, of rows on a device."""
        if rows.missing() and len(edges) > 1:
            raise ValueError("Input X contains NaN: a histogram of several columns needs complete rows; fill them.")
        return box_weights_there(rows, R, edges)

    @staticmethod
    def _counted(sample: Sample, edges: tuple[Array, ...]) -> Array:
        """Weight in each box, of each group."""
        return np.stack([box_weights(*sample.of_group(k), edges) for k in range(sample.groups)])

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
        if isinstance(given, str | Integral) or (isinstance(given, list | tuple | np.ndarray) and are_edges(given, d)):
            return [checked_bins(given)] * d
        if not isinstance(given, list | tuple | np.ndarray) or len(given) != d:
            raise ValueError(
                f"bins must be a number, edges, one of {', '.join(map(repr, RULES))}, or one of these for each of {d} "
                f"columns, got {given!r}."
            )
        return [checked_bins(one) for one in given]

    def _known_edges(self, d: int) -> tuple[Array, ...] | None:
        each = self._each(d)
        return tuple(each) if all(isinstance(one, np.ndarray) for one in each) else None

    def _known_edges_of(self, statistic: Counts) -> tuple[Array, ...]:
        for d in range(1, 65):
            try:
                edges = self._known_edges(d)
            except ValueError:
                continue
            if edges is not None and box_count(edges) == statistic.sizes[0]:
                return edges
        raise ValueError("these counts were taken over other bins; observe the rows again.")

    def _chosen_edges(self, sample: Sample) -> tuple[Array, ...]:
        points, w = sample.pooled().of_group(0)
        if not len(points):
            raise Collapse("a histogram needs at least one row with weight; none came.")
        d = sample.width
        edges = tuple(
            one if isinstance(one, np.ndarray) else edges_by(one, points[:, j], w, d, j)
            for j, one in enumerate(self._each(d))
        )
        check_boxes(edges, len(points))
        return edges


def check_boxes(edges: tuple[Array, ...], rows: int) -> None:
    """Raise where edges make too many boxes, or too narrow ones; warn where most are empty."""
    boxes = box_count(edges)
    for j, part in enumerate(edges):
        if not (np.diff(part) > 0).all():
            raise ColumnError("bins of column {column} are narrower than its digits; ask for wider ones.", j)
    if boxes > max(1000, 10 * rows) and boxes <= MOST_BOXES:
        warn_floor(
            f"there are {boxes:,} boxes for {rows:,} rows, so that most are empty: far rows, or many columns. Use "
            "bins='knuth' or 'equal', fewer bins, or leave out what is far away."
        )
    if boxes > MOST_BOXES:
        raise ValueError(
            f"there would be {boxes:,} boxes, which take {8e-9 * boxes:,.1f} GB of memory; ask for fewer bins or "
            "columns, or use Kernel, or Product of histograms."
        )
