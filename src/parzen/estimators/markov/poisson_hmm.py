"""Hidden Markov models of counts, a drop-in for hmmlearn's."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.densities.poisson import PoissonDensity
from parzen.estimators.base.validation import finite, table
from parzen.estimators.markov.checks import check_hmmlearn
from parzen.estimators.markov.column_count import ColumnCount
from parzen.estimators.markov.count_emissions import HmmlearnPoisson
from parzen.estimators.markov.hmmlearn import BaseHmmlearn, random_state_of


class PoissonHMM(BaseHmmlearn):
    """Hidden Markov model of counts, Poisson in each state: a drop-in for hmmlearn's, which also takes missing values.

    With the same seed and no missing values it starts where hmmlearn does and has the same log-likelihood after each
    step.

    Parameters
    ----------
    n_components : int
        Number of states K.
    startprob_prior, transmat_prior : float or array
        Concentrations of Dirichlet priors; 1 is none.
    lambdas_prior, lambdas_weight : float or array
        Shape and rate of a Gamma prior for the rates; 0 is none. As in hmmlearn the prior is weighed against the rows
        of all states together.
    algorithm, random_state, n_iter, tol, verbose, implementation : see `GaussianHMM`
    params, init_params : str
        Which parameters a fit updates, and which it initialises: "s" for `startprob_`, "t" for `transmat_`, "l" for
        `lambdas_`.

    Attributes
    ----------
    startprob_ : array of shape (K,)
    transmat_ : array of shape (K, K)
    lambdas_ : array of shape (K, d)
    monitor_ : Monitor
        With `history`, `iter` and `converged`.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import PoissonHMM
    >>> X = np.array([2, 0, 1, 3, 1, 9, 12, 8, 11, 10, 1, 2, 0])[:, None]
    >>> model = PoissonHMM(2, n_iter=50, random_state=0).fit(X)
    >>> np.sort(model.lambdas_[:, 0]).round(2), model.predict(X)
    (array([1.25, 9.99]), array([1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1]))
    """

    n_features = ColumnCount("lambdas_")
    lambdas_: Array
    _letters: ClassVar = {"l": "lambdas_"}

    def __init__(
        self,
        n_components: int = 1,
        startprob_prior: Any = 1.0,
        transmat_prior: Any = 1.0,
        lambdas_prior: Any = 0.0,
        lambdas_weight: Any = 0.0,
        algorithm: str = "viterbi",
        random_state: Any = None,
        n_iter: int = 10,
        tol: float = 1e-2,
        verbose: bool = False,
        params: str = "stl",
        init_params: str = "stl",
        implementation: str = "log",
    ) -> None:
        self.n_components = n_components
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.lambdas_prior = lambdas_prior
        self.lambdas_weight = lambdas_weight
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

    def _training_rows(self, X: Any) -> Array:
        rows = counts_of(table(self, X, reset=True, sparse=False), None)
        if hasattr(self, "lambdas_") and "l" not in self.init_params:
            rows = counts_of(rows, np.shape(self.lambdas_)[1])
        return rows

    def _initialise_emission(self, rows: Array, lengths: NDArray[np.int64]) -> None:
        """Rates drawn from the Gamma distribution of the cells' mean and variance, as in hmmlearn."""
        if self._initialises("l", "lambdas_"):
            if np.isnan(rows).all():
                raise ValueError("X holds no count: all values are missing.")
            mean, variance = float(np.nanmean(rows)), float(np.nanvar(rows))
            size = (self.n_components, rows.shape[1])
            if mean > 0 and variance > 0:
                self.lambdas_ = random_state_of(self.random_state).gamma(mean**2 / variance, variance / mean, size)
            else:  # all counts are equal
                self.lambdas_ = np.full(size, mean)

    def _emission_family(self, initial: Any) -> HmmlearnPoisson:
        return HmmlearnPoisson(initial, self.params, self.lambdas_prior, self.lambdas_weight)

    def _adopt(self, emission: Any) -> None:
        self.lambdas_ = emission.rate.copy()

    def _emission(self) -> PoissonDensity:
        self._check_options()
        rate = np.atleast_2d(np.asarray(self.lambdas_, dtype=np.float64))
        if rate.ndim != 2 or len(rate) != self.n_components or not rate.size:
            raise ValueError(f"lambdas_ must have {self.n_components} rows, one for each state, got {rate.shape}.")
        if not ((rate >= 0) & np.isfinite(rate)).all():
            raise ValueError(f"lambdas_ must be finite and not negative, got {rate.tolist()}.")
        return PoissonDensity(rate)

    def _rows(self, X: Any) -> Array:
        return counts_of(table(self, X, reset=False, sparse=False), np.shape(np.atleast_2d(self.lambdas_))[1])

    def _draw(self, state: int, rng: np.random.RandomState) -> Any:
        return rng.poisson(np.atleast_2d(self.lambdas_)[state])

    def _emission_parameters(self) -> int:
        return int(np.size(self.lambdas_))


def counts_of(X: Any, d: int | None) -> Array:
    """Rows of counts or NaN in d columns (any number, where d is None), or an error."""
    rows = np.asarray(finite(X), dtype=np.float64)
    if d is not None and rows.shape[1] != d:
        raise ValueError(f"X has {rows.shape[1]} columns, but the states emit {d}.")
    present = rows[~np.isnan(rows)]
    if (present != np.floor(present)).any() or (present < 0).any():
        raise ValueError("X must hold counts: whole numbers from 0 on, or NaN for missing values.")
    return np.ascontiguousarray(rows)
