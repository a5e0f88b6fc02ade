"""Kernel regression: averages of what neighbouring rows say."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.estimators.base.validation import drop_zero_weight, table, transactional, weights
from parzen.estimators.regress.columns import Inputs, later, some_rows, targets
from parzen.smoothing.bandwidth.regression import Criterion, RegressionColumns, search
from parzen.smoothing.kernel_functions import kernel_function
from parzen.smoothing.local import LocalSum
from parzen.smoothing.regression import Regression
from parzen.storage.files import SaveMixin

#: Criteria by which bandwidths of a regression are chosen.
CRITERIA = {"cv": "squared_error", "aicc": "corrected_aic"}


class KernelRegressor(SaveMixin, RegressorMixin, BaseEstimator):
    r"""Kernel regression: the Nadaraya-Watson estimator, or local lines.

    A prediction is an average of the values of neighbouring rows, :math:`m(x) = \sum_i l_i(x) y_i` with weights
    :math:`l_i(x) \propto w_i K((x - x_i) / h)` that add to one; with ``order=1`` it is the value at x of the line that
    fits the neighbours best under these weights, which doesn't flatten slopes at the edges of the data.

    Far from all rows the value of the nearest ones is predicted, never NaN: where a kernel that ends reaches no row,
    and as the limit of the Gaussian (of the exponential kernel, an average of rows on that side). A local line is not
    followed farther than about ten bandwidths beyond the rows.

    Parameters
    ----------
    bandwidth : "cv", "aicc", a rule of `parzen.bandwidth`, float, array or dict
        "cv": least squared error of rows predicted from all others. "aicc": the corrected AIC of Hurvich, Simonoff and
        Tsai (1998). A rule, such as "silverman", looks at the inputs alone. A number is for all columns of numbers; an
        array has one for each column, in the table's order; a dict from columns to bandwidths leaves the others to the
        rule of thumb. The bandwidth of a column of categories is l from 0 (other categories don't count) to
        1 - 1 / size (all count alike), or to 1 where they are ordered.
    kernel : str or callable
        See `parzen.Kernel`; radial in several columns. A bandwidth is the standard deviation of a Gaussian kernel, the
        radius of one that ends.
    order : 0 or 1
        0: a local constant (Nadaraya-Watson); 1: a local line.
    kinds : "auto", str or dict
        What the columns are, as in statsmodels: "c" numbers, "u" categories, "o" categories whose order matters; one
        letter for each column ("ccu"), or a dict for some. By default text, booleans and categories are categories,
        ordered where their type says so (what else is said to be ordered is in the order of its values, text that of
        the alphabet). Categories have the kernel of Aitchison and Aitken, ordered ones l^|steps between them|. A
        category that no row has is as far from all of them; where they are ordered, it is an error.

    Attributes
    ----------
    bandwidth_ : array of shape (columns,)
        Of each column, in the table's order. A column that says nothing about y gets a very wide one from "cv" or
        "aicc"; that of a constant column means nothing.
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
        """Keep the rows, and choose the bandwidth.

        Parameters
        ----------
        X : table of shape (n, d): array, pandas or polars
        y : numbers of shape (n,), or (n, C) for several outputs
        sample_weight : array of shape (n,), optional
            Whole numbers count rows, so that a row of weight 2 has a copy, which cross-validation meets; other numbers
            say how much a row matters.

        Returns
        -------
        self
        """
        if isinstance(self.order, bool) or not isinstance(self.order, int | np.integer) or self.order not in (0, 1):
            raise ValueError(f"order must be 0 (a local constant) or 1 (a local line), got {self.order!r}.")
        kernel = kernel_function(self.kernel)
        X = table(self, X, reset=True, sparse=False)
        values = targets(X, y)
        X, w, values = drop_zero_weight(X, weights(sample_weight, X, kept=True), values)
        self.inputs_ = Inputs.learn(X, self.kinds)
        numbers, codes = self.inputs_.read(X, grow=True)
        kernel.log_constant(max(1, numbers.shape[1]))  # one's own kernel may have no integral over several columns
        Y = values[:, None] if values.ndim == 1 else values
        rows = Regression(kernel, numbers, codes, self.inputs_.categories, Y, w, int(self.order))
        found = self._chosen(rows)
        self.fitted_ = Fitted(rows, found)
        self.flat_ = values.ndim == 1

    def _chosen(self, rows: Regression) -> Array:
        if not isinstance(self.bandwidth, str) or self.bandwidth not in CRITERIA:
            return self.inputs_.bandwidths(self.bandwidth, tuple(CRITERIA), rows.X, w=rows.weights, kernel=rows.kernel)
        if len(rows.X) < 2:
            raise ValueError(f"one row (n_samples = 1) is too few for bandwidth={self.bandwidth!r}; give it a number.")
        name = CRITERIA[self.bandwidth]
        some = some_rows(len(rows.X))
        few = rows if some is None else _take(rows, some)
        columns = RegressionColumns.of(rows.X, rows.kinds, rows.weights, rows.kernel.canonical(max(1, rows.X.shape[1])))
        criterion: Criterion = getattr(rows, name)
        begin: Criterion | None = None if some is None else getattr(few, name)
        return search(columns, rows.effective, criterion, begin, few.effective)

    @property
    def bandwidth_(self) -> Array:
        """Bandwidths of the columns, in the table's order."""
        found = self._fit.bandwidth
        return self.inputs_.in_table_order(found)

    @property
    def kinds_(self) -> str:
        """What the columns are."""
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
            It is found by the same averages, of the squared errors of rows predicted from all others; so it holds what
            the values scatter, and what the prediction itself is unsure of.

        Returns
        -------
        array of shape (n,) or (n, C), or two of them
        """
        model = self._fit
        Q, codes = later(self, X)
        found = self._shaped(model.rows.predicted(model.sums, Q, codes))
        if not return_std:
            return found
        if len(model.rows.X) < 2:
            raise ValueError("return_std=True needs at least two rows to learn from (n_samples = 1 came).")
        variance = replace(model.rows, order=0).around(model.errors, Q, codes).value
        return found, self._shaped(np.sqrt(np.maximum(variance, 0.0)))

    def derivative(self, X: Any) -> Array:
        """How fast the prediction changes with each column, (n, d), or (n, d, C) of several outputs.

        With ``order=1`` the slopes of the local lines, else those of the curve. A column of categories has none (NaN).
        """
        model = self._fit
        Q, codes = later(self, X)
        d = model.rows.X.shape[1]
        out = np.full((len(Q), len(self.inputs_.letters), model.rows.Y.shape[1]), np.nan)
        if d:
            out[:, self.inputs_.order[:d]] = model.rows.slopes(model.sums, Q, codes)
        return out[:, :, 0] if self.flat_ else out

    def leave_one_out(self) -> Array:
        """Predictions for the rows that were learnt from, each from all the others, of the shape of y."""
        return self._shaped(self._fit.left_out)

    def _shaped(self, values: Array) -> Array:
        return values[:, 0] if self.flat_ else values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


@dataclass(frozen=True, eq=False)
class Fitted:
    """Rows, and their bandwidths: of the columns of numbers, then of categories."""

    rows: Regression
    bandwidth: Array

    @cached_property
    def sums(self) -> LocalSum:
        """The rows, ready to be averaged."""
        return self.rows.sums(self.bandwidth)

    @cached_property
    def left_out(self) -> Array:
        """Predictions of the rows, each from all the others."""
        return self.rows.without_themselves(self.sums)

    @cached_property
    def errors(self) -> LocalSum:
        """Squared errors of those predictions, ready to be averaged."""
        return replace(self.sums, values=(self.rows.Y - self.left_out) ** 2)


def _take(rows: Regression, some: NDArray[np.int64]) -> Regression:
    w = None if rows.weights is None else rows.weights[some]
    codes = None if rows.codes is None else rows.codes[some]
    return replace(rows, X=rows.X[some], codes=codes, Y=rows.Y[some], weights=w)
