"""Hidden Markov models with Gaussian emissions, a drop-in for hmmlearn's."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.densities.gaussian import GaussianDensity
from parzen.estimators.base.covariances import SHAPES, covariances_of, factors_of, means_of
from parzen.estimators.base.validation import generator
from parzen.estimators.markov.checks import check_hmmlearn
from parzen.estimators.markov.gaussian_emission import HmmlearnGaussian
from parzen.estimators.markov.gaussian_states import BaseGaussianStates, complete_rows
from parzen.estimators.markov.starts import cluster_moments


class GaussianHMM(BaseGaussianStates):
    """Hidden Markov model with Gaussian emissions: a drop-in for hmmlearn's, which also takes missing values.

    From the same initial parameters and without missing values it has the same log-likelihood as hmmlearn after each
    step, also for data at an offset of 1e8. By default EM begins with clusters of k-means, of the rows or of the ranks
    of their columns: those from which a few steps lead higher.

    Parameters
    ----------
    n_components : int
        Number of states K.
    covariance_type : "spherical", "diag", "full" or "tied"
    min_covar : float
        Added to the initial variances.
    startprob_prior, transmat_prior : float or array
        Concentrations of Dirichlet priors; 1 is none.
    means_prior, means_weight : float or array
        Prior mean, and its weight in rows.
    covars_prior, covars_weight : float or array
        Scale and weight of a prior for the covariances. As in hmmlearn a number is added to every entry of a full
        covariance; ``0.01 * np.eye(d)`` keeps features uncorrelated under the prior.
    algorithm : "viterbi" or "map"
        What `predict` and `decode` find: the most likely path, or the most likely state at each row.
    random_state : int, RandomState instance or None
    n_iter, tol : int, float
        Most EM steps, and the rise of the log-likelihood (a sum over rows) below which EM stops.
    verbose : bool
    params, init_params : str
        Which parameters a fit updates, and which it initialises: "s" for `startprob_`, "t" for `transmat_`, "m" for
        `means_`, "c" for `covars_`.
    implementation : ignored
        There is one, which needs no logs and doesn't underflow.

    Attributes
    ----------
    startprob_ : array of shape (K,)
    transmat_ : array of shape (K, K)
    means_ : array of shape (K, d)
    covars_ : array of shape (K, d, d)
        When it is set: (K,) if "spherical", (K, d) if "diag", (K, d, d) if "full", (d, d) if "tied".
    monitor_ : Monitor
        With `history`, `iter` and `converged`.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import GaussianHMM
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([0.0, 9.0, 0.0, 9.0], 50)[:, None] + rng.normal(size=(200, 1))
    >>> model = GaussianHMM(2, random_state=0).fit(X)
    >>> np.sort(model.means_[:, 0]).round(1), model.monitor_.converged
    (array([0.1, 9. ]), True)
    >>> logprob, states = model.decode(X)
    >>> np.bincount(states)
    array([100, 100])
    """

    _covars_: Array
    _letters: ClassVar = {"m": "means_", "c": "_covars_"}

    def __init__(
        self,
        n_components: int = 1,
        covariance_type: str = "diag",
        min_covar: float = 1e-3,
        startprob_prior: Any = 1.0,
        transmat_prior: Any = 1.0,
        means_prior: Any = 0,
        means_weight: Any = 0,
        covars_prior: Any = 1e-2,
        covars_weight: Any = 1,
        algorithm: str = "viterbi",
        random_state: Any = None,
        n_iter: int = 10,
        tol: float = 1e-2,
        verbose: bool = False,
        params: str = "stmc",
        init_params: str = "stmc",
        implementation: str = "log",
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.min_covar = min_covar
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.means_prior = means_prior
        self.means_weight = means_weight
        self.covars_prior = covars_prior
        self.covars_weight = covars_weight
        self.algorithm = algorithm
        self.random_state = random_state
        self.n_iter = n_iter
        self.tol = tol
        self.verbose = verbose
        self.params = params
        self.init_params = init_params
        self.implementation = implementation

    def _check_options(self) -> None:
        check_hmmlearn(self, {"s", "t", *self._letters})
        choose("covariance_type", self.covariance_type, tuple(SHAPES))

    def _initialise_emission(self, rows: Array, lengths: NDArray[np.int64]) -> None:
        """Means and covariances of clusters; where some are given, k-means and one covariance, as in hmmlearn."""
        K, complete, rng = self.n_components, complete_rows(rows), generator(self.random_state)
        means, covariances = self._initialises("m", "means_"), self._initialises("c", "_covars_")
        if means and covariances and "t" in self.init_params:
            self._begin_with_clusters(rows, complete, lengths, rng)
            return
        if means:
            self.means_, _ = self._initial_clusters(complete, lengths, rng)
        if covariances:
            each = self._initial_covariance(self._initial_spread(complete))
            self._covars_ = each if self.covariance_type == "tied" else np.tile(each, (K,) + (1,) * each.ndim)

    def _adopt_clusters(self, rows: Array, codes: NDArray[np.int32], rng: np.random.Generator) -> None:
        K, tied = self.n_components, self.covariance_type == "tied"
        self.means_, covariance = cluster_moments(rows, codes, K, self._cluster_shape, shared=K if tied else 1)
        self._covars_ = self._cluster_covariances(covariance[0] if tied else covariance)

    def _emission_family(self, initial: Any) -> HmmlearnGaussian:
        return HmmlearnGaussian(
            initial,
            self.covariance_type,
            self.params,
            self.means_prior,
            self.means_weight,
            self.covars_prior,
            self.covars_weight,
        )

    def _adopt(self, emission: Any) -> None:
        self.means_ = emission.mean.copy()
        self._covars_ = covariances_of(emission.factor, self.covariance_type)

    # Parameters ------------------------------------------------------------------------------------------------------

    @property
    def covars_(self) -> Array:
        """Covariances of the states, (K, d, d)."""
        for name in ("means_", "_covars_"):
            check_is_fitted(self, name)
        given = np.asarray(self._covars_)
        K, d = np.shape(self.means_)
        if self.covariance_type == "full":
            return given
        if self.covariance_type == "tied":
            return np.tile(given, (K, 1, 1))
        variances = given if given.ndim == 2 else np.repeat(given[:, None], d, axis=1)
        return np.einsum("ki,ij->kij", variances, np.eye(d))

    @covars_.setter
    def covars_(self, covars: ArrayLike) -> None:
        given = np.array(covars, dtype=np.float64)
        axes = {"spherical": 1, "diag": 2, "full": 3, "tied": 2}.get(self.covariance_type)
        if self.covariance_type == "spherical" and given.size == len(given):
            given = given.reshape(-1)
        if axes is not None and given.ndim != axes:
            raise ValueError(
                f"covars_ must have {axes} axes for covariance_type={self.covariance_type!r}, got {given.shape}."
            )
        self._covars_ = given

    def _emission(self) -> GaussianDensity:
        self._check_options()
        mean = means_of(self.means_)
        K, d = mean.shape
        if self.n_components != K:
            raise ValueError(f"means_ must have {self.n_components} rows, one for each state, got {K}.")
        factor = factors_of(self._covars_, self.covariance_type, K, d, "covars_")
        return GaussianDensity(mean, np.repeat(factor, K, axis=0) if self.covariance_type == "tied" else factor)

    def _draw(self, state: int, rng: np.random.RandomState) -> Any:
        return rng.multivariate_normal(np.asarray(self.means_)[state], self.covars_[state])

    def _emission_parameters(self) -> int:
        K, d = np.shape(self.means_)
        each = {"spherical": K, "diag": K * d, "full": K * d * (d + 1) // 2, "tied": d * (d + 1) // 2}
        return K * d + each[self.covariance_type]
