"""What hmmlearn's models share: parameters that may be set, and inference from them."""

import logging
from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.densities.chain_structure import structure
from parzen.densities.density import Density
from parzen.densities.hmm import HMMDensity
from parzen.densities.transition_matrix import stationary, stochastic
from parzen.estimators.base.tensors import TensorMixin
from parzen.estimators.base.validation import check_fitted, row_count, transactional
from parzen.estimators.markov.baum_welch import HmmlearnHMM, baum_welch
from parzen.estimators.markov.checks import refuse_source, whole_number
from parzen.estimators.markov.column_count import ColumnCount
from parzen.estimators.markov.monitor import Monitor
from parzen.estimators.markov.online_filter import OnlineFilter
from parzen.estimators.markov.starts import cluster_transitions, state_clusters
from parzen.families.family import Family
from parzen.storage.files import SaveMixin
from parzen.tables.sequences import check_lengths, refuse_nested

LOG = logging.getLogger(__name__)


class BaseHmmlearn(TensorMixin, SaveMixin, BaseEstimator):
    """Inference of hmmlearn's models. Parameters are attributes that a fit finds, or that are set instead."""

    startprob_: Array
    transmat_: Array

    #: Letters of the emission's parameters in `params` and `init_params`, and their attributes.
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

    @abstractmethod
    def _check_options(self) -> None:
        """Raise where a parameter is wrong."""

    def _check(self) -> None:
        """Raise where an option or a parameter that was set is wrong: hmmlearn's name, which its users call."""
        self._density()

    @abstractmethod
    def _training_rows(self, X: Any) -> Array:
        """Rows of a table to fit to, checked."""

    @abstractmethod
    def _initialise_emission(self, rows: Array, lengths: NDArray[np.int64]) -> None:
        """Initialise the parameters of the emissions that `init_params` asks for, as hmmlearn does."""

    @abstractmethod
    def _emission(self) -> Density:
        """The states' densities from the parameters, or an error."""

    @abstractmethod
    def _emission_family(self, initial: Any) -> Family:
        """The emissions' family with hmmlearn's M-step, from the initial densities."""

    @abstractmethod
    def _adopt(self, emission: Any) -> None:
        """Keep the parameters of fitted densities."""

    @abstractmethod
    def _rows(self, X: Any) -> Any:
        """Rows of a table, checked."""

    @abstractmethod
    def _draw(self, state: int, rng: np.random.RandomState) -> Any:
        """A row of a state, by hmmlearn's sequence of random numbers."""

    @abstractmethod
    def _emission_parameters(self) -> int:
        """Number of free parameters of the emissions."""

    @transactional
    def fit(self, X: Any, lengths: Any = None) -> None:
        """Fit by EM (Baum-Welch), from the parameters that are set and not in `init_params`.

        Parameters
        ----------
        X : array of shape (n, d), rows in their order
        lengths : lengths of the sequences; by default all rows are one sequence

        Returns
        -------
        self
        """
        self._check_options()
        refuse_source(self, X)
        refuse_nested(X)
        rows = self._training_rows(X)
        ColumnCount.check(self, rows.shape[1])
        cut = self._lengths(lengths, len(rows))
        self._initialise_chain()
        self._initialise_emission(rows, cut)
        initial = self._density()
        self._warn_of_few(rows)
        self._adopt(self._baum_welch(initial, self._emission_family(initial.emission), rows, cut).emission)
        self._remember_fit()

    # Parameters, before and after a fit ------------------------------------------------------------------------------

    @property
    def monitor_(self) -> Monitor:
        """Log-likelihoods of the last fit; a monitor of one's own, with `report` and `converged`, may be set."""
        if not hasattr(self, "_monitor"):
            self._monitor = Monitor(self.tol, self.n_iter, self.verbose)
        return self._monitor

    @monitor_.setter
    def monitor_(self, monitor: Any) -> None:
        self._monitor = monitor

    def _lengths(self, lengths: Any, n: int) -> NDArray[np.int64]:
        """Lengths of the training sequences, of n rows together."""
        cut = check_lengths(lengths, n)
        if n < self.n_components:
            raise ValueError(
                f"there are fewer rows (n_samples = {n}) than states ({self.n_components}); use fewer states."
            )
        return cut

    def _initialise_chain(self) -> None:
        """Draw the probabilities of the chain that `init_params` asks for, as hmmlearn does."""
        K, rng = self.n_components, random_state_of(self.random_state)
        if self._initialises("s", "startprob_"):
            self.startprob_ = rng.dirichlet(np.full(K, 1.0 / K))
        if self._initialises("t", "transmat_"):
            self.transmat_ = rng.dirichlet(np.full(K, 1.0 / K), size=K)

    def _initial_clusters(
        self, rows: Array, lengths: NDArray[np.int64], rng: np.random.Generator
    ) -> tuple[Array, NDArray[np.int32]]:
        """Centres (K, d) of the states' clusters, and the state of each row.

        What `init_params` asks for of the chain follows the clusters: transitions drawn by chance, most of them nearly
        zero, as in hmmlearn, keep EM from what the order of the rows says for many steps.
        """
        K, given = self.n_components, None if "t" in self.init_params else self._transitions()
        centre, codes = state_clusters(rows, K, given, rng)
        if given is None:
            self.transmat_ = cluster_transitions(codes, K, lengths)
        if "s" in self.init_params:
            self.startprob_ = np.full(K, 1.0 / K)
        return centre, codes

    def _initialises(self, letter: str, name: str) -> bool:
        if letter not in self.init_params:
            return not hasattr(self, name)
        if hasattr(self, name) and getattr(self, name) is not getattr(self, "_from_fit", {}).get(name):
            LOG.warning(
                "%s_ was set, but will be overwritten: init_params contains %r; remove that letter to start from the "
                "value that was set.",
                name.strip("_"),
                letter,
            )
        return True

    def _warn_of_few(self, rows: Array) -> None:
        if rows.size < self._n_parameters():
            LOG.warning(
                "the model has %d free parameters, but X only %d values: the fit will be degenerate; use fewer states.",
                self._n_parameters(),
                rows.size,
            )

    def _baum_welch(self, initial: HMMDensity, emission: Any, rows: Array, lengths: NDArray[np.int64]) -> HMMDensity:
        """The density that EM finds from the initial one; the parameters of its chain are kept."""
        family = self._chain_family(initial, emission, lengths)
        if type(self.monitor_) is Monitor:
            self.monitor_ = Monitor(self.tol, self.n_iter, self.verbose)
        found = baum_welch(family, rows, self.monitor_, self.n_iter)
        self.startprob_, self.transmat_ = found.start, found.transition
        return found

    def _chain_family(self, initial: HMMDensity, emission: Any, lengths: NDArray[np.int64]) -> HmmlearnHMM:
        """The family with hmmlearn's M-step, its priors checked."""
        family = HmmlearnHMM(initial, emission, lengths, self.params, self.startprob_prior, self.transmat_prior)
        family.check()
        return family

    def _remember_fit(self) -> None:
        """Remember which parameters come from a fit, not from the user."""
        self._from_fit = {name: getattr(self, name) for name in ("startprob_", "transmat_", *self._letters.values())}

    def _density(self) -> HMMDensity:
        for name in ("startprob_", "transmat_", *self._letters.values()):
            check_fitted(self, name)
        start = stochastic(self.startprob_, (self.n_components,), "startprob_")
        return HMMDensity(self._emission(), start, self._transitions())

    def _transitions(self) -> Array:
        return stochastic(self.transmat_, (self.n_components,) * 2, "transmat_")

    # Inference -------------------------------------------------------------------------------------------------------

    def _read(self, X: Any, lengths: Any) -> tuple[HMMDensity, Any, NDArray[np.int64]]:
        density = self._density()
        refuse_source(self, X)
        refuse_nested(X)
        rows = self._rows(X)
        return density, rows, check_lengths(lengths, len(rows))

    def score(self, X: Any, lengths: Any = None) -> float:
        """Log-likelihood of all sequences: the sum over them, not the mean."""
        density, rows, cut = self._read(X, lengths)
        return float(density.filtered(rows, cut)[1].sum())

    def score_samples(self, X: Any, lengths: Any = None) -> tuple[float, Array]:
        """Log-likelihood of all sequences (a sum), and posterior probability of each state at each row, (n, K)."""
        density, rows, cut = self._read(X, lengths)
        found = density.smoothed(rows, cut)
        return float(found.log_likelihood.sum()), found.posterior

    def predict_proba(self, X: Any, lengths: Any = None) -> Array:
        """Posterior probability of each state at each row, given its whole sequence (smoothing), (n, K)."""
        return self.score_samples(X, lengths)[1]

    def filter(self, X: Any, lengths: Any = None) -> Array:
        """Posterior probability of each state at each row, given the rows up to it (filtering), (n, K)."""
        density, rows, cut = self._read(X, lengths)
        return density.filtered(rows, cut)[0]

    def online_filter(self, X: Any = None) -> OnlineFilter:
        """A filter for one sequence that is read row by row, updated with the rows of X if there are any."""
        from copy import copy

        online = OnlineFilter(self._density(), copy(self)._rows, np.asarray)  # of the parameters as they are now
        if X is not None:
            online.update(X)
        return online

    def decode(self, X: Any, lengths: Any = None, algorithm: str | None = None) -> tuple[float, NDArray[np.int64]]:
        """The most likely states, and the log of their joint density with the rows.

        Parameters
        ----------
        algorithm : "viterbi" or "map", optional
            The most likely path, or the most likely state at each row (then the first number is the sum of their
            probabilities, as in hmmlearn). By default the model's `algorithm`.
        """
        algorithm = self.algorithm if algorithm is None else algorithm
        choose("algorithm", algorithm, ("viterbi", "map"))
        density, rows, cut = self._read(X, lengths)
        if algorithm == "viterbi":
            return density.path(rows, cut)
        posterior = density.smoothed(rows, cut).posterior
        return float(posterior.max(axis=1).sum()), posterior.argmax(axis=1)

    def predict(self, X: Any, lengths: Any = None) -> NDArray[np.int64]:
        """The most likely states by `algorithm`, (n,)."""
        return self.decode(X, lengths)[1]

    def sample(
        self, n_samples: int = 1, random_state: Any = None, currstate: int | None = None
    ) -> tuple[Array, NDArray[np.int64]]:
        """Draw a sequence of rows and their states; `currstate` is the first state, if given."""
        density, n = self._density(), row_count(n_samples)
        rng = random_state_of(self.random_state if random_state is None else random_state)
        first, then = np.cumsum(density.start), np.cumsum(density.transition, axis=1)
        if currstate is None:
            currstate = int((first > rng.rand()).argmax())
        elif whole_number("currstate", currstate, 0) >= len(first):
            raise ValueError(f"currstate must be a state from 0 to {len(first) - 1}, got {currstate!r}.")
        states, rows = [int(currstate)], [self._draw(int(currstate), rng)]
        for _ in range(n - 1):
            states.append(int((then[states[-1]] > rng.rand()).argmax()))
            rows.append(self._draw(states[-1], rng))
        return np.atleast_2d(rows), np.array(states)

    def get_stationary_distribution(self) -> Array:
        """Stationary distribution of the hidden chain, (K,)."""
        check_fitted(self, "transmat_")
        P = self._transitions()
        if sum(structure(P).recurrent) > 1:
            raise ValueError(f"there is no unique stationary distribution: {structure(P).text(list(range(len(P))))}.")
        return stationary(P)

    def _n_parameters(self) -> int:
        K = self.n_components
        return K - 1 + K * (K - 1) + self._emission_parameters()

    def aic(self, X: Any, lengths: Any = None) -> float:
        """Akaike information criterion; lower is better."""
        score = self.score(X, lengths)
        return 2.0 * self._n_parameters() - 2.0 * score

    def bic(self, X: Any, lengths: Any = None) -> float:
        """Bayesian information criterion; lower is better."""
        density, rows, cut = self._read(X, lengths)
        return self._n_parameters() * float(np.log(len(rows))) - 2.0 * float(density.filtered(rows, cut)[1].sum())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def random_state_of(random_state: Any) -> np.random.RandomState:
    """NumPy's older generator, whose numbers hmmlearn draws, from any kind of random state."""
    if isinstance(random_state, np.random.Generator):
        return np.random.RandomState(int(random_state.integers(2**31)))
    return check_random_state(random_state)
