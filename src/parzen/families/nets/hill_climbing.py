"""Hill-climbing over graphs: edges are added, taken away and turned round while the score rises."""

from collections import deque
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.families.nets.scores import Scores

#: Least rise of the score that counts as one.
LEAST = 1e-9

Edges: TypeAlias = NDArray[np.bool_]


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

    allowed: Edges
    required: Edges
    max_parents: int


@cache
def _marks(d: int) -> NDArray[np.uint64]:
    """A random number for each edge: the exclusive or of those that are there marks a graph (Zobrist)."""
    return np.random.default_rng(d).integers(0, 2**64, (d, d), dtype=np.uint64)


class _Climb:
    """A graph, its reachable pairs, and what each change of an edge would do to the score."""

    def __init__(self, scores: Scores, rules: Rules) -> None:
        self.scores, self.rules = scores, rules
        self.d = len(scores.sizes)
        self.parents = [frozenset(np.flatnonzero(rules.required[:, node]).tolist()) for node in range(self.d)]
        self.add, self.cut = np.full((self.d, self.d), -np.inf), np.full((self.d, self.d), -np.inf)
        self.mark = np.bitwise_xor.reduce(_marks(self.d)[self.edges()], initial=np.uint64(0))
        for node in range(self.d):
            self._renew(node)
        self._reach()

    def copy(self) -> "_Climb":
        """The same graph, to be changed apart from this one."""
        other = copy(self)
        other.parents, other.add, other.cut = list(self.parents), self.add.copy(), self.cut.copy()
        return other

    @property
    def score(self) -> float:
        return self.scores.total([sorted(own) for own in self.parents])

    def edges(self) -> Edges:
        """The adjacency matrix: [parent, child]."""
        found = np.zeros((self.d, self.d), dtype=bool)
        pairs = [parent * self.d + node for node, own in enumerate(self.parents) for parent in own]
        found.ravel()[pairs] = True
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

    def best(self, seen: NDArray[np.uint64]) -> tuple[float, str, int, int]:
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

    def _other_path(self, i: int, j: int, edges: Edges) -> bool:
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

    def isolate(self, node: int) -> None:
        """Cut all edges of a node that need not be there."""
        edges = self.edges() & ~self.rules.required
        for i, j in [(i, node) for i in np.flatnonzero(edges[:, node])] + [
            (node, j) for j in np.flatnonzero(edges[node])
        ]:
            self.mark ^= _marks(self.d)[i, j]
            self.parents[j] -= {i}
        for other in [node, *np.flatnonzero(edges[node]).tolist()]:
            self._renew(other)
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
    rng = np.random.default_rng(0) if rng is None else rng
    steps = _Steps(max_iter, callback)
    best = _reinserted(_ascended(_Climb(scores, rules), tabu, steps), tabu, steps)
    for _ in range(restarts):
        found = _reinserted(_ascended(_disturbed(best.copy(), changes, rng), tabu, steps), tabu, steps)
        best = max(best, found, key=lambda climb: climb.score)
    return [sorted(own) for own in best.parents]


@dataclass
class _Steps:
    """How many steps were made and may be made."""

    most: int
    callback: Callable[[int, float], None] | None
    made: int = 0

    def another(self, score: float) -> bool:
        """Count a step; whether one more may follow."""
        self.made += 1
        if self.callback is not None:
            self.callback(self.made, score)
        return self.made < self.most


def _ascended(climb: _Climb, tabu: int, steps: _Steps) -> _Climb:
    """The best graph on the way up, and on `tabu` steps beyond each summit."""
    current = highest = climb.score
    best = climb.copy()
    recent: deque[np.uint64] = deque([climb.mark], maxlen=max(tabu, 1))
    idle = 0
    while idle <= tabu:
        gain, kind, i, j = climb.best(np.array(recent, dtype=np.uint64))
        if not np.isfinite(gain) or (gain <= LEAST and idle >= tabu):
            break
        climb.change(kind, i, j)
        recent.append(climb.mark)
        current += gain
        idle += 1
        if current > highest + LEAST:
            highest, idle, best = current, 0, climb.copy()
        if not steps.another(current):
            break
    return best


def _reinserted(best: _Climb, tabu: int, steps: _Steps) -> _Climb:
    """A graph that no node improves by losing all of its edges and finding new ones.

    Greedy steps alone end where several edges of a node would have to change at once (Moore & Wong 2003).
    """
    highest, untried = best.score, deque(range(best.d))
    while untried and steps.made < steps.most:
        node = untried.popleft()
        found = best.copy()
        found.isolate(node)
        found = _ascended(found, 0, steps)
        if found.score > highest + LEAST:
            best, highest = found, found.score
            untried = deque([*untried, *(one for one in range(best.d) if one not in untried)])
    return best


def _disturbed(climb: _Climb, changes: int, rng: np.random.Generator) -> _Climb:
    """A graph after random changes."""
    for _ in range(changes):
        edges = climb.edges()
        add = np.argwhere(np.isfinite(climb.add) & ~edges & ~climb.reach.T & ~np.eye(climb.d, dtype=bool))
        cut = np.argwhere(edges & np.isfinite(climb.cut))
        options = [(kind, i, j) for kind, pairs in (("add", add), ("cut", cut)) for i, j in pairs.tolist()]
        if options:
            kind, i, j = options[int(rng.integers(len(options)))]
            climb.change(kind, i, j)
    return climb
