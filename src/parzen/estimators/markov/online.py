"""Hidden chains online: one sequence, row by row."""

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
from parzen.estimators.base.estimator import generator, row_count


class OnlineFilter:
    """One sequence of a `HiddenMarkov`, row by row as they come: where it stands, and what comes next.

    Attributes
    ----------
    states : array of shape (K,)
        Probability of each state at the last row, given all rows so far; before the first row, NaN.
    log_likelihood : float
        Of all rows so far.
    seen : int
        How many rows have come.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import Gaussian, HiddenMarkov
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([0.0, 9.0, 0.0, 9.0], 50)[:, None] + rng.normal(size=(200, 1))
    >>> following = HiddenMarkov(Gaussian(), 2, random_state=0).fit(X).follow(X[:120])
    >>> following.update([[0.2]]).round(2)
    array([-0.88])
    >>> following.mean().round(1), following.seen
    (array([0.3]), 121)
    """

    def __init__(self, chain: HMMDensity, read: Callable[[Any], Any], write: Callable[[Array], Any]) -> None:
        self._chain, self._read, self._write = chain, read, write
        with np.errstate(divide="ignore"):  # in logarithms, in which no state is lost however unlikely it becomes
            self._log_next = np.log(chain.start)
        self.states = np.full(chain.size, np.nan)
        self.log_likelihood = 0.0
        self.seen = 0

    def __repr__(self) -> str:
        return f"OnlineFilter(seen={self.seen}, states={np.round(self.states, 3).tolist()})"

    def update(self, X: Any) -> Array:
        """Take the next rows; returns the log-density of each, given those before it."""
        chain, rows = self._chain, self._read(X)
        n = rows.shape[0]
        steps, states = followed(chain.rows(rows), self._log_next, chain.transition)
        if not np.isfinite(steps).all():
            at = self.seen + int(np.flatnonzero(~np.isfinite(steps))[0])
            raise ValueError(f"row {at} is impossible after those before it; it was not taken.")
        self.states = np.exp(states)
        self._log_next = logsumexp(states[:, None] + chain.log_chain[1], axis=0)
        self.log_likelihood += float(steps.sum())
        self.seen += n
        return steps

    def ahead(self, steps: int = 1) -> Array:
        """Probability of each state so many steps after the last row, (K,)."""
        return np.exp(self._log_next) @ np.linalg.matrix_power(self._chain.transition, step_count(steps) - 1)

    def predictive(self, steps: int = 1) -> MixtureDensity:
        """Density of the row that comes so many steps after the last one: a mixture of the states' densities."""
        with np.errstate(divide="ignore"):
            return MixtureDensity(self._chain.emission, np.log(self.ahead(steps)))

    def mean(self, steps: int = 1) -> Array:
        """Expected row so many steps after the last one, (d,)."""
        return self.predictive(steps).expectation()[0]

    def score(self, X: Any, steps: int = 1) -> Array:
        """Log-density of rows that might come so many steps after the last one; they are not taken."""
        return self.predictive(steps).log_density(self._read(X))[:, 0]

    def sample(self, n_samples: int = 1, random_state: Any = None) -> tuple[Any, NDArray[np.int64]]:
        """How the sequence may go on: rows, as a table of the kind that was fitted, and their states."""
        chain = replace(self._chain, start=np.exp(self._log_next))
        rows, states = chain.draw(row_count(n_samples), generator(random_state))
        return self._write(rows), states


def step_count(steps: Any) -> int:
    """How many steps to look ahead, or an error."""
    if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 1:
        raise ValueError(f"steps must be a whole number, at least 1, got {steps!r}.")
    return int(steps)
