"""hmmlearn's M-step for emissions that are mixtures of Gaussians."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.compute.memberships import Memberships
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.mixture import MixtureDensity
from parzen.densities.per_group import PerGroupDensity
from parzen.estimators.base.covariances import SHAPES
from parzen.estimators.markov.checks import broadcast, not_negative
from parzen.estimators.markov.emission import Emission
from parzen.families.gaussian import Gaussian
from parzen.families.mixture import Mixture
from parzen.statistics.joint import Joint
from parzen.statistics.statistic import Statistic
from parzen.statistics.sums import Sums

#: No variance falls below this part of the initial one.
LEAST = 1e-7


@dataclass(eq=False, repr=False)
class HmmlearnMixture(Emission):
    r"""A mixture of Gaussians for each state, with hmmlearn's priors.

    The statistic is that of `parzen.Mixture`, and for each state the scatter about the current means.

    With weight n, mean :math:`\bar x` and scatter S of a component, and a prior mean :math:`m_0` of weight
    :math:`\lambda`: :math:`\mu = (\lambda m_0 + n \bar x) / (\lambda + n)`. As in hmmlearn the scatter is taken about
    the mean m before the step: :math:`S + n (\bar x - m)(\bar x - m)' + \lambda (\mu - m_0)(\mu - m_0)'` is added to
    the prior of the covariance.

    Parameters
    ----------
    initial : PerGroupDensity of MixtureDensity
        Where EM starts; parameters that are not updated keep its values.
    covariance_type : "spherical", "diag", "full" or "tied"
    params : str
        "w": weights are updated; "m": means are; "c": covariances are.
    weights_prior, means_prior, means_weight, covars_prior, covars_weight : float or array
        See `parzen.GMMHMM`.
    """

    initial: PerGroupDensity
    covariance_type: str
    params: str
    weights_prior: Any
    means_prior: Any
    means_weight: Any
    covars_prior: Any
    covars_weight: Any

    @property
    def _sizes(self) -> tuple[int, int, int]:
        """Number of states, components and columns."""
        (K, d), first = self.initial.shape, self.initial.parts[0]
        assert isinstance(first, MixtureDensity)
        return K, first.size, d

    @property
    def _mixture(self) -> Mixture:
        return Mixture(Gaussian(SHAPES[self.covariance_type][0], estimate="ml"), self._sizes[1])

    def check(self) -> None:
        """Raise where a prior doesn't have the shape of the parameters."""
        K, M, d = self._sizes
        not_negative("weights_prior", self.weights_prior, (K, M))
        broadcast("means_prior", self.means_prior, (K, M, d))
        not_negative("means_weight", self.means_weight, (K, M))
        prior, weight = PRIOR_SHAPES[self.covariance_type](K, M, d)
        broadcast("covars_prior", self.covars_prior, prior)
        broadcast("covars_weight", self.covars_weight, weight)

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Statistic:
        seen: Any = self._mixture.observe(X, R, at)
        parts = (_about(part, own.components) for part, own in zip(seen.statistic.parts, at.parts, strict=True))
        return replace(seen, statistic=Joint(tuple(parts)))

    def maximise(self, statistic: Joint) -> PerGroupDensity:
        return PerGroupDensity(tuple(self._state(k, part) for k, part in enumerate(statistic.parts)))

    def _state(self, k: int, statistic: Any) -> MixtureDensity:
        initial: Any = self.initial.parts[k]
        K, M, d = self._sizes
        counted, moments, scatter = statistic.parts
        n = counted.weight[:, 0]
        log_weight = initial.log_weight
        if "w" in self.params:
            raised = np.maximum(n + np.broadcast_to(self.weights_prior, (K, M))[k] - 1.0, 0.0)
            if raised.sum() > 0:
                with np.errstate(divide="ignore"):
                    log_weight = np.log(raised / raised.sum())
        old = initial.components
        cells = _cells(moments)
        centre = np.where(cells > 0, moments.mean, old.mean)
        worth = np.broadcast_to(self.means_weight, (K, M))[k, :, None]
        prior = np.broadcast_to(self.means_prior, (K, M, d))[k]
        mean = old.mean
        if "m" in self.params:
            total = worth + cells
            mean = np.where(total > 0, (worth * prior + cells * centre) / np.where(total > 0, total, 1.0), centre)
        if "c" not in self.params:
            return MixtureDensity(GaussianDensity(np.ascontiguousarray(mean), old.factor), log_weight)
        factor = self._factors(k, n, cells, scatter.totals, worth, mean - prior)
        return MixtureDensity(GaussianDensity(np.ascontiguousarray(mean), factor), log_weight)

    def _factors(self, k: int, n: Array, cells: Array, scatter: Array, worth: Array, shift: Array) -> Array:
        """Cholesky factors, or standard deviations, of a state's components, of weights n and of so many cells."""
        K, M, d = self._sizes
        shape, weight = PRIOR_SHAPES[self.covariance_type](K, M, d)
        prior = np.broadcast_to(np.asarray(self.covars_prior, dtype=np.float64), shape)[k]
        more = np.broadcast_to(np.asarray(self.covars_weight, dtype=np.float64), weight)[k]
        if self.covariance_type in ("diag", "spherical"):
            scatter = scatter + worth * shift**2
            if self.covariance_type == "diag":
                variance = (scatter + 2.0 * more) / _positive(cells + 1.0 + 2.0 * (prior + 1.0))
            else:
                variance = (scatter.sum(axis=1) + 2.0 * more) / _positive(cells.sum(axis=1) + d + 2.0 * (prior + 1.0))
                variance = np.repeat(variance[:, None], d, axis=1)
            initial: Any = self.initial.parts[k]
            return np.sqrt(np.maximum(variance, LEAST * initial.components.factor**2))
        about = scatter.reshape(M, d, d) + worth[:, :, None] * _squares(shift)
        if self.covariance_type == "full":
            below = _positive(n + 1.0 + more + d + 1.0)
            return self._raised(k, (np.swapaxes(prior, 1, 2) + about) / below[:, None, None])
        covariance = (prior.T + about.sum(axis=0)) / _positive(n.sum() + M + more + d + 1.0)
        return np.repeat(self._raised(k, covariance[None]), M, axis=0)

    def _raised(self, k: int, covariance: Array) -> Array:
        """Cholesky factors of covariances, with part of the initial one added where they are singular."""
        initial: Any = self.initial.parts[k]
        out = []
        for one, before in zip(covariance, initial.components.factor, strict=False):
            floor = LEAST * np.diag((before**2).sum(axis=1))
            try:
                out.append(np.linalg.cholesky(one))
            except np.linalg.LinAlgError:
                out.append(np.linalg.cholesky(one + floor))
        return np.stack(out)


#: Shapes of `covars_prior` and of `covars_weight` for K states, M components and d columns.
PRIOR_SHAPES: dict[str, Any] = {
    "full": lambda K, M, d: ((K, M, d, d), (K, M)),
    "tied": lambda K, M, d: ((K, d, d), (K,)),
    "diag": lambda K, M, d: ((K, M, d), (K, M, d)),
    "spherical": lambda K, M, d: ((K, M), (K, M)),
}


def _about(statistic: Any, current: GaussianDensity) -> Joint:
    """The statistic of one state's mixture, and the scatter of each component about its current mean."""
    counted, moments = statistic.parts
    n, cells = counted.weight, _cells(moments)
    off = np.where(cells > 0, moments.mean - current.mean, 0.0)
    inner = np.where(n > 0, moments.scatter.reshape(len(n), -1), 0.0)
    squares = cells * off**2 if moments.scatter.ndim == 2 else n * _squares(off).reshape(len(n), -1)
    return Joint((counted, moments, Sums(n, inner + squares)))


def _cells(moments: Any) -> Array:
    """Weight of each column of each component, (M, d): less than the component's where cells are missing."""
    return np.broadcast_to(moments.weight.reshape(len(moments.mean), -1), moments.mean.shape)


def _positive(total: Array) -> Array:
    """Denominators, of which an empty component's may be zero."""
    return np.where(total > 1e-300, total, 1.0)


def _squares(off: Array) -> Array:
    squares: Array = off[:, :, None] * off[:, None, :]
    return squares
