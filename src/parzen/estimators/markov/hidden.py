"""Hidden Markov models over any family of emissions."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.densities.categorical import CategoricalDensity
from parzen.densities.counts import PoissonDensity
from parzen.densities.density import Density
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.hmm import HMMDensity
from parzen.densities.transition_matrix import probabilities
from parzen.estimators.base.estimator import BaseFamilyEstimator, generator, row_count
from parzen.estimators.base.validation import finite, table, transactional
from parzen.estimators.markov.online import OnlineFilter, step_count
from parzen.families.categorical import Categorical
from parzen.families.counts import Poisson
from parzen.families.family import Family
from parzen.families.fit import Fit, fit
from parzen.families.gaussian import Gaussian
from parzen.families.hmm import HMM
from parzen.tables.schema import learn
from parzen.tables.sequences import check_lengths, refuse_nested

TOPOLOGIES = ("ergodic", "left-right")


class HiddenMarkov(BaseFamilyEstimator):
    """Rows that follow one another, each from the density of a hidden state: fitted by Baum and Welch.

    Parameters
    ----------
    emission : Family, optional
        What a state emits; by default ``Gaussian()``. Any family or mixture: ``Categorical()``, ``Poisson()``,
        ``Product({...})``, ``Mixture(Gaussian(), 2)``; by point estimates, as in `parzen.Mixture`.
    n_components : int
    topology : "ergodic", "left-right", or array of bool of shape (K, K)
        Which transitions are possible: all; to the same state and the next, beginning in the first; or those that are
        marked. What is not stays at zero.
    start_prior, transition_prior : float
        Concentrations of Dirichlet priors of the first state and of each state's transitions; 1 is none.
    n_init : int
        How many starts are tried; the one that leads highest is kept.
    max_iter, tol : int, float
        Most steps, and least rise of the log-likelihood for each row.
    accelerate : bool
        Whether leaps are made between steps.
    random_state : int, RandomState instance or None

    Attributes
    ----------
    start_ : array of shape (K,)
    transition_ : array of shape (K, K)
    density_ : HMMDensity
        With the states' densities in `emission`.
    log_likelihoods_ : tuple of float
        Of each step.
    n_iter_, outcome_ :
        See `parzen.Fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import Gaussian, HiddenMarkov
    >>> rng = np.random.default_rng(0)
    >>> calm, wild = rng.normal(0, 1, (300, 1)), rng.normal(0, 4, (200, 1))
    >>> X = np.vstack([calm[:150], wild[:100], calm[150:], wild[100:]])
    >>> model = HiddenMarkov(Gaussian(), 2, n_init=3, random_state=0).fit(X)
    >>> states = model.predict(X)
    >>> bool((states[:140] == states[0]).all() and (states[160:240] != states[0]).all())
    True
    >>> np.diag(model.transition_).round(2).tolist()
    [0.99, 0.99]
    """

    _holds_families = True
    _steps = ("max_iter", "tol", "accelerate")

    def __init__(
        self,
        emission: Family | None = None,
        n_components: int = 2,
        *,
        topology: Any = "ergodic",
        start_prior: float = 1.0,
        transition_prior: float = 1.0,
        n_init: int = 1,
        max_iter: int = 200,
        tol: float = 1e-6,
        accelerate: bool = True,
        random_state: Any = None,
    ) -> None:
        self.emission = emission
        self.n_components = n_components
        self.topology = topology
        self.start_prior = start_prior
        self.transition_prior = transition_prior
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.accelerate = accelerate
        self.random_state = random_state

    @classmethod
    def from_parameters(
        cls, start: ArrayLike, transition: ArrayLike, emission: Density, family: Family | None = None
    ) -> Self:
        """A hidden chain whose parameters are known: it scores, predicts, follows and draws as a fitted one does.

        Parameters
        ----------
        start : array of shape (K,), which sums to 1
        transition : array of shape (K, K), whose rows do
        emission : Density
            K densities, one for each state, such as ``fit(Gaussian(), X, Labels(states)).density``.
        family : Family, optional
            What they were estimated by: for `aic`, `bic` and another `fit`. By default what they look like.

        Examples
        --------
        >>> import numpy as np
        >>> from parzen import Gaussian, HiddenMarkov, Labels, fit
        >>> seen = fit(Gaussian(), np.array([[0.0], [1.0], [8.0], [9.0]]), Labels([0, 0, 1, 1])).density
        >>> model = HiddenMarkov.from_parameters([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], seen)
        >>> model.predict([[0.3], [0.8], [8.8]])
        array([0, 0, 1])
        """
        if not isinstance(emission, Density):
            raise TypeError(f"emission must be a Density of K groups, got {type(emission).__name__}.")
        K, d = emission.shape
        model = cls(_family_of(emission) if family is None else family, K)
        model.density_ = HMMDensity(
            emission, probabilities(start, (K,), "start"), probabilities(transition, (K, K), "transition")
        )
        model.given_ = model._family()
        model.family_, model.schema_ = model.given_, learn(HMM(None, K), np.zeros((1, d)))[1]
        model.n_features_in_ = d
        model.n_iter_, model.outcome_, model.log_likelihoods_ = 0, "converged", ()
        return model

    def _family(self) -> HMM:
        emission = Gaussian() if self.emission is None else self.emission
        if not isinstance(emission, Family):
            raise TypeError(f"emission must be a family such as Gaussian(), got {type(emission).__name__}.")
        for name in ("n_components", "n_init"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
                raise ValueError(f"{name} must be a whole number, at least 1, got {value!r}.")
        for name in ("start_prior", "transition_prior"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 1 <= value < np.inf:
                raise ValueError(f"{name} must be a number, at least 1 (which is no prior), got {value!r}.")
        first, ways = self._allowed()
        return HMM(
            emission, int(self.n_components), None, first, ways, float(self.start_prior), float(self.transition_prior)
        )

    def _allowed(self) -> tuple[NDArray[np.bool_] | None, NDArray[np.bool_] | None]:
        K = int(self.n_components)
        if isinstance(self.topology, str):
            if self.topology not in TOPOLOGIES:
                raise ValueError(
                    f"topology must be 'ergodic', 'left-right', or an array of ({K}, {K}), got {self.topology!r}."
                )
            if self.topology == "ergodic":
                return None, None
            return np.arange(K) == 0, np.eye(K, dtype=bool) | np.eye(K, k=1, dtype=bool)
        try:
            ways = np.asarray(self.topology, dtype=np.float64)
        except (TypeError, ValueError):
            ways = np.empty(0)
        if ways.shape != (K, K) or not (ways >= 0).all() or not (ways > 0).any(axis=1).all():
            raise ValueError(
                f"topology must be 'ergodic', 'left-right', or an array of ({K}, {K}) with a way out of every state, "
                f"got {self.topology!r}."
            )
        return None, ways > 0

    @transactional
    def fit(self, X: Any, y: Any = None, *, lengths: Any = None, sample_weight: ArrayLike | None = None) -> None:
        """Fit the chain and the states' densities to sequences of rows.

        Parameters
        ----------
        X : table of shape (n, d), rows in their order
        y : array of shape (n,), optional
            States of rows that are known, from 0 on; -1 of the others.
        lengths : how long the sequences are; by default all rows are one
        sample_weight : array, optional
            A weight for each sequence.

        Returns
        -------
        self
        """
        refuse_nested(X)
        X = table(self, X, reset=True, sparse=False)
        n = X.shape[0]
        cut = check_lengths(lengths, n)
        if n < self._family().n_components:
            raise ValueError(
                f"there are fewer rows (n_samples = {n}) than states ({self.n_components}); ask for fewer."
            )
        rows = self._bind(X)
        family = replace(self.family_, lengths=cut, states=self._known(y, n))
        w = self._weights(sample_weight, cut)
        rng = generator(self.random_state)
        best: Fit | None = None
        for _ in range(int(self.n_init)):
            options = {name: getattr(self, name) for name in self._steps}
            found: Fit = self._reading(rows, fit, family, rows, w, rng=rng, **options)
            if best is None or found.objective[-1] > best.objective[-1]:
                best = found
        assert best is not None
        self._warn(best)
        self._keep(replace(best.density, lengths=None), best.statistic, best)  # type: ignore[type-var]
        self.log_likelihoods_ = best.log_likelihoods

    def _known(self, y: Any, n: int) -> NDArray[np.int64] | None:
        if y is None:
            return None
        states = np.asarray(y)
        wanted = f"y must be {n} states from 0 to {self.n_components - 1}, -1 or NaN where they are not known"
        if states.shape != (n,):
            raise ValueError(
                f"{wanted}, got the shape {states.shape}; lengths of sequences are given by name: lengths=."
            )
        try:
            numbers = states.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{wanted}, got {states[0]!r}.") from None
        numbers = np.where(np.isnan(numbers), -1.0, numbers)
        off = (numbers != np.floor(numbers)) | (numbers < -1) | (numbers >= self.n_components)
        if off.any():
            raise ValueError(f"{wanted}, got {states[off][0]!r}.")
        return numbers.astype(np.int64)

    @staticmethod
    def _weights(sample_weight: Any, lengths: NDArray[np.int64]) -> Array | None:
        if sample_weight is None:
            return None
        w = np.asarray(sample_weight, dtype=np.float64)
        if w.shape != lengths.shape or not (np.isfinite(w).all() and (w > 0).all()):
            raise ValueError(f"sample_weight must be {len(lengths)} numbers above 0, one for each sequence.")
        return np.repeat(w, lengths)

    # What is known --------------------------------------------------------------------------------------------------

    @property
    def _chain(self) -> HMMDensity:
        check_is_fitted(self, "density_")
        assert isinstance(self.density_, HMMDensity)
        return self.density_

    @property
    def start_(self) -> Array:
        """Probability of each state at the beginning."""
        return self._chain.start

    @property
    def transition_(self) -> Array:
        """Probability of each state after each."""
        return self._chain.transition

    def _read(self, X: Any, lengths: Any) -> tuple[Any, NDArray[np.int64]]:
        """Rows, and lengths of the sequences."""
        check_is_fitted(self, "density_")
        refuse_nested(X)
        rows = finite(self._later(X))
        return rows, check_lengths(lengths, rows.shape[0])

    def score_samples(self, X: Any, *, lengths: Any = None) -> Array:
        """Log-density of each row given those before it in its sequence, (n,)."""
        return self._chain.filtered(*self._read(X, lengths))[1]

    def score(self, X: Any, y: Any = None, *, lengths: Any = None) -> float:
        """Log-likelihood of all sequences, as in hmmlearn."""
        scores = self.score_samples(X, lengths=lengths)
        if y is not None and np.shape(y) != scores.shape:
            raise ValueError("y is not used, and is not one for each row; lengths are given by name: lengths=.")
        return float(scores.sum())

    def predict_proba(self, X: Any, *, lengths: Any = None) -> Array:
        """Probability of each state at each row, given its whole sequence (smoothing), (n, K)."""
        return self._chain.smoothed(*self._read(X, lengths)).posterior

    def filter(self, X: Any, *, lengths: Any = None) -> Array:
        """Probability of each state at each row, given the rows so far, (n, K)."""
        return self._chain.filtered(*self._read(X, lengths))[0]

    def ahead(self, X: Any, steps: int = 1, *, lengths: Any = None) -> Array:
        """Probability of each state so many steps after each row, given the rows so far, (n, K)."""
        return self.filter(X, lengths=lengths) @ np.linalg.matrix_power(self.transition_, step_count(steps))

    def follow(self, X: Any = None) -> OnlineFilter:
        """Follow one sequence online: a `OnlineFilter` that has seen the rows of X, if there are any."""
        follower = OnlineFilter(self._chain, self._later, self.schema_.decode)
        if X is not None:
            follower.update(X)
        return follower

    def predict(self, X: Any, *, lengths: Any = None) -> NDArray[np.int64]:
        """The likeliest path of states (Viterbi), (n,)."""
        return self.decode(X, lengths=lengths)[1]

    def decode(self, X: Any, *, lengths: Any = None) -> tuple[float, NDArray[np.int64]]:
        """Logarithm of the joint density of rows and their likeliest path, and that path."""
        return self._chain.path(*self._read(X, lengths))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> tuple[Any, NDArray[np.int64]]:
        """A sequence of rows, as a table of the kind that was fitted, and their states."""
        rows, states = self._chain.draw(row_count(n_samples), generator(random_state))
        return self.schema_.decode(rows), states

    def aic(self, X: Any, *, lengths: Any = None) -> float:
        """Akaike's information criterion; low is good."""
        score = self.score(X, lengths=lengths)
        return 2.0 * self.family_.n_parameters(self._chain) - 2.0 * score

    def bic(self, X: Any, *, lengths: Any = None) -> float:
        """Bayesian information criterion; low is good."""
        scores = self.score_samples(X, lengths=lengths)
        return self.family_.n_parameters(self._chain) * float(np.log(len(scores))) - 2.0 * float(scores.sum())


def _family_of(emission: Density) -> Family:
    """The family that densities look like."""
    if isinstance(emission, GaussianDensity):
        return Gaussian("full" if emission.factor.ndim == 3 else "diag")
    if isinstance(emission, CategoricalDensity):
        return Categorical(unseen="new" if emission.open_ended else "error")
    if isinstance(emission, PoissonDensity):
        return Poisson()
    raise TypeError(f"the family of a {type(emission).__name__} must be given: family=.")
