"""Hidden Markov models over any family of emissions."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from parzen.densities.categorical import CategoricalDensity
from parzen.densities.density import Density
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.hmm import HMMDensity
from parzen.densities.poisson import PoissonDensity
from parzen.densities.transition_matrix import stochastic
from parzen.estimators.base.estimator import BaseFamilyEstimator, FirstRows
from parzen.estimators.base.sources import SourceTable, takes_sequences
from parzen.estimators.base.validation import finite, generator, transactional
from parzen.estimators.markov.checks import known_states, refuse_lengths_as_y, row_weights, whole_number
from parzen.estimators.markov.inference import HMMInferenceMixin
from parzen.estimators.markov.topology import allowed
from parzen.families.categorical import Categorical
from parzen.families.family import Family
from parzen.families.fit import Fit, fit
from parzen.families.gaussian import Gaussian
from parzen.families.hmm import HMM
from parzen.families.hmm_batches import MarkedHMM, MarkedRows
from parzen.families.poisson import Poisson
from parzen.tables.first_table import learn
from parzen.tables.sequences import check_lengths, refuse_nested
from parzen.tables.sources.source import Source
from parzen.tables.sources.whole import check_not_cut


@dataclass(frozen=True, eq=False)
class FiniteFirstRows(FirstRows):
    """Encodes pieces of the first table, of which no cell is infinite."""

    def __call__(self, piece: Any) -> Any:
        return finite(super().__call__(piece))


class HiddenMarkov(HMMInferenceMixin, BaseFamilyEstimator):
    r"""Hidden Markov model: a Markov chain of hidden states, each of which emits rows from a density of its own.

    :math:`p(x) = \sum_z \pi_{z_1} \prod_t A_{z_{t - 1} z_t} \prod_t p(x_t | z_t)`, fitted by EM (Baum-Welch).

    Parameters
    ----------
    emission : Family, optional
        The family of the states' densities; by default ``Gaussian()``. Any family or mixture: ``Categorical()``,
        ``Poisson()``, ``Product({...})``, ``Mixture(Gaussian(), 2)``; by point estimates, as in `parzen.Mixture`.
    n_components : int
        Number of states K.
    topology : "ergodic", "left-right", or array of bool of shape (K, K)
        Possible transitions: all; to the same state and the next, starting in the first; or those that are marked.
        The probabilities of the others stay at zero.
    start_prior, transition_prior : float
        Concentrations of Dirichlet priors of the first state and of each state's transitions; 1 is none.
    n_init : int
        Number of initialisations; the fit of the highest objective is kept.
    max_iter, tol : int, float
        Most EM steps, and the rise of the log-likelihood per row below which EM stops.
    accelerate : bool
        Whether EM is accelerated by SQUAREM.
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
    _fit_options = ("max_iter", "tol", "accelerate")

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
        """A model with given parameters, which needs no fit.

        Parameters
        ----------
        start : array of shape (K,), which sums to 1
        transition : array of shape (K, K), whose rows sum to 1
        emission : Density
            K densities, one for each state, such as ``fit(Gaussian(), X, Labels(states)).density``.
        family : Family, optional
            Their family, for `aic`, `bic` and a later `fit`; by default that of the densities' type.

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
            raise TypeError(f"emission must be a Density, one for each state, got {type(emission).__name__}.")
        K, d = emission.shape
        model = cls(_family_of(emission) if family is None else family, K)
        model.density_ = HMMDensity(
            emission, stochastic(start, (K,), "start"), stochastic(transition, (K, K), "transition")
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
        K = whole_number("n_components", self.n_components, 1)
        whole_number("n_init", self.n_init, 1)
        for name in ("start_prior", "transition_prior"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 1 <= value < np.inf:
                raise ValueError(f"{name} must be a number, at least 1 (which is no prior), got {value!r}.")
        first, transitions = allowed(self.topology, K)
        return HMM(emission, K, None, first, transitions, float(self.start_prior), float(self.transition_prior))

    @takes_sequences
    @transactional
    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        lengths: Any = None,
        sample_weight: ArrayLike | None = None,
        labels: ArrayLike | None = None,
    ) -> None:
        """Fit the chain and the states' densities to sequences of rows.

        Parameters
        ----------
        X : table of shape (n, d), rows in their order; or a source, which every step reads anew: ``fit(source,
            sequence="name")``, where rows that follow each other with one name are a sequence
        y : ignored
        lengths : lengths of the sequences; by default all rows are one sequence
        sample_weight : array, optional
            A weight for each sequence.
        labels : array of shape (n,), optional
            State of each row where it is known, 0 to K - 1; -1 or NaN where it is not.

        Returns
        -------
        self
        """
        if isinstance(X, Source):
            self._fit_source(X)
            return
        refuse_nested(X)
        X = self._first_table(X)
        n, K = X.shape[0], int(self.n_components)
        refuse_lengths_as_y(y, n)
        cut = check_lengths(lengths, n)
        if n < K:
            raise ValueError(f"there are fewer rows (n_samples = {n}) than states ({K}); use fewer states.")
        rows = self._bind(X)
        family = replace(self.family_, lengths=cut, states=known_states(labels, n, K))
        w, rng = row_weights(sample_weight, cut), generator(self.random_state)
        fits = [self._fit_family(family, rows, w, rng=rng) for _ in range(int(self.n_init))]
        self._keep_best(fits)

    def _fit_source(self, source: Source) -> None:
        """Fit to the sequences of a source."""
        if source.target is None:
            raise ValueError(
                "name the column that tells sequences apart: fit(source, sequence='name'); rows that follow each other "
                "with one name are a sequence."
            )
        K, table = int(self.n_components), SourceTable(source)
        if table.shape[0] < K:
            raise ValueError(
                f"there are fewer rows (n_samples = {table.shape[0]}) than states ({K}); use fewer states."
            )
        self._bind(self._first_table(table))
        check_not_cut(source)
        rows = MarkedRows(source, FiniteFirstRows.of(self))
        family, rng = MarkedHMM(self.family_), generator(self.random_state)
        own = {name: getattr(self, name) for name in self._fit_options}
        self._keep_best([self._naming(fit, family, rows, rng=rng, **own) for _ in range(int(self.n_init))])

    def _keep_best(self, fits: list[Fit]) -> None:
        best = max(fits, key=lambda found: found.objective[-1])
        self._warn(best)
        self._keep(replace(best.density, lengths=None), best.statistic, best)  # type: ignore[type-var]
        self.log_likelihoods_ = best.log_likelihoods

    @property
    def _chain(self) -> HMMDensity:
        check_is_fitted(self, "density_")
        assert isinstance(self.density_, HMMDensity)
        return self.density_


def _family_of(emission: Density) -> Family:
    """The family of densities of a known type."""
    if isinstance(emission, GaussianDensity):
        return Gaussian("full" if emission.factor.ndim == 3 else "diag")
    if isinstance(emission, CategoricalDensity):
        return Categorical(unseen="new" if emission.open_ended else "error")
    if isinstance(emission, PoissonDensity):
        return Poisson()
    raise TypeError(f"the family of a {type(emission).__name__} must be given: family=.")
