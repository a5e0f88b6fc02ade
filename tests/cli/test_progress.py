"""Progress of commands: lines where there is no terminal, one line that is written over where there is one."""

import os
import re
import subprocess
import sys

import pytest

from parzen.cli.progress import ProgressLine

STAGE = r"parzen: +\d+\.\d s  "


def test_each_stage_has_a_line_with_the_time_where_there_is_no_terminal(
    table, tmp_path, run, monkeypatch, short_report
):
    monkeypatch.setattr("parzen.cli.progress.EVERY", 0.0)
    code, out, err = run("report", table, "-o", tmp_path / "r.html")
    assert code == 0
    lines = err.splitlines()
    assert all(re.match(STAGE, line) for line in lines)
    stages = [re.sub(STAGE, "", line) for line in lines]
    assert stages == ["columns", "dependence", "mixture", "outliers", "done"]
    seconds = [float(line.split()[1]) for line in lines]
    assert seconds == sorted(seconds)
    assert "parzen:" not in out


def test_quiet_shows_no_progress(table, tmp_path, run, short_report):
    assert run("report", table, "-o", tmp_path / "r.html", "--quiet")[2] == ""
    assert run("outliers", table, "--quiet")[2] == ""


def test_an_error_is_not_reported_as_done(capsys):
    progress = ProgressLine(quiet=False)
    progress("columns")
    progress.__exit__(ValueError, ValueError("no"), None)
    assert capsys.readouterr().err.endswith("columns\n")


def test_a_terminal_has_one_line_that_is_cleared(table, tmp_path):
    pty = pytest.importorskip("pty")
    terminal, end = pty.openpty()
    command = [sys.executable, "-m", "parzen", "outliers", table, "-o", tmp_path / "o.csv"]
    with subprocess.Popen(command, stderr=end):
        os.close(end)
        err = b""
        try:
            while more := os.read(terminal, 1024):
                err += more
        except OSError:  # what Linux says of a terminal that no one writes to any more
            pass
    os.close(terminal)
    assert b"outliers ..." in err
    assert b"\n" not in err
    assert err.endswith(b"\r\x1b[K")
