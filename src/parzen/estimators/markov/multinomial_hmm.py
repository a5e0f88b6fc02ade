"""Hidden Markov models of rows of counts with a total, a drop-in for hmmlearn's."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from parzen.compute.arrays import Array
from parzen.densities.multinomial import MultinomialDensity
from parzen.densities.transition_matrix import stochastic
from parzen.estimators.base.validation import table
from parzen.estimators.markov.checks import check_hmmlearn
from parzen.estimators.markov.column_count import ColumnCount
from parzen.estimators.markov.count_emissions import HmmlearnMultinomial
from parzen.estimators.markov.hmmlearn import BaseHmmlearn
from parzen.estimators.markov.poisson_hmm import counts_of


class MultinomialHMM(BaseHmmlearn):
    """Hidden Markov model of rows of counts, multinomial in each state given their total: a drop-in for hmmlearn's.

    With the same seed it starts where hmmlearn does, and has the same log-likelihood after each step. Missing counts
    are marginalised.

    Parameters
    ----------
    n_components : int
        Number of states K.
    n_trials : int or array of int, optional
        Total of every row; by default of the rows that are fitted. `sample` needs a single one.
    startprob_prior, transmat_prior : float or array
        Concentrations of Dirichlet priors; 1 is none.
    algorithm, random_state, n_iter, tol, verbose, implementation : see `GaussianHMM`
    params, init_params : str
        Which parameters a fit updates, and which it initialises: "s" for `startprob_`, "t" for `transmat_`, "e" for
        `emissionprob_`.

    Attributes
    ----------
    startprob_ : array of shape (K,)
    transmat_ : array of shape (K, K)
    emissionprob_ : array of shape (K, d)
    monitor_ : Monitor
        With `history`, `iter` and `converged`.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import MultinomialHMM
    >>> X = np.array([[4, 1], [5, 0], [4, 1], [0, 5], [1, 4], [0, 5], [5, 0]])
    >>> model = MultinomialHMM(2, n_iter=50, random_state=0).fit(X)
    >>> model.predict(X)
    array([1, 1, 1, 0, 0, 0, 1])
    """

    n_features = ColumnCount("emissionprob_")
    emissionprob_: Array
    _letters: ClassVar = {"e": "emissionprob_"}

    def __init__(
        self,
        n_components: int = 1,
        n_trials: Any = None,
        startprob_prior: Any = 1.0,
        transmat_prior: Any = 1.0,
        algorithm: str = "viterbi",
        random_state: Any = None,
        n_iter: int = 10,
        tol: float = 1e-2,
        verbose: bool = False,
        params: str = "ste",
        init_params: str = "ste",
        implementation: str = "log",
    ) -> None:
        self.n_components = n_components
        self.n_trials = n_trials
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
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
        keeps = hasattr(self, "emissionprob_") and "e" not in self.init_params
        rows = counts_of(table(self, X, reset=True, sparse=False), np.shape(self.emissionprob_)[1] if keeps else None)
        totals, complete = np.nansum(rows, axis=1), ~np.isnan(rows).any(axis=1)
        if self.n_trials is None:
            self.n_trials = totals.astype(np.int64)
        given = np.asarray(self.n_trials)
        if given.ndim and given.shape != totals.shape:
            raise ValueError(f"n_trials must be one number, or one for each of {len(rows)} rows, got {given.shape}.")
        if (complete & (totals != given)).any():
            raise ValueError("the counts of each row must sum up to n_trials; n_trials=None takes any totals.")
        return rows

    def _initialise_emission(self, rows: Array, lengths: NDArray[np.int64]) -> None:
        if self._initialises("e", "emissionprob_"):
            # As in hmmlearn, an integer seed is used a second time.
            P = check_random_state(self.random_state).rand(self.n_components, rows.shape[1])
            self.emissionprob_ = P / P.sum(axis=1, keepdims=True)

    def _emission_family(self, initial: Any) -> HmmlearnMultinomial:
        return HmmlearnMultinomial(initial, self.params)

    def _adopt(self, emission: Any) -> None:
        self.emissionprob_ = np.exp(emission.log_probability)

    def _emission(self) -> MultinomialDensity:
        self._check_options()
        given = np.asarray(self.emissionprob_, dtype=np.float64)
        P = stochastic(given, (self.n_components, given.shape[1] if given.ndim == 2 else 1), "emissionprob_")
        length = np.asarray(1.0 if self.n_trials is None else self.n_trials, dtype=np.float64).mean()
        with np.errstate(divide="ignore"):
            return MultinomialDensity(np.log(P), np.full(len(P), length))

    def _rows(self, X: Any) -> Array:
        return counts_of(table(self, X, reset=False, sparse=False), np.shape(self.emissionprob_)[1])

    def _draw(self, state: int, rng: np.random.RandomState) -> Any:
        total = np.unique([] if self.n_trials is None else np.asarray(self.n_trials))
        if len(total) != 1:
            got = "None" if self.n_trials is None else f"{len(total)} different ones"
            raise ValueError(f"sample needs a single n_trials, the total of every row, got {got}.")
        return rng.multinomial(int(total[0]), np.asarray(self.emissionprob_)[state])

    def _emission_parameters(self) -> int:
        K, d = np.shape(self.emissionprob_)
        return K * (d - 1)
