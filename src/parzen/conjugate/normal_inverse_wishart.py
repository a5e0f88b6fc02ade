"""Normal-inverse-Wishart priors of a Gaussian's mean and covariance."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import multigammaln

from parzen.compute.arrays import Array
from parzen.compute.moments import moments
from parzen.conjugate.base import Conjugate
from parzen.conjugate.normal import LOG_TWO_PI, NormalParameters, tied_parameter
from parzen.conjugate.normal_inverse_gamma import NormalInverseGamma
from parzen.conjugate.parameters import as_column, checked_parameters, plain, two_axes
from parzen.densities.student import StudentDensity
from parzen.statistics.moments import Moments


@dataclass(frozen=True, repr=False)
class NormalInverseWishart(Conjugate):
    """Prior of the mean and covariance of a Normal; the statistic is `Moments` with full scatter.

    The covariance is inverse-Wishart(dof, scale); given it, the mean is Normal(location, covariance / strength).

    Parameters
    ----------
    location : array of shape (d,)
    strength : number of rows that the location is worth
    dof : degrees of freedom, above d - 1
    scale : array of shape (d, d)
        Positive definite; the mean of the covariance is scale / (dof - d - 1).
    sharing : number of means that share each covariance; 1 unless `tied`

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
        after = self.update(self._statistic_of(data, weights))
        if self.location.ndim > 1 or len(after.dof) > 1:
            return after
        return NormalInverseWishart(after.location[0], after.strength[0], after.dof[0], after.scale[0])

    def tied(self, prior: "NormalInverseWishart", axis: int) -> "NormalInverseWishart":
        """Posterior if all means along an axis of groups share one covariance with this prior."""
        return replace(
            self,
            dof=tied_parameter(self.dof, prior.dof, self.dof.shape, axis),
            scale=tied_parameter(self.scale, prior.scale, self.scale.shape, axis),
            sharing=self.sharing * self.dof.shape[axis],
        )

    def log_evidence(self, data: Any, weights: ArrayLike | None = None) -> Any:
        observed = self._statistic_of(data, weights)
        after = self.update(observed)
        logs = after._log_normaliser() - self._log_normaliser() - 0.5 * observed.weight * self._d * LOG_TWO_PI
        return plain(logs[0] if logs.shape == (1,) else logs)

    def _log_normaliser(self) -> Any:
        d = self._d
        determinant = np.linalg.slogdet(self.scale)[1]
        gammas = np.vectorize(lambda dof: multigammaln(0.5 * dof, d), otypes=[float])(self.dof)
        return gammas + 0.5 * self.dof * (d * np.log(2) - determinant) - 0.5 * d * np.log(self.strength)

    def log_density(self, theta: NormalParameters) -> Any:
        """Log-density of means (..., d) and covariances (..., d, d), which are `NormalParameters`."""
        if self.sharing != 1:
            raise ValueError("this posterior is of several means that share a covariance; ask for the density of one.")
        mean, covariance = (np.asarray(part, dtype=np.float64) for part in (theta.mean, theta.variance))
        off = mean - self.location
        scale = self.scale + np.asarray(self.strength)[..., None, None] * off[..., :, None] * off[..., None, :]
        logs = -0.5 * (self.dof + self._d + 2) * _log_determinant(covariance)
        return plain(
            logs - 0.5 * _trace_of_ratio(scale, covariance) - 0.5 * self._d * LOG_TWO_PI - self._log_normaliser()
        )

    def log_likelihood(self, theta: NormalParameters, data: Any, weights: ArrayLike | None = None) -> Any:
        observed = self._statistic_of(data, weights)
        mean, covariance = (np.asarray(part, dtype=np.float64) for part in (theta.mean, theta.variance))
        off, n = observed.mean[0] - mean, observed.weight[0]
        scatter = observed.scatter[0] + n * off[..., :, None] * off[..., None, :]
        logs = n * (self._d * LOG_TWO_PI + _log_determinant(covariance))
        return plain(-0.5 * (logs + _trace_of_ratio(scatter, covariance)))

    def maximum_likelihood(self, data: Any, weights: ArrayLike | None = None) -> NormalParameters:
        observed = self._statistic_of(data, weights)
        return NormalParameters(
            np.squeeze(observed.mean, 0), np.squeeze(observed.scatter / observed.weight[:, None, None], 0)
        )

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
            raise ValueError("this posterior is of several groups; sample one group at a time.")
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


def _log_determinant(covariance: Array) -> Array:
    return 2.0 * np.log(np.diagonal(np.linalg.cholesky(covariance), axis1=-2, axis2=-1)).sum(axis=-1)


def _trace_of_ratio(scatter: Array, covariance: Array) -> Array:
    """Trace of scatter times the inverse of a covariance."""
    return np.trace(np.linalg.solve(covariance, scatter), axis1=-2, axis2=-1)
