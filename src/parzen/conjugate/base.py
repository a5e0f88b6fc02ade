"""What every conjugate prior offers, and the checks that they share."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array
from parzen.compute.memberships import check_memberships
from parzen.densities.density import Density
from parzen.statistics.statistic import Statistic


class Conjugate(ABC):
    """A distribution over parameters which data turn into another of the same kind.

    Its fields may be numbers, or arrays that broadcast against the K groups and d columns of a statistic.
    `posterior` may be called again and again: yesterday's posterior is today's prior.
    """

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={np.asarray(value).tolist()}" for name, value in vars(self).items())
        return f"{type(self).__name__}({parts})"

    @abstractmethod
    def statistic(self, data: ArrayLike, weights: ArrayLike | None = None) -> Any:
        """What the data say about the parameters: the sufficient statistic of one group."""

    @abstractmethod
    def update(self, statistic: Any) -> Self:
        """Posterior after the data that a statistic remembers."""

    @abstractmethod
    def log_evidence(self, data: Any, weights: ArrayLike | None = None) -> Any:
        """Log-probability of the data, in their order, with the parameters integrated out."""

    @abstractmethod
    def maximum_likelihood(self, data: Any, weights: ArrayLike | None = None) -> Any:
        """Parameters under which the data are likeliest; the prior has no say in it."""

    @abstractmethod
    def mode(self) -> Any:
        """Parameters of highest density: MAP, if this is a posterior."""

    @abstractmethod
    def mean(self) -> Any:
        """Expected parameters."""

    @abstractmethod
    def interval(self, level: float = 0.95) -> Any:
        """Central interval that holds each parameter with this probability: (low, high)."""

    @abstractmethod
    def sample(self, size: int, rng: np.random.Generator | int | None = None) -> Any:
        """Draw parameters; they have a leading axis of length `size`."""

    @abstractmethod
    def predictive(self) -> Density:
        """Density of the next row, with the parameters integrated out."""

    def raised(self) -> Self:
        """The prior whose posterior has its mode where this one's has its mean; itself, where there is none."""
        return self

    def posterior(self, data: Any, weights: ArrayLike | None = None) -> Self:
        """Posterior after data: rows, or a statistic of them."""
        return self.update(self._told(data, weights))

    def _told(self, data: Any, weights: ArrayLike | None) -> Any:
        return data if isinstance(data, Statistic) else self.statistic(data, weights)


def parameter(name: str, value: Any, above: float | None = None, least: float | None = None) -> Array:
    """A parameter as an array, or an error that names it."""
    array = np.asarray(value, dtype=np.float64)
    wrong = ~np.isfinite(array)
    if above is not None:
        wrong |= ~(array > above)
    if least is not None:
        wrong |= ~(array >= least)
    if wrong.any():
        bound = "finite" + (
            f" and above {above:g}" if above is not None else f" and at least {least:g}" if least is not None else ""
        )
        raise ValueError(f"{name} must be {bound}, got {array[wrong].flat[0]:g}.")
    return array


def checked_parameters(prior: Any, **bounds: dict[str, float]) -> None:
    """Turn the fields of a frozen dataclass into arrays within their bounds, in place: only for its __post_init__."""
    for name, bound in bounds.items():
        object.__setattr__(prior, name, parameter(name, getattr(prior, name), **bound))


def level_tails(level: float) -> tuple[float, float]:
    """Probabilities below the two ends of a central interval."""
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level!r}.")
    return 0.5 * (1 - level), 0.5 * (1 + level)


def plain(value: Any) -> Any:
    """A number where there is only one, else the array."""
    array = np.asarray(value)
    return float(array) if array.ndim == 0 else array


def as_column(data: ArrayLike, weights: ArrayLike | None) -> tuple[Array, Array | None]:
    """Data as rows, one column if they are a sequence of numbers."""
    X = np.ascontiguousarray(data, dtype=np.float64)
    X = X.reshape(-1, 1) if X.ndim <= 1 else X
    if weights is None:
        return X, None
    w = np.asarray(weights, dtype=np.float64)
    if w.shape != (len(X),):
        raise ValueError(f"weights must have shape ({len(X)},), one for each row, got {w.shape}.")
    check_memberships(w, len(X))
    return X, np.ascontiguousarray(w)


def squeezed(statistic: Any) -> Any:
    """A statistic of one group and one column as one of plain numbers, so that scalar priors stay scalar."""
    parts = {
        name: value.reshape(()) for name, value in vars(statistic).items() if value is not None and value.size == 1
    }
    return replace(statistic, **parts)


def two_axes(value: Array) -> Array:
    """Parameters as densities keep them, (K, d)."""
    return np.atleast_2d(np.asarray(value, dtype=np.float64))


@dataclass(frozen=True)
class NormalParameters:
    """Mean and variance (or covariance) of a Normal: what priors over both speak of."""

    mean: Any
    variance: Any
