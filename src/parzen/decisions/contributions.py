"""What each column adds to the scores of the classes, from one evaluation of their densities."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, ColumnError
from parzen.decisions.explanation import Block
from parzen.densities.averaged import AveragedDensity
from parzen.densities.density import Density
from parzen.densities.linear import Linear
from parzen.densities.multinomial import MultinomialDensity
from parzen.densities.nets.bayes_net import BayesNetDensity
from parzen.densities.product import ProductDensity


class BlockScores(NamedTuple):
    """Log-densities of blocks of columns that are conditionally independent given the class.

    Attributes
    ----------
    blocks : tuple of b tuples of int
        Positions of the columns of each block, in order.
    scores : array of shape (b, n, K)
        Log-density of each block of each row under each class, up to a term of the row and block alone.
    total : array of shape (n, K)
        Log-density of each row under each class, up to a term of the row alone: what `Density.compare` gives.
    """

    blocks: tuple[Block, ...]
    scores: Array
    total: Array

    def log_odds(self, first: NDArray[np.integer], second: NDArray[np.integer]) -> Array:
        """What each block adds to the log-odds of class ``first[i]`` of row i against class ``second[i]``, (n, b).

        A block that no class explains (density zero under all of them) adds nothing.
        """
        rows = np.arange(len(first))
        explained = ~np.isneginf(self.scores).all(axis=2)
        with np.errstate(invalid="ignore"):
            odds = self.scores[:, rows, first] - self.scores[:, rows, second]
        return np.where(explained, odds, 0.0).T


def block_scores(density: Density | Linear, X: Array) -> BlockScores:
    """Evaluate K densities (or affine scores) at rows X (n, d), each block of columns apart.

    Scores of whole rows, and so posteriors, are sums over the blocks: nothing is evaluated twice.
    """
    pairs, total = _evaluate(density, X)
    pairs.sort(key=lambda pair: pair[0])
    return BlockScores(tuple(block for block, _ in pairs), np.array([scores for _, scores in pairs]), total)


def _evaluate(density: Density | Linear, X: Array) -> tuple[list[tuple[Block, Array]], Array]:
    """Each block with its scores (n, K), and the scores of whole rows."""
    d = X.shape[1]
    if isinstance(density, BayesNetDensity | AveragedDensity):
        chained = _chained(density, X)
        return [((j,), own) for j, own in enumerate(chained)], chained.sum(axis=0)
    if isinstance(density, ProductDensity):
        return _of_product(density, X)
    if isinstance(density, MultinomialDensity | Linear):
        pairs = _of_weights(density, X)
    elif density.independent_columns and d > 1:
        pairs = [((j,), _compared(density.marginal([j]), X[:, [j]])) for j in range(d)]
    else:
        pairs = [(tuple(range(d)), _compared(density, X))]
    total = np.sum([scores for _, scores in pairs], axis=0)
    return pairs, total + density.intercept if isinstance(density, Linear) else total


def _chained(density: BayesNetDensity | AveragedDensity, X: Array) -> Array:
    """Log-density of each column given those before it, parents first, (d, n, K): they add up to the row's.

    A missing cell adds nothing.
    """
    columns = list(range(X.shape[1]))
    if isinstance(density, BayesNetDensity):
        place = {node: at for at, node in enumerate(density.graph.order)}
        columns.sort(key=lambda j: place[density.columns[j]])
    out = np.zeros((X.shape[1], len(X), density.shape[0]))
    seen, before = np.full(X.shape, np.nan), np.zeros(out.shape[1:])
    for j in columns:
        there = np.flatnonzero(~np.isnan(X[:, j]))
        seen[:, j] = X[:, j]
        after = before.copy()
        after[there] = density.log_density(seen[there])
        with np.errstate(invalid="ignore"):
            out[j] = np.where(np.isneginf(after), -np.inf, after - before)
        before = after
    return out


def _of_product(density: ProductDensity, X: Array) -> tuple[list[tuple[Block, Array]], Array]:
    pairs: list[tuple[Block, Array]] = []
    total = np.zeros((len(X), density.shape[0]))
    for part, columns in zip(density.parts, density.columns, strict=True):
        block = np.ascontiguousarray(X[:, list(columns)])
        try:
            inner, scores = _evaluate(part, block)
        except ColumnError as error:
            raise error.renamed(columns) from None
        pairs += [(tuple(columns[j] for j in own), values) for own, values in inner]
        unexplained = np.isneginf(scores).all(axis=1, keepdims=True)  # as in ProductDensity.compare
        total += np.where(unexplained & ~np.isinf(block).any(axis=1, keepdims=True), 0.0, scores)
    return pairs, total


def _compared(density: Density, X: Array) -> Array:
    scores = np.empty((len(X), density.shape[0]))
    density.compare(np.ascontiguousarray(X), scores)
    return scores


def _of_weights(density: MultinomialDensity | Linear, X: Array) -> list[tuple[Block, Array]]:
    """Each column, with its cells times its weight in each class."""
    weights = density.coef if isinstance(density, Linear) else density.log_probability
    log_observed: Array | float = 0.0
    missing = np.isnan(X)
    if isinstance(density, MultinomialDensity) and missing.any():  # a multinomial of the columns that are observed
        log_observed = np.log((~missing).astype(np.float64) @ np.exp(weights.T))
    cells = np.nan_to_num(X)
    with np.errstate(invalid="ignore"):
        return [
            ((j,), np.where(cells[:, [j]] == 0, 0.0, cells[:, [j]] * (weight - log_observed)))
            for j, weight in enumerate(weights.T)
        ]
