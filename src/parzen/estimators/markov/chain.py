"""Markov chains of any symbols."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.compute.markov import context_count, count_transitions, score_transitions
from parzen.densities.markov import MarkovDensity
from parzen.densities.transition_matrix import probabilities
from parzen.estimators.base.estimator import generator
from parzen.estimators.base.validation import transactional
from parzen.estimators.markov.stepping import Stepping
from parzen.families.markov import Markov
from parzen.statistics.counts import Counts
from parzen.storage.files import SaveMixin
from parzen.tables.sequences import Alphabet, Symbols, hold_out, read, sequence_weights, weighing

#: Most numbers in a table of transitions.
MOST = 2**26
#: Numbers in a table that whole numbers may have before they are renamed.
FEW = 2**20


class TooManyContexts(ValueError):
    """A table of transitions would have more numbers than memory is for."""


class MarkovChain(SaveMixin, Stepping, BaseEstimator):
    r"""A Markov chain: each symbol depends on the `order` symbols before it, and on nothing else.

    Parameters
    ----------
    order : int, "bic" or "heldout"
        How many symbols the next one depends on. "bic" chooses the order, up to `max_order`, of least BIC; "heldout"
        that of the greatest likelihood of sequences that were left out (of a single sequence, of its last fifth).
    prior : float, optional
        Concentration of a symmetric Dirichlet prior for what follows each context; by default 1 for "bayes" and 2 for
        "map", which both give Laplace's rule.
    estimate : "bayes", "map" or "ml"
        The posterior predictive, the posterior's mode, or the shares that were seen. With a prior a symbol that was
        never met has the share of one more symbol; with "ml" it is an error.
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
        With a prior, rows add to one together with the share of a symbol that was never met, `unseen_`.
    start_ : array of shape (S,)
        Probability of each symbol at the beginning.
    contexts_ : list
        The contexts: symbols, or tuples of them.
    statistic_ : Counts
        How often each symbol followed each context, to which `partial_fit` and `merge` add.
    density_ : MarkovDensity
    orders_ : dict
        Criterion of each order that was tried.

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
        """A chain of order 1 whose probabilities are known.

        Parameters
        ----------
        symbols : sequence of S symbols, or a text of them
            The chain keeps them, and what belongs to them, in their own order: see `symbols_`.
        transition : array of shape (S, S), whose rows sum to 1
        start : array of shape (S,), optional
            By default all symbols are alike.

        Examples
        --------
        >>> from parzen import MarkovChain
        >>> weather = MarkovChain.from_parameters(["rain", "sun"], [[0.5, 0.5], [0.1, 0.9]])
        >>> weather.stationary().round(3), weather.hitting_times("rain")
        (array([0.167, 0.833]), array([ 0., 10.]))
        """
        chain, given = cls(estimate="ml"), _listed(symbols)
        chain.alphabet_ = Alphabet.declared(given, isinstance(symbols, str))
        S, known = chain.alphabet_.size, chain.alphabet_.symbols.tolist()
        if len(given) != S:
            raise ValueError(f"symbols must differ from each other, got {given!r}.")
        order = [given.index(symbol) for symbol in known]
        first = probabilities(np.full(S, 1.0 / S) if start is None else start, (S,), "start")
        table = probabilities(transition, (S, S), "transition")
        rows = np.vstack([first[order], table[np.ix_(order, order)]])
        with np.errstate(divide="ignore"):
            chain.density_ = MarkovDensity(np.log(rows)[None], 1)
        chain.order_, chain.orders_ = 1, {}
        return chain

    # Learning -------------------------------------------------------------------------------------------------------

    @transactional
    def fit(self, X: Any, y: Any = None, *, lengths: Any = None, sample_weight: ArrayLike | None = None) -> None:
        """Learn from sequences.

        Parameters
        ----------
        X : iterable of sequences (texts, lists or arrays of hashable symbols), a text, or an array of numbers; with
            `lengths`, all symbols one after another
        y : ignored
        lengths : how long the sequences are
        sample_weight : array, optional
            A weight for each sequence.

        Returns
        -------
        self
        """
        found = read(X, lengths)
        found, w = weighing(found, sequence_weights(sample_weight, found))
        self.orders_ = {}
        if isinstance(self.order, str):
            choose("order", self.order, ("bic", "heldout"))
            self._learn(found, w, self._chosen(found, w))
        else:
            Markov(self.order, self.prior, self.estimate).check()
            self._learn(found, w, int(self.order))

    @transactional
    def partial_fit(
        self, X: Any, y: Any = None, *, lengths: Any = None, sample_weight: ArrayLike | None = None
    ) -> None:
        """Learn from more sequences; the result equals `fit` on all of them, if the first held all symbols."""
        if not hasattr(self, "density_"):
            type(self).fit(self, X, lengths=lengths, sample_weight=sample_weight)
            return
        if not hasattr(self, "counts_"):
            raise ValueError("this chain was given, not learnt from sequences: there are no counts to add to; use fit.")
        found = read(X, lengths)
        found, w = weighing(found, sequence_weights(sample_weight, found))
        codes = self._known(found, "learnt from; give symbols=[...] with all of them")
        self._learnt(self.counts_ + count_transitions(codes, found.lengths, self.alphabet_.size, self.order_, w))

    def merge(self, other: Self) -> Self:
        """A new chain that has learnt from the sequences of both."""
        if type(other) is not type(self):
            raise TypeError(f"only a MarkovChain can be merged, got {type(other).__name__}.")
        for one in (self, other):
            check_is_fitted(one, "density_")
            if not hasattr(one, "counts_"):
                raise ValueError("a chain that was given, not learnt from sequences, has no counts to add to.")
        same = self.alphabet_.symbols.tolist() == other.alphabet_.symbols.tolist()
        if not same or self.order_ != other.order_ or self._family() != other._family():
            raise ValueError("only chains of the same symbols, order, prior and estimate merge; give symbols=[...].")
        merged = type(self)(**self.get_params())
        merged.order_, merged.orders_, merged.alphabet_ = self.order_, {}, self.alphabet_
        merged._learnt(self.counts_ + other.counts_)
        return merged

    def _family(self) -> tuple[Any, ...]:
        return self.prior, self.estimate

    def _counted(self, found: Symbols, w: Array | None) -> tuple[Alphabet, Array]:
        """The alphabet, and counts of symbols after contexts, (contexts, S)."""
        order = self.order_
        if self.symbols is None and found.whole and len(found.cells):
            low, high = int(found.cells.min()), int(found.cells.max())
            if low >= 0 and (high + 1) * context_count(high + 1, order) <= FEW:
                counts = count_transitions(found.cells, found.lengths, high + 1, order, w, checked=True)
                present = np.flatnonzero(np.bincount(np.arange(counts.size) % (high + 1), counts.ravel()) > 0)
                return Alphabet(present), _kept(counts, present, high + 1, order)
        alphabet = Alphabet.of(found) if self.symbols is None else Alphabet.declared(self.symbols, found.text)
        size = alphabet.size * context_count(alphabet.size, order)
        if size > MOST:
            raise TooManyContexts(
                f"a chain of order {order} over {alphabet.size} symbols has {size} probabilities; lower the order, or "
                "put rare symbols together."
            )
        self.alphabet_ = alphabet
        codes = self._known(found, "listed in symbols")
        return alphabet, count_transitions(codes, found.lengths, alphabet.size, order, w)

    def _known(self, found: Symbols, where: str) -> NDArray[np.int64]:
        codes = self.alphabet_.encode(found)
        beyond = np.flatnonzero(codes == self.alphabet_.size)
        if len(beyond):
            cell = found.cells[beyond[0]]
            cell = chr(cell) if found.text else cell.item() if isinstance(cell, np.generic) else cell
            raise ValueError(f"the symbol {cell!r} is none of the {self.alphabet_.size} {where}.")
        return codes

    def _learnt(self, counts: Array) -> None:
        self.counts_ = counts
        S = counts.shape[1]
        self.statistic_ = Counts(counts.reshape(1, -1), (S,) * len(counts))
        family = Markov(self.order_, self.prior, self.estimate)
        family.check()
        if self.estimate == "ml":
            self.density_ = family.maximise(self.statistic_)
            return
        # One more symbol, which was never met; contexts that hold it are as if nothing were known.
        wide = np.column_stack([counts, np.zeros(len(counts))])
        self.density_ = family.maximise(Counts(wide.reshape(1, -1), (S + 1,) * len(counts)))

    def _chosen(self, found: Symbols, w: Array | None) -> int:
        """The order of the best criterion."""
        top = self.max_order
        if isinstance(top, bool) or not isinstance(top, int | np.integer) or not 0 <= top <= 16:
            raise ValueError(f"max_order must be a whole number from 0 to 16, got {top!r}.")
        train, test, wt, wv = (found, found, w, w) if self.order == "bic" else hold_out(found, w)
        for order in range(top + 1):
            model = MarkovChain(order, prior=self.prior, estimate=self.estimate, symbols=self.symbols)
            if self.order == "heldout" and self.symbols is None:
                model.symbols = Alphabet.of(found).symbols.tolist()
            try:
                model._learn(train, wt, order)
            except TooManyContexts:
                if order:
                    break
                raise
            likelihood = float(np.sum(model._log_prob(test) * (1.0 if wv is None else wv)))
            if self.order == "heldout":
                if len(found.lengths) == 1:  # what comes after, given what came before
                    likelihood -= float(model._log_prob(train)[0])
                self.orders_[order] = -likelihood
                continue
            C, S = model.counts_.shape
            weight = float(model.counts_.sum())
            self.orders_[order] = C * (S - 1) * float(np.log(max(weight, 1.0))) - 2.0 * likelihood
        if not np.isfinite(list(self.orders_.values())).any():
            raise ValueError("no order makes the sequences that were held out possible; use a prior: estimate='bayes'.")
        return min(self.orders_, key=lambda order: self.orders_[order])

    def _learn(self, found: Symbols, w: Array | None, order: int) -> None:
        self.order_ = order
        self.alphabet_, counts = self._counted(found, w)
        self._learnt(counts)

    # What is known --------------------------------------------------------------------------------------------------

    @property
    def symbols_(self) -> NDArray[Any]:
        """The alphabet."""
        check_is_fitted(self, "density_")
        return self.alphabet_.symbols

    @property
    def _table(self) -> Array:
        """Probabilities of symbols after all contexts, (contexts, S); without the share of one never met."""
        check_is_fitted(self, "density_")
        return np.exp(self.density_.log_transition[0][:, : self.alphabet_.size])

    @property
    def transition_(self) -> Array:
        """Probability of each symbol after each context of the last symbols."""
        S = len(self.symbols_)
        return self._table[-(S**self.order_) :]

    @property
    def start_(self) -> Array:
        """Probability of each symbol at the beginning."""
        return self._table[0]

    @property
    def unseen_(self) -> Array:
        """Probability, after each context, of a symbol that was never met."""
        S = len(self.symbols_)
        if self.density_.log_transition.shape[2] == S:
            return np.zeros(S**self.order_)
        return np.exp(self.density_.log_transition[0][-(S**self.order_) :, S])

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

    # Sequences ------------------------------------------------------------------------------------------------------

    def log_prob(self, X: Any, *, lengths: Any = None) -> Array:
        """Log-probability of each sequence."""
        check_is_fitted(self, "density_")
        return self._log_prob(read(X, lengths, empty=True))

    def _log_prob(self, found: Symbols) -> Array:
        S = self.alphabet_.size
        logs = self.density_.log_transition[0]
        if logs.shape[1] == S:
            codes = self._known(found, "learnt from; with a prior (estimate='bayes') it would have a share")
            return score_transitions(codes, found.lengths, np.ascontiguousarray(logs), self.order_)
        codes = self.alphabet_.encode(found)
        if not (codes == S).any():
            return score_transitions(codes, found.lengths, np.ascontiguousarray(logs[:, :S]), self.order_)
        return np.array([self._spelled(part) for part in np.split(codes, np.cumsum(found.lengths)[:-1])])

    def _spelled(self, codes: NDArray[np.int64]) -> float:
        """Log-probability of one sequence, symbol by symbol: after one that was never met all are alike."""
        S, order, total = self.alphabet_.size, self.order_, 0.0
        for t, code in enumerate(codes):
            before = codes[max(0, t - order) : t]
            if (before == S).any():
                total -= np.log(S + 1.0)
            else:
                total += float(self.density_.log_transition[0, self._row(before), code])
        return total

    def _row(self, before: NDArray[np.int64]) -> int:
        S, row = self.alphabet_.size, 0
        for code in before:
            row = row * S + int(code)
        return sum(S**length for length in range(len(before))) + row

    def score(self, X: Any, y: Any = None, *, lengths: Any = None) -> float:
        """Mean log-probability of a symbol."""
        found = read(X, lengths)
        check_is_fitted(self, "density_")
        return float(self._log_prob(found).sum() / found.lengths.sum())

    def perplexity(self, X: Any, *, lengths: Any = None) -> float:
        """How many symbols the chain hesitates between, on average: the exponential of minus `score`."""
        return float(np.exp(-self.score(X, lengths=lengths)))

    def predict_next_proba(self, X: Any, *, lengths: Any = None) -> Array:
        """Probability of each symbol after each sequence, (m, S)."""
        check_is_fitted(self, "density_")
        found = read(X, lengths, empty=True)
        S = self.alphabet_.size
        prior = self.density_.log_transition.shape[2] > S
        codes = self.alphabet_.encode(found) if prior else self._known(found, "learnt from; with a prior it could be")
        P, table = np.empty((len(found.lengths), S)), self._table
        for i, part in enumerate(np.split(codes, np.cumsum(found.lengths)[:-1])):
            last = part[max(0, len(part) - self.order_) :]
            P[i] = 1.0 if (last == S).any() else table[self._row(last)]  # after one never met all are alike
        return P / P.sum(axis=1, keepdims=True)

    def predict_next(self, X: Any, *, lengths: Any = None) -> NDArray[Any]:
        """The likeliest symbol after each sequence."""
        return self.symbols_[self.predict_next_proba(X, lengths=lengths).argmax(axis=1)]

    def sample(self, length: int, *, start: Any = None, random_state: Any = None) -> Any:
        """A sequence of a length, as text where the symbols are characters, else as an array.

        Parameters
        ----------
        start : sequence, optional
            What it begins with; the rest is drawn.
        """
        check_is_fitted(self, "density_")
        if isinstance(length, bool) or not isinstance(length, int | np.integer) or length < 1:
            raise ValueError(f"length must be a whole number, at least 1, got {length!r}.")
        rng = generator(random_state)
        codes = [] if start is None else self._known(read([start]), "learnt from").tolist()
        table = np.cumsum(self._table, axis=1)
        u = rng.random(int(length))
        for t in range(len(codes), int(length)):
            below = table[self._row(np.array(codes[max(0, t - self.order_) : t], dtype=np.int64))]
            codes.append(int(min(np.searchsorted(below, u[t] * below[-1], side="right"), len(below) - 1)))
        return self.alphabet_.decode(np.array(codes[: int(length)], dtype=np.int64))


def _listed(symbols: Any) -> list[Any]:
    try:
        return list(symbols)
    except TypeError:
        raise TypeError(f"symbols must be a list of symbols, or a text of them, got {symbols!r}.") from None


def _kept(counts: Array, present: NDArray[np.intp], S: int, order: int) -> Array:
    """Counts of the symbols that are present alone."""
    if len(present) == S:
        return counts
    parts, begin = [], 0
    for length in range(order + 1):
        block = counts[begin : begin + S**length].reshape((S,) * (length + 1))
        parts.append(block[np.ix_(*[present] * (length + 1))].reshape(-1, len(present)))
        begin += S**length
    return np.ascontiguousarray(np.concatenate(parts))
