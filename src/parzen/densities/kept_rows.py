"""Densities that keep their training rows, so that each row can be left out of its own density."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, as_floats, on_host, room
from parzen.compute.device import is_device, routine
from parzen.densities.density import Density
from parzen.densities.support import Support
from parzen.densities.training_rows import training_rows
from parzen.densities.windows import Windows
from parzen.smoothing.row_weights import without_each
from parzen.statistics.messages import Collapse


class KeptRows(Density):
    """K densities of kernels around training rows.

    Attributes
    ----------
    windows : tuple of K `Windows`
    support : where the columns may lie, or None
    """

    windows: tuple[Windows, ...]
    support: Support | None

    @abstractmethod
    def _one(self, k: int, X: Array, own: NDArray[np.int64] | None = None, left: Array | None = None) -> Array:
        """Log-density of complete rows under density k; a point `own` of each row has the weight `left` instead."""

    def bandwidths(self, k: int = 0) -> Array:
        """How far a bandwidth reaches along each column of density k, (d,)."""
        return self.windows[k].deviations

    @abstractmethod
    def error_bound(self, k: int = 0) -> float:
        """A bound on the relative error of density k; see `parzen.smoothing.sums.KernelSum.error_bound`."""

    def leave_one_out_rows(self) -> tuple[Array, ...]:
        """Leave-one-out log-densities of each density's own points.

        A weight that is a whole number counts rows, of which one is left out; any other is left out with its point.
        """
        out = []
        for k, window in enumerate(self.windows):
            left, rest = without_each(window.w)
            if not (rest > 0).all():
                raise Collapse("leave-one-out needs at least two rows, and there is only one; give more rows.")
            out.append(self._without(k, window.points, np.arange(len(left)), left, rest))
        return tuple(out)

    def _without(self, k: int, X: Array, own: NDArray[np.int64], left: Array, rest: Array) -> Array:
        """Log-densities of rows, each without the point `own`; `left` of its weight and `rest` of all remain."""
        found: Any = self._one(k, X, own, left)
        correction = np.log(self.windows[k].total / rest)
        return found.plus(routine("beside")(X, correction)) if is_device(X) else found + correction

    @property
    def keeps_rows(self) -> bool:
        return True

    def leave_one_out(self, X: Any) -> Array:
        return self.without(X, training_rows([self.windows], [self.support], [on_host(X)]))

    def without(self, X: Any, own: NDArray[np.int64]) -> Array:
        """Log-density of rows (n, K), each without the point `own` (n, K) of each density; with all points for -1."""
        X = as_floats(X, self.shape[1])
        X = X if is_device(X) else np.asarray(X, dtype=np.float64)
        out = room(X, (len(X), len(self.windows)))
        for k, window in enumerate(self.windows):
            left, rest = without_each(window.w)
            known = (own[:, k] >= 0) & (rest > 0).all()
            mine, new = np.flatnonzero(known), np.flatnonzero(~known)
            points = own[mine, k]
            out[mine, k] = self._without(k, X[mine], points, left[points], rest[points])
            if len(new):
                out[new, k] = self.log_density(X[new])[:, k]
        return out


def drawn_rows(w: Array, n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Rows drawn by their weights, n of them."""
    share = np.cumsum(w)
    found = np.searchsorted(share, rng.random(n) * share[-1], side="right")
    return np.minimum(found, len(share) - 1)
