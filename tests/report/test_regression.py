"""Reports on numeric targets: the task is recognised, every score is right, intervals hold what is said they hold."""

import copy
import html
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, cross_val_predict

from parzen.datasets import load_toronto_temperatures
from parzen.report import ReportError, page, summarise
from parzen.report.regression_design import Design
from parzen.report.regression_models import QUANTILES, REFERENCE, REGRESSION_MODELS, Predicted
from parzen.report.regression_parts import largest_errors, residuals
from parzen.report.regression_scores import compared, coverage, r_squared
from parzen.report.regression_task import task_of
from parzen.tables.kinds import Column
from tests.report.test_report import EVIL, browser

CHEAP = ("linear", "kernel", "mixture")


@pytest.fixture(scope="module")
def curved():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 6, 240)
    return pd.DataFrame(
        {
            "x": x,
            "noise": rng.normal(size=240),
            f"kind {EVIL}": rng.choice([EVIL, "fine & <b>bold</b>"], 240),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.permutation(240), "D"),
            "id": [f"r{i}" for i in range(240)],
            f"price {EVIL}": 10 * np.sin(x) + rng.normal(0, 0.5 + 0.5 * x, 240),
        }
    )


@pytest.fixture(scope="module")
def summary(curved):
    return summarise(curved, f"price {EVIL}", name=f"prices {EVIL}", models=CHEAP)


def scored(summary, name):
    return next(one for one in summary["regression"]["models"] if one["name"] == name)


def test_the_task_follows_from_the_target():
    rng = np.random.default_rng(0)
    for values, kind, asked, found in (
        (rng.normal(size=99), "continuous", "auto", "regression"),
        (np.arange(99) % 5, "count", "auto", "classification"),
        (np.arange(99) % 5, "count", "regression", "regression"),
        (rng.normal(size=99), "continuous", "classification", "classification"),
        (["a", "b", "c"] * 33, "categorical", "auto", "classification"),
        (np.arange(98) % 2, "binary", "auto", "classification"),
    ):
        task, said = task_of(asked, Column(pd.Series(values)), kind, "y")
        assert task == found
        assert bool(said) == (asked == "auto" and kind in ("continuous", "count"))
    with pytest.raises(ReportError, match="needs a target of different numbers, but 'y' is categorical"):
        task_of("regression", Column(pd.Series(["a", "b"] * 9)), "categorical", "y")
    with pytest.raises(ReportError, match="holds dates"):
        task_of("auto", Column(pd.Series(pd.date_range("2024", periods=9))), "date", "y")
    with pytest.raises(ReportError, match="task must be one of auto, classification, regression"):
        task_of("cluster", Column(pd.Series([1.0, 2.0])), "continuous", "y")


def test_options_of_classes_are_refused_for_numbers(curved):
    few = curved[["x", "noise"]]
    with pytest.raises(ReportError, match="a loss is for a target of classes"):
        summarise(few, "noise", loss=[[0, 1], [1, 0]], task="regression")
    with pytest.raises(ReportError, match="needs a target"):
        summarise(few, task="regression")
    with pytest.raises(ReportError, match="there is no model 'kernal' for this table; did you mean 'kernel'"):
        summarise(few, "noise", models=["kernal"])
    with pytest.raises(ReportError, match="at least 30"):
        summarise(few.iloc[:25], "noise")


def test_the_summary_is_json_and_the_page_is_drawn_from_it_alone(summary):
    again = json.loads(json.dumps(summary, allow_nan=False))
    assert again == summary
    assert page(again) == page(summary)


def test_scores_of_linear_regression_are_those_of_its_held_out_predictions(curved, summary):
    y = curved.iloc[:, -1].to_numpy()
    days = (curved["day"] - pd.Timestamp(0)) / pd.Timedelta(days=1)
    A = np.column_stack([curved["x"], curved["noise"], days, curved.iloc[:, 2] == EVIL])
    predicted = cross_val_predict(LinearRegression(), A, y, cv=KFold(5, shuffle=True, random_state=0))
    found = scored(summary, "linear regression")
    assert found["rmse"]["value"] == pytest.approx(np.sqrt(((y - predicted) ** 2).mean()), rel=1e-3)
    assert found["mae"]["value"] == pytest.approx(np.abs(y - predicted).mean(), rel=1e-3)
    assert found["r_squared"]["value"] == pytest.approx(1 - ((y - predicted) ** 2).mean() / y.var(), abs=0.01)


def test_a_curve_is_found_and_its_answer_comes_first(summary):
    found = summary["regression"]
    assert found["best"] in ("kernel regression", "Gaussian mixture regression")
    assert (
        scored(summary, found["best"])["r_squared"]["low"] > scored(summary, "linear regression")["r_squared"]["high"]
    )
    assert found["information"][0]["column"] == "x"
    assert found["strip"]["column"] == "x"
    about = [one["about"] for one in summary["answer"]]
    assert about[:5] == ["Best model", "How good", "How sure", "What to do", "What predicts"]
    assert summary["answer"][0]["text"] == found["finding"]
    assert [one["text"] for one in summary["answer"]] == summary["verdict"]
    assert any("numeric target" in note and "predicted as numbers" in note for note in summary["notes"])


def test_errors_that_grow_are_said(summary):
    found = summary["regression"]["residuals"]
    assert found["quantiles"] == sorted(found["quantiles"])
    grown = Predicted(np.linspace(0, 10, 500), np.zeros((500, len(QUANTILES))), np.zeros(500))
    rng = np.random.default_rng(0)
    even, fan = rng.normal(size=500), rng.normal(size=500) * np.linspace(0.1, 3, 500)
    assert not residuals(grown, grown.mean + even, rng)["spread_grows"]
    fanned = residuals(grown, grown.mean + fan, rng)
    assert fanned["spread_grows"]
    assert "Errors are larger where predictions are larger" in fanned["finding"]


def test_coverage_is_the_fraction_of_rows_within_the_intervals():
    y = np.arange(100.0)
    quantiles = np.tile(np.quantile(y, QUANTILES), (100, 1))
    found = coverage({"m": Predicted(y, quantiles, np.zeros(100))}, y)
    assert [one["nominal"] for one in found] == [0.5, 0.8, 0.9, 0.95]
    for one in found:
        assert one["coverage"]["value"] == pytest.approx(one["nominal"], abs=0.02)
        assert one["coverage"]["low"] <= one["coverage"]["value"] <= one["coverage"]["high"]
        assert one["width"]["value"] == pytest.approx(99 * one["nominal"], rel=0.01)


def test_r_squared_and_its_interval():
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(200):
        y, error = rng.normal(0, 2, 300), rng.normal(0, 1, 300)
        found = r_squared(error**2, (y + error) ** 2)
        assert found["low"] <= found["value"] <= found["high"] <= 1
        held += found["low"] <= 1 - 1 / 5 <= found["high"]
    assert 180 <= held <= 199
    assert r_squared(np.zeros(5), np.ones(5))["value"] == 1.0


def test_nothing_is_claimed_where_nothing_predicts():
    rng = np.random.default_rng(2)
    y = rng.normal(size=300)
    flat = Predicted(np.full(300, y.mean()), np.zeros((300, len(QUANTILES))), np.full(300, -1.0))
    worse = flat._replace(mean=flat.mean + rng.normal(0, 0.3, 300))
    found = compared({REFERENCE.name: flat, "linear regression": worse}, y, {REFERENCE.name: "reference",
                     "linear regression": "linear"}, "y")  # fmt: skip
    assert found["finding"].startswith("No model is clearly better than predicting the mean of “y”")


def test_rows_outside_of_their_intervals_are_listed_farthest_first():
    y = np.zeros(100)
    quantiles = np.tile(np.linspace(-1, 1, len(QUANTILES)), (100, 1))
    y[[3, 8]] = 5.0, -50.0
    found = largest_errors(Predicted(np.zeros(100), quantiles, np.zeros(100)), y, list(range(200, 300)))
    assert [one["row"] for one in found["worst"]] == [208, 203]
    assert found["outside"] == 2
    assert "2 of 100 held-out rows (2.0%) lie outside" in found["finding"]


@pytest.mark.parametrize("model", [*REGRESSION_MODELS, REFERENCE], ids=lambda one: one.short)
def test_every_model_predicts_ordered_quantiles_of_new_rows_with_gaps_and_new_categories(model):
    rng = np.random.default_rng(0)
    n = 90
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.choice(list("xyz"), n)})
    y = 2 * X["a"] + (X["c"] == "x") + 0.3 * rng.normal(size=n)
    y = y.to_numpy()
    X.loc[::9, "a"] = np.nan
    X.loc[::7, "c"] = None
    predicted = model.fit(X, y, ["a", "b"], ["c"])
    new = pd.DataFrame({"a": [0.5, np.nan, 99.0], "b": [0.0, 1.0, np.nan], "c": ["x", "new", None]})
    found = predicted(new, np.array([1.0, 0.0, 200.0]))
    assert found.quantiles.shape == (3, len(QUANTILES))
    assert np.isfinite(found.mean).all()
    assert (np.diff(found.quantiles, axis=1) >= 0).all()
    assert found.log_density.shape == (3,)


def test_columns_are_chosen_by_what_they_explain_of_what_is_left():
    rng = np.random.default_rng(0)
    n = 600
    X = pd.DataFrame({name: rng.normal(size=n) for name in "abcd"} | {"k": rng.choice(list("uvw"), n)})
    X["copy"] = X["a"]
    y = 3 * X["a"] + 2 * (X["k"] == "u") + 0.8 * X["d"] ** 2 + 0.1 * rng.normal(size=n)
    chosen = Design.learn(X, [*"abcd", "copy"], ["k"]).chosen(X, y.to_numpy())
    assert set(chosen) == {"a", "d", "k"}


def test_text_from_the_data_is_no_markup(summary):
    text = page(summary)
    body = text.split("<script type='application/json'")[0]
    assert "<script>document" not in text
    assert "<img" not in body
    assert "<b>bold" not in body
    assert html.escape(f"price {EVIL}") in body


def test_dates_and_identifiers_are_recognised_and_said(summary):
    said = {one["about"]: one["text"] for one in summary["answer"]}
    assert "identifiers (“id”)" in said["Columns"]
    assert said["Dates"].startswith("“day” holds dates, which models use as numbers of days")
    assert "later than those" in said["Dates"]


def test_how_numbers_were_written_is_said():
    frame = pd.DataFrame({"price": np.linspace(0, 9, 40), "other": np.arange(40) % 7})
    written = "numbers with points between thousands and a decimal comma (1.009,50); missing: 'NA' 2"
    found = summarise(frame, read_as={"price": written, "other": "numbers"})
    said = {one["about"]: one["text"] for one in found["answer"]}
    assert said["Reading"] == f"Check how numbers were read: “price”: {written.split('; ')[0]}."


def test_charts_of_a_regression_in_a_browser(summary, tmp_path):
    for width in (1200, 400):
        window = browser(width)
        try:
            (tmp_path / "r.html").write_text(page(summary))
            window.get((tmp_path / "r.html").as_uri())
            ask = window.execute_script
            ask("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            assert ask("return document.title") == f"prices {EVIL}: prediction of price {EVIL}"
            assert ask("return document.images.length") == 0
            charts = "[...document.querySelectorAll('[data-chart]')]"
            assert ask(f"return {charts}.every((one) => one.querySelector('svg'))")
            points = ask("return document.querySelectorAll('[data-chart=fit] circle').length")
            found = summary["regression"]["predicted_observed"]
            assert points == len(found["points"]) + len(found["tenths"])
            assert ask("return document.documentElement.scrollWidth <= window.innerWidth")
            assert [entry for entry in window.get_log("browser") if entry["level"] == "SEVERE"] == []
        finally:
            window.quit()


def test_intervals_of_real_temperatures_hold_what_they_should():
    frame = load_toronto_temperatures(as_frame=True).frame.reset_index()[["min", "mean"]].iloc[::5]
    found = summarise(frame, "mean", models=["linear", "kernel"])
    for one in found["regression"]["models"]:
        assert one["coverage_90"]["low"] - 0.02 <= 0.9 <= one["coverage_90"]["high"] + 0.02
    again = summarise(copy.deepcopy(frame), "mean", models=["linear", "kernel"])
    for one in (*found["regression"]["models"], *again["regression"]["models"]):
        one.pop("fit_seconds")
    assert found == again
