"""Local averages over tiles of points, pair by pair, by a compiled kernel function."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from parzen.compute.arrays import Array
from parzen.compute.kernel_sums import GAUSSIAN_SCALE, lengths
from parzen.compute.local_sums import Averages, joined, local_averages
from parzen.compute.order import kd_order
from parzen.compute.tiles import Tiles, lay_tiles
from parzen.smoothing.categories import CategoryFactors
from parzen.smoothing.kernel_functions import KernelFunction
from parzen.smoothing.pairs import QUERIES
from parzen.smoothing.queries import Queries
from parzen.statistics.threads import for_each


@dataclass(frozen=True, eq=False)
class PairAverages:
    """Averages of the values of weighted points; see `parzen.smoothing.local.LocalSum`."""

    kernel: KernelFunction
    points: Array
    values: Array
    w: Array
    units: Array
    categories: CategoryFactors
    rtol: float

    @cached_property
    def _unit(self) -> float:
        """The bandwidth in the tiles' units of length."""
        if self._tiles.border is not None:
            return self._tiles.border.radius
        return GAUSSIAN_SCALE if self.kernel.name == "gaussian" else 1.0

    @cached_property
    def _tiles(self) -> Tiles:
        n, d = self.points.shape
        size = 64 if n <= 20_000 else 128
        groups = None
        if self.categories.codes is not None:
            combinations, groups = self.categories.combinations
            size = int(np.clip(2 ** np.ceil(np.log2(n / len(combinations))), 8, size))
        unit = lengths(self.kernel.name, self.units, self.points)
        return lay_tiles(self.points, self.w, None, unit, size, sort=d <= 16, groups=groups)

    @cached_property
    def _tiled_values(self) -> Array:
        tiles = self._tiles
        count, _, size = tiles.points.shape
        spread = np.where(tiles.order[:, None] < 0, 0.0, self.values[tiles.order])
        return np.ascontiguousarray(spread.reshape(count, size, -1).transpose(0, 2, 1))

    def at(self, queries: Queries, lines: bool) -> Averages:
        """Averages at queries; with `lines`, those for local lines too."""
        m, d = queries.Q.shape
        tiles, values = self._tiles, self._tiled_values
        factors, cell = self.categories.at(queries.codes, m)
        order = np.arange(m)
        if m > tiles.size // 4 and d <= 16:
            order = kd_order(queries.Q * tiles.inverse, tiles.size // 4)
        if len(factors) > 1:
            order = order[np.argsort(cell[order], kind="stable")]
        asked, cell = queries.take(order), np.ascontiguousarray(cell[order])
        rows, rest = np.ascontiguousarray(asked.Q), asked.left
        slots = None if asked.own is None else np.ascontiguousarray(tiles.slots[asked.own])
        width = int(min(QUERIES, max(tiles.size // 4, -(-m // 16 // 64) * 64)))
        found: list[Averages | None] = [None] * -(-m // width)

        def work(at: int) -> None:
            part = slice(at * width, (at + 1) * width)
            own = None if slots is None else slots[part]
            left = None if rest is None else rest[part]
            found[at] = local_averages(
                tiles, self.kernel.name, values, rows[part], lines, factors, cell[part], self.rtol, own, left
            )

        for_each(work, iter(range(len(found))))
        parts = [part for part in found if part is not None]
        return self._rescaled(joined(parts, order, (d, self.values.shape[1]), lines))

    def _rescaled(self, found: Averages) -> Averages:
        """Averages of u in units of the bandwidth instead of the tiles'."""
        if found.offset is None or self._unit == 1.0:
            return found
        assert found.square is not None
        assert found.product is not None
        offset, square, product = found.offset / self._unit, found.square / self._unit**2, found.product / self._unit
        return replace(found, offset=offset, square=square, product=product)
