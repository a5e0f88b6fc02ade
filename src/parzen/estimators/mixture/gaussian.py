"""Gaussian mixtures: scikit-learn's estimator, with weights, missing values, batches, labels and choice of a model."""

import sys
from dataclasses import replace
from numbers import Integral, Real
from operator import attrgetter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.densities.density import Density
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.mixture import MixtureDensity
from parzen.estimators.base.covariances import SHAPES, factors_of, means_of, weights_of
from parzen.estimators.base.fitted import forget
from parzen.estimators.base.progress import Watch, watching, with_callbacks
from parzen.estimators.base.sources import takes_sources
from parzen.estimators.base.validation import generator, transactional
from parzen.estimators.mixture.base import component_codes, total_weight
from parzen.estimators.mixture.candidates import Candidates, Trial
from parzen.estimators.mixture.criteria import CRITERIA, criterion_value
from parzen.estimators.mixture.given import fixed_components, start_density
from parzen.estimators.mixture.parameters import BaseGaussianMixture
from parzen.estimators.mixture.pictures import draw_components, draw_selection, draw_trace
from parzen.estimators.mixture.steps import StepwiseMixture
from parzen.families.fit import Fit
from parzen.families.gaussian import Gaussian
from parzen.families.initialisation import INITS, rows_worth
from parzen.families.mixture import Mixture
from parzen.statistics.batches import Batches
from parzen.statistics.messages import Collapse, warn_floor, without_floor_warnings
from parzen.tables.cells import frame_kind


class GaussianMixture(StepwiseMixture, BaseGaussianMixture):
    """Gaussian mixture by EM: a drop-in for scikit-learn's, which takes weights, missing values, batches and labels.

    Parameters
    ----------
    n_components : int, "auto" or list of int
        How many components; of several, the one with the least `criterion` is kept. "auto" tries 1 to 9, as mclust.
    covariance_type : "full", "tied", "diag", "spherical", "auto" or list of them
        Shape of the covariances; of several (or all, by "auto"), the one with the least `criterion` is kept.
    tol : float
        EM stops when the objective of a row changes by less: its log-likelihood, plus the log-prior if there is one.
    reg_covar : float
        Added to every variance, in the data's own units. With a prior it is not needed, and not used. With 0, a
        singular component at the end is an error, as in scikit-learn.
    max_iter : int
        Most steps of EM; with 0, the model is where EM would begin.
    n_init : int
        How many times more starts are tried.
    init_params : "auto", "kmeans", "k-means++", "random" or "random_from_data"
        Where EM begins. By default ("auto") from the best of several partitions, which holds up where clusters are
        stretched or rotated; the others are scikit-learn's.
    weights_init, means_init, precisions_init : arrays, optional
        Where EM begins, or a part of it: weights (C,), means (C, d), inverse covariances in the shape of `precisions_`.
        A part goes to those components of the start that it fits best; means or weights also give their order.
    random_state : int, RandomState instance or None
    warm_start : bool
        Whether `fit` goes on from the last one.
    verbose, verbose_interval : int
        Whether, and at which steps, to print the progress of the fit.
    prior : "auto", NormalInverseWishart or NormalInverseGamma, optional
        Of means and covariances: EM then finds the mode of their posterior, and no component can collapse. "auto" is
        that of Fraley and Raftery (2007), in the data's own units.
    weight_concentration : float
        Of a Dirichlet prior of the weights; 1 is none.
    fixed : list of int, optional
        Components whose mean and covariance stay as `means_init` and `precisions_init` give them.
    fixed_covariance : float or array, optional
        A covariance that is known, of all components: only weights and means are learnt. A number is the variance of
        every column (k-means is the limit of small ones); or variances (d,) if "diag", a matrix (d, d) if "full" or
        "tied".
    criterion : "bic", "icl" or "aic"
        What several numbers of components, or shapes, are compared by.
    forgetting : float, optional
        Part of the old statistic that `partial_fit` forgets at each batch; by default it falls from batch to batch.
    trace : bool
        Whether each step's lower bound is kept (`trace_`), at the cost of more passes over the rows.
    accelerate : bool
        Whether EM is accelerated (see `parzen.fit`).

    Attributes
    ----------
    weights_ : array of shape (C,)
    means_ : array of shape (C, d)
    covariances_, precisions_, precisions_cholesky_ : arrays
        Covariances, their inverses and the upper factors of these: (C, d, d) if "full", (d, d) if "tied", (C, d) if
        "diag", (C,) if "spherical". These five can be set, to build a model by hand or to change one.
    n_components_, covariance_type_ : int, str
        What was chosen, or given.
    selection_ : list of dict
        What was compared, the best first: covariance_type, n_components, and the criterion by its name.
    density_ : MixtureDensity
    n_iter_, converged_, lower_bound_, lower_bounds_ : how the fit went

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import GaussianMixture
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (300, 2)), rng.normal(6, 1, (100, 2))])
    >>> X[0, 1] = np.nan
    >>> model = GaussianMixture(n_components="auto", random_state=0).fit(X)
    >>> model.n_components_, np.sort(model.weights_).round(2)
    (2, array([0.25, 0.75]))
    >>> model.impute(X[:1]).round(2)
    array([[0.13, 0.04]])
    """

    selection_: list[dict[str, Any]]
    n_components_: int
    covariance_type_: str

    def __init__(
        self,
        n_components: Any = 1,
        *,
        covariance_type: Any = "full",
        tol: float = 1e-3,
        reg_covar: float = 1e-6,
        max_iter: int = 100,
        n_init: int = 1,
        init_params: str = "auto",
        weights_init: ArrayLike | None = None,
        means_init: ArrayLike | None = None,
        precisions_init: ArrayLike | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        verbose_interval: int = 10,
        prior: Any = None,
        weight_concentration: float = 1.0,
        fixed: Any = None,
        fixed_covariance: Any = None,
        criterion: str = "bic",
        forgetting: float | None = None,
        trace: bool = False,
        accelerate: bool = True,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval
        self.prior = prior
        self.weight_concentration = weight_concentration
        self.fixed = fixed
        self.fixed_covariance = fixed_covariance
        self.criterion = criterion
        self.forgetting = forgetting
        self.trace = trace
        self.accelerate = accelerate

    @classmethod
    def from_parameters(
        cls, weights: ArrayLike, means: ArrayLike, covariances: ArrayLike, covariance_type: str = "full"
    ) -> Self:
        """A mixture whose parameters are known: it scores, predicts and draws as a fitted one does.

        Parameters
        ----------
        weights : array of shape (C,), which sum to 1
        means : array of shape (C, d)
        covariances : array in the shape of `covariances_`

        Examples
        --------
        >>> from parzen import GaussianMixture
        >>> two = GaussianMixture.from_parameters([0.5, 0.5], [[0.0], [3.0]], [1.0, 4.0], "spherical")
        >>> two.predict([[0.5], [2.5]])
        array([0, 1])
        """
        choose("covariance_type", covariance_type, tuple(SHAPES))
        mean = means_of(means)
        C, d = mean.shape
        model = cls(C, covariance_type=covariance_type)
        factor = factors_of(covariances, covariance_type, C, d, "covariances")
        density = MixtureDensity(GaussianDensity(mean, factor), np.log(weights_of(weights, C, "weights")))
        model._become(density, np.float64)
        return model

    @takes_sources
    @with_callbacks
    @transactional
    def fit(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, labels: ArrayLike | None = None
    ) -> None:
        """Fit the mixture to rows by EM; of several candidates, keep the one with the least criterion.

        Parameters
        ----------
        X : table of shape (n, d): array, pandas or polars; CSR if `covariance_type` is "diag" or "spherical";
            or a source, whose rows every step of EM reads anew: ``fit(source, weight="w")``, see `parzen.scan`
        y : ignored
        sample_weight : array of shape (n,), optional
        labels : array of shape (n,), optional
            Component of each row where it is known, 0 to C - 1; -1 where it is not.

        Returns
        -------
        self
        """
        forget(self)
        for name in ("n_components_", "covariance_type_", "selection_"):
            self.__dict__.pop(name, None)
        candidates = Candidates.of(self.n_components, self.covariance_type)
        X = self._first_table(X)
        rows, w, codes = self._first_rows(X, sample_weight, component_codes(labels, X.shape[0], candidates.most))
        self._check(candidates)
        tried = []
        with watching(self, rows, len(candidates) * self.max_iter, total_weight(rows, w)) as callback:
            for shape, C in candidates.fitting(codes, rows.shape[0]):
                if candidates.several and self.verbose:
                    sys.stdout.write(f"{C} components, {shape}\n")
                own = rows.apart(f"{shape}-{C}") if candidates.several and isinstance(rows, Batches) else rows
                tried.append(self._trial(shape, C, own, w, codes, candidates.several, callback))
        best = candidates.best(tried, rows.shape[0])
        if candidates.several:
            self.selection_ = [trial.entry(self.criterion) for trial in sorted(tried, key=attrgetter("value"))]
        self.covariance_type_, self.n_components_ = best.shape, best.size
        self.given_ = self.family_ = best.family
        self._keep_mixture(best.found, total_weight(rows, w))
        self._warn_collapsed(rows_worth(rows, w))

    def _trial(
        self, shape: str, C: int, rows: Any, w: Array | None, codes: Any, several: bool, callback: Watch
    ) -> Trial:
        """Fit one candidate; where several are compared, its criterion: infinite, if a component has collapsed."""
        family = self._mixture(shape, C) if several else self.given_
        assert isinstance(family, Mixture)
        rng = generator(self.random_state)
        start: Density | None = self._before(rows.shape[1], C) or self._given_start(family, shape, rows, w, rng)
        if not several:
            return Trial(0.0, shape, C, family, self._alone(family, rows, w, codes, start, rng, callback))
        try:
            found = self._em(family, rows, w, codes, start, rng, callback)
        except Collapse:
            return Trial(np.inf, shape, C, family, None)
        density = found.density
        assert isinstance(density, MixtureDensity)
        if self.prior is None and density.collapsed(rows_worth(rows, w), float(self.reg_covar)).any():
            return Trial(np.inf, shape, C, family, found)
        return Trial(criterion_value(self.criterion, family, density, rows, w), shape, C, family, found)

    def _alone(self, family: Mixture, *arguments: Any) -> Fit:
        """Fit the only candidate. Where nothing is added to variances, a singular component at the end is an error."""
        found = self._em(family, *arguments)
        if (
            self.reg_covar
            or self.prior is not None
            or self.fixed_covariance is not None
            or found.outcome != "converged"
        ):
            return found
        statistic: Any = found.statistic
        try:
            with without_floor_warnings():
                replace(family, family=replace(family.family, floor=0.0)).maximise(statistic)
        except Collapse:
            raise Collapse(
                "the covariance of a component is singular (too few distinct rows, or columns that are constant or "
                "depend on each other), and reg_covar=0 adds nothing to it; give reg_covar above 0, fewer components, "
                "or prior='auto'."
            ) from None
        return found

    def _family(self) -> Mixture:
        if hasattr(self, "n_components_"):
            return self._mixture(self.covariance_type_, self.n_components_)
        shape, C = Candidates.of(self.n_components, self.covariance_type).pairs[0]
        return self._mixture(shape, C)

    def _mixture(self, shape: str, C: int) -> Mixture:
        """The family of one shape and one number of components."""
        covariance_type, shared = SHAPES[shape]
        if not isinstance(self.reg_covar, Real) or not 0 <= self.reg_covar < np.inf:
            raise ValueError(f"reg_covar must be a number, at least 0, got {self.reg_covar!r}.")
        if self.fixed_covariance is not None:
            if self.prior is not None:
                raise ValueError("fixed_covariance is known, so that no prior of it is needed; leave prior out.")
            family = Gaussian(covariance_type, shared=shared, fixed_covariance=self.fixed_covariance)
        elif self.prior is None:
            family = Gaussian(covariance_type, shared=shared, noise=float(self.reg_covar))
        elif isinstance(self.prior, str):
            choose("prior", self.prior, ("auto",))
            family = Gaussian(covariance_type, shared=shared, estimate="map")
        else:
            family = Gaussian(covariance_type, shared=shared, prior=self.prior, estimate="map")
        held = None if self.fixed is None else fixed_components(self, shape, C)
        return Mixture(family, C, self.weight_concentration, self.init_params, self.n_init, held)

    def _settle_components(self, before: Any, C: int) -> None:
        chosen = getattr(before, "covariance_type_", None) or Candidates.of(C, self.covariance_type).pairs[0][0]
        self.covariance_type_, self.n_components_ = chosen, C

    def _given_start(
        self, family: Mixture, shape: str, rows: Any, w: Array | None, rng: np.random.Generator
    ) -> MixtureDensity | None:
        """The start that the parameters give, completed by the family's own; None where they give none."""
        given = (self.weights_init, self.means_init, self.precisions_init)
        if all(part is None for part in given):
            return None
        own = family.start(rows, w, rng) if any(part is None for part in given) else None
        return start_density(given, own, shape, family.size(), rows.shape[1])

    def _check(self, candidates: Candidates) -> None:
        if not isinstance(self.trace, bool | np.bool_):
            raise ValueError(f"trace must be True or False, got {self.trace!r}.")
        choose("criterion", self.criterion, CRITERIA)
        choose("init_params", self.init_params, INITS)
        if not isinstance(self.n_init, Integral) or self.n_init < 1:
            raise ValueError(f"n_init must be a whole number, at least 1, got {self.n_init!r}.")
        if not isinstance(self.weight_concentration, Real) or not 0 <= self.weight_concentration < np.inf:
            raise ValueError(f"weight_concentration must be a number, at least 0, got {self.weight_concentration!r}.")
        starts = (self.weights_init, self.means_init, self.precisions_init)
        if len(candidates) > 1 and any(start is not None for start in starts):
            raise ValueError(
                "weights_init, means_init and precisions_init are for one number of components and one "
                "covariance_type, but several are asked for."
            )

    def _check_same_family(self) -> None:
        if (self.covariance_type_, self.n_components_) not in Candidates.of(
            self.n_components, self.covariance_type
        ).pairs:
            raise ValueError(
                f"this estimator was fitted with {self.n_components_} components, {self.covariance_type_!r}; call fit "
                "to change that."
            )
        super()._check_same_family()

    def _warn_collapsed(self, n: float) -> None:
        """Name components that have collapsed; with a prior, none can."""
        if self.prior is not None or not self.reg_covar:
            return
        fallen = np.flatnonzero(self.density_.collapsed(n, float(self.reg_covar)) & (self.weights_ > 1e-8))
        if len(fallen):
            warn_floor(
                f"components {fallen.tolist()} have collapsed onto too few distinct rows; what variance they have is "
                f"reg_covar={self.reg_covar:g}. Ask for fewer components, or for prior='auto'."
            )

    def _parameter_dtype(self) -> Any:
        """As in scikit-learn: float32 where all columns that were fitted are, else float64."""
        dtypes = set(self.schema_.dtypes)
        return np.float32 if all(str(one).lower() == "float32" for one in dtypes) else np.float64

    def impute(self, X: Any) -> Any:
        """X with missing cells replaced by what is expected of them, given the others: mixture regression."""
        rows = self._later(X)
        gaussians = self._gaussians
        done = self.schema_.decode(gaussians.completed(rows, self.density_.posterior(rows)))
        if frame_kind(X) == "pandas" and frame_kind(done) == "pandas":
            done.index = X.index
        return done

    def plot(self, X: Any = None, columns: Any = None, ax: Any = None) -> Any:
        """Draw the components: as curves of one column, as ellipses of two, over the rows if these are given.

        Parameters
        ----------
        X : table of rows to draw as well, optional
        columns : one or two columns, by name or position; by default the first ones
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        return draw_components(self, X, columns, ax)

    def plot_selection(self, ax: Any = None) -> Any:
        """Draw the criterion over the numbers of components, a line for each shape: the lowest point was kept."""
        return draw_selection(self, tuple(SHAPES), ax)

    def plot_trace(self, ax: Any = None) -> Any:
        """Draw the likelihood of a row and its lower bound, step by step (``trace=True``)."""
        return draw_trace(self, ax)

    def _copy(self, density: Density, schema: Any) -> Self:
        other = super()._copy(density, schema)
        other.n_components_, other.covariance_type_ = self.n_components_, self.covariance_type_
        return other
