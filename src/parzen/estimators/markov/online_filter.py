"""Online filtering: the hidden state of one sequence, row by row."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from parzen.compute.arrays import Array
from parzen.compute.hmm import followed
from parzen.densities.hmm import HMMDensity
from parzen.densities.mixture import MixtureDensity
from parzen.estimators.base.validation import finite, generator, row_count
from parzen.estimators.markov.checks import whole_number


class OnlineFilter:
    """The forward recursion for one sequence: it is updated with rows as they come, and predicts the next ones.

    Attributes
    ----------
    states : array of shape (K,)
        Posterior probability of each state at the last row, given all rows so far; NaN before the first row.
    log_likelihood : float
        Of all rows so far.
    seen : int
        Number of rows so far.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import Gaussian, HiddenMarkov
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([0.0, 9.0, 0.0, 9.0], 50)[:, None] + rng.normal(size=(200, 1))
    >>> online = HiddenMarkov(Gaussian(), 2, random_state=0).fit(X).online_filter(X[:120])
    >>> online.update([[0.2]]).round(2)
    array([-0.88])
    >>> online.mean().round(1), online.seen
    (array([0.3]), 121)
    """

    def __init__(self, chain: HMMDensity, read: Callable[[Any], Any], write: Callable[[Array], Any]) -> None:
        self._chain, self._read, self._write = chain, read, write
        with np.errstate(divide="ignore"):  # in logs, where no state is lost however unlikely it becomes
            self._log_next = np.log(chain.start)
        self.states = np.full(chain.size, np.nan)
        self.log_likelihood = 0.0
        self.seen = 0

    def __repr__(self) -> str:
        return f"OnlineFilter(seen={self.seen}, states={np.round(self.states, 3).tolist()})"

    def update(self, X: Any) -> Array:
        """Update the filter with the next rows; returns the log-density of each given those before it, (n,)."""
        chain, rows = self._chain, self._read(X)
        steps, states = followed(chain.rows(rows), self._log_next, chain.transition)
        if not np.isfinite(steps).all():
            finite(rows)
            at = self.seen + int(np.flatnonzero(~np.isfinite(steps))[0])
            raise ValueError(f"row {at} is impossible after those before it; the filter was not updated.")
        self.states = np.exp(states)
        self._log_next = logsumexp(states[:, None] + chain.log_chain[1], axis=0)
        self.log_likelihood += float(steps.sum())
        self.seen += rows.shape[0]
        return steps

    def ahead(self, steps: int = 1) -> Array:
        """Probability of each state `steps` rows after the last one, (K,)."""
        power = whole_number("steps", steps, 1) - 1
        return np.exp(self._log_next) @ np.linalg.matrix_power(self._chain.transition, power)

    def predictive(self, steps: int = 1) -> MixtureDensity:
        """Predictive density of the row `steps` after the last one: a mixture of the states' densities."""
        with np.errstate(divide="ignore"):
            return MixtureDensity(self._chain.emission, np.log(self.ahead(steps)))

    def mean(self, steps: int = 1) -> Array:
        """Mean of the predictive density of the row `steps` after the last one, (d,)."""
        return self.predictive(steps).expectation()[0]

    def score(self, X: Any, steps: int = 1) -> Array:
        """Log-density of each row of X as the row `steps` after the last one, (n,): neither a sum nor a mean.

        The filter is not updated.
        """
        return self.predictive(steps).log_density(self._read(X))[:, 0]

    def sample(self, n_samples: int = 1, random_state: Any = None) -> tuple[Any, NDArray[np.int64]]:
        """Draw a continuation of the sequence: rows, as a table like the one that was fitted, and their states."""
        chain = replace(self._chain, start=np.exp(self._log_next))
        rows, states = chain.draw(row_count(n_samples), generator(random_state))
        return self._write(rows), states
