"""Conditional densities p(y | x): by kernels, or from any joint density."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.densities.density import Density
from parzen.estimators.base.tensors import TensorMixin
from parzen.estimators.base.validation import drop_zero_weight, generator, table, transactional, weights
from parzen.estimators.regress.bandwidths import given_bandwidths, searched_bandwidths
from parzen.estimators.regress.columns import Inputs, later
from parzen.estimators.regress.joint import JointConditional
from parzen.estimators.regress.targets import paired, target_array, target_table
from parzen.smoothing.bandwidth.regression_columns import RegressionColumns
from parzen.smoothing.conditional import ConditionalWindows, negative_log_likelihood
from parzen.smoothing.conditional_rows import Pairs
from parzen.storage.files import SaveMixin
from parzen.tables.cells import frame_kind


class ConditionalDensity(TensorMixin, SaveMixin, BaseEstimator):
    r"""Conditional density of y given x.

    By default by kernels: :math:`p(y | x) = \sum_i l_i(x) K((y - y_i) / h_y)`, with the weights of the
    Nadaraya-Watson regression, so that its mean is that regression's prediction. Kernels of numbers are Gaussian, those
    of categories Aitchison and Aitken's (see `parzen.KernelRegressor`).

    Any joint density of the library can be used instead, conditioned on x: with
    ``ConditionalDensity(GaussianMixture(3))`` the mean is Gaussian mixture regression.

    Parameters
    ----------
    density : None, Family or density estimator
        None: kernels. Else the joint density of the columns of X and, after them, y.
    bandwidth : "cv", a rule of `parzen.bandwidth`, array or dict
        Of kernels: "cv" maximises the leave-one-out log-likelihood; an array has one for each column of X, then of y; a
        dict from names leaves other columns to the rule of thumb.
    kinds : "auto", str or dict
        Kinds of the columns of X: see `parzen.KernelRegressor`.
    y_kinds : "auto" or str
        Kinds of the columns of y: "c" numbers, "u" categories, "o" ordered categories; one letter for each.

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
        """Fit the joint density, or choose the bandwidths of kernels, which keep the rows.

        Parameters
        ----------
        X : table of shape (n, d): array, pandas or polars
        y : numbers or categories, of shape (n,) or (n, p)
        sample_weight : array of shape (n,), optional
            See `parzen.KernelRegressor.fit`.

        Returns
        -------
        self
        """
        X, y = table(self, X, reset=True, sparse=False), target_array(y)
        values = target_table(X, y)
        w = weights(sample_weight, X, kept=True)
        values, _ = drop_zero_weight(values, w)
        X, w = drop_zero_weight(X, w)
        self.inputs_, self.outputs_ = Inputs.learn(X, self.kinds), Inputs.learn(values, self.y_kinds)
        self.flat_ = np.ndim(y) == 1
        (numbers, codes), (Y, labels) = self.inputs_.read(X, grow=True), self.outputs_.read(values, grow=True, name="y")
        if self.density is None:
            rows = Pairs(numbers, codes, self.inputs_.categories, Y, labels, self.outputs_.categories, w)
            self.model_: JointConditional | ConditionalWindows = ConditionalWindows.of(rows, self._bandwidth(rows))
        else:
            self._check_no_kinds()
            self.model_ = JointConditional(self.density, X, values, w, self.inputs_)

    def _check_no_kinds(self) -> None:
        for name in ("kinds", "y_kinds"):
            given = getattr(self, name)
            if not (isinstance(given, str) and given == "auto"):
                raise ValueError(
                    f"{name} must be 'auto' with a joint density, whose families say what its columns are "
                    f"(Product({{...}})), got {given!r}."
                )

    def _bandwidth(self, rows: Pairs) -> Array:
        """Bandwidths of the numbers of X and y, then of their categories."""
        if isinstance(self.bandwidth, str) and self.bandwidth == "cv":
            if len(rows.X) < 2:
                raise ValueError(
                    "bandwidth='cv' needs at least two rows, got n_samples = 1; give bandwidth numbers instead."
                )
            columns = RegressionColumns.of(rows.columns, rows.all_kinds, rows.weights)
            return searched_bandwidths(rows, columns, negative_log_likelihood)
        for_X, for_y = self._divided()
        x = given_bandwidths(self.inputs_, for_X, ("cv",), rows.X, rows.weights)
        y = given_bandwidths(self.outputs_, for_y, ("cv",), rows.Y, rows.weights)
        d, p = rows.X.shape[1], rows.Y.shape[1]
        return np.concatenate([x[:d], y[:p], x[d:], y[p:]])

    def _divided(self) -> tuple[Any, Any]:
        """The parameter `bandwidth` of the columns of X, and of y."""
        given, d, p = self.bandwidth, len(self.inputs_.letters), len(self.outputs_.letters)
        if hasattr(given, "keys"):
            known, names = dict(given), self.inputs_.schema.labels
            return (
                {column: known[column] for column in known if column in names},
                {column: known[column] for column in known if column not in names},
            )
        if isinstance(given, str):
            return given, given
        if np.ndim(given) != 1 or len(given) != d + p:
            raise ValueError(
                f"bandwidth must be 'cv', a rule, a dict, or {d + p} numbers ({d} of X, {p} of y), got {given!r}."
            )
        return np.asarray(given)[:d], np.asarray(given)[d:]

    @property
    def bandwidth_(self) -> Array:
        """Bandwidths of the columns of X, then of y."""
        model = self._model
        if not isinstance(model, ConditionalWindows):
            raise AttributeError("a joint density was given, so that there are no bandwidths here; see density_.")
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
            raise AttributeError("no joint density was given; the kernels are in model_.")
        return self._model.joint.density_

    @property
    def _model(self) -> Any:
        check_is_fitted(self, "model_")
        return self.model_

    def log_pdf(self, X: Any, y: Any) -> Array:
        """Logarithm of p(y | x) of rows and targets, (n,). A single row is paired with all targets, and conversely.

        For categories it is the logarithm of their probability.
        """
        X, values = self._pair(X, y)
        model = self._model
        if isinstance(model, JointConditional):
            self.outputs_.read(values, name="y")
            return model.log_density(X, values, *self.inputs_.read(X))
        return model.log_density(*self.inputs_.read(X), *self.outputs_.read(values, name="y"))

    def pdf(self, X: Any, y: Any) -> Array:
        """p(y | x) of rows and targets, (n,)."""
        return np.exp(self.log_pdf(X, y))

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Mean of log p(y | x) over the rows, weighted by `sample_weight`; not the sum."""
        values = self.log_pdf(X, y)
        values, w = drop_zero_weight(values, weights(sample_weight, values))
        return float(np.average(values, weights=w))

    def cdf(self, X: Any, y: Any) -> Array:
        """Conditional distribution function P(Y <= y | x), (n,), for y of one column of numbers."""
        return self._distribution(X, y, "cdf", upper=False)

    def sf(self, X: Any, y: Any) -> Array:
        """Conditional survival function P(Y > y | x), (n,): 1 - cdf, to all its digits.

        Examples
        --------
        >>> from parzen import ConditionalDensity
        >>> model = ConditionalDensity(bandwidth=[1.0, 0.5]).fit([[0.0], [1.0]], [2.0, 3.0])
        >>> [f"{p:.4g}" for p in model.sf([[0.0], [0.0]], [2.0, 7.0])]
        ['0.6802', '2.349e-16']
        """
        return self._distribution(X, y, "sf", upper=True)

    def _distribution(self, X: Any, y: Any, what: str, upper: bool) -> Array:
        self._check_line(what)
        X, values = self._pair(X, y)
        at = self.outputs_.read(values, name="y")[0][:, 0]
        return np.clip(self._model.cdf(*self.inputs_.read(X), at, upper), 0.0, 1.0)

    def quantile(self, X: Any, q: ArrayLike) -> Array:
        """Conditional quantiles of y given x: (n,), or (n, levels) for several levels q."""
        self._check_line("quantile")
        levels = np.asarray(q, dtype=np.float64)
        if levels.ndim > 1 or not ((levels >= 0) & (levels <= 1)).all():
            raise ValueError(f"q must be one or several probabilities, from 0 to 1, got {q!r}.")
        found: Array = self._model.quantile(*later(self, X), np.ravel(levels))
        return found[:, 0] if levels.ndim == 0 else found

    def mean(self, X: Any) -> Array:
        """Conditional mean of y given x, of the shape of y; for kernels, the Nadaraya-Watson regression."""
        self._check_numbers("mean")
        return self._shaped(self._model.mean(*later(self, X)))

    predict = mean

    def std(self, X: Any) -> Array:
        """Conditional standard deviation of y given x (kernels only), of the shape of y."""
        self._check_numbers("std")
        if isinstance(self._model, JointConditional):
            raise TypeError("std is available for kernels only; for a joint density use quantiles or samples.")
        return self._shaped(np.sqrt(self._model.variance(*later(self, X))))

    def sample(self, X: Any, random_state: Any = None) -> Any:
        """Draw y for each row, as a table or array like y; in pandas, with the index of X."""
        X = self._rows(X)
        given, rng = self.inputs_.read(X), generator(random_state)
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
        if frame_kind(drawn) == "polars":
            return drawn.to_series(0)
        return drawn.iloc[:, 0] if frame_kind(drawn) else drawn[:, 0]

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self, "model_")
        return table(self, X, reset=False, sparse=False)

    def _pair(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Rows and targets, as many of one as of the other."""
        X, y = self._rows(X), target_array(y)
        values = target_table(None, np.atleast_1d(y) if isinstance(y, np.ndarray) else y)
        if values.shape[1] != len(self.outputs_.letters):
            raise ValueError(f"y must have {len(self.outputs_.letters)} columns, as in the fit, got {values.shape[1]}.")
        return paired(X, values)

    def _shaped(self, values: Array) -> Array:
        return values[:, 0] if self.flat_ else values

    def _check_numbers(self, what: str) -> None:
        check_is_fitted(self, "model_")
        if set(self.outputs_.letters) != {"c"}:
            raise TypeError(f"{what} is available for numbers, but y holds categories; use pdf.")

    def _check_line(self, what: str) -> None:
        self._check_numbers(what)
        if len(self.outputs_.letters) > 1:
            raise TypeError(f"{what} is available for y of one column, but it has {len(self.outputs_.letters)}.")
