"""What follows from a chain's transitions: many steps, the long run, and how long it takes to get somewhere."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.densities.transition_matrix import Structure, entropy_rate, hitting, stationary, structure


class Stepping:
    """A chain of symbols whose transitions are known."""

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
        """Transitions between contexts of the last symbols, rows adding to one."""
        P = self.transition_
        P = P / P.sum(axis=1, keepdims=True)
        S, order = len(self.symbols_), self.order_
        if order == 1:
            return P
        if order == 0:
            return np.repeat(P, S, axis=0)
        n = S**order
        if n > 4096:
            raise ValueError(
                f"a chain of order {order} over {S} symbols has {n} contexts, too many for a matrix of them."
            )
        out = np.zeros((n, n))
        rows = np.arange(n)
        for code in range(S):
            out[rows, (rows * S + code) % n] = P[:, code]
        return out

    def structure(self) -> Structure:
        """Classes of symbols (of contexts, where the order is above 1) that lead to each other, and their periods."""
        return structure(self._matrix())

    def n_step(self, n: int) -> Array:
        """Probability of each symbol n steps after each context, (contexts, S)."""
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise ValueError(f"n must be a whole number of steps, at least 1, got {n!r}.")
        return self._last(np.linalg.matrix_power(self._matrix(), int(n)))[: len(self.transition_)]

    def _last(self, P: Array) -> Array:
        """Probabilities of contexts as those of their last symbols."""
        S = len(self.symbols_)
        return P if P.shape[-1] == S else P.reshape(*P.shape[:-1], -1, S).sum(axis=-2)

    def stationary(self) -> Array:
        """The share of time that the chain spends at each symbol in the long run, (S,).

        Where it depends on where the chain begins, an error says which classes there are.
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
        """Mean number of steps from each symbol to the target (or one of several, in a list); inf where unsure."""
        return hitting(self._matrix(), self._targets(target))[1]

    def hitting_probability(self, target: Any) -> Array:
        """Probability to ever meet the target (or one of several, in a list) from each symbol, (S,)."""
        return hitting(self._matrix(), self._targets(target))[0]

    def _targets(self, target: Any) -> NDArray[np.intp]:
        if self.order_ > 1:
            raise TypeError(f"hitting times are offered for chains of order 1, but this one has order {self.order_}.")
        several = isinstance(target, list | set | np.ndarray)
        known = {symbol: code for code, symbol in enumerate(self.symbols_.tolist())}
        for one in target if several else [target]:
            if one not in known:
                raise ValueError(f"{one!r} is none of the symbols {self.symbols_.tolist()}.")
        return np.array([known[one] for one in (target if several else [target])], dtype=np.intp)

    def entropy_rate(self) -> float:
        """Mean surprise of a symbol in the long run, in nats."""
        P = self._matrix()
        self.stationary()  # raises where there is none
        return entropy_rate(P, stationary(P))
