"""Kernel regression: the local constant (Nadaraya-Watson) or the local line, and how well a bandwidth does.

A bandwidth is one number for each column: of numbers first, then of categories (see `parzen.smoothing.categories`).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.device import is_device, routine
from parzen.compute.local_sums import Averages
from parzen.smoothing.categories import Category
from parzen.smoothing.kernel_functions import KernelFunction
from parzen.smoothing.local import LocalSum
from parzen.smoothing.local_lines import Lines, fit_lines
from parzen.smoothing.row_weights import Weighted, without_each
from parzen.smoothing.slopes import constant_slopes

Codes = NDArray[np.int64] | None


@dataclass(frozen=True, eq=False)
class Regression(Weighted):
    """Rows whose values are predicted from their columns, before a bandwidth is chosen.

    Attributes
    ----------
    kernel : the kernel function of the columns of numbers
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
        """Mean of the values; averages are taken about it, so that an offset costs no digits."""
        return np.asarray(np.average(self.Y, axis=0, weights=self.weights))

    @cached_property
    def _reach(self) -> Array:
        return np.asarray(np.ptp(self.X, axis=0))

    @cached_property
    def variance(self) -> Array:
        """Variance of each value, 1 where it is constant."""
        found = np.average((self.Y - self.centre) ** 2, axis=0, weights=self.weights)
        return np.where(found > 0, found, 1.0)

    def sums(self, bandwidth: Array, rtol: float = 1e-15) -> LocalSum:
        """Local sums of the rows, with a bandwidth for each column."""
        d = self.X.shape[1]
        tables = [kind.table(float(one)) for kind, one in zip(self.kinds, bandwidth[d:], strict=True)]
        values = self.Y - self.centre
        if d:
            # Wider ones weigh all rows alike; squares of differences must not be too small to be numbers.
            units = np.minimum(bandwidth[:d], np.where(self._reach > 0, 1e140 * self._reach, np.inf))
            return LocalSum(self.kernel, self.X, values, self.weights, units, self.codes, tables, rtol)
        nowhere = np.zeros((len(self.X), 1))
        return LocalSum(self.kernel, nowhere, values, self.weights, np.ones(1), self.codes, tables, rtol)

    def around(self, sums: LocalSum, Q: Array, codes: Codes = None, **rest: Any) -> Averages:
        """Local averages around query points."""
        Q = Q if Q.shape[1] else np.zeros((len(Q), 1))
        return sums.averages(Q, codes, lines=self.order == 1, **rest)

    def predicted(self, sums: LocalSum, Q: Array, codes: Codes = None, **rest: Any) -> Array:
        """Predictions (m, C) at query points Q (m, d) with categories `codes` (m, e)."""
        found = self.around(sums, Q, codes, **rest)
        value: Any = found.value
        if is_device(value):
            there: Array = value.plus(routine("beside")(Q, self.centre))
            return there
        return (found.value if self.order == 0 else fit_lines(found, sums.far(found)).value) + self.centre

    def leave_one_out(self, sums: LocalSum) -> Array:
        """Leave-one-out predictions of the rows, (n, C)."""
        left, rest = without_each(self.w)
        if not (rest > 0).all():
            raise ValueError(
                "leave-one-out needs at least two rows, got n_samples = 1; give more rows, or bandwidth a number."
            )
        return self.predicted(sums, self.X, self.codes, own=np.arange(len(self.X)), left=left)

    def squared_error(self, bandwidth: Array) -> float:
        """Mean squared leave-one-out error, in units of the values' variance."""
        error = self.Y - self.leave_one_out(self.sums(bandwidth, 1e-6))
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

        With local lines, the slopes of the lines; with local constants, the derivatives of the predicted curve.
        """
        if self.order == 1:
            found = sums.averages(Q, codes, lines=True)
            return fit_lines(found, sums.far(found)).slope / sums.units[:, None]
        return constant_slopes(sums, Q, codes)
