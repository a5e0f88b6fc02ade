"""The density of values given columns: by kernels, or from any joint density."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from parzen.compute.arrays import Array
from parzen.densities.density import Density
from parzen.estimators.base.estimator import generator
from parzen.estimators.base.validation import drop_zero_weight, table, transactional, weights
from parzen.estimators.regress.columns import Inputs, some_rows, targets
from parzen.estimators.regress.joint import JointConditional
from parzen.smoothing.bandwidth.regression import RegressionColumns, search
from parzen.smoothing.conditional import ConditionalWindows, Pairs
from parzen.smoothing.regression import Codes
from parzen.storage.files import SaveMixin
from parzen.tables.cells import frame_kind


class ConditionalDensity(SaveMixin, BaseEstimator):
    r"""The density of y given x.

    By default by kernels: :math:`p(y | x) = \sum_i l_i(x) K((y - y_i) / h_y)`, with the weights of the
    Nadaraya-Watson regression, so that its mean is that regression's prediction. Kernels of numbers are Gaussian, those
    of categories Aitchison and Aitken's (see `parzen.KernelRegressor`).

    Any joint density of the library takes the kernels' place by its `conditional`: with
    ``ConditionalDensity(GaussianMixture(3))`` the mean is Gaussian mixture regression.

    Parameters
    ----------
    density : None, Family or density estimator
        None: kernels. Else the joint density of the columns of X and, after them, y.
    bandwidth : "cv", a rule of `parzen.bandwidth`, array or dict
        Of kernels: "cv" chooses those of greatest likelihood of rows left out; an array has one for each column of X,
        then of y; a dict from names leaves other columns to the rule of thumb.
    kinds : "auto", str or dict
        What the columns of X are: see `parzen.KernelRegressor`.
    y_kinds : "auto" or str
        The same of y: "c" numbers, "u" categories, "o" categories with an order; one letter for each column.

    Attributes
    ----------
    bandwidth_ : array
        Of each column of X, then of y (kernels only).
    density_ : Density
        The joint density (where one was given).
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import ConditionalDensity, GaussianMixture
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 6, (300, 1))
    >>> y = np.sin(X[:, 0]) * rng.choice([-1, 1], 300) + rng.normal(0, 0.1, 300)
    >>> model = ConditionalDensity().fit(X, y)
    >>> model.pdf([[1.5], [1.5], [1.5]], [-1.0, 0.0, 1.0]).round(2)
    array([1.93, 0.  , 2.19])
    >>> model.quantile([[1.5]], [0.05, 0.95]).round(1)
    array([[-1.1,  1.1]])
    >>> ConditionalDensity(GaussianMixture(6, random_state=0)).fit(X, y).pdf([[1.5], [1.5]], [0.0, 1.0]).round(1)
    array([0., 1.])
    """

    def __init__(
        self,
        density: Any = None,
        *,
        bandwidth: Any = "cv",
        kinds: Any = "auto",
        y_kinds: Any = "auto",
    ) -> None:
        self.density = density
        self.bandwidth = bandwidth
        self.kinds = kinds
        self.y_kinds = y_kinds

    @transactional
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> None:
        """Learn from rows.

        Parameters
        ----------
        X : table of shape (n, d): array, pandas or polars
        y : values of shape (n,), or (n, p): numbers, or categories
        sample_weight : array of shape (n,), optional
            Whole numbers count rows, so that a row of weight 2 has a copy, which cross-validation meets; other numbers
            say how much a row matters.

        Returns
        -------
        self
        """
        X = table(self, X, reset=True, sparse=False)
        y = _as_array(y)
        values = _values(X, y)
        w = weights(sample_weight, X, kept=True)
        values, _ = drop_zero_weight(values, w)
        X, w = drop_zero_weight(X, w)
        self.inputs_, self.outputs_ = Inputs.learn(X, self.kinds), Inputs.learn(values, self.y_kinds)
        self.flat_ = np.ndim(y) == 1
        (numbers, codes), (Y, labels) = self.inputs_.read(X, grow=True), self.outputs_.read(values, grow=True, name="y")
        if self.density is not None:
            for name in ("kinds", "y_kinds"):
                if not (isinstance(getattr(self, name), str) and getattr(self, name) == "auto"):
                    raise ValueError(
                        f"{name} are for kernels; a joint density knows its columns by its families, as in "
                        f"Product({{...}}). Leave {name}='auto', got {getattr(self, name)!r}."
                    )
            self.model_: JointConditional | ConditionalWindows = JointConditional(
                self.density, X, values, w, self.inputs_
            )
            return
        rows = Pairs(numbers, codes, self.inputs_.categories, Y, labels, self.outputs_.categories, w)
        self.model_ = rows.at(self._chosen(rows))

    def _chosen(self, rows: Pairs) -> Array:
        both = [self.inputs_, self.outputs_]
        if isinstance(self.bandwidth, str) and self.bandwidth == "cv":
            if len(rows.X) < 2:
                raise ValueError("one row (n_samples = 1) is too few for bandwidth='cv'; give it numbers.")
            some = some_rows(len(rows.X))
            few = rows if some is None else _take(rows, some)
            columns = RegressionColumns.of(rows.columns, rows.all_kinds, rows.weights)
            begin = None if some is None else few.unlikelihood
            return search(columns, rows.effective, rows.unlikelihood, begin, few.effective)
        given: list[Any] = [self.bandwidth] * 2
        d, p = len(self.inputs_.letters), len(self.outputs_.letters)
        if hasattr(self.bandwidth, "keys"):
            known = dict(self.bandwidth)
            mine = {column for column in known if column in self.inputs_.schema.labels}
            given = [{column: known[column] for column in known if (column in mine) == side} for side in (True, False)]
        elif not isinstance(self.bandwidth, str):
            if np.ndim(self.bandwidth) != 1 or len(self.bandwidth) != d + p:
                raise ValueError(
                    f"bandwidth must be 'cv', a rule, a dict, or {d + p} numbers ({d} of X, {p} of y), got "
                    f"{self.bandwidth!r}."
                )
            given = [np.asarray(self.bandwidth)[:d], np.asarray(self.bandwidth)[d:]]
        parts = [
            inputs.bandwidths(one, ("cv",), numbers, rows.weights)
            for inputs, one, numbers in zip(both, given, (rows.X, rows.Y), strict=True)
        ]
        (a, b), d, p = parts, rows.X.shape[1], rows.Y.shape[1]
        return np.concatenate([a[:d], b[:p], a[d:], b[p:]])

    @property
    def bandwidth_(self) -> Array:
        """Bandwidths of the columns of X, then of y."""
        model = self._model
        if not isinstance(model, ConditionalWindows):
            raise AttributeError("a joint density was given: its bandwidths are its own.")
        return self._in_table_order(model)

    def _in_table_order(self, model: ConditionalWindows) -> Array:
        d, p, e = model.rows.X.shape[1], model.rows.Y.shape[1], len(model.rows.kinds)
        b = model.bandwidth
        x, y = np.append(b[:d], b[d + p : d + p + e]), np.append(b[d : d + p], b[d + p + e :])
        return np.append(self.inputs_.in_table_order(x), self.outputs_.in_table_order(y))

    @property
    def density_(self) -> Density:
        """The joint density."""
        if not isinstance(self._model, JointConditional):
            raise AttributeError("no joint density was given; kernels are in model_.")
        return self._model.joint.density_

    @property
    def _model(self) -> Any:
        check_is_fitted(self, "model_")
        return self.model_

    def log_pdf(self, X: Any, y: Any) -> Array:
        """Logarithm of p(y | x) of rows and values, (n,). One row goes with many values, and one value with many rows.

        Of values that are categories, the logarithm of their probability.
        """
        X, values = self._pair(X, y)
        model = self._model
        if isinstance(model, JointConditional):
            self.outputs_.read(values, name="y")
            return model.log_density(X, values, *self.inputs_.read(X))
        return model.log_density(*self.inputs_.read(X), *self.outputs_.read(values, name="y"))

    def pdf(self, X: Any, y: Any) -> Array:
        """p(y | x) of rows and values, (n,)."""
        return np.exp(self.log_pdf(X, y))

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Mean logarithm of p(y | x)."""
        values = self.log_pdf(X, y)
        values, w = drop_zero_weight(values, weights(sample_weight, values))
        return float(np.average(values, weights=w))

    def cdf(self, X: Any, y: Any) -> Array:
        """Probability of values up to y given x, (n,), of one column of numbers."""
        self._check_line("cdf")
        X, values = self._pair(X, y)
        at = self.outputs_.read(values, name="y")[0][:, 0]
        return np.clip(self._model.cdf(*self._given(X), at), 0.0, 1.0)

    def quantile(self, X: Any, q: ArrayLike) -> Array:
        """Values of y below which the probability is q given x: (n,), or (n, levels) for several levels."""
        self._check_line("quantile")
        levels = np.asarray(q, dtype=np.float64)
        if levels.ndim > 1 or not ((levels >= 0) & (levels <= 1)).all():
            raise ValueError(f"q must be one or several probabilities, from 0 to 1, got {q!r}.")
        found: Array = self._model.quantile(*self._given(self._rows(X)), np.ravel(levels))
        return found[:, 0] if levels.ndim == 0 else found

    def mean(self, X: Any) -> Array:
        """Mean of y given x, of the shape of y: of kernels, the Nadaraya-Watson regression."""
        self._check_numbers("mean")
        return self._shaped(self._model.mean(*self._given(self._rows(X))))

    predict = mean

    def std(self, X: Any) -> Array:
        """Standard deviation of y given x (kernels only), of the shape of y."""
        self._check_numbers("std")
        if isinstance(self._model, JointConditional):
            raise TypeError("std is offered by kernels; of a joint density, take quantiles or samples.")
        return self._shaped(np.sqrt(self._model.variance(*self._given(self._rows(X)))))

    def sample(self, X: Any, random_state: Any = None) -> Any:
        """A draw of y for each row, as a table or array like y; of pandas, with the index of X."""
        X = self._rows(X)
        given, rng = self._given(X), generator(random_state)
        if isinstance(self._model, JointConditional):
            rows = self._model.sample(*given, rng)
        else:
            Y, labels = self._model.sample(*given, rng)
            rows = self.outputs_.in_table(Y, labels)
        drawn = self.outputs_.schema.decode(rows)
        if frame_kind(drawn) == "pandas" and frame_kind(X) == "pandas":
            drawn.index = X.index
        if not self.flat_:
            return drawn
        return (
            drawn.iloc[:, 0]
            if frame_kind(drawn) == "pandas"
            else drawn.to_series(0)
            if frame_kind(drawn)
            else drawn[:, 0]
        )

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self, "model_")
        return table(self, X, reset=False, sparse=False)

    def _given(self, X: Any) -> tuple[Array, Codes]:
        return self.inputs_.read(X)

    def _pair(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Rows and values, as many of one as of the other."""
        X = self._rows(X)
        y = _as_array(y)
        values = _values(None, np.atleast_1d(y) if isinstance(y, np.ndarray) else y)
        m, n = X.shape[0], values.shape[0]
        if values.shape[1] != len(self.outputs_.letters):
            raise ValueError(
                f"y must have {len(self.outputs_.letters)} columns, as when it was learnt, got {values.shape[1]}."
            )
        if m == 1 and n > 1:
            return _repeated(X, n), values
        if n == 1 and m > 1:
            return X, _repeated(values, m)
        check_consistent_length(X, values)
        return X, values

    def _shaped(self, values: Array) -> Array:
        return values[:, 0] if self.flat_ else values

    def _check_numbers(self, what: str) -> None:
        check_is_fitted(self, "model_")
        if set(self.outputs_.letters) != {"c"}:
            raise TypeError(f"{what} is offered of numbers, but y holds categories; take pdf.")

    def _check_line(self, what: str) -> None:
        self._check_numbers(what)
        if len(self.outputs_.letters) > 1:
            raise TypeError(f"{what} is offered of one value, but y has {len(self.outputs_.letters)} columns.")


def _as_array(y: Any) -> Any:
    """Values as an array, unless they are in a table of names; numbers beside text stay numbers."""
    if y is None or hasattr(y, "to_frame") or frame_kind(y):
        return y
    array = np.asarray(y)
    return np.array(y, dtype=object) if array.ndim == 2 and array.dtype.kind in "US" else array


def _values(X: Any, y: Any) -> Any:
    """Values as a table: numbers that are all there, or cells of categories."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None.")
    if hasattr(y, "to_frame") and np.ndim(y) == 1:
        y = y.to_frame()
    if frame_kind(y) is None:
        array = np.asarray(y)
        if array.dtype.kind in "iuf":
            array = targets(X, array)
        if array.ndim not in (1, 2):
            raise ValueError(f"y must have shape (n,), or (n, p) for several values, got {array.shape}.")
        y = array[:, None] if array.ndim == 1 else array
    if X is not None:
        check_consistent_length(X, y)
    return y


def _repeated(X: Any, n: int) -> Any:
    return X.iloc[[0] * n] if frame_kind(X) == "pandas" else X[[0] * n]


def _take(rows: Pairs, some: Any) -> Pairs:
    codes, labels, w = (None if part is None else part[some] for part in (rows.codes, rows.labels, rows.weights))
    return replace(rows, X=rows.X[some], codes=codes, Y=rows.Y[some], labels=labels, weights=w)
