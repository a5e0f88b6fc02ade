"""What hmmlearn's models with Gaussian states share: their rows, missing cells at the start, the initial spread."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.estimators.base.validation import finite, table
from parzen.estimators.markov.column_count import ColumnCount
from parzen.estimators.markov.hmmlearn import BaseHmmlearn


class BaseGaussianStates(BaseHmmlearn):
    """Rows of models whose states have `means_`, with their columns on the last axis."""

    n_features = ColumnCount("means_")
    means_: Array
    min_covar: float
    covariance_type: str

    def _training_rows(self, X: Any) -> Array:
        rows = _numbers(table(self, X, reset=True, sparse=False))
        if hasattr(self, "means_") and "m" not in self.init_params:
            self._check_columns(rows)
        return rows

    def _rows(self, X: Any) -> Array:
        rows = _numbers(table(self, X, reset=False, sparse=False))
        self._check_columns(rows)
        return rows

    def _check_columns(self, rows: Array) -> None:
        if rows.shape[1] != self.n_features:
            raise ValueError(f"X has {rows.shape[1]} columns, but means_ has {self.n_features}.")

    def _initial_spread(self, complete: Array) -> Array:
        """Covariance of all rows, `min_covar` added to its diagonal, (d, d)."""
        d = complete.shape[1]
        spread = np.atleast_2d(np.cov(complete.T)) if len(complete) > 1 else np.zeros((d, d))
        return np.asarray(spread + self.min_covar * np.eye(d))

    def _initial_covariance(self, spread: Array) -> Array:
        """The initial covariance of one state: a number, variances or a matrix, by `covariance_type`."""
        if self.covariance_type == "spherical":  # hmmlearn's mean of all entries, unless it is no variance
            return np.asarray(spread.mean() if spread.mean() > 0 else np.trace(spread) / len(spread))
        return np.diag(spread) if self.covariance_type == "diag" else spread


def complete_rows(rows: Array) -> Array:
    """Rows whose missing cells hold the mean of their column, for a start; or an error where a column has no cell."""
    missing = np.isnan(rows)
    if not missing.any():
        return rows
    if missing.all(axis=0).any():
        raise ValueError(f"column {int(missing.all(axis=0).argmax())} of X has only missing values; remove it.")
    return np.where(missing, np.nanmean(rows, axis=0), rows)


def _numbers(X: Any) -> Array:
    return np.ascontiguousarray(finite(X), dtype=np.float64)
