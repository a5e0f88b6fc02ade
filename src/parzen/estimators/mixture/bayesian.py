"""Gaussian mixtures by variational Bayes: scikit-learn's estimator over the statistics of EM."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.densities.mixture import MixtureDensity
from parzen.estimators.base.covariances import SHAPES, factors_of
from parzen.estimators.base.fitted import forget
from parzen.estimators.base.progress import watching, with_callbacks
from parzen.estimators.base.validation import generator, row_count, transactional
from parzen.estimators.mixture.base import total_weight
from parzen.estimators.mixture.parameters import BaseGaussianMixture
from parzen.families.gaussian import Gaussian
from parzen.families.initialisation import INITS
from parzen.families.variational import VariationalGaussians, VariationalPosterior
from parzen.statistics.accumulate import accumulate

PRIORS = ("dirichlet_process", "dirichlet_distribution")


class BayesianGaussianMixture(BaseGaussianMixture):
    """Gaussian mixture by variational Bayes: a drop-in for scikit-learn's, which also takes sample weights.

    Weights, means and covariances have priors and get posteriors, so that components which the rows don't need are left
    with next to no weight: `n_components` is the most there may be.

    Parameters
    ----------
    n_components : int
        Most components C.
    covariance_type : "full", "tied", "diag" or "spherical"
    tol : float
        The iteration stops when the evidence lower bound (a sum over rows) changes by less.
    reg_covar : float
        Added to every variance, in the data's own units.
    max_iter, n_init : int
    init_params : "auto", "kmeans", "k-means++", "random" or "random_from_data"
        Where the iteration begins; see `GaussianMixture`. "random": at random responsibilities, as in scikit-learn.
    weight_concentration_prior_type : "dirichlet_process" or "dirichlet_distribution"
        Prior of the weights: by breaking a stick (which prefers few components), or Dirichlet.
    weight_concentration_prior : float, optional
        Small values leave components empty; by default 1 / C.
    mean_precision_prior : float, optional
        How many rows the prior of a mean is worth; by default 1.
    mean_prior : array of shape (d,), optional
        By default the mean of the rows.
    degrees_of_freedom_prior : float, optional
        Of the precisions' Wishart prior, above d - 1; by default d.
    covariance_prior : float or array, optional
        (d, d) if "full" or "tied", (d,) if "diag", a number if "spherical"; by default the covariance of the rows.
    random_state : int, RandomState instance or None
    warm_start : bool
        Whether `fit` goes on from the last one.
    verbose, verbose_interval : int
    accelerate : bool
        Whether the iteration is accelerated (see `parzen.fit`).

    Attributes
    ----------
    weights_ : array of shape (C,)
        Expected weights.
    means_ : array of shape (C, d)
    covariances_, precisions_, precisions_cholesky_ : arrays in scikit-learn's shapes
        Inverses of the expected precisions, and these.
    weight_concentration_ : pair of arrays of shape (C,), or array of shape (C,)
    mean_precision_, degrees_of_freedom_ : arrays of shape (C,)
        `degrees_of_freedom_` is a number if "tied".
    weight_concentration_prior_, mean_precision_prior_, mean_prior_, degrees_of_freedom_prior_, covariance_prior_ :
        The priors that were used.
    n_iter_, converged_, lower_bound_, lower_bounds_ : how the fit went
        The evidence lower bound is a sum over rows, up to a constant, as in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import BayesianGaussianMixture
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (300, 2)), rng.normal(6, 1, (100, 2))])
    >>> model = BayesianGaussianMixture(n_components=6, max_iter=500, random_state=0).fit(X)
    >>> np.sort(model.weights_)[-3:].round(2)
    array([0.  , 0.25, 0.75])
    """

    def __init__(
        self,
        *,
        n_components: int = 1,
        covariance_type: str = "full",
        tol: float = 1e-3,
        reg_covar: float = 1e-6,
        max_iter: int = 100,
        n_init: int = 1,
        init_params: str = "kmeans",
        weight_concentration_prior_type: str = "dirichlet_process",
        weight_concentration_prior: float | None = None,
        mean_precision_prior: float | None = None,
        mean_prior: ArrayLike | None = None,
        degrees_of_freedom_prior: float | None = None,
        covariance_prior: Any = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        verbose_interval: int = 10,
        accelerate: bool = True,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weight_concentration_prior_type = weight_concentration_prior_type
        self.weight_concentration_prior = weight_concentration_prior
        self.mean_precision_prior = mean_precision_prior
        self.mean_prior = mean_prior
        self.degrees_of_freedom_prior = degrees_of_freedom_prior
        self.covariance_prior = covariance_prior
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval
        self.accelerate = accelerate

    @with_callbacks
    @transactional
    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, labels: Any = None) -> None:
        """Fit the mixture to rows.

        Parameters
        ----------
        X : table of shape (n, d): array, pandas or polars; without missing values
        y : ignored
        sample_weight : array of shape (n,), optional
        labels : must be None; `GaussianMixture` takes known components

        Returns
        -------
        self
        """
        if labels is not None:
            raise ValueError("labels are for GaussianMixture; BayesianGaussianMixture takes None.")
        self._check()
        before = self._before_fit()
        forget(self)
        for name in ("n_components_", "covariance_type_"):  # of a model built by hand
            self.__dict__.pop(name, None)
        X = self._first_table(X)
        rows, w, _ = self._first_rows(X, sample_weight, None)
        if rows.shape[0] < self.n_components:
            raise ValueError(
                f"Expected n_samples >= n_components but got n_components = {self.n_components}, n_samples = "
                f"{rows.shape[0]}; ask for fewer components."
            )
        weight = total_weight(rows, w)
        self._set_priors(rows, w)
        self.given_ = self.family_ = self._family()
        start = before if before is not None and before.shape[1] == rows.shape[1] else None
        options = {"max_iter": self.max_iter, "tol": self.tol / weight, "accelerate": self.accelerate}
        if start is not None:
            options["reached"] = self.lower_bound_ / weight
        with watching(self, rows, self.max_iter, weight) as callback:
            found = self._fit_family(
                self.family_, rows, w, start=start, rng=generator(self.random_state), callback=callback, **options
            )
        self.lower_bounds_ = list(found.objective)
        self.lower_bound_ = self.lower_bounds_[-1] if self.lower_bounds_ else -np.inf
        self.converged_ = found.outcome == "converged"
        self._warn(found)
        # Without a step, the posterior is that of the statistic where the iteration would begin.
        statistic: Any = found.statistic
        self._keep(found.density if found.n_iter else self.family_.maximise(statistic), statistic, found)
        self.n_batches_ = 1

    def _encoded(self, X: Any, grow: bool) -> Any:
        rows = super()._encoded(X, grow)
        missing = np.isnan(rows)
        if missing.any():
            row, column = np.argwhere(missing)[0]
            raise ValueError(
                f"Input X contains NaN: column {self.schema_.labels[column]!r} is missing in row {row}; this "
                "mixture takes no missing values, GaussianMixture does."
            )
        return rows

    def _before_fit(self) -> MixtureDensity | None:
        density = getattr(self, "density_", None) if self.warm_start else None
        return density if density is not None and density.size == self.n_components else None

    def _check(self) -> None:
        choose("covariance_type", self.covariance_type, tuple(SHAPES))
        choose("weight_concentration_prior_type", self.weight_concentration_prior_type, PRIORS)
        choose("init_params", self.init_params, INITS)
        for name, least in (("n_components", 1), ("n_init", 1), ("max_iter", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
                raise ValueError(f"{name} must be a whole number, at least {least}, got {value!r}.")
        for name in ("tol", "reg_covar"):
            value = getattr(self, name)
            if not isinstance(value, Real) or not 0 <= float(value) < np.inf:
                raise ValueError(f"{name} must be a number, at least 0, got {value!r}.")
        for name in ("weight_concentration_prior", "mean_precision_prior", "degrees_of_freedom_prior"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, Real) or not 0 < float(value) < np.inf):
                raise ValueError(f"{name} must be a number above 0, or None, got {value!r}.")

    def _set_priors(self, rows: Array, w: Array | None) -> None:
        """The priors as they were given, or from all rows together."""
        d = rows.shape[1]
        given = self.weight_concentration_prior
        self.weight_concentration_prior_ = 1.0 / self.n_components if given is None else float(given)
        self.mean_precision_prior_ = 1.0 if self.mean_precision_prior is None else float(self.mean_precision_prior)
        self.degrees_of_freedom_prior_ = d if self.degrees_of_freedom_prior is None else self.degrees_of_freedom_prior
        if not self.degrees_of_freedom_prior_ > d - 1:
            raise ValueError(
                f"The parameter 'degrees_of_freedom_prior' should be greater than {d - 1}, the number of columns less "
                f"one, but got {self.degrees_of_freedom_prior!r}."
            )
        needs = self.mean_prior is None or self.covariance_prior is None
        whole: Any = accumulate(self._everything(), rows, w) if needs else None
        if self.mean_prior is None:
            self.mean_prior_ = whole.mean[0]
        else:
            self.mean_prior_ = np.asarray(self.mean_prior, dtype=np.float64)
            if self.mean_prior_.shape != (d,) or not np.isfinite(self.mean_prior_).all():
                raise ValueError(f"mean_prior must be {d} numbers, got the shape {self.mean_prior_.shape}.")
        self.covariance_prior_ = self._covariance_prior(whole, d)

    def _everything(self) -> Gaussian:
        """The family whose statistic of all rows gives the priors."""
        return Gaussian("full" if self.covariance_type in ("full", "tied") else "diag", estimate="ml")

    def _covariance_prior(self, whole: Any, d: int) -> Any:
        shape = self.covariance_type
        if self.covariance_prior is None:
            weight = float(np.max(whole.weight))
            spread = whole.scatter[0] / max(weight - 1.0, 1e-300)
            return float(spread.mean()) if shape == "spherical" else spread
        if shape == "spherical":
            if not isinstance(self.covariance_prior, Real) or not 0 < float(self.covariance_prior) < np.inf:
                raise ValueError(f"covariance_prior must be a number above 0, got {self.covariance_prior!r}.")
            return self.covariance_prior
        given = np.asarray(self.covariance_prior, dtype=np.float64)
        wanted = (d,) if shape == "diag" else (d, d)
        if given.shape != wanted:
            raise ValueError(
                f"The parameter 'covariance_prior' should have the shape of {wanted} for covariance_type={shape!r}, "
                f"but got {given.shape}."
            )
        factors_of(given[None] if shape in ("diag", "full") else given, shape, 1, d, "covariance_prior")
        return given

    def _family(self) -> VariationalGaussians:
        return VariationalGaussians(
            self.covariance_type,
            self.n_components,
            self.weight_concentration_prior_type == "dirichlet_process",
            getattr(self, "weight_concentration_prior_", 1.0),
            getattr(self, "mean_precision_prior_", 1.0),
            getattr(self, "mean_prior_", np.zeros(1)),
            float(getattr(self, "degrees_of_freedom_prior_", 1.0)),
            np.asarray(getattr(self, "covariance_prior_", 1.0), dtype=np.float64),
            float(self.reg_covar) if isinstance(self.reg_covar, Real) else 0.0,
            self.init_params,
            self.n_init,
        )

    # The posterior ---------------------------------------------------------------------------------------------------

    @property
    def posterior_(self) -> VariationalPosterior:
        """The posterior of weights, means and precisions."""
        check_is_fitted(self, "statistic_")
        assert isinstance(self.family_, VariationalGaussians)
        return self.family_.posterior(self.statistic_)

    def _weights(self) -> Array:
        return self.posterior_.weights if hasattr(self, "statistic_") else super()._weights()

    @property
    def weight_concentration_(self) -> Any:
        """Parameters of the weights' posterior: of the sticks' Beta distributions, or of the Dirichlet distribution."""
        found = self.posterior_.concentration
        return tuple(found) if self.weight_concentration_prior_type == "dirichlet_process" else found

    @property
    def mean_precision_(self) -> Array:
        """How many rows each mean is worth."""
        return self.posterior_.mean_precision

    @property
    def degrees_of_freedom_(self) -> Any:
        """Degrees of freedom of the precisions' posterior."""
        found = self.posterior_.freedom
        return float(found[0]) if self.covariance_type == "tied" else found

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Any:
        """Draw rows of the components, by their expected weights: a table, and the component of each row."""
        components = self._gaussians
        rng = generator(self.random_state if random_state is None else random_state)
        mixture = MixtureDensity(components, np.log(self._weights()))
        rows, labels = mixture.draw(row_count(n_samples), rng)
        return self.schema_.decode(rows), labels
