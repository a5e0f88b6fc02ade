"""Many steps of a Markov chain: n-step transitions, the stationary distribution, hitting times, the entropy rate."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.densities.chain_structure import Structure, structure
from parzen.densities.transition_matrix import entropy_rate, hitting, stationary
from parzen.estimators.markov.checks import whole_number

#: Most contexts of which a transition matrix is made.
MOST_CONTEXTS = 4096


class LongRunMixin:
    """The long-run behaviour of a chain whose transition probabilities are known."""

    order_: int

    @property
    @abstractmethod
    def symbols_(self) -> NDArray[Any]:
        """The alphabet."""

    @property
    @abstractmethod
    def transition_(self) -> Array:
        """Probability of each symbol after each context of the last symbols."""

    @property
    @abstractmethod
    def contexts_(self) -> list[Any]:
        """Contexts of the last symbols, in the order of `transition_`."""

    def _matrix(self) -> Array:
        """Transition matrix between contexts of the last symbols, whose rows sum to one."""
        P = self.transition_
        P = P / P.sum(axis=1, keepdims=True)
        S, order = len(self.symbols_), self.order_
        if order == 1:
            return P
        if order == 0:
            return np.repeat(P, S, axis=0)
        n = S**order
        if n > MOST_CONTEXTS:
            raise ValueError(
                f"a chain of order {order} over {S} symbols has {n} contexts, but a transition matrix between them is "
                f"made of at most {MOST_CONTEXTS}; lower the order."
            )
        out = np.zeros((n, n))
        rows = np.arange(n)
        for code in range(S):
            out[rows, (rows * S + code) % n] = P[:, code]
        return out

    def structure(self) -> Structure:
        """Communicating classes of symbols (of contexts, where the order is above 1), and their periods."""
        return structure(self._matrix())

    def n_step(self, n: int) -> Array:
        """Probability of each symbol n steps after each context, (contexts, S)."""
        power = np.linalg.matrix_power(self._matrix(), whole_number("n", n, 1))
        return self._last(power)[: len(self.transition_)]

    def _last(self, P: Array) -> Array:
        """Probabilities of contexts as those of their last symbols."""
        S = len(self.symbols_)
        return P if P.shape[-1] == S else P.reshape(*P.shape[:-1], -1, S).sum(axis=-2)

    def stationary(self) -> Array:
        """Stationary distribution: the long-run frequency of each symbol, (S,).

        Where it is not unique, an error names the recurrent classes.
        """
        P = self._matrix()
        found = structure(P)
        if sum(found.recurrent) > 1:
            names = self.symbols_.tolist() if self.order_ <= 1 else self.contexts_
            raise ValueError(
                f"there is no unique stationary distribution: the chain ends in one of {sum(found.recurrent)} classes. "
                f"They are: {found.text(names)}. A prior (estimate='bayes') connects all symbols."
            )
        return self._last(stationary(P))

    def hitting_times(self, target: Any) -> Array:
        """Mean number of steps from each symbol to the target (or one of several, in a list), (S,).

        It is infinite where the target is not reached with probability one.
        """
        return hitting(self._matrix(), self._targets(target))[1]

    def hitting_probability(self, target: Any) -> Array:
        """Probability to ever reach the target (or one of several, in a list) from each symbol, (S,)."""
        return hitting(self._matrix(), self._targets(target))[0]

    def _targets(self, target: Any) -> NDArray[np.intp]:
        if self.order_ > 1:
            raise TypeError(f"hitting times need a chain of order 1 or 0, but this one has order {self.order_}.")
        targets = target if isinstance(target, list | set | np.ndarray) else [target]
        codes = {symbol: code for code, symbol in enumerate(self.symbols_.tolist())}
        for symbol in targets:
            if symbol not in codes:
                raise ValueError(f"{symbol!r} is none of the symbols {self.symbols_.tolist()}.")
        return np.array([codes[symbol] for symbol in targets], dtype=np.intp)

    def entropy_rate(self) -> float:
        """Entropy rate: the mean surprisal of a symbol in the long run, in nats."""
        P = self._matrix()
        self.stationary()  # raises where it is not unique
        return entropy_rate(P, stationary(P))
