"""Options that several commands share: columns, kinds, rows, models, notes, and text that a spreadsheet would run."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from parzen.cli.spreadsheet import spreadsheet_safe


def fitted_columns(run, *arguments):
    code, out, err = run("fit", *arguments, "--json")
    assert code == 0, err
    return json.loads(out)["columns"]


def test_columns_are_chosen_left_out_and_declared(table, tmp_path, run):
    model = tmp_path / "m"
    assert fitted_columns(run, table, "-o", model) == ["length", "width", "colour", "kind"]
    assert fitted_columns(run, table, "-o", model, "--columns", "width, length") == ["length", "width"]
    assert fitted_columns(run, table, "-o", model, "--drop", "colour,kind") == ["length", "width"]
    assert fitted_columns(run, table, "-o", model, "--columns", "length", "--target", "kind") == ["length"]
    assert fitted_columns(run, table, "-o", model, "--kinds", "id=continuous", "--columns", "id") == ["id"]
    assert fitted_columns(run, table, "-o", model, "--kinds", "kind=identifier,colour=text") == ["length", "width"]
    code, out, _ = run("bandwidth", table, "--kinds", "id=count", "--drop", "width", "--json")
    assert (code, list(json.loads(out))) == (0, ["id", "length"])


@pytest.mark.parametrize(
    ("option", "code", "sentence"),
    [
        (["--columns", "lenght"], 1, "there is no column 'lenght'; did you mean 'length'?"),
        (["--drop", "widht"], 1, "did you mean 'width'?"),
        (["--columns", "id", "--drop", "id"], 1, "leave no column"),
        (["--columns", ","], 2, "--columns must be names, separated by commas"),
        (["--kinds", "length=continous"], 2, "there is no kind 'continous'; did you mean 'continuous'?"),
        (["--kinds", "length"], 2, "--kinds must be like age=continuous"),
        (["--kinds", "lenght=count"], 1, "did you mean 'length'?"),
        (["--kinds", "kind=continuous"], 1, "the column 'kind' holds no numbers, but 'a'"),
        (["--kinds", "kind=date"], 1, "the column 'kind' holds no dates, but 'a'"),
        (
            ["--target", "kind", "--models", "naive-bays"],
            1,
            "there is no model 'naive-bays' for this table; did you mean",
        ),
        (["--models", "naive-bayes"], 2, "--models needs --target"),
    ],
)
def test_names_that_there_are_not_get_the_nearest(table, run, option, code, sentence):
    got, out, err = run("report", table, "--quiet", *option)
    assert (got, out) == (code, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_rows_are_drawn_by_a_seed_and_keep_their_numbers(table, run):
    def rows(*options):
        code, out, err = run("outliers", table, "--all", "--rows", "50", *options)
        assert code == 0
        return pd.read_csv(io.StringIO(out))["row"].tolist(), err

    first, err = rows()
    assert err.startswith("parzen: 50 of 120 rows are used, drawn at random (seed 0).\n")
    assert len(set(first)) == 50
    assert max(first) > 60
    assert rows("--seed", "0")[0] == first
    assert sorted(rows("--seed", "1")[0]) != sorted(first)
    assert rows("--quiet") == (first, "")


def test_a_report_of_some_rows_numbers_them_as_the_file(tmp_path, run):
    x = np.random.default_rng(0).normal(size=200)
    x[190] = 1e6
    pd.DataFrame({"x": x}).to_csv(tmp_path / "t.csv", index=False)
    code, out, _ = run("report", tmp_path / "t.csv", "--rows", "199", "--json")
    summary = json.loads(out)
    assert (code, summary["rows"], summary["outliers"]["worst"][0]["row"]) == (0, 199, 190)
    assert summary["notes"][0] == "199 of 200 rows are used, drawn at random (seed 0)."


def test_a_report_compares_the_models_that_are_named(tmp_path, run):
    rows = "".join(f"{i * 37 % 11}.5,{'a' if i % 3 else 'b'}\n" for i in range(30))
    (tmp_path / "t.csv").write_text("x,kind\n" + rows)
    options = ["--target", "kind", "--models", "naive-bayes,logistic-linear", "--kinds", "x=categorical"]
    code, out, err = run("report", tmp_path / "t.csv", *options, "--json", "--quiet")
    assert (code, err) == (0, "")
    summary = json.loads(out)
    assert {one["name"] for one in summary["models"]} == {"naive Bayes", "logistic, linear", "class prior"}
    assert summary["columns"][0]["kind"] == "categorical"


def test_text_that_a_spreadsheet_would_run_gets_an_apostrophe(tmp_path, run):
    cells = ["=1+1", "+a", "-b", "@c", "d", None]
    safe = spreadsheet_safe(pd.DataFrame({"=x": cells, "y": [-1.5, 2, 3, 4, 5, 6]}))
    assert safe["'=x"].tolist()[:5] == ["'=1+1", "'+a", "'-b", "'@c", "d"]
    assert safe["y"].tolist() == [-1.5, 2, 3, 4, 5, 6]
    x = np.random.default_rng(0).normal(size=40)
    pd.DataFrame({"x": x, "k": ["=cmd()", "b"] * 20}).to_csv(tmp_path / "t.csv", index=False)
    run("fit", tmp_path / "t.csv", "--target", "k", "-o", tmp_path / "m")
    plain = run("predict", tmp_path / "m", tmp_path / "t.csv")[1]
    safe = run("predict", tmp_path / "m", tmp_path / "t.csv", "--spreadsheet-safe")[1]
    assert "\n=cmd()," in plain
    assert "\n=cmd()," not in safe
    assert safe.replace("'=cmd()", "=cmd()") == plain
    run("fit", tmp_path / "t.csv", "-o", tmp_path / "d")
    drawn = run("sample", tmp_path / "d", "-n", "20", "--seed", "1", "--spreadsheet-safe")[1]
    assert ",'=cmd()" in drawn
    assert ",=cmd()" not in drawn
