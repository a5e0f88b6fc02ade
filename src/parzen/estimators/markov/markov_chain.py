"""Markov chains over any symbols."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.compute.markov import count_transitions
from parzen.densities.markov import MarkovDensity
from parzen.densities.transition_matrix import stochastic
from parzen.estimators.base.sources import takes_sequences
from parzen.estimators.base.validation import generator, transactional
from parzen.estimators.markov.checks import whole_number
from parzen.estimators.markov.context_table import ContextTable, with_unseen
from parzen.estimators.markov.counting import count_sequences, encode_known
from parzen.estimators.markov.long_run import LongRunMixin
from parzen.estimators.markov.order_selection import order_criteria
from parzen.estimators.markov.source_symbols import SequenceCounts, SymbolSurvey
from parzen.families.markov import Markov
from parzen.statistics.counts import Counts
from parzen.storage.files import SaveMixin
from parzen.tables.alphabet import Alphabet
from parzen.tables.sequence_weights import drop_zero_weight, sequence_weights
from parzen.tables.sequences import read
from parzen.tables.sources.engines.work import total
from parzen.tables.sources.source import Source
from parzen.tables.sources.whole import check_not_cut


class MarkovChain(SaveMixin, LongRunMixin, BaseEstimator):
    r"""Markov chain: each symbol is conditionally independent of the past given the `order` symbols before it.

    Parameters
    ----------
    order : int, "bic" or "heldout"
        Number of symbols that the next one depends on. "bic" chooses the order, up to `max_order`, of the lowest BIC;
        "heldout" that of the highest log-likelihood of held-out sequences (of a single sequence, of its last fifth).
    prior : float, optional
        Concentration of a symmetric Dirichlet prior for the symbol after each context; by default 1 for "bayes" and 2
        for "map", which both give Laplace's rule.
    estimate : "bayes", "map" or "ml"
        The posterior predictive, the posterior mode, or the relative frequencies. With a prior an unseen symbol has the
        probability of one more symbol; with "ml" it is an error.
    symbols : sequence, optional
        The alphabet, where the first sequences may lack some of it.
    max_order : int
        The largest order that is tried.

    Attributes
    ----------
    symbols_ : array of shape (S,)
    order_ : int
    transition_ : array of shape (S, S), or (S^order, S)
        Probability of each symbol after each context; contexts of the last `order` symbols in the order of `contexts_`.
        With a prior, rows sum to one together with the probability of an unseen symbol, `unseen_`.
    start_ : array of shape (S,)
        Probability of each symbol at the start of a sequence.
    unseen_ : array of shape (S^order,)
        Probability of an unseen symbol after each context.
    contexts_ : list
        The contexts: symbols, or tuples of them.
    statistic_ : Counts
        Counts of each symbol after each context, to which `partial_fit` and `merge` add.
    density_ : MarkovDensity
    orders_ : dict
        Criterion of each order that was tried; the lowest is best.

    Examples
    --------
    >>> from parzen import MarkovChain
    >>> weather = [["sun", "sun", "rain", "sun"], ["rain", "rain", "sun", "sun", "sun"]]
    >>> chain = MarkovChain(estimate="ml").fit(weather)
    >>> chain.symbols_.tolist(), chain.transition_.round(2)
    (['rain', 'sun'], array([[0.33, 0.67],
           [0.25, 0.75]]))
    >>> chain.predict_next([["sun", "rain"]]), chain.stationary().round(3)
    (array(['sun'], dtype=object), array([0.273, 0.727]))
    >>> MarkovChain().fit(["abracadabra"]).sample(8, random_state=0)
    'caaadrcd'
    """

    def __init__(
        self,
        order: int | str = 1,
        *,
        prior: float | None = None,
        estimate: str = "bayes",
        symbols: Any = None,
        max_order: int = 4,
    ) -> None:
        self.order = order
        self.prior = prior
        self.estimate = estimate
        self.symbols = symbols
        self.max_order = max_order

    density_: MarkovDensity
    orders_: dict[int, float]

    @classmethod
    def from_parameters(cls, symbols: Any, transition: ArrayLike, start: ArrayLike | None = None) -> Self:
        """A chain of order 1 with given probabilities.

        Parameters
        ----------
        symbols : sequence of S symbols, or a text of them
            Rows and columns of `transition` are in this order, as is all that the chain answers: see `symbols_`.
        transition : array of shape (S, S), whose rows sum to 1
        start : array of shape (S,), optional
            By default all symbols are equally likely.

        Examples
        --------
        >>> from parzen import MarkovChain
        >>> weather = MarkovChain.from_parameters(["sun", "rain"], [[0.9, 0.1], [0.5, 0.5]])
        >>> weather.stationary().round(3), weather.hitting_times("rain")
        (array([0.833, 0.167]), array([10.,  0.]))
        """
        try:
            given = list(symbols)
        except TypeError:
            raise TypeError(f"symbols must be a list of symbols, or a text of them, got {symbols!r}.") from None
        chain = cls(estimate="ml")
        chain.alphabet_ = Alphabet.declared(given, isinstance(symbols, str)).in_order(given)
        S = chain.alphabet_.size
        if len(given) != S:
            raise ValueError(f"symbols must differ from each other, got {given!r}.")
        first = stochastic(np.full(S, 1.0 / S) if start is None else start, (S,), "start")
        table = stochastic(transition, (S, S), "transition")
        rows = np.vstack([first, table])
        with np.errstate(divide="ignore"):
            chain.density_ = MarkovDensity(np.log(rows)[None], 1)
        chain.order_, chain.orders_ = 1, {}
        return chain

    # Fitting ---------------------------------------------------------------------------------------------------------

    @takes_sequences
    @transactional
    def fit(self, X: Any, y: Any = None, *, lengths: Any = None, sample_weight: ArrayLike | None = None) -> None:
        """Fit the chain to sequences.

        Parameters
        ----------
        X : iterable of sequences (texts, lists or arrays of hashable symbols), a text, or an array of numbers; with
            `lengths`, all symbols one after another; or a source of one column: ``fit(source, sequence="name")``, where
            rows that follow each other with one name are a sequence, or of texts, each of which is one
        y : ignored
        lengths : lengths of the sequences
        sample_weight : array, optional
            A weight for each sequence.

        Returns
        -------
        self
        """
        if isinstance(X, Source):
            self._fit_source(X)
            return
        found = read(X, lengths)
        found, w = drop_zero_weight(found, sequence_weights(sample_weight, found))
        self.orders_, order = {}, self.order
        if isinstance(order, str):
            self.orders_ = order_criteria(order, self.max_order, found, w, self.prior, self.estimate, self.symbols)
            order = min(self.orders_, key=lambda one: self.orders_[one])
        Markov(order, self.prior, self.estimate).check()
        self.order_ = int(order)
        self.alphabet_, counts = count_sequences(found, w, self.order_, self.symbols)
        self._maximise(counts)

    def _fit_source(self, source: Source) -> None:
        """Fit to the sequences of a source: a pass learns the symbols, and another counts them."""
        if isinstance(self.order, str):
            raise ValueError(f"order={self.order!r} compares orders on all sequences; give a number for a source.")
        Markov(self.order, self.prior, self.estimate).check()
        self.orders_, self.order_, symbols = {}, int(self.order), self.symbols
        if source.target is not None:
            check_not_cut(source)
        if symbols is None:
            known = total(source, SymbolSurvey())
            if known is None or not known.symbols:
                raise ValueError("there are no sequences (n_samples = 0); give at least one.")
            symbols = known.listed()
        found = total(source, SequenceCounts(self.order_, symbols))
        if found is None:
            raise ValueError("there are no sequences (n_samples = 0); give at least one.")
        self.alphabet_ = found.alphabet
        self._maximise(found.counts)

    @transactional
    def partial_fit(
        self, X: Any, y: Any = None, *, lengths: Any = None, sample_weight: ArrayLike | None = None
    ) -> None:
        """Add more sequences; the result equals `fit` on all of them, if the first ones held all symbols."""
        if not hasattr(self, "density_"):
            type(self).fit(self, X, lengths=lengths, sample_weight=sample_weight)
            return
        self._check_counts()
        found = read(X, lengths)
        found, w = drop_zero_weight(found, sequence_weights(sample_weight, found))
        codes = encode_known(self.alphabet_, found, "fitted; give all symbols to the first fit: symbols=[...]")
        self._maximise(self.counts_ + count_transitions(codes, found.lengths, self.alphabet_.size, self.order_, w))

    def merge(self, other: Self) -> Self:
        """A new chain, fitted to the sequences of both."""
        if type(other) is not type(self):
            raise TypeError(f"only a MarkovChain can be merged, got {type(other).__name__}.")
        for one in (self, other):
            check_is_fitted(one, "density_")
            one._check_counts()
        mine, theirs = ((one.alphabet_.symbols.tolist(), one.order_, one.prior, one.estimate) for one in (self, other))
        if mine != theirs:
            raise ValueError("only chains of the same symbols, order, prior and estimate merge; give symbols=[...].")
        merged = type(self)(**self.get_params())
        merged.order_, merged.orders_, merged.alphabet_ = self.order_, {}, self.alphabet_
        merged._maximise(self.counts_ + other.counts_)
        return merged

    def _check_counts(self) -> None:
        if not hasattr(self, "counts_"):
            raise ValueError("this chain was given, not fitted to sequences: it has no counts to add to; use fit.")

    def _maximise(self, counts: Array) -> None:
        family = Markov(self.order_, self.prior, self.estimate)
        family.check()
        self.counts_ = counts
        self.statistic_ = Counts(counts.reshape(1, -1), (counts.shape[1],) * len(counts))
        self.density_ = with_unseen(counts, family)

    # Fitted probabilities --------------------------------------------------------------------------------------------

    @property
    def _table(self) -> ContextTable:
        check_is_fitted(self, "density_")
        return ContextTable(self.alphabet_, self.density_)

    @property
    def symbols_(self) -> NDArray[Any]:
        """The alphabet."""
        return self._table.alphabet.symbols

    @property
    def transition_(self) -> Array:
        """Probability of each symbol after each context of the last symbols."""
        S = len(self.symbols_)
        return self._table.probability[-(S**self.order_) :]

    @property
    def start_(self) -> Array:
        """Probability of each symbol at the start of a sequence."""
        return self._table.probability[0]

    @property
    def unseen_(self) -> Array:
        """Probability of an unseen symbol after each context."""
        table, S = self._table, len(self.symbols_)
        if not table.takes_unseen:
            return np.zeros(S**self.order_)
        return np.exp(table.log_probability[-(S**self.order_) :, S])

    @property
    def contexts_(self) -> list[Any]:
        """Contexts of the last symbols, in the order of `transition_`."""
        symbols = self.symbols_.tolist()
        if self.order_ == 0:
            return [()]
        if self.order_ == 1:
            return symbols
        grid = np.indices((len(symbols),) * self.order_).reshape(self.order_, -1).T
        return [tuple(symbols[code] for code in row) for row in grid]

    # Sequences -------------------------------------------------------------------------------------------------------

    def log_prob(self, X: Any, *, lengths: Any = None) -> Array:
        """Log-probability of each sequence, (m,)."""
        table = self._table
        return table.log_prob(read(X, lengths, empty=True))

    def score(self, X: Any, y: Any = None, *, lengths: Any = None) -> float:
        """Log-probability per symbol: the mean over all symbols of all sequences, not the sum."""
        found = read(X, lengths)
        return float(self._table.log_prob(found).sum() / found.lengths.sum())

    def perplexity(self, X: Any, *, lengths: Any = None) -> float:
        """Perplexity: the exponential of minus `score`."""
        return float(np.exp(-self.score(X, lengths=lengths)))

    def predict_next_proba(self, X: Any, *, lengths: Any = None) -> Array:
        """Probability of each symbol after each sequence, (m, S)."""
        table = self._table
        return table.next_probability(read(X, lengths, empty=True))

    def predict_next(self, X: Any, *, lengths: Any = None) -> NDArray[Any]:
        """The most likely symbol after each sequence, (m,)."""
        return self.symbols_[self.predict_next_proba(X, lengths=lengths).argmax(axis=1)]

    def sample(self, length: int, *, start: Any = None, random_state: Any = None) -> Any:
        """Draw a sequence, as text where the symbols are characters, else as an array.

        Parameters
        ----------
        length : int
        start : sequence, optional
            The first symbols; the rest is drawn.
        """
        table, size = self._table, whole_number("length", length, 1)
        rng = generator(random_state)
        codes = [] if start is None else encode_known(table.alphabet, read([start]), "fitted").tolist()
        return table.alphabet.decode(table.draw(codes, size, rng))
