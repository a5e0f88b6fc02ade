"""Markov chains: counts, probabilities, where they end up; against brute force, NumPy and published values."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from parzen import BayesClassifier, Markov, MarkovChain, TransitionCounts
from parzen.compute.markov import context_count, count_transitions, score_transitions
from parzen.densities.chain_structure import structure
from parzen.densities.transition_matrix import hitting, stationary


def row_of(context, S):
    row = 0
    for code in context:
        row = row * S + code
    return sum(S**length for length in range(len(context))) + row


def brute_force(parts, S, order, weights):
    out = np.zeros((context_count(S, order), S))
    for part, w in zip(parts, weights, strict=True):
        for t, code in enumerate(part):
            out[row_of(part[max(0, t - order) : t], S), code] += w
    return out


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize("kind", [np.uint8, np.int32, np.int64])
@pytest.mark.parametrize("weighted", [False, True])
def test_counts_equal_brute_force(level, order, kind, weighted, rng):
    lengths = np.array([7, 0, 1, 2, 40, 3])
    codes = rng.integers(0, 4, lengths.sum()).astype(kind)
    parts = np.split(codes.tolist(), np.cumsum(lengths)[:-1])
    parts = [part.astype(int).tolist() for part in parts]
    w = rng.random(6) if weighted else None
    found = count_transitions(codes, lengths, 4, order, w)
    np.testing.assert_allclose(found, brute_force(parts, 4, order, np.ones(6) if w is None else w))
    logs = np.log(rng.dirichlet(np.ones(4), context_count(4, order)))
    expected = [sum(logs[row_of(part[max(0, t - order) : t], 4), x] for t, x in enumerate(part)) for part in parts]
    np.testing.assert_allclose(score_transitions(codes, lengths, logs, order), expected, atol=1e-12)


def test_the_kernel_refuses(rng):
    codes = np.array([0, 1, 2])
    for lengths, S, message in (([2], 3, "add up"), ([3], 2, "from 0 to 1"), ([4, -1], 3, "add up")):
        with pytest.raises(ValueError, match=message):
            count_transitions(codes, np.array(lengths), S, 1)
    with pytest.raises(TypeError, match="uint8, int32 or int64"):
        count_transitions(codes.astype(float), np.array([3]), 3, 1)


@pytest.mark.parametrize("estimate", ["ml", "map", "bayes"])
def test_estimates(estimate):
    chain = MarkovChain(estimate=estimate).fit(["aab", "ba"])
    counts = np.array([[1.0, 1.0], [1.0, 0.0]])  # a after a, b after a, a after b
    if estimate == "ml":
        expected = counts / counts.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(chain.start_, [0.5, 0.5])
    else:  # both are Laplace's rule, over two symbols and one that was never met
        expected = (counts + 1) / (counts.sum(axis=1, keepdims=True) + 3)
        np.testing.assert_allclose(chain.unseen_, [1 / 5, 1 / 4])
    np.testing.assert_allclose(chain.transition_, expected)


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize("estimate", ["ml", "bayes"])
def test_probabilities_of_all_sequences_add_to_one(order, estimate, rng):
    chain = MarkovChain(order, estimate=estimate).fit([rng.integers(0, 2, 200)])
    every = [list(one) for one in itertools.product([0, 1], repeat=6)]
    total = np.exp(chain.log_prob(every)).sum()
    if estimate == "ml":
        assert total == pytest.approx(1.0)
        return
    wide = [list(one) for one in itertools.product([0, 1, 7], repeat=6)]  # 7 was never met
    assert np.exp(chain.log_prob(wide)).sum() == pytest.approx(1.0)
    assert total < 1


def test_any_symbols_in_any_form(rng):
    flat = rng.integers(0, 3, 60)
    lists = [flat[:20].tolist(), flat[20:].tolist()]
    first = MarkovChain().fit(lists)
    for X, lengths in ((flat, [20, 40]), ([flat[:20], flat[20:]], None), (tuple(map(tuple, lists)), None)):
        np.testing.assert_array_equal(MarkovChain().fit(X, lengths=lengths).transition_, first.transition_)
    letters = np.array(["x", "y", "z"])
    text = MarkovChain().fit(["".join(letters[part]) for part in lists])
    names = MarkovChain().fit([letters[part].tolist() for part in lists])
    pairs = MarkovChain().fit([[(int(code), "k") for code in part] for part in lists])
    for other in (text, names, pairs):
        np.testing.assert_array_equal(other.transition_, first.transition_)
    assert text.symbols_.tolist() == ["x", "y", "z"]
    assert pairs.symbols_.tolist()[0] == (0, "k")
    gaps = MarkovChain().fit([np.array([5, 900, 5, 900, 900])])
    assert gaps.symbols_.tolist() == [5, 900]
    far = MarkovChain().fit([np.array([-(10**12), 10**12, -(10**12)])])
    assert far.symbols_.tolist() == [-(10**12), 10**12]
    assert isinstance(text.sample(5, random_state=0), str)
    assert text.sample(5, start="xy", random_state=0).startswith("xy")
    again = pickle.loads(pickle.dumps(clone(text).fit(["xyz"])))
    assert again.predict_next(["x"]).tolist() == ["y"]


@given(st.lists(st.text("ab\U0001f600 ", min_size=1, max_size=8), min_size=2, max_size=6), st.integers(0, 2))
def test_batches_and_shards_equal_all_at_once(texts, order):
    symbols = sorted(set("".join(texts)))
    whole = MarkovChain(order, symbols=symbols).fit(texts)
    batches = MarkovChain(order, symbols=symbols)
    for text in texts:
        batches.partial_fit([text])
    shards = (
        MarkovChain(order, symbols=symbols).fit(texts[:1]).merge(MarkovChain(order, symbols=symbols).fit(texts[1:]))
    )
    for other in (batches, shards):
        np.testing.assert_array_equal(other.counts_, whole.counts_)
        np.testing.assert_array_equal(other.log_prob(texts), whole.log_prob(texts))
    double = MarkovChain(order, symbols=symbols).fit(texts, sample_weight=np.full(len(texts), 2.0))
    np.testing.assert_array_equal(double.counts_, MarkovChain(order, symbols=symbols).fit(texts + texts).counts_)


def test_next_symbols_and_samples(rng):
    P = np.array([[0.9, 0.1, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]])
    codes = [0]
    for u in rng.random(20_000):
        codes.append(int(np.searchsorted(np.cumsum(P[codes[-1]]), u)))
    chain = MarkovChain(estimate="ml").fit([codes])
    np.testing.assert_allclose(chain.transition_, P, atol=0.02)
    assert chain.predict_next([[0, 1, 2, 0]]).tolist() == [0]
    np.testing.assert_allclose(chain.predict_next_proba([[1]])[0], chain.transition_[1])
    drawn = MarkovChain(estimate="ml").fit([chain.sample(20_000, random_state=1)])
    np.testing.assert_allclose(drawn.transition_, P, atol=0.03)
    assert chain.perplexity([codes]) == pytest.approx(np.exp(chain.entropy_rate()), rel=0.02)


def test_steps_and_the_long_run():
    """Land of Oz (Kemeny and Snell): never two nice days in a row; 40% rain, 20% nice, 40% snow in the long run."""
    P = np.array([[0.5, 0.25, 0.25], [0.5, 0.0, 0.5], [0.25, 0.25, 0.5]])
    np.testing.assert_allclose(stationary(P), [0.4, 0.2, 0.4])
    np.testing.assert_allclose(np.linalg.matrix_power(P, 20)[0], [0.4, 0.2, 0.4])
    _, steps = hitting(P, np.array([1]))
    np.testing.assert_allclose(steps, [4.0, 0.0, 4.0])


def test_gamblers_ruin():
    """Known in closed form: from k of 4, the fair game is won with probability k / 4, after k (4 - k) steps."""
    P = np.zeros((5, 5))
    P[0, 0] = P[4, 4] = 1.0
    for k in (1, 2, 3):
        P[k, k - 1] = P[k, k + 1] = 0.5
    won, _ = hitting(P, np.array([4]))
    np.testing.assert_allclose(won, np.arange(5) / 4)
    _, over = hitting(P, np.array([0, 4]))
    np.testing.assert_allclose(over, [0, 3, 4, 3, 0])
    _, unsure = hitting(P, np.array([4]))
    np.testing.assert_array_equal(np.isinf(unsure), [True, True, True, True, False])
    found = structure(P)
    assert found.absorbing == (0, 4)
    assert sum(found.recurrent) == 2
    assert not found.irreducible
    with pytest.raises(
        ValueError, match=r"no unique stationary.*\{0\} absorbing; \{4\} absorbing; \{1, 2, 3\} transient"
    ):
        MarkovChain(estimate="ml").fit([[1, 0, 0], [2, 1, 2, 3, 2], [3, 4, 4]]).stationary()


def test_periods():
    ring = np.roll(np.eye(4), 1, axis=1)
    assert structure(ring).periods == (4,)
    assert not structure(ring).ergodic
    np.testing.assert_allclose(stationary(ring), 0.25)
    ring[0, 2], ring[0, 1] = 0.5, 0.5  # ways of length 3 and 4
    assert structure(ring).periods == (1,)
    assert structure(np.array([[0.0, 1.0], [0.0, 1.0]])).periods == (1, 0)


@given(st.integers(0, 10_000), st.integers(2, 7))
def test_the_stationary_distribution_stays(seed, S):
    P = np.random.default_rng(seed).dirichlet(np.full(S, 0.3), S)
    P = np.maximum(P, 1e-200) / np.maximum(P, 1e-200).sum(axis=1, keepdims=True)
    share = stationary(P)
    assert share.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(share @ P, share, rtol=1e-9, atol=1e-15)


def test_higher_orders_in_the_long_run(rng):
    codes = rng.integers(0, 2, 3000)
    two = MarkovChain(2, estimate="ml").fit([codes])
    assert len(two.contexts_) == 4
    np.testing.assert_allclose(two.stationary(), np.bincount(codes) / 3000, atol=0.01)
    np.testing.assert_allclose(two.n_step(1), two.transition_)
    assert two.n_step(30).shape == (4, 2)
    assert two.entropy_rate() == pytest.approx(np.log(2), abs=0.01)
    with pytest.raises(TypeError, match="order 1"):
        two.hitting_times(1)


def test_the_order_is_found(rng):
    codes = [0, 1]
    for u in rng.random(6000):  # the next symbol repeats the one before the last, mostly
        codes.append(codes[-2] if u < 0.9 else 1 - codes[-2])
    for way in ("bic", "heldout"):
        chain = MarkovChain(way).fit([codes])
        assert chain.order_ == 2
        assert min(chain.orders_, key=chain.orders_.get) == 2
    assert MarkovChain("bic").fit([rng.integers(0, 3, 2000)]).order_ == 0
    many = MarkovChain("heldout").fit([codes[i : i + 60] for i in range(0, 6000, 60)])
    assert many.order_ == 2


def test_which_language_wrote_it():
    english = [
        "the quick brown fox jumps over the lazy dog",
        "she sells sea shells on the sea shore",
        "to be or not to be",
    ]
    german = [
        "zwölf boxkämpfer jagen viktor quer über den deich",
        "der hund und die katze",
        "sein oder nicht sein ist die frage",
    ]
    model = make_pipeline(TransitionCounts(), BayesClassifier(Markov()))
    model.fit(english + german, ["en"] * 3 + ["de"] * 3)
    assert model.predict(["the sea and the fox", "der deich und die katze"]).tolist() == ["en", "de"]
    # The same as a chain for each language.
    symbols = model[0].symbols_.tolist()
    chains = [MarkovChain(symbols=symbols).fit(texts) for texts in (german, english)]
    logs = np.stack([chain.log_prob(["a fox"]) for chain in chains], axis=1)
    density = model[1].density_.log_density(model[0].transform(["a fox"]))
    np.testing.assert_allclose(density, logs, rtol=1e-12)
    dense = BayesClassifier(Markov()).fit(model[0].transform(english + german).toarray(), ["en"] * 3 + ["de"] * 3)
    np.testing.assert_allclose(dense.density_.log_transition, model[1].density_.log_transition)


def test_bad_input():
    chain = MarkovChain().fit(["ab", "ba"])
    before = chain.transition_
    for X, lengths, error, message in (
        ([], None, ValueError, "no sequences"),
        (["ab", ""], None, ValueError, "sequence 1 is empty"),
        (["ab", 3], None, TypeError, "sequence 1 is 3"),
        (np.array([1, 2, 3]), [2, 2], ValueError, "lengths add up to 4, but there are 3"),
        (np.array([1, 2, 3]), [3, 0], ValueError, "at least 1"),
        (np.array([1.0, np.nan]), None, ValueError, "NaN"),
        ([["a", None]], None, ValueError, "missing"),
        ([[["a"], ["b"]]], None, TypeError, "hashable"),
        (7, None, TypeError, "list of sequences"),
    ):
        with pytest.raises(error, match=message):
            chain.fit(X, lengths=lengths)
        np.testing.assert_array_equal(chain.transition_, before)
    with pytest.raises(ValueError, match="'c' is none of the 2 symbols fitted; give all symbols"):
        chain.partial_fit(["abc"])
    with pytest.raises(ValueError, match="'c' is none of the 2 symbols fitted; with a prior"):
        MarkovChain(estimate="ml").fit(["ab"]).log_prob(["abc"])
    with pytest.raises(ValueError, match="'c' is none of the 2 symbols given by symbols="):
        MarkovChain(symbols="ab").fit(["abc"])
    for parameters, message in (
        ({"order": -1}, "order must be"),
        ({"order": "best"}, "order must be one of 'bic', 'heldout'"),
        ({"prior": 0.0}, "prior must be a number above 0"),
        ({"prior": 0.5, "estimate": "map"}, "prior must be a number above 1"),
        ({"estimate": "mle"}, "estimate must be one of"),
        ({"order": "bic", "max_order": -1}, "max_order must be"),
    ):
        with pytest.raises(ValueError, match=message):
            MarkovChain(**parameters).fit(["ab"])
    with pytest.raises(ValueError, match="lower the order"):
        MarkovChain(9).fit(["abcdefghijklmnopqrstuvwxyz"])
    with pytest.raises(ValueError, match="sample_weight must be 1 finite"):
        MarkovChain().fit(["ab"], sample_weight=[1, 2])
    with pytest.raises(ValueError, match="same symbols"):
        chain.merge(MarkovChain().fit(["xy"]))
    with pytest.raises(NotFittedError):
        MarkovChain().log_prob(["ab"])
    with pytest.raises(ValueError, match="length must be"):
        chain.sample(0)
    with pytest.raises(ValueError, match="'z' is none of the symbols"):
        chain.hitting_times("z")
    with pytest.raises(ValueError, match="not the counts of a chain"):
        BayesClassifier(Markov()).fit(np.eye(5), [0, 0, 1, 1, 1])


@pytest.mark.parametrize("symbols", [["sun", "rain"], "zab", [30, 10, 20], [2.5, 0.5]])
def test_given_parameters_keep_the_order_of_their_symbols(symbols, rng):
    S = len(symbols)
    table, first = rng.dirichlet(np.ones(S), S), rng.dirichlet(np.ones(S))
    chain = MarkovChain.from_parameters(symbols, table, first)
    assert chain.symbols_.tolist() == list(symbols)
    np.testing.assert_allclose(chain.transition_, table)
    one = symbols[1] + symbols[0] if isinstance(symbols, str) else [symbols[1], symbols[0]]
    assert chain.score([one]) == pytest.approx(np.log(first[1] * table[1, 0]) / 2)
    np.testing.assert_allclose(chain.stationary() @ table, chain.stationary())
