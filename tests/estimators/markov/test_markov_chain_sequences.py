"""Markov chains of sequences in any form: weights, orders, symbols that are rare, given or unseen."""

import numpy as np
import pytest

from parzen import MarkovChain


def test_what_follows_a_symbol_never_met_is_open():
    chain = MarkovChain().fit(["aab"])
    np.testing.assert_allclose(chain.predict_next_proba(["ax"]), [[0.5, 0.5]])
    with pytest.raises(ValueError, match="'x' is none of"):
        MarkovChain(estimate="ml").fit(["aab"]).predict_next(["ax"])


def test_sequences_in_other_forms(rng):
    import pandas as pd

    words = MarkovChain().fit([["sun", "sun", "rain", "sun"], ["rain", "rain", "sun"]])
    with pytest.raises(TypeError, match="give each sequence as a list"):
        words.predict_next(["sun", "rain"])
    assert MarkovChain().fit(pd.DataFrame({"x": [3, 1, 3]})).symbols_.tolist() == [1, 3]
    assert MarkovChain().fit(pd.DataFrame({"x": ["ab", "ba"]})).symbols_.tolist() == ["a", "b"]
    for wrong in ([np.array([[5, 1], [2, 9]])], np.zeros((2, 2, 2))):
        with pytest.raises(ValueError, match="one axis"):
            MarkovChain().fit(wrong)
    for kind in (np.int8, np.int16, np.uint16, np.uint64):
        assert MarkovChain().fit([np.array([0, 1, 0], dtype=kind)]).symbols_.tolist() == [0, 1]
    big = MarkovChain().fit([np.array([2**63 + 1, 1], dtype=np.uint64)])
    assert big.symbols_.tolist() == [1, 2**63 + 1]
    for missing in ([[None, "sun"]], [["sun", float("nan")]]):
        with pytest.raises(ValueError, match="missing"):
            words.log_prob(missing)


def test_sequences_of_no_weight_are_as_if_they_were_not_there():
    for one, other in ((["ab", "cd"], ["ab"]), ([[0, 1], [2, 3]], [[0, 1]])):
        weighed, alone = MarkovChain().fit(one, sample_weight=[1.0, 0.0]), MarkovChain().fit(other)
        np.testing.assert_array_equal(weighed.transition_, alone.transition_)
    chosen = MarkovChain("bic", estimate="ml").fit(["abababababababab", "zz"], sample_weight=[1, 0])
    assert np.isfinite(list(chosen.orders_.values())).all()


def test_held_out_symbols_keep_their_context():
    chain = MarkovChain("heldout", estimate="ml").fit("c" + "ab" * 300)
    assert chain.order_ == 1
    with pytest.raises(ValueError, match="use a prior"):
        MarkovChain("heldout", estimate="ml").fit(["ab"] * 4 + ["zz"])


def test_long_runs_are_exact():
    n = 400
    P = np.zeros((n, n))
    for i in range(n):
        P[i, min(i + 1, n - 1)] += 0.9
        P[i, max(i - 1, 0)] += 0.1
    np.testing.assert_allclose(MarkovChain.from_parameters(range(n), P).stationary()[-2:], [8 / 81, 8 / 9], rtol=1e-12)
    back = P[:20, :20].copy()
    back[19] = 0.0
    back[19, 18], back[19, 19] = 0.9, 0.1
    back[:19] = 0.0
    for i in range(19):
        back[i, i + 1] += 0.1
        back[i, max(i - 1, 0)] += 0.9
    # From i to i + 1 it takes h_i = 10 + 9 h_{i - 1} steps.
    steps, step = 0, 0
    for _ in range(19):
        step = 10 + 9 * step
        steps += step
    assert MarkovChain.from_parameters(range(20), back).hitting_times(19)[0] == pytest.approx(steps, rel=1e-13)
    tiny = [[1 - 3e-12, 1e-12, 2e-12, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0.5, 0.5, 0, 0]]
    assert MarkovChain.from_parameters("abcd", tiny).hitting_probability("b")[0] == pytest.approx(1 / 3, rel=1e-12)


def test_order_0_has_one_context():
    chain = MarkovChain(0).fit(["ab"])
    assert chain.contexts_ == [()]
    assert chain.n_step(3).shape == chain.transition_.shape == (1, 2)


def test_small_probabilities_of_the_unseen_are_kept():
    chain = MarkovChain(prior=1e-20).fit(["aababcabbc"])
    np.testing.assert_allclose(chain.unseen_, [2.5e-21, 2.5e-21, 1e-20])


def test_columns_of_counts_have_names():
    from parzen import TransitionCounts

    counts = TransitionCounts().fit(["ab"])
    assert counts.get_feature_names_out()[:4].tolist() == ["→a", "→b", "→?", "a→a"]
    assert counts.set_params(order=2).transform(["ab"]).shape == (1, 12)
