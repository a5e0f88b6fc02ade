"""Priors of Gaussians: of the mean alone, of mean and variance, of mean and covariance."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincinv, gammaln, multigammaln, ndtri, stdtrit

from parzen.compute.arrays import Array
from parzen.compute.moments import moments
from parzen.conjugate.base import (
    Conjugate,
    NormalParameters,
    as_column,
    checked_parameters,
    level_tails,
    plain,
    squeezed,
    two_axes,
)
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.student import StudentDensity
from parzen.statistics.moments import Moments

LOG_TWO_PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, repr=False)
class NormalMean(Conjugate):
    """Normal prior of the mean of a Normal whose deviation is known; the statistic is `Moments`.

    Parameters
    ----------
    location, deviation : where the mean may be, and how far from there
    noise : the known deviation of a row about the mean

    Examples
    --------
    >>> posterior = NormalMean(location=20, deviation=5, noise=3).posterior([24.0])
    >>> round(posterior.mean(), 3), round(float(posterior.deviation), 3)
    (22.941, 2.572)
    >>> posterior.predictive().covariance.round(3)              # wider than noise alone: 3² + 2.572²
    array([[[15.618]]])
    """

    location: Any
    deviation: Any
    noise: Any

    def __post_init__(self) -> None:
        checked_parameters(self, location={}, deviation={"above": 0}, noise={"above": 0})

    def statistic(self, data: ArrayLike, weights: ArrayLike | None = None) -> Moments:
        X, w = as_column(data, weights)
        return squeezed(Moments(*moments(X, w, full=False)))

    def update(self, statistic: Moments) -> "NormalMean":
        precision = self.deviation**-2 + statistic.weight * self.noise**-2
        share = statistic.weight * self.noise**-2 / precision
        return replace(
            self, location=self.location + share * (statistic.mean - self.location), deviation=precision**-0.5
        )

    def log_evidence(self, data: Any, weights: ArrayLike | None = None) -> Any:
        told = self._told(data, weights)
        n, variance = told.weight, self.noise**2
        about = variance + n * self.deviation**2
        squares = told.scatter / variance + n * (told.mean - self.location) ** 2 / about
        return plain(-0.5 * (n * (LOG_TWO_PI + np.log(variance)) + np.log(about / variance) + squares))

    def maximum_likelihood(self, data: Any, weights: ArrayLike | None = None) -> Any:
        return plain(self._told(data, weights).mean)

    def mode(self) -> Any:
        return plain(self.location)

    def mean(self) -> Any:
        return plain(self.location)

    def interval(self, level: float = 0.95) -> Any:
        low, high = (self.location + self.deviation * ndtri(tail) for tail in level_tails(level))
        return plain(low), plain(high)

    def sample(self, size: int, rng: np.random.Generator | int | None = None) -> Array:
        shape = (size, *np.broadcast(self.location, self.deviation).shape)
        return np.random.default_rng(rng).normal(self.location, self.deviation, size=shape)

    def predictive(self) -> GaussianDensity:
        spread = np.hypot(self.deviation, self.noise)
        location, deviation = (two_axes(part) for part in np.broadcast_arrays(self.location, spread))
        return GaussianDensity(np.ascontiguousarray(location), np.ascontiguousarray(deviation))


@dataclass(frozen=True, repr=False)
class NormalInverseGamma(Conjugate):
    """Prior of the mean and variance of a Normal; the statistic is `Moments` of columns that stand alone.

    The variance is inverse-Gamma(shape, scale); given it, the mean is Normal(location, variance / strength).

    Parameters
    ----------
    location, strength : where the mean may be, and how many rows that opinion is worth
    shape, scale : of the inverse Gamma of the variance, whose mean is scale / (shape - 1)
    sharing : how many means share each variance; 1 unless `tied`

    Examples
    --------
    >>> posterior = NormalInverseGamma(0, 1, 2, 2).posterior([1.0, 2.0, 3.0])
    >>> posterior.mean()
    NormalParameters(mean=1.5, variance=1.8)
    >>> posterior.predictive().dof
    array([[7.]])
    """

    location: Any
    strength: Any
    shape: Any
    scale: Any
    sharing: int = 1

    def __post_init__(self) -> None:
        checked_parameters(self, location={}, strength={"above": 0}, shape={"above": 0}, scale={"above": 0})

    def statistic(self, data: ArrayLike, weights: ArrayLike | None = None) -> Moments:
        X, w = as_column(data, weights)
        return squeezed(Moments(*moments(X, w, full=False)))

    def update(self, statistic: Moments) -> "NormalInverseGamma":
        strength = self.strength + statistic.weight
        off = statistic.mean - self.location
        return NormalInverseGamma(
            location=self.location + statistic.weight / strength * off,
            strength=strength,
            shape=self.shape + 0.5 * statistic.weight,
            scale=self.scale + 0.5 * (statistic.scatter + self.strength * statistic.weight / strength * off**2),
        )

    def tied(self, prior: "NormalInverseGamma", axis: int) -> "NormalInverseGamma":
        """Posterior, had all means along an axis shared one variance with this prior."""
        sizes = np.broadcast_shapes(self.location.shape, self.shape.shape)
        return replace(
            self,
            shape=_tied(self.shape, prior.shape, sizes, axis),
            scale=_tied(self.scale, prior.scale, sizes, axis),
            sharing=self.sharing * sizes[axis],
        )

    def log_evidence(self, data: Any, weights: ArrayLike | None = None) -> Any:
        told = self._told(data, weights)
        after = self.update(told)
        return plain(after._log_normaliser() - self._log_normaliser() - 0.5 * told.weight * LOG_TWO_PI)

    def _log_normaliser(self) -> Any:
        return gammaln(self.shape) - self.shape * np.log(self.scale) - 0.5 * np.log(self.strength)

    def maximum_likelihood(self, data: Any, weights: ArrayLike | None = None) -> NormalParameters:
        told = self._told(data, weights)
        return NormalParameters(plain(told.mean), plain(told.scatter / told.weight))

    def mode(self) -> NormalParameters:
        # Each mean that shares a variance adds half a power of it to the joint density.
        return NormalParameters(plain(self.location), plain(self.scale / (self.shape + 1 + 0.5 * self.sharing)))

    def mean(self) -> NormalParameters:
        variance = np.where(self.shape > 1, self.scale / np.where(self.shape > 1, self.shape - 1, 1.0), np.inf)
        return NormalParameters(plain(self.location), plain(variance))

    def interval(self, level: float = 0.95) -> tuple[NormalParameters, NormalParameters]:
        low, high = level_tails(level)
        width = np.sqrt(self.scale / (self.shape * self.strength))

        def end(tail: float) -> NormalParameters:
            variance = self.scale / gammaincinv(self.shape, 1 - tail)
            return NormalParameters(plain(self.location + width * stdtrit(2 * self.shape, tail)), plain(variance))

        return end(low), end(high)

    def sample(self, size: int, rng: np.random.Generator | int | None = None) -> NormalParameters:
        rng = np.random.default_rng(rng)
        shape = (size, *np.broadcast(self.location, self.strength, self.shape, self.scale).shape)
        variance = self.scale / rng.gamma(self.shape, size=shape)
        return NormalParameters(rng.normal(self.location, np.sqrt(variance / self.strength)), variance)

    def predictive(self) -> StudentDensity:
        spread = np.sqrt(self.scale / self.shape * (1 + 1 / self.strength))
        location, factor, dof = (two_axes(part) for part in np.broadcast_arrays(self.location, spread, 2 * self.shape))
        return StudentDensity(np.ascontiguousarray(location), np.ascontiguousarray(factor), np.ascontiguousarray(dof))


@dataclass(frozen=True, repr=False)
class NormalInverseWishart(Conjugate):
    """Prior of the mean and covariance of a Normal; the statistic is `Moments` with full scatter.

    The covariance is inverse-Wishart(dof, scale); given it, the mean is Normal(location, covariance / strength).

    Parameters
    ----------
    location : array of shape (d,)
    strength : how many rows the location is worth
    dof : degrees of freedom, above d - 1
    scale : array of shape (d, d)
        Positive definite; the mean of the covariance is scale / (dof - d - 1).
    sharing : how many means share each covariance; 1 unless `tied`

    Examples
    --------
    >>> prior = NormalInverseWishart([0, 0], strength=1, dof=4, scale=[[1, 0], [0, 1]])
    >>> posterior = prior.posterior([[1.0, 0.0], [3.0, 2.0]])
    >>> posterior.location
    array([1.33333333, 0.66666667])
    >>> posterior.predictive().dof                      # dof - d + 1: a joint Student t
    array([5.])
    """

    location: Any
    strength: Any
    dof: Any
    scale: Any
    sharing: int = 1

    def __post_init__(self) -> None:
        checked_parameters(self, location={}, strength={"above": 0}, dof={}, scale={})
        d = self.location.shape[-1] if self.location.ndim else 1
        if self.scale.shape[-2:] != (d, d):
            raise ValueError(f"scale must have shape ({d}, {d}) as location has {d} columns, got {self.scale.shape}.")
        checked_parameters(self, dof={"above": d - 1})
        if self.scale.ndim == 2:
            try:
                np.linalg.cholesky(self.scale)
                symmetric = np.allclose(self.scale, self.scale.T)
            except np.linalg.LinAlgError:
                symmetric = False
            if not symmetric:
                raise ValueError("scale must be symmetric and positive definite, such as the identity or a covariance.")

    @property
    def _d(self) -> int:
        return int(self.scale.shape[-1])

    def statistic(self, data: ArrayLike, weights: ArrayLike | None = None) -> Moments:
        X = np.ascontiguousarray(data, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self._d:
            raise ValueError(f"data must have shape (rows, {self._d}), got {X.shape}.")
        if np.isnan(X).any():
            raise ValueError("data must be complete: with missing cells there is no closed form; drop such rows.")
        return Moments(*moments(X, as_column(X, weights)[1]))

    def update(self, statistic: Moments) -> "NormalInverseWishart":
        n, rows = statistic.weight, statistic.mean
        strength = self.strength + n
        off = rows - self.location
        pull = (self.strength * n / strength)[..., None, None] * off[..., :, None] * off[..., None, :]
        return NormalInverseWishart(
            location=self.location + (n / strength)[..., None] * off,
            strength=strength,
            dof=self.dof + n,
            scale=self.scale + statistic.scatter + pull,
        )

    def posterior(self, data: Any, weights: ArrayLike | None = None) -> "NormalInverseWishart":
        after = self.update(self._told(data, weights))
        if self.location.ndim > 1 or len(after.dof) > 1:
            return after
        return NormalInverseWishart(after.location[0], after.strength[0], after.dof[0], after.scale[0])

    def tied(self, prior: "NormalInverseWishart", axis: int) -> "NormalInverseWishart":
        """Posterior, had all means along an axis of groups shared one covariance with this prior."""
        return replace(
            self,
            dof=_tied(self.dof, prior.dof, self.dof.shape, axis),
            scale=_tied(self.scale, prior.scale, self.scale.shape, axis),
            sharing=self.sharing * self.dof.shape[axis],
        )

    def log_evidence(self, data: Any, weights: ArrayLike | None = None) -> Any:
        told = self._told(data, weights)
        after = self.update(told)
        logs = after._log_normaliser() - self._log_normaliser() - 0.5 * told.weight * self._d * LOG_TWO_PI
        return plain(logs[0] if logs.shape == (1,) else logs)

    def _log_normaliser(self) -> Any:
        d = self._d
        determinant = np.linalg.slogdet(self.scale)[1]
        gammas = np.vectorize(lambda dof: multigammaln(0.5 * dof, d), otypes=[float])(self.dof)
        return gammas + 0.5 * self.dof * (d * np.log(2) - determinant) - 0.5 * d * np.log(self.strength)

    def maximum_likelihood(self, data: Any, weights: ArrayLike | None = None) -> NormalParameters:
        told = self._told(data, weights)
        return NormalParameters(np.squeeze(told.mean, 0), np.squeeze(told.scatter / told.weight[:, None, None], 0))

    def mode(self) -> NormalParameters:
        return NormalParameters(self.location, self.scale / (self.dof + self._d + 1 + self.sharing)[..., None, None])

    def mean(self) -> NormalParameters:
        if (self.dof <= self._d + 1).any():
            raise ValueError(f"the covariance has no mean below {self._d + 1} degrees of freedom; raise dof.")
        return NormalParameters(self.location, self.scale / (self.dof - self._d - 1)[..., None, None])

    def interval(self, level: float = 0.95) -> tuple[NormalParameters, NormalParameters]:
        """Central intervals of each mean and of each variance (the diagonal of the covariance)."""
        diagonal = np.diagonal(self.scale, axis1=-2, axis2=-1)
        shape = 0.5 * (self.dof - self._d + 1)[..., None]
        return NormalInverseGamma(self.location, self.strength[..., None], shape, 0.5 * diagonal).interval(level)

    def sample(self, size: int, rng: np.random.Generator | int | None = None) -> NormalParameters:
        if self.location.ndim > 1:
            raise ValueError("sample one group at a time: this posterior speaks of several.")
        rng, d = np.random.default_rng(rng), self._d
        # Bartlett: a Wishart of the inverse scale, inverted through its triangle.
        triangle = np.tril(rng.standard_normal((size, d, d)), -1)
        triangle[:, np.arange(d), np.arange(d)] = np.sqrt(rng.chisquare(self.dof - np.arange(d), size=(size, d)))
        factor = np.linalg.cholesky(self.scale)
        root = np.swapaxes(np.linalg.solve(triangle, np.broadcast_to(factor.T, triangle.shape)), 1, 2)
        step = root @ rng.standard_normal((size, d, 1)) / np.sqrt(self.strength)
        return NormalParameters(self.location + step[:, :, 0], root @ np.swapaxes(root, 1, 2))

    def predictive(self) -> StudentDensity:
        dof = np.atleast_1d(self.dof - self._d + 1)
        strength = np.atleast_1d(self.strength)
        location = two_axes(self.location)
        scale = self.scale.reshape(-1, self._d, self._d)
        if len(scale) < len(strength):
            scale, dof = np.repeat(scale, len(strength), axis=0), np.repeat(dof, len(strength))
        grown = scale * ((1 + 1 / strength) / dof)[:, None, None]
        return StudentDensity(location, np.linalg.cholesky(grown), dof)


def _tied(after: Array, before: Array, sizes: tuple[int, ...], axis: int) -> Array:
    """One parameter for all along an axis: the prior's, and what the data added to each."""
    after = np.broadcast_to(after, np.broadcast_shapes(after.shape, sizes))
    before = np.broadcast_to(before, after.shape)
    first = before.take([0], axis=axis)
    if not np.array_equal(np.broadcast_to(first, before.shape), before):
        raise ValueError("the prior of a shared variance must be one: give the same shape (dof) and scale to all.")
    return first + (after - before).sum(axis=axis, keepdims=True)
