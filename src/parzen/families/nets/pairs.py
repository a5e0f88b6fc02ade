"""Information between each two columns, from counts and moments of pairs: a statistic that adds over batches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.codes import tally_pairs
from parzen.compute.memberships import Labels, Memberships
from parzen.compute.moments import moments
from parzen.densities.nets.bayes_net import read_codes
from parzen.densities.nets.bins import Bins
from parzen.families.nets.node_statistics import stacked
from parzen.statistics.accumulate import accumulate
from parzen.statistics.joint import Joint
from parzen.statistics.moments import Moments
from parzen.statistics.nets import NodeCounts

#: Cells of the counts that one pass over the rows collects; more pairs take more passes.
ROOM = 2**24
#: Least variance of a number, as a part of its variance in all groups together.
FLOOR = 1e-9


def mutual_information(
    X: Any,
    sizes: tuple[int, ...],
    bins: Mapping[int, Bins] | None = None,
    R: Memberships = None,
    given: int | None = None,
    groups: int = 1,
) -> Array:
    """Information between each two columns, in nats, summed over the rows in which both are known, (d, d).

    It is what an edge adds to the log-likelihood of the cells that are there: two columns that are rarely known
    together weigh little. Within the states of column `given`, or within classes, where there are any.

    Parameters
    ----------
    X : rows as a family reads them, or batches of them
    sizes : states of each column; 0 for numbers
    bins : of numbers that are cut into states
    R : classes and weights of the rows; batches bring their own
    groups : how many classes there are
    """
    d = len(sizes)
    found = np.zeros((d, d))
    K = groups if given is None else sizes[given]
    columns = [j for j in range(d) if j != given]
    for nodes in _passes(columns, sizes, K):
        pairs = PairSums(sizes, dict(bins or {}), tuple(columns), nodes, given, K)
        counts, one, two = accumulate(pairs, X, R).parts
        pairs.read_counts(counts.counts[0], found)
        pairs.read_moments(one, two, found)
    return np.maximum(found, found.T)


def _passes(columns: Sequence[int], sizes: Sequence[int], K: int) -> list[tuple[int, ...]]:
    """Columns whose pairs with those before them are counted in one pass."""
    found: list[list[int]] = [[]]
    taken = before = 0
    for node in columns:
        cells = K * (sizes[node] + 1) * before
        if found[-1] and taken + cells > ROOM:
            found.append([])
            taken = 0
        found[-1].append(node)
        taken, before = taken + cells, before + sizes[node] + 1
    return [tuple(part) for part in found]


@dataclass(frozen=True)
class PairSums:
    """Observes some columns with each one before them: counts of two categories, moments of numbers.

    Attributes
    ----------
    sizes, bins, given : see `mutual_information`
    columns : all columns but the given one
    nodes : those whose pairs are observed
    groups : states of the given column, or classes
    """

    sizes: tuple[int, ...]
    bins: dict[int, Bins]
    columns: tuple[int, ...]
    nodes: tuple[int, ...]
    given: int | None
    groups: int
    keeps_rows: ClassVar[bool] = False

    @property
    def _discrete(self) -> list[int]:
        return [j for j in self.columns if self.sizes[j]]

    @property
    def _numbers(self) -> list[int]:
        return [j for j in self.columns if not self.sizes[j]]

    def _tables(self) -> list[tuple[int, list[int]]]:
        """Columns of categories, each with those before it."""
        discrete = self._discrete
        return [(i, [j for j in discrete if j < i]) for i in self.nodes if self.sizes[i]]

    def _lines(self) -> list[tuple[int, int]]:
        """Pairs of a column of categories and one of numbers."""
        own = [i for i in self.nodes if not self.sizes[i]]
        return [(j, i) for j in self._discrete for i in own]

    def _planes(self) -> list[tuple[int, int]]:
        """Pairs of two columns of numbers."""
        return [(j, i) for i in self.nodes if not self.sizes[i] for j in self._numbers if j < i]

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Joint:
        rows = np.asarray(X)
        codes = read_codes(rows, self.sizes, self.bins)
        which = np.zeros(len(rows), dtype=np.int32) if self.given is None else codes[:, self.given]
        weights = R if isinstance(R, np.ndarray) else None
        if isinstance(R, Labels):
            weights = R.weights
            which = R.codes if self.given is None and R.groups > 1 else np.where(R.codes >= 0, which, -1)
        if (which < 0).any():
            own = np.flatnonzero(which >= 0)
            rows, codes, which = rows[own], codes[own], which[own]
            weights = None if weights is None else weights[own]
        weights = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        columns = np.ascontiguousarray(codes.T)
        return Joint(
            (
                NodeCounts(self._counts(columns, which, weights)[None]),
                self._moments(self._lines(), rows, columns, which, weights),
                self._moments(self._planes(), rows, columns, which, weights),
            )
        )

    def _counts(self, columns: NDArray[np.int32], which: NDArray[np.int32], weights: Array | None) -> Array:
        """Counts of the pairs of categories, one after the other; a missing cell is one more state."""
        sizes = np.array(self.sizes) + 1
        filled = columns.copy()
        for own, size in zip(filled, self.sizes, strict=True):
            own[own < 0] = size
        parts: list[Array] = [np.empty(0)]
        for i, others in self._tables():
            if others:
                state = (which * np.int32(sizes[i]) + filled[i]).astype(np.int32)
                states = self.groups * int(sizes[i])
                parts.append(tally_pairs(state, states, filled, others, sizes[others].tolist(), weights, sizes).ravel())
        return np.concatenate(parts)

    def _moments(
        self,
        pairs: list[tuple[int, int]],
        rows: Array,
        columns: NDArray[np.int32],
        which: NDArray[np.int32],
        weights: Array | None,
    ) -> Moments:
        """Moments of the pairs, those of each group (and state of the first column) one after the other."""
        d = 2 if pairs and not self.sizes[pairs[0][0]] else 1
        parts = [Moments(np.zeros(0), np.zeros((0, d)), np.zeros((0, d, d)), np.zeros((0, d)))]
        gone = {j: np.isnan(rows[:, j]) for j in self._numbers} if pairs else {}
        for j, i in pairs:
            size = self.sizes[j]
            lost = gone[i] | (columns[j] < 0 if size else gone[j])
            own = np.flatnonzero(~lost) if lost.any() else slice(None)
            label = which[own] * np.int32(size) + columns[j][own] if size else which[own]
            cells = np.ascontiguousarray(rows[own][:, [i] if size else [j, i]], dtype=np.float64)
            within = None if weights is None else np.ascontiguousarray(weights[own])
            labels = Labels.sound(np.ascontiguousarray(label, dtype=np.int32), within, self.groups * max(size, 1))
            parts.append(Moments(*moments(cells, labels)))
        return stacked(parts)

    def read_counts(self, counts: Array, found: Array) -> None:
        """Write the information of pairs of categories."""
        begin = 0
        for i, others in self._tables():
            if not others:
                continue
            sizes = np.array([self.sizes[j] + 1 for j in others])
            states = self.groups * (self.sizes[i] + 1)
            end = begin + int(sizes.sum()) * states
            table = counts[begin:end].reshape(-1, self.groups, self.sizes[i] + 1)
            begin = end
            last = np.cumsum(sizes) - 1
            known = np.delete(np.arange(len(table)), last)
            table = table[known][:, :, :-1]
            first = np.cumsum(sizes - 1) - (sizes - 1)
            own = table.sum(axis=2)
            other = np.add.reduceat(table, first, axis=0)
            gain = np.add.reduceat(_entropic(table).sum(axis=(1, 2)) - _entropic(own).sum(axis=1), first)
            gain += _entropic(other.sum(axis=2)).sum(axis=1) - _entropic(other).sum(axis=(1, 2))
            found[others, i] = np.maximum(gain, 0.0)

    def read_moments(self, lines: Moments, planes: Moments, found: Array) -> None:
        """Write the information of pairs in which there are numbers."""
        K, begin = self.groups, 0
        for j, i in self._lines():
            shape = (K, self.sizes[j])
            own = slice(begin, begin + K * self.sizes[j])
            begin = own.stop
            weight, mean, scatter = (part[own].reshape(shape) for part in (lines.weight, lines.mean, lines.scatter))
            whole, scatters = _together(weight, mean, scatter)
            least = FLOOR * _together(*(part.ravel()[None] for part in (weight, mean, scatter)))[1].sum()
            least /= max(weight.sum(), 1e-300)
            found[j, i] = max(_logs(whole, scatters, least) - _logs(weight, scatter, least), 0.0)
        for at, (j, i) in enumerate(self._planes()):
            own = slice(at * K, (at + 1) * K)
            weight, scatter = planes.weight[own], planes.scatter[own]
            across = np.divide(scatter[:, 0, 1] ** 2, scatter[:, 0, 0], out=np.zeros(K), where=scatter[:, 0, 0] > 0)
            least = FLOOR * scatter[:, 1, 1].sum() / max(weight.sum(), 1e-300)
            rest = scatter[:, 1, 1] - across
            found[j, i] = max(_logs(weight, scatter[:, 1, 1], least) - _logs(weight, rest, least), 0.0)


def _entropic(counts: Array) -> Array:
    return np.where(counts > 0, counts * np.log(np.where(counts > 0, counts, 1.0)), 0.0)


def _together(weight: Array, mean: Array, scatter: Array) -> tuple[Array, Array]:
    """Weight and scatter of groups together, along the last axis."""
    whole = weight.sum(axis=-1)
    centre = (weight * mean).sum(axis=-1) / np.where(whole > 0, whole, 1.0)
    return whole, (scatter + weight * (mean - centre[..., None]) ** 2).sum(axis=-1)


def _logs(weight: Array, scatter: Array, least: float) -> float:
    """Half the weights times the logarithms of variances."""
    some = weight > 0
    return float(0.5 * (weight[some] * np.log(np.maximum(scatter[some] / weight[some], max(least, 1e-300)))).sum())
