"""Families counted in one compiled call, and the best change of a graph, against their twins."""

import numpy as np
import pytest

from parzen.compute.families import CodedColumns, best_change
from tests.oracle import TWINS


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sizes", [(2, 3, 1, 4), (5, 9, 7, 6), (12, 30, 11, 2)])  # bits, copies, one large table
@pytest.mark.parametrize("n", [1, 64, 203])
def test_likelihoods_of_families_equal_those_of_tables(level, weighted, sizes, n, rng):
    columns = np.array([rng.integers(0, size, n) for size in sizes], dtype=np.int32)
    w = rng.integers(0, 3, n).astype(np.float64) if weighted else None
    coded = CodedColumns(columns, sizes, w)
    np.testing.assert_array_equal(coded._bits, TWINS["bitmaps"](columns, sizes))
    for node, parents, more in ((0, [], [1, 2, 3]), (1, [0], [3, 2]), (3, [0, 1, 2], []), (2, [1, 0], [3])):
        found = coded.likelihoods(node, parents, more)
        expected = TWINS["family_likelihoods"](columns, sizes, node, parents, more, np.ones(n) if w is None else w)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-11)


def test_codes_and_columns_are_checked():
    columns = np.array([[0, 1], [0, 2]], dtype=np.int32)
    with pytest.raises(ValueError, match="column 1 must be 0 to 1"):
        CodedColumns(columns, (2, 2))
    with pytest.raises(ValueError, match="column 1 holds no codes"):
        CodedColumns(columns, (2, 0)).likelihoods(0, [1], [])


@pytest.mark.parametrize("d", [2, 3, 6])
def test_the_best_change_is_that_of_all_changes(level, d, rng):
    for _ in range(30):
        edges = np.triu(rng.random((d, d)) < 0.4, 1)
        order = rng.permutation(d)
        edges = np.ascontiguousarray(edges[order][:, order])
        add, cut = rng.normal(size=(d, d)), rng.normal(size=(d, d))
        room = rng.random(d) < 0.7
        marks = rng.integers(0, 2**64, (d, d), dtype=np.uint64)
        mark = int(np.bitwise_xor.reduce(marks[edges], initial=np.uint64(0)))
        seen = np.append(np.uint64(mark) ^ marks[0, :2], np.uint64(mark))
        found = best_change(add, cut, edges, room, marks, mark, seen)
        expected = TWINS["best_change"](add, cut, edges, room, marks, mark, seen)
        assert (found.gain, found.kind, found.parent, found.child) == expected
        steps = np.linalg.matrix_power(np.eye(d) + edges, d) > 0
        np.testing.assert_array_equal(found.reach, steps & ~np.eye(d, dtype=bool))
