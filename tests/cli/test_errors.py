"""Errors of the command line: one clear sentence where something is wrong, and usage where a call is wrong."""

import re

import numpy as np
import pandas as pd
import pytest

from parzen import DensityEstimator, Gaussian
from parzen.cli.main import main
from parzen.storage.files import save

COMMANDS = [
    "report", "explore", "fit", "predict", "score", "sample", "outliers", "bandwidth", "inspect", "merge", "completion",
]  # fmt: skip


def test_errors_are_one_clear_sentence(table, tmp_path, run):
    frame = pd.read_csv(table)
    files = {
        "empty": b"",
        "names": b"a,b\n",
        "latin": "näme,x\nü,1\nö,2\n".encode("latin-1"),
        "ragged": b"a,b\n1,2\n1,2,3,4\n",
        "binary": bytes(range(256)) * 20,
    }
    for name, content in files.items():
        (tmp_path / f"{name}.csv").write_bytes(content)
    frame.assign(kind="a").to_csv(tmp_path / "one.csv", index=False)
    frame.assign(kind=np.arange(120).astype(str)).to_csv(tmp_path / "distinct.csv", index=False)
    frame.assign(kind=np.linspace(0, 1, 120)).to_csv(tmp_path / "numbers.csv", index=False)
    model = tmp_path / "m.parzen"
    DensityEstimator(Gaussian()).fit(frame[["length"]]).save(model)
    (tmp_path / "broken.parzen").write_bytes(model.read_bytes()[:-3])
    for arguments, sentence in (
        (["report", tmp_path / "tabel.csv"], "did you mean"),
        (["report", tmp_path], "binary.csv' can't be read"),
        (["report", table, "--target", "kinds"], "did you mean 'kind'?"),
        (["report", table, "--target", "zzz"], "the columns are id, length, width"),
        (["report", tmp_path / "empty.csv"], "is empty"),
        (["report", tmp_path / "names.csv"], "no rows"),
        (["report", tmp_path / "latin.csv"], "--encoding"),
        (["report", tmp_path / "ragged.csv"], "can't be read as a table"),
        (["report", tmp_path / "binary.csv"], "binary.csv' "),
        (["report", tmp_path / "one.csv", "--target", "kind"], "one class only"),
        (["report", tmp_path / "distinct.csv", "--target", "kind"], "120 different values"),
        (["report", tmp_path / "numbers.csv", "--target", "kind", "--task", "classification"], "--task regression"),
        (["fit", tmp_path / "numbers.csv", "--target", "kind", "-o", tmp_path / "x"], "compares regressions"),
        (["report", table, "-o", tmp_path / "no" / "such" / "folder.html"], "can't be written"),
        (["predict", tmp_path / "broken.parzen", table], "damaged"),
        (["predict", table, table], "no model file"),
        (["predict", tmp_path / "nothing", table], "there is no file"),
        (["predict", model, tmp_path / "latin.csv", "--encoding", "latin-1"], "there is no column 'length'"),
        (["bandwidth", table, "--column", "kind"], "must be numeric, but it is binary"),
        (["sample", model, "-n", "3", "-o", tmp_path / "no" / "x.csv"], "can't be written"),
    ):
        before = sorted(tmp_path.iterdir())
        code, out, err = run(*arguments, "--quiet")
        assert code == 1, arguments
        assert sentence in err, (arguments, err)
        assert err.startswith("parzen: ")
        assert err.count("\n") == 1, err
        assert out == ""
        assert "Traceback" not in err
        assert sorted(tmp_path.iterdir()) == before


def test_errors_about_models_and_targets_are_one_clear_sentence(table, tmp_path, run):
    frame = pd.read_csv(table)
    frame.assign(kind=None).to_csv(tmp_path / "none.csv", index=False)
    (tmp_path / "nested.jsonl").write_text('{"a": 1, "b": [1]}\n{"a": 2, "b": [2]}\n')
    save([1, 2], tmp_path / "list")
    run("fit", table, "--target", "kind", "-o", tmp_path / "m")
    for arguments, sentence in (
        (["report", tmp_path / "none.csv", "--target", "kind"], "has no values"),
        (["fit", tmp_path / "none.csv", "--target", "kind", "-o", tmp_path / "x"], "has no values"),
        (["score", tmp_path / "m", tmp_path / "none.csv"], "has no values"),
        (["fit", tmp_path / "nested.jsonl", "-o", tmp_path / "x"], "'b' of"),
        (["predict", tmp_path / "list", table], "predicts nothing"),
        (["score", tmp_path / "list", table], "no score"),
        (["merge", tmp_path / "list", tmp_path / "list", "-o", tmp_path / "x"], "can't be merged"),
        (["fit", table, "-o", tmp_path / "no" / "x"], "can't be written"),
        (["fit", table, "-o", tmp_path], "can't be written"),
        (["inspect", tmp_path], "is a folder"),
        (["report", table, "--target", "kind", "--text", "kind"], "holds no text"),
        (["report", table, "--target", "kind", "--text", "length"], "holds no text"),
        (["fit", table, "--names", "a,b", "-o", tmp_path / "x"], "2 names, but"),
    ):
        code, out, err = run(*arguments, "--quiet")
        assert code == 1, (arguments, out)
        assert sentence in err, err
        assert err.count("\n") == 1, err
        assert not (tmp_path / "x").exists()


def test_calls_that_are_wrong_whatever_the_files_hold_exit_with_2(table, tmp_path, run):
    for arguments, sentence in (
        (["report"], "give a file"),
        (["report", "--example", "cats"], "there is no example 'cats'"),
        (["report", table, "--text", "colour"], "--text needs --target"),
        (
            ["fit", table, "--target", "kind", "--model", "magic", "-o", tmp_path / "y"],
            "there is no model 'magic'; there are naive, tree, aode, linear",
        ),
        (["outliers", table, "--fdr", "2"], "--fdr must lie between"),
        (["fit", table, "--encoding", "klingon", "-o", tmp_path / "x"], "there is no encoding"),
        (["fit", table, "--example", "iris", "-o", tmp_path / "x"], "not both"),
        (["fit", table, "--target", "kind", "--no-target", "-o", tmp_path / "x"], "not both"),
        (["fit", table, "--json", "-o", "-"], "--json prints its result where -o - writes the file"),
        (["report", table, "--json", "-o", "-"], "--json prints its result where -o - writes the file"),
        (["merge", tmp_path / "m", "--json", "-o", "/dev/stdout"], "--json prints its result"),
    ):
        code, out, err = run(*arguments)
        assert (code, out) == (2, ""), arguments
        assert sentence in err, err
        assert err.count("\n") == 1, err
        assert list(tmp_path.iterdir()) == [table]


def test_a_traceback_for_those_who_ask(tmp_path, run):
    code, out, err = run("report", tmp_path / "nothing.csv", "--traceback")
    assert (code, out) == (1, "")
    assert err.startswith("Traceback (most recent call last):")
    assert "CommandError: there is no file" in err


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["fit", "x.csv"], ["sample", "m", "-n", "0"], ["report", "--what"]]
)
def test_wrong_calls_get_the_usage(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage: parzen" in capsys.readouterr().err


def test_help_explains_every_command_and_every_option(capsys):
    def text(*arguments):
        with pytest.raises(SystemExit) as stop:
            main([*arguments, "--help"])
        assert stop.value.code == 0
        return capsys.readouterr().out

    overview = text()
    assert re.findall(r"^    ([a-z]+)\s+[A-Z]", overview, re.MULTILINE) == COMMANDS
    for command in COMMANDS:
        usage, explained = text(command).split("\n\n", 1)
        assert usage.startswith(f"usage: parzen {command} ")
        options = set(re.findall(r"--[a-z-]+", usage))
        assert {"--json", "--quiet"} <= options
        for option in options:  # a name, then its explanation on the same line or on the next
            assert re.search(rf"^  .*{option}( \[?[A-Z]+\]?)?(  +|\n {{10,}})\w", explained, re.MULTILINE), option
    assert main([]) == 2
    assert capsys.readouterr().out == overview


def test_an_internal_error_asks_for_a_report(table, run, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("no such luck")

    monkeypatch.setattr("parzen.cli.commands.report.summarise", fail)
    code, out, err = run("report", table)
    assert (code, out) == (70, "")
    assert err == (
        "parzen: internal error; please report it (RuntimeError: no such luck); --traceback shows where it occurred.\n"
    )
