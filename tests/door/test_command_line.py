"""The command line, as its users use it: files, pipes, answers, and one clear sentence where something is wrong."""

import io
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from parzen import DensityEstimator, Gaussian, load
from parzen.cli.main import main
from parzen.storage.files import save

SHORT = ["report", "fit", "predict", "score", "sample", "outliers", "bandwidth", "inspect", "merge"]


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    kind = np.repeat(["a", "b"], 60)
    frame = pd.DataFrame(
        {
            "id": np.arange(120),
            "length": rng.normal(0, 1, 120) + 3 * (kind == "b"),
            "width": rng.normal(0, 1, 120),
            "colour": rng.choice(["red", "<script>alert(1)</script>"], 120),
            "kind": kind,
        }
    )
    frame.loc[5, "width"] = np.nan
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    return path


def run(capsys, *arguments):
    code = main([str(one) for one in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_model_from_fit_to_score(table, tmp_path, capsys):
    model = tmp_path / "m.parzen"
    code, out, err = run(capsys, "fit", table, "--target", "kind", "-o", model)
    assert (code, err) == (0, "")
    assert "Left out: id" in out
    code, out, _ = run(capsys, "score", model, table, "--json")
    assert code == 0
    assert json.loads(out)["accuracy"] > 0.85
    code, out, _ = run(capsys, "predict", model, table)
    predicted = pd.read_csv(io.StringIO(out))
    assert list(predicted.columns) == ["predicted", "p(a)", "p(b)"]
    np.testing.assert_allclose(predicted[["p(a)", "p(b)"]].sum(axis=1), 1.0)
    code, out, _ = run(capsys, "sample", model, "-n", 7, "--seed", 1)
    drawn = pd.read_csv(io.StringIO(out))
    assert list(drawn.columns) == ["length", "width", "colour", "kind"]
    assert len(drawn) == 7
    code, out, _ = run(capsys, "inspect", model)
    assert out.startswith("NaiveBayes, written by parzen")
    for name in ("linear", "quadratic", "kernel-bayes", "logistic"):
        code, _, err = run(capsys, "fit", table, "--target", "kind", "--model", name, "-o", tmp_path / "x")
        assert code == 1
        assert "'colour' is none; leave the option out" in err
    for name in ("linear", "quadratic", "kernel-bayes", "logistic"):
        assert run(capsys, "fit", "--example", "iris", "--model", name, "-o", tmp_path / "x")[0] == 0
        assert run(capsys, "score", tmp_path / "x", "--example", "iris")[0] == 0
    for name in ("gaussian", "kernel", "mixture", "product"):
        options = ["--no-target", "--model", name, "-o", tmp_path / "x"]
        code, _, err = run(capsys, "fit", "--example", "diabetes", *options)
        assert (code, err) == (0, "")
        assert run(capsys, "score", tmp_path / "x", "--example", "diabetes")[0] == 0


def test_parts_that_were_learnt_apart_are_added(table, tmp_path, capsys):
    frame = pd.read_csv(table)
    for name, rows in (("a", slice(0, None, 2)), ("b", slice(1, None, 2)), ("all", slice(None))):
        frame[rows].to_csv(tmp_path / f"{name}.csv", index=False)
        assert (
            run(capsys, "fit", tmp_path / f"{name}.csv", "--target", "kind", "-o", tmp_path / f"{name}.parzen")[0] == 0
        )
    code, out, _ = run(capsys, "merge", tmp_path / "a.parzen", tmp_path / "b.parzen", "-o", tmp_path / "ab.parzen")
    assert code == 0
    assert "2 parts in" in out
    both, whole = (run(capsys, "score", tmp_path / f"{name}.parzen", table, "--json")[1] for name in ("ab", "all"))
    assert json.loads(both) == pytest.approx(json.loads(whole))
    save(Gaussian(), tmp_path / "family")
    code, _, err = run(capsys, "merge", tmp_path / "family", tmp_path / "family", "-o", tmp_path / "x")
    assert code == 1
    assert "a Gaussian and a Gaussian don't add" in err
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "jsonl", "parquet"])
def test_tables_of_many_kinds(table, tmp_path, capsys, ending):
    frame = pd.read_csv(table)
    path = tmp_path / f"again.{ending}"
    if ending == "parquet":
        frame.to_parquet(path)
    elif ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    code, out, err = run(capsys, "bandwidth", path, "--column", "length", "--json")
    assert (code, err) == (0, "")
    code, other, _ = run(capsys, "bandwidth", table, "--column", "length", "--json")
    assert json.loads(out)["length"] == pytest.approx(json.loads(other)["length"])


def test_a_pipe_in_and_a_pipe_out(table):
    whole = subprocess.run(
        [sys.executable, "-m", "parzen", "outliers", "-", "--all"],
        input=table.read_bytes(), capture_output=True, check=True,
    )  # fmt: skip
    found = pd.read_csv(io.BytesIO(whole.stdout))
    assert sorted(found["row"]) == list(range(120))
    assert found["p"].is_monotonic_increasing
    assert whole.stderr == b""


def test_whoever_reads_may_stop_reading(table, tmp_path):
    big = pd.concat([pd.read_csv(table)] * 60)
    big.to_csv(tmp_path / "big.csv", index=False)
    command = f"{sys.executable} -m parzen outliers {tmp_path / 'big.csv'} --all | head -2"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True)
    assert done.returncode == 0
    assert done.stderr == b""


def test_the_report_of_an_example(tmp_path, capsys):
    page = tmp_path / "report.html"
    code, out, err = run(capsys, "report", "--example", "iris", "-o", page)
    assert (code, err) == (0, "")
    assert f"The report is in {page}." in out
    assert page.read_text().startswith("<!DOCTYPE html>")
    code, out, _ = run(capsys, "report", "--example", "iris", "--json")
    assert json.loads(out)["best"]


def test_the_loss_is_read_by_its_names(table, tmp_path, capsys):
    (tmp_path / "loss.csv").write_text("decide,b,a\nb,0,9\na,1,0\n")
    code, out, err = run(capsys, "report", table, "--target", "kind", "--loss", tmp_path / "loss.csv", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["target"]["loss"] == [[0, 1], [9, 0]]
    (tmp_path / "loss.csv").write_text("decide,b,c\nb,0,9\nc,1,0\n")
    code, _, err = run(capsys, "report", table, "--target", "kind", "--loss", tmp_path / "loss.csv")
    assert code == 1
    assert "but the classes are a, b" in err


def test_one_clear_sentence(table, tmp_path, capsys):
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
        (["report", tmp_path], "is a folder"),
        (["report"], "give a file"),
        (["report", "--example", "cats"], "there is no example 'cats'"),
        (["report", table, "--target", "kinds"], "did you mean 'kind'?"),
        (["report", table, "--target", "zzz"], "there are id, length, width"),
        (["report", table, "--text", "colour"], "--text needs --target"),
        (["report", tmp_path / "empty.csv"], "is empty"),
        (["report", tmp_path / "names.csv"], "no rows"),
        (["report", tmp_path / "latin.csv"], "--encoding"),
        (["report", tmp_path / "ragged.csv"], "can't be read as a table"),
        (["report", tmp_path / "binary.csv"], "binary.csv' "),
        (["report", tmp_path / "one.csv", "--target", "kind"], "one class only"),
        (["report", tmp_path / "distinct.csv", "--target", "kind"], "120 different values"),
        (["report", tmp_path / "numbers.csv", "--target", "kind"], "Cut numbers into classes"),
        (["report", table, "-o", tmp_path / "no" / "such" / "folder.html"], "can't be written"),
        (["fit", table, "--target", "kind", "--model", "magic", "-o", tmp_path / "y"], "is none of naive"),
        (["predict", tmp_path / "broken.parzen", table], "damaged"),
        (["predict", table, table], "no model file"),
        (["predict", tmp_path / "nothing", table], "there is no file"),
        (["predict", model, tmp_path / "latin.csv", "--encoding", "latin-1"], "there is no column 'length'"),
        (["outliers", table, "--fdr", "2"], "--fdr must lie between"),
        (["bandwidth", table, "--column", "kind"], "is a column of kind flag"),
        (["sample", model, "-n", "3", "-o", tmp_path / "no" / "x.csv"], "can't be written"),
    ):
        before = sorted(tmp_path.iterdir())
        code, out, err = run(capsys, *arguments)
        assert code == 1, arguments
        assert sentence in err, (arguments, err)
        assert err.startswith("parzen: ")
        assert err.count("\n") == 1, err
        assert out == ""
        assert "Traceback" not in err
        assert sorted(tmp_path.iterdir()) == before


def test_a_traceback_for_those_who_ask(tmp_path):
    from parzen.cli.files import Trouble

    with pytest.raises(Trouble):
        main(["report", str(tmp_path / "nothing.csv"), "--traceback"])


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["fit", "x.csv"], ["sample", "m", "-n", "0"], ["report", "--what"]]
)
def test_wrong_calls_are_told_how(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage: parzen" in capsys.readouterr().err


def test_help_teaches(capsys):
    for arguments in ([], *([command] for command in SHORT)):
        with pytest.raises(SystemExit) as stop:
            main([*arguments, "--help"])
        assert stop.value.code == 0
        assert len(capsys.readouterr().out) > 200
    assert main([]) == 2


def test_many_columns(tmp_path, capsys):
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(12, 100_000))).to_csv(tmp_path / "wide.csv", index=False)
    code, out, err = run(capsys, "report", tmp_path / "wide.csv", "--json")
    assert (code, err) == (0, "")
    assert "There are 100,000 columns; the first 500" in " ".join(json.loads(out)["notes"])


def test_stopping_leaves_nothing_behind(tmp_path):
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(60_000, 12))).to_csv(tmp_path / "t.csv", index=False)
    process = subprocess.Popen(
        [sys.executable, "-m", "parzen", "report", tmp_path / "t.csv", "-o", tmp_path / "r.html"],
        stderr=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    time.sleep(4.0)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert b"stopped" in err
    assert not (tmp_path / "r.html").exists()


def test_what_is_saved_is_loaded_by_the_library(table, tmp_path, capsys):
    run(capsys, "fit", table, "--target", "kind", "-o", tmp_path / "m")
    model = load(tmp_path / "m")
    assert model.target_name_ == "kind"
    assert model.classes_.tolist() == ["a", "b"]


class TestReviewed:
    """What a reviewer found."""

    def test_labels_are_the_same_however_they_were_read(self, tmp_path, capsys):
        rng = np.random.default_rng(0)
        x = np.concatenate([rng.normal(0, 1, 40), rng.normal(4, 1, 40)]).round(3)
        y = np.repeat([0, 1], 40).astype(object)
        whole = pd.DataFrame({"x": x, "zip": [100, 200] * 40, "y": y})
        gaps = whole.copy()
        gaps.loc[3, "y"], gaps.loc[5, "zip"] = None, None
        whole.to_csv(tmp_path / "whole.csv", index=False)
        gaps.to_csv(tmp_path / "gaps.csv", index=False)
        for one, other in (("whole", "gaps"), ("gaps", "whole")):
            assert run(capsys, "fit", tmp_path / f"{one}.csv", "--target", "y", "-o", tmp_path / "m")[0] == 0
            code, _, err = run(capsys, "score", tmp_path / "m", tmp_path / f"{other}.csv")
            assert (code, err) == (0, "")
        (tmp_path / "loss.csv").write_text("d,0,1\n0,0,2\n1,1,0\n")
        code, _, err = run(
            capsys, "report", tmp_path / "gaps.csv", "--target", "y", "--loss", tmp_path / "loss.csv", "--json"
        )
        assert (code, err) == (0, "")

    def test_numbers_that_are_none_are_said(self, table, tmp_path, capsys):
        run(capsys, "fit", table, "--target", "kind", "-o", tmp_path / "m")
        frame = pd.read_csv(table)
        frame.assign(length="n/k").to_csv(tmp_path / "t.csv", index=False)
        code, _, err = run(capsys, "predict", tmp_path / "m", tmp_path / "t.csv")
        assert code == 1
        assert "'length' must hold numbers" in err
        some = frame.astype({"length": object})
        some.loc[3, "length"] = "n/k"
        some.to_csv(tmp_path / "t.csv", index=False)
        code, _, err = run(capsys, "predict", tmp_path / "m", tmp_path / "t.csv")
        assert code == 0
        assert "1 cells of 'length' are no finite numbers" in err

    def test_json_everywhere(self, table, tmp_path, capsys):
        run(capsys, "fit", table, "--target", "kind", "-o", tmp_path / "m")
        for command in (["predict", tmp_path / "m", table], ["sample", tmp_path / "m", "-n", "3"]):
            out = run(capsys, *command, "--json")[1]
            assert all(json.loads(line) for line in out.splitlines())
        code, out, _ = run(capsys, "outliers", table, "--all", "--json", "-o", tmp_path / "o.json")
        assert (code, out) == (0, "")
        assert len(pd.read_json(tmp_path / "o.json", lines=True)) == 120

    def test_more_sentences(self, table, tmp_path, capsys):
        frame = pd.read_csv(table)
        frame.assign(kind=None).to_csv(tmp_path / "none.csv", index=False)
        (tmp_path / "nested.jsonl").write_text('{"a": 1, "b": [1]}\n{"a": 2, "b": [2]}\n')
        save([1, 2], tmp_path / "list")
        run(capsys, "fit", table, "--target", "kind", "-o", tmp_path / "m")
        for arguments, sentence in (
            (["report", tmp_path / "none.csv", "--target", "kind"], "holds nothing"),
            (["fit", tmp_path / "none.csv", "--target", "kind", "-o", tmp_path / "x"], "holds nothing"),
            (["score", tmp_path / "m", tmp_path / "none.csv"], "holds nothing"),
            (["fit", table, "--encoding", "klingon", "-o", tmp_path / "x"], "there is no encoding"),
            (["fit", tmp_path / "nested.jsonl", "-o", tmp_path / "x"], "'b' of"),
            (["predict", tmp_path / "list", table], "predicts nothing"),
            (["score", tmp_path / "list", table], "no score"),
            (["merge", tmp_path / "list", tmp_path / "list", "-o", tmp_path / "x"], "add"),
            (["fit", table, "-o", tmp_path / "no" / "x"], "can't be written"),
            (["fit", table, "-o", tmp_path], "can't be written"),
            (["inspect", tmp_path], "is a folder"),
            (["report", table, "--target", "kind", "--text", "kind"], "holds no text"),
            (["report", table, "--target", "kind", "--text", "length"], "holds no text"),
            (["fit", table, "--names", "a,b", "-o", tmp_path / "x"], "2 names, but"),
            (["fit", table, "--example", "iris", "-o", tmp_path / "x"], "not both"),
            (["fit", table, "--target", "kind", "--no-target", "-o", tmp_path / "x"], "not both"),
        ):
            code, out, err = run(capsys, *arguments)
            assert code == 1, (arguments, out)
            assert sentence in err, err
            assert err.count("\n") == 1, err
            assert not (tmp_path / "x").exists()

    def test_semicolons_and_packed_pipes(self, table, tmp_path, capsys, monkeypatch):
        frame = pd.read_csv(table)
        frame.to_csv(tmp_path / "semi.csv", index=False, sep=";", decimal=",")
        one = run(capsys, "bandwidth", tmp_path / "semi.csv", "--decimal", ",", "--json")[1]
        assert json.loads(one) == json.loads(run(capsys, "bandwidth", table, "--json")[1])
        import gzip

        monkeypatch.setattr("sys.stdin", type("Pipe", (), {"buffer": io.BytesIO(gzip.compress(table.read_bytes()))})())
        assert json.loads(run(capsys, "bandwidth", "-", "--json")[1]) == json.loads(one)
