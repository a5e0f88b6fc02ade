"""Densities of values given columns, by kernels: p(y | x) = sum_i l_i(x) K(y - y_i), l the weights of a regression."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

from parzen.kernels.arrays import Array
from parzen.local import Category, LocalSum
from parzen.profiles import PROFILES
from parzen.regression import Codes
from parzen.summation import effective_rows, without_each

GAUSSIAN = PROFILES["gaussian"]
#: Logarithm of a sum of weights below which logarithms of sums are compared with too few digits.
FAR = -300.0


@dataclass(frozen=True, eq=False)
class Pairs:
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
    def w(self) -> Array:
        """Weights, one for each row."""
        return np.ones(len(self.X)) if self.weights is None else self.weights

    @cached_property
    def effective(self) -> float:
        """How many rows there are."""
        return effective_rows(self.weights, len(self.X))

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
        joint = _sums(self.columns, both, numbers, [*tables, *shares], self.weights, self.Y[:, :0], rtol)
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
    X: Array, codes: Codes, h: Array, tables: list[Array], weights: Array | None, values: Array, rtol: float
) -> LocalSum:
    if not X.shape[1]:
        X, h = np.zeros((len(X), 1)), np.ones(1)
    return LocalSum(GAUSSIAN, np.ascontiguousarray(X), values, weights, h, codes, tables, rtol)


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
        places = _nowhere(np.column_stack([Q, Y]))
        below = self.given.log(_nowhere(Q), codes, own, left)
        out = self.joint.log(places, _joined(codes, labels), own, left) - below + self._constant
        far = np.flatnonzero(~(below > FAR))
        if len(far) and own is None:
            for rows in _blocks(len(far), len(self.rows.X)):
                at = far[rows]
                few = None if codes is None else codes[at]
                log_share = np.log(np.maximum(self.given.shares(_nowhere(Q[at]), few), 1e-300))
                near = self._log_kernels(Y[at], None if labels is None else labels[at])
                out[at] = special.logsumexp(log_share + near, axis=1) + self._constant
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
                total += np.log(np.maximum(share[labels[:, j]][:, self.rows.labels[:, j]], 1e-300))
        return total

    def mean(self, Q: Array, codes: Codes) -> Array:
        """Means of the values that are numbers, (m, p): what a regression predicts."""
        return self.given.averages(_nowhere(Q), codes).value

    def variance(self, Q: Array, codes: Codes) -> Array:
        """Their variances, (m, p)."""
        centre = self.rows.Y.mean(axis=0)
        off = self.rows.Y - centre
        found = LocalSum(
            GAUSSIAN, self.given.points, np.column_stack([off, off**2]), self.given.weights, self.given.units,
            self.given.codes, self.given.tables, self.given.rtol,
        ).averages(_nowhere(Q), codes).value  # fmt: skip
        p = len(self.h)
        return np.maximum(found[:, p:] - found[:, :p] ** 2, 0.0) + self.h**2

    def cdf(self, Q: Array, codes: Codes, y: Array) -> Array:
        """Probability of values up to y (m,), of one column of numbers."""
        return self._over(Q, codes, lambda share, rows: (share * self._below(y[rows])).sum(axis=1))

    def _below(self, y: Array) -> Array:
        return np.asarray(special.ndtr((y[:, None] - self.rows.Y[:, 0]) / self.h[0]))

    def quantile(self, Q: Array, codes: Codes, q: Array) -> Array:
        """Values below which the probability is q (m,), of one column of numbers."""
        return self._over(Q, codes, lambda share, rows: self._inverse(share, q[rows]))

    def _inverse(self, share: Array, q: Array) -> Array:
        """Newton's steps, halved where they would leave the stretch in which the value must be."""
        y, h = self.rows.Y[:, 0], float(self.h[0])
        around = h * special.ndtri(np.clip(q, 1e-300, 1.0))
        least, most = (np.where(share > 0, y, end) for end in (np.inf, -np.inf))
        low, high = least.min(axis=1) + around, most.max(axis=1) + around
        x = np.clip((share * y).sum(axis=1), low, high)
        inner = (q > 0) & (q < 1)
        for _ in range(200):
            u = (x[:, None] - y) / h
            off = (share * special.ndtr(u)).sum(axis=1) - q
            slope = (share * np.exp(-0.5 * u**2)).sum(axis=1) / (h * np.sqrt(2 * np.pi))
            low, high = np.where(off < 0, x, low), np.where(off < 0, high, x)
            with np.errstate(divide="ignore", invalid="ignore"):
                step = x - off / slope
            new = np.where((step > low) & (step < high), step, low + 0.5 * (high - low))
            moved, x = np.abs(new - x), np.where(inner, new, x)
            if not (moved > 1e-13 * (h + np.abs(x)))[inner].any():
                break
        return np.where(q <= 0, -np.inf, np.where(q >= 1, np.inf, x))

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

    def _over(self, Q: Array, codes: Codes, function: Callable[[Array, slice], Array]) -> Array:
        """A function of the weights of all rows around each place, block by block."""
        out = np.empty(len(Q))
        for rows in _blocks(len(Q), len(self.rows.X)):
            share = self.given.shares(_nowhere(Q[rows]), None if codes is None else codes[rows])
            out[rows] = function(share, rows)
        return out


def _nowhere(Q: Array) -> Array:
    """Columns of numbers, or one of zeros where there are none."""
    return Q if Q.shape[1] else np.zeros((len(Q), 1))


def _blocks(m: int, n: int) -> Iterator[slice]:
    width = max(1, 2**19 // max(n, 1))
    return (slice(begin, begin + width) for begin in range(0, m, width))
