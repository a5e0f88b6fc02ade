"""Small batches of rows for k-means: drawn by weight, or of a source in its order; and when steps end."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.estimators.mixture.clusters import Look, tell
from parzen.statistics.batches import Batches


class Draw:
    """Batches of rows, each row drawn by its weight, with replacement."""

    def __init__(self, look: Look, size: int, rng: np.random.Generator) -> None:
        self.rows, self.size, self.rng = look.rows, size, rng
        self.mass = None if look.w is None else np.cumsum(look.w)

    def batch(self) -> Any:
        """Rows of the next batch."""
        return self.rows[_drawn(self.rows.shape[0], self.mass, self.size, self.rng)]


def _drawn(n: int, mass: Array | None, size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Numbers of rows, in their order: reading them is faster so."""
    at = np.sort(rng.random(size))
    rows = (at * n).astype(np.intp) if mass is None else np.searchsorted(mass, at * mass[-1], side="right")
    return np.minimum(rows, n - 1)


def some_of(look: Look, size: int, rng: np.random.Generator, always: bool = False) -> Look:
    """Rows at random, all of them where there are no more (unless they are `always` drawn)."""
    n = look.rows.shape[0]
    if size >= n and not always:
        return look
    rows = _drawn(n, None, size, rng)
    return Look(look.rows[rows], None if look.w is None else look.w[rows], look.gaps, look.variance)


class Progress:
    """Whether steps go on: the inertia of a row, smoothed over batches, and how far centres have moved."""

    def __init__(self, model: Any, look: Look, steps: int, size: int) -> None:
        self.model, self.steps = model, steps
        self.tol = model.tol * look.variance
        self.share = min(2.0 * size / (look.rows.shape[0] + 1), 1.0)
        self.smoothed, self.least, self.idle = math.nan, math.inf, 0

    def ended(self, step: int, inertia: float, moved: float) -> bool:
        """Whether the step was the last one; of the first, the inertia is that of the start."""
        model, name = self.model, f"step {step}/{self.steps}"
        self.smoothed = inertia if step <= 2 else self.smoothed + self.share * (inertia - self.smoothed)
        if model.verbose:
            more = f", ewa inertia: {self.smoothed}" if step > 1 else ""
            tell(f"Minibatch {name}: mean batch inertia: {inertia}{more}")
        if step == 1:
            return False
        if self.tol > 0 and moved <= self.tol:
            if model.verbose:
                tell(f"Converged (small centers change) at {name}")
            return True
        self.idle = 0 if self.smoothed < self.least else self.idle + 1
        self.least = min(self.least, self.smoothed)
        if model.max_no_improvement is not None and self.idle >= model.max_no_improvement:
            if model.verbose:
                tell(f"Converged (lack of improvement in inertia) at {name}")
            return True
        return False


def in_order(rows: Batches, size: int, passes: int) -> Iterator[tuple[Any, Array | None]]:
    """Batches of at most so many rows and their weights, in the order of a source, so many times over."""
    for _ in range(passes):
        for X, w in rows:
            assert w is None or isinstance(w, np.ndarray)
            for begin in range(0, X.shape[0], size):
                own = slice(begin, begin + size)
                yield X[own], None if w is None else w[own]
