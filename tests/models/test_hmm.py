"""Drop-ins for hmmlearn's models: the same start, the same likelihood after each step; and a chain followed online."""

import logging

import numpy as np
import pytest
from hmmlearn import hmm
from sklearn.base import clone

from parzen import CategoricalHMM, Gaussian, GaussianHMM, HiddenMarkov, Labels, MarkovChain, Product, fit
from parzen.estimators.markov.hmmlearn import Monitor


@pytest.fixture(autouse=True)
def quiet():
    logging.getLogger("hmmlearn").setLevel(logging.ERROR)


@pytest.fixture
def rows(rng):
    states = np.repeat([0, 1, 0, 2], 100)
    means = np.array([[0.0, 0.0], [4.0, 1.0], [-4.0, 2.0]])
    return means[states] + rng.normal(size=(400, 2)), [250, 150]


OPTIONS = [
    {},
    {"means_prior": 1.0, "means_weight": 5.0, "covars_weight": 4, "transmat_prior": 1.5, "startprob_prior": 2.0},
    {"params": "tm"},
    {"params": "smc"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=["default", "priors", "tm", "smc"])
@pytest.mark.parametrize("kind", ["diag", "full", "tied", "spherical"])
def test_gaussian_is_hmmlearns(rows, kind, options):
    X, lengths = rows
    ours = GaussianHMM(3, kind, random_state=1, n_iter=15, tol=1e-4, **options).fit(X, lengths)
    theirs = hmm.GaussianHMM(3, kind, random_state=1, n_iter=15, tol=1e-4, **options).fit(X, lengths)
    np.testing.assert_allclose(ours.monitor_.history, theirs.monitor_.history, rtol=1e-8)
    for name in ("startprob_", "transmat_", "means_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-8, err_msg=name)
    if kind != "spherical":  # theirs repeats itself there
        np.testing.assert_allclose(ours.covars_, theirs.covars_, atol=1e-8)
    assert ours.score(X, lengths) == pytest.approx(theirs.score(X, lengths), rel=1e-10)
    assert ours.aic(X, lengths) == pytest.approx(theirs.aic(X, lengths), rel=1e-10)
    assert ours.bic(X, lengths) == pytest.approx(theirs.bic(X, lengths), rel=1e-10)
    for algorithm in ("viterbi", "map"):
        mine, yours = ours.decode(X, lengths, algorithm), theirs.decode(X, lengths, algorithm)
        assert mine[0] == pytest.approx(yours[0], rel=1e-10)
        np.testing.assert_array_equal(mine[1], yours[1])
    np.testing.assert_allclose(ours.score_samples(X, lengths)[1], theirs.score_samples(X, lengths)[1], atol=1e-9)
    np.testing.assert_allclose(ours.get_stationary_distribution(), theirs.get_stationary_distribution(), atol=1e-8)


@pytest.mark.parametrize("options", [{}, {"emissionprob_prior": 1.3, "transmat_prior": 2.0}, {"params": "e"}])
def test_categorical_is_hmmlearns(rng, options):
    X = rng.integers(0, 4, 300)[:, None]
    ours = CategoricalHMM(3, random_state=1, n_iter=20, **options).fit(X, [100, 200])
    theirs = hmm.CategoricalHMM(3, random_state=1, n_iter=20, **options).fit(X, [100, 200])
    np.testing.assert_allclose(ours.monitor_.history, theirs.monitor_.history, rtol=1e-8)
    np.testing.assert_allclose(ours.emissionprob_, theirs.emissionprob_, atol=1e-8)
    assert ours.bic(X, [100, 200]) == pytest.approx(theirs.bic(X, [100, 200]), rel=1e-10)


def test_parameters_may_be_set(rows):
    X, _ = rows
    for ours in (GaussianHMM(2, init_params=""), hmm.GaussianHMM(2, init_params="")):
        ours.startprob_, ours.transmat_ = np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.0, 1.0]])
        ours.means_, ours.covars_ = np.array([[0.0, 0.0], [4.0, 1.0]]), np.ones((2, 2))
        before = ours.score(X)
        ours.fit(X)
        assert ours.transmat_[1, 0] == 0.0
        if isinstance(ours, GaussianHMM):
            mine = before, ours.score(X)
    assert mine == pytest.approx((before, ours.score(X)), rel=1e-10)


def test_covariances_without_means_are_about_the_means_that_stay(rows):
    # hmmlearn forgets to weigh the rows when "m" is not in params, and loses 6,000 nats at the first step.
    X, lengths = rows
    model = GaussianHMM(3, random_state=1, params="sc", n_iter=15).fit(X, lengths)
    assert (np.diff(model.monitor_.history) > -1e-8).all()


def test_offsets_and_missing_cells(rows):
    X, lengths = rows
    plain = GaussianHMM(3, "full", random_state=0).fit(X, lengths)
    far = GaussianHMM(3, "full", random_state=0).fit(X + 1e8, lengths)
    assert far.score(X + 1e8, lengths) == pytest.approx(plain.score(X, lengths), rel=1e-6)
    holes = X.copy()
    holes[::7, 0] = np.nan
    holes[5] = np.nan
    for kind in ("full", "diag", "tied", "spherical"):
        model = GaussianHMM(3, kind, random_state=0, n_iter=50, covars_prior=0, covars_weight=0).fit(holes, lengths)
        assert (np.diff(model.monitor_.history) > -1e-7).all()
        assert model.follow(holes[:250]).log_likelihood == pytest.approx(model.score(holes[:250]))
    symbols = np.where(np.arange(60) % 5 == 0, -1, np.arange(60) % 3)[:, None]
    np.testing.assert_allclose(
        CategoricalHMM(2, random_state=0).fit(symbols).emissionprob_,
        CategoricalHMM(2, random_state=0).fit(np.where(symbols < 0, np.nan, symbols)).emissionprob_,
    )


def test_a_monitor_of_ones_own_is_asked(rows):
    class Twice(Monitor):
        @property
        def converged(self):
            return self.iter == 2

    model = GaussianHMM(2, random_state=0, n_iter=50)
    model.monitor_ = Twice(0.0, 50, False)
    assert len(model.fit(rows[0]).monitor_.history) == 2
    assert clone(model).monitor_.history == []
    plain = GaussianHMM(2, tol=5)
    plain.monitor_ = Twice(plain.monitor_.tol, plain.monitor_.n_iter, plain.monitor_.verbose)
    assert plain.fit(rows[0]).monitor_.iter == 2


def test_bad_input(rows):
    X, _ = rows
    model = GaussianHMM(2, random_state=0).fit(X)
    before = model.means_
    for broken, message in (
        (GaussianHMM(0), "n_components must be"),
        (GaussianHMM(2, "round"), "covariance_type must be"),
        (GaussianHMM(2, algorithm="best"), "algorithm must be"),
        (GaussianHMM(500), "fewer rows"),
        (CategoricalHMM(2), "one column"),
    ):
        with pytest.raises(ValueError, match=message):
            broken.fit(X)
    for options, message in (({"lengths": [3]}, "lengths add up"), ({"lengths": [400, 0]}, "at least 1")):
        with pytest.raises(ValueError, match=message):
            model.fit(X, **options)
    assert model.means_ is before
    with pytest.raises(ValueError, match="1 features, but GaussianHMM is expecting 2"):
        model.score(X[:, :1])
    model.transmat_ = [[0.5, 0.6], [0.5, 0.5]]
    with pytest.raises(ValueError, match=r"row 0 of transmat_ must sum to 1, got 1.1"):
        model.score(X)
    for symbols in (np.array([[0.5]]), np.array([[-3]])):
        with pytest.raises(ValueError, match="whole numbers"):
            CategoricalHMM(1).fit(symbols)
    with pytest.raises(ValueError, match="the symbol 7"):
        CategoricalHMM(1, n_features=3).fit(np.array([[7]]))


def test_given_chains():
    seen = fit(Gaussian(), np.array([[0.0], [1.0], [8.0], [9.0]]), Labels([0, 0, 1, 1])).density
    for start, transition, message in (
        ([0.5, 0.6], np.full((2, 2), 0.5), "start must sum to 1, got 1.1"),
        ([0.5, 0.5], [[0.5, 0.5], [0.9, 0.2]], "row 1 of transition must sum to 1"),
        ([0.5, 0.5], [[1.5, -0.5], [0.5, 0.5]], "none negative"),
        ([1.0], np.full((2, 2), 0.5), "shape"),
    ):
        with pytest.raises(ValueError, match=message):
            HiddenMarkov.from_parameters(start, transition, seen)
    with pytest.raises(ValueError, match="row 1 of transition must sum to 1"):
        MarkovChain.from_parameters("ab", [[0.5, 0.5], [0.5, 0.6]])
    given = MarkovChain.from_parameters("ab", [[0.9, 0.1], [0.5, 0.5]], [1.0, 0.0])
    np.testing.assert_allclose(given.log_prob(["aab"]), [np.log(0.9 * 0.1)])
    for refused in (lambda: given.partial_fit(["ab"]), lambda: given.merge(given)):
        with pytest.raises(ValueError, match="given, not learnt"):
            refused()
    assert given.fit(["abab"]).counts_.sum() == 4
    walk = MarkovChain.from_parameters(["z", "a"], [[1.0, 0.0], [0.25, 0.75]], [0.5, 0.5])
    assert walk.symbols_.tolist() == ["a", "z"]
    np.testing.assert_array_equal(walk.hitting_times("z"), [4.0, 0.0])
    with pytest.raises(ValueError, match="differ from each other"):
        MarkovChain.from_parameters("aa", np.full((2, 2), 0.5))


def test_what_follows_a_symbol_never_met_is_open():
    chain = MarkovChain().fit(["aab"])
    np.testing.assert_allclose(chain.predict_next_proba(["ax"]), [[0.5, 0.5]])
    with pytest.raises(ValueError, match="'x' is none of"):
        MarkovChain(estimate="ml").fit(["aab"]).predict_next(["ax"])


def test_following_row_by_row_is_filtering(rows, rng):
    X, _ = rows
    model = HiddenMarkov(Gaussian(), 3, random_state=0).fit(X)
    following = model.follow()
    np.testing.assert_allclose(following.ahead(), model.start_)
    steps, states = [], []
    for row in X[:60]:
        steps.append(following.update(row[None])[0])
        states.append(following.states)
    np.testing.assert_allclose(steps, model.score_samples(X[:60]), atol=1e-9)
    np.testing.assert_allclose(states, model.filter(X[:60]), atol=1e-12)
    np.testing.assert_allclose(following.ahead(3), model.ahead(X[:60], 3)[-1], atol=1e-12)
    assert following.log_likelihood == pytest.approx(model.score(X[:60]))
    # One step ahead: the density of the next row, before it is taken.
    told = following.score(X[60:61])
    np.testing.assert_allclose(told, following.update(X[60:61]), atol=1e-9)
    np.testing.assert_allclose(following.mean(), following.ahead() @ model.density_.emission.mean)
    drawn, _ = following.sample(20_000, random_state=0)
    long_run = model.density_.emission.mean.T @ np.linalg.matrix_power(model.transition_, 2_000)[0]
    assert drawn.shape == (20_000, 2)
    assert abs(drawn[:, 1].mean() - long_run[1]) < 0.3
    with pytest.raises(ValueError, match="steps must be"):
        following.ahead(0)
    peer = GaussianHMM(3, random_state=0).fit(X)
    np.testing.assert_allclose(peer.follow(X[:50]).states, peer.filter(X[:50])[-1], atol=1e-12)


def test_a_row_that_cannot_come_is_not_taken():
    from parzen import Categorical

    seen = fit(Categorical(estimate="ml", unseen="error"), np.array([[0], [1]]), Labels([0, 1])).density
    model = HiddenMarkov.from_parameters([1.0, 0.0], np.eye(2), seen)
    following = model.follow([[0]])
    with pytest.raises(ValueError, match="row 1 is impossible"):
        following.update([[1]])
    assert following.seen == 1
    np.testing.assert_array_equal(following.states, [1.0, 0.0])


def test_tables_are_followed_too(rng):
    import pandas as pd

    frame = pd.DataFrame({"a": np.repeat([0.0, 9.0], 40) + rng.normal(size=80), "b": rng.normal(size=80)})
    model = HiddenMarkov(Product({"a": Gaussian(), "b": Gaussian()}), 2, random_state=0).fit(frame)
    following = model.follow(frame[:50])
    assert list(following.sample(3, random_state=0)[0].columns) == ["a", "b"]
    assert following.score(frame[50:52]).shape == (2,)


class TestReviewed:
    """What reviewers found."""

    def test_symbols_that_the_rows_lack(self, rng):
        X = rng.integers(0, 4, 60)[:, None]
        ours, theirs = (one(2, n_features=6, random_state=0).fit(X) for one in (CategoricalHMM, hmm.CategoricalHMM))
        np.testing.assert_allclose(ours.emissionprob_, theirs.emissionprob_, atol=1e-8)
        assert ours.emissionprob_.shape == (2, 6)

    def test_draws_are_hmmlearns(self, rows):
        X, _ = rows
        for kind in ("diag", "full"):
            ours, theirs = (one(2, kind, random_state=3).fit(X) for one in (GaussianHMM, hmm.GaussianHMM))
            for mine, yours in zip(ours.sample(20, random_state=1), theirs.sample(20, random_state=1), strict=True):
                np.testing.assert_allclose(mine, yours, atol=1e-6)
        symbols = np.arange(40)[:, None] % 3
        ours, theirs = (one(2, random_state=3).fit(symbols) for one in (CategoricalHMM, hmm.CategoricalHMM))
        mine, yours = ours.sample(20, random_state=1), theirs.sample(20, random_state=1)
        np.testing.assert_array_equal(mine[0], yours[0])
        assert mine[0].dtype.kind == "i"
        assert ours.sample(3, currstate=1)[1][0] == 1

    def test_all_steps_can_be_forced(self, rows):
        X, _ = rows
        assert GaussianHMM(2, random_state=0, tol=-np.inf, n_iter=40).fit(X).monitor_.iter == 40

    def test_what_was_set_and_is_overwritten_is_said(self, rows):
        X, _ = rows
        model = GaussianHMM(2, random_state=0)
        model.means_ = np.zeros((2, 2))
        with pytest.warns(UserWarning, match="means_ was set, and is begun anew"):
            model.fit(X)
        model.fit(X)  # what a fit left is no one's wish
        model.means_ += 1.0

    @pytest.mark.parametrize(
        "options",
        [
            {"params": "xyz"},
            {"init_params": None},
            {"tol": "a"},
            {"startprob_prior": np.ones(3)},
            {"transmat_prior": "a"},
            {"covars_prior": -1},
            {"covars_weight": np.ones(7)},
            {"means_prior": np.zeros(3)},
            {"means_weight": -1},
        ],
    )
    def test_wrong_parameters_are_named(self, rows, options):
        with pytest.raises(ValueError, match=next(iter(options))):
            GaussianHMM(2, **options).fit(rows[0])

    def test_lengths_that_overflow(self, rows):
        X, _ = rows
        for refused in (
            lambda: GaussianHMM(2).fit(X, [2**62] * 4 + [400]),
            lambda: MarkovChain().fit(np.zeros(100, int), lengths=[2**62] * 4 + [100]),
            lambda: HiddenMarkov(random_state=0).fit(X, lengths=[2**63 - 1, 2**63 - 1, 402]),
        ):
            with pytest.raises(ValueError, match="lengths add up"):
                refused()

    def test_infinite_and_impossible_rows(self, rows):
        X, _ = rows
        model = HiddenMarkov(Gaussian(), 2, random_state=0).fit(X)
        for cell, message in ((np.inf, "infinity"), (1e200, "sequence 0 is impossible")):
            broken = X.copy()
            broken[3, 0] = cell
            for method in (model.predict, model.predict_proba, model.decode):
                with pytest.raises(ValueError, match=message):
                    method(broken)

    def test_a_follower_never_loses_a_state(self):
        seen = fit(Gaussian(), np.array([[-1.0], [1.0], [49.0], [51.0]]), Labels([0, 0, 1, 1])).density
        model = HiddenMarkov.from_parameters([0.5, 0.5], np.eye(2), seen)
        rows = np.array([[0.0], [50.0], [50.0]])
        following = model.follow()
        for row in rows:
            following.update(row[None])
        np.testing.assert_allclose(following.states, [0.0, 1.0])
        assert following.log_likelihood == pytest.approx(model.score(rows))

    def test_no_row_costs_digits_of_the_others(self):
        seen = fit(Gaussian(), np.array([[-1.0], [1.0], [1.0], [3.0]]), Labels([0, 0, 1, 1])).density
        model = HiddenMarkov.from_parameters([0.5, 0.5], np.eye(2), seen)
        rows = np.concatenate([np.zeros(400), [1e9], np.full(3, 2.0)])[:, None]
        np.testing.assert_allclose(model.score_samples(rows)[-3:], -0.5 * np.log(2 * np.pi), rtol=1e-12)

    def test_rare_symbols_outside_of_the_sample(self, rng):
        z = (np.cumsum(rng.random(9000) < 0.05) % 2).astype(int)
        cells = np.where(rng.random(9000) < 0.85, z, 1 - z)
        cells[[600, 5200]] = 2
        from parzen import Categorical

        model = HiddenMarkov(Categorical(estimate="ml"), 2, random_state=0).fit(cells[:, None])
        assert np.isfinite(model.score(cells[:, None]))

    def test_given_chains_count_their_own_parameters(self, rows):
        from parzen import Categorical, Poisson

        X, _ = rows
        for family, table in (
            (Gaussian("diag"), X),
            (Gaussian(), X),
            (Poisson(estimate="ml"), np.abs(X).astype(int)),
            (Categorical(estimate="ml", unseen="error"), np.abs(X[:, :1]).astype(int)),
        ):
            fitted = HiddenMarkov(family, 2, random_state=0, max_iter=500).fit(table)
            codes = fitted.schema_.encode(table)
            given = HiddenMarkov.from_parameters(fitted.start_, fitted.transition_, fitted.density_.emission)
            assert given.aic(codes) == pytest.approx(fitted.aic(table))

    def test_sequences_in_other_forms(self, rng):
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

    def test_sequences_of_no_weight_are_as_if_they_were_not_there(self):
        for one, other in ((["ab", "cd"], ["ab"]), ([[0, 1], [2, 3]], [[0, 1]])):
            weighed, alone = MarkovChain().fit(one, sample_weight=[1.0, 0.0]), MarkovChain().fit(other)
            np.testing.assert_array_equal(weighed.transition_, alone.transition_)
        chosen = MarkovChain("bic", estimate="ml").fit(["abababababababab", "zz"], sample_weight=[1, 0])
        assert np.isfinite(list(chosen.orders_.values())).all()

    def test_what_is_held_out_goes_on_from_what_came_before(self):
        chain = MarkovChain("heldout", estimate="ml").fit("c" + "ab" * 300)
        assert chain.order_ == 1
        with pytest.raises(ValueError, match="use a prior"):
            MarkovChain("heldout", estimate="ml").fit(["ab"] * 4 + ["zz"])

    def test_long_runs_are_exact(self):
        n = 400
        P = np.zeros((n, n))
        for i in range(n):
            P[i, min(i + 1, n - 1)] += 0.9
            P[i, max(i - 1, 0)] += 0.1
        np.testing.assert_allclose(
            MarkovChain.from_parameters(range(n), P).stationary()[-2:], [8 / 81, 8 / 9], rtol=1e-12
        )
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

    def test_order_0_has_one_context(self):
        chain = MarkovChain(0).fit(["ab"])
        assert chain.contexts_ == [()]
        assert chain.n_step(3).shape == chain.transition_.shape == (1, 2)

    def test_small_shares_of_the_unseen_are_kept(self):
        chain = MarkovChain(prior=1e-20).fit(["aababcabbc"])
        np.testing.assert_allclose(chain.unseen_, [2.5e-21, 2.5e-21, 1e-20])

    def test_columns_of_counts_have_names(self):
        from parzen import TransitionCounts

        counts = TransitionCounts().fit(["ab"])
        assert counts.get_feature_names_out()[:4].tolist() == ["→a", "→b", "→?", "a→a"]
        assert counts.set_params(order=2).transform(["ab"]).shape == (1, 12)

    def test_known_states_as_numbers_with_gaps(self, rows):
        X, lengths = rows
        known = np.full(400, np.nan)
        known[:10] = 1.0
        model = HiddenMarkov(Gaussian(), 2, random_state=0).fit(X, known)
        assert (model.predict(X)[:10] == 1).all()
        for y, message in ((np.full(400, 0.5), "got .*0.5"), (np.full(400, "a"), "got .*'a'"), (lengths, "lengths=")):
            with pytest.raises(ValueError, match=message):
                model.fit(X, y)
        with pytest.raises(ValueError, match="lengths="):
            model.score(X, lengths)
        with pytest.raises(ValueError, match="keep to the topology"):
            HiddenMarkov(Gaussian(), 2, topology="left-right").fit(X, np.repeat([1, 0], 200))
