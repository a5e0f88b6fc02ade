"""Hidden Markov models with symbols as emissions, a drop-in for hmmlearn's."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from parzen.compute.arrays import Array
from parzen.densities.categorical import CategoricalDensity
from parzen.densities.transition_matrix import stochastic
from parzen.estimators.base.validation import finite, table
from parzen.estimators.markov.categorical_emission import HmmlearnCategorical
from parzen.estimators.markov.checks import check_hmmlearn, whole_number
from parzen.estimators.markov.hmmlearn import BaseHmmlearn


class CategoricalHMM(BaseHmmlearn):
    """Hidden Markov model of symbols 0, 1, ...: a drop-in for hmmlearn's, which also takes missing values (-1 or NaN).

    With the same seed it starts where hmmlearn does, and has the same log-likelihood after each step. For symbols of
    any kind use ``HiddenMarkov(Categorical(), k)``.

    Parameters
    ----------
    n_components : int
        Number of states K.
    startprob_prior, transmat_prior, emissionprob_prior : float or array
        Concentrations of Dirichlet priors; 1 is none.
    n_features : int, optional
        Number of symbols S; by default one more than the largest symbol of the rows that are fitted first. As in
        hmmlearn a fit sets it, so that later rows can't hold other symbols.
    algorithm, random_state, n_iter, tol, verbose, implementation : see `GaussianHMM`
    params, init_params : str
        Which parameters a fit updates, and which it initialises: "s" for `startprob_`, "t" for `transmat_`, "e" for
        `emissionprob_`.

    Attributes
    ----------
    startprob_ : array of shape (K,)
    transmat_ : array of shape (K, K)
    emissionprob_ : array of shape (K, S)
    monitor_ : Monitor
        With `history`, `iter` and `converged`.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import CategoricalHMM
    >>> X = np.array([0, 1, 0, 0, 1, 2, 3, 3, 2, 2, 3, 0, 1, 1, 0])[:, None]
    >>> model = CategoricalHMM(2, n_iter=100, random_state=1).fit(X)
    >>> model.predict(X)
    array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0])
    """

    emissionprob_: Array
    _letters: ClassVar = {"e": "emissionprob_"}

    def __init__(
        self,
        n_components: int = 1,
        startprob_prior: Any = 1.0,
        transmat_prior: Any = 1.0,
        *,
        emissionprob_prior: Any = 1.0,
        n_features: int | None = None,
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
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.emissionprob_prior = emissionprob_prior
        self.n_features = n_features
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
        if self.n_features is not None:
            whole_number("n_features", self.n_features, 1)

    def _training_rows(self, X: Any) -> Array:
        keeps = hasattr(self, "emissionprob_") and "e" not in self.init_params
        S = np.shape(self.emissionprob_)[1] if keeps else self.n_features
        return _symbols(table(self, X, reset=True, sparse=False), S)

    def _initialise_emission(self, rows: Array, lengths: NDArray[np.int64]) -> None:
        if self._initialises("e", "emissionprob_"):
            if not (rows >= 0).any():
                raise ValueError("X holds no symbol: all values are missing.")
            S = self.n_features if self.n_features is not None else int(np.nanmax(rows)) + 1
            # As in hmmlearn, an integer seed is used a second time.
            P = check_random_state(self.random_state).rand(self.n_components, S)
            self.emissionprob_ = P / P.sum(axis=1, keepdims=True)
        self.n_features = np.shape(self.emissionprob_)[1]

    def _emission_family(self, initial: Any) -> HmmlearnCategorical:
        return HmmlearnCategorical(initial, self.params, self.emissionprob_prior)

    def _adopt(self, emission: Any) -> None:
        self.emissionprob_ = np.exp(emission.log_probability)

    def _emission(self) -> CategoricalDensity:
        self._check_options()
        given = np.asarray(self.emissionprob_, dtype=np.float64)
        S = given.shape[1] if given.ndim == 2 else 1
        P = stochastic(given, (self.n_components, S), "emissionprob_")
        with np.errstate(divide="ignore"):
            return CategoricalDensity(np.log(P), (S,), open_ended=False)

    def _rows(self, X: Any) -> Array:
        return _symbols(table(self, X, reset=False, sparse=False), np.shape(self.emissionprob_)[1])

    def _draw(self, state: int, rng: np.random.RandomState) -> Any:
        return [int((np.cumsum(np.asarray(self.emissionprob_)[state]) > rng.rand()).argmax())]

    def _emission_parameters(self) -> int:
        K, S = np.shape(self.emissionprob_)
        return K * (S - 1)


def _symbols(X: Any, S: int | None) -> Array:
    """A column of symbols below S (any, where it is None), -1 or NaN where missing, or an error."""
    X = np.asarray(finite(X))
    rows = X.astype(np.float64, copy=False)
    if rows.shape[1] != 1:
        raise ValueError(f"X must have one column, of symbols 0, 1, ..., got {rows.shape[1]}; use X.reshape(-1, 1).")
    cells = X if X.dtype.kind == "i" else rows[~np.isnan(rows)]
    if cells.min(initial=0) < -1 or (cells.dtype.kind == "f" and (cells != np.floor(cells)).any()):
        raise ValueError("X must hold whole numbers from 0 on, or -1 or NaN for missing values.")
    largest = cells.max(initial=-1)
    if S is not None and largest >= S:
        raise ValueError(f"X holds the symbol {int(largest)}, but the states emit 0 to {S - 1}.")
    return np.ascontiguousarray(rows)
