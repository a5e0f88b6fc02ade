"""The Gaussian family: full, diagonal or spherical, of each group or shared, by ML, MAP or Bayes."""

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from parzen.compute.arrays import Array, as_floats, is_sparse
from parzen.compute.checks import choose
from parzen.compute.device import is_device, routine
from parzen.compute.gaussian import expected_moments
from parzen.compute.memberships import Memberships
from parzen.compute.moments import higher_moments, moments
from parzen.compute.sparse import csr_moments
from parzen.conjugate import NormalInverseGamma, NormalInverseWishart, NormalMean
from parzen.densities.density import Density
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.student import StudentDensity
from parzen.families.checks import ESTIMATES, total_or_collapse
from parzen.families.covariance_floor import (
    factors,
    floor_units,
    floored_variances,
    pooled_variances,
    shrinkage_share,
    shrunk,
    with_empty_groups_filled,
)
from parzen.families.family import Family
from parzen.families.fit import fit
from parzen.families.gaussian_parameters import known_factor, known_gaussians
from parzen.families.gaussian_patterns import expected_moments_of_patterns, observed_patterns
from parzen.statistics.accumulate import accumulate
from parzen.statistics.joint import ExpectedStatistic
from parzen.statistics.messages import Collapse, NeedsDensity, without_floor_warnings
from parzen.statistics.moments import Moments
from parzen.statistics.pattern_moments import PatternMoments, PatternRows

Prior = NormalMean | NormalInverseGamma | NormalInverseWishart


@dataclass(eq=False, repr=False)
class Gaussian(Family):
    r"""Gaussians: :math:`\log p(x) = -\frac12 \|L^{-1} (x - \mu)\|^2 - \log |L| - \frac d2 \log 2\pi, L L' = \Sigma`.

    Its statistic is `Moments`. Missing values have no weight in "diag" and "spherical" ones; in "full" ones they are
    replaced by their expectation under the current density, which makes the fit iterate (EM). What adds to other
    batches and shards is then `PatternMoments`.

    Parameters
    ----------
    covariance_type : "full", "diag" or "spherical"
    shared : bool, "average" or array of K weights
        Whether all groups have one covariance: that of the rows about their own group's mean (True); or the average of
        the groups' covariances, each regularised on its own, weighted by the groups' weights or by weights given.
    floor : float
        Least variance. The unit of a column is its least variance in a group where it varies (and at least 1e-12 of
        that of all rows); of a direction of a full covariance, the group's own variances. A column that is constant in
        all rows has the average variance of the others for unit, or 1.
    shrinkage : float, "ledoit_wolf", "oas" or "auto"
        Share of the average variance in the covariance: (1 - s) Sigma + s tr(Sigma) / d I. "auto" is Ledoit and Wolf's
        with each column divided by its deviation first, as in scikit-learn's discriminant analysis. For estimate "ml".
    prior : NormalInverseWishart ("full"), NormalInverseGamma or NormalMean (otherwise), optional
        By default that of Fraley and Raftery (2007), in units of the data: 0.01 rows at the mean of all rows,
        p + 2 degrees of freedom, scale the variances of all rows, divided by K^(2/p); p = d, or 1 unless "full".
    estimate : "ml", "map" or "bayes", optional
        Likeliest parameters (covariances divided by n), mode of the posterior, or posterior predictive (Student t). By
        default "bayes" if a prior is given, else "ml".
    ridge : float
        Share of the identity, in the data's own units: (1 - r) Sigma + r I, after shrinkage. For estimate "ml".
    smoothing : float
        Added to every variance, in units of the largest variance of a column over all rows. For estimate "ml".
    noise : float
        Added to every variance, in the data's own units. For estimate "ml".
    fixed_covariance : float or array, optional
        A covariance that is known, of all groups: only means are learnt. A number is the variance of every column; or
        variances (d,) if "diag", a matrix (d, d) if "full". For estimate "ml".

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import Gaussian, Labels, fit
    >>> X = np.array([[0.0, 1.0], [2.0, 1.0], [1.0, 4.0], [7.0, 5.0], [9.0, 6.0], [8.0, 1.0]])
    >>> two = fit(Gaussian(shared=True), X, Labels([0, 0, 0, 1, 1, 1])).density
    >>> two.mean
    array([[1., 2.],
           [8., 4.]])
    >>> two.log_density(X[:1]).argmax(axis=1)
    array([0])
    """

    covariance_type: str = "full"
    shared: Any = False
    floor: float = 1e-12
    shrinkage: Any = 0.0
    prior: Prior | None = None
    estimate: str | None = None
    ridge: float = 0.0
    smoothing: float = 0.0
    noise: float = 0.0
    fixed_covariance: Any = None

    @staticmethod
    def from_parameters(mean: Any, covariance: Any) -> GaussianDensity:
        """The density of parameters that are known: of one Gaussian, or of K.

        Parameters
        ----------
        mean : number, array of shape (d,), or of shape (K, d) for K Gaussians
        covariance : number, the variance of every column; variances (d,); a matrix (d, d) of all; or (K, d, d)

        Examples
        --------
        >>> import numpy as np
        >>> from parzen import Gaussian
        >>> Gaussian.from_parameters([0, 0], [[2, 1], [1, 2]]).log_density(np.array([[0, 0], [1, 1]])).round(4)
        array([[-2.3872],
               [-2.7205]])
        """
        return known_gaussians(mean, covariance)

    @property
    def _estimate(self) -> str:
        return self.estimate or ("ml" if self.prior is None else "bayes")

    @property
    def takes_missing(self) -> bool:  # type: ignore[override]
        """Whether a cell may be NaN: not where a full covariance has no exact form then."""
        return self.covariance_type != "full" or not (self._estimate == "bayes" or self.needs_fourth)

    @property
    def takes_device(self) -> bool:  # type: ignore[override]
        """Whether rows may lie on a GPU: not for predictive densities, and not where fourth moments are needed."""
        return self._estimate != "bayes" and not self.needs_fourth

    @property
    def needs_fourth(self) -> bool:
        """Whether the shrinkage needs fourth moments."""
        return isinstance(self.shrinkage, str) and self.shrinkage in ("ledoit_wolf", "auto")

    @property
    def _average(self) -> bool:
        """Whether the groups' covariances are averaged."""
        return not isinstance(self.shared, bool | np.bool_)

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Moments | ExpectedStatistic:
        if isinstance(X, PatternMoments | PatternRows):
            return expected_moments_of_patterns(X.as_rows() if isinstance(X, PatternMoments) else X, at)
        self._check(X.shape[1])
        if is_sparse(X):
            if self.covariance_type == "full":
                raise TypeError(
                    "Gaussian takes dense rows where covariances are full, got a sparse matrix; use X.toarray(), "
                    "covariance_type='diag', or a family of counts."
                )
            return Moments(*csr_moments(X, R))
        X = as_floats(X)
        if self.covariance_type != "full":
            return Moments(*moments(X, R, full=False))
        if X.shape[1] == 1 and not self.needs_fourth:  # a row without its one cell is no row
            weight, mean, scatter, carry = moments(X, R, full=False)
            return Moments(weight[:, 0], mean, scatter[:, :, None], carry)
        if isinstance(at, GaussianDensity):  # a predictive needed no iteration, and needs none now
            completed, cells, likelihood = expected_moments(X, R, at.mean, at.factor)
            observed = Moments(*cells)
            return ExpectedStatistic(Moments(*completed, observed=observed), observed.weight, likelihood)
        seen = Moments(*moments(X, R))
        if _misses_cells(seen, X):
            raise NeedsDensity(
                "X has missing cells, and a full covariance must then be found by EM: use parzen.fit or an "
                "estimator over rows that can be read again, or covariance_type='diag'."
            )
        if self.needs_fourth:
            cubic, quartic = higher_moments(X, R, seen.mean)
            seen = replace(seen, cubic=cubic, quartic=quartic)
        return seen

    def observe_additive(self, X: Any, R: Memberships = None) -> Moments | PatternMoments:
        try:
            seen = self.observe(X, R)
        except NeedsDensity:
            self._check_missing()
            return observed_patterns(as_floats(X), R)
        assert isinstance(seen, Moments)
        return seen

    def _check_missing(self) -> None:
        """Raise where a full covariance can't be found by EM."""
        if not self.takes_missing:
            option, instead = f"shrinkage={self.shrinkage!r}", "a number or 'oas'"
            if self._estimate == "bayes":
                option, instead = "estimate='bayes'", "estimate='map'"
            raise ValueError(
                f"{option} has no exact form where a full Gaussian has missing cells (NaN); use {instead}."
            )

    def start(self, X: Any, R: Memberships, rng: np.random.Generator) -> Density:
        if self.covariance_type != "full":
            return super().start(X, R, rng)
        self._check_missing()
        with without_floor_warnings():
            alone = Gaussian("diag", shared=self.shared, floor=max(self.floor, 1e-6))
            apart = alone.maximise(X.cells() if isinstance(X, PatternMoments) else accumulate(alone, X, R))
        assert isinstance(apart, GaussianDensity)
        return GaussianDensity(apart.mean, np.einsum("ki,ij->kij", apart.factor, np.eye(apart.shape[1])))

    def maximise(self, statistic: Moments | PatternMoments) -> GaussianDensity | StudentDensity:
        if isinstance(statistic, PatternMoments):
            return fit(self, statistic).density  # type: ignore[return-value]
        self._check()
        d = statistic.mean.shape[1]
        total_or_collapse(
            np.broadcast_to(statistic.weight.reshape(len(statistic.mean), -1), statistic.mean.shape), "Gaussian"
        )
        if self._estimate != "ml":
            return self._posterior_density(statistic)
        seen = with_empty_groups_filled(statistic)
        if self.fixed_covariance is not None:
            alone = self.covariance_type != "full"
            return GaussianDensity(seen.mean, known_factor(self.fixed_covariance, seen.mean.shape, alone))
        cells = statistic.observed or statistic
        units = floor_units(cells)
        added = self.noise + (self.smoothing * float(cells.pooled().variances().max()) if self.smoothing else 0.0)
        spread = statistic.within() if not self._average and self.shared else seen
        if self.covariance_type == "full":
            covariance = self._regularised(spread.scatter / spread.weight[:, None, None], spread)
            covariance = covariance + added * np.eye(d)
            if self._average:
                covariance = np.tensordot(self._weights(statistic), covariance, axes=1)[None]
            return GaussianDensity(seen.mean, factors(covariance, units, self.floor))
        weight, scatter = spread.weight, spread.scatter
        if self.covariance_type == "spherical":
            weight, scatter = (part.sum(axis=1, keepdims=True) for part in (weight, scatter))
            units = units.mean(axis=1, keepdims=True)
        variance = scatter / weight
        share = float(self.shrinkage)
        variance = (1 - share) * variance + share * variance.mean(axis=1, keepdims=True)
        variance = (1 - self.ridge) * variance + self.ridge + added
        if self._average:
            variance = (self._weights(statistic) @ variance)[None]
        deviation = np.sqrt(floored_variances(variance, units, self.floor))
        return GaussianDensity(seen.mean, np.ascontiguousarray(np.broadcast_to(deviation, (len(seen.mean), d))))

    def log_prior(self, density: Any, statistic: Any) -> float:
        if self._estimate != "map" or not isinstance(density, GaussianDensity):
            return 0.0
        prior: Any = self.prior or self._default_prior(statistic)
        off, factor = density.mean - prior.location, density.factor
        if isinstance(prior, NormalMean):
            return float(-0.5 * ((off / prior.deviation) ** 2).sum())
        if isinstance(prior, NormalInverseWishart):
            d = off.shape[1]
            logs = np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)  # half the log-determinants
            spread = np.linalg.solve(factor, np.broadcast_to(np.linalg.cholesky(prior.scale), factor.shape))
            white = np.linalg.solve(np.broadcast_to(factor, (len(off), d, d)), off[:, :, None])
            alone = -(prior.dof + d + 1) * logs - 0.5 * (spread**2).sum(axis=(1, 2))
            means = -np.broadcast_to(logs, len(off)) - 0.5 * prior.strength * (white[:, :, 0] ** 2).sum(axis=1)
            return float(alone.sum() + means.sum())
        variance = factor**2
        shape, scale = (np.broadcast_to(part, variance.shape) for part in (prior.shape, prior.scale))
        rows, columns = 1 if self.shared else len(off), 1 if self.covariance_type == "spherical" else off.shape[1]
        alone = -(shape + 1) * np.log(variance) - scale / variance
        means = -0.5 * np.log(variance) - 0.5 * prior.strength * off**2 / variance
        return float(alone[:rows, :columns].sum() + means.sum())

    def n_parameters(self, density: Any) -> int:
        K, d = density.shape
        known = isinstance(self.prior, NormalMean) or self.fixed_covariance is not None
        each = {"full": d * (d + 1) // 2, "diag": d, "spherical": 1}[self.covariance_type]
        one = self.shared is not False
        return K * d + (0 if known else each if one else K * each)

    def _posterior_density(self, statistic: Moments) -> GaussianDensity | StudentDensity:
        """MAP or Bayes."""
        try:
            return self._of_posterior(self.prior or self._default_prior(statistic), statistic)
        except np.linalg.LinAlgError:
            raise Collapse(
                "the scale of the prior, which counts as a few rows, rounds to nothing beside the weight of a group "
                "whose rows don't span all columns; rescale sample_weight, or give a prior of more weight."
            ) from None

    def _of_posterior(self, prior: Any, statistic: Moments) -> GaussianDensity | StudentDensity:
        posterior = prior.update(statistic)
        if isinstance(prior, NormalInverseWishart):
            posterior = posterior.tied(prior, 0) if self.shared else posterior
            if self._estimate == "bayes":
                return posterior.predictive()
            mode = posterior.mode()
            return GaussianDensity(np.ascontiguousarray(mode.mean), np.linalg.cholesky(mode.variance))
        if isinstance(prior, NormalMean):
            if self._estimate == "bayes":
                return posterior.predictive()
            noise = np.broadcast_to(prior.noise, posterior.location.shape)
            return GaussianDensity(posterior.location, np.ascontiguousarray(noise))
        posterior = posterior.tied(prior, 0) if self.shared else posterior
        posterior = posterior.tied(prior, 1) if self.covariance_type == "spherical" else posterior
        if self._estimate == "map":
            mode = posterior.mode()
            deviation = np.broadcast_to(np.sqrt(mode.variance), statistic.mean.shape)
            return GaussianDensity(np.ascontiguousarray(mode.mean), np.ascontiguousarray(deviation))
        predictive = posterior.predictive()
        if self.covariance_type == "diag":
            return predictive
        # One variance for all columns makes the predictive one joint t, not a product of them.
        factor = np.einsum("ki,ij->kij", predictive.factor, np.eye(predictive.shape[1]))
        return StudentDensity(predictive.location, factor, np.ascontiguousarray(predictive.dof[:, 0]))

    def _default_prior(self, statistic: Moments) -> Prior:
        whole = (statistic.observed or statistic).pooled()  # the same at every step of EM
        K, d = statistic.mean.shape
        units = pooled_variances(whole)[0]
        if self.covariance_type == "full":
            return NormalInverseWishart(whole.mean[0], 0.01, d + 2.0, np.diag(units / K ** (2 / d)))
        # An inverse Wishart of one dimension, with 3 degrees of freedom.
        scale = 0.5 * units / K**2
        return NormalInverseGamma(
            whole.mean[0], 0.01, 1.5, scale.mean() if self.covariance_type == "spherical" else scale
        )

    def _weights(self, statistic: Moments) -> Array:
        """Weight of each group's covariance in the average."""
        if not isinstance(self.shared, str):
            given = np.asarray(self.shared, dtype=np.float64)
            if given.shape != (len(statistic.mean),):
                raise ValueError(f"shared has {given.size} weights, but there are {len(statistic.mean)} groups.")
            return given / given.sum()
        weight = statistic.weight if statistic.weight.ndim == 1 else statistic.weight.max(axis=1)
        return weight / weight.sum()

    def _regularised(self, covariance: Array, spread: Moments) -> Array:
        """Covariances after shrinkage and ridge."""
        if not isinstance(self.shrinkage, str) and self.shrinkage == 0 and self.ridge == 0:
            return covariance
        if isinstance(self.shrinkage, str) and self.shrinkage == "auto":  # in units of each group's own deviations
            scale = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
            scale = np.where(scale > 0, scale, 1.0)
            unit = scale[:, :, None] * scale[:, None, :]
            assert spread.quartic is not None
            relative = replace(spread, quartic=spread.quartic / unit**2)
            covariance = unit * shrunk(covariance / unit, shrinkage_share(self.shrinkage, covariance / unit, relative))
        else:
            covariance = shrunk(covariance, shrinkage_share(self.shrinkage, covariance, spread))
        return (1 - self.ridge) * covariance + self.ridge * np.eye(covariance.shape[1])

    def _check(self, d: int | None = None) -> None:
        choose("covariance_type", self.covariance_type, ("full", "diag", "spherical"))
        choose("estimate", self._estimate, ESTIMATES)
        if self._average and (isinstance(self.shared, str) or np.ndim(self.shared) != 1):
            choose("shared", self.shared, (True, False, "average"))
        if self._average and self._estimate != "ml":
            raise ValueError(f"shared={self.shared!r} is for estimate='ml'; use True with priors.")
        for name, most in (("ridge", 1.0), ("smoothing", np.inf), ("noise", np.inf)):
            value: Any = getattr(self, name)
            if not isinstance(value, Real) or not 0 <= value <= most or np.isinf(value):  # type: ignore[operator, call-overload]
                raise ValueError(f"{name} must be a number, at least 0{' and at most 1' * (most == 1)}, got {value!r}.")
            if value and self._estimate != "ml":
                raise ValueError(f"{name} is for estimate='ml'; otherwise the prior does that work.")
        if self.fixed_covariance is not None and (
            self._estimate != "ml" or self.shrinkage != 0 or self.ridge or self.noise or self.smoothing
        ):
            raise ValueError("fixed_covariance is known, so that no prior or regularisation of it is needed.")
        if not isinstance(self.floor, Real) or not 0 <= self.floor < 1:
            raise ValueError(f"floor must lie in [0, 1), in units of the data's variance, got {self.floor!r}.")
        if isinstance(self.shrinkage, str):
            choose("shrinkage", self.shrinkage, ("ledoit_wolf", "oas", "auto"))
            if self.covariance_type != "full":
                raise ValueError(
                    f"shrinkage={self.shrinkage!r} is for full covariances; give a number for {self.covariance_type!r}."
                )
        elif not isinstance(self.shrinkage, Real) or not 0 <= self.shrinkage <= 1:
            raise ValueError(
                f"shrinkage must lie in [0, 1], or be 'ledoit_wolf', 'oas' or 'auto', got {self.shrinkage!r}."
            )
        if self.shrinkage != 0 and self._estimate != "ml":
            raise ValueError(
                f"shrinkage is for estimate='ml'; with estimate={self._estimate!r} the prior does that work."
            )
        kinds = NormalInverseWishart if self.covariance_type == "full" else NormalInverseGamma | NormalMean
        if self.prior is not None and not isinstance(self.prior, kinds):
            wanted = "NormalInverseWishart" if self.covariance_type == "full" else "NormalInverseGamma or NormalMean"
            raise TypeError(f"prior of a {self.covariance_type} Gaussian must be {wanted}, got {self.prior!r}.")
        if self.prior is not None and d is not None:
            allowed = [(d,)] if self.covariance_type == "full" else [(), (1,), (d,)]
            for name, value in vars(self.prior).items():
                if name in ("location", "shape", "deviation", "noise") and value.shape[-1:] not in allowed:
                    raise ValueError(f"{name} of the prior has shape {value.shape}, but there are {d} columns.")


def _misses_cells(seen: Moments, X: Any) -> bool:
    """Whether a cell of a row with weight is missing."""
    if not np.isnan(seen.mean).any():
        return False
    if is_device(X):
        raise routine("missing_cells")(X)
    return bool(np.isnan(X).any())
