"""The contract of conjugate priors."""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from parzen.conjugate.parameters import plain
from parzen.densities.density import Density
from parzen.statistics.statistic import Statistic


class Conjugate(ABC):
    """A distribution over parameters whose posterior, given data, has the same form.

    Its fields may be numbers, or arrays that broadcast against the K groups and d columns of a statistic.
    A posterior is a prior for further data: `posterior` may be called again on its result.
    """

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={np.asarray(value).tolist()}" for name, value in vars(self).items())
        return f"{type(self).__name__}({parts})"

    @abstractmethod
    def statistic(self, data: ArrayLike, weights: ArrayLike | None = None) -> Any:
        """Sufficient statistic of one group of data."""

    @abstractmethod
    def update(self, statistic: Any) -> Self:
        """Posterior given a sufficient statistic."""

    @abstractmethod
    def log_evidence(self, data: Any, weights: ArrayLike | None = None) -> Any:
        """Log of the marginal likelihood of the data in their order: the parameters are integrated out."""

    @abstractmethod
    def maximum_likelihood(self, data: Any, weights: ArrayLike | None = None) -> Any:
        """Maximum-likelihood parameters, which don't depend on the prior."""

    @abstractmethod
    def log_density(self, theta: Any) -> Any:
        """Log-density of parameters, in the form in which `mode`, `mean` and `sample` give them."""

    @abstractmethod
    def log_likelihood(self, theta: Any, data: Any, weights: ArrayLike | None = None) -> Any:
        """Log-likelihood of the data in their order, as a function of the parameters.

        Bayes' rule: ``posterior.log_density(theta)`` is ``log_density(theta) + log_likelihood(theta, data)`` less
        ``log_evidence(data)``.
        """

    def density(self, theta: Any) -> Any:
        """Density of parameters: `log_density` without the log."""
        return plain(np.exp(self.log_density(theta)))

    @abstractmethod
    def mode(self) -> Any:
        """Mode of the distribution: the MAP estimate, if this is a posterior."""

    @abstractmethod
    def mean(self) -> Any:
        """Mean of the distribution."""

    @abstractmethod
    def interval(self, level: float = 0.95) -> Any:
        """Central credible interval of each parameter: (low, high)."""

    @abstractmethod
    def sample(self, size: int, rng: np.random.Generator | int | None = None) -> Any:
        """Draws of the parameters, with a leading axis of length `size`."""

    @abstractmethod
    def predictive(self) -> Density:
        """Predictive density of the next row: the parameters are integrated out."""

    def raised(self) -> Self:
        """The prior whose posterior mode is this one's posterior mean; itself, where there is none."""
        return self

    def posterior(self, data: Any, weights: ArrayLike | None = None) -> Self:
        """Posterior given data: rows, or a statistic of them."""
        return self.update(self._statistic_of(data, weights))

    def _statistic_of(self, data: Any, weights: ArrayLike | None) -> Any:
        return data if isinstance(data, Statistic) else self.statistic(data, weights)
