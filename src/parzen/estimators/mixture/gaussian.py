"""Gaussian mixtures, scikit-learn's way and further."""

import sys
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.densities.density import Density
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.mixture import MixtureDensity
from parzen.estimators.base.covariances import (
    SHAPES,
    covariances_of,
    factors_of,
    means_of,
    precisions_of,
    upper_factors_of,
    weights_of,
)
from parzen.estimators.base.progress import Watch
from parzen.estimators.mixture.mixture import BaseMixture
from parzen.estimators.mixture.pictures import draw_components, draw_selection, draw_trace
from parzen.families.fit import Fit
from parzen.families.gaussian import Gaussian
from parzen.families.initialisation import INITS, rows_worth
from parzen.families.mixture import Mixture
from parzen.statistics.messages import Collapse, warn_floor
from parzen.tables.cells import frame_kind
from parzen.tables.schema import learn

CRITERIA = ("bic", "icl", "aic")


class GaussianMixture(BaseMixture):
    """Gaussian mixture by EM: a drop-in for scikit-learn's, which takes weights, missing cells, batches and labels.

    Parameters
    ----------
    n_components : int, "auto" or list of int
        How many components; of several, the one with the least `criterion` is kept. "auto" tries 1 to 9, as mclust.
    covariance_type : "full", "tied", "diag", "spherical", "auto" or list of them
        Shape of the covariances; of several (or all, by "auto"), the one with the least `criterion` is kept.
    tol : float
        EM stops when the log-likelihood of a row changes by less.
    reg_covar : float
        Added to every variance, in the data's own units. With a prior it is not needed, and not used.
    max_iter : int
    n_init : int
        How many times more starts are tried.
    init_params : "auto", "kmeans", "k-means++", "random" or "random_from_data"
        Where EM begins. By default ("auto") from the best of several partitions, which holds up where clusters are
        stretched or rotated; the others are scikit-learn's.
    weights_init, means_init, precisions_init : arrays, optional
        Where EM begins, or a part of it: weights (C,), means (C, d), inverse covariances in the shape of `precisions_`.
    random_state : int, RandomState instance or None
    warm_start : bool
        Whether `fit` goes on from the last one.
    verbose, verbose_interval : int
        Whether, and at which steps, to say how far the fit is.
    prior : "auto", NormalInverseWishart or NormalInverseGamma, optional
        Of means and covariances: EM then finds the mode of their posterior, and no component can collapse. "auto" is
        that of Fraley and Raftery (2007), in the data's own units.
    weight_concentration : float
        Of a Dirichlet prior of the weights; 1 is none.
    fixed : list of int, optional
        Components whose mean and covariance stay as `means_init` and `precisions_init` give them.
    criterion : "bic", "icl" or "aic"
        What several numbers of components, or shapes, are compared by.
    forgetting : float, optional
        Share of what is known that `partial_fit` forgets at each batch; by default it falls from batch to batch.
    trace : bool
        Whether each step's lower bound is kept (`trace_`), at the cost of more looks at the rows.
    accelerate : bool
        Whether EM may leap ahead (see `parzen.fit`).

    Attributes
    ----------
    weights_ : array of shape (C,)
    means_ : array of shape (C, d)
    covariances_, precisions_, precisions_cholesky_ : arrays
        Covariances, their inverses and the upper factors of these: (C, d, d) if "full", (d, d) if "tied", (C, d) if
        "diag", (C,) if "spherical".
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
        model.density_ = MixtureDensity(GaussianDensity(mean, factor), np.log(weights_of(weights, C, "weights")))
        model.given_ = model._family()
        model.family_, model.schema_ = learn(model.given_, np.zeros((1, d)))
        model.n_features_in_ = d
        model.n_components_, model.covariance_type_ = C, covariance_type
        model.n_iter_, model.converged_ = 0, True
        return model

    # What is fitted -------------------------------------------------------------------------------------------------

    def _sizes(self) -> list[int]:
        several = range(1, 10) if isinstance(self.n_components, str) else self.n_components
        if isinstance(self.n_components, str) and self.n_components != "auto":
            raise ValueError(f"n_components must be a whole number, several, or 'auto', got {self.n_components!r}.")
        sizes = list(several) if isinstance(several, Sequence | np.ndarray) else [several]
        for C in sizes or [None]:
            if not isinstance(C, Integral) or isinstance(C, bool) or C < 1:
                raise ValueError(
                    f"n_components must be whole numbers, at least 1, or 'auto', got {self.n_components!r}."
                )
        return [int(C) for C in sizes]

    def _shapes(self) -> list[str]:
        given = self.covariance_type
        several = tuple(SHAPES) if isinstance(given, str) and given == "auto" else given
        shapes = [several] if isinstance(several, str) or not isinstance(several, Iterable) else list(several)
        for shape in shapes or [None]:
            choose("covariance_type", shape, tuple(SHAPES) if len(shapes) > 1 else (*SHAPES, "auto"))
        return shapes

    def _one(self, C: int, shape: str) -> Mixture:
        """The mixture of one number of components and one shape."""
        covariance, shared = SHAPES[shape]
        if not isinstance(self.reg_covar, Real) or not 0 <= self.reg_covar < np.inf:
            raise ValueError(f"reg_covar must be a number, at least 0, got {self.reg_covar!r}.")
        if self.prior is None:
            family = Gaussian(covariance, shared=shared, noise=float(self.reg_covar))
        elif isinstance(self.prior, str):
            choose("prior", self.prior, ("auto",))
            family = Gaussian(covariance, shared=shared, estimate="map")
        else:
            family = Gaussian(covariance, shared=shared, prior=self.prior, estimate="map")
        return Mixture(family, C, self.weight_concentration, self.init_params, self.n_init, self._held(C, shape))

    def _held(self, C: int, shape: str) -> tuple[list[int], GaussianDensity] | None:
        if self.fixed is None:
            return None
        which = [int(k) for k in self.fixed] if isinstance(self.fixed, Iterable) else [-1]
        if any(not 0 <= k < C for k in which):
            raise ValueError(f"fixed must be components between 0 and {C - 1}, got {self.fixed!r}.")
        if self.means_init is None or self.precisions_init is None or shape == "tied":
            raise ValueError(
                "fixed components need means_init and precisions_init, which say what they are, and covariances of "
                f"their own: not covariance_type='tied'; got {shape!r}."
            )
        mean = means_of(self.means_init)
        if len(mean) != C:
            raise ValueError(f"means_init must have {C} rows, one for each component, got {len(mean)}.")
        factor = factors_of(self.precisions_init, shape, C, mean.shape[1], "precisions_init")
        return which, GaussianDensity(mean, factor)

    def _family(self) -> Mixture:
        chosen = getattr(self, "n_components_", None), getattr(self, "covariance_type_", None)
        C = self._sizes()[0] if chosen[0] is None else chosen[0]
        return self._one(C, self._shapes()[0] if chosen[1] is None else chosen[1])

    def _bind(self, X: Any) -> Any:
        if not isinstance(self.trace, bool | np.bool_):
            raise ValueError(f"trace must be True or False, got {self.trace!r}.")
        for name in ("n_components_", "covariance_type_", "selection_"):
            self.__dict__.pop(name, None)
        return super()._bind(X)

    def _candidates(self) -> int:
        return len(self._shapes()) * len(self._sizes())

    def _fit_rows(self, rows: Any, w: Array | None, codes: Any, before: Density | None, callback: Watch) -> None:
        self._check()
        candidates = [(shape, C) for shape in self._shapes() for C in self._sizes()]
        weight = float(rows.shape[0] if w is None else w.sum())
        if codes is not None:
            candidates = [(shape, C) for shape, C in candidates if codes.max() < C]
        if len(candidates) == 1 and self._is_one():
            shape, C = candidates[0]
            self.covariance_type_, self.n_components_ = shape, C
            super()._fit_rows(rows, w, codes, before, callback)
            self._tell(rows_worth(len(rows), w))
            return
        tried: list[tuple[float, str, int, Fit | None]] = []
        for shape, C in candidates:
            if rows.shape[0] < C:
                continue
            if self.verbose:
                sys.stdout.write(f"{C} components, {shape}\n")
            try:
                found = self._found(self._one(C, shape), rows, w, codes, before, callback)
                value = self._criterion(self._one(C, shape), found, rows, w)
            except Collapse:
                found, value = None, np.inf
            tried.append((value, shape, C, found))
        order = sorted(range(len(tried)), key=lambda i: tried[i][0])
        self.selection_ = [
            {"covariance_type": tried[i][1], "n_components": tried[i][2], self.criterion: tried[i][0]} for i in order
        ]
        best = tried[order[0]] if order else None
        if best is None:
            raise ValueError(
                f"Expected n_samples >= n_components, but got n_components = {min(self._sizes())} at least, and "
                f"n_samples = {rows.shape[0]}; ask for fewer components."
            )
        if best[3] is None:
            raise Collapse("no number of components gives a mixture without a collapsed component; use a prior.")
        self.covariance_type_, self.n_components_ = best[1], best[2]
        self.given_ = self.family_ = self._family()
        self._keep_mixture(best[3], weight)
        self._tell(rows_worth(len(rows), w))

    def _check(self) -> None:
        choose("criterion", self.criterion, CRITERIA)
        choose("init_params", self.init_params, INITS)
        if not isinstance(self.n_init, Integral) or self.n_init < 1:
            raise ValueError(f"n_init must be a whole number, at least 1, got {self.n_init!r}.")
        if not isinstance(self.weight_concentration, Real) or not 0 <= self.weight_concentration < np.inf:
            raise ValueError(f"weight_concentration must be a number, at least 0, got {self.weight_concentration!r}.")
        starts = (self.weights_init, self.means_init, self.precisions_init)
        if len(self._sizes()) * len(self._shapes()) > 1 and any(start is not None for start in starts):
            raise ValueError(
                "weights_init, means_init and precisions_init are for one number of components and one "
                "covariance_type, but several are asked for."
            )

    def _most(self) -> int:
        return max(self._sizes())

    def _is_one(self) -> bool:
        """Whether one mixture is asked for, and none to be compared with."""
        return isinstance(self.n_components, Integral) and isinstance(self.covariance_type, str | None)

    def _tell(self, n: float) -> None:
        """Name components that have collapsed; with a prior, none can."""
        if self.prior is not None or not self.reg_covar:
            return
        fallen = np.flatnonzero(self.density_.collapsed(n, float(self.reg_covar)) & (self.weights_ > 1e-8))
        if len(fallen):
            warn_floor(
                f"components {fallen.tolist()} have collapsed onto too few distinct rows; what spread they have is "
                f"reg_covar={self.reg_covar:g}. Ask for fewer components, or for prior='auto'."
            )

    def _check_same_family(self) -> None:
        if self.n_components_ not in self._sizes() or self.covariance_type_ not in self._shapes():
            raise ValueError(
                f"this estimator was fitted with {self.n_components_} components, {self.covariance_type_!r}; call fit "
                "to change that."
            )
        super()._check_same_family()

    def _criterion(self, family: Mixture, found: Fit, rows: Any, w: Array | None) -> float:
        """The criterion of a fit; infinite where a component has collapsed, whose likelihood means nothing."""
        noise = 0.0 if self.prior is not None else float(self.reg_covar)
        assert isinstance(found.density, MixtureDensity)
        if self.prior is None and found.density.collapsed(rows_worth(len(rows), w), noise).any():
            return np.inf
        trial = clone(self)
        trial.density_, trial.family_, trial.given_ = found.density, family, family
        trial.statistic_, trial.schema_, trial.n_features_in_ = found.statistic, self.schema_, self.n_features_in_
        value: float = getattr(trial, self.criterion)(rows, w)
        return value

    def _given_start(self, rows: Any, w: Array | None, rng: np.random.Generator) -> Density | None:
        """The start that is given; the family's own completes it, where it is given in part."""
        given = (self.weights_init, self.means_init, self.precisions_init)
        if all(part is None for part in given):
            return None
        family = self._family()
        C, d = family.size(), rows.shape[1]
        shape = self._shapes()[0]
        if any(part is None for part in given):
            start = family.start(rows, w, rng)
            assert isinstance(start, MixtureDensity)
            assert isinstance(start.components, GaussianDensity)
            log_weight, mean, factor = start.log_weight, start.components.mean, start.components.factor
        if self.weights_init is not None:
            log_weight = np.log(weights_of(self.weights_init, C, "weights_init"))
        if self.means_init is not None:
            mean = means_of(self.means_init)
            if mean.shape != (C, d):
                raise ValueError(f"means_init must have the shape ({C}, {d}), got {mean.shape}.")
        if self.precisions_init is not None:
            factor = factors_of(self.precisions_init, shape, C, d, "precisions_init")
        return MixtureDensity(GaussianDensity(mean, factor), log_weight)

    # What is read ---------------------------------------------------------------------------------------------------

    @property
    def _gaussians(self) -> GaussianDensity:
        check_is_fitted(self, "density_")
        assert isinstance(self.density_.components, GaussianDensity)
        return self.density_.components

    @property
    def means_(self) -> Array:
        """Means of the components."""
        return self._gaussians.mean

    @property
    def covariances_(self) -> Array:
        """Covariances, in scikit-learn's shapes."""
        return covariances_of(self._gaussians.factor, self.covariance_type_)

    @property
    def precisions_(self) -> Array:
        """Inverses of the covariances."""
        return precisions_of(self._gaussians.factor, self.covariance_type_)

    @property
    def precisions_cholesky_(self) -> Array:
        """Upper triangular factors of the precisions; one over the deviations where columns stand alone."""
        return upper_factors_of(self._gaussians.factor, self.covariance_type_)

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
