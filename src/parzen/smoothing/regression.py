"""Kernel regression: the local constant (Nadaraya-Watson) or the local line, and how well a bandwidth does.

A bandwidth is one number for each column: of numbers first, then of categories (see `parzen.smoothing.categories.Category`).
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.local_sums import Averages
from parzen.smoothing.categories import Category
from parzen.smoothing.kernel_functions import KERNEL_FUNCTIONS, KernelFunction
from parzen.smoothing.local import LocalSum
from parzen.smoothing.sums import effective_rows, without_each

Codes = NDArray[np.int64] | None

#: Kernels whose slope is a multiple of another kernel: d k(r) / d q = factor * other(r) * u / h.
SLOPES = {
    "gaussian": (1.0, "gaussian"),
    "epanechnikov": (2.0, "tophat"),
    "biweight": (4.0, "epanechnikov"),
    "triweight": (6.0, "biweight"),
}


#: Share of the squared distance to the rows' mean below which their variance is rounding.
LEAST = 1e-10


@dataclass(frozen=True)
class Lines:
    """Local lines: their values at the queries, their slopes, and what a row at the query weighs in its own value.

    Attributes
    ----------
    value : array of shape (m, C)
    slope : array of shape (m, d, C), in units of the bandwidth
    leverage : array of shape (m,)
        How many times its share of the weights a row at the query counts.
    """

    value: Array
    slope: Array
    leverage: Array


def fit_lines(found: Averages, far: NDArray[np.bool_] | None = None) -> Lines:
    """Lines of least squares around queries, weighted by the kernel.

    Directions in which the rows don't spread have no slope, nor have places that are `far` from all rows.
    """
    assert found.place is not None
    assert found.square is not None
    assert found.product is not None
    mean = found.place
    covariance = found.square - mean[:, :, None] * mean[:, None, :]
    joint = found.product - mean[:, :, None] * found.value[:, None, :]
    wild = ~np.isfinite(covariance).all(axis=(1, 2))
    if far is not None:
        wild |= far
    covariance[wild], joint[wild] = 0.0, 0.0
    # A column in which the rows are very far to one side would leave nothing but its rounding to the others.
    aside = np.diagonal(covariance, axis1=1, axis2=2) <= LEAST * mean**2
    covariance[aside[:, :, None] | aside[:, None, :]], joint[aside] = 0.0, 0.0
    if mean.shape[1] == 1:
        spread, axes = covariance[:, :, 0], np.ones((len(mean), 1, 1))
    else:
        spread, axes = np.linalg.eigh(covariance)
    with np.errstate(over="ignore", invalid="ignore"):
        along = np.einsum("mi,mij->mj", mean, axes)
        followed = spread > LEAST * (along**2 + spread.max(axis=1, keepdims=True))
        inverse = np.where(followed, 1.0 / np.where(followed, spread, 1.0), 0.0)
        along = np.where(followed, along, 0.0)
    slope = np.einsum("mij,mj,mkj,mkc->mic", axes, inverse, axes, joint)
    value = found.value - np.einsum("mj,mj,mkj,mkc->mc", along, inverse, axes, joint)
    return Lines(value, slope, 1.0 + (along**2 * inverse).sum(axis=1))


class Weighted:
    """Rows that may have weights."""

    X: Array
    weights: Array | None

    @cached_property
    def w(self) -> Array:
        """Weights, one for each row."""
        return np.ones(len(self.X)) if self.weights is None else self.weights

    @cached_property
    def effective(self) -> float:
        """How many rows there are."""
        return effective_rows(self.weights, len(self.X))


@dataclass(frozen=True, eq=False)
class Regression(Weighted):
    """Rows whose values are to be predicted from their columns.

    Attributes
    ----------
    kernel : the kernel of the columns of numbers
    X : array of shape (n, d)
        Columns of numbers.
    codes : array of shape (n, e), optional
        Columns of categories.
    kinds : tuple of e `Category`
    Y : array of shape (n, C)
    weights : array of shape (n,), or None where all are one
    order : 0 for a local constant, 1 for a local line

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.smoothing.kernel_functions import kernel_function
    >>> X, Y = np.array([[0.0], [1.0], [2.0]]), np.array([[0.0], [1.0], [5.0]])
    >>> rows = Regression(kernel_function("gaussian"), X, None, (), Y)
    >>> rows.predicted(rows.sums(np.ones(1)), np.array([[1.0]])).round(3)
    array([[1.822]])
    """

    kernel: KernelFunction
    X: Array
    codes: Codes
    kinds: tuple[Category, ...]
    Y: Array
    weights: Array | None = None
    order: int = 0

    @cached_property
    def centre(self) -> Array:
        """Mean of the values: what is predicted is relative to it, so that an offset costs no digits."""
        return np.asarray(np.average(self.Y, axis=0, weights=self.weights))

    @cached_property
    def variance(self) -> Array:
        """Variance of each value, 1 where it is constant."""
        found = np.average((self.Y - self.centre) ** 2, axis=0, weights=self.weights)
        return np.where(found > 0, found, 1.0)

    def sums(self, bandwidth: Array, rtol: float = 1e-15) -> LocalSum:
        """The rows, ready to be averaged, at a bandwidth for each column."""
        d = self.X.shape[1]
        tables = [kind.table(float(one)) for kind, one in zip(self.kinds, bandwidth[d:], strict=True)]
        values = self.Y - self.centre
        if d:
            return LocalSum(self.kernel, self.X, values, self.weights, bandwidth[:d], self.codes, tables, rtol)
        nowhere = np.zeros((len(self.X), 1))
        return LocalSum(self.kernel, nowhere, values, self.weights, np.ones(1), self.codes, tables, rtol)

    def around(self, sums: LocalSum, Q: Array, codes: Codes = None, **rest: Any) -> Averages:
        """Averages around rows."""
        Q = Q if Q.shape[1] else np.zeros((len(Q), 1))
        return sums.averages(Q, codes, lines=self.order == 1, **rest)

    def predicted(self, sums: LocalSum, Q: Array, codes: Codes = None, **rest: Any) -> Array:
        """Predictions for rows Q (m, d) with categories `codes` (m, e), (m, C)."""
        found = self.around(sums, Q, codes, **rest)
        return (found.value if self.order == 0 else fit_lines(found, sums.far(found)).value) + self.centre

    def without_themselves(self, sums: LocalSum) -> Array:
        """Predictions for the rows, each from all the others, (n, C)."""
        left, rest = without_each(self.w)
        if not (rest > 0).all():
            raise ValueError("a row left out leaves none (n_samples = 1): give more rows, or bandwidth a number.")
        return self.predicted(sums, self.X, self.codes, own=np.arange(len(self.X)), left=left)

    def squared_error(self, bandwidth: Array) -> float:
        """Cross-validation: mean squared error of rows predicted from all others, in units of the values' variance."""
        error = self.Y - self.without_themselves(self.sums(bandwidth, 1e-6))
        return float(np.average((error**2 / self.variance).mean(axis=1), weights=self.weights))

    def corrected_aic(self, bandwidth: Array) -> float:
        """The corrected AIC of Hurvich, Simonoff and Tsai (1998)."""
        sums = self.sums(bandwidth, 1e-6)
        found = self.around(sums, self.X, self.codes)
        fitted = Lines(found.value, np.empty(0), np.ones(len(self.X))) if self.order == 0 else fit_lines(found)
        share = self.w * np.exp(-found.log_sum) * float(self.kernel.at(np.zeros(1))[0])
        trace, n = float((share * fitted.leverage).sum()), self.effective
        error = ((self.Y - self.centre - fitted.value) ** 2 / self.variance).mean(axis=1)
        left = 1.0 - (trace + 2.0) / n
        if not left > 0:
            return np.inf
        scatter = max(float(np.average(error, weights=self.weights)), 1e-12)  # below, it is rounding
        return float(np.log(scatter) + (1.0 + trace / n) / left)

    def slopes(self, sums: LocalSum, Q: Array, codes: Codes = None) -> Array:
        """Derivatives of the prediction by the columns of numbers, (m, d, C).

        Of local lines the lines' own slopes; of local constants the slope of the curve that is predicted.
        """
        if self.order == 1:
            found = sums.averages(Q, codes, lines=True)
            return fit_lines(found, sums.far(found)).slope / sums.units[:, None]
        if self.kernel.name == "tophat":
            return np.zeros((len(Q), sums.points.shape[1], self.Y.shape[1]))
        if self.kernel.name not in SLOPES:
            return self._differences(sums, Q, codes)
        factor, name = SLOPES[self.kernel.name]
        value = sums.averages(Q, codes)
        found = replace(sums, kernel=KERNEL_FUNCTIONS[name]).averages(Q, codes, lines=True)
        assert found.place is not None
        assert found.product is not None
        if name == self.kernel.name:  # from the same sums, whose parts cancel
            value = found
        with np.errstate(invalid="ignore", over="ignore"):
            share = factor * np.exp(found.log_sum - value.log_sum)
        share = np.where(np.isfinite(found.log_sum) & np.isfinite(value.log_sum), share, 0.0)
        taken = found.place[:, :, None] * value.value[:, None, :]
        change = found.product - taken
        change[np.abs(change) <= 1e-13 * np.abs(taken)] = 0.0  # nothing but rounding
        return share[:, None, None] * change / sums.units[:, None]

    def _differences(self, sums: LocalSum, Q: Array, codes: Codes) -> Array:
        """Slopes by differences, of kernels that have a kink."""
        out = np.empty((len(Q), Q.shape[1], self.Y.shape[1]))
        for j in range(Q.shape[1]):
            step = np.maximum(1e-5 * sums.units[j], 4.0 * np.spacing(np.abs(Q[:, j])))
            sides = []
            for sign in (1.0, -1.0):
                moved = Q.copy()
                moved[:, j] += sign * step
                sides.append((moved[:, j], sums.averages(moved, codes).value))
            (right, above), (left, below) = sides
            out[:, j] = (above - below) / (right - left)[:, None]
        return out
