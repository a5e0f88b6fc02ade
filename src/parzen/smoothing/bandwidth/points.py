"""Rows and weights for which a bandwidth is chosen, and their sample moments and quantiles."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, ColumnError
from parzen.smoothing.row_weights import counts_rows, effective_rows
from parzen.statistics.messages import caller_stacklevel


class BandwidthWarning(UserWarning):
    """A bandwidth was found, but the criterion leaves doubts: check the result."""


class TooWide(ValueError):
    """Rows spread over so many bandwidths that sums over frequencies don't pay."""


class Rounded(ValueError):
    """Rows are equal, and the criterion of a rule has no local minimum above their rounding."""


@dataclass(frozen=True, eq=False)
class Points:
    """Rows (n, d) and weights for which a bandwidth is chosen.

    Attributes
    ----------
    exponents : array of shape (d,), optional
        Powers of two by which the columns were divided, so that no rule meets numbers that are too large or small.
    """

    X: Array
    weights: Array | None = None
    exponents: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, X: Any, sample_weight: Any = None) -> "Points":
        """Rows (n,) or (n, d) and their weights, checked; points that are checked already are returned."""
        if isinstance(X, Points):
            return X
        X = np.asarray(X, dtype=np.float64)
        X = X[:, None] if X.ndim == 1 else X
        if X.ndim != 2 or not X.size:
            raise ValueError(f"X must have shape (n,) or (n, d), with at least one row, got {X.shape}.")
        w = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if w is not None:
            if w.shape != (len(X),) or not (np.isfinite(w).all() and (w >= 0).all()):
                raise ValueError(f"sample_weight must be {len(X)} finite numbers, none negative, got shape {w.shape}.")
            if not w.any():
                raise ValueError("sample_weight is zero for every row; at least one must be positive.")
            X, w = X[w > 0], w[w > 0]
        points = cls(np.ascontiguousarray(X), None if w is None or (w == 1.0).all() else w)
        points._check_spread()
        return points

    def in_own_units(self) -> "Points":
        """The same rows with columns about as long as one; weights that don't count rows are at most one."""
        if self.exponents is not None:
            return self
        _, exponents = np.frexp(0.5 * self.high - 0.5 * self.low)
        weights = self.weights
        if weights is not None and not self.counted:
            weights = np.ldexp(weights, -np.frexp(weights.max())[1])
            rows = weights > 0
            if not rows.all():  # as good as none next to the others
                X = np.ascontiguousarray(np.ldexp(self.X[rows], -exponents))
                return Points(X, weights[rows], exponents.astype(np.int64))
        return Points(np.ldexp(self.X, -exponents), weights, exponents.astype(np.int64))

    def restored(self, found: Any) -> Any:
        """A bandwidth, or a matrix H in squared units, in the units of the rows as they came."""
        if self.exponents is None:
            return found
        e = self.exponents
        return float(np.ldexp(found, e[0])) if np.ndim(found) == 0 else np.ldexp(found, e[:, None] + e)

    @cached_property
    def w(self) -> Array:
        """Weights, one for each row."""
        return np.ones(len(self.X)) if self.weights is None else self.weights

    @cached_property
    def low(self) -> Array:
        """Minimum of each column."""
        return self.X.min(axis=0)

    @cached_property
    def high(self) -> Array:
        """Maximum of each column."""
        return self.X.max(axis=0)

    def _check_spread(self) -> None:
        if not (np.isfinite(self.low).all() and np.isfinite(self.high).all()):
            raise ValueError("X holds a NaN or an infinity; leave out such rows, or fill the cells first.")
        for j in range(self.X.shape[1]):
            if not self.high[j] > self.low[j]:
                if len(self.X) == 1:
                    raise ColumnError(
                        "one row (n_samples = 1) has no spread, so no bandwidth follows; give bandwidth a number."
                    )
                raise ColumnError(
                    "column {column} is constant, so no bandwidth follows from it; leave it out, or give bandwidth a "
                    "number for each column.",
                    j,
                )

    @cached_property
    def counted(self) -> bool:
        """Whether weights count rows."""
        return counts_rows(self.weights)

    @cached_property
    def n(self) -> float:
        """Effective number of rows."""
        return effective_rows(self.weights, len(self.X))

    @cached_property
    def w_total(self) -> float:
        """Sum of the weights."""
        return float(len(self.X)) if self.weights is None else float(self.weights.sum())

    @cached_property
    def share(self) -> Array:
        """Weights that sum to one."""
        return self.w / self.w.sum()

    @cached_property
    def own(self) -> float:
        """Weight of the pairs of a row with itself among all pairs: 1 / n."""
        return 1.0 / self.n

    @cached_property
    def covariance(self) -> Array:
        """Covariance, with n - 1 in the denominator."""
        if self.weights is None and self.X.shape[1] == 1:
            return np.array([[np.var(self.X[:, 0], ddof=1)]])
        off = self.X - self.X[0]
        off = off - self.share @ off
        return (off * self.share[:, None]).T @ off / max(1.0 - self.own, 2.0**-52)

    def column(self, j: int) -> "Points":
        """One column alone."""
        exponents = None if self.exponents is None else self.exponents[j : j + 1]
        return Points(np.ascontiguousarray(self.X[:, j : j + 1]), self.weights, exponents)

    @cached_property
    def deviation(self) -> float:
        """Standard deviation of the only column."""
        return float(np.sqrt(self.covariance[0, 0]))

    @cached_property
    def tied(self) -> bool:
        """Whether some rows are equal."""
        if self.counted and self.weights is not None and bool((self.weights > 1).any()):
            return True
        ordered = self.X[np.lexsort(self.X.T)]
        return bool((ordered[1:] == ordered[:-1]).all(axis=1).any())

    @cached_property
    def rounding(self) -> float:
        """Least difference of two values of the only column, where some rows are equal; 0 where none are.

        Values that differ by rounding errors alone are equal.
        """
        gaps = np.diff(np.sort(self.X[:, 0]))
        apart = gaps > 8.0 * np.finfo(float).eps * max(abs(float(self.low[0])), abs(float(self.high[0])))
        repeated = self.counted and self.weights is not None and bool((self.weights > 1).any())
        return float(gaps[apart].min()) if apart.any() and (repeated or not apart.all()) else 0.0

    def quantiles(self, levels: tuple[float, ...]) -> Array:
        """Quantiles of the only column, as NumPy and R define them for rows repeated by whole weights."""
        x = self.X[:, 0]
        if self.weights is None:
            return np.quantile(x, levels)
        order = np.argsort(x, kind="stable")
        x, reach = x[order], np.cumsum(self.w[order])
        if self.counted:
            place = np.asarray(levels) * (reach[-1] - 1)
            low, high = (
                x[np.minimum(np.searchsorted(reach, np.floor(place) + step, side="right"), len(x) - 1)]
                for step in (0, 1)
            )
            return low + (place - np.floor(place)) * (high - low)
        middle = (reach - 0.5 * self.w[order]) / reach[-1]
        return np.interp(levels, middle, x)

    def scale(self, unit: float) -> float:
        """Robust deviation: the lesser of the standard deviation and the interquartile range / unit."""
        low, high = self.quantiles((0.25, 0.75))
        return min(self.deviation, (high - low) / unit) if high > low else self.deviation


def one_column(points: Points, rule: str) -> None:
    """Raise where a rule for one column is given several."""
    if points.X.shape[1] > 1:
        raise ValueError(
            f"the rule {rule!r} is for one column, but there are {points.X.shape[1]}; use 'plug-in', 'scv' or 'lscv'."
        )


def warn(message: str) -> None:
    """Warn that a bandwidth should be checked."""
    warnings.warn(message, BandwidthWarning, stacklevel=caller_stacklevel())


Rule = TypeVar("Rule", bound=Callable[..., Any])


def in_own_units(rule: Rule) -> Rule:
    """A rule that sees rows in units of their own spread, so that its answer follows any scale; at the door, once."""

    @wraps(rule)
    def scaled(X: Any, sample_weight: Any = None, **options: Any) -> Any:
        if isinstance(X, Points):
            return rule(X, **options)
        points = Points.of(X, sample_weight).in_own_units()
        return points.restored(rule(points, **options))

    return cast(Rule, scaled)
