"""How far rows lie in the tails of a table's numbers, each column in units in which its tails are short."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from parzen.compute.arrays import Array, is_sparse
from parzen.decisions.p_values import NullDistribution
from parzen.densities.kernel import WindowDensity
from parzen.densities.power_transform import PowerTransform
from parzen.densities.windows import Windows
from parzen.estimators.outlier.probability_plot import straightest_power, trimmed_spread
from parzen.families.sampling import drawn
from parzen.smoothing.kernel_functions import kernel_function
from parzen.tables.cells import as_numbers, column_of
from parzen.tables.kinds import Column

#: Proportion of the scores that their tail is fitted to, and the one up to which their values are used: outliers among
#: the others, which are censored, don't change the fit.
TAIL, CENSORED = 0.6, 0.93
#: Most rows that the density of the numbers is of. Its bandwidth is a standard deviation, so that it is known well from
#: fewer rows than its tail is: all rows are scored, and the scale of their scores' tail changes by a hundredth or two.
ROWS = 16_384
#: Standard errors that are added to the shape of the tail, which is extrapolated.
ERRORS = 0.1


@dataclass(frozen=True, eq=False)
class NumberTails:
    """The tail of a table's numbers.

    A column with a long tail is transformed until its quantiles are those of a Gaussian, outliers excepted. The columns
    together have a kernel density there, whose kernel has an exponential tail and one standard deviation as bandwidth.
    So the log-densities of ordinary rows have a tail that is exponential or shorter, whatever that of the columns was.
    Rows are judged by these, and by each of their cells alone.

    Attributes
    ----------
    columns : array of shape (m,)
        Positions of the columns of numbers with more than two values.
    transform : PowerTransform of these columns
    centre, spread : arrays of shape (m,)
        Medians and standard deviations of transformed columns, without their outermost cells.
    density : WindowDensity
        Of transformed and standardised rows; of 16,384 of them, drawn at random, where there are more.
    nulls : tuple of NullDistribution
        Of their leave-one-out log-densities, and of the distance of each column from its median.
    """

    columns: Array
    transform: PowerTransform
    centre: Array
    spread: Array
    density: WindowDensity
    nulls: tuple[NullDistribution, ...]

    def p_values(self, X: Any, scores: Array) -> Array:
        """Probability that the numbers of an ordinary row are as unusual, (n,); a row of the fit is left out first."""
        rows = _standard(_numbers(X, self.columns.tolist()), self.transform, self.centre, self.spread)
        return _least([null.p_values(each) for null, each in zip(self.nulls, _scores(self.density, rows), strict=True)])


def number_tails(X: Any, w: Array | None) -> tuple[NumberTails, Array] | None:
    """The tail of a table's numbers, and the p-values of its rows.

    None where it has no column of numbers, or rows that are too few for a tail.
    """
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
    some = np.sort(drawn(len(rows), ROWS)[0])
    windows = Windows(rows[some], None if w is None else w[some], np.eye(len(columns)))
    density = WindowDensity(kernel_function("exponential"), (windows,), rtol=1e-6)
    scores = list(_scores(density, rows))
    nulls = tuple(NullDistribution.from_scores(each, w, TAIL, CENSORED, ERRORS) for each in scores)
    if not nulls[0].scale:
        return None
    tails = NumberTails(np.array(columns, dtype=np.int64), transform, centre, spread, density, nulls)
    return tails, _least([null.p_values(each) for null, each in zip(nulls, scores, strict=True)])


def _scores(density: WindowDensity, rows: Array) -> Iterator[Array]:
    """Log-densities of rows, then minus the distance of each column from its median."""
    yield density.leave_one_out(rows)[:, 0]
    yield from -np.abs(rows.T)


def _least(p_values: list[Array]) -> Array:
    """The least p-value of each row by Bonferroni: the first has half of the error, the others share the rest."""
    whole, *cells = p_values
    return np.minimum(2.0 * np.minimum(whole, len(cells) * np.min(cells, axis=0)), 1.0)


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
