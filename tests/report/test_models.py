"""The models of a report: one table of them, all of which a model file can hold; time is bounded; nothing vanishes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from parzen import NaiveBayes, load
from parzen.datasets import load_house_votes
from parzen.report import held_out, summarise
from parzen.report.held_out import expected_time
from parzen.report.information import held_out_by_column, naive_folds
from parzen.report.models import TABLE_MODELS, TEXT_MODELS, candidates, find_model
from parzen.report.scores import cross_validated
from parzen.report.task import prediction_task


@pytest.fixture(scope="module")
def votes():
    data = load_house_votes(as_frame=True)
    return data.data.assign(party=data.target_names[data.target])


def test_a_missing_category_costs_no_model_and_no_curve(votes):
    found = summarise(votes, "party")
    scored = {one["name"]: one["accuracy"]["value"] for one in found["models"]}
    assert scored["logistic, linear"] > 0.94
    assert scored["logistic, quadratic"] > 0.94
    assert not [note for note in found["notes"] if "could not be fitted" in note]
    assert found["learning_curves"]["names"] == ["naive Bayes", "logistic, linear"]


def test_curves_that_are_left_out_are_noted():
    table = pd.DataFrame({"x": np.arange(25.0) ** 2 % 7, "kind": list("abcde") * 5})
    assert "Learning curves are left out: 25 rows are too few." in summarise(table, "kind")["notes"]


@pytest.mark.parametrize("offered", [TABLE_MODELS, TEXT_MODELS])
def test_every_model_is_one_that_a_file_can_hold(offered, tmp_path, rng):
    n = 80
    y = rng.choice(["a", "b"], n)
    X = pd.DataFrame({"x": rng.normal(size=n) + (y == "b"), "c": np.where(rng.random(n) < 0.3, None, y)})
    X.loc[3, "x"] = np.nan
    texts = pd.DataFrame({"text": [f"{one} word" for one in y]})
    for one in offered:
        rows = X if offered is TABLE_MODELS else texts
        model = one.make(["x"], ["c"]).fit(rows, y)
        model.save(tmp_path / "m")
        np.testing.assert_array_equal(load(tmp_path / "m").predict_proba(rows), model.predict_proba(rows))


def test_names_are_one_list():
    for offered in (TABLE_MODELS, TEXT_MODELS):
        assert len({one.name for one in offered} | {one.short for one in offered}) == 2 * len(offered)
        for one in offered:
            for name in (one.name, one.short, one.name.upper(), one.name.replace(" ", "-").replace(",", "")):
                assert find_model(name, offered) is one
    assert find_model("random forest", TABLE_MODELS) is None


def test_rows_of_the_comparison_do_not_depend_on_what_else_is_drawn(votes, monkeypatch):
    monkeypatch.setattr("parzen.report.task.ROWS", 100)
    kinds = dict.fromkeys(votes.columns, "binary")
    first, second = np.random.default_rng(0), np.random.default_rng(0)
    second.random(17)
    tasks = [prediction_task(votes, kinds, "party", None, rng, []) for rng in (first, second)]
    assert tasks[0].rows == tasks[1].rows


class Clock:
    """Stands for the time of a report: only fits take any."""

    now = 0.0

    def perf_counter(self):
        return self.now

    process_time = perf_counter


CLOCK = Clock()


class Slow(ClassifierMixin, BaseEstimator):
    """Takes a time in proportion to a power of the rows, on the clock."""

    def __init__(self, seconds=0.0, power=1.0):
        self.seconds, self.power = seconds, power

    def fit(self, X, y):
        self.classes_, self.prior_ = np.unique(y, return_counts=True)
        CLOCK.now += self.seconds * len(X) ** self.power
        return self

    def predict_proba(self, X):
        return np.tile(self.prior_ / self.prior_.sum(), (len(X), 1))


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr(held_out, "time", CLOCK)


@pytest.fixture
def task(rng):
    table = pd.DataFrame({"x": rng.normal(size=2000), "kind": rng.choice(["a", "b"], 2000)})
    return prediction_task(table, {"x": "continuous", "kind": "binary"}, "kind", None, rng, [])


def test_a_model_beyond_its_budget_is_left_out_with_a_note(task, clock):
    notes, said = [], []
    models = {"slow": ("generative", Slow(0.025)), "quick": ("generative", Slow(0.0025))}
    found = held_out.held_out(task, models, notes, said.append, budget=20.0)
    assert list(found) == ["quick"]
    assert notes == ["Slow is left out: a fit takes about 40 s for this table (budget 20 s)."]
    assert said == ["slow", "quick", *(f"quick, fold {fold} of 5" for fold in range(1, 6))]


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_the_time_of_a_fit_is_foretold_from_fewer_rows(task, clock, power):
    seconds = 21.0 / 1600**power  # for the rows of a fold
    foretold = expected_time(Slow(seconds, power), task, limit=20.0)
    assert foretold.seconds == pytest.approx(21.0, rel=0.02)
    assert foretold.more == (power == 0)
    assert expected_time(Slow(seconds / 3, power), task, limit=20.0).seconds <= 20.0


def test_trial_fits_take_no_longer_than_thrice_the_budget(task, clock):
    for power in (0.0, 1.0, 2.0):
        for whole in (1.0, 19.0, 50.0, 300.0, 3000.0):
            begun = CLOCK.now
            expected_time(Slow(whole / 1600**power, power), task, limit=20.0)
            assert CLOCK.now - begun <= max(60.0, whole / 8**power)


def test_the_budget_is_an_argument_of_summarise(monkeypatch):
    monkeypatch.setattr("parzen.report.held_out.FEWEST", 4)
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 2)), columns=["x", "y"]).assign(kind=np.repeat(["a", "b"], 30))
    with pytest.raises(ValueError, match="no model could be fitted"):
        summarise(table, "kind", budget=0.0)


def test_left_out_models_have_a_reason():
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 40))).rename(columns=str)
    names, notes = candidates(table, list(table.columns), [])
    assert {"kernel Bayes", "logistic, quadratic"}.isdisjoint(names)
    assert any(note.startswith("Kernel Bayes is left out: 40 numeric columns") for note in notes)
    assert any(note.startswith("Logistic, quadratic is left out: 40 columns") for note in notes)


def test_information_of_columns_is_that_of_naive_bayes_on_each_alone(rng):
    n = 300
    y = rng.integers(0, 3, n)
    X = pd.DataFrame(
        {
            "x": rng.normal(size=n) + y,
            "n": rng.poisson(1 + y),
            "c": np.where(rng.random(n) < 0.4, y, 0).astype(str),
            "b": rng.random(n) < 0.2 + 0.3 * (y == 1),
        }
    )
    X.loc[::11, "x"] = np.nan
    X.loc[::13, "c"] = None
    for name, found in zip(X.columns, held_out_by_column(X, 3, naive_folds(X, y, 3)), strict=True):
        P, _ = cross_validated(NaiveBayes(), X[[name]], y, 3, folds=3)
        np.testing.assert_allclose(found, P, rtol=1e-9)
