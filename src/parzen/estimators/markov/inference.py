"""Inference in a fitted hidden Markov model: filtering, smoothing, the most likely path, prediction."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.hmm import Smoothed
from parzen.densities.hmm import HMMDensity
from parzen.estimators.base.tensors import TensorMixin
from parzen.estimators.base.validation import finite, generator, row_count
from parzen.estimators.markov.checks import refuse_lengths_as_y, whole_number
from parzen.estimators.markov.online_filter import OnlineFilter
from parzen.families.family import Family
from parzen.tables.schema import Schema
from parzen.tables.sequences import check_lengths, refuse_nested


class HMMInferenceMixin(TensorMixin):
    """Inference of an estimator over the family `HMM`."""

    family_: Family
    schema_: Schema
    _later: Callable[[Any], Any]
    _reading: Callable[..., Any]

    @property
    @abstractmethod
    def _chain(self) -> HMMDensity:
        """The fitted density."""

    @property
    def start_(self) -> Array:
        """Probability of each state at the first row, (K,)."""
        return self._chain.start

    @property
    def transition_(self) -> Array:
        """Probability of each state after each, (K, K)."""
        return self._chain.transition

    def _read(self, X: Any, lengths: Any) -> tuple[Any, NDArray[np.int64]]:
        """Rows of a table, and the lengths of their sequences."""
        refuse_nested(X)
        rows = self._later(X)
        return rows, check_lengths(lengths, rows.shape[0])

    def _filtered(self, X: Any, lengths: Any) -> tuple[Array, Array]:
        chain, (rows, cut) = self._chain, self._read(X, lengths)
        posterior, log_densities = self._reading(rows, chain.filtered, rows, cut)
        if not np.isfinite(log_densities).all():
            finite(rows)
        return posterior, log_densities

    def score_samples(self, X: Any, *, lengths: Any = None) -> Array:
        """Log-density of each row given those before it in its sequence, (n,)."""
        return self._filtered(X, lengths)[1]

    def score(self, X: Any, y: Any = None, *, lengths: Any = None) -> float:
        """Log-likelihood of all sequences: the sum over them, as in hmmlearn, not the mean."""
        scores = self.score_samples(X, lengths=lengths)
        refuse_lengths_as_y(y, len(scores))
        return float(scores.sum())

    def predict_proba(self, X: Any, *, lengths: Any = None) -> Array:
        """Posterior probability of each state at each row, given its whole sequence (smoothing), (n, K)."""
        chain, (rows, cut) = self._chain, self._read(X, lengths)
        found: Smoothed = self._reading(rows, chain.smoothed, rows, cut)
        return found.posterior

    def filter(self, X: Any, *, lengths: Any = None) -> Array:
        """Posterior probability of each state at each row, given the rows up to it (filtering), (n, K)."""
        return self._filtered(X, lengths)[0]

    def ahead(self, X: Any, steps: int = 1, *, lengths: Any = None) -> Array:
        """Probability of each state `steps` after each row, given the rows up to it (prediction), (n, K)."""
        power = whole_number("steps", steps, 1)
        return self.filter(X, lengths=lengths) @ np.linalg.matrix_power(self.transition_, power)

    def online_filter(self, X: Any = None) -> OnlineFilter:
        """A filter for one sequence that is read row by row, updated with the rows of X if there are any."""
        online = OnlineFilter(self._chain, self._later, self.schema_.decode)
        if X is not None:
            online.update(X)
        return online

    def predict(self, X: Any, *, lengths: Any = None) -> NDArray[np.int64]:
        """The most likely path of states (Viterbi), (n,)."""
        return self.decode(X, lengths=lengths)[1]

    def decode(self, X: Any, *, lengths: Any = None) -> tuple[float, NDArray[np.int64]]:
        """Log of the joint density of the rows and their most likely path of states, and that path."""
        chain, (rows, cut) = self._chain, self._read(X, lengths)
        found: tuple[float, NDArray[np.int64]] = self._reading(rows, chain.path, rows, cut)
        return found

    def sample(self, n_samples: int = 1, random_state: Any = None) -> tuple[Any, NDArray[np.int64]]:
        """Draw a sequence of rows, as a table like the one that was fitted, and their states."""
        rows, states = self._chain.draw(row_count(n_samples), generator(random_state))
        return self.schema_.decode(rows), states

    def aic(self, X: Any, *, lengths: Any = None) -> float:
        """Akaike information criterion; lower is better."""
        score = self.score(X, lengths=lengths)
        return 2.0 * self.family_.n_parameters(self._chain) - 2.0 * score

    def bic(self, X: Any, *, lengths: Any = None) -> float:
        """Bayesian information criterion; lower is better."""
        scores = self.score_samples(X, lengths=lengths)
        return self.family_.n_parameters(self._chain) * float(np.log(len(scores))) - 2.0 * float(scores.sum())
