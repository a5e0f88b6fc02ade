"""Hill-climbing over graphs: edges are added, taken away and turned round while the score rises."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.families.nets.scores import Scores

#: Least rise of the score that counts as one.
LEAST = 1e-9


@dataclass(frozen=True)
class Rules:
    """Which edges a graph may have.

    Attributes
    ----------
    allowed : array of bool of shape (d, d)
        Whether the edge from i to j may be there.
    required : array of bool of shape (d, d)
        Whether it must be.
    max_parents : int
    """

    allowed: Array
    required: Array
    max_parents: int


@cache
def _marks(d: int) -> NDArray[np.uint64]:
    """A random number for each edge: the exclusive or of those that are there marks a graph (Zobrist)."""
    return np.random.default_rng(d).integers(0, 2**64, (d, d), dtype=np.uint64)


class _Climb:
    """A graph, its reachable pairs, and what each change of an edge would do to the score."""

    def __init__(self, scores: Scores, rules: Rules, parents: Iterable[Iterable[int]]) -> None:
        self.scores, self.rules = scores, rules
        self.parents = [frozenset(own) for own in parents]
        self.d = len(self.parents)
        self.add, self.cut = np.full((self.d, self.d), -np.inf), np.full((self.d, self.d), -np.inf)
        self.mark = np.bitwise_xor.reduce(_marks(self.d)[self.edges()], initial=np.uint64(0))
        for node in range(self.d):
            self._renew(node)
        self._reach()

    @property
    def score(self) -> float:
        return self.scores.total([sorted(own) for own in self.parents])

    def edges(self) -> Array:
        """The adjacency matrix: [parent, child]."""
        found = np.zeros((self.d, self.d), dtype=bool)
        for node, own in enumerate(self.parents):
            found[list(own), node] = True
        return found

    def _renew(self, node: int) -> None:
        """What adding or cutting an edge into a node would change."""
        own = self.parents[node]
        now = self.scores.of(node, own)
        self.add[:, node] = self.cut[:, node] = -np.inf
        if len(own) < self.rules.max_parents:
            candidates = [i for i in np.flatnonzero(self.rules.allowed[:, node]).tolist() if i not in own and i != node]
            if candidates:
                self.add[candidates, node] = self.scores.additions(node, own, candidates) - now
        for parent in own:
            if not self.rules.required[parent, node]:
                self.cut[parent, node] = self.scores.of(node, own - {parent}) - now

    def _reach(self) -> None:
        """Pairs (i, j) with a path from i to j."""
        step = self.edges()
        reach = step.copy()
        while True:
            wider = reach | (reach.astype(np.float32) @ step.astype(np.float32) > 0)
            if (wider == reach).all():
                break
            reach = wider
        self.reach = reach

    def best(self, seen: Array) -> tuple[float, str, int, int]:
        """The change with the highest gain that makes no cycle and no graph seen lately: gain, kind, parent, child."""
        edges = self.edges()
        after = self.mark ^ _marks(self.d)
        new = ~np.isin(after, seen)
        found = _highest(np.where(edges | self.reach.T | ~new, -np.inf, self.add), "add")
        found = max(found, _highest(np.where(edges & new, self.cut, -np.inf), "cut"))
        room = np.array([len(own) < self.rules.max_parents for own in self.parents])
        new = ~np.isin(after ^ _marks(self.d).T, seen)
        turned = np.where(edges & room[:, None] & new, self.cut + self.add.T, -np.inf)
        for at in np.argsort(-turned, axis=None):
            i, j = divmod(int(at), self.d)
            value = float(turned[i, j])
            if not value > found[0]:
                break
            if not self._other_path(i, j, edges):
                return value, "turn", i, j
        return found

    def _other_path(self, i: int, j: int, edges: Array) -> bool:
        """Whether a path leads from i to j besides the edge between them."""
        return bool((edges[i] & self.reach[:, j])[np.arange(self.d) != j].any())

    def change(self, kind: str, i: int, j: int) -> None:
        """Make a change."""
        marks = _marks(self.d)
        self.mark ^= marks[i, j] ^ marks[j, i] if kind == "turn" else marks[i, j]
        if kind == "add":
            self.parents[j] |= {i}
        else:
            self.parents[j] -= {i}
            if kind == "turn":
                self.parents[i] |= {j}
                self._renew(i)
        self._renew(j)
        self._reach()


def _highest(gain: Array, kind: str) -> tuple[float, str, int, int]:
    i, j = divmod(int(np.argmax(gain)), len(gain))
    return float(gain[i, j]), kind, i, j


def hill_climb(
    scores: Scores,
    rules: Rules,
    *,
    tabu: int = 10,
    restarts: int = 0,
    changes: int = 10,
    max_iter: int = 10_000,
    rng: np.random.Generator | None = None,
    callback: Callable[[int, float], None] | None = None,
) -> list[list[int]]:
    """Parents of each node in the best graph that was found.

    Parameters
    ----------
    tabu : int
        How many steps may go on without a better graph; none of as many graphs before is visited again.
    restarts, changes : int
        How often to begin again from the best graph with so many random changes.
    callback : called after each step with its number and the score
    """
    d = len(scores.sizes)
    rng = np.random.default_rng() if rng is None else rng
    start = [np.flatnonzero(rules.required[:, node]).tolist() for node in range(d)]
    best, highest = _climb(scores, rules, start, tabu, max_iter, callback)
    for _ in range(restarts):
        moved = _disturbed(scores, rules, best, changes, rng)
        found, score = _climb(scores, rules, moved, tabu, max_iter, callback)
        if score > highest + LEAST:
            best, highest = found, score
    return best


def _climb(
    scores: Scores, rules: Rules, start: list[list[int]], tabu: int, max_iter: int, callback: Callable[[int, float], None] | None
) -> tuple[list[list[int]], float]:
    climb = _Climb(scores, rules, start)
    current = highest = climb.score
    best = [sorted(own) for own in climb.parents]
    recent: deque[np.uint64] = deque([climb.mark], maxlen=max(tabu, 1))
    idle = 0
    for step in range(max_iter):
        gain, kind, i, j = climb.best(np.array(recent, dtype=np.uint64))
        if not np.isfinite(gain) or (gain <= LEAST and idle >= tabu):
            break
        climb.change(kind, i, j)
        recent.append(climb.mark)
        current += gain
        if callback is not None:
            callback(step, current)
        if current > highest + LEAST:
            highest, idle, best = current, 0, [sorted(own) for own in climb.parents]
        else:
            idle += 1
            if idle > tabu:
                break
    return best, highest


def _disturbed(
    scores: Scores, rules: Rules, parents: list[list[int]], changes: int, rng: np.random.Generator
) -> list[list[int]]:
    """A graph after random changes."""
    climb = _Climb(scores, rules, parents)
    for _ in range(changes):
        edges = climb.edges()
        add = np.argwhere(np.isfinite(climb.add) & ~edges & ~climb.reach.T & ~np.eye(climb.d, dtype=bool))
        cut = np.argwhere(edges & np.isfinite(climb.cut))
        options = [("add", *pair) for pair in add.tolist()] + [("cut", *pair) for pair in cut.tolist()]
        if options:
            kind, i, j = options[int(rng.integers(len(options)))]
            climb.change(kind, i, j)
    return [sorted(own) for own in climb.parents]
