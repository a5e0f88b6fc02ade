"""How far rows lie in the tails of a table's numbers, each column in units in which its tails are short."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from parzen.compute.arrays import Array, is_sparse
from parzen.decisions.p_values import NullDistribution
from parzen.densities.kernel import WindowDensity
from parzen.densities.power_transform import PowerTransform
from parzen.densities.windows import Windows
from parzen.estimators.outlier.probability_plot import straightest_power, trimmed_spread
from parzen.smoothing.kernel_functions import kernel_function
from parzen.tables.cells import as_numbers, column_of
from parzen.tables.kinds import Column

#: Proportion of the scores that their tail is fitted to, and the one up to which their values are used: outliers among
#: the others, which are censored, don't change the fit.
TAIL, CENSORED = 0.6, 0.93
#: Standard errors that are added to the shape of the tail, which is extrapolated.
ERRORS = 0.5


@dataclass(frozen=True, eq=False)
class NumberTails:
    """The tail of a table's numbers.

    A column with a long tail is transformed until its quantiles are those of a Gaussian, outliers excepted. The columns
    together have a kernel density there, whose kernel has an exponential tail and one standard deviation as bandwidth: so
    the log-densities of ordinary rows have a tail that is exponential or shorter, whatever that of the columns was.

    Attributes
    ----------
    columns : array of shape (m,)
        Positions of the columns of numbers with more than two values.
    transform : PowerTransform of these columns
    centre, spread : arrays of shape (m,)
        Medians and standard deviations of transformed columns, without their outermost cells.
    density : WindowDensity
        Of transformed and standardised rows.
    null : NullDistribution
        Of their leave-one-out log-densities.
    """

    columns: Array
    transform: PowerTransform
    centre: Array
    spread: Array
    density: WindowDensity
    null: NullDistribution

    def p_values(self, X: Any, scores: Array) -> Array:
        """Probability that the numbers of an ordinary row are as unusual, (n,); a row of the fit is left out first."""
        rows = _standard(_numbers(X, self.columns.tolist()), self.transform, self.centre, self.spread)
        return self.null.p_values(self.density.leave_one_out(rows)[:, 0])


def number_tails(X: Any, w: Array | None) -> NumberTails | None:
    """The tail of a table's numbers; None where it has no column of numbers, or rows that are too few for a tail."""
    columns = [] if is_sparse(X) else _number_columns(X)
    if not columns or X.shape[0] < 3:
        return None
    raw = _numbers(X, columns)
    powers = [straightest_power(values[~np.isnan(values)]) for values in raw.T]
    transform = PowerTransform(*(np.array(each, dtype=np.float64) for each in zip(*powers, strict=True)))
    Y = transform.forward(raw)
    ends = [trimmed_spread(values[~np.isnan(values)]) for values in Y.T]
    centre, spread = (np.array(each, dtype=np.float64) for each in zip(*ends, strict=True))
    rows = _standard(raw, transform, centre, spread)
    windows = Windows(rows, w, np.eye(len(columns)))
    density = WindowDensity(kernel_function("exponential"), (windows,), rtol=1e-6)
    scores = density.leave_one_out(rows)[:, 0]
    null = NullDistribution.from_scores(scores, w, TAIL, CENSORED, ERRORS)
    if not null.scale:
        return None
    return NumberTails(np.array(columns, dtype=np.int64), transform, centre, spread, density, null)


def _number_columns(X: Any) -> list[int]:
    """Positions of the columns of finite numbers that have more than two values."""
    found = []
    for j in range(X.shape[1]):
        column = Column(column_of(X, j))
        if column.kernel == "continuous" and column.distinct > 2:
            values = as_numbers(column.values)
            if np.isfinite(values[~np.isnan(values)]).all():
                found.append(j)
    return found


def _numbers(X: Any, columns: list[int]) -> Array:
    return np.column_stack([as_numbers(column_of(X, j)) for j in columns])


def _standard(X: Array, transform: PowerTransform, centre: Array, spread: Array) -> Array:
    """Transformed and standardised rows; a missing cell is a typical one."""
    rows = (transform.forward(X) - centre) / spread
    return np.ascontiguousarray(np.where(np.isnan(rows), 0.0, rows))
