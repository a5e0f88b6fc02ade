"""The hidden Markov model of Gaussians, by hmmlearn's names."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.hmm import HMMDensity
from parzen.estimators.base.covariances import SHAPES, covariances_of, factors_of, means_of
from parzen.estimators.base.validation import finite, table
from parzen.estimators.markov.hmmlearn import BaseHmmlearn, number
from parzen.families.gaussian import Gaussian
from parzen.statistics.moments import Moments


class GaussianHMM(BaseHmmlearn):
    """Hidden Markov model of Gaussians: a drop-in for hmmlearn's, which takes missing cells and offsets of 1e8.

    With the same seed and no missing cells it begins where hmmlearn does, and has the same likelihood after each step.

    Parameters
    ----------
    n_components : int
    covariance_type : "spherical", "diag", "full" or "tied"
    min_covar : float
        Added to the variances that a fit begins with.
    startprob_prior, transmat_prior : float or array
        Concentrations of Dirichlet priors; 1 is none.
    means_prior, means_weight : float or array
        A prior mean, and how many rows it weighs.
    covars_prior, covars_weight : float or array
        Scale and weight of a prior of the covariances. As in hmmlearn a number is added to every cell of a full
        covariance; give ``0.01 * np.eye(d)`` for one that leaves columns independent.
    algorithm : "viterbi" or "map"
        What `predict` and `decode` find: the likeliest path, or the likeliest state at each row.
    random_state : int, RandomState instance or None
    n_iter, tol : int, float
        Most steps, and the rise of the log-likelihood (of all rows together) below which no more are made.
    verbose : bool
    params, init_params : str
        Which parameters a fit changes, and which it begins anew: "s" for `startprob_`, "t" for `transmat_`, "m" for
        `means_`, "c" for `covars_`.
    implementation : ignored
        There is one, which neither underflows nor takes logarithms.

    Attributes
    ----------
    startprob_ : array of shape (K,)
    transmat_ : array of shape (K, K)
    means_ : array of shape (K, d)
    covars_ : array of shape (K, d, d)
        When it is set: (K,) if "spherical", (K, d) if "diag", (K, d, d) if "full", (d, d) if "tied".
    monitor_ : with `history`, `iter`, `converged`

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

    means_: Array
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

    @property
    def n_features(self) -> int:
        """How many columns there are."""
        check_is_fitted(self, "means_")
        return int(np.shape(self.means_)[1])

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
        shape = {"spherical": 1, "diag": 2, "full": 3, "tied": 2}.get(self.covariance_type)
        if shape is not None and given.ndim != shape:
            raise ValueError(
                f"covars_ must have {shape} axes for covariance_type={self.covariance_type!r}, got {given.shape}."
            )
        self._covars_ = given

    def _check(self) -> None:
        super()._check()
        choose("covariance_type", self.covariance_type, tuple(SHAPES))

    def _emitted(self) -> GaussianDensity:
        self._check()
        mean = means_of(self.means_)
        K, d = mean.shape
        if self.n_components != K:
            raise ValueError(f"means_ must have {self.n_components} rows, one for each state, got {K}.")
        factor = factors_of(self._covars_, self.covariance_type, K, d, "covars_")
        return GaussianDensity(mean, np.repeat(factor, K, axis=0) if self.covariance_type == "tied" else factor)

    def _rows(self, X: Any, learning: bool = False) -> Any:
        rows = np.asarray(finite(table(self, X, reset=learning, sparse=False)), dtype=np.float64)
        wanted = None if learning else np.shape(self.means_)[1]
        if learning and hasattr(self, "means_") and "m" not in self.init_params:
            wanted = np.shape(self.means_)[1]
        if wanted is not None and rows.shape[1] != wanted:
            raise ValueError(f"X has {rows.shape[1]} columns, but the states' means have {wanted}.")
        return np.ascontiguousarray(rows)

    def _begin(self, rows: Array, rng: np.random.RandomState) -> None:
        from sklearn.cluster import KMeans

        K, d = self.n_components, rows.shape[1]
        gaps = np.isnan(rows)
        if gaps.any():
            if gaps.all(axis=0).any():
                raise ValueError(f"column {int(gaps.all(axis=0).argmax())} of X has no cell that is there.")
            rows = np.where(gaps, np.nanmean(rows, axis=0), rows)
        if self._begins("m", "means_"):
            found = KMeans(n_clusters=K, random_state=self.random_state, n_init=10).fit(rows)
            self.means_ = np.asarray(found.cluster_centers_, dtype=np.float64)
        if self._begins("c", "_covars_"):
            spread = np.atleast_2d(np.cov(rows.T)) if len(rows) > 1 else np.zeros((d, d))
            spread = spread + self.min_covar * np.eye(d)
            self._covars_ = {
                "spherical": np.full(K, spread.mean() if spread.mean() > 0 else np.trace(spread) / d),
                "diag": np.tile(np.diag(spread), (K, 1)),
                "full": np.tile(spread, (K, 1, 1)),
                "tied": spread,
            }[self.covariance_type]

    def _check_priors(self, begun: HMMDensity) -> None:
        super()._check_priors(begun)
        K, d = np.shape(self.means_)
        full = {"full": (K, d, d), "tied": (d, d)}.get(self.covariance_type, (K, d))
        number("means_weight", self.means_weight, (K, 1))
        number("covars_weight", self.covars_weight, ())
        if np.ndim(self.covars_prior) < 2:
            number("covars_prior", self.covars_prior, full)
        for name, shape in (("means_prior", (K, d)), ("covars_prior", full)):
            try:
                np.broadcast_to(np.asarray(getattr(self, name), dtype=np.float64), shape)
            except (TypeError, ValueError):
                given = getattr(self, name)
                raise ValueError(f"{name} must be a number, or numbers of the shape {shape}, got {given!r}.") from None

    def _draw(self, state: int, rng: np.random.RandomState) -> Any:
        return rng.multivariate_normal(np.asarray(self.means_)[state], self.covars_[state])

    def _seen_by(self) -> Gaussian:
        return Gaussian(SHAPES[self.covariance_type][0], estimate="ml")

    def _emission_after(self, seen: Moments, begun: GaussianDensity) -> GaussianDensity:
        wide = seen.weight.reshape(len(seen.mean), -1)  # weight of each state, or of each of its columns
        heavy = wide > 0
        believed, worth = (
            np.asarray(self.means_prior, dtype=np.float64),
            np.asarray(self.means_weight, dtype=np.float64),
        )
        mean = begun.mean
        centre = np.where(heavy, seen.mean, begun.mean)
        if "m" in self.params:
            total = worth + wide
            mean = np.where(total > 0, (worth * believed + wide * centre) / np.where(total > 0, total, 1.0), centre)
            mean = np.broadcast_to(mean, seen.mean.shape)
        if "c" not in self.params:
            return GaussianDensity(np.ascontiguousarray(mean), begun.factor)
        off, pulled = centre - mean, mean - believed
        d = mean.shape[1]
        if self.covariance_type in ("diag", "spherical"):
            scatter = np.where(heavy, seen.scatter, 0.0) + wide * off**2 + worth * pulled**2
            below = np.maximum(np.maximum(np.asarray(self.covars_weight) - 1, 0) + wide, 1e-5)
            variance = (self.covars_prior + scatter) / below
            if self.covariance_type == "spherical":
                variance = np.repeat(variance.mean(axis=1, keepdims=True), d, axis=1)
            return GaussianDensity(np.ascontiguousarray(mean), self._deviations(variance))
        weight = wide[:, :1, None]
        scatter = seen.scatter + weight * _squares(off) + np.reshape(worth, (-1, 1, 1)) * _squares(pulled)
        more = np.maximum(np.asarray(self.covars_weight) - d, 0)
        if self.covariance_type == "tied":
            covariance = ((self.covars_prior + scatter.sum(axis=0)) / (more + weight.sum()))[None]
            covariance = np.repeat(covariance, len(mean), axis=0)
        else:
            covariance = (self.covars_prior + scatter) / np.maximum(np.reshape(more, (-1, 1, 1)) + weight, 1e-5)
        try:
            factor = np.linalg.cholesky(covariance)
        except np.linalg.LinAlgError:
            raise ValueError(
                "the covariance of a state is singular: it holds too few rows. Use covariance_type='diag', fewer "
                "states, or covars_prior=0.01 * np.eye(d)."
            ) from None
        return GaussianDensity(np.ascontiguousarray(mean), factor)

    @staticmethod
    def _deviations(variance: Array) -> Array:
        if not ((variance > 0) & np.isfinite(variance)).all():
            raise ValueError(
                "the variance of a state is 0: its rows are all alike, or it holds none. Use covars_prior above 0."
            )
        return np.sqrt(variance)

    def _adopt(self, found: Any) -> None:
        super()._adopt(found)
        emission: GaussianDensity = found.emission
        self.means_, self._covars_ = emission.mean.copy(), covariances_of(emission.factor, self.covariance_type)

    def _emission_parameters(self) -> int:
        K, d = np.shape(self.means_)
        each = {"spherical": K, "diag": K * d, "full": K * d * (d + 1) // 2, "tied": d * (d + 1) // 2}
        return K * d + each[self.covariance_type]


def _squares(off: Array) -> Array:
    """Outer products of rows with themselves, (K, d, d)."""
    squares: Array = off[:, :, None] * off[:, None, :]
    return squares
