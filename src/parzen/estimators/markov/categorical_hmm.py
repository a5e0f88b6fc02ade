"""The hidden Markov model of symbols, by hmmlearn's names."""

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from parzen.compute.arrays import Array
from parzen.densities.categorical import CategoricalDensity
from parzen.densities.hmm import HMMDensity
from parzen.densities.transition_matrix import probabilities
from parzen.estimators.base.validation import finite, table
from parzen.estimators.markov.hmmlearn import BaseHmmlearn, number
from parzen.families.categorical import Categorical
from parzen.families.hmm import shares
from parzen.statistics.counts import Counts


class CategoricalHMM(BaseHmmlearn):
    """Hidden Markov model of symbols 0, 1, ...: a drop-in for hmmlearn's, which takes missing cells (-1 or NaN).

    With the same seed it begins where hmmlearn does, and has the same likelihood after each step. For symbols of any
    kind use ``HiddenMarkov(Categorical(), k)``.

    Parameters
    ----------
    n_components : int
    startprob_prior, transmat_prior, emissionprob_prior : float or array
        Concentrations of Dirichlet priors; 1 is none.
    n_features : int, optional
        How many symbols there are; by default as many as the rows of a fit show.
    algorithm, random_state, n_iter, tol, verbose, implementation : see `GaussianHMM`
    params, init_params : str
        Which parameters a fit changes, and which it begins anew: "s" for `startprob_`, "t" for `transmat_`, "e" for
        `emissionprob_`.

    Attributes
    ----------
    startprob_ : array of shape (K,)
    transmat_ : array of shape (K, K)
    emissionprob_ : array of shape (K, S)
    monitor_ : with `history`, `iter`, `converged`

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

    def _emitted(self) -> CategoricalDensity:
        self._check()
        given = np.asarray(self.emissionprob_, dtype=np.float64)
        S = given.shape[1] if given.ndim == 2 else 1
        P = probabilities(given, (self.n_components, S), "emissionprob_")
        with np.errstate(divide="ignore"):
            return CategoricalDensity(np.log(P), (S,), open_ended=False)

    def _rows(self, X: Any, learning: bool = False) -> Any:
        rows = np.asarray(finite(table(self, X, reset=learning, sparse=False)), dtype=np.float64)
        if rows.shape[1] != 1:
            raise ValueError(
                f"X must have one column, of symbols 0, 1, ..., got {rows.shape[1]}; use X.reshape(-1, 1)."
            )
        there = rows[~np.isnan(rows)]
        if (there != np.floor(there)).any() or (there < -1).any():
            raise ValueError("X must hold whole numbers from 0 on, -1 or NaN where missing.")
        if not learning or (hasattr(self, "emissionprob_") and "e" not in self.init_params):
            known: int | None = np.shape(self.emissionprob_)[1]
        else:
            known = self.n_features
        if len(there) and known is not None and there.max() >= known:
            raise ValueError(f"X holds the symbol {int(there.max())}, but the states emit 0 to {known - 1}.")
        return np.ascontiguousarray(rows)

    def _begin(self, rows: Array, rng: np.random.RandomState) -> None:
        if self._begins("e", "emissionprob_"):
            if not (rows >= 0).any():
                raise ValueError("X holds no symbol: all cells are missing.")
            S = self.n_features if self.n_features is not None else int(np.nanmax(rows)) + 1
            # A seed begins anew, as in hmmlearn.
            P = check_random_state(self.random_state).rand(self.n_components, S)
            self.emissionprob_ = P / P.sum(axis=1, keepdims=True)

    def _check(self) -> None:
        super()._check()
        S = self.n_features
        if S is not None and (isinstance(S, bool) or not isinstance(S, int | np.integer) or S < 1):
            raise ValueError(f"n_features must be a whole number, at least 1, got {S!r}.")

    def _check_priors(self, begun: HMMDensity) -> None:
        super()._check_priors(begun)
        K, S = np.shape(self.emissionprob_)
        number("emissionprob_prior", self.emissionprob_prior, (K, S))

    def _draw(self, state: int, rng: np.random.RandomState) -> Any:
        return [int((np.cumsum(np.asarray(self.emissionprob_)[state]) > rng.rand()).argmax())]

    def _seen_by(self) -> Categorical:
        return Categorical(estimate="ml", unseen="error")

    def _emission_after(self, seen: Counts, begun: CategoricalDensity) -> CategoricalDensity:
        if "e" not in self.params:
            return begun
        P = shares(seen.resized(begun.sizes).counts, self.emissionprob_prior, None)
        with np.errstate(divide="ignore"):
            return CategoricalDensity(np.log(P), begun.sizes, open_ended=False)

    def _adopt(self, found: Any) -> None:
        super()._adopt(found)
        self.emissionprob_ = np.exp(found.emission.log_probability)

    def _emission_parameters(self) -> int:
        K, S = np.shape(self.emissionprob_)
        return K * (S - 1)
