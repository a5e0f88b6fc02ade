"""What hmmlearn's models with Gaussian states share: their rows, missing cells at the start, the initial spread."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.estimators.base.validation import finite, table
from parzen.estimators.markov.baum_welch import baum_welch
from parzen.estimators.markov.column_count import ColumnCount
from parzen.estimators.markov.hmmlearn import BaseHmmlearn
from parzen.estimators.markov.monitor import Monitor
from parzen.estimators.markov.starts import Clustering, cluster_transitions, clusterings, sample_of
from parzen.families.sequence_pieces import pieces

#: EM steps by which two starts are compared, on how many rows at most, in pieces of how many.
FEW, PART, PIECE = 5, 2048, 64


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

    @property
    def _cluster_shape(self) -> str:
        return "diag" if self.covariance_type in ("diag", "spherical") else "full"

    def _initial_covariance(self, spread: Array) -> Array:
        """The initial covariance of one state: a number, variances or a matrix, by `covariance_type`."""
        if self.covariance_type == "spherical":  # hmmlearn's mean of all entries, unless it is no variance
            return np.asarray(spread.mean() if spread.mean() > 0 else np.trace(spread) / len(spread))
        return np.diag(spread) if self.covariance_type == "diag" else spread

    def _begin_with_clusters(
        self, rows: Array, complete: Array, lengths: NDArray[np.int64], rng: np.random.Generator
    ) -> None:
        """States are the clusters, of rows or of their ranks, from which a few steps on some rows lead higher."""
        some = sample_of(complete, self.n_components, rng)
        found = clusterings(some, self.n_components, rng)
        best = found[0]
        if len(found) > 1:
            part, cut = pieces(lengths, PART, PIECE)
            seen, order = rows[part], some if len(some) == len(part) == len(complete) else complete[part]
            best = found[int(np.argmax([self._after_few_steps(one, some, order, seen, cut, rng) for one in found]))]
        if len(some) < len(complete):
            best = best.moved(complete)
        codes = best.codes if len(some) == len(complete) else best.nearest(complete)
        self._begin_from(complete, codes, codes, lengths, rng)

    def _after_few_steps(
        self,
        clusters: Clustering,
        some: Array,
        order: Array,
        seen: Array,
        lengths: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> float:
        """The log-likelihood after a few EM steps from clusters.

        Parameters
        ----------
        some : rows that the clusters' means and covariances come from
        order : rows in their order, completed, that their transitions come from
        seen : the same with missing cells, for EM
        lengths : of their sequences
        """
        codes = clusters.codes if order is some else clusters.nearest(order)
        self._begin_from(some, clusters.codes, codes, lengths, rng)
        initial, monitor = self._density(), Monitor(-np.inf, FEW, verbose=False)
        family = self._chain_family(initial, self._emission_family(initial.emission), lengths)
        try:
            baum_welch(family, seen, monitor, FEW)
        except ValueError:  # a state collapses on the part: no start, unless there is no other
            return -np.inf
        return monitor.history[-1]

    def _begin_from(
        self,
        rows: Array,
        codes: NDArray[np.int32],
        order: NDArray[np.int32],
        lengths: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> None:
        """States from clusters of rows, transitions from clusters of rows in their order."""
        self._adopt_clusters(rows, codes, rng)
        self.transmat_ = cluster_transitions(order, self.n_components, lengths)
        if "s" in self.init_params:
            self.startprob_ = np.full(self.n_components, 1.0 / self.n_components)

    @abstractmethod
    def _adopt_clusters(self, rows: Array, codes: NDArray[np.int32], rng: np.random.Generator) -> None:
        """Means and covariances of the states from their clusters."""

    def _cluster_covariances(self, covariance: Array) -> Array:
        """Covariances as the model keeps them, from variances (..., d) or matrices (..., d, d), `min_covar` added."""
        if self.covariance_type in ("diag", "spherical"):
            variance = covariance + self.min_covar
            return variance if self.covariance_type == "diag" else variance.mean(axis=-1)
        return np.asarray(covariance + self.min_covar * np.eye(covariance.shape[-1]))


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
