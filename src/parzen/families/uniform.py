"""The uniform family: a box, learnt or given."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from parzen.compute.arrays import Array, as_floats
from parzen.compute.memberships import Labels, Memberships, group_count, only_group
from parzen.densities.uniform import UniformDensity
from parzen.families.checks import total_or_collapse
from parzen.families.family import Family
from parzen.statistics.range import Range


@dataclass(eq=False, repr=False)
class Uniform(Family):
    r"""Boxes: :math:`p(x) = \prod_j 1 / (b_j - a_j)` between a and b. Its statistic is `Range`.

    As a component of a mixture it is noise: what no other component explains.

    Parameters
    ----------
    low, high : float or array of shape (d,), optional
        Ends of each column; by default those of the rows (maximum likelihood).

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import Uniform, fit
    >>> box = fit(Uniform(), np.array([[1.0, 5.0], [3.0, 4.0], [2.0, 9.0]])).density
    >>> box.low, box.high, np.exp(box.log_density(np.array([[2.0, 6.0], [2.0, 1.0]])))
    (array([[1., 4.]]), array([[3., 9.]]), array([[0.1],
           [0. ]]))
    """

    low: Any = None
    high: Any = None

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Range:
        X = as_floats(X)
        groups = [_extent(X, only_group(R, k)) for k in range(group_count(R))]
        weight, low, high = (np.stack(part) for part in zip(*groups, strict=True))
        return Range(weight, low, high)

    def maximise(self, statistic: Range) -> UniformDensity:
        total_or_collapse(statistic.weight, "Uniform")
        whole = statistic.pooled()
        empty = statistic.weight == 0
        ends = [np.where(empty, getattr(whole, name), getattr(statistic, name)) for name in ("low", "high")]
        given = [self._given(name, end.shape[1]) for name, end in zip(("low", "high"), ends, strict=True)]
        low, high = (
            end if own is None else np.broadcast_to(own, end.shape) for own, end in zip(given, ends, strict=True)
        )
        # One value, or equal ones: a box of no width has no density. The unit is that of all rows, or 1.
        width = whole.high - whole.low
        reach = np.maximum(np.abs(whole.low), np.abs(whole.high))
        unit = np.maximum(1e-12 * np.where(width > 0, width, np.maximum(reach, 1.0)), 4 * np.spacing(reach))
        narrow = high - low < unit
        low, high = np.where(narrow, low - unit, low), np.where(narrow, high + unit, high)
        return UniformDensity(np.ascontiguousarray(low), np.ascontiguousarray(high))

    def n_parameters(self, density: Any) -> int:
        K, d = density.shape
        return int(K * d * ((self.low is None) + (self.high is None)))

    def _given(self, name: str, d: int) -> Array | None:
        value = getattr(self, name)
        if value is None:
            return None
        end = np.asarray(value, dtype=np.float64)
        if end.shape not in ((), (d,)) or not np.isfinite(end).all():
            raise ValueError(f"{name} must be a finite number, or one for each of {d} columns, got {value!r}.")
        if self.low is not None and self.high is not None and not (np.asarray(self.low) < np.asarray(self.high)).all():
            raise ValueError(f"low must lie below high, got {self.low!r} and {self.high!r}.")
        return end


def _extent(X: Any, own: Memberships) -> tuple[Array, Array, Array]:
    """Weight, least and largest cell of each column, over the rows with weight."""
    w = np.ones(len(X)) if own is None else own
    if isinstance(w, Labels):
        w = np.where(w.codes >= 0, 1.0 if w.weights is None else w.weights, 0.0)
    rows = X[w > 0]
    there = ~np.isnan(rows)
    low, high = np.where(there, rows, np.inf), np.where(there, rows, -np.inf)
    weight: Array = w[w > 0] @ there
    return weight, low.min(axis=0, initial=np.inf), high.max(axis=0, initial=-np.inf)
