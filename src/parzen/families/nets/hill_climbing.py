"""Hill-climbing over graphs: edges are added, taken away and turned round while the score rises."""

from collections import deque
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from parzen.compute.families import Change, best_change
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
    """A graph, and what each change of an edge would do to the score."""

    def __init__(self, scores: Scores, rules: Rules) -> None:
        self.scores, self.rules = scores, rules
        self.d = len(scores.sizes)
        self.edges = rules.required.copy()
        self.parents = [frozenset(np.flatnonzero(self.edges[:, node]).tolist()) for node in range(self.d)]
        self.add, self.cut = np.full((self.d, self.d), -np.inf), np.full((self.d, self.d), -np.inf)
        self.room = np.ones(self.d, dtype=bool)
        self.mark = int(np.bitwise_xor.reduce(_marks(self.d)[self.edges], initial=np.uint64(0)))
        self._candidates = [
            [i for i in np.flatnonzero(rules.allowed[:, node]).tolist() if i != node] for node in range(self.d)
        ]
        for node in range(self.d):
            self._renew(node)

    def copy(self) -> "_Climb":
        """The same graph, to be changed apart from this one."""
        other = copy(self)
        other.parents, other.edges, other.room = list(self.parents), self.edges.copy(), self.room.copy()
        other.add, other.cut = self.add.copy(), self.cut.copy()
        return other

    @property
    def score(self) -> float:
        return sum(self.scores.of(node, own) for node, own in enumerate(self.parents))

    def _renew(self, node: int) -> None:
        """What adding or cutting an edge into a node would change."""
        own = self.parents[node]
        self.add[:, node] = self.cut[:, node] = -np.inf
        self.room[node] = len(own) < self.rules.max_parents
        candidates = [i for i in self._candidates[node] if i not in own] if self.room[node] else []
        added = self.scores.additions(node, own, candidates) if candidates else None
        now = self.scores.of(node, own)  # counted along with the additions
        if added is not None:
            self.add[candidates, node] = added - now
        for parent in own:
            if not self.rules.required[parent, node]:
                self.cut[parent, node] = self.scores.of(node, own - {parent}) - now

    def best(self, seen: NDArray[np.uint64]) -> Change:
        """The change with the highest gain that makes no cycle and no graph seen lately."""
        return best_change(self.add, self.cut, self.edges, self.room, _marks(self.d), self.mark, seen, LEAST)

    def _flip(self, i: int, j: int) -> None:
        """Add the edge from i to j, or take it away."""
        self.edges[i, j] ^= True
        self.parents[j] ^= {i}
        self.mark ^= int(_marks(self.d)[i, j])

    def change(self, kind: str, i: int, j: int) -> None:
        """Make a change."""
        self._flip(i, j)
        if kind == "turn":
            self._flip(j, i)
            self._renew(i)
        self._renew(j)

    def isolate(self, node: int) -> None:
        """Cut all edges of a node that need not be there."""
        loose = self.edges & ~self.rules.required
        children = np.flatnonzero(loose[node]).tolist()
        for parent in np.flatnonzero(loose[:, node]).tolist():
            self._flip(parent, node)
        for child in children:
            self._flip(node, child)
        for other in (node, *children):
            self._renew(other)


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
    recent: deque[int] = deque([climb.mark], maxlen=max(tabu, 1))
    idle = 0
    while idle <= tabu:
        best_next = climb.best(np.array(recent, dtype=np.uint64))
        if not np.isfinite(best_next.gain) or (best_next.gain <= LEAST and idle >= tabu):
            break
        climb.change(best_next.kind, best_next.parent, best_next.child)
        recent.append(climb.mark)
        current += best_next.gain
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
        reach = climb.best(np.zeros(0, dtype=np.uint64)).reach
        add = np.argwhere(np.isfinite(climb.add) & ~climb.edges & ~reach.T)
        cut = np.argwhere(climb.edges & np.isfinite(climb.cut))
        options = [(kind, i, j) for kind, pairs in (("add", add), ("cut", cut)) for i, j in pairs.tolist()]
        if options:
            kind, i, j = options[int(rng.integers(len(options)))]
            climb.change(kind, i, j)
    return climb
