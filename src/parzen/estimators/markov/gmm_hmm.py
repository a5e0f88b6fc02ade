"""Hidden Markov models with mixtures of Gaussians as emissions, a drop-in for hmmlearn's."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.mixture import MixtureDensity
from parzen.densities.per_group import PerGroupDensity
from parzen.densities.transition_matrix import stochastic
from parzen.estimators.base.covariances import SHAPES, covariances_of, factors_of
from parzen.estimators.base.validation import generator
from parzen.estimators.markov.checks import check_hmmlearn, whole_number
from parzen.estimators.markov.gaussian_states import BaseGaussianStates, complete_rows
from parzen.estimators.markov.mixture_emission import HmmlearnMixture
from parzen.estimators.markov.starts import centres_within, cluster_moments, nearest_within


class GMMHMM(BaseGaussianStates):
    """Hidden Markov model whose states emit mixtures of Gaussians: a drop-in for hmmlearn's, also for missing values.

    From the same initial parameters and without missing values it has the same log-likelihood as hmmlearn after each
    step. By default states begin as in `GaussianHMM`, with clusters, and the components with the clusters within them.

    Parameters
    ----------
    n_components : int
        Number of states K.
    n_mix : int
        Number of Gaussians M of each state.
    min_covar : float
        Added to the initial variances.
    startprob_prior, transmat_prior, weights_prior : float or array
        Concentrations of Dirichlet priors; 1 is none.
    means_prior, means_weight : float or array
        Prior mean, and its weight in rows.
    covars_prior, covars_weight : float or array, optional
        Of an inverse Wishart prior if "full" or "tied" (scale, degrees of freedom), of an inverse gamma prior if "diag"
        or "spherical" (shape, scale); by default none, as in hmmlearn.
    algorithm : "viterbi" or "map"
    covariance_type : "spherical", "diag", "full" or "tied"
        "tied": the Gaussians of one state share a covariance.
    random_state, n_iter, tol, verbose, implementation : see `GaussianHMM`
    params, init_params : str
        Which parameters a fit updates, and which it initialises: "s" for `startprob_`, "t" for `transmat_`, "m" for
        `means_`, "c" for `covars_`, "w" for `weights_`.

    Attributes
    ----------
    startprob_ : array of shape (K,)
    transmat_ : array of shape (K, K)
    weights_ : array of shape (K, M)
    means_ : array of shape (K, M, d)
    covars_ : array
        (K, M) if "spherical", (K, M, d) if "diag", (K, M, d, d) if "full", (K, d, d) if "tied".
    monitor_ : Monitor
        With `history`, `iter` and `converged`.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import GMMHMM
    >>> rng = np.random.default_rng(0)
    >>> around = np.repeat([0.0, 20.0, 0.0, 20.0], 50) + rng.choice([-3.0, 3.0], 200)
    >>> X = around[:, None] + rng.normal(size=(200, 1))
    >>> model = GMMHMM(2, n_mix=2, n_iter=500, tol=1e-6, random_state=0).fit(X)
    >>> np.sort(model.means_.ravel()).round(), np.bincount(model.predict(X))
    (array([-3.,  3., 17., 23.]), array([100, 100]))
    """

    weights_: Array
    covars_: Array
    _letters: ClassVar = {"w": "weights_", "m": "means_", "c": "covars_"}

    def __init__(
        self,
        n_components: int = 1,
        n_mix: int = 1,
        min_covar: float = 1e-3,
        startprob_prior: Any = 1.0,
        transmat_prior: Any = 1.0,
        weights_prior: Any = 1.0,
        means_prior: Any = 0.0,
        means_weight: Any = 0.0,
        covars_prior: Any = None,
        covars_weight: Any = None,
        algorithm: str = "viterbi",
        covariance_type: str = "diag",
        random_state: Any = None,
        n_iter: int = 10,
        tol: float = 1e-2,
        verbose: bool = False,
        params: str = "stmcw",
        init_params: str = "stmcw",
        implementation: str = "log",
    ) -> None:
        self.n_components = n_components
        self.n_mix = n_mix
        self.min_covar = min_covar
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.weights_prior = weights_prior
        self.means_prior = means_prior
        self.means_weight = means_weight
        self.covars_prior = covars_prior
        self.covars_weight = covars_weight
        self.algorithm = algorithm
        self.covariance_type = covariance_type
        self.random_state = random_state
        self.n_iter = n_iter
        self.tol = tol
        self.verbose = verbose
        self.params = params
        self.init_params = init_params
        self.implementation = implementation

    def _check_options(self) -> None:
        check_hmmlearn(self, {"s", "t", *self._letters})
        whole_number("n_mix", self.n_mix, 1)
        choose("covariance_type", self.covariance_type, tuple(SHAPES))

    def _initialise_emission(self, rows: Array, lengths: NDArray[np.int64]) -> None:
        """Means by k-means of all rows and of each cluster, with the clusters' covariances.

        Where some of these are given, the covariance of all rows is everywhere, as in hmmlearn.
        """
        K, M, complete, rng = self.n_components, self.n_mix, complete_rows(rows), generator(self.random_state)
        if self._initialises("w", "weights_"):
            self.weights_ = np.full((K, M), 1.0 / M)
        means, covariances = self._initialises("m", "means_"), self._initialises("c", "covars_")
        if means and covariances and "t" in self.init_params:
            self._begin_with_clusters(rows, complete, lengths, rng)
            return
        spread = self._initial_spread(complete)
        if means:
            self.means_ = centres_within(complete, *self._initial_clusters(complete, lengths, rng), M, spread, rng)
        if covariances:
            each = self._initial_covariance(spread)
            leading = (K,) if self.covariance_type == "tied" else (K, M)
            self.covars_ = np.broadcast_to(each, leading + each.shape).copy()

    def _adopt_clusters(self, rows: Array, codes: NDArray[np.int32], rng: np.random.Generator) -> None:
        K, M, tied = self.n_components, self.n_mix, self.covariance_type == "tied"
        state, _ = cluster_moments(rows, codes, K, "diag")
        centre = centres_within(rows, state, codes, M, self._initial_spread(rows), rng)
        parts = nearest_within(rows, centre, codes)
        mean, covariance = cluster_moments(rows, parts, K * M, self._cluster_shape, shared=M if tied else 1)
        some = np.bincount(parts, minlength=K * M) > 0
        self.means_ = np.where(some[:, None], mean, centre.reshape(K * M, -1)).reshape(centre.shape)
        own = self._cluster_covariances(covariance)
        self.covars_ = own if tied else own.reshape(K, M, *own.shape[1:])

    def _emission_family(self, initial: Any) -> HmmlearnMixture:
        M, d = self.n_mix, initial.shape[1]
        # hmmlearn's numbers for no prior.
        prior, weight = {
            "full": (0.0, -(1.0 + d + 1.0)),
            "tied": (0.0, -(M + d + 1.0)),
            "diag": (-1.5, 0.0),
            "spherical": (-(M + 2.0) / 2.0, 0.0),
        }[self.covariance_type]
        return HmmlearnMixture(
            initial,
            self.covariance_type,
            self.params,
            self.weights_prior,
            self.means_prior,
            self.means_weight,
            prior if self.covars_prior is None else self.covars_prior,
            weight if self.covars_weight is None else self.covars_weight,
        )

    def _adopt(self, emission: Any) -> None:
        parts = emission.parts
        self.weights_ = np.stack([part.weight for part in parts])
        self.means_ = np.stack([part.components.mean for part in parts])
        self.covars_ = np.stack([covariances_of(part.components.factor, self.covariance_type) for part in parts])

    def _emission(self) -> PerGroupDensity:
        self._check_options()
        K, M = self.n_components, self.n_mix
        weight = stochastic(np.asarray(self.weights_, dtype=np.float64), (K, M), "weights_")
        mean = np.ascontiguousarray(self.means_, dtype=np.float64)
        if mean.ndim != 3 or mean.shape[:2] != (K, M) or not mean.size or not np.isfinite(mean).all():
            raise ValueError(f"means_ must be finite, of shape ({K}, {M}, d), got {mean.shape}.")
        if len(self.covars_) != K:
            raise ValueError(f"covars_ must have {K} entries, one for each state, got {len(self.covars_)}.")
        parts = []
        for k in range(K):
            factor = factors_of(self.covars_[k], self.covariance_type, M, mean.shape[2], "covars_")
            factor = np.repeat(factor, M, axis=0) if self.covariance_type == "tied" else factor
            with np.errstate(divide="ignore"):
                parts.append(MixtureDensity(GaussianDensity(mean[k], factor), np.log(weight[k])))
        return PerGroupDensity(tuple(parts))

    def _draw(self, state: int, rng: np.random.RandomState) -> Any:
        i = int(rng.choice(self.n_mix, p=np.asarray(self.weights_)[state]))
        d, covars = self.n_features, np.asarray(self.covars_)[state]
        covariance = covars if self.covariance_type == "tied" else covars[i]
        if self.covariance_type in ("diag", "spherical"):
            covariance = np.diag(np.broadcast_to(covariance, (d,)))
        return rng.multivariate_normal(np.asarray(self.means_)[state, i], covariance)

    def _emission_parameters(self) -> int:
        K, M, d = np.shape(self.means_)
        each = {"spherical": K * M, "diag": K * M * d, "full": K * M * d * (d + 1) // 2, "tied": K * d * (d + 1) // 2}
        return K * M * d + each[self.covariance_type] + K * (M - 1)
