"""What rows around a place say: averages of values, and local lines, weighted by kernels of numbers and categories.

A row weighs ``w_j k(|q - x_j|) prod_c L_c(q_c, x_jc)``: a radial kernel of the columns of numbers, distances in units
of the bandwidth, and a kernel of each column of categories, 1 where they are equal.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from parzen.compute.arrays import Array
from parzen.compute.kernel_sums import CODES, GAUSSIAN_SCALE, Tiles, kd_order, lay_tiles
from parzen.compute.local_sums import Averages, local_averages
from parzen.smoothing.kernel_functions import KernelFunction
from parzen.smoothing.sums import QUERIES, KernelSum
from parzen.statistics.threads import for_each

#: Most numbers in a table of factors between cells of categories.
MOST_FACTORS = 2**22
#: Bandwidths from all rows beyond which a local line is not followed.
FARTHEST = 10.0
#: Bandwidths beyond which a place is as good as any other in its direction.
FAR = 1e140


@dataclass(frozen=True, eq=False)
class Places:
    """Where averages are asked for.

    Attributes
    ----------
    Q : array of shape (m, d)
    codes : array of shape (m, e), optional
        Categories.
    own, left : arrays of shape (m,), optional
        A row whose weight is `left` instead: what leaves it out.
    """

    Q: Array
    codes: NDArray[np.int64] | None = None
    own: NDArray[np.int64] | None = None
    left: Array | None = None

    def take(self, rows: Any) -> "Places":
        """Some of the places."""
        codes, own, left = (None if part is None else part[rows] for part in (self.codes, self.own, self.left))
        return Places(self.Q[rows], codes, own, left)


@dataclass(frozen=True, eq=False)
class LocalSum:
    """Rows, ready to be averaged around places.

    Attributes
    ----------
    kernel : the kernel of the columns of numbers
    points : array of shape (n, d), n > 0
    values : array of shape (n, C)
    weights : array of shape (n,), or None where all are one
    units : array of shape (d,)
        Bandwidths of the columns of numbers.
    codes : array of shape (n, e) of int64, optional
        Categories of the rows.
    tables : sequence of e arrays of shape (size + 1, size)
        Their kernels, see `parzen.smoothing.categories.Category.table`.
    rtol : what an average may be off by, in units of the values' range
    given : int, optional
        How many of the columns of categories are given: where no row is like a query in these, all rows count; where
        none is in the others, none does. By default all.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.smoothing.kernel_functions import kernel_function
    >>> rows = LocalSum(kernel_function("gaussian"), np.array([[0.0], [2.0]]), np.array([[1.0], [3.0]]), None, np.ones(1))
    >>> rows.averages(np.array([[1.0], [2.0], [1e6]])).value.round(4)
    array([[2.    ],
           [2.7616],
           [3.    ]])
    """

    kernel: KernelFunction
    points: Array
    values: Array
    weights: Array | None
    units: Array
    codes: NDArray[np.int64] | None = None
    tables: Sequence[Array] = ()
    rtol: float = 1e-15
    given: int | None = None

    @cached_property
    def w(self) -> Array:
        """Weights, one for each row."""
        return np.ones(len(self.points)) if self.weights is None else self.weights

    def averages(
        self,
        Q: Array,
        codes: NDArray[np.int64] | None = None,
        own: NDArray[np.int64] | None = None,
        left: Array | None = None,
        lines: bool = False,
    ) -> Averages:
        """Averages around rows Q (m, d), whose categories are `codes` (m, e).

        Parameters
        ----------
        own, left : arrays of shape (m,), optional
            A row whose weight is `left` instead: what leaves it out.
        lines : whether averages for local lines are asked for, u in units of the bandwidth
        """
        places = Places(self._near_enough(Q), codes, own, left)
        found = self._found(places, lines)
        alone = np.flatnonzero(np.isnan(found.value).any(axis=1))
        if self.codes is not None and len(alone):  # the only row like it was left out: all others count
            rest = replace(self, codes=None, tables=())._found(replace(places.take(alone), codes=None), lines)
            for name in ("log_sum", "value", *(("place", "square", "product") if lines else ())):
                getattr(found, name)[alone] = getattr(rest, name)
        return found

    def _found(self, places: Places, lines: bool) -> Averages:
        if self.kernel.name not in CODES:
            return self._by_function(places, lines)
        if not lines and self.codes is None and self.values.shape[1]:
            found = self._by_cells(places)
            if found is not None:
                return found
        return self._by_pairs(places, lines)

    def _near_enough(self, Q: Array) -> Array:
        """Places in the same direction whose squared distances are numbers; so far, the nearest rows count alone."""
        Q, centre = np.ascontiguousarray(Q, dtype=np.float64), self.points[0]
        with np.errstate(over="ignore"):
            far = np.flatnonzero(~(np.abs((0.5 * Q - 0.5 * centre) / self.units) < FAR).all(axis=1))
        if len(far):
            Q = Q.copy()  # the user's own, perhaps
            small = (Q[far] * 1e-170 - centre * 1e-170) / self.units
            Q[far] = centre + small / np.abs(small).max(axis=1, keepdims=True) * FAR * self.units
        return Q

    def log(self, places: Places) -> Array:
        """Logarithms of the sums of weights around places alone, (m,); -inf where none counts."""
        Q, codes, own, left = places.Q, places.codes, places.own, places.left
        if self.codes is None:
            return self._plain.log(np.asarray(Q, dtype=np.float64), own, left)
        found = replace(self, values=np.empty((len(self.points), 0))).averages(Q, codes, own, left).log_sum
        factors, cell = self._factors(codes, len(Q))
        counts = np.asarray((factors > 0).any(axis=1))
        return np.where(counts[cell], found, -np.inf)

    def log_shares(self, places: Places) -> Array:
        """Logarithms of the weights of all rows around each of a few places, which add to one, (m, n); Gaussian.

        Relative to the nearest row, so that they are numbers however far that is.
        """
        Q, own, left = self._near_enough(places.Q), places.own, places.left
        factors, cell = self._factors(places.codes, len(Q))
        with np.errstate(divide="ignore"):
            log_factor = np.log(factors)[cell]
            log_weight = np.log(np.broadcast_to(self.w, (len(Q), len(self.w)))).copy()
            if own is not None and left is not None:
                log_weight[np.arange(len(Q)), own] = np.log(left)
            if self.codes is not None:
                likened = log_weight + log_factor[:, self._kinds[1]]
                alone = np.isneginf(likened).all(axis=1, keepdims=True)  # then all others count
                log_weight = np.where(alone, log_weight, likened)
        off = (self.points[:1] - Q) / self.units
        nearest = np.zeros(len(Q), dtype=np.int64)
        for _ in range(2):  # relative to the first row, then to the nearest
            log_share = log_weight
            for j in range(Q.shape[1]):
                step = (self.points[:, j] - self.points[nearest, j, None]) / self.units[j]
                log_share = log_share - 0.5 * step * (step + 2.0 * off[:, j, None])
            nearest = np.argmax(log_share, axis=1)
            off = (self.points[nearest] - Q) / self.units
        return log_share - logsumexp(log_share, axis=1, keepdims=True)

    def far(self, found: Averages) -> NDArray[np.bool_]:
        """Which places are farther than about `FARTHEST` bandwidths from all rows that count."""
        lightest = float(self.w[self.w > 0].min())
        peak = 0.0 if self.kernel.compact else float(self.kernel.at(np.array([FARTHEST]))[0])
        with np.errstate(divide="ignore"):
            return np.asarray(found.log_sum <= np.log(peak) + np.log(lightest))

    @cached_property
    def _ends(self) -> tuple[Array, Array]:
        return self.points.min(axis=0), self.points.max(axis=0)

    # Pairs ----------------------------------------------------------------------------------------------------------

    @cached_property
    def _kinds(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Different combinations of categories among the rows (G, e), and which one each row has."""
        assert self.codes is not None
        return _distinct(self.codes)

    @cached_property
    def _unit(self) -> float:
        return GAUSSIAN_SCALE if self.kernel.name == "gaussian" else 1.0

    @cached_property
    def _tiles(self) -> Tiles:
        n, d = self.points.shape
        size = 64 if n <= 20_000 else 128
        groups = None
        if self.codes is not None:
            kinds, groups = self._kinds
            size = int(np.clip(2 ** np.ceil(np.log2(n / len(kinds))), 8, size))
        return lay_tiles(self.points, self.w, None, self._unit / self.units, size, sort=d <= 16, groups=groups)

    @cached_property
    def _tiled(self) -> Array:
        tiles = self._tiles
        count, _, size = tiles.points.shape
        spread = np.where(tiles.order[:, None] < 0, 0.0, self.values[tiles.order])
        return np.ascontiguousarray(spread.reshape(count, size, -1).transpose(0, 2, 1))

    def _by_pairs(self, places: Places, lines: bool) -> Averages:
        m, d = places.Q.shape
        tiles, values = self._tiles, self._tiled
        factors, cell = self._factors(places.codes, m)
        order = np.arange(m)
        if m > tiles.size // 4 and d <= 16:
            order = kd_order(places.Q * tiles.inverse, tiles.size // 4)
        if len(factors) > 1:
            order = order[np.argsort(cell[order], kind="stable")]
        asked, cell = places.take(order), np.ascontiguousarray(cell[order])
        rows, rest = np.ascontiguousarray(asked.Q), asked.left
        mine = None if asked.own is None else np.ascontiguousarray(tiles.places[asked.own])
        width = int(min(QUERIES, max(tiles.size // 4, -(-m // 16 // 64) * 64)))
        found: list[Averages | None] = [None] * -(-m // width)

        def work(at: int) -> None:
            part = slice(at * width, (at + 1) * width)
            found[at] = local_averages(
                tiles,
                self.kernel.name,
                values,
                rows[part],
                lines,
                factors,
                cell[part],
                self.rtol,
                None if mine is None else mine[part],
                None if rest is None else rest[part],
            )

        for_each(work, iter(range(len(found))))
        parts = [part for part in found if part is not None]
        return self._rescaled(_joined(parts, order, (d, self.values.shape[1]), lines))

    def _rescaled(self, found: Averages) -> Averages:
        """Averages of u in units of the bandwidth instead of the tiles'."""
        if found.place is None or self._unit == 1.0:
            return found
        assert found.square is not None
        assert found.product is not None
        place, square, product = found.place / self._unit, found.square / self._unit**2, found.product / self._unit
        return replace(found, place=place, square=square, product=product)

    def _factors(self, codes: NDArray[np.int64] | None, m: int) -> tuple[Array, NDArray[np.int64]]:
        """Kernels of the categories between those of queries and of rows, (cells, G), and each query's cell."""
        if self.codes is None or codes is None:
            return np.ones((1, 1)), np.zeros(m, dtype=np.int64)
        kinds, _ = self._kinds
        asked, cell = _distinct(codes)
        factors = np.ones((len(asked), len(kinds)))
        for j, table in enumerate(self.tables):
            factors *= table[asked[:, j]][:, kinds[:, j]]
            if j + 1 == (len(self.tables) if self.given is None else self.given):
                factors[~(factors > 0).any(axis=1)] = 1.0  # nothing is like it: all rows count
        return factors, cell

    # Cells ----------------------------------------------------------------------------------------------------------

    @cached_property
    def _low(self) -> Array:
        return self.values.min(axis=0)

    @cached_property
    def _sums(self) -> list[KernelSum]:
        """Sums of the weights, and of weights times values above their least."""
        # Wider cells than the tolerance asks for: their errors are known, and what they miss is found by pairs.
        plain = replace(self._plain, rtol=max(self.rtol, 1e-7))
        above = (self.values - self._low) * self.w[:, None]
        return [plain, *(replace(plain, weights=np.ascontiguousarray(column)) for column in above.T)]

    @cached_property
    def _plain(self) -> KernelSum:
        rtol = max(self.rtol, 1e-9)
        return KernelSum(self.kernel, self.points, self.weights, None, self.units, rtol, ends=self._ends)

    def _by_cells(self, places: Places) -> Averages | None:
        """Averages by sums over cells, where these are quicker; what they can't tell well enough is found by pairs."""
        (n, d), Q, own, left = self.points.shape, places.Q, places.own, places.left
        if self.kernel.name != "gaussian" or d > 2 or n * len(Q) < 2e7 or self.rtol > 1e-3:
            return None
        plain, *above = self._sums
        found = plain.approximate(Q, len(self._sums))
        if found is None:
            return None
        total, off = found
        less = 0.0 if own is None or left is None else self.w[own] - left
        total, off = total - less, off + 2.0**-50 * total
        value, bad = np.empty((len(Q), len(above))), ~(total > off)
        with np.errstate(divide="ignore", invalid="ignore"):
            for c, sums in enumerate(above):
                reach = float(np.ptp(self.values[:, c]))
                if not sums.total > 0:
                    value[:, c] = self._low[c]
                    continue
                most, error = sums._by_cells(Q)
                error = error + 2.0**-50 * most
                if own is not None:
                    most = most - less * (self.values[own, c] - self._low[c])
                value[:, c] = np.clip(most / total, 0.0, reach)
                bad |= ~(error + value[:, c] * off <= max(self.rtol, 1e-9) * reach * (total - off))
                value[:, c] += self._low[c]
            log_sum = np.log(np.maximum(total, 0.0))
        again = np.flatnonzero(bad)
        if len(again):
            mended = self._by_pairs(places.take(again), False)
            log_sum[again], value[again] = mended.log_sum, mended.value
        return Averages(log_sum, value)

    # Any kernel -----------------------------------------------------------------------------------------------------

    def _by_function(self, places: Places, lines: bool) -> Averages:
        """A kernel that is a function, in NumPy."""
        (n, d), Q, own, left = self.points.shape, places.Q, places.own, places.left
        factors, cell = self._factors(places.codes, len(Q))
        group = np.zeros(n, dtype=np.int64) if self.codes is None else self._kinds[1]
        width = max(1, 2**18 // n)
        parts: list[Averages] = []
        for begin in range(0, len(Q), width):
            part = slice(begin, begin + width)
            u = (self.points - Q[part, None]) / self.units
            r = np.sqrt((u**2).sum(axis=2))
            w = np.broadcast_to(self.w, r.shape).copy()
            if own is not None and left is not None:
                w[np.arange(len(r)), own[part]] = left[part]
            w *= factors[cell[part]][:, group]
            k = w * self.kernel.at(r)
            total = k.sum(axis=1)
            far = np.flatnonzero(~(total > 0))
            if len(far):  # the nearest rows count alone
                near = np.where(w[far] > 0, r[far], np.inf)
                k[far] = np.where(near <= near.min(axis=1, keepdims=True) * (1 + 1e-12), w[far], 0.0)
            with np.errstate(divide="ignore", invalid="ignore"):
                log_sum = np.log(total)
                k /= k.sum(axis=1, keepdims=True)
            more: tuple[Array, ...] = ()
            if lines:
                ku = k[:, :, None] * u
                more = (ku.sum(axis=1), np.einsum("mni,mnj->mij", ku, u), np.einsum("mni,nc->mic", ku, self.values))
            parts.append(Averages(log_sum, k @ self.values, *more))
        return _joined(parts, np.arange(len(Q)), (d, self.values.shape[1]), lines)


def _joined(parts: list[Averages], order: NDArray[np.int64], shape: tuple[int, int], lines: bool) -> Averages:
    """Averages of blocks of queries as one, in the order of the queries."""
    (d, C), m = shape, len(order)
    shapes = {"log_sum": (), "value": (C,)}
    if lines:
        shapes |= {"place": (d,), "square": (d, d), "product": (d, C)}
    out = {}
    for name, rest in shapes.items():
        out[name] = np.empty((m, *rest))
        if parts:
            out[name][order] = np.concatenate([getattr(part, name) for part in parts])
    return Averages(**out)


def _distinct(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Different rows of codes, and which of them each row is."""
    rows, inverse = np.unique(codes, axis=0, return_inverse=True)
    return rows, np.ascontiguousarray(inverse.reshape(-1), dtype=np.int64)
