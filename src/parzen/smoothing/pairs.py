"""Kernel sums pair by pair: over tiles of points with a compiled kernel function, in NumPy with any other."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.kernel_sums import RUNGS, lengths, window_ladder, window_sums
from parzen.compute.order import kd_order
from parzen.compute.tiles import Tiles, lay_tiles
from parzen.compute.window_border import WindowBorder
from parzen.smoothing.kernel_functions import KernelFunction
from parzen.statistics.threads import for_each

#: Queries in one call of a compiled routine.
QUERIES = 1024


@dataclass(frozen=True, eq=False)
class PairSum:
    """``S(q) = sum_j w_j k(|q - x_j| / s_j)`` over tiles of points; tiles that are too far to matter are left out.

    Attributes
    ----------
    kernel : a kernel function that is compiled
    points, w, scales, units, rtol, atol : as in `parzen.smoothing.sums.KernelSum`; w has a weight for each point
    """

    kernel: KernelFunction
    points: Array
    w: Array
    scales: Array | None
    units: Array | None
    rtol: float
    atol: float

    def log(self, Q: Array, own: NDArray[np.int64] | None = None, left: Array | None = None) -> Array:
        """Logarithms of the sums at queries (m, d); see `KernelSum.log`."""
        return self.over(self.tiles, Q, own, left)[0]

    @cached_property
    def tiles(self) -> Tiles:
        """Tiles in double precision."""
        return self._laid(single=False)

    @cached_property
    def single_tiles(self) -> Tiles:
        """Tiles in single precision."""
        return self._laid(single=True)

    def _laid(self, single: bool) -> Tiles:
        n, d = self.points.shape
        size = 64 if n <= 5_000 else 128 if n <= 200_000 and d <= 3 else 256
        shrink = None if self.scales is None else self.scales**-2.0
        coefficients = self.w / self._largest if single else self.w
        unit = lengths(self.kernel.name, self._units, self.points)
        return lay_tiles(self.points, coefficients, shrink, unit, size, single, sort=d <= 16)

    @property
    def _units(self) -> Array:
        return np.ones(self.points.shape[1]) if self.units is None else self.units

    @cached_property
    def border(self) -> WindowBorder:
        """How distances are measured in units of the bandwidth, for kernels that are not compiled."""
        return WindowBorder.of(self._units, np.abs(self.points).max(axis=0))

    @cached_property
    def _largest(self) -> float:
        """A power of two near the largest weight, by which single precision divides."""
        return float(2.0 ** np.round(np.log2(self.w.max())))

    def over(
        self, tiles: Tiles, Q: Array, own: NDArray[np.int64] | None, left: Array | None
    ) -> tuple[Array, Array | None]:
        """Logarithms of the sums over tiles, and in single precision the mean squared distances under the kernel."""
        many = len(Q) > tiles.size // 4
        order = kd_order(Q * tiles.inverse, tiles.size // 4) if many and Q.shape[1] <= 16 else np.arange(len(Q))
        rows = Q[order] if many else Q
        slots = None if own is None else tiles.slots[own[order]]
        rest = None if left is None else np.ascontiguousarray(left[order])
        single = tiles.points.dtype == np.float32
        out, mean = np.empty(len(Q)), np.empty(len(Q)) if single else None
        width = int(min(QUERIES, max(tiles.size // 4, -(-len(Q) // 16 // 64) * 64)))

        def work(begin: int) -> None:
            part = slice(begin, begin + width)
            found, distances = window_sums(
                tiles,
                self.kernel.name,
                rows[part],
                0.1 * self.rtol if single else self.rtol,
                self.atol / self._largest if single else self.atol,
                None if slots is None else slots[part],
                None if rest is None else rest[part],
            )
            out[order[part]] = found
            if mean is not None:
                mean[order[part]] = distances

        for_each(work, iter(range(0, len(Q), width)))
        return out, mean

    def in_single(self, Q: Array) -> Array:
        """The same in single precision, with a bound on its rounding; in double precision where that is too large.

        With u = 2^-24: coordinates relative to a tile's centre (of radius at most rho) round by u |x - c| and
        u |q - c|, so that t = |q - x|^2 is off by u ((d / 2 + 6) t + 4 rho sqrt(t)), 2^-t relatively by log 2 times
        that, by 3e-8 for the polynomial and by 8 u for coefficients and sums. Means of t under the kernel are known,
        and bound means of sqrt(t).
        """
        tiles, d = self.single_tiles, Q.shape[1]
        out, mean = self.over(tiles, Q, None, None)
        assert mean is not None
        out += np.log(self._largest)
        rho = 0.5 * float(np.sqrt((((tiles.high - tiles.low).T * tiles.inverse) ** 2).sum(axis=1).max()))
        relative = 0.7 * ((0.5 * d + 6) * mean + 4.0 * rho * np.sqrt(mean)) + 9.0
        again = np.flatnonzero(~(2.0**-24 * relative * 1.01 <= 0.9 * self.rtol))
        if len(again):
            out[again] = self.log(Q[again])
        return out

    def ladder(self, left: Array) -> Array:
        """Logarithms (n, RUNGS) of leave-one-out Gaussian sums at the points, whose own weights are `left` instead.

        For this bandwidth, this one divided by sqrt(2), by 2, ...: one exponential serves them all. Sums that
        underflow are -inf.
        """
        tiles = self.tiles
        order = tiles.order[: len(self.points)]
        rows, rest = self.points[order], np.ascontiguousarray(left[order])
        out = np.empty((len(order), RUNGS))

        def work(begin: int) -> None:
            part = slice(begin, begin + 256)
            slots = np.arange(begin, min(begin + 256, len(order)))
            sums = window_ladder(tiles, np.ascontiguousarray(rows[part]), slots, rest[part])
            with np.errstate(divide="ignore"):
                out[order[part]] = np.where(sums > 1e-130 * tiles.total, np.log(sums), -np.inf)

        for_each(work, iter(range(0, len(order), 256)))
        return out


def log_sums_by_function(
    pairs: PairSum, Q: Array, own: NDArray[np.int64] | None = None, left: Array | None = None
) -> Array:
    """Logarithms of the sums at queries (m, d), with a kernel function that is not compiled."""
    out, width = np.empty(len(Q)), max(1, 2**18 // len(pairs.points))

    def work(begin: int) -> None:
        part = Q[begin : begin + width]
        r = pairs.border.distances(part, pairs.points) / (1.0 if pairs.scales is None else pairs.scales)
        weights = np.broadcast_to(pairs.w, r.shape)
        if own is not None and left is not None:
            weights = weights.copy()
            weights[np.arange(len(part)), own[begin : begin + width]] = left[begin : begin + width]
        with np.errstate(divide="ignore"):
            out[begin : begin + width] = np.log((weights * pairs.kernel.at(r)).sum(axis=1))

    for_each(work, iter(range(0, len(Q), width)))
    return out
