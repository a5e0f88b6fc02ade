"""The answer of a report and what to do next: every number in it is one of the summary, every claim follows from it."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from parzen.report import page, summarise
from parzen.report.advice import decide, next_step
from parzen.report.regression_advice import interval_finding, regression_step
from parzen.report.verdict import answer


@pytest.fixture(scope="module")
def frame():
    data = load_breast_cancer(as_frame=True)
    table = data.frame.iloc[:, [0, 1, 4]].copy()
    table["diagnosis"] = data.target_names[data.target]
    table["id"] = [f"patient {i}" for i in range(len(table))]
    table["note"] = [f"a sentence that is written about patient {i}" for i in range(len(table))]
    table["site"] = "Toronto"
    table["seen"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(
        np.random.default_rng(0).integers(0, 900, len(table)), "D"
    )
    return table


@pytest.fixture(scope="module")
def summary(frame):
    return summarise(frame, "diagnosis", models=["naive", "logistic"], loss=[[0, 1], [5, 0]])


def said(summary):
    return {one["about"]: one["text"] for one in summary["answer"]}


def test_the_answer_comes_first_in_the_order_of_its_questions(summary):
    about = [one["about"] for one in summary["answer"]]
    assert about[:6] == ["Best model", "How good", "How sure", "What to decide", "What predicts", "Rows to check"]
    text = page(summary)
    places = [text.index(f"<dt>{one}</dt>") for one in about]
    assert places == sorted(places)
    assert places[-1] < text.index("<nav>")


def test_its_numbers_are_those_of_the_models(frame, summary):
    best = next(one for one in summary["models"] if one["name"] == summary["best"])
    accuracy, most = re.search(r"rows: (\S+)% \(95%.*against (\S+)% for always", said(summary)["How good"]).groups()
    assert float(accuracy) / 100 == pytest.approx(best["accuracy"]["value"], abs=0.0006)
    assert float(most) / 100 == pytest.approx(frame["diagnosis"].value_counts(normalize=True).max(), abs=0.0006)
    loss = float(re.search(r"held-out rows: (\S+) nats", said(summary)["Best model"])[1])
    assert loss == pytest.approx(best["log_loss"]["value"], rel=0.01)
    error = float(
        re.search(r"expected calibration error (\S+);|by (\S+) on average", said(summary)["How sure"])[1] or "nan"
    )
    assert np.isnan(error) or error == pytest.approx(best["calibration_error"]["value"], rel=0.01)


def test_the_decision_is_the_one_of_least_expected_cost(summary):
    assert decide(summary).startswith("Decide for “malignant” where its posterior probability is 83.3% or more")
    cheapest = next(one for one in summary["models"] if one["name"] == summary["lowest_cost"])
    assert f"“{cheapest['name']}” the mean cost per row is" in decide(summary)
    assert "give their costs" not in decide(summary)
    assert next_step(summary, "confusion") == ""


def test_columns_that_are_left_out_are_named_with_the_reason(summary):
    assert said(summary)["Columns"] == (
        "3 columns are left out of the models: identifiers (“id”); free text (“note”); constants (“site”). Classes can "
        "be predicted from the words of “note” (--text)."
    )
    assert said(summary)["Dates"].startswith("“seen” holds dates, which models use as numbers of days")
    (seen,) = (one for one in summary["columns"] if one["name"] == "seen")
    assert "Models use dates as numbers of days" in seen["finding"]


def test_nothing_is_advised_to_use_where_nothing_predicts(summary):
    nothing = summary | {"gain": {"value": 0.1, "low": -0.1, "high": 0.3}}
    assert next_step(nothing, "models").startswith("Do not predict this target")
    about = [one["about"] for one in answer(nothing)]
    assert {"How good", "How sure", "What to decide"}.isdisjoint(about)


def test_probabilities_that_are_not_calibrated_are_to_be_calibrated(summary):
    for low, advice in ((0.0, "can be used in decisions as they are"), (0.1, "Calibrate the probabilities")):
        models = [one | {"calibration_error": {"value": 0.2, "low": low, "high": 0.3}} for one in summary["models"]]
        assert advice in next_step(summary | {"models": models}, "calibration")


def test_more_rows_are_asked_for_only_while_the_log_loss_falls(summary):
    def curve(*values):
        line = [{"value": value, "low": value, "high": value} for value in values]
        found = {"sizes": [20, 100, 400], "log_loss": [line, line], "error": [line, line], "names": ["a", "b"]}
        return next_step(summary | {"learning_curves": found}, "learning")

    assert curve(0.9, 0.5, 0.4).startswith("Collect more rows if you can. The log loss still fell by 20.0%")
    assert curve(0.9, 0.5, 0.499).startswith("More rows of the same kind would lower the log loss little")


def test_two_names_for_one_column_are_said():
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    found = summarise(pd.DataFrame({"a": x, "b": 2 * x, "c": rng.normal(size=80)}))
    assert next_step(found, "dependence").startswith("“a” and “b” hold nearly the same")
    assert (
        said(found)["Dependence"] == "“a” and “b” depend on each other most (absolute rank correlation 1, from 0 to 1)."
    )


def of_numbers(coverage, r_squared=0.5, widths=(1.0, 1.0)):
    low, value, high = coverage
    models = [{"name": name, "r_squared": {"value": r_squared, "low": r_squared - 0.1, "high": r_squared + 0.1}}
              for name in ("kernel regression", "linear regression")]  # fmt: skip
    held = {"model": "kernel regression", "nominal": 0.9, "coverage": {"value": value, "low": low, "high": high},
            "width": {"value": 1.0}, "narrowest": widths[0], "widest": widths[1]}  # fmt: skip
    return {"regression": {"models": models, "best": "kernel regression", "best_density": "kernel regression",
                           "as_good": [], "coverage": [held]}}  # fmt: skip


def test_intervals_are_judged_by_what_they_hold():
    assert "as many as they should" in interval_finding(of_numbers((0.88, 0.91, 0.93)))
    assert "too few" in interval_finding(of_numbers((0.7, 0.8, 0.85)))
    assert "more than they should" in interval_finding(of_numbers((0.95, 0.97, 0.99)))
    assert "by row" in interval_finding(of_numbers((0.88, 0.9, 0.92), widths=(0.5, 2.0)))
    assert regression_step(of_numbers((0.7, 0.8, 0.85)), "intervals").startswith("Use wider intervals")
    assert regression_step(of_numbers((0.88, 0.91, 0.93)), "intervals").startswith("Give the intervals")


def test_a_target_that_is_predicted_too_well_is_suspicious():
    assert "computed from the target" in regression_step(of_numbers((0.88, 0.9, 0.93), 0.999), "models")
    assert regression_step(of_numbers((0.88, 0.9, 0.93)), "models").startswith("Use “kernel regression”")
    simple = of_numbers((0.88, 0.9, 0.93))
    simple["regression"]["as_good"] = ["linear regression"]
    assert regression_step(simple, "models").startswith("Use linear regression")
    assert regression_step(of_numbers((0.88, 0.9, 0.93), 0.05), "models").startswith("Do not predict this target")
