"""Models of ``parzen fit``: those of the report, on every table that it takes; the best one; texts; columns to keep."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from parzen import load
from parzen.report import summarise
from parzen.report.models import TABLE_MODELS, TEXT_MODELS


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """A table with missing numbers and categories, a date, and a binary column of numbers."""
    rng = np.random.default_rng(3)
    n = 150
    kind = rng.choice(["a", "b"], n)
    frame = pd.DataFrame(
        {
            "id": [f"row-{i}" for i in range(n)],
            "length": rng.normal(0, 1, n) + 2 * (kind == "b"),
            "width": rng.normal(0, 1, n),
            "colour": np.where(rng.random(n) < 0.7, np.where(kind == "a", "red", "blue"), "green"),
            "flag": rng.integers(0, 2, n),
            "day": pd.Timestamp("2024-03-01") + pd.to_timedelta(rng.integers(0, 60, n) + 30 * (kind == "b"), unit="D"),
            "kind": kind,
        }
    )
    frame.loc[::9, "length"] = np.nan
    frame.loc[::7, "colour"] = None
    path = tmp_path_factory.mktemp("mixed") / "mixed.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("name", [*(one.short for one in TABLE_MODELS), *(one.name for one in TABLE_MODELS)])
def test_every_model_of_the_report_is_fitted_to_every_table_of_the_report(mixed, tmp_path, run, name):
    model = tmp_path / "m"
    code, out, err = run("fit", mixed, "--target", "kind", "--model", name, "-o", model, "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert told["columns"] == ["length", "width", "day", "colour", "flag"]
    assert told["left_out"] == ["id"]
    code, out, _ = run("score", model, mixed, "--json")
    assert code == 0
    assert json.loads(out)["accuracy"] > 0.85


def test_the_best_model_is_the_report_s(mixed, tmp_path, run, short_report):
    code, out, err = run("fit", mixed, "--target", "kind", "--model", "best", "--quiet", "-o", tmp_path / "m")
    assert (code, err) == (0, "")
    found = summarise(pd.read_csv(mixed), "kind")
    own = next(one for one in found["models"] if one["name"] == found["best"])
    log_loss, accuracy = own["log_loss"]["value"], own["accuracy"]["value"]
    assert out.lower().startswith(f"{found['best'].lower()} has the lowest log loss on held-out rows: {log_loss:.4g}, ")
    assert f"with an accuracy of {accuracy:.1%}" in out


def test_standardised_logistic_regression_does_not_depend_on_units(mixed, tmp_path, run):
    frame = pd.read_csv(mixed)
    frame.assign(width=1e5 * frame.width + 1e6).to_csv(tmp_path / "other.csv", index=False)
    for path, name in ((mixed, "one"), (tmp_path / "other.csv", "two")):
        assert run("fit", path, "--target", "kind", "--model", "logistic", "-o", tmp_path / name)[0] == 0
    scores = [
        json.loads(run("score", tmp_path / name, path, "--json")[1])["log_loss"]
        for path, name in ((mixed, "one"), (tmp_path / "other.csv", "two"))
    ]
    assert scores[0] == pytest.approx(scores[1], rel=1e-4)


def test_dates_mean_the_same_days_in_every_table(mixed, tmp_path, run):
    run("fit", mixed, "--target", "kind", "--model", "logistic", "-o", tmp_path / "m")
    whole = pd.read_csv(io.StringIO(run("predict", tmp_path / "m", mixed)[1]))
    frame = pd.read_csv(mixed)
    late = frame[frame.day > "2024-04-10"]
    late.to_csv(tmp_path / "late.csv", index=False)
    part = pd.read_csv(io.StringIO(run("predict", tmp_path / "m", tmp_path / "late.csv")[1]))
    np.testing.assert_allclose(part["p(a)"], whole["p(a)"][late.index], rtol=1e-12)


@pytest.fixture
def messages(tmp_path):
    rng = np.random.default_rng(0)
    spam = rng.random(160) < 0.4
    texts = [f"{'Win a prize' if one else 'see you at home'} {rng.choice(['now', 'soon'])}" for one in spam]
    path = tmp_path / "messages.csv"
    frame = pd.DataFrame({"id": np.arange(160), "message": texts, "kind": np.where(spam, "spam", "ham")})
    frame.loc[3, "message"] = None
    frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("name", [*(one.short for one in TEXT_MODELS), "best", None])
def test_texts_are_fitted_predicted_and_scored(messages, tmp_path, run, name):
    chosen = [] if name is None else ["--model", name]
    code, _, err = run(
        "fit", messages, "--target", "kind", "--text", "message", *chosen, "--quiet", "-o", tmp_path / "m"
    )
    assert (code, err) == (0, "")
    assert run("score", tmp_path / "m", messages)[0] == 0
    (tmp_path / "new.csv").write_text('message\n"PRIZE, win!"\nat home\n')
    predicted = pd.read_csv(io.StringIO(run("predict", tmp_path / "m", tmp_path / "new.csv")[1]))
    assert predicted.predicted.tolist() == ["spam", "ham"]
    assert load(tmp_path / "m").feature_names_in_.tolist() == ["message"]


def test_columns_are_kept_beside_the_predictions(messages, tmp_path, run):
    run("fit", messages, "--target", "kind", "--text", "message", "-o", tmp_path / "m")
    for keep, kept in ((["--keep"], ["id", "message", "kind"]), (["--keep", "id, kind"], ["id", "kind"])):
        out = pd.read_csv(io.StringIO(run("predict", tmp_path / "m", messages, *keep)[1]))
        assert list(out.columns) == [*kept, "predicted", "p(ham)", "p(spam)"]
        assert out.id.tolist() == list(range(160))
        assert (out.predicted == out.kind).mean() > 0.95
    code, _, err = run("predict", tmp_path / "m", messages, "--keep", "idd")
    assert code == 1
    assert "did you mean 'id'?" in err
    pd.read_csv(messages).assign(predicted=1).to_csv(messages, index=False)
    code, _, err = run("predict", tmp_path / "m", messages, "--keep")
    assert code == 1
    assert "has a column 'predicted' already" in err


def test_unknown_models_get_the_nearest_name(mixed, tmp_path, run):
    for name, near in (("quadratc", "quadratic"), ("mixture discriminnt", "mixture discriminant"), ("bst", "best")):
        code, _, err = run("fit", mixed, "--target", "kind", "--model", name, "-o", tmp_path / "m")
        assert code == 2
        assert f"did you mean '{near}'?" in err
    code, _, err = run("fit", mixed, "--model", "gausian", "-o", tmp_path / "m")
    assert code == 2
    assert "did you mean 'gaussian'?" in err
    code, _, err = run("fit", mixed, "--text", "id", "-o", tmp_path / "m")
    assert code == 2
    assert "--text needs --target" in err


def test_a_model_of_numbers_needs_one(tmp_path, run):
    pd.DataFrame({"a": list("xyxy") * 10, "kind": list("abab") * 10}).to_csv(tmp_path / "t.csv", index=False)
    code, _, err = run("fit", tmp_path / "t.csv", "--target", "kind", "--model", "quadratic", "-o", tmp_path / "m")
    assert code == 1
    assert "needs a numeric column" in err
