"""The mixture of any family."""

from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import ClusterMixin

from parzen.estimators.base.progress import watching, with_callbacks
from parzen.estimators.base.validation import generator, transactional
from parzen.estimators.mixture.base import component_codes, total_weight
from parzen.estimators.mixture.steps import StepwiseMixture
from parzen.families.family import Family
from parzen.families.mixture import Mixture


class MixtureModel(ClusterMixin, StepwiseMixture):
    """A mixture of any family: clusters of counts, of categories, of tables with columns of many kinds.

    Parameters
    ----------
    family : Family or list of families, optional
        What the components are: see `parzen.Mixture`; by default ``Gaussian()``.
    n_components : int, optional
        By default 2, or the length of the list.
    weight_concentration : float
        Of a Dirichlet prior of the weights; 1 is none.
    init : "auto", "kmeans", "k-means++", "random" or "random_from_data"
    n_init : int
        How many times more starts are tried.
    max_iter, tol : int, float
        Most steps, and least change of the objective of a row: the log-likelihood, plus the log-prior if there is one.
    forgetting : float, optional
        Part of the old statistic that `partial_fit` forgets at each batch; by default it falls from batch to batch.
    random_state : int, RandomState instance or None
    warm_start : bool
        Whether `fit` goes on from the last one.
    trace : bool
        Whether each step's lower bound is kept (`trace_`), at the cost of more passes over the rows.
    accelerate : bool
        Whether EM is accelerated (see `parzen.fit`).
    verbose, verbose_interval : int
        Whether, and at which steps, to print the progress of the fit.

    Attributes
    ----------
    density_ : MixtureDensity
    weights_ : array of shape (C,)
    labels_ : array of shape (n,)
        The most probable component of each row of the last `fit`, or of the last batch of `partial_fit`.
    n_iter_, converged_, lower_bound_, lower_bounds_ : how the fit went

    Examples
    --------
    >>> import pandas as pd
    >>> from parzen import Categorical, MixtureModel, Poisson, Product
    >>> table = pd.DataFrame({"pet": ["cat", "cat", "dog", "dog", "dog", "cat"] * 5, "walks": [0, 1, 6, 5, 7, 0] * 5})
    >>> model = MixtureModel(Product({"pet": Categorical(), "walks": Poisson()}), 2, random_state=0).fit(table)
    >>> groups = model.predict(table.head(4))
    >>> bool(groups[0] == groups[1] != groups[2] == groups[3])
    True
    """

    _holds_families = True

    def __init__(
        self,
        family: Any = None,
        n_components: int | None = None,
        *,
        weight_concentration: float = 1.0,
        init: str = "auto",
        n_init: int = 1,
        max_iter: int = 500,
        tol: float = 1e-6,
        forgetting: float | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        trace: bool = False,
        accelerate: bool = True,
        verbose: int = 0,
        verbose_interval: int = 10,
    ) -> None:
        self.family = family
        self.n_components = n_components
        self.weight_concentration = weight_concentration
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.forgetting = forgetting
        self.random_state = random_state
        self.warm_start = warm_start
        self.trace = trace
        self.accelerate = accelerate
        self.verbose = verbose
        self.verbose_interval = verbose_interval

    @with_callbacks
    @transactional
    def fit(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, labels: ArrayLike | None = None
    ) -> None:
        """Fit the mixture to rows by EM.

        Parameters
        ----------
        X : table of shape (n, d): array, CSR where the family takes it, pandas or polars
        y : ignored
        sample_weight : array of shape (n,), optional
        labels : array of shape (n,), optional
            Component of each row where it is known, 0 to C - 1; -1 where it is not.

        Returns
        -------
        self
        """
        X = self._first_table(X)
        C = _mixture(self.given_).size()
        rows, w, codes = self._first_rows(X, sample_weight, component_codes(labels, X.shape[0], C))
        start, rng = self._before(rows.shape[1], C), generator(self.random_state)
        with watching(self, rows, self.max_iter, total_weight(rows, w)) as callback:
            found = self._em(_mixture(self.family_), rows, w, codes, start, rng, callback)
        self._keep_mixture(found, total_weight(rows, w))
        self.labels_ = self._components(rows if rows.shape[0] == X.shape[0] else self._encoded(X, grow=False))

    def _family(self) -> Mixture:
        return Mixture(self.family, self.n_components, self.weight_concentration, self.init, self.n_init)


def _mixture(family: Family) -> Mixture:
    assert isinstance(family, Mixture)
    return family
