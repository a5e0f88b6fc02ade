"""Sums of kernels' distribution functions by running sums over sorted points: two searches for a query, not n terms.

Where a kernel's distribution function is a sum of products, F(s - t) = sum_k g_k(s) f_k(t), the sum over neighbouring
points is that of g_k(s) times a difference of running sums of f_k. Polynomials are such sums (of powers of t), and so
are sines. Points are measured from the middle of a cell of one bandwidth, so that no power is large.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial import polynomial

from parzen.compute.arrays import Array
from parzen.smoothing.kernel_functions import KernelFunction

#: Cells that are counted exactly.
CELLS = 2.0**50


class Piece(NamedTuple):
    """A stretch of a kernel's distribution function.

    F(s - t) = sum_k outer(s)[k] inner(t)[k] where low <= s - t < high; both give arrays of shape (terms, ...).
    """

    low: float
    high: float
    inner: Callable[[Array], Array]
    outer: Callable[[Array], Array]


@cache
def pieces(kernel: KernelFunction) -> tuple[Piece, ...] | None:
    """The distribution function of a compact kernel in pieces; None where it has no such form."""
    if kernel.name == "cosine":
        return (Piece(-1.0, 1.0, _inner_cosine, _outer_cosine),)
    if kernel.name == "triangular":
        return _polynomial(-1.0, 0.0, (0.5, 1.0, 0.5)), _polynomial(0.0, 1.0, (0.5, 1.0, -0.5))
    if kernel.power is None or not float(kernel.power).is_integer():
        return None
    density = polynomial.polypow((1.0, 0.0, -1.0), int(kernel.power)) if kernel.power else np.ones(1)
    integral = polynomial.polyint(density * np.exp(kernel.log_constant(1)))
    integral[0] = 0.5
    return (_polynomial(-1.0, 1.0, tuple(integral)),)


def _inner_cosine(t: Array) -> Array:
    return np.stack([np.ones_like(t), np.cos(0.5 * np.pi * t), np.sin(0.5 * np.pi * t)])


def _outer_cosine(s: Array) -> Array:
    return np.stack([np.full_like(s, 0.5), 0.5 * np.sin(0.5 * np.pi * s), -0.5 * np.cos(0.5 * np.pi * s)])


def _polynomial(low: float, high: float, coefficients: tuple[float, ...]) -> Piece:
    """P(s - t) = sum_k P^(k)(s) / k! (-t)^k."""
    derivatives = [np.array(coefficients)]
    for k in range(1, len(coefficients)):
        derivatives.append(polynomial.polyder(derivatives[-1]) / k)

    def inner(t: Array) -> Array:
        return np.stack([(-t) ** k for k in range(len(coefficients))])

    def outer(s: Array) -> Array:
        return np.stack([polynomial.polyval(s, one) for one in derivatives])

    return Piece(low, high, inner, outer)


@dataclass(frozen=True, eq=False)
class CompactSums:
    """Running sums over points in rising order, for a compact kernel.

    Attributes
    ----------
    centre : the point in the middle
    x : array of shape (n,)
        The points, relative to it.
    unit : the bandwidth
    before : array of shape (n + 1,)
        Running sums of their weights.
    cell, middle : arrays of shape (n,)
        Numbers of the points' cells, and the points in the middle of these.
    parts : pieces of the distribution function, each with the running sums of its inner functions, (terms, n + 1)
    """

    centre: float
    x: Array
    unit: float
    before: Array
    cell: Array
    middle: Array
    parts: list[tuple[Piece, Array]]

    @classmethod
    def of(cls, kernel: KernelFunction, x: Array, share: Array, unit: float, before: Array) -> "CompactSums | None":
        """Running sums of sorted points with weights; None where the kernel or its bandwidth doesn't allow them."""
        found = pieces(kernel)
        if found is None or not (x[-1] - x[0]) / unit < CELLS:
            return None
        centre = float(x[len(x) // 2])
        x = x - centre  # so that an offset costs no digit of q - x
        cell = np.floor((x - x[0]) / unit)
        middle = x[0] + (cell + 0.5) * unit
        t = (x - middle) / unit
        return cls(centre, x, unit, before, cell, middle, [(piece, running(share * piece.inner(t))) for piece in found])

    def below(self, q: Array) -> Array:
        """Probability of values up to q (m,), to rounding error of a sum of all weights."""
        q = q - self.centre
        out = self.before[np.searchsorted(self.x, q - self.unit)]
        for piece, sums in self.parts:
            first = np.searchsorted(self.x, q - piece.high * self.unit)
            last = np.searchsorted(self.x, q - piece.low * self.unit)
            begin = first
            for _ in range(int(piece.high - piece.low) + 2):  # the cells that a piece may reach into
                if not (begin < last).any():
                    break
                at = np.minimum(begin, len(self.x) - 1)
                end = np.clip(np.searchsorted(self.cell, self.cell[at], side="right"), begin, last)
                outer = piece.outer((q - self.middle[at]) / self.unit)
                out = out + np.where(begin < end, (outer * (sums[:, end] - sums[:, begin])).sum(axis=0), 0.0)
                begin = end
        return out


@dataclass(frozen=True, eq=False)
class ExponentialSums:
    """Running sums of exp(-|x - x_j| / h) over points in rising order: positive terms, right in relative terms.

    Attributes
    ----------
    x : array of shape (n,)
    unit : the bandwidth
    before : array of shape (n + 1,)
        Running sums of their weights.
    lower, upper : arrays of shape (n,)
        Of each point, the sum over the points up to it, and over those from it on.
    """

    x: Array
    unit: float
    before: Array
    lower: Array
    upper: Array

    @classmethod
    def of(cls, x: Array, share: Array, unit: float, before: Array) -> "ExponentialSums":
        """Running sums of sorted points with weights."""
        return cls(x, unit, before, _decaying(x, share, unit), _decaying(-x[::-1], share[::-1], unit)[::-1])

    def below(self, q: Array) -> Array:
        """Probability of values up to q (m,)."""
        n, after = len(self.x), np.searchsorted(self.x, q, side="right")
        last, next_ = np.maximum(after - 1, 0), np.minimum(after, n - 1)
        down = np.where(after > 0, self.lower[last] * np.exp(-np.abs(q - self.x[last]) / self.unit), 0.0)
        up = np.where(after < n, self.upper[next_] * np.exp(-np.abs(self.x[next_] - q) / self.unit), 0.0)
        return self.before[after] - 0.5 * down + 0.5 * up


def running(values: Array) -> Array:
    """Sums of the first 0, 1, ... n values along the last axis, in longer numbers: so many roundings add up."""
    sums = np.cumsum(values, axis=-1, dtype=np.longdouble).astype(np.float64)
    return np.concatenate([np.zeros((*values.shape[:-1], 1)), sums], axis=-1)


def _decaying(x: Array, share: Array, unit: float) -> Array:
    """Sums of share_j exp(-(x_i - x_j) / unit) over j <= i, by doubling: each pass joins neighbouring stretches."""
    out, step = np.array(share, dtype=np.float64), 1
    while step < len(x):
        gap = (x[step:] - x[:-step]) / unit
        if gap.min() > 745.0:  # beyond the smallest number
            break
        out[step:] = out[step:] + out[:-step] * np.exp(-gap)
        step *= 2
    return out
