"""Variational Bayes for Gaussian mixtures: a posterior of the parameters, from the statistics of EM."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import betaln, digamma, gammaln

from parzen.compute.arrays import Array
from parzen.compute.gaussian import log_normaliser
from parzen.compute.memberships import Memberships
from parzen.densities.density import Density
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.mixture import MixtureDensity
from parzen.families.family import Family
from parzen.families.fit import fit
from parzen.families.gaussian import Gaussian
from parzen.families.gaussian_starts import STEPS, TOL
from parzen.families.mixture import Mixture
from parzen.families.mixture_statistic import mixture_statistic
from parzen.families.seeding import sampled
from parzen.statistics.accumulate import accumulate
from parzen.statistics.joint import ExpectedStatistic, Joint
from parzen.statistics.messages import Collapse

#: What scikit-learn adds to the weight of a component, so that none is empty.
SLIGHT = 10 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class VariationalPosterior:
    """The posterior of weights, means and precisions, each of its own conjugate kind.

    Attributes
    ----------
    process : bool
        Whether the weights are of a Dirichlet process (stick breaking), or Dirichlet.
    concentration : array of shape (2, C) or (C,)
        Parameters of the sticks' Beta distributions, or of the Dirichlet distribution.
    mean_precision : array of shape (C,)
        How many rows each mean is worth.
    mean : array of shape (C, d)
    freedom : array of shape (C,)
        Degrees of freedom of the precisions' Wishart distributions.
    factor : array of shape (C, d, d), (1, d, d) or (C, d)
        Cholesky factors, or deviations, of the covariances: inverses of the expected precisions.
    """

    process: bool
    concentration: Array
    mean_precision: Array
    mean: Array
    freedom: Array
    factor: Array

    @property
    def weights(self) -> Array:
        """Expected weights of the components, (C,)."""
        if not self.process:
            return self.concentration / self.concentration.sum()
        a, b = self.concentration
        weights = a / (a + b) * np.append(1.0, np.cumprod(b / (a + b))[:-1])
        return weights / weights.sum()

    @property
    def expected_log_weights(self) -> Array:
        """Expected logarithms of the weights, (C,)."""
        if not self.process:
            return digamma(self.concentration) - digamma(self.concentration.sum())
        a, b = self.concentration
        whole = digamma(a + b)
        return digamma(a) - whole + np.append(0.0, np.cumsum(digamma(b) - whole)[:-1])

    def density(self) -> MixtureDensity:
        """The components that the E-step takes: Gaussians whose log-densities, with their weights, are expected ones.

        The weights don't sum to one: an expected logarithm is less than the logarithm of what is expected.
        """
        d = self.mean.shape[1]
        halves = digamma(0.5 * (self.freedom[:, None] - np.arange(d))).sum(axis=1)
        shift = 0.5 * (d * np.log(2.0 / self.freedom) + halves - d / self.mean_precision)
        return MixtureDensity(GaussianDensity(self.mean, self.factor), self.expected_log_weights + shift)

    def log_normalisers(self) -> float:
        """Minus the logarithms of the posterior's normalising constants, up to the prior's: its part of the bound."""
        d = self.mean.shape[1]
        diagonal = self.factor if self.factor.ndim == 2 else np.diagonal(self.factor, axis1=1, axis2=2)
        log_root = -np.log(diagonal).sum(axis=1) - 0.5 * d * np.log(self.freedom)
        gammas = gammaln(0.5 * (self.freedom[:, None] - np.arange(d))).sum(axis=1)
        wishart = -(self.freedom * log_root + 0.5 * self.freedom * d * np.log(2.0) + gammas)
        if self.process:
            weights = -float(betaln(*self.concentration).sum())
        else:
            weights = float(gammaln(self.concentration.sum()) - gammaln(self.concentration).sum())
        return -float(wishart.sum()) - weights - 0.5 * d * float(np.log(self.mean_precision).sum())


@dataclass(eq=False, repr=False)
class VariationalGaussians(Family):
    """Gaussian mixtures by variational Bayes (Bishop 2006, section 10.2; Blei & Jordan 2006).

    The E-step is that of a mixture whose components have expected log-densities, and its statistic is that of EM; the
    posterior follows from that statistic and the prior. The objective is the evidence lower bound.

    Parameters
    ----------
    covariance_type : "full", "tied", "diag" or "spherical"
    n_components : int
    process : bool
        Whether the weights' prior is a Dirichlet process, or a Dirichlet distribution.
    weight_concentration, mean_precision, freedom : float
        Of the prior; see `parzen.BayesianGaussianMixture`.
    mean : array of shape (d,)
    covariance : array of shape (d, d), (d,) or ()
    noise : float
        Added to every variance.
    init, n_init : see `parzen.Mixture`
    """

    covariance_type: str
    n_components: int
    process: bool
    weight_concentration: float
    mean_precision: float
    mean: Array
    freedom: float
    covariance: Array
    noise: float = 0.0
    init: str = "auto"
    n_init: int = 1
    takes_missing = False

    iterates: ClassVar[bool] = True

    def _mixture(self) -> Mixture:
        full = self.covariance_type in ("full", "tied")
        family = Gaussian("full" if full else "diag", shared=self.covariance_type == "tied", noise=self.noise)
        return Mixture(family, self.n_components, init=self.init, n_init=self.n_init)

    def start(self, X: Any, R: Any, rng: np.random.Generator) -> Density:
        if self.init != "random":
            return self._mixture().start(X, R, rng)
        starts = [self._random_start(X, R, rng) for _ in range(self.n_init)]
        if len(starts) == 1:
            return starts[0]
        runs = [fit(self, X, R, start=one, max_iter=STEPS, tol=TOL) for one in starts]
        return max(runs, key=lambda run: run.objective[-1]).density

    def _random_start(self, X: Any, w: Array | None, rng: np.random.Generator) -> Density:
        """The posterior of responsibilities that are drawn at random, of at most a few thousand rows."""
        C, (n, d) = self.n_components, X.shape
        rows, own = sampled(X, w, max(2048, C * max(256, 16 * d)), rng)
        shares = rng.random((len(rows), C))
        shares *= ((1.0 if own is None else own) / shares.sum(axis=1))[:, None]
        seen = accumulate(self._mixture().components(), rows, shares)
        part = Joint((mixture_statistic(shares.sum(axis=0), seen),))
        return self.maximise((n if w is None else float(w.sum())) / float(shares.sum()) * part)

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> ExpectedStatistic:
        return self._mixture().observe(X, R, at)

    def maximise(self, statistic: Joint) -> MixtureDensity:
        return self.posterior(statistic).density()

    def log_prior(self, density: Any, statistic: Any) -> float:
        """What the evidence lower bound has beside the log-likelihood of the components that the E-step takes.

        The responsibilities' entropy is that log-likelihood less the expected log-density of rows and components.
        """
        return self.posterior(statistic).log_normalisers() - _expected_log_joint(density, statistic)

    def posterior(self, statistic: Any) -> VariationalPosterior:
        """The posterior of a statistic."""
        (counted, moments) = statistic.parts[0].parts
        n = counted.weight[:, 0] + SLIGHT
        C, d = moments.mean.shape
        worth = self.mean_precision + n
        off = np.where(counted.weight > 0, moments.mean - self.mean, 0.0)
        mean = self.mean + (n / worth)[:, None] * off
        between = n * self.mean_precision / worth
        freedom = self.freedom + (np.full(C, n.sum() / C) if self.covariance_type == "tied" else n)
        scatter = np.where(np.isfinite(moments.scatter), moments.scatter, 0.0)
        if self.covariance_type in ("diag", "spherical"):
            spread = scatter + n[:, None] * self.noise + between[:, None] * off**2
            if self.covariance_type == "spherical":
                spread = np.repeat(spread.mean(axis=1, keepdims=True), d, axis=1)
            factor = np.sqrt((self.covariance + spread) / freedom[:, None])
        else:
            apart = between[:, None, None] * off[:, :, None] * off[:, None, :]
            if self.covariance_type == "tied":
                spread = (scatter.sum(axis=0) + n.sum() * self.noise * np.eye(d) + apart.sum(axis=0))[None] / C
            else:
                spread = scatter + n[:, None, None] * self.noise * np.eye(d) + apart
            factor = _cholesky((self.covariance + spread) / freedom[: len(spread), None, None])
        return VariationalPosterior(self.process, self._concentration(n), worth, mean, freedom, factor)

    def _concentration(self, n: Array) -> Array:
        if not self.process:
            return self.weight_concentration + n
        after = np.append(np.cumsum(n[::-1])[-2::-1], 0.0)
        return np.stack([1.0 + n, self.weight_concentration + after])

    def n_parameters(self, density: Any) -> int:
        return self._mixture().n_parameters(density)


def _cholesky(covariance: Array) -> Array:
    try:
        return np.asarray(np.linalg.cholesky(covariance), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise Collapse(
            "the covariance of a component is singular; use a larger covariance_prior or reg_covar."
        ) from None


def _expected_log_joint(density: MixtureDensity, statistic: Any) -> float:
    """Sum over rows and components of responsibility times log of weight and density, from the statistic alone."""
    counted, moments = statistic.parts[0].parts
    n = counted.weight[:, 0]
    gaussians = density.components
    assert isinstance(gaussians, GaussianDensity)
    off = np.where(n[:, None] > 0, moments.mean - gaussians.mean, 0.0)
    constants = n @ (np.maximum(density.log_weight, -1e30) + log_normaliser(gaussians.mean, gaussians.factor))
    if gaussians.factor.ndim == 2:
        squares = (moments.scatter + n[:, None] * off**2) / gaussians.factor**2
        return float(constants - 0.5 * squares.sum())
    inverse = np.linalg.inv(gaussians.factor)
    precision = np.swapaxes(inverse, 1, 2) @ inverse
    within = float((precision * moments.scatter).sum())
    apart = float((n * ((inverse @ off[:, :, None]) ** 2).sum(axis=(1, 2))).sum())
    return float(constants - 0.5 * (within + apart))
