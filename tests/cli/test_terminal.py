"""Control characters in names of columns, files and arrays never reach a terminal."""

import contextlib
import io
import json
import os
import sys

import numpy as np
import pytest

from parzen import DensityEstimator, Gaussian
from parzen.cli.main import main
from parzen.cli.progress import ProgressLine
from parzen.cli.terminal import CONTROL, escaped_errors
from parzen.storage.container import packed

#: Clear the screen, an 8-bit control sequence, a new line with a lie, a mark that turns the direction of writing.
EVIL = "x\x1b[2J\x9b31m\rparzen: all is well\u202e"


def unescaped(text):
    """The characters of a text that a terminal would obey, but for the ends of lines."""
    return set(CONTROL.findall(text)) - {"\n"}


@pytest.fixture
def evil(tmp_path, table):
    """A model file whose arrays and class have evil names, and a table with an evil column."""
    rows = table.read_text().replace("width", EVIL.replace("\r", "")).replace("red", EVIL.replace("\r", ""))
    (tmp_path / "evil.csv").write_text(rows, newline="")
    (tmp_path / "evil.parzen").write_bytes(packed(json.dumps({"class": EVIL, "state": {}}), {EVIL: np.arange(3.0)}))
    DensityEstimator(Gaussian()).fit(np.zeros((5, 1)) + np.arange(5)[:, None]).save(tmp_path / "numbers")
    return tmp_path


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "arguments",
    [
        ["inspect", "evil.parzen"],
        ["inspect", "evil.parzen", "--json"],
        ["predict", "evil.parzen", "table.csv"],
        ["predict", EVIL, "table.csv"],
        ["predict", "evil.parzen", "table.csv", "--traceback"],
        ["report", EVIL],
        ["report", "table.csv", "--target", EVIL],
        ["report", "evil.csv", "-o", EVIL],
        ["report", "evil.csv", "--target", "nothing"],
        ["fit", "evil.csv", "--no-quotes", "-o", EVIL],
        ["fit", "evil.csv", "--model", EVIL, "-o", "x"],
        ["fit", "evil.csv", "--warnings", "-o", "x"],
        ["fit", "table.csv", "-o", f"{EVIL}/no"],
        ["bandwidth", "evil.csv"],
        ["bandwidth", "evil.csv", "--json"],
        ["bandwidth", "evil.csv", "--column", EVIL],
        ["score", "numbers", "evil.csv"],
        ["merge", EVIL, "-o", "x"],
        ["sample", EVIL],
        ["sample", "numbers", "-n", EVIL],
        ["sample", "numbers", f"--{EVIL}"],
        [EVIL],
    ],
)
def test_no_message_holds_a_control_character(arguments, evil, capsys, monkeypatch):
    found = {"models_finding": f"The best predictor of {EVIL}.", "outliers": {"finding": EVIL}}
    monkeypatch.setattr("parzen.cli.commands.report.summarise", lambda *_, **__: found)
    monkeypatch.setattr("parzen.cli.commands.report.page", lambda _: "")
    monkeypatch.chdir(evil)
    with contextlib.suppress(SystemExit):  # of argparse, for a wrong call
        main(arguments)
    out, err = capsys.readouterr()
    assert out or err
    assert not unescaped(out)
    assert not unescaped(err)


def test_json_keeps_the_names_that_it_escapes(evil, run):
    out = run("inspect", evil / "evil.parzen", "--json")[1]
    assert json.loads(out)["class"] == EVIL


def test_a_name_cannot_begin_a_line_of_its_own(evil, run):
    out = run("inspect", evil / "evil.parzen")[1]
    assert len(out.splitlines()) == 2
    assert "\\rparzen: all is well\\u202e" in out


def test_tables_on_the_standard_output_are_data(evil, run):
    run("fit", evil / "evil.csv", "-o", evil / "m")
    out = run("sample", evil / "m", "-n", 50, "--seed", 1)[1]
    assert "\x1b[2J" in out


def test_progress_is_escaped_and_moves_the_cursor(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    with escaped_errors(), ProgressLine(quiet=False) as progress:
        progress("models of \x1b[2J")
    text = sys.stderr.getvalue()
    assert text.startswith("\r\x1b[K")
    assert text.endswith("models of \\x1b[2J ...\r\x1b[K")


def test_a_closed_error_stream_is_no_error(table, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert main(["report", os.fspath(table), "--target", "nothing"]) == 1
    assert sys.stderr is None
