"""Edges of a histogram's bins, by rules, and the weights of its boxes."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from parzen.compute.arrays import Array, ColumnError
from parzen.compute.codes import tally
from parzen.compute.device import routine
from parzen.compute.memberships import Labels, Memberships, members_on_host
from parzen.compute.steps import bin_places
from parzen.densities.histogram import bin_of

#: Rules for the number of bins, by name.
RULES = ("fd", "scott", "sturges", "knuth", "equal")

#: Most boxes in which weights are added on a device; numbers of more are copied to where the weights are.
WEIGHED = 512
#: Most boxes of a histogram: more would hold too few rows and too much memory.
MOST_BOXES = 2**24


def box_weights(points: Array, weights: Array | None, edges: tuple[Array, ...]) -> Array:
    """Weight of the rows in each box."""
    box = np.zeros(len(points), dtype=np.int64)
    for j, part in enumerate(edges):
        place = bin_of(points[:, j], part)
        if (place < 0).any():
            raise _outside(points[place < 0, j][0], part, j)
        box = box * (len(part) - 1) + place
    return np.bincount(box, weights=weights, minlength=box_count(edges)).astype(np.float64)


def box_weights_there(X: Any, R: Memberships, edges: tuple[Array, ...]) -> Array:
    """Weight of the rows in each box, of each group, (K, boxes), of rows on a device."""
    found = routine("box_codes")(X, edges)
    if isinstance(found, tuple):
        column, value = found
        raise _outside(value, edges[column], column)
    boxes = box_count(edges)
    if boxes > WEIGHED and not (R is None or (isinstance(R, Labels) and R.weights is None)):
        return tally(found.host(), members_on_host(R), (boxes,))
    return tally(found, R, (boxes,))


def _outside(value: float, edges: Array, column: int) -> ColumnError:
    return ColumnError(
        f"bins of column {{column}} reach from {edges[0]:g} to {edges[-1]:g}, but it holds {value:g}; widen the "
        "edges, or leave out such rows.",
        column,
    )


def bin_weights(x: NDArray[np.floating], R: Memberships, edges: Array) -> Array | None:
    """Weight of a column in each bin, of each group, (K, m); None where a cell is outside, or all are missing."""
    places = bin_places(np.asarray(x, dtype=np.float64), edges)
    return None if places is None else tally(places[:, None], R, (len(edges) - 1,))


def box_count(edges: tuple[Array, ...]) -> int:
    """How many boxes the edges make."""
    return int(np.prod([len(part) - 1 for part in edges], dtype=object))


def are_edges(given: Any, d: int) -> bool:
    """Whether a list holds edges, rather than bins for each of d columns, as d > 1 whole numbers are."""
    if any(not isinstance(one, Real) for one in given):
        return False
    return not (d > 1 and len(given) == d and all(isinstance(one, Integral) for one in given))


def checked_bins(one: Any) -> Any:
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
    rising = edges.ndim == 1 and len(edges) >= 2 and bool((edges[1:] > edges[:-1]).all())
    if not rising or np.isfinite(edges).sum() < 2 or not np.isfinite(edges[1:-1]).all():
        raise ValueError(
            "edges of bins must be at least two finite numbers that rise (before them -inf, and after them inf, where "
            f"an outer bin is to be open), got {one!r}."
        )
    return edges


def edges_by(rule: Any, x: Array, w: Array | None, d: int, j: int) -> Array:
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
        if rule > MOST_BOXES:
            raise ValueError(
                f"bins={rule:,} would take {16e-9 * rule:,.1f} GB of memory; ask for at most {MOST_BOXES:,} bins, or "
                "use a kernel density."
            )
        return np.linspace(low, high, rule + 1)
    from parzen.smoothing.bandwidth.points import Points  # with all rules of bandwidths

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
