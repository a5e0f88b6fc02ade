"""Chains of symbols: counts of transitions and log-probabilities of sequences equal their twins."""

import numpy as np
import pytest

from parzen.compute.markov import context_count, count_transitions, score_transitions
from tests.oracle import TWINS

LENGTHS = {"none": [], "empty": [0, 0], "one": [1], "some": [5, 0, 1, 12, 3], "long": [200]}


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64])
@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize("S", [1, 2, 5])
@pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS)
def test_counts_and_scores_equal_the_oracle(level, dtype, order, S, lengths, rng):
    lengths = np.array(lengths, dtype=np.int64)
    codes = rng.integers(0, S, lengths.sum()).astype(dtype)
    weights, table = rng.random(len(lengths)), np.log(rng.dirichlet(np.ones(S), context_count(S, order)))
    found = count_transitions(codes, lengths, S, order)
    np.testing.assert_array_equal(found, TWINS["chain_count"](codes, lengths, S, order))
    found = count_transitions(codes, lengths, S, order, weights)
    np.testing.assert_allclose(found, TWINS["chain_count"](codes, lengths, S, order, weights), rtol=1e-13)
    found = score_transitions(codes, lengths, table, order)
    np.testing.assert_allclose(found, TWINS["chain_score"](codes, lengths, table, order), rtol=1e-13)


def test_counts_of_codes_that_lie_apart_in_memory(level, rng):
    codes, lengths = rng.integers(0, 3, 60)[::2], np.array([10, 20])
    np.testing.assert_array_equal(count_transitions(codes, lengths, 3, 1), TWINS["chain_count"](codes, lengths, 3, 1))


def test_an_impossible_symbol_makes_its_sequence_impossible_and_no_other(level):
    table = np.array([[0.0, -np.inf], [0.0, -np.inf], [0.0, 0.0]])
    codes, lengths = np.array([0, 0, 0, 1, 0]), np.array([2, 3])
    found = score_transitions(codes, lengths, table, 1)
    np.testing.assert_array_equal(found, TWINS["chain_score"](codes, lengths, table, 1))
    np.testing.assert_array_equal(found, [0.0, -np.inf])


def test_what_is_no_chain_is_refused():
    table = np.zeros((3, 2))
    for codes, lengths, error, message in (
        (np.array([0, 1]), [3], ValueError, "lengths must add up to the 2 symbols"),
        (np.array([0, 1]), [3, -1], ValueError, "lengths must add up to the 2 symbols"),
        (np.array([0, 2]), [2], ValueError, "codes must be from 0 to 1"),
        (np.array([0, -1]), [2], ValueError, "codes must be from 0 to 1"),
        (np.array([0.0, 1.0]), [2], TypeError, "codes must be uint8, int32 or int64"),
    ):
        with pytest.raises(error, match=message):
            count_transitions(codes, np.array(lengths), 2, 1)
        with pytest.raises(error, match=message):
            score_transitions(codes, np.array(lengths), table, 1)
