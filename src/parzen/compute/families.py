"""Columns of codes, counted for many families (a node and its parents) at once; the best change of a graph."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array
from parzen.compute.codes import offsets_of

CHANGES = ("add", "cut", "turn")


class CodedColumns:
    """Columns of codes, each known in every row, and the rows of each code as bits.

    Parameters
    ----------
    columns : array of shape (d, n)
        Codes from 0 to size - 1.
    sizes : tuple of int
        States of each column; columns of size 0 are not read.
    weights : array of shape (n,), optional
    """

    def __init__(self, columns: NDArray[np.int32], sizes: tuple[int, ...], weights: Array | None = None) -> None:
        d, n = columns.shape
        for column, (own, size) in enumerate(zip(columns, sizes, strict=True)):
            if size and n and not (own.min() >= 0 and own.max() < size):
                raise ValueError(f"codes of column {column} must be 0 to {size - 1}.")
        self.columns, self.sizes, self.weights = columns, sizes, weights
        self._sizes, self._offsets = np.array(sizes, dtype=np.int64), offsets_of(sizes)
        self._bits = np.zeros((int(self._offsets[-1]), (n + 63) // 64), dtype=np.uint64)
        own = native.pointer(columns, native.I32, (d, n), "columns")
        native.call("bitmaps_i32", own, d, n, *native.outputs(self._offsets, self._bits))

    def likelihoods(self, node: int, parents: Sequence[int], more: Sequence[int]) -> Array:
        """Log-likelihood of a node with its parents, and with each of `more` columns as one more parent.

        Parameters
        ----------
        node, parents, more : positions of columns with codes

        Returns
        -------
        array of shape (1 + len(more),)
        """
        own, chosen = np.array(parents, dtype=np.int64), np.array(more, dtype=np.int64)
        for column in (node, *parents, *more):
            if not (0 <= column < len(self.sizes) and self.sizes[column]):
                raise ValueError(f"column {column} holds no codes.")
        d, n = self.columns.shape
        states = self.sizes[node]
        for parent in parents:
            states *= self.sizes[parent]
        out = np.empty(1 + len(chosen))
        native.call(
            "family_likelihoods_i32",
            native.pointer(self.columns, native.I32, (d, n), "columns"),
            n,
            *native.outputs(self._sizes, own),
            len(own),
            node,
            states,
            *native.outputs(chosen),
            len(chosen),
            None if self.weights is None else native.pointer(self.weights, native.F64, (n,), "weights"),
            *native.outputs(self._bits, self._offsets, out),
        )
        return out


@dataclass(frozen=True, eq=False)
class Change:
    """A change of an edge: "add", "cut" or "turn", its gain, and the pairs with a path in the graph before."""

    gain: float
    kind: str
    parent: int
    child: int
    reach: NDArray[np.bool_]


def best_change(
    add: Array,
    cut: Array,
    edges: NDArray[np.bool_],
    room: NDArray[np.bool_],
    marks: NDArray[np.uint64],
    mark: int,
    seen: NDArray[np.uint64],
    least: float = 1e-9,
) -> Change:
    """The change with the highest gain that makes no cycle, and no graph that was seen; minus infinity where none is.

    Parameters
    ----------
    add, cut : (d, d) gains of adding or cutting the edge from i to j; turning it is cutting it and adding its reverse
    edges : (d, d) an acyclic graph
    room : (d,) whether a node may have another parent
    marks : (d, d) random numbers; the exclusive or of those of its edges marks a graph
    mark, seen : marks of the graph, and of those that are not to come again
    least : gains that differ by no more are equal, and the first is taken: additions first, then cuts, then turns
    """
    d = len(edges)
    reach, change, gain = np.empty((d, d), dtype=bool), np.empty(3, dtype=np.int64), np.empty(1)
    native.call(
        "best_change_f64",
        d,
        native.pointer(add, native.F64, (d, d), "add"),
        native.pointer(cut, native.F64, (d, d), "cut"),
        native.pointer(edges, np.dtype(bool), (d, d), "edges"),
        native.pointer(room, np.dtype(bool), (d,), "room"),
        native.pointer(marks, np.dtype(np.uint64), (d, d), "marks"),
        mark,
        native.pointer(seen, np.dtype(np.uint64), (len(seen),), "seen"),
        len(seen),
        least,
        *native.outputs(reach, change, gain),
    )
    kind, parent, child = change.tolist()
    return Change(float(gain[0]), CHANGES[kind], parent, child, reach)
