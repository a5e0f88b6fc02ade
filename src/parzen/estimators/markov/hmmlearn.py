"""What hmmlearn's models have in common: parameters that may be set, and steps that are its own."""

import sys
import warnings
from abc import abstractmethod
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.densities.density import Density
from parzen.densities.hmm import HMMDensity
from parzen.densities.transition_matrix import probabilities, stationary, structure
from parzen.estimators.base.estimator import row_count
from parzen.estimators.base.validation import transactional
from parzen.estimators.markov.online import OnlineFilter
from parzen.families.family import Family
from parzen.families.hmm import HMM, shares
from parzen.statistics.joint import Joint
from parzen.statistics.messages import caller_stacklevel
from parzen.storage.files import SaveMixin
from parzen.tables.sequences import check_lengths, refuse_nested


class Monitor:
    """How a fit went, as in hmmlearn: the log-likelihood before each step.

    Attributes
    ----------
    history : list of float
    iter : int
        How many steps were made.
    converged : bool
        Whether the last step raised the log-likelihood by less than `tol`, or was the last that was allowed.
    """

    _kept = ("tol", "n_iter", "verbose", "history", "iter")

    def __init__(self, tol: float, n_iter: int, verbose: bool) -> None:
        self.tol, self.n_iter, self.verbose = tol, n_iter, verbose
        self.history: list[float] = []
        self.iter = 0

    def report(self, log_prob: float) -> None:
        """Note the log-likelihood of one more step."""
        if self.verbose:
            gain = log_prob - self.history[-1] if self.history else float("nan")
            sys.stderr.write(f"{self.iter + 1:>10d} {log_prob:>16.8f} {gain:>+16.8f}\n")
        self.history.append(log_prob)
        self.iter += 1

    @property
    def converged(self) -> bool:
        """Whether to stop."""
        still = len(self.history) < 2 or self.history[-1] - self.history[-2] >= self.tol
        return self.iter == self.n_iter or not still

    def __repr__(self) -> str:
        return f"Monitor(history={self.history}, iter={self.iter}, tol={self.tol}, n_iter={self.n_iter})"


class BaseHmmlearn(SaveMixin, BaseEstimator):
    """What hmmlearn's models have in common. Parameters are attributes that may be set, before a fit or instead."""

    startprob_: Array
    transmat_: Array

    #: Letters of the emission's parameters in `params` and `init_params`, and their names.
    _letters: ClassVar[dict[str, str]]

    n_components: int
    startprob_prior: Any
    transmat_prior: Any
    algorithm: str
    random_state: Any
    n_iter: int
    tol: float
    verbose: bool
    params: str
    init_params: str

    # What a model of some emissions says -----------------------------------------------------------------------------

    @abstractmethod
    def _emitted(self) -> Density:
        """The states' densities by the parameters, or an error."""

    @abstractmethod
    def _begin(self, rows: Any, rng: np.random.RandomState) -> None:
        """Set the emission's parameters that are to begin anew."""

    @abstractmethod
    def _seen_by(self) -> Family:
        """The family whose statistic is observed."""

    @abstractmethod
    def _emission_after(self, statistic: Any, begun: Any) -> Density:
        """Densities after a step; what is not in `params` stays as it begun."""

    @abstractmethod
    def _rows(self, X: Any, learning: bool = False) -> Any:
        """Rows that were checked."""

    @abstractmethod
    def _emission_parameters(self) -> int:
        """How many numbers the emissions have."""

    # Fitting ---------------------------------------------------------------------------------------------------------

    @transactional
    def fit(self, X: Any, lengths: Any = None) -> None:
        """Fit by Baum and Welch, from the parameters that are set and not in `init_params`.

        Parameters
        ----------
        X : array of shape (n, d), rows in their order
        lengths : how long the sequences are; by default all rows are one

        Returns
        -------
        self
        """
        self._check()
        refuse_nested(X)
        rows = self._rows(X, learning=True)
        cut = check_lengths(lengths, len(rows))
        K = self.n_components
        if len(rows) < K:
            raise ValueError(f"there are fewer rows (n_samples = {len(rows)}) than states ({K}); ask for fewer.")
        rng = self._random(self.random_state)
        if self._begins("s", "startprob_"):
            self.startprob_ = rng.dirichlet(np.full(K, 1.0 / K))
        if self._begins("t", "transmat_"):
            self.transmat_ = rng.dirichlet(np.full(K, 1.0 / K), size=K)
        self._begin(rows, rng)
        begun = density = self._density()
        self._check_priors(begun)
        if type(self.monitor_) is Monitor:
            self.monitor_ = Monitor(self.tol, self.n_iter, self.verbose)
        monitor = self.monitor_
        monitor.iter = 0
        monitor.history.clear()
        family = HMM(self._seen_by(), K, cut)
        for _ in range(self.n_iter):
            seen = family.observe(rows, None, density)
            density = self._after(seen.statistic, begun)  # type: ignore[arg-type]
            monitor.report(float(seen.log_likelihood.sum()))
            if monitor.converged:
                break
        self._adopt(density)
        self._left = {name: getattr(self, name) for name in ("startprob_", "transmat_", *self._letters.values())}

    @property
    def monitor_(self) -> Monitor:
        """How the last fit went; one's own, with `report` and `converged`, may be set before a fit."""
        if not hasattr(self, "_monitor"):
            self._monitor = Monitor(self.tol, self.n_iter, self.verbose)
        return self._monitor

    @monitor_.setter
    def monitor_(self, monitor: Any) -> None:
        self._monitor = monitor

    def _check(self) -> None:
        K, most = self.n_components, self.n_iter
        if isinstance(K, bool) or not isinstance(K, int | np.integer) or K < 1:
            raise ValueError(f"n_components must be a whole number, at least 1, got {K!r}.")
        if isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 0:
            raise ValueError(f"n_iter must be a whole number, at least 0, got {most!r}.")
        choose("algorithm", self.algorithm, ("viterbi", "map"))

        letters = {"s", "t", *self._letters}
        for name in ("params", "init_params"):
            given = getattr(self, name)
            if not isinstance(given, str) or set(given) - letters:
                raise ValueError(f"{name} must be text of the letters {''.join(sorted(letters))!r}, got {given!r}.")
        if isinstance(self.tol, bool) or not isinstance(self.tol, Real) or np.isnan(float(self.tol)):
            raise ValueError(f"tol must be a number, got {self.tol!r}.")

    @abstractmethod
    def _check_priors(self, begun: HMMDensity) -> None:
        """Raise where a prior does not fit the parameters."""
        K = begun.size
        number("startprob_prior", self.startprob_prior, (K,))
        number("transmat_prior", self.transmat_prior, (K, K))

    @staticmethod
    def _random(random_state: Any) -> np.random.RandomState:
        if isinstance(random_state, np.random.Generator):
            return np.random.RandomState(int(random_state.integers(2**31)))
        return check_random_state(random_state)

    def _begins(self, letter: str, name: str) -> bool:
        if letter not in self.init_params:
            return not hasattr(self, name)
        if hasattr(self, name) and getattr(self, name) is not getattr(self, "_left", {}).get(name):
            warnings.warn(
                f"{name.strip('_')}_ was set, and is begun anew because init_params contains {letter!r}; leave it out "
                "there to begin with what was set.",
                UserWarning,
                stacklevel=caller_stacklevel(),
            )
        return True

    def _after(self, seen: Joint, begun: HMMDensity) -> HMMDensity:
        first, pairs, inner = seen.parts
        K = begun.size
        start, transition = begun.start, begun.transition
        if "s" in self.params:
            start = shares(first.counts, self.startprob_prior, start > 0)[0]  # type: ignore[attr-defined]
        if "t" in self.params:
            counts = pairs.counts.reshape(K, K)  # type: ignore[attr-defined]
            transition = shares(counts, self.transmat_prior, transition > 0)
        return HMMDensity(self._emission_after(inner, begun.emission), start, transition, begun.lengths)

    def _adopt(self, found: Any) -> None:
        self.startprob_, self.transmat_ = found.start, found.transition

    # What is known ---------------------------------------------------------------------------------------------------

    def _density(self) -> HMMDensity:
        for name in ("startprob_", "transmat_", *self._letters.values()):
            check_is_fitted(self, name)
        K = self.n_components
        start = probabilities(self.startprob_, (K,), "startprob_")
        return HMMDensity(self._emitted(), start, probabilities(self.transmat_, (K, K), "transmat_"))

    def _read(self, X: Any, lengths: Any) -> tuple[HMMDensity, Any, NDArray[np.int64]]:
        density = self._density()
        refuse_nested(X)
        rows = self._rows(X)
        return density, rows, check_lengths(lengths, len(rows))

    def score(self, X: Any, lengths: Any = None) -> float:
        """Log-likelihood of all sequences."""
        density, rows, cut = self._read(X, lengths)
        return float(density.filtered(rows, cut)[1].sum())

    def score_samples(self, X: Any, lengths: Any = None) -> tuple[float, Array]:
        """Log-likelihood of all sequences, and the probability of each state at each row, (n, K)."""
        density, rows, cut = self._read(X, lengths)
        found = density.smoothed(rows, cut)
        return float(found.log_likelihood.sum()), found.posterior

    def predict_proba(self, X: Any, lengths: Any = None) -> Array:
        """Probability of each state at each row, given its whole sequence (smoothing), (n, K)."""
        return self.score_samples(X, lengths)[1]

    def filter(self, X: Any, lengths: Any = None) -> Array:
        """Probability of each state at each row, given the rows so far, (n, K)."""
        density, rows, cut = self._read(X, lengths)
        return density.filtered(rows, cut)[0]

    def follow(self, X: Any = None) -> OnlineFilter:
        """Follow one sequence online: a `parzen.OnlineFilter` that has seen the rows of X, if there are any."""
        from copy import copy

        follower = OnlineFilter(self._density(), copy(self)._rows, np.asarray)  # of the model as it is now
        if X is not None:
            follower.update(X)
        return follower

    def decode(self, X: Any, lengths: Any = None, algorithm: str | None = None) -> tuple[float, NDArray[np.int64]]:
        """The likeliest states, and the logarithm of their joint density with the rows.

        Parameters
        ----------
        algorithm : "viterbi" or "map", optional
            The likeliest path, or the likeliest state at each row (then the first number is the sum of their
            probabilities, as in hmmlearn). By default that of the model.
        """
        algorithm = self.algorithm if algorithm is None else algorithm
        choose("algorithm", algorithm, ("viterbi", "map"))
        density, rows, cut = self._read(X, lengths)
        if algorithm == "viterbi":
            return density.path(rows, cut)
        posterior = density.smoothed(rows, cut).posterior
        return float(posterior.max(axis=1).sum()), posterior.argmax(axis=1)

    def predict(self, X: Any, lengths: Any = None) -> NDArray[np.int64]:
        """The likeliest states by `algorithm`, (n,)."""
        return self.decode(X, lengths)[1]

    def sample(
        self, n_samples: int = 1, random_state: Any = None, currstate: int | None = None
    ) -> tuple[Array, NDArray[np.int64]]:
        """A sequence of rows and their states; `currstate` is the first of them, if given."""
        density, n = self._density(), row_count(n_samples)
        rng = self._random(self.random_state if random_state is None else random_state)
        first, then = np.cumsum(density.start), np.cumsum(density.transition, axis=1)
        if currstate is None:
            currstate = int((first > rng.rand()).argmax())
        elif (
            isinstance(currstate, bool)
            or not isinstance(currstate, int | np.integer)
            or not 0 <= currstate < len(first)
        ):
            raise ValueError(f"currstate must be a state from 0 to {len(first) - 1}, got {currstate!r}.")
        states, rows = [int(currstate)], [self._draw(int(currstate), rng)]
        for _ in range(n - 1):
            states.append(int((then[states[-1]] > rng.rand()).argmax()))
            rows.append(self._draw(states[-1], rng))
        return np.atleast_2d(rows), np.array(states)

    @abstractmethod
    def _draw(self, state: int, rng: np.random.RandomState) -> Any:
        """A row of a state, by hmmlearn's draws."""

    def get_stationary_distribution(self) -> Array:
        """The share of time in each state in the long run, (K,)."""
        check_is_fitted(self, "transmat_")
        P = probabilities(self.transmat_, (self.n_components,) * 2, "transmat_")
        if sum(structure(P).recurrent) > 1:
            raise ValueError(f"there is no unique stationary distribution: {structure(P).text(list(range(len(P))))}.")
        return stationary(P)

    def _size(self) -> int:
        K = self.n_components
        return K - 1 + K * (K - 1) + self._emission_parameters()

    def aic(self, X: Any, lengths: Any = None) -> float:
        """Akaike's information criterion; low is good."""
        score = self.score(X, lengths)
        return 2.0 * self._size() - 2.0 * score

    def bic(self, X: Any, lengths: Any = None) -> float:
        """Bayesian information criterion; low is good."""
        density, rows, cut = self._read(X, lengths)
        return self._size() * float(np.log(len(rows))) - 2.0 * float(density.filtered(rows, cut)[1].sum())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def number(name: str, given: Any, shape: tuple[int, ...]) -> Array:
    """A parameter as numbers of a shape, none negative, or an error that names it."""
    try:
        found = np.broadcast_to(np.asarray(given, dtype=np.float64), shape)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, or numbers of the shape {shape}, got {given!r}.") from None
    if not (found >= 0).all() or not np.isfinite(found).all():
        raise ValueError(f"{name} must be finite and not negative, got {given!r}.")
    return np.asarray(found)
