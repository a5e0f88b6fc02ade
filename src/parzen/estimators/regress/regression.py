"""Kernel regression: the Nadaraya-Watson estimator and local linear regression."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array, on_host
from parzen.estimators.base.tensors import TensorMixin
from parzen.estimators.base.validation import drop_zero_weight, table, transactional, weights
from parzen.estimators.regress.bandwidths import given_bandwidths, searched_bandwidths
from parzen.estimators.regress.columns import Inputs, later
from parzen.estimators.regress.targets import numeric_targets
from parzen.smoothing.bandwidth.regression_columns import RegressionColumns
from parzen.smoothing.kernel_functions import kernel_function
from parzen.smoothing.local import LocalSum
from parzen.smoothing.regression import Regression
from parzen.storage.files import SaveMixin

#: Criteria by which bandwidths of a regression are chosen.
CRITERIA = {"cv": Regression.squared_error, "aicc": Regression.corrected_aic}

#: How many columns of a matrix of weights are computed at once.
OUTPUTS = 64


class KernelRegressor(TensorMixin, SaveMixin, RegressorMixin, BaseEstimator):
    r"""Kernel regression: the Nadaraya-Watson estimator, or local linear regression.

    A prediction is an average of the targets of neighbouring rows, :math:`m(x) = \sum_i l_i(x) y_i` with weights
    :math:`l_i(x) \propto w_i K((x - x_i) / h)` that sum to one; with ``order=1`` it is the value at x of the line that
    is fitted by least squares with these weights, which has less bias at the boundary of the data.

    Far from all rows the target of the nearest ones is predicted, never NaN: where a compact kernel reaches no row, and
    as the limit of the Gaussian (of the exponential kernel, an average of rows on that side). A local line is
    extrapolated to about ten bandwidths beyond the rows at most.

    Parameters
    ----------
    bandwidth : "cv", "aicc", a rule of `parzen.bandwidth`, float, array or dict
        "cv": the least leave-one-out squared error. "aicc": the corrected AIC of Hurvich, Simonoff and Tsai (1998). A
        rule, such as "silverman", uses X alone. A number is for all columns of numbers; an array has one for each
        column, in the table's order; a dict from columns to bandwidths leaves the others to the rule of thumb. The
        bandwidth of a column of categories is l from 0 (other categories have no weight) to 1 - 1 / size (all have
        equal weight), or to 1 where they are ordered.
    kernel : str or callable
        See `parzen.Kernel`; radial in several columns. A bandwidth is the standard deviation of a Gaussian kernel, the
        radius of a compact one.
    order : 0 or 1
        0: local constant (Nadaraya-Watson); 1: local linear.
    kinds : "auto", str or dict
        Kinds of the columns, as in statsmodels: "c" numbers, "u" categories, "o" ordered categories; one letter for
        each column ("ccu"), or a dict for some. By default text, booleans and categories are categories, ordered where
        their type declares it (other columns of kind "o" are in the order of their values, text in alphabetical order).
        Categories have the kernel of Aitchison and Aitken, ordered ones l^|steps between them|. A category that no row
        has differs equally from all; where they are ordered, it is an error.

    Attributes
    ----------
    bandwidth_ : array of shape (columns,)
        Of each column, in the table's order. "cv" and "aicc" give an irrelevant column a very large one; that of a
        constant column has no meaning.
    kinds_ : str
        A letter for each column.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import KernelRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 6, (300, 1))
    >>> y = np.sin(X[:, 0]) + rng.normal(0, 0.2, 300)
    >>> model = KernelRegressor(order=1).fit(X, y)
    >>> mean, std = model.predict([[1.5], [4.7], [1e6]], return_std=True)
    >>> mean.round(2), std.round(2)
    (array([ 0.95, -1.  , -0.41]), array([0.21, 0.2 , 0.07]))
    >>> model.derivative([[0.5], [1.57]]).round(1)
    array([[ 0.8],
           [-0.1]])
    """

    def __init__(self, bandwidth: Any = "cv", *, kernel: Any = "gaussian", order: int = 0, kinds: Any = "auto") -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.order = order
        self.kinds = kinds

    @transactional
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> None:
        """Choose the bandwidth; the rows are kept.

        Parameters
        ----------
        X : table of shape (n, d): array, pandas or polars
        y : numbers of shape (n,), or (n, C) for several outputs
        sample_weight : array of shape (n,), optional
            Whole numbers are frequencies: a row of weight 2 has a copy, which stays when one of them is left out. Other
            numbers are importance weights.

        Returns
        -------
        self
        """
        if isinstance(self.order, bool) or not isinstance(self.order, int | np.integer) or self.order not in (0, 1):
            raise ValueError(f"order must be 0 (local constant) or 1 (local linear), got {self.order!r}.")
        kernel = kernel_function(self.kernel)
        X = table(self, on_host(X), reset=True, sparse=False)
        values = numeric_targets(X, on_host(y))
        X, w, values = drop_zero_weight(X, weights(sample_weight, X, kept=True), values)
        self.inputs_ = Inputs.learn(X, self.kinds)
        numbers, codes = self.inputs_.read(X, grow=True)
        kernel.log_constant(max(1, numbers.shape[1]))  # one's own kernel may have no integral over several columns
        Y = values[:, None] if values.ndim == 1 else values
        rows = Regression(kernel, numbers, codes, self.inputs_.categories, Y, w, int(self.order))
        self.fitted_ = Fitted(rows, self._bandwidth(rows))
        self.flat_ = values.ndim == 1

    def _bandwidth(self, rows: Regression) -> Array:
        if not isinstance(self.bandwidth, str) or self.bandwidth not in CRITERIA:
            return given_bandwidths(
                self.inputs_, self.bandwidth, tuple(CRITERIA), rows.X, w=rows.weights, kernel=rows.kernel
            )
        if len(rows.X) < 2:
            raise ValueError(
                f"bandwidth={self.bandwidth!r} needs at least two rows, got n_samples = 1; give bandwidth a number."
            )
        scale = rows.kernel.canonical(max(1, rows.X.shape[1]))
        columns = RegressionColumns.of(rows.X, rows.kinds, rows.weights, scale)
        return searched_bandwidths(rows, columns, CRITERIA[self.bandwidth])

    @property
    def bandwidth_(self) -> Array:
        """Bandwidths of the columns, in the table's order."""
        found = self._fit.bandwidth
        return self.inputs_.in_table_order(found)

    @property
    def kinds_(self) -> str:
        """The letter of each column's kind."""
        check_is_fitted(self, "fitted_")
        return self.inputs_.letters

    @property
    def _fit(self) -> "Fitted":
        check_is_fitted(self, "fitted_")
        return self.fitted_

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predictions for rows, of the shape of y.

        Parameters
        ----------
        return_std : whether to add the standard deviation of a new value around its prediction
            The square root of the kernel regression of the squared leave-one-out errors; so it contains the noise of
            the targets and the error of the prediction.

        Returns
        -------
        array of shape (n,) or (n, C), or two of them
        """
        model = self._fit
        Q, codes = later(self, X, device=True)
        found = self._shaped(model.rows.predicted(model.sums, Q, codes))
        if not return_std:
            return found
        if len(model.rows.X) < 2:
            raise ValueError("return_std=True needs a fit to at least two rows, got n_samples = 1.")
        variance = on_host(replace(model.rows, order=0).around(model.errors, Q, codes).value)
        return found, self._shaped(np.sqrt(np.maximum(variance, 0.0)))

    def weights(self, X: Any) -> Array:
        """Weights of the fitted rows in each prediction, (m, n): ``predict(X)`` is ``weights(X) @ y``.

        Those of a row sum to 1. Of a local constant they are not negative; of a local line some may be. Rows that were
        fitted with sample weight 0 are left out.

        Examples
        --------
        >>> from parzen import KernelRegressor
        >>> model = KernelRegressor(bandwidth=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 5.0])
        >>> model.weights([[1.0]]).round(3), model.predict([[1.0]]).round(3)
        (array([[0.274, 0.452, 0.274]]), array([1.822]))
        """
        model = self._fit
        Q, codes = later(self, X)
        n = len(model.rows.X)
        out = np.empty((len(Q), n))
        for first in range(0, n, OUTPUTS):  # predictions are linear in the targets: these are of unit vectors
            some = replace(model.rows, Y=np.eye(n, min(OUTPUTS, n - first), -first))
            out[:, first : first + OUTPUTS] = some.predicted(some.sums(model.bandwidth), Q, codes)
        return out

    def derivative(self, X: Any) -> Array:
        """Derivative of the prediction by each column, (n, d), or (n, d, C) for several outputs.

        With ``order=1`` the slopes of the local lines, else the gradient of the prediction. A column of categories has
        none (NaN).
        """
        model = self._fit
        Q, codes = later(self, X)
        d = model.rows.X.shape[1]
        out = np.full((len(Q), len(self.inputs_.letters), model.rows.Y.shape[1]), np.nan)
        if d:
            out[:, self.inputs_.order[:d]] = model.rows.slopes(model.sums, Q, codes)
        return out[:, :, 0] if self.flat_ else out

    def leave_one_out(self) -> Array:
        """Leave-one-out predictions for the rows of the fit, of the shape of y."""
        return self._shaped(self._fit.left_out)

    def _shaped(self, values: Array) -> Array:
        return values[:, 0] if self.flat_ else values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


@dataclass(frozen=True, eq=False)
class Fitted:
    """The rows of a fit, and the bandwidths of their columns of numbers, then of categories."""

    rows: Regression
    bandwidth: Array

    @cached_property
    def sums(self) -> LocalSum:
        """Local sums of the targets."""
        return self.rows.sums(self.bandwidth)

    @cached_property
    def left_out(self) -> Array:
        """Leave-one-out predictions of the rows."""
        return self.rows.leave_one_out(self.sums)

    @cached_property
    def errors(self) -> LocalSum:
        """Local sums of the squared errors of those predictions."""
        return replace(self.sums, values=(self.rows.Y - self.left_out) ** 2)
