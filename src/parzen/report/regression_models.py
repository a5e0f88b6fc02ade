"""The models of a numeric target that a report compares: each predicts a mean, quantiles and a density."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, cross_val_predict

from parzen.compute.arrays import Array
from parzen.estimators.density.kernel import KernelDensity
from parzen.estimators.mixture.gaussian import GaussianMixture
from parzen.estimators.regress.conditional import ConditionalDensity
from parzen.estimators.regress.regression import KernelRegressor
from parzen.report.regression_design import Design

#: Levels of the quantiles that a model predicts: ends of intervals of 50%, 80%, 90% and 95%, and the median.
QUANTILES = (0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975)
#: Rows by which bandwidths are searched, and most rows that kernels keep.
SEARCH, KEPT = 400, 4_000
#: Folds of the residuals by which a linear regression's intervals are made, and most components of a mixture.
INNER, COMPONENTS = 5, 5


class Predicted(NamedTuple):
    """Means (n,), quantiles (n, levels) and log-densities (n,) of rows and their targets."""

    mean: Array
    quantiles: Array
    log_density: Array


#: A fitted model: a function of rows and their targets, which it only looks at for the log-density.
Fitted = Callable[[Any, Array], Predicted]


@dataclass(frozen=True)
class RegressionModel:
    """A model of a numeric target.

    Attributes
    ----------
    name, short : str
        What a report and the command line call it.
    kind : "kernel", "linear", "density" or "reference"
    fit : function of a table, the target, and the names of its numeric and categorical columns
    numeric : whether it needs a numeric column
    """

    name: str
    short: str
    kind: str
    fit: Callable[[Any, Array, Sequence[str], Sequence[str]], Fitted]
    numeric: bool = False


def _by_residuals(predict: Callable[[Any], Array], residuals: Array) -> Fitted:
    """Quantiles at residual quantiles of rows that were left out around each prediction, and a Gaussian density.

    The levels are widened for the number of residuals, as conformal prediction does, so that the intervals hold their
    nominal fraction of new rows also of a small table.
    """
    n = len(residuals)
    levels = np.array([np.floor((n + 1) * q) / n if q < 0.5 else np.ceil((n + 1) * q) / n for q in QUANTILES])
    levels[QUANTILES.index(0.5)] = 0.5
    offsets = np.quantile(residuals, np.clip(levels, 0, 1))
    scale = float(np.sqrt((residuals**2).mean())) or 1e-300

    def predicted(X: Any, y: Array) -> Predicted:
        mean = predict(X)
        log = -0.5 * ((y - mean) / scale) ** 2 - np.log(scale) - 0.5 * np.log(2 * np.pi)
        return Predicted(mean, mean[:, None] + offsets, log)

    return predicted


def _mean(X: Any, y: Array, numbers: Sequence[str], categories: Sequence[str]) -> Fitted:
    """The distribution of the target alone: its mean, its quantiles, and a kernel density."""
    density = KernelDensity(bandwidth="silverman").fit(y[:, None])
    mean, quantiles = float(y.mean()), np.quantile(y, QUANTILES)

    def predicted(X: Any, y: Array) -> Predicted:
        return Predicted(np.full(len(y), mean), np.tile(quantiles, (len(y), 1)), density.score_samples(y[:, None]))

    return predicted


def _linear(X: Any, y: Array, numbers: Sequence[str], categories: Sequence[str]) -> Fitted:
    design = Design.learn(X, numbers, categories)
    A, folds = design.matrix(X), KFold(INNER, shuffle=True, random_state=0)
    residuals = y - cross_val_predict(LinearRegression(), A, y, cv=folds)
    model = LinearRegression().fit(A, y)
    return _by_residuals(lambda rows: np.asarray(model.predict(design.matrix(rows))), residuals)


def _kernel(order: int) -> Callable[[Any, Array, Sequence[str], Sequence[str]], Fitted]:
    """Kernel regression of the columns that explain most; its intervals are of leave-one-out residuals."""

    def fit(X: Any, y: Array, numbers: Sequence[str], categories: Sequence[str]) -> Fitted:
        design = Design.learn(X, numbers, categories)
        names = design.chosen(X, y)
        table, y = _kept(design.table(X, names), y)
        few, own = _searched(table, y)
        found = KernelRegressor(order=order).fit(few, own).bandwidth_
        h = found * _narrower([name in design.numbers for name in names], len(few), len(y))
        model = KernelRegressor(h, order=order).fit(table, y)
        residuals = y - model.leave_one_out()
        return _by_residuals(lambda rows: np.asarray(model.predict(design.table(rows, names))), residuals)

    return fit


def _conditional(X: Any, y: Array, numbers: Sequence[str], categories: Sequence[str]) -> Fitted:
    """The conditional density by kernels."""
    design = Design.learn(X, numbers, categories)
    names = design.chosen(X, y)
    table, y = _kept(design.table(X, names), y)
    few, own = _searched(table, y)
    found = ConditionalDensity().fit(few, own).bandwidth_
    h = found * _narrower([*(name in design.numbers for name in names), True], len(few), len(y))
    return _of_density(ConditionalDensity(bandwidth=h).fit(table, y), design, names)


def _mixture(X: Any, y: Array, numbers: Sequence[str], categories: Sequence[str]) -> Fitted:
    """The conditional density of a joint Gaussian mixture of the numeric columns and the target."""
    design = Design.learn(X, numbers, [])
    names = design.chosen(X, y)
    sizes = list(range(1, COMPONENTS + 1))
    joint = GaussianMixture(sizes, covariance_type=["full"], prior="auto", random_state=0)
    centre, scale = float(y.mean()), float(y.std()) or 1.0
    model = ConditionalDensity(joint).fit(_standard(design, X, names), (y - centre) / scale)

    def predicted(rows: Any, own: Array) -> Predicted:
        Q = _standard(design, rows, names)
        log = model.log_pdf(Q, (own - centre) / scale) - np.log(scale)
        return Predicted(model.mean(Q) * scale + centre, model.quantile(Q, QUANTILES) * scale + centre, log)

    return predicted


def _standard(design: Design, X: Any, names: Sequence[str]) -> Any:
    """Columns of numbers, standardised."""
    table = design.table(X, names)
    return table.assign(**{name: (table[name] - design.numbers[name][1]) / design.numbers[name][2] for name in names})


def _of_density(model: ConditionalDensity, design: Design, names: Sequence[str]) -> Fitted:
    def predicted(rows: Any, y: Array) -> Predicted:
        Q = design.table(rows, names)
        return Predicted(model.mean(Q), model.quantile(Q, QUANTILES), model.log_pdf(Q, y))

    return predicted


def _kept(table: Any, y: Array) -> tuple[Any, Array]:
    """At most `KEPT` rows, always the same ones."""
    return _some(table, y, KEPT)


def _searched(table: Any, y: Array) -> tuple[Any, Array]:
    """The rows by which bandwidths are searched."""
    return _some(table, y, SEARCH)


def _some(table: Any, y: Array, most: int) -> tuple[Any, Array]:
    if len(y) <= most:
        return table, y
    rows = np.sort(np.random.default_rng(0).choice(len(y), most, replace=False))
    return table.iloc[rows].reset_index(drop=True), y[rows]


def _narrower(numeric: Sequence[bool], few: int, many: int) -> Array:
    """What bandwidths of few rows are multiplied by for many: n^(-1/(4 + d)), of categories its square."""
    power = 1.0 / (4 + sum(numeric))
    return np.array([(few / many) ** (power if one else 2 * power) for one in numeric])


#: What a model that knows no column predicts.
REFERENCE = RegressionModel("mean of the target", "mean", "reference", _mean)
REGRESSION_MODELS = (
    RegressionModel("linear regression", "linear", "linear", _linear),
    RegressionModel("kernel regression", "kernel", "kernel", _kernel(0)),
    RegressionModel("local linear regression", "local-linear", "kernel", _kernel(1)),
    RegressionModel("kernel conditional density", "conditional", "density", _conditional),
    RegressionModel("Gaussian mixture regression", "mixture", "density", _mixture, numeric=True),
)
