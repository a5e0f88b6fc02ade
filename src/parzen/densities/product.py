"""Independent blocks of columns, each with densities of its own kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array, ColumnError, check_columns, column_block
from parzen.compute.steps import add_places, repeated
from parzen.densities.columns import chosen, others
from parzen.densities.density import Density


@dataclass(frozen=True)
class ProductDensity(Density):
    """K products of densities of blocks of columns.

    Attributes
    ----------
    parts : tuple of densities
    columns : tuple of tuples of int
        Positions of each part's columns; together they are all columns.
    """

    parts: tuple[Density, ...]
    columns: tuple[tuple[int, ...], ...]

    @property
    def shape(self) -> tuple[int, int]:
        return self.parts[0].shape[0], sum(map(len, self.columns))

    def log_density(self, X: Any) -> Array:
        check_columns(X, self.shape[1])
        total = np.zeros((len(X), self.shape[0]))
        for part, columns in self._pairs():
            try:
                total += part.log_density(X[:, columns])
            except ColumnError as error:
                raise error.renamed(columns) from None
        return total

    @property
    def independent_columns(self) -> bool:
        return all(part.independent_columns or part.shape[1] == 1 for part in self.parts)

    def compare(self, X: Any, out: Array) -> None:
        check_columns(X, self.shape[1])
        out[...] = 0.0
        scores = np.empty_like(out)
        for part, columns in self._pairs():
            block = column_block(X, columns)
            together = None if part.keeps_rows or not out.flags.c_contiguous else repeated(block)
            try:
                if together is None:
                    out += _informative(part, block, scores)
                else:
                    values, places = block[together[0]], together[1]
                    add_places(_informative(part, values, np.empty((len(values), out.shape[1]))), places, out)
            except ColumnError as error:
                raise error.renamed(columns) from None

    @property
    def keeps_rows(self) -> bool:
        return all(part.keeps_rows for part in self.parts)

    def leave_one_out(self, X: Any) -> Array:
        check_columns(X, self.shape[1])
        if not any(part.keeps_rows for part in self.parts):
            return self.log_density(X)
        from parzen.densities.kept_rows import KeptRows  # with all of smoothing, which other densities do without
        from parzen.densities.training_rows import training_rows

        kernels = [(part, X[:, columns]) for part, columns in self._pairs() if isinstance(part, KeptRows)]
        if not kernels:
            return self.log_density(X)
        windows, supports = [part.windows for part, _ in kernels], [part.support for part, _ in kernels]
        own = training_rows(windows, supports, [block for _, block in kernels])
        total = np.sum([part.without(block, own) for part, block in kernels], axis=0)
        for part, columns in self._pairs():
            if not isinstance(part, KeptRows):
                total += part.log_density(X[:, columns])
        return total

    def expectation(self) -> Array:
        out = np.empty(self.shape)
        for part, columns in self._pairs():
            out[:, columns] = part.expectation()
        return out

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        out = np.empty((len(labels), self.shape[1]))
        for part, columns in self._pairs():
            out[:, columns] = part.sample(labels, rng)
        return out

    def marginal(self, columns: Sequence[int]) -> Density:
        position = {column: at for at, column in enumerate(chosen(self.shape[1], columns))}
        parts, positions = [], []
        for part, own in self._pairs():
            kept = [at for at, column in enumerate(own) if column in position]
            if kept:
                parts.append(part if len(kept) == len(own) else part.marginal(kept))
                positions.append(tuple(position[own[at]] for at in kept))
        return _product(parts, positions)

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> Density:
        rest = others(self.shape[1], columns, values)
        given = dict(zip(chosen(self.shape[1], columns), np.asarray(values, dtype=np.float64), strict=True))
        position = {column: at for at, column in enumerate(rest)}
        parts, positions = [], []
        for part, own in self._pairs():
            known = [at for at, column in enumerate(own) if column in given]
            rest = others(len(own), known)
            if rest:
                parts.append(part.conditional(known, [given[own[at]] for at in known]) if known else part)
                positions.append(tuple(position[own[at]] for at in rest))
        return _product(parts, positions)

    def _pairs(self) -> list[tuple[Density, list[int]]]:
        return [(part, list(columns)) for part, columns in zip(self.parts, self.columns, strict=True)]


def _informative(part: Density, block: Any, scores: Array) -> Array:
    """What to compare K densities of one part by; a row that has density zero under all of them tells nothing."""
    part.compare(block, scores)
    silent = np.flatnonzero(np.isneginf(scores).all(axis=1)) if not (scores > -np.inf).all() else ()
    if len(silent):  # but infinite cells are an error
        scores[silent[~np.isinf(block[silent]).any(axis=1)]] = 0.0
    return scores


def _product(parts: list[Density], positions: list[tuple[int, ...]]) -> Density:
    """The product of the parts, or the part itself where there is one, its columns in order."""
    if len(parts) == 1 and positions[0] == tuple(range(len(positions[0]))):
        return parts[0]
    return ProductDensity(tuple(parts), tuple(positions))
