"""What follows from a distribution function: quantiles, and the regions of highest density."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array, all_finite
from parzen.compute.device import is_device
from parzen.estimators.base.validation import finite_rows, generator
from parzen.estimators.density.density import BaseDensityEstimator
from parzen.statistics.sample import Sample
from parzen.statistics.statistic import Statistic

#: Draws by which the level of a region in several columns is found.
DRAWS = 20_000


@dataclass(frozen=True, eq=False)
class Region:
    """Where a density is highest: the smallest region that holds a given probability.

    Attributes
    ----------
    coverage : float
        The probability that it holds at least; a histogram, whose density makes steps, may hold more.
    log_level : float
        The region is where the log-density is at least this.
    intervals : array of shape (m, 2), or None
        Its stretches, of a density of one column.
    """

    coverage: float
    log_level: float
    intervals: Array | None

    def __repr__(self) -> str:
        parts = "" if self.intervals is None else f", intervals={np.round(self.intervals, 6).tolist()}"
        return f"Region(coverage={self.coverage:g}, log_level={self.log_level:.6g}{parts})"


class UnivariateMixin(BaseDensityEstimator):
    """A density estimator of complete rows, whose density has a distribution function."""

    _holds_families = True  # parameters may be arrays, which the user may change

    def _scored(self, rows: Any, values: Array) -> Array:
        if not (all_finite(rows) if is_device(rows) else np.isfinite(rows.sum())) or not all_finite(values):
            finite_rows(rows)
        return values

    def _check_statistic(self, statistic: Statistic, rows: Any) -> None:
        if not isinstance(statistic, Sample) or statistic.ends is None:  # else they have been looked at
            finite_rows(rows)
        super()._check_statistic(statistic, rows)

    def cdf(self, X: Any) -> Array:
        """Probability that every column is at most as large as in each row, (n,)."""
        return self._distribution(X, log=False, upper=False)

    def logcdf(self, X: Any) -> Array:
        """Logarithm of `cdf`, (n,), which is finite far below all rows where that is too small to be a number.

        Examples
        --------
        >>> import numpy as np
        >>> from parzen import KernelDensity
        >>> model = KernelDensity(bandwidth=1.0).fit(np.zeros((1, 1)))
        >>> model.logcdf([[-9.0], [-100.0]]).round(3)
        array([  -43.628, -5005.524])
        """
        return self._distribution(X, log=True, upper=False)

    def sf(self, X: Any) -> Array:
        """Probability above each value of the only column (the survival function), (n,): 1 - cdf, to all its digits.

        Examples
        --------
        >>> import numpy as np
        >>> from parzen import KernelDensity
        >>> model = KernelDensity(bandwidth=1.0).fit(np.zeros((1, 1)))
        >>> [f"{p:.4g}" for p in model.sf([[0.0], [9.0]])]
        ['0.5', '1.129e-19']
        """
        return self._distribution(X, log=False, upper=True)

    def logsf(self, X: Any) -> Array:
        """Logarithm of `sf`, (n,)."""
        return self._distribution(X, log=True, upper=True)

    def _distribution(self, X: Any, log: bool, upper: bool) -> Array:
        check_is_fitted(self, "density_")
        rows, density = finite_rows(self._later(X)), self.density_
        return np.asarray((density.log_cdf if log else density.cdf)(rows, upper)[:, 0])

    def quantile(self, q: ArrayLike) -> Any:
        """Values of the only column below which the probability is q, as the shape of q.

        Examples
        --------
        >>> import numpy as np
        >>> from parzen import KernelDensity
        >>> model = KernelDensity(bandwidth=1.0).fit(np.zeros((1, 1)))
        >>> model.quantile([0.5, 0.975, 1e-17]).round(4) + 0.0
        array([ 0.    ,  1.96  , -8.4938])
        """
        return self._inverse(q, upper=False)

    def isf(self, q: ArrayLike) -> Any:
        """Values of the only column above which the probability is q: quantiles in the upper tail, to all their digits.

        Examples
        --------
        >>> import numpy as np
        >>> from parzen import KernelDensity
        >>> model = KernelDensity(bandwidth=1.0).fit(np.zeros((1, 1)))
        >>> model.isf([0.025, 1e-17]).round(4)
        array([1.96  , 8.4938])
        """
        return self._inverse(q, upper=True)

    def _inverse(self, q: ArrayLike, upper: bool) -> Any:
        check_is_fitted(self, "density_")
        try:
            levels = np.asarray(q, dtype=np.float64)
        except (TypeError, ValueError):
            levels = np.full(1, np.nan)
        if not ((levels >= 0) & (levels <= 1)).all():
            raise ValueError(f"q must be probabilities, from 0 to 1, got {q!r}.")
        self._check_line("isf" if upper else "quantile")
        flat = np.ravel(levels)
        least, most = self._limits()[::-1] if upper else self._limits()
        found = np.where(flat == 0, least, most)
        for side in (False, True):  # each level by the tail in which it is the smaller number
            rows = np.flatnonzero((flat > 0) & (flat < 1) & ((flat > 0.5) == (side != upper)))
            logs = np.log(flat[rows]) if side == upper else np.log1p(-flat[rows])
            low, high = self._ends()
            if side:
                found[rows] = -inverse(lambda x: self._log_line_below(-x, True), logs, -high, -low)
            else:
                found[rows] = inverse(lambda x: self._log_line_below(x, False), logs, low, high)
        return float(found[0]) if levels.ndim == 0 else found.reshape(levels.shape)

    def _log_line_below(self, x: Array, upper: bool) -> Array:
        return self.density_.log_cdf(x[:, None], upper)[:, 0]

    def highest_density(self, coverage: float = 0.95, *, random_state: Any = None) -> Region:
        """The smallest region that holds a probability (Hyndman 1996).

        Of one column its stretches are found to rounding; of several, the level is a quantile of the densities of
        20,000 draws.

        Examples
        --------
        >>> import numpy as np
        >>> from parzen import KernelDensity
        >>> model = KernelDensity(bandwidth=1.0).fit(np.array([[0.0], [10.0]]))
        >>> model.highest_density(0.95).intervals.round(2)
        array([[-1.96,  1.96],
               [ 8.04, 11.96]])
        """
        check_is_fitted(self, "density_")
        if not isinstance(coverage, int | float | np.number) or not 0 < coverage < 1:
            raise ValueError(f"coverage must be between 0 and 1, got {coverage!r}.")
        if self.density_.shape[1] > 1:
            labels = np.zeros(DRAWS, dtype=np.intp)
            draws = self.density_.sample(labels, generator(random_state))
            level = np.quantile(self.density_.log_density(draws)[:, 0], 1.0 - coverage)
            return Region(coverage, float(level), None)
        return _stretches(self._log_line, self._below, self._grid(2**13), coverage)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags

    def _below(self, x: Array) -> Array:
        return np.asarray(self.density_.cdf(x[:, None])[:, 0])

    def _log_line(self, x: Array) -> Array:
        return self.density_.log_density(x[:, None])[:, 0]

    def _check_line(self, what: str) -> None:
        d = self.density_.shape[1]
        if d > 1:
            raise TypeError(f"{what} is offered for one column, but there are {d}; take a marginal first.")

    @abstractmethod
    def _ends(self) -> tuple[float, float]:
        """Points below and above which there is hardly any probability."""

    def _limits(self) -> tuple[float, float]:
        """Where the density begins and ends, infinite where it doesn't."""
        return self._ends()

    def _grid(self, size: int) -> Array:
        """Places that follow the density closely."""
        return np.linspace(*self._ends(), size)


def inverse(below: Any, levels: Array, low: float, high: float) -> Array:
    """Where the logarithm of a distribution function reaches levels: all at once, as Chandrupatla (1997) finds roots.

    The last place is `a`, the root is between it and `b`, and `c` is the place before. Inverse quadratic interpolation
    is taken where the three are so placed that it can be trusted, halving elsewhere.
    """
    left, right = below(np.array([low]))[0] - levels, below(np.array([high]))[0] - levels
    found = np.where(left >= 0, low, high)
    rows = np.flatnonzero((left < 0) & (right > 0))
    a, b, at_a, at_b = np.full(len(rows), low), np.full(len(rows), high), left[rows], right[rows]
    part = np.full(len(rows), 0.5)
    for _ in range(150):
        x = a + part * (b - a)
        value = below(x) - levels[rows]
        same = np.sign(value) == np.sign(at_a)
        c, at_c = np.where(same, a, b), np.where(same, at_a, at_b)
        b, at_b = np.where(same, b, a), np.where(same, at_b, at_a)
        a, at_a = x, value
        nearer = np.abs(at_a) < np.abs(at_b)
        best, error = np.where(nearer, a, b), np.where(nearer, np.abs(at_a), np.abs(at_b))
        found[rows] = best
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            least = (2e-16 * np.abs(best) + 1e-300) / np.abs(b - a)  # the shortest step that changes a number
            across, up = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
            trusted = (up**2 < across) & ((1.0 - up) ** 2 < 1.0 - across)
            curved = at_a / (at_b - at_a) * at_c / (at_b - at_c)
            curved += (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
        more = ~((error <= 2.3e-16 * np.maximum(1.0, np.abs(levels[rows]))) | (least > 0.5))
        if not more.any():
            break
        part = np.clip(np.where(trusted & np.isfinite(curved), curved, 0.5), least, 1.0 - least)
        rows, a, b, at_a, at_b, part = (one[more] for one in (rows, a, b, at_a, at_b, part))
    return found


def _stretches(log_line: Any, below: Any, grid: Array, coverage: float) -> Region:
    """The region of highest density on a line: a level is tried, its stretches found, their mass compared."""
    logs = log_line(grid)
    finite = logs[np.isfinite(logs)]
    low, high = float(finite.min()), float(finite.max())

    def at(level: float) -> Array:
        inside = logs >= level
        change = np.flatnonzero(inside[1:] != inside[:-1])
        ends = _crossings(log_line, grid, change, level, inside)
        if inside[0]:
            ends = np.concatenate([grid[:1], ends])
        if inside[-1]:
            ends = np.concatenate([ends, grid[-1:]])
        return ends.reshape(-1, 2)

    def mass(ends: Array) -> float:
        values = below(ends.ravel()).reshape(ends.shape)
        return float((values[:, 1] - values[:, 0]).sum())

    for _ in range(60):
        middle = 0.5 * (low + high)
        if mass(at(middle)) > coverage:
            low = middle
        else:
            high = middle
        if high - low < 1e-12 * max(1.0, abs(low)):
            break
    return Region(coverage, low, at(low))


def _crossings(log_line: Any, grid: Array, change: NDArray[np.intp], level: float, inside: NDArray[np.bool_]) -> Array:
    """Where a log-density crosses a level between neighbours of a grid, by halving."""
    a, b = grid[change].copy(), grid[change + 1].copy()
    rising = inside[change + 1]
    for _ in range(40):
        if not len(a):
            break
        middle = 0.5 * (a + b)
        over = log_line(middle) >= level
        right = over == rising
        a, b = np.where(right, a, middle), np.where(right, middle, b)
    return 0.5 * (a + b)
