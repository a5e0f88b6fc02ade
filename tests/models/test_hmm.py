"""Drop-ins for hmmlearn's models: the same start, the same likelihood after each step; and a chain followed online."""

import logging

import numpy as np
import pytest
from hmmlearn import hmm
from sklearn.base import clone

from parzen import CategoricalHMM, Gaussian, GaussianHMM, HiddenMarkov, Labels, MarkovChain, Product, fit
from parzen.estimators.stepwise import Monitor


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
    assert not hasattr(clone(model), "monitor_")


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
