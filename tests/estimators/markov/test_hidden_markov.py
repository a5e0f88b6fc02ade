"""Hidden Markov models: hmmlearn step by step, a likelihood that never falls, and what users ask of them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from parzen import (
    Categorical,
    Gaussian,
    HiddenMarkov,
    Labels,
    MarkovChain,
    Mixture,
    Poisson,
    Product,
    fit,
)
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.hmm import HMMDensity
from parzen.families.hmm import HMM
from tests.libraries import hmm

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning", "ignore::parzen.FloorWarning")


@pytest.mark.parametrize("covariance", ["diag", "full", "spherical"])
def test_hmmlearn_after_every_step(rows, covariance, rng):
    X, _, lengths = rows
    start, transition = np.full(3, 1 / 3), 0.7 * np.eye(3) + 0.1
    mean = rng.normal(size=(3, 2))
    kind = {"diag": "diag", "full": "full", "spherical": "spherical"}[covariance]
    peer = hmm.GaussianHMM(
        3, kind, n_iter=12, tol=-1e9, init_params="", min_covar=0, covars_prior=0, covars_weight=0, means_weight=0
    )
    peer.startprob_, peer.transmat_, peer.means_ = start.copy(), transition.copy(), mean.copy()
    peer.covars_ = {"diag": np.ones((3, 2)), "full": np.stack([np.eye(2)] * 3), "spherical": np.ones(3)}[kind]
    peer.fit(X, lengths)
    factor = np.stack([np.eye(2)] * 3) if covariance == "full" else np.ones((3, 2))
    begun = HMMDensity(GaussianDensity(mean, factor), start, transition, lengths)
    family = HMM(Gaussian(covariance, estimate="ml"), 3, lengths)
    found = fit(family, X, start=begun, max_iter=12, tol=0, accelerate=False)
    np.testing.assert_allclose(
        found.log_likelihoods, list(peer.monitor_.history)[: len(found.log_likelihoods)], rtol=1e-8
    )
    ours = HiddenMarkov(Gaussian(), 3, random_state=0).fit(X, lengths=lengths)
    theirs = hmm.GaussianHMM(3, "full")
    theirs.startprob_, theirs.transmat_ = ours.start_, ours.transition_
    theirs.means_, theirs.covars_ = ours.density_.emission.mean, ours.density_.emission.covariance
    assert ours.score(X, lengths=lengths) == pytest.approx(theirs.score(X, lengths), rel=1e-10)
    np.testing.assert_allclose(ours.predict_proba(X, lengths=lengths), theirs.predict_proba(X, lengths), atol=1e-9)
    np.testing.assert_array_equal(ours.predict(X, lengths=lengths), theirs.predict(X, lengths))


@pytest.mark.parametrize(
    ("emission", "make"),
    [
        (Gaussian(), lambda z, rng: (3 * z + rng.normal(size=len(z)))[:, None]),
        (Gaussian("diag"), lambda z, rng: np.column_stack([z, -z]) * 3 + rng.normal(size=(len(z), 2))),
        (Poisson(estimate="ml"), lambda z, rng: rng.poisson(1 + 8 * z)[:, None]),
        (Categorical(estimate="ml"), lambda z, rng: (z + (rng.random(len(z)) < 0.1))[:, None].astype(int)),
        (
            Mixture(Gaussian(), 2),
            lambda z, rng: (6 * z + rng.choice([-1, 1], len(z)) + 0.3 * rng.normal(size=len(z)))[:, None],
        ),
    ],
    ids=["gaussian", "diag", "poisson", "categorical", "mixture"],
)
def test_any_family_emits_and_the_likelihood_never_falls(emission, make, rng):
    z = np.repeat([0, 1, 0, 1], 80)
    X = make(z, rng)
    model = HiddenMarkov(emission, 2, n_init=3, random_state=0, accelerate=False).fit(X)
    steps = np.diff(model.log_likelihoods_)
    assert (steps > -1e-7 * abs(model.log_likelihoods_[-1])).all()
    found = model.predict(X)
    assert max((found == z).mean(), (found == 1 - z).mean()) > 0.9
    np.testing.assert_allclose(model.transition_.sum(axis=1), 1.0)
    assert model.score(X) == pytest.approx(model.score_samples(X).sum())
    assert model.bic(X) > model.aic(X)
    drawn, states = model.sample(50, random_state=0)
    assert len(drawn) == len(states) == 50


def test_mixed_tables_with_missing_cells(rng):
    z = np.repeat([0, 1, 0, 1], 60)
    table = pd.DataFrame({"load": 5.0 * z + rng.normal(size=240), "kind": np.where(rng.random(240) < 0.1, "b", "a")})
    table.loc[z == 1, "kind"] = "c"
    table.loc[rng.random(240) < 0.2, "load"] = np.nan
    model = HiddenMarkov(Product({"load": Gaussian(), "kind": Categorical()}), 2, random_state=0).fit(table)
    found = model.predict(table)
    assert max((found == z).mean(), (found == 1 - z).mean()) > 0.95
    drawn, _ = model.sample(5, random_state=0)
    assert list(drawn.columns) == ["load", "kind"]
    full = np.column_stack([table["load"], table["load"] + rng.normal(size=240)])
    gaps = HiddenMarkov(Gaussian(), 2, random_state=0).fit(full)
    assert np.isfinite(gaps.score(full))


def test_rows_that_are_missing_altogether_leave_the_chain_alone(rows):
    X, _, _ = rows
    model = HiddenMarkov(Gaussian(), 3, random_state=0).fit(X)
    holes = X.copy()
    holes[-1] = np.nan
    states = model.filter(holes)
    np.testing.assert_allclose(states[-1], states[-2] @ model.transition_, atol=1e-12)
    assert model.score_samples(holes)[-1] == pytest.approx(0.0, abs=1e-12)


def test_structures_keep_their_zeros(rng):
    z = np.repeat([0, 1, 2], 60)
    X = (4.0 * z + rng.normal(size=180))[:, None]
    model = HiddenMarkov(Gaussian(), 3, topology="left-right", n_init=4, random_state=0).fit(X)
    np.testing.assert_array_equal(model.start_, [1.0, 0.0, 0.0])
    assert (model.transition_[np.tril_indices(3, -1)] == 0).all()
    assert model.transition_[0, 2] == 0
    assert (np.diff(model.predict(X)) >= 0).all()
    ring = np.roll(np.eye(3), 1, axis=1) + np.eye(3)
    cyclic = HiddenMarkov(Gaussian(), 3, topology=ring, random_state=0).fit(X)
    assert (cyclic.transition_[ring == 0] == 0).all()
    assert cyclic.family_.n_parameters(cyclic.density_) == 2 + 3 + 6


def test_known_states_stay_known(rows):
    X, states, lengths = rows
    known = np.where(np.arange(400) % 10 == 0, states, -1)
    model = HiddenMarkov(Gaussian(), 3, random_state=0).fit(X, labels=known, lengths=lengths)
    assert (model.predict(X, lengths=lengths) == states).mean() > 0.97


def test_weights_of_sequences_count_them(rows):
    X, _, lengths = rows
    begun = HMMDensity(GaussianDensity(X[[0, 120, 320]], np.ones((3, 2))), np.full(3, 1 / 3), np.full((3, 3), 1 / 3))
    twice = np.concatenate([X, X[250:]])
    options = {"max_iter": 5, "tol": 0, "accelerate": False}
    family = Gaussian("diag", estimate="ml")
    long = fit(HMM(family, 3, np.array([250, 150, 150])), twice, start=begun, **options)
    weighted = fit(HMM(family, 3, lengths), X, np.repeat([1.0, 2.0], lengths), start=begun, **options)
    np.testing.assert_allclose(weighted.log_likelihoods, long.log_likelihoods, rtol=1e-10)
    np.testing.assert_allclose(weighted.density.transition, long.density.transition, rtol=1e-8)


def test_priors_pull(rows):
    X, _, _ = rows
    free = HiddenMarkov(Gaussian(), 3, random_state=0).fit(X)
    pulled = HiddenMarkov(Gaussian(), 3, transition_prior=1000.0, random_state=0).fit(X)
    assert np.ptp(pulled.transition_) < np.ptp(free.transition_)
    assert (pulled.transition_ > 0.1).all()


def test_bad_input(rows):
    X, _, lengths = rows
    for parameters, message in (
        ({"n_components": 0}, "n_components must be"),
        ({"n_init": 0}, "n_init must be"),
        ({"transition_prior": 0.5}, "transition_prior must be"),
        ({"topology": "ring"}, "topology must be"),
        ({"n_components": 3, "topology": np.zeros((3, 3))}, "with a transition from every state"),
        ({"n_components": 3, "topology": np.eye(2)}, r"an array of shape \(3, 3\)"),
        ({"n_components": 500}, "fewer rows"),
    ):
        with pytest.raises(ValueError, match=message):
            HiddenMarkov(**parameters).fit(X)
    model = HiddenMarkov(n_components=3, random_state=0).fit(X, lengths=lengths)
    before = model.transition_
    for options, message in (
        ({"lengths": [100]}, "lengths add up to 100, but there are 400"),
        ({"lengths": [400, 0]}, "at least 1"),
        ({"labels": np.full(400, 7)}, "states from 0 to 2"),
        ({"sample_weight": [1.0, 2.0]}, "one for each sequence"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(X, **options)
        np.testing.assert_array_equal(model.transition_, before)
    with pytest.raises(ValueError, match="lengths add up"):
        model.predict(X, lengths=[3])
    with pytest.raises(TypeError, match="emission must be a family"):
        HiddenMarkov("gaussian").fit(X)
    with pytest.raises(NotFittedError):
        HiddenMarkov().predict(X)


def test_infinite_and_impossible_rows(rows):
    X, _, _ = rows
    model = HiddenMarkov(Gaussian(), 2, random_state=0).fit(X)
    for cell, message in ((np.inf, "infinity"), (1e200, "sequence 0 is impossible")):
        broken = X.copy()
        broken[3, 0] = cell
        for method in (model.predict, model.predict_proba, model.decode):
            with pytest.raises(ValueError, match=message):
                method(broken)


def test_no_row_costs_digits_of_the_others():
    seen = fit(Gaussian(), np.array([[-1.0], [1.0], [1.0], [3.0]]), Labels([0, 0, 1, 1])).density
    model = HiddenMarkov.from_parameters([0.5, 0.5], np.eye(2), seen)
    rows = np.concatenate([np.zeros(400), [1e9], np.full(3, 2.0)])[:, None]
    np.testing.assert_allclose(model.score_samples(rows)[-3:], -0.5 * np.log(2 * np.pi), rtol=1e-12)


def test_rare_symbols_outside_of_the_sample(rng):
    z = (np.cumsum(rng.random(9000) < 0.05) % 2).astype(int)
    cells = np.where(rng.random(9000) < 0.85, z, 1 - z)
    cells[[600, 5200]] = 2
    from parzen import Categorical

    model = HiddenMarkov(Categorical(estimate="ml"), 2, random_state=0).fit(cells[:, None])
    assert np.isfinite(model.score(cells[:, None]))


def test_given_chains_count_their_own_parameters(rows):
    from parzen import Categorical, Poisson

    X, _, _ = rows
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


def test_known_states_as_numbers_with_gaps(rows):
    X, _, lengths = rows
    known = np.full(400, np.nan)
    known[:10] = 1.0
    model = HiddenMarkov(Gaussian(), 2, random_state=0).fit(X, labels=known)
    assert (model.predict(X)[:10] == 1).all()
    for labels, message in (
        (np.full(400, 0.5), "got .*0.5"),
        (np.full(400, "a"), "got .*'a'"),
        (lengths, r"labels must be 400 states .* shape \(2,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(X, labels=labels)
    for method in (model.fit, model.score):
        with pytest.raises(ValueError, match="lengths="):
            method(X, lengths)
    with pytest.raises(ValueError, match="keep to the topology"):
        HiddenMarkov(Gaussian(), 2, topology="left-right").fit(X, labels=np.repeat([1, 0], 200))


def test_given_chains():
    seen = fit(Gaussian(), np.array([[0.0], [1.0], [8.0], [9.0]]), Labels([0, 0, 1, 1])).density
    for start, transition, message in (
        ([0.5, 0.6], np.full((2, 2), 0.5), "start must sum to 1, got 1.1"),
        ([0.5, 0.5], [[0.5, 0.5], [0.9, 0.2]], "row 1 of transition must sum to 1"),
        ([0.5, 0.5], [[1.5, -0.5], [0.5, 0.5]], "not negative, got -0.5"),
        ([1.0], np.full((2, 2), 0.5), "shape"),
    ):
        with pytest.raises(ValueError, match=message):
            HiddenMarkov.from_parameters(start, transition, seen)
    with pytest.raises(ValueError, match="row 1 of transition must sum to 1"):
        MarkovChain.from_parameters("ab", [[0.5, 0.5], [0.5, 0.6]])
    given = MarkovChain.from_parameters("ab", [[0.9, 0.1], [0.5, 0.5]], [1.0, 0.0])
    np.testing.assert_allclose(given.log_prob(["aab"]), [np.log(0.9 * 0.1)])
    for refused in (lambda: given.partial_fit(["ab"]), lambda: given.merge(given)):
        with pytest.raises(ValueError, match="given, not fitted"):
            refused()
    assert given.fit(["abab"]).counts_.sum() == 4
    walk = MarkovChain.from_parameters(["z", "a"], [[1.0, 0.0], [0.25, 0.75]], [0.5, 0.5])
    assert walk.symbols_.tolist() == ["z", "a"]
    np.testing.assert_array_equal(walk.hitting_times("z"), [0.0, 4.0])
    with pytest.raises(ValueError, match="differ from each other"):
        MarkovChain.from_parameters("aa", np.full((2, 2), 0.5))
