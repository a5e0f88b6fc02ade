"""Densities of values given columns, by kernels: p(y | x) = sum_i l_i(x) K(y - y_i), l the weights of a regression."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

from parzen.compute.arrays import Array
from parzen.smoothing.categories import Category
from parzen.smoothing.kernel_functions import KERNEL_FUNCTIONS
from parzen.smoothing.local import LocalSum, Places
from parzen.smoothing.regression import Codes, Weighted
from parzen.smoothing.sums import without_each

GAUSSIAN = KERNEL_FUNCTIONS["gaussian"]
#: Logarithm of a sum of weights below which logarithms of sums are compared with too few digits.
FAR = -300.0


@dataclass(frozen=True, eq=False)
class Pairs(Weighted):
    """Rows of what is given and of values, before a bandwidth is chosen.

    Attributes
    ----------
    X, codes, kinds : columns of numbers (n, d) and of categories (n, e) that are given
    Y, labels, sorts : the same of the values: (n, p) and (n, q)
    weights : array of shape (n,), or None where all are one
    """

    X: Array
    codes: Codes
    kinds: tuple[Category, ...]
    Y: Array
    labels: Codes
    sorts: tuple[Category, ...]
    weights: Array | None = None

    @cached_property
    def columns(self) -> Array:
        """All columns of numbers: given ones first."""
        return np.column_stack([self.X, self.Y])

    @property
    def all_kinds(self) -> tuple[Category, ...]:
        """All columns of categories: given ones first."""
        return self.kinds + self.sorts

    def at(self, bandwidth: Array, rtol: float = 1e-12) -> "ConditionalWindows":
        """The density at bandwidths: of all columns of numbers, then of all columns of categories."""
        d, p, e = self.X.shape[1], self.Y.shape[1], len(self.kinds)
        numbers, lambdas = bandwidth[: d + p], bandwidth[d + p :]
        tables = [kind.table(float(one)) for kind, one in zip(self.kinds, lambdas[:e], strict=True)]
        shares = [_with_unseen(sort.shares(float(one))) for sort, one in zip(self.sorts, lambdas[e:], strict=True)]
        given = _sums(self.X, self.codes, numbers[:d], tables, self.weights, self.Y, rtol)
        both = _joined(self.codes, self.labels)
        joint = _sums(self.columns, both, numbers, [*tables, *shares], self.weights, self.Y[:, :0], rtol, e)
        return ConditionalWindows(self, bandwidth, given, joint, numbers[d:], shares)

    def unlikelihood(self, bandwidth: Array) -> float:
        """Less the mean log-density of rows, each under all the others."""
        left, rest = without_each(self.w)
        if not (rest > 0).all():
            raise ValueError("a row left out leaves none (n_samples = 1): give more rows, or bandwidth numbers.")
        values = self.at(bandwidth, 1e-7).log_density(
            self.X, self.codes, self.Y, self.labels, np.arange(len(left)), left
        )
        return -float(np.average(values, weights=self.weights))


def _sums(
    X: Array,
    codes: Codes,
    h: Array,
    tables: list[Array],
    weights: Array | None,
    values: Array,
    rtol: float,
    given: int | None = None,
) -> LocalSum:
    if not X.shape[1]:
        X, h = np.zeros((len(X), 1)), np.ones(1)
    return LocalSum(GAUSSIAN, np.ascontiguousarray(X), values, weights, h, codes, tables, rtol, given)


def _joined(codes: Codes, labels: Codes) -> Codes:
    parts = [part for part in (codes, labels) if part is not None]
    return np.ascontiguousarray(np.concatenate(parts, axis=1)) if parts else None


def _with_unseen(shares: Array) -> Array:
    return np.vstack([shares, np.zeros(shares.shape[1])])


@dataclass(frozen=True, eq=False)
class ConditionalWindows:
    """The density of values given columns.

    Attributes
    ----------
    rows : Pairs
    bandwidth : array
        Of all columns of numbers, then of all columns of categories; given ones first.
    given : sums over the given columns
    joint : sums over all columns
    h : array of shape (p,)
        Bandwidths of the values that are numbers.
    shares : probabilities of categories around each one, for each column of values that are categories
    """

    rows: Pairs
    bandwidth: Array
    given: LocalSum
    joint: LocalSum
    h: Array
    shares: list[Array]

    def log_density(
        self,
        Q: Array,
        codes: Codes,
        Y: Array,
        labels: Codes = None,
        own: NDArray[np.int64] | None = None,
        left: Array | None = None,
    ) -> Array:
        """Logarithm of p(y | x) of rows and values, (m,); with `own`, each without itself."""
        unseen = np.zeros(len(Q), dtype=bool)
        if labels is not None:
            unseen = (labels == [sort.size for sort in self.rows.sorts]).any(axis=1)
        given = Places(_nowhere(Q), codes, own, left)
        both = Places(_nowhere(np.column_stack([Q, Y])), _joined(codes, labels), own, left)
        below = self.given.log(given)
        with np.errstate(invalid="ignore"):
            out = self.joint.log(both) - below + self._constant
        far = np.flatnonzero(~(below > FAR))
        for rows in _blocks(len(far), len(self.rows.X)):
            at = far[rows]
            near = self._log_kernels(Y[at], None if labels is None else labels[at])
            out[at] = special.logsumexp(self.given.log_shares(given.take(at)) + near, axis=1) + self._constant
        return np.where(unseen, -np.inf, out)

    @property
    def _constant(self) -> float:
        return float(-0.5 * len(self.h) * np.log(2 * np.pi) - np.log(self.h).sum())

    def _log_kernels(self, Y: Array, labels: Codes) -> Array:
        """Logarithms of the kernels of values around every row's, 0 where they are equal numbers, (m, n)."""
        total = np.zeros((len(Y), len(self.rows.X)))
        for j, h in enumerate(self.h):
            total -= 0.5 * ((Y[:, j, None] - self.rows.Y[:, j]) / h) ** 2
        if labels is not None and self.rows.labels is not None:
            for j, share in enumerate(self.shares):
                with np.errstate(divide="ignore"):
                    total += np.log(share)[labels[:, j]][:, self.rows.labels[:, j]]
        return total

    def mean(self, Q: Array, codes: Codes) -> Array:
        """Means of the values that are numbers, (m, p): what a regression predicts."""
        return self.given.averages(_nowhere(Q), codes).value

    def variance(self, Q: Array, codes: Codes) -> Array:
        """Their variances, (m, p)."""
        mean, Y = self.mean(Q, codes), self.rows.Y

        def around(share: Array, rows: slice) -> Array:
            return np.stack([(share * (Y[:, j] - mean[rows, j, None]) ** 2).sum(axis=1) for j in range(Y.shape[1])], 1)

        return self._over(Q, codes, around, len(self.h)) + self.h**2

    def cdf(self, Q: Array, codes: Codes, y: Array) -> Array:
        """Probability of values up to y (m,), of one column of numbers."""

        def below(share: Array, rows: slice) -> Array:
            return (share * special.ndtr((y[rows, None] - self.rows.Y[:, 0]) / self.h[0])).sum(axis=1)

        return self._over(Q, codes, below)

    def quantile(self, Q: Array, codes: Codes, levels: Array) -> Array:
        """Values below which the probabilities are levels (L,), of one column of numbers, (m, L)."""
        order = np.argsort(self.rows.Y[:, 0], kind="stable")
        centre = float(self.rows.Y[order[len(order) // 2], 0])
        y = self.rows.Y[order, 0] - centre

        def inverse(share: Array, rows: slice) -> Array:
            return np.stack([_inverse(y, one[order], float(self.h[0]), levels) for one in share]) + centre

        return self._over(Q, codes, inverse, len(levels))

    def sample(self, Q: Array, codes: Codes, rng: np.random.Generator) -> tuple[Array, Codes]:
        """A draw for each row: values that are numbers (m, p), and categories (m, q)."""
        u = rng.random(len(Q))

        def choice(share: Array, rows: slice) -> Array:
            below = np.cumsum(share, axis=1)
            return np.minimum((below < u[rows, None] * below[:, -1:]).sum(axis=1), share.shape[1] - 1).astype(float)

        around = self._over(Q, codes, choice).astype(np.int64)
        Y = self.rows.Y[around] + self.h * rng.standard_normal((len(Q), len(self.h)))
        if self.rows.labels is None:
            return Y, None
        drawn = np.empty((len(Q), len(self.shares)), dtype=np.int64)
        for j, share in enumerate(self.shares):
            below = np.cumsum(share[:-1, self.rows.labels[around, j]], axis=0)
            drawn[:, j] = np.minimum((below < rng.random(len(Q))).sum(axis=0), len(below) - 1)
        return Y, drawn

    def _over(self, Q: Array, codes: Codes, function: Callable[[Array, slice], Array], width: int = 0) -> Array:
        """A function of the weights of all rows around each place, block by block, (m,) or (m, width)."""
        out, given = np.empty((len(Q), width) if width else len(Q)), Places(_nowhere(Q), codes)
        for rows in _blocks(len(Q), len(self.rows.X)):
            share = np.exp(self.given.log_shares(given.take(rows)))
            out[rows] = function(share, rows)
        return out


def _inverse(y: Array, share: Array, h: float, levels: Array) -> Array:
    """Where a sum of Gaussians around rising places y, with shares, reaches levels: Newton's steps, kept in bounds."""
    near = share > 1e-25 * share.max()
    y, share = y[near], share[near]
    ends, q = (levels <= 0, levels >= 1), np.where((levels > 0) & (levels < 1), levels, 0.5)
    around = h * special.ndtri(q)
    low, high = y[0] + around, y[-1] + around
    x = np.clip(y[np.minimum(np.searchsorted(np.cumsum(share), q * share.sum()), len(y) - 1)], low, high)
    if len(y) > 1024:  # first with neighbours put together, which is nearly as good a place
        begin = np.arange(0, len(y), len(y) // 256)
        mass = np.add.reduceat(share, begin)
        x = np.clip(_inverse(np.add.reduceat(share * y, begin) / mass, mass, h, q), low, high)
    for _ in range(200):
        u = (x[:, None] - y) / h
        off = special.ndtr(u) @ share - q
        slope = np.exp(-0.5 * u**2) @ share / (h * np.sqrt(2 * np.pi))
        low, high = np.where(off < 0, x, low), np.where(off < 0, high, x)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = x - off / slope
        new = np.where((step >= low) & (step <= high), step, low + 0.5 * (high - low))
        moved, x = np.abs(new - x), new
        if not (moved > 1e-13 * (h + np.abs(x))).any():
            break
    return np.where(ends[0], -np.inf, np.where(ends[1], np.inf, x))


def _nowhere(Q: Array) -> Array:
    """Columns of numbers, or one of zeros where there are none."""
    return Q if Q.shape[1] else np.zeros((len(Q), 1))


def _blocks(m: int, n: int) -> Iterator[slice]:
    width = max(1, 2**19 // max(n, 1))
    return (slice(begin, begin + width) for begin in range(0, m, width))
