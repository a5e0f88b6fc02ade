"""Propagation in junction trees and counts of pairs equal their twins."""

import numpy as np
import pytest

from parzen.compute.codes import tally_pairs
from parzen.compute.junction import cells_of, propagate
from parzen.densities.nets.propagation import Network
from tests.oracle import TWINS

NETS = [
    ((2, 3), ((0,), (0, 1)), ()),
    ((2, 2, 3), ((0,), (0, 1), (1, 2)), ((0,),)),
    ((2, 2, 2, 2), ((0,), (1,), (0, 1, 2), (2, 3)), ((1, 0), (3,))),
    ((3, 1, 2), ((0,), (1,), (2,)), ()),
]


@pytest.mark.parametrize("case", range(len(NETS)))
def test_propagation_equals_the_sum_over_all_cells(level, case, rng):
    sizes, scopes, extra = NETS[case]
    net = Network(sizes, scopes, extra, tuple(map(str, range(len(sizes)))))
    outputs = tuple((node,) for node in range(len(sizes))) + scopes
    _, program = net.program(outputs)
    base = rng.random(int(program.cells[-1]))
    for n in (1, 16, 19):
        codes = np.array([[rng.integers(-1, size) for size in sizes] for _ in range(n)], dtype=np.int32)
        factors = rng.random((n, program.extra))
        found, marginals, _ = propagate(program, base, codes, factors, marginals=True)
        expected, posterior = TWINS["propagate"](program, base, codes, factors)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(marginals, posterior, rtol=1e-12, atol=1e-14)
        weights = rng.random(n)
        _, _, counts = propagate(program, base, codes, factors, weights, counts=True)
        np.testing.assert_allclose(counts, weights @ posterior, rtol=1e-12)


def test_rows_whose_products_could_round_to_zero_are_done_in_logarithms(level, rng):
    sizes, scopes, extra = NETS[2]
    net = Network(sizes, scopes, extra, tuple(map(str, range(len(sizes)))))
    outputs = tuple((node,) for node in range(len(sizes))) + scopes
    _, program = net.program(outputs)
    base = rng.random(int(program.cells[-1]))
    codes = np.array([[rng.integers(-1, size) for size in sizes] for _ in range(19)], dtype=np.int32)
    factors = rng.random((19, program.extra))
    factors[1::3] *= 1e-148  # the twin, which multiplies, still holds the product of two such factors
    factors[2::3, 0] *= 1e-285
    found, marginals, _ = propagate(program, base, codes, factors, marginals=True)
    expected, posterior = TWINS["propagate"](program, base, codes, factors)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(marginals, posterior, rtol=1e-11, atol=1e-14)


def test_many_children_that_disagree_do_not_underflow(level):
    children, odds = 400, 1e4
    scopes = ((0,), *((0, j) for j in range(1, children + 1)))
    net = Network((2,) * (children + 1), scopes, (), tuple(map(str, range(children + 1))))
    outputs = ((0,), (1,))
    for_first = np.array([[1 - 1 / odds, 1 / odds], [1 / odds, 1 - 1 / odds]])
    tables = [np.array([0.5, 0.5]), *([for_first] * children)]
    codes = np.zeros((2, children + 1), dtype=np.int32)
    codes[:, 0] = -1
    codes[:, 1 : children // 2 + 1] = 1  # half of them speak for one state, half for the other
    codes[1, -1] = 1
    _, program = net.program(outputs)
    found, marginals, _ = propagate(program, net.base(tables, outputs), codes, np.empty((2, 0)), marginals=True)
    half = children // 2 * (np.log1p(-1 / odds) - np.log(odds))
    np.testing.assert_allclose(found[0], half, rtol=1e-12)
    np.testing.assert_allclose(marginals[0], [0.5, 0.5, 0, 1], rtol=1e-9)
    np.testing.assert_allclose(marginals[1, 0] / marginals[1, 1], (odds - 1) ** -2, rtol=1e-9)


def test_impossible_evidence_has_log_probability_minus_infinity_and_no_posterior(level):
    net = Network((2, 2), ((0,), (0, 1)), (), ("a", "b"))
    outputs = ((0,), (1,))
    _, program = net.program(outputs)
    tables = [np.array([1.0, 0.0]), np.array([[0.5, 0.5], [0.5, 0.5]])]
    codes = np.array([[1, -1], [0, 1]], dtype=np.int32)
    found, marginals, _ = propagate(program, net.base(tables, outputs), codes, np.empty((2, 0)), marginals=True)
    assert found[0] == -np.inf
    np.testing.assert_array_equal(marginals[0], 0)
    np.testing.assert_allclose(found[1], np.log(0.5))


def test_cells_of_a_part_of_a_clique():
    assert cells_of((1,), (0, 1), (2, 3)).tolist() == [0, 1, 2, 0, 1, 2]
    assert cells_of((1, 0), (0, 1), (2, 3)).tolist() == [0, 2, 4, 1, 3, 5]
    assert cells_of((), (0,), (3,)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("states", [5, 700])  # tables that are counted in copies, and a larger one
def test_pairs_of_states_and_codes_are_counted(level, weighted, states, rng):
    n, sizes = 51, (2, 3, 4)
    columns = np.array([rng.integers(0, size, n) for size in sizes], dtype=np.int32)
    state = rng.integers(0, states, n).astype(np.int32)
    state[0] = states - 1
    w = rng.random(n) if weighted else None
    found = np.split(tally_pairs(state, states, columns, [2, 0], [4, 2], w), [4])
    for table, j in zip(found, (2, 0), strict=True):
        expected = TWINS["pairs"](state, states, columns[j], sizes[j], np.ones(n) if w is None else w)
        np.testing.assert_allclose(table, expected, rtol=1e-12)
    with pytest.raises(ValueError, match="0 to 2"):
        tally_pairs(state, states, columns, [2], [3])
    with pytest.raises(ValueError, match=f"0 to {states - 2}"):
        tally_pairs(state, states - 1, columns, [2], [4])
