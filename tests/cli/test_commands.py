"""The commands, as their users use them: from fit to score, merging, reports, losses, and help."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from parzen import Gaussian, load
from parzen.storage.files import save

COMMANDS = ["report", "fit", "predict", "score", "sample", "outliers", "bandwidth", "inspect", "merge"]


def test_a_model_from_fit_to_score(table, tmp_path, run):
    model = tmp_path / "m.parzen"
    code, out, err = run("fit", table, "--target", "kind", "-o", model)
    assert (code, err) == (0, "")
    assert "Left out: id" in out
    code, out, _ = run("score", model, table, "--json")
    assert code == 0
    assert json.loads(out)["accuracy"] > 0.85
    code, out, _ = run("predict", model, table)
    predicted = pd.read_csv(io.StringIO(out))
    assert list(predicted.columns) == ["predicted", "p(a)", "p(b)"]
    np.testing.assert_allclose(predicted[["p(a)", "p(b)"]].sum(axis=1), 1.0)
    code, out, _ = run("sample", model, "-n", 7, "--seed", 1)
    drawn = pd.read_csv(io.StringIO(out))
    assert list(drawn.columns) == ["length", "width", "colour", "kind"]
    assert len(drawn) == 7
    code, out, _ = run("inspect", model)
    assert out.startswith("NaiveBayes, written by parzen")
    for name in ("linear", "quadratic", "kernel-bayes", "logistic"):
        assert run("fit", "--example", "iris", "--model", name, "-o", tmp_path / "x")[0] == 0
        assert run("score", tmp_path / "x", "--example", "iris")[0] == 0
    numbers = tmp_path / "numbers.csv"
    load_wine(as_frame=True).data.to_csv(numbers, index=False)
    for name in ("gaussian", "kernel", "mixture", "product"):
        for rows in ([numbers], ["--example", "nist_univariate"]):
            code, _, err = run("fit", *rows, "--no-target", "--model", name, "-o", tmp_path / "x")
            assert (code, err) == (0, "")
            assert run("score", tmp_path / "x", *rows)[0] == 0


def test_models_of_parts_of_the_rows_merge(table, tmp_path, run):
    frame = pd.read_csv(table)
    for name, rows in (("a", slice(0, None, 2)), ("b", slice(1, None, 2)), ("all", slice(None))):
        frame[rows].to_csv(tmp_path / f"{name}.csv", index=False)
        assert run("fit", tmp_path / f"{name}.csv", "--target", "kind", "-o", tmp_path / f"{name}.parzen")[0] == 0
    code, out, _ = run("merge", tmp_path / "a.parzen", tmp_path / "b.parzen", "-o", tmp_path / "ab.parzen")
    assert code == 0
    assert "2 parts in" in out
    both, whole = (run("score", tmp_path / f"{name}.parzen", table, "--json")[1] for name in ("ab", "all"))
    one, other = json.loads(both), json.loads(whole)
    assert one.pop("read_as") == other.pop("read_as")
    assert one == pytest.approx(other)
    save(Gaussian(), tmp_path / "family")
    code, _, err = run("merge", tmp_path / "family", tmp_path / "family", "-o", tmp_path / "x")
    assert code == 1
    assert "a Gaussian and a Gaussian can't be merged" in err
    assert not (tmp_path / "x").exists()


def test_the_report_of_an_example(tmp_path, run):
    page = tmp_path / "report.html"
    code, out, err = run("report", "--example", "iris", "-o", page, "--quiet")
    assert (code, err) == (0, "")
    assert f"The report is in {page}." in out
    assert page.read_text().startswith("<!DOCTYPE html>")


def test_the_loss_is_read_by_its_names(table, tmp_path, run, short_report):
    (tmp_path / "loss.csv").write_text("decide,b,a\nb,0,9\na,1,0\n")
    code, out, err = run("report", table, "--target", "kind", "--loss", tmp_path / "loss.csv", "--json", "--quiet")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["target"]["loss"] == [[0, 1], [9, 0]]
    assert found["best"] in {model["name"] for model in found["models"]}
    (tmp_path / "loss.csv").write_text("decide,b,c\nb,0,9\nc,1,0\n")
    code, _, err = run("report", table, "--target", "kind", "--loss", tmp_path / "loss.csv")
    assert code == 1
    assert "but the classes are a, b" in err


def test_many_columns(tmp_path, run):
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(12, 5_000))).to_csv(tmp_path / "wide.csv", index=False)
    code, out, err = run("report", tmp_path / "wide.csv", "--json", "--quiet")
    assert (code, err) == (0, "")
    assert "There are 5,000 columns; the first 500" in " ".join(json.loads(out)["notes"])


def test_what_is_saved_is_loaded_by_the_library(table, tmp_path, run):
    run("fit", table, "--target", "kind", "-o", tmp_path / "m")
    model = load(tmp_path / "m")
    assert model.target_name_ == "kind"
    assert model.classes_.tolist() == ["a", "b"]


def test_json_everywhere(table, tmp_path, run):
    run("fit", table, "--target", "kind", "-o", tmp_path / "m")
    for command, rows in ((["predict", tmp_path / "m", table], 120), (["sample", tmp_path / "m", "-n", "3"], 3)):
        out = run(*command, "--json")[1]
        assert len([json.loads(line) for line in out.splitlines()]) == rows
    code, out, _ = run("outliers", table, "--all", "--json", "-o", tmp_path / "o.json")
    assert (code, out) == (0, "")
    assert len(pd.read_json(tmp_path / "o.json", lines=True)) == 120


def test_a_report_of_a_numeric_target_numbers_rows_as_the_file_does(tmp_path, run):
    rng = np.random.default_rng(0)
    x = rng.normal(size=90)
    y = 3 * x + rng.normal(0, 0.1, 90)
    y[80] = 50.0
    pd.DataFrame({"x": x, "price": y}).to_csv(tmp_path / "t.csv", index=False)
    arguments = ("report", tmp_path / "t.csv", "--target", "price", "--models", "linear", "--rows", "70", "--seed", "3")
    code, out, err = run(*arguments, "--json", "--quiet")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["target"]["task"] == "regression"
    drawn = np.sort(np.random.default_rng(3).choice(90, 70, replace=False)).tolist()
    rows = [one["row"] for one in found["regression"]["largest_errors"]["worst"]]
    assert set(rows) <= set(drawn)
    assert (rows[0] == 80) == (80 in drawn)
    code, _, err = run(*arguments, "--task", "classification", "--quiet")
    assert (code, "70 different values" in err) == (1, True)
    code, _, err = run("report", tmp_path / "t.csv", "--task", "regression")
    assert (code, "--task needs --target" in err) == (2, True)
