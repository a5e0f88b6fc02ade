"""Propagation in a junction tree, for many rows of evidence at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array


@dataclass(frozen=True)
class Program:
    """A junction tree as the compiled routine walks through it.

    A clique's table is a fixed table times signals. Slots of the signals: states of all nodes, cells of the rows' own
    factors, messages of all cliques to their parents. Parents come after their children.

    Attributes
    ----------
    cells : (C + 1,) first cell of each clique's fixed table
    inputs : (C + 1,) first input of each clique
    slot, map, child : of each input its first slot, where its map begins in `maps`, the child that sends it or -1
    up : (3, C) first slot, beginning of the map and size of the message of each clique to its parent
    outputs : (C + 1,) first output of each clique
    output : (3, outputs) first slot, beginning of the map and size of each output
    needed : (C,) whether an output lies in a clique or below it
    maps : from the cells of a clique to those of a signal or output, one after the other
    states : (nodes + 1,) first slot of each node
    extra : slots of the rows' own factors
    slots, out_slots : how many there are of signals and outputs
    """

    cells: NDArray[np.int64]
    inputs: NDArray[np.int64]
    slot: NDArray[np.int64]
    map: NDArray[np.int64]
    child: NDArray[np.int64]
    up: NDArray[np.int64]
    outputs: NDArray[np.int64]
    output: NDArray[np.int64]
    needed: NDArray[np.uint8]
    maps: NDArray[np.int32]
    states: NDArray[np.int64]
    extra: int
    slots: int
    out_slots: int


def cells_of(scope: Sequence[int], clique: Sequence[int], sizes: Sequence[int]) -> NDArray[np.int32]:
    """For each cell of a clique's table (C order) the cell of the table of some of its nodes, in their given order."""
    steps, step = {}, 1
    for node in reversed(scope):
        steps[node], step = step, step * sizes[node]
    return _cells(tuple((sizes[node], steps.get(node, 0)) for node in clique))


@lru_cache(maxsize=512)
def _cells(axes: tuple[tuple[int, int], ...]) -> NDArray[np.int32]:
    """Sums of steps over all combinations of states; the cliques of a chain, say, have few different ones."""
    found = np.zeros(1, dtype=np.int32)
    for size, step in axes:
        found = (found[:, None] + step * np.arange(size, dtype=np.int32)).ravel()
    found.setflags(write=False)
    return found


def propagate(
    program: Program,
    base: Array,
    codes: NDArray[np.int32],
    factors: Array,
    weights: Array | None = None,
    marginals: bool = False,
    counts: bool = False,
) -> tuple[Array, Array | None, Array | None]:
    """Log-probability of the evidence in each row, and posteriors of the program's outputs.

    Parameters
    ----------
    base : (cells,) fixed tables of the cliques, one after the other
    codes : (n, nodes) state of each node, or -1 where it is not known
    factors : (n, extra) cells of the rows' own factors
    weights : (n,) weights of the rows, for counts
    marginals : whether to return the outputs of each row, (n, out_slots); zeros where the evidence is impossible
    counts : whether to return their weighted sum over the rows, (out_slots,)
    """
    C, n, nodes = len(program.needed), len(codes), len(program.states) - 1
    log_evidence = np.empty(n)
    found = np.empty((n, program.out_slots)) if marginals else None
    total = np.empty(program.out_slots) if counts else None
    optional: tuple[Any, ...] = tuple(None if part is None else native.outputs(part)[0] for part in (found, total))
    own = native.outputs(
        program.cells, program.inputs, program.slot, program.map, program.child, program.up, program.outputs,
        program.output, program.needed, program.maps,
    )  # fmt: skip
    native.call(
        "propagate_f64",
        C,
        *own,
        native.pointer(base, native.F64, (int(program.cells[-1]),), "base"),
        native.pointer(codes, native.I32, (n, nodes), "codes"),
        n,
        nodes,
        *native.outputs(program.states),
        native.pointer(factors, native.F64, (n, program.extra), "factors"),
        program.extra,
        program.slots,
        program.out_slots,
        None if weights is None else native.pointer(weights, native.F64, (n,), "weights"),
        *native.outputs(log_evidence),
        *optional,
    )
    return log_evidence, found, total
