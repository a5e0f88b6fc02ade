"""hmmlearn's M-step for Gaussian emissions."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.compute.memberships import Memberships
from parzen.densities.gaussian import GaussianDensity
from parzen.estimators.base.covariances import SHAPES
from parzen.estimators.markov.checks import broadcast, not_negative
from parzen.estimators.markov.emission import Emission
from parzen.families.gaussian import Gaussian
from parzen.statistics.moments import Moments
from parzen.statistics.statistic import Statistic


@dataclass(eq=False, repr=False)
class HmmlearnGaussian(Emission):
    r"""Gaussians with hmmlearn's estimates.

    With weights :math:`n_k`, means :math:`\bar x_k` and scatter matrices :math:`S_k` of the states, prior mean
    :math:`m_0` of weight :math:`w_0`, and a prior :math:`(C, c)` of the covariances:
    :math:`\mu_k = (w_0 m_0 + n_k \bar x_k) / (w_0 + n_k)` and
    :math:`\Sigma_k = (C + S_k + n_k (\bar x_k - \mu_k)(\bar x_k - \mu_k)' + w_0 (\mu_k - m_0)(\mu_k - m_0)')
    / (\max(c - d, 0) + n_k)`, with :math:`c - 1` instead of :math:`c - d` for variances. The statistic is `Moments`.

    Parameters
    ----------
    initial : GaussianDensity
        Where EM starts; parameters that are not updated keep its values.
    covariance_type : "spherical", "diag", "full" or "tied"
    params : str
        "m": means are updated; "c": covariances are.
    means_prior, means_weight, covars_prior, covars_weight : float or array
        See `parzen.GaussianHMM`.
    """

    initial: GaussianDensity
    covariance_type: str = "diag"
    params: str = "mc"
    means_prior: Any = 0.0
    means_weight: Any = 0.0
    covars_prior: Any = 1e-2
    covars_weight: Any = 1.0

    def check(self) -> None:
        """Raise where a prior doesn't have the shape of the parameters."""
        K, d = self.initial.mean.shape
        full = {"full": (K, d, d), "tied": (d, d)}.get(self.covariance_type, (K, d))
        not_negative("means_weight", self.means_weight, (K, 1))
        not_negative("covars_weight", self.covars_weight, ())
        broadcast("means_prior", self.means_prior, (K, d))
        if np.ndim(self.covars_prior) < 2:
            not_negative("covars_prior", self.covars_prior, full)
        else:
            broadcast("covars_prior", self.covars_prior, full)

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Statistic:
        return Gaussian(SHAPES[self.covariance_type][0], estimate="ml").observe(X, R, at)

    def maximise(self, statistic: Moments) -> GaussianDensity:
        K = len(statistic.mean)
        weight = statistic.weight.reshape(K, -1)  # of each state, or of each of its columns where cells are missing
        centre = np.where(weight > 0, statistic.mean, self.initial.mean)
        mean = self._means(weight, centre) if "m" in self.params else self.initial.mean
        if "c" not in self.params:
            return GaussianDensity(np.ascontiguousarray(mean), self.initial.factor)
        diagonal = self.covariance_type in ("diag", "spherical")
        factor = (self._deviations if diagonal else self._factors)(statistic, weight, centre, mean)
        return GaussianDensity(np.ascontiguousarray(mean), factor)

    def _means(self, weight: Array, centre: Array) -> Array:
        prior, worth = np.asarray(self.means_prior, dtype=np.float64), np.asarray(self.means_weight, dtype=np.float64)
        total = worth + weight
        mean = np.where(total > 0, (worth * prior + weight * centre) / np.where(total > 0, total, 1.0), centre)
        return np.broadcast_to(mean, centre.shape)

    def _deviations(self, statistic: Moments, weight: Array, centre: Array, mean: Array) -> Array:
        """Standard deviations of the states' columns, (K, d)."""
        worth, from_prior = np.asarray(self.means_weight, dtype=np.float64), mean - np.asarray(self.means_prior)
        scatter = np.where(weight > 0, statistic.scatter, 0.0) + weight * (centre - mean) ** 2 + worth * from_prior**2
        below = np.maximum(np.maximum(np.asarray(self.covars_weight) - 1, 0) + weight, 1e-5)
        variance = (self.covars_prior + scatter) / below
        if self.covariance_type == "spherical":
            variance = np.repeat(variance.mean(axis=1, keepdims=True), mean.shape[1], axis=1)
        if not ((variance > 0) & np.isfinite(variance)).all():
            raise ValueError(
                "the variance of a state is 0: its rows are all equal, or it has none. Use covars_prior above 0."
            )
        return np.sqrt(variance)

    def _factors(self, statistic: Moments, weight: Array, centre: Array, mean: Array) -> Array:
        """Cholesky factors of the states' covariances, (K, d, d)."""
        worth, from_prior = np.reshape(self.means_weight, (-1, 1, 1)), mean - np.asarray(self.means_prior)
        weight = weight[:, :1, None]
        scatter = statistic.scatter + weight * _squares(centre - mean) + worth * _squares(from_prior)
        more = np.maximum(np.asarray(self.covars_weight) - mean.shape[1], 0)
        if self.covariance_type == "tied":
            covariance = ((self.covars_prior + scatter.sum(axis=0)) / (more + weight.sum()))[None]
            covariance = np.repeat(covariance, len(mean), axis=0)
        else:
            covariance = (self.covars_prior + scatter) / np.maximum(np.reshape(more, (-1, 1, 1)) + weight, 1e-5)
        return np.stack([_factor(one) for one in covariance])


def _factor(covariance: Array) -> Array:
    """The Cholesky factor of a state's covariance; of a singular one with hmmlearn's 1e-7 on the diagonal."""
    for added in (0.0, 1e-7):
        try:
            return np.asarray(np.linalg.cholesky(covariance + added * np.eye(len(covariance))), dtype=np.float64)
        except np.linalg.LinAlgError:
            continue
    raise ValueError(
        "the covariance of a state is singular: it has too few rows. Use covariance_type='diag', fewer states, or "
        "covars_prior=0.01 * np.eye(d)."
    )


def _squares(off: Array) -> Array:
    """Outer products of rows with themselves, (K, d, d)."""
    squares: Array = off[:, :, None] * off[:, None, :]
    return squares
