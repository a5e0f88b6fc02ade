"""Histograms: densities that are constant in each box between edges."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array, as_floats, room
from parzen.compute.device import is_device, routine
from parzen.compute.steps import bin_lookup
from parzen.densities.columns import chosen, given_values, others
from parzen.densities.density import Density
from parzen.densities.patterns import write_over_patterns
from parzen.statistics.messages import Collapse


def bin_of(x: Array, edges: Array) -> NDArray[np.int64]:
    """Bin of each value, the last bin including its right edge, as in NumPy; -1 outside."""
    found = np.searchsorted(edges, x, side="right") - 1
    found[x == edges[-1]] = len(edges) - 2
    return np.where((x >= edges[0]) & (x <= edges[-1]), found, -1)


def tail_length(edges: Array) -> float:
    """Mean distance of a value in an open outer bin from its inner edge: the length of all bounded bins together."""
    bounded = edges[np.isfinite(edges)]
    return float(bounded[-1] - bounded[0])


def log_height(x: Array, edges: Array, bins: NDArray[np.int64]) -> Array:
    """Log-density of values within their bins: uniform, or exponential in an open outer bin."""
    widths, length = np.diff(edges), tail_length(edges)
    heights = -np.log(np.where(np.isinf(widths), length, widths))[bins]
    for open_bin, inner in _open_bins(edges):
        rows = bins == open_bin
        heights[rows] -= np.abs(x[rows] - inner) / length
    return heights


def _within(u: Array, edges: Array, bins: NDArray[np.int64]) -> Array:
    """Values of bins, at uniform numbers u between 0 and 1."""
    low, high = edges[bins], edges[bins + 1]
    with np.errstate(invalid="ignore"):
        x = np.where(np.isinf(low) | np.isinf(high), 0.0, low) + u * np.where(np.isinf(high - low), 0.0, high - low)
    for open_bin, inner in _open_bins(edges):
        rows = bins == open_bin
        away = -tail_length(edges) * np.log1p(-u[rows])
        x[rows] = inner + (away if open_bin else -away)
    return x


def _open_bins(edges: Array) -> list[tuple[int, float]]:
    """Outer bins without an end, each with its inner edge."""
    found = [(0, float(edges[1]))] if np.isneginf(edges[0]) else []
    return [*found, (len(edges) - 2, float(edges[-2]))] if np.isposinf(edges[-1]) else found


@dataclass(frozen=True, eq=False)
class BinDensity(Density):
    """K histograms over the same bins.

    Attributes
    ----------
    edges : tuple of d arrays
        Edges of the bins of each column, rising. The first may be -inf and the last inf: in an open bin the density
        falls off exponentially, by e over the length of all bounded bins.
    log_mass : array of shape (K, bins of column 1, ..., bins of column d)
        Logarithm of the probability of each box; -inf where it is zero.

    Examples
    --------
    >>> import numpy as np
    >>> two = BinDensity((np.array([0.0, 1.0, 3.0]),), np.log([[0.5, 0.5]]))
    >>> np.exp(two.log_density(np.array([[0.5], [2.0], [9.0]])))
    array([[0.5 ],
           [0.25],
           [0.  ]])
    """

    edges: tuple[Array, ...]
    log_mass: Array

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.log_mass), len(self.edges)

    @property
    def independent_columns(self) -> bool:
        return len(self.edges) == 1

    def log_density(self, X: Any) -> Array:
        out = room(X, (len(X), len(self.log_mass)))
        self.write(X, out)
        return out

    def write(self, X: Any, out: Array) -> None:
        if is_device(X):
            lengths = tuple(tail_length(one) for one in self.edges)
            routine("box_heights")(as_floats(X, len(self.edges)), self.edges, self.log_mass, lengths, out)
            return
        X = np.asarray(as_floats(X, len(self.edges)), dtype=np.float64)
        if len(self.edges) == 1:
            bin_lookup(X[:, 0], *self._heights, out)
        else:
            write_over_patterns(self, X, out)

    @cached_property
    def _heights(self) -> tuple[Array, Array, float]:
        """Edges of the one column, logs of the heights of its bins, (m, K), and the length of a tail."""
        edges, length = np.ascontiguousarray(self.edges[0], dtype=np.float64), tail_length(self.edges[0])
        widths = np.diff(edges)
        heights = self.log_mass.T - np.log(np.where(np.isinf(widths), length, widths))[:, None]
        return edges, np.ascontiguousarray(heights), length

    def write_complete(self, X: Array, out: Array) -> None:
        bins = [bin_of(X[:, j], edges) for j, edges in enumerate(self.edges)]
        outside = np.any([one < 0 for one in bins], axis=0)
        heights = sum(log_height(X[:, j], edges, bins[j]) for j, edges in enumerate(self.edges))
        for k, log_mass in enumerate(self.log_mass):
            out[:, k] = log_mass[tuple(bins)] + heights
        out[outside] = -np.inf

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        K, d = self.shape
        flat = np.exp(self.log_mass.reshape(K, -1))
        boxes = np.empty(len(labels), dtype=np.int64)
        for k in np.unique(labels):
            rows = np.flatnonzero(labels == k)
            boxes[rows] = rng.choice(flat.shape[1], len(rows), p=flat[k] / flat[k].sum())
        bins = np.unravel_index(boxes, self.log_mass.shape[1:])
        out = np.empty((len(labels), d))
        for j, (edges, one) in enumerate(zip(self.edges, bins, strict=True)):
            out[:, j] = _within(rng.random(len(labels)), edges, one)
        return out

    def marginal(self, columns: Sequence[int]) -> "BinDensity":
        kept = chosen(len(self.edges), columns)
        gone = tuple(j + 1 for j in others(len(self.edges), columns))
        with np.errstate(divide="ignore"):
            mass = np.log(np.exp(self.log_mass).sum(axis=gone))
        order = np.argsort(np.argsort(kept))
        return BinDensity(tuple(self.edges[j] for j in kept), np.ascontiguousarray(mass.transpose(0, *(1 + order))))

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "BinDensity":
        d = len(self.edges)
        given, rest = chosen(d, columns), others(d, columns)
        known = given_values(values, len(given))
        at: list[Any] = [slice(None)] * (d + 1)
        for column, value in zip(given, known, strict=True):
            at[column + 1] = int(bin_of(np.array([value]), self.edges[column])[0])
        outside = any(at[j + 1] < 0 for j in given)
        part = np.full_like(self.marginal(rest).log_mass, -np.inf) if outside else self.log_mass[tuple(at)]
        with np.errstate(divide="ignore"):
            total = np.log(np.exp(part).sum(axis=tuple(range(1, part.ndim)), keepdims=True))
        if not (total > -np.inf).any():
            raise Collapse(f"no row is near {known.tolist()}: its bin is empty; use wider bins, or a prior.")
        # Under a density that is zero at the given values, the conditional is arbitrary: its marginal is used.
        possible = np.where(total > -np.inf, part - np.where(total > -np.inf, total, 0.0), self.marginal(rest).log_mass)
        return BinDensity(tuple(self.edges[j] for j in rest), possible)

    def cdf(self, X: Any, upper: bool = False) -> Array:
        """Probability of values up to those given, or with `upper` above them, of one column, (n, K)."""
        X = np.asarray(as_floats(X, self.shape[1]), dtype=np.float64)
        if self.shape[1] > 1:
            raise TypeError("cdf is offered for one column; take a marginal first.")
        x, edges = (-X[:, 0], -self.edges[0][::-1]) if upper else (X[:, 0], self.edges[0])
        mass = np.exp(self.log_mass[:, ::-1] if upper else self.log_mass)
        below = np.concatenate([np.zeros((len(mass), 1)), np.cumsum(mass, axis=1)], axis=1)
        mass, below = mass / below[:, -1:], below / below[:, -1:]
        bounded = np.flatnonzero(np.isfinite(edges))
        out = np.stack([np.interp(x, edges[bounded], row[bounded]) for row in below], axis=1)
        for open_bin, inner in _open_bins(edges):
            rows = x > inner if open_bin else x < inner
            beyond = np.exp(-np.abs(x[rows] - inner) / tail_length(edges))[:, None] * mass[:, open_bin]
            out[rows] = 1.0 - beyond if open_bin else beyond
        return out

    def expectation(self) -> Array:
        K, d = self.shape
        out = np.empty((K, d))
        for j in range(d):
            mass = np.exp(self.marginal([j]).log_mass)
            edges = self.edges[j]
            middles = 0.5 * (edges[1:] + edges[:-1])
            for open_bin, inner in _open_bins(edges):
                middles[open_bin] = inner + (1 if open_bin else -1) * tail_length(edges)
            out[:, j] = mass @ middles / mass.sum(axis=1)
        return out
