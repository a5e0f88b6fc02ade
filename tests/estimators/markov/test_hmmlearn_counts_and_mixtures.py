"""PoissonHMM, MultinomialHMM and GMMHMM against hmmlearn, step by step, and where hmmlearn does not go."""

import logging

import numpy as np
import pytest

import parzen
from parzen import CategoricalHMM, MultinomialHMM, PoissonHMM
from parzen.estimators.markov.monitor import Monitor
from tests.libraries import hmm

#: hmmlearn's logarithms of each step are equal to ours; a negative tolerance lets all steps be made.
STEPS = {"n_iter": 12, "tol": -np.inf}


@pytest.fixture(autouse=True)
def _quiet():
    logging.getLogger("hmmlearn").setLevel(logging.ERROR)


def _rows(kind, seed=0, n=240, total=8):
    rng = np.random.default_rng(seed)
    late = (np.arange(n) // 20) % 2
    if kind == "PoissonHMM":
        return rng.poisson(np.where(late, 2.0, 9.0)[:, None] * [1.0, 0.5])
    if kind == "MultinomialHMM":
        return np.stack([rng.multinomial(total, [0.6, 0.3, 0.1] if one else [0.2, 0.2, 0.6]) for one in late])
    return rng.normal(size=(n, 2)) + 7.0 * late[:, None] + 3.0 * rng.integers(0, 2, n)[:, None]


OPTIONS = {
    "PoissonHMM": [{}, {"lambdas_prior": 2.0, "lambdas_weight": 5.0}, {"params": "st"}, {"transmat_prior": 3.0}],
    "MultinomialHMM": [{}, {"params": "se"}, {"startprob_prior": 2.0}],
    "GMMHMM": [
        {"n_mix": 2, "covariance_type": shape, **more}
        for shape in ("spherical", "diag", "full", "tied")
        for more in ({}, {"weights_prior": 2.0, "means_prior": 1.0, "means_weight": 3.0}, {"params": "stw"})
    ]
    + [{"n_mix": 2, "covars_prior": 2.0, "covars_weight": 3.0}],
}
CASES = [(name, options) for name, several in OPTIONS.items() for options in several]


@pytest.mark.parametrize(("name", "options"), CASES, ids=lambda one: one if isinstance(one, str) else str(one))
def test_every_step_is_hmmlearns(name, options):
    X, lengths = _rows(name), [100, 40, 100]
    ours, theirs = (getattr(module, name)(2, random_state=1, **STEPS, **options) for module in (parzen, hmm))
    for model in (ours, theirs):
        if name == "GMMHMM":
            model.init_params, model.means_ = "stcw", X[[[3, 5], [25, 30]]]
        model.fit(X, lengths)
    np.testing.assert_allclose(list(ours.monitor_.history), list(theirs.monitor_.history), rtol=1e-8)
    assert ours.score(X, lengths) == pytest.approx(theirs.score(X, lengths), rel=1e-8)
    np.testing.assert_array_equal(ours.predict(X, lengths), theirs.predict(X, lengths))
    np.testing.assert_allclose(ours.predict_proba(X, lengths), theirs.predict_proba(X, lengths), atol=1e-7)
    drawn, states = ours.sample(30, random_state=5)
    expected, known = theirs.sample(30, random_state=5)
    np.testing.assert_array_equal(states, known)
    if name != "MultinomialHMM":  # hmmlearn draws these by SciPy, which takes other numbers
        np.testing.assert_allclose(drawn, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", OPTIONS)
def test_parameters_may_be_set_and_are_scored(name):
    X = _rows(name)
    theirs = getattr(hmm, name)(2, random_state=1).fit(X)
    ours = getattr(parzen, name)(2)
    for attribute in ("startprob_", "transmat_", "lambdas_", "emissionprob_", "weights_", "means_", "covars_"):
        if hasattr(theirs, attribute):
            setattr(ours, attribute, getattr(theirs, attribute))
    assert ours.score(X) == pytest.approx(theirs.score(X), rel=1e-10)
    assert ours.n_features == X.shape[1]


@pytest.mark.parametrize("name", OPTIONS)
def test_missing_cells_are_marginalised(name):
    X = _rows(name).astype(float)
    model = getattr(parzen, name)(2, random_state=0, n_iter=20).fit(X)
    X[::7, 0] = np.nan
    X[3] = np.nan
    again = getattr(parzen, name)(2, random_state=0, n_iter=20).fit(X)
    assert (again.predict(X) == model.predict(X)).mean() > 0.9 or (again.predict(X) != model.predict(X)).mean() > 0.9
    posterior = again.predict_proba(X)
    assert np.isfinite(posterior).all()
    rises = np.diff(again.monitor_.history)
    assert rises.min() > -1e-6 * abs(again.monitor_.history[-1])


@pytest.mark.parametrize("name", OPTIONS)
def test_an_offset_or_huge_counts_cost_no_digits(name):
    X = _rows(name, total=8_000_000)
    moved = {"GMMHMM": X + 100_000_000.0, "PoissonHMM": X * 1_000_000}.get(name, X)
    model = getattr(parzen, name)(2, random_state=0, n_iter=10).fit(moved)
    assert np.isfinite(model.score(moved))
    agreement = (model.predict(moved) == (np.arange(len(X)) // 20) % 2).mean()
    assert max(agreement, 1 - agreement) > 0.95


@pytest.mark.parametrize(
    ("name", "rows", "message"),
    [
        ("PoissonHMM", [[0.5], [1.0]], "counts"),
        ("PoissonHMM", [[-1.0], [1.0]], "counts"),
        ("MultinomialHMM", [[1.5, 0.5], [1.0, 1.0]], "counts"),
        ("GMMHMM", [[np.inf], [1.0]], "infin"),
    ],
)
def test_what_is_no_row_of_the_model_is_refused(name, rows, message):
    model = getattr(parzen, name)(1)
    with pytest.raises(ValueError, match=message):
        model.fit(np.array(rows))
    assert not hasattr(model, "transmat_")


def test_totals_must_be_the_number_of_trials():
    with pytest.raises(ValueError, match="sum up to n_trials"):
        parzen.MultinomialHMM(1, n_trials=3).fit([[1, 2], [2, 2]])
    model = parzen.MultinomialHMM(1).fit([[1, 2], [2, 2]])
    with pytest.raises(ValueError, match="single n_trials"):
        model.sample(2)


@pytest.mark.parametrize("name", OPTIONS)
def test_equal_rows_are_fitted(name):
    X = np.full((12, 2), 3)
    model = getattr(parzen, name)(2, random_state=0, **({"init_params": "stcw"} if name == "GMMHMM" else {}))
    if name == "GMMHMM":
        model.means_ = np.full((2, 1, 2), 3.0)
    model.fit(X)
    assert np.isfinite(model.score(X))


def test_fitting_too_little_data_is_logged(caplog):
    parzen.PoissonHMM(3, random_state=0).fit(np.array([[1], [2], [3]]))
    assert "will be degenerate" in caplog.text


@pytest.mark.parametrize("name", ["GaussianHMM", "PoissonHMM", "MultinomialHMM", "GMMHMM"])
def test_the_number_of_columns_may_be_said_before_it_is_known(name):
    X = np.array([[4, 1], [5, 0], [4, 1], [0, 5], [1, 4], [0, 5], [5, 0]])
    model = getattr(parzen, name)(2, random_state=0)
    assert not hasattr(model, "n_features")
    model.n_features = 3
    assert model.n_features == 3
    with pytest.raises(ValueError, match="X has 2 columns, but n_features was set to 3"):
        model.fit(X)
    model.n_features = 2
    assert model.fit(X).n_features == 2
    with pytest.raises(ValueError, match="n_features must be 2, the columns of"):
        model.n_features = 3


class OwnMonitor(Monitor):
    """A monitor of one's own, for which the steps are taken one by one."""


@pytest.mark.parametrize("model", [CategoricalHMM, PoissonHMM, MultinomialHMM])
@pytest.mark.parametrize("params", ["ste", "t"])
def test_steps_in_one_call_equal_steps_one_by_one(model, params, rng):
    X = rng.poisson([[2.0, 5.0, 1.0]], size=(40, 3))
    X = np.where(rng.random((40, 1)) < 0.1, -1, X[:, :1]) if model is CategoricalHMM else X
    params = params.replace("e", "l") if model is PoissonHMM else params
    fits = [model(3, n_iter=6, tol=-np.inf, random_state=0, params=params) for _ in range(2)]
    fits[1].monitor_ = OwnMonitor(-np.inf, 6, False)
    for one in fits:
        one.fit(X, [15, 25])
    for name in ("startprob_", "transmat_", *fits[0]._letters.values()):
        np.testing.assert_allclose(getattr(fits[0], name), getattr(fits[1], name), rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(fits[0].monitor_.history, fits[1].monitor_.history, rtol=1e-12)
