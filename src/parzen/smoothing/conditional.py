"""Conditional densities by kernels: p(y | x) = sum_i l_i(x) K(y - y_i), l the weights of a kernel regression."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

from parzen.compute.arrays import Array
from parzen.smoothing.conditional_rows import Pairs, joined_codes
from parzen.smoothing.local import LocalSum
from parzen.smoothing.quantiles import mixture_quantiles
from parzen.smoothing.queries import Queries
from parzen.smoothing.regression import Codes
from parzen.smoothing.row_weights import without_each
from parzen.smoothing.weighted_line import LineCells
from parzen.statistics.threads import for_each

#: Probability below which (on either side) it is summed over all rows, to all its digits.
TAIL = 1e-4
#: Logarithm of a sum of weights below which the difference of two log-sums has too few digits.
FAR = -300.0


@dataclass(frozen=True, eq=False)
class ConditionalWindows:
    """Conditional density of values given columns, at chosen bandwidths.

    Attributes
    ----------
    rows : Pairs
    bandwidth : array
        Of all columns of numbers, then of all columns of categories; given ones first.
    given : local sums over the given columns
    joint : local sums over all columns
    h : array of shape (p,)
        Bandwidths of the values that are numbers.
    shares : probabilities of categories under the kernel of each one, for each column of values that are categories
    """

    rows: Pairs
    bandwidth: Array
    given: LocalSum
    joint: LocalSum
    h: Array
    shares: list[Array]

    @classmethod
    def of(cls, rows: Pairs, bandwidth: Array, rtol: float = 1e-12) -> "ConditionalWindows":
        """The density of rows at bandwidths: of all columns of numbers, then of all columns of categories."""
        return cls(rows, bandwidth, *rows.sums(bandwidth, rtol))

    def log_density(
        self,
        Q: Array,
        codes: Codes,
        Y: Array,
        labels: Codes = None,
        own: NDArray[np.int64] | None = None,
        left: Array | None = None,
    ) -> Array:
        """Logarithm of p(y | x) of rows and values, (m,); with `own`, leave-one-out."""
        unseen = np.zeros(len(Q), dtype=bool)
        if labels is not None:
            unseen = (labels == [sort.size for sort in self.rows.sorts]).any(axis=1)
        given = Queries(_with_column(Q), codes, own, left)
        both = Queries(_with_column(np.column_stack([Q, Y])), joined_codes(codes, labels), own, left)
        below = self.given.log(given)
        with np.errstate(invalid="ignore"):
            out = self.joint.log(both) - below + self._constant
        far = np.flatnonzero(~(below > FAR))
        for rows in _blocks(len(far), len(self.rows.X)):
            at = far[rows]
            near = self._log_kernels(Y[at], None if labels is None else labels[at])
            out[at] = special.logsumexp(self.given.log_weights(given.take(at)) + near, axis=1) + self._constant
        return np.where(unseen, -np.inf, out)

    @property
    def _constant(self) -> float:
        return float(-0.5 * len(self.h) * np.log(2 * np.pi) - np.log(self.h).sum())

    def _log_kernels(self, Y: Array, labels: Codes) -> Array:
        """Logarithms of the kernels between values and the values of all rows, 0 for equal numbers, (m, n)."""
        total = np.zeros((len(Y), len(self.rows.X)))
        for j, h in enumerate(self.h):
            total -= 0.5 * ((Y[:, j, None] - self.rows.Y[:, j]) / h) ** 2
        if labels is not None and self.rows.labels is not None:
            for j, share in enumerate(self.shares):
                with np.errstate(divide="ignore"):
                    total += np.log(share)[labels[:, j]][:, self.rows.labels[:, j]]
        return total

    def mean(self, Q: Array, codes: Codes) -> Array:
        """Means of the values that are numbers, (m, p): the regression."""
        return self.given.averages(_with_column(Q), codes).value

    def variance(self, Q: Array, codes: Codes) -> Array:
        """Variances of the values that are numbers, (m, p)."""
        mean, Y = self.mean(Q, codes), self.rows.Y

        def around(share: Array, rows: slice) -> Array:
            return np.stack([(share * (Y[:, j] - mean[rows, j, None]) ** 2).sum(axis=1) for j in range(Y.shape[1])], 1)

        return self._over(Q, codes, around, len(self.h)) + self.h**2

    def cdf(self, Q: Array, codes: Codes, y: Array, upper: bool = False) -> Array:
        """Probability of values up to y (m,), or with `upper` above y, of one column of numbers."""
        sign, cells = -1.0 if upper else 1.0, self._cells

        def below(share: Array, rows: slice) -> Array:
            if cells is None:
                return summed(share, y[rows])
            found = cells.weighted(share).at(np.arange(len(share)), y[rows])[0]
            found = 1.0 - found if upper else found
            small = np.flatnonzero(~(found > TAIL))  # a small probability, to all its digits
            found[small] = summed(share[small], y[rows][small])
            return found

        def summed(share: Array, at: Array) -> Array:
            return (share * special.ndtr(sign * (at[:, None] - self.rows.Y[:, 0]) / self.h[0])).sum(axis=1)

        return self._over(Q, codes, below)

    @cached_property
    def _cells(self) -> LineCells | None:
        return LineCells.of(self.rows.Y[:, 0], float(self.h[0]))

    def quantile(self, Q: Array, codes: Codes, levels: Array) -> Array:
        """Quantiles at levels (L,) of one column of numbers, (m, L)."""
        order = np.argsort(self.rows.Y[:, 0], kind="stable")
        centre, cells = float(self.rows.Y[order[len(order) // 2], 0]), self._cells
        y = self.rows.Y[order, 0] - centre
        inner = (levels > TAIL) & (levels < 1.0 - TAIL) & (cells is not None)

        def inverse(share: Array, rows: slice) -> Array:
            out = np.empty((len(share), len(levels)))
            if cells is not None and inner.any():
                out[:, inner] = cells.weighted(share).quantiles(levels[inner])
            if not inner.all():
                h, rest = float(self.h[0]), levels[~inner]
                out[:, ~inner] = centre + np.stack([mixture_quantiles(y, one[order], h, rest) for one in share])
            return out

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
        """A function of the weights of all rows around each query, in blocks on all threads, (m,) or (m, width)."""
        out, given = np.empty((len(Q), width) if width else len(Q)), Queries(_with_column(Q), codes)

        def write(rows: slice) -> None:
            out[rows] = function(self.given.shares(given.take(rows)), rows)

        for_each(write, _blocks(len(Q), len(self.rows.X)))
        return out


def negative_log_likelihood(rows: Pairs, bandwidth: Array) -> float:
    """Minus the mean leave-one-out log-density of the rows at bandwidths."""
    left, rest = without_each(rows.w)
    if not (rest > 0).all():
        raise ValueError(
            "leave-one-out needs at least two rows, got n_samples = 1; give more rows, or bandwidth numbers."
        )
    density = ConditionalWindows.of(rows, bandwidth, 1e-7)
    values = density.log_density(rows.X, rows.codes, rows.Y, rows.labels, np.arange(len(left)), left)
    return -float(np.average(values, weights=rows.weights))


def _with_column(Q: Array) -> Array:
    """Columns of numbers, or one of zeros where there are none."""
    return Q if Q.shape[1] else np.zeros((len(Q), 1))


def _blocks(m: int, n: int) -> Iterator[slice]:
    width = max(1, 2**19 // max(n, 1))
    return (slice(begin, begin + width) for begin in range(0, m, width))
