"""Files and pipes of the command line: formats, encodings, labels however they were read, and readers that stop."""

import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "jsonl", "parquet"])
def test_tables_of_many_kinds(table, tmp_path, run, ending):
    frame = pd.read_csv(table)
    path = tmp_path / f"again.{ending}"
    if ending == "parquet":
        frame.to_parquet(path)
    elif ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    code, out, err = run("bandwidth", path, "--column", "length", "--json")
    assert (code, err) == (0, "")
    code, other, _ = run("bandwidth", table, "--column", "length", "--json")
    assert json.loads(out)["length"] == pytest.approx(json.loads(other)["length"])


def test_a_pipe_in_and_a_pipe_out(table):
    whole = subprocess.run(
        [sys.executable, "-m", "parzen", "outliers", "-", "--all", "--quiet"],
        input=table.read_bytes(), capture_output=True, check=True,
    )  # fmt: skip
    found = pd.read_csv(io.BytesIO(whole.stdout))
    assert sorted(found["row"]) == list(range(120))
    assert found["p_value"].is_monotonic_increasing
    assert whole.stderr == b""


def test_a_reader_may_close_the_pipe(table, tmp_path):
    big = pd.concat([pd.read_csv(table)] * 60)
    big.to_csv(tmp_path / "big.csv", index=False)
    command = f"{sys.executable} -m parzen outliers {tmp_path / 'big.csv'} --all --quiet | head -2"
    if shutil.which("bash") is None or shutil.which("head") is None:
        pytest.skip("bash and head are not on the path")
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True)
    assert done.returncode == 0
    assert done.stderr == b""


def test_stopping_leaves_nothing_behind(tmp_path):
    pty = pytest.importorskip("pty")
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(20_000, 12))).to_csv(tmp_path / "t.csv", index=False)
    command = [sys.executable, "-m", "parzen", "report", tmp_path / "t.csv", "-o", tmp_path / "r.html"]
    terminal, end = pty.openpty()  # where progress is one line
    with subprocess.Popen(command, stderr=end) as process:
        os.close(end)
        err = b""
        while b" ..." not in err:  # a line of progress: the report is being made
            err += os.read(terminal, 1024)
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(OSError):  # what Linux says of a terminal that no one writes to any more
            while more := os.read(terminal, 1024):
                err += more
        os.close(terminal)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert b"stopped" in err
    assert not (tmp_path / "r.html").exists()


def test_labels_are_the_same_however_they_were_read(tmp_path, run, short_report):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(0, 1, 40), rng.normal(4, 1, 40)]).round(3)
    y = np.repeat([0, 1], 40).astype(object)
    whole = pd.DataFrame({"x": x, "zip": [100, 200] * 40, "y": y})
    gaps = whole.copy()
    gaps.loc[3, "y"], gaps.loc[5, "zip"] = None, None
    whole.to_csv(tmp_path / "whole.csv", index=False)
    gaps.to_csv(tmp_path / "gaps.csv", index=False)
    for one, other in (("whole", "gaps"), ("gaps", "whole")):
        assert run("fit", tmp_path / f"{one}.csv", "--target", "y", "-o", tmp_path / "m")[0] == 0
        code, _, err = run("score", tmp_path / "m", tmp_path / f"{other}.csv")
        assert (code, err) == (0, "")
    (tmp_path / "loss.csv").write_text("d,0,1\n0,0,2\n1,1,0\n")
    loss = tmp_path / "loss.csv"
    code, _, err = run("report", tmp_path / "gaps.csv", "--target", "y", "--loss", loss, "--json", "--quiet")
    assert (code, err) == (0, "")


def test_cells_that_are_no_numbers_are_reported(table, tmp_path, run):
    run("fit", table, "--target", "kind", "-o", tmp_path / "m")
    frame = pd.read_csv(table)
    frame.assign(length="n/k").to_csv(tmp_path / "t.csv", index=False)
    code, _, err = run("predict", tmp_path / "m", tmp_path / "t.csv")
    assert code == 1
    assert "'length' must hold numbers" in err
    some = frame.astype({"length": object})
    some.loc[3, "length"] = "n/k"
    some.to_csv(tmp_path / "t.csv", index=False)
    code, _, err = run("predict", tmp_path / "m", tmp_path / "t.csv")
    assert code == 0
    assert err == "parzen: 1 cell of 'length' is no number ('n/k'); it counts as missing.\n"


def test_semicolons_and_packed_pipes(table, tmp_path, run, monkeypatch):
    frame = pd.read_csv(table)
    frame.to_csv(table, index=False)  # the same numbers: pandas before 3.1 may miss the last digit of what it reads
    frame.to_csv(tmp_path / "semi.csv", index=False, sep=";", decimal=",")
    one = run("bandwidth", table, "--json")[1]
    for options in ([], ["--decimal", ","]):
        other = json.loads(run("bandwidth", tmp_path / "semi.csv", *options, "--json")[1])
        for name, row in json.loads(one).items():
            assert "a decimal comma" in other[name].pop("read_as")
            assert other[name] == {rule: h for rule, h in row.items() if rule != "read_as"}
    import gzip

    monkeypatch.setattr("sys.stdin", type("Pipe", (), {"buffer": io.BytesIO(gzip.compress(table.read_bytes()))})())
    assert json.loads(run("bandwidth", "-", "--json")[1]) == json.loads(one)
