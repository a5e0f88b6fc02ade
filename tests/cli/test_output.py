"""Where commands write: -o - is the standard output of every command; pipes and links stay what they are."""

import gzip
import os
import stat
from io import BytesIO

import pandas as pd
import pytest

from parzen import load
from parzen.cli.main import main


@pytest.fixture
def model(table, tmp_path):
    assert main(["fit", str(table), "--target", "kind", "-o", str(tmp_path / "m")]) == 0
    return tmp_path / "m"


@pytest.fixture
def commands(table, model, monkeypatch):
    """Every command that writes a file, without its -o, and how the file begins."""
    monkeypatch.setattr("parzen.cli.commands.report.summarise", lambda *_, **__: {})
    monkeypatch.setattr("parzen.cli.commands.report.page", lambda _: "<!doctype html>")
    return {
        "report": (["report", table, "--quiet"], b"<!doctype html>"),
        "fit": (["fit", table], None),
        "merge": (["merge", model, model], None),
        "predict": (["predict", model, table], b"predicted,"),
        "sample": (["sample", model, "--seed", "1"], b"length,"),
        "outliers": (["outliers", table, "--all"], b"row,p_value"),
    }


@pytest.mark.parametrize("path", ["-", "/dev/stdout"])
@pytest.mark.parametrize("name", ["report", "fit", "merge", "predict", "sample", "outliers"])
def test_a_dash_is_the_standard_output_and_messages_go_to_the_error_stream(
    name, path, commands, tmp_path, capsysbinary, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    arguments, begin = commands[name]
    before = sorted(tmp_path.iterdir())
    capsysbinary.readouterr()
    assert main([*map(str, arguments), "-o", path]) == 0
    out, err = capsysbinary.readouterr()
    assert sorted(tmp_path.iterdir()) == before
    if begin is None:
        (tmp_path / "copy").write_bytes(out)
        assert hasattr(load(tmp_path / "copy"), "score_samples")
    else:
        assert out.lower().startswith(begin)
    assert (b" on the standard output." in err) == (name in ("report", "fit", "merge")), err


@pytest.mark.parametrize("name", ["fit", "predict", "sample"])
def test_a_pipe_gets_what_a_file_would_and_stays_a_pipe(name, commands, tmp_path, run):
    arguments, begin = commands[name]
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    held = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        code, _, err = run(*arguments, "-o", pipe)
        assert code == 0, err
        assert os.read(held, 65_536).startswith(begin or b"")
    finally:
        os.close(held)
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


def test_a_link_is_followed(commands, tmp_path, run):
    (tmp_path / "link.html").symlink_to("page.html")
    assert run(*commands["report"][0], "-o", tmp_path / "link.html")[0] == 0
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "page.html").read_text().lower().startswith("<!doctype html>")


def test_every_format_of_tables_is_compressed_by_its_ending(model, tmp_path, run):
    for ending, read in (
        ("csv", pd.read_csv),
        ("tsv", lambda file: pd.read_csv(file, sep="\t")),
        ("jsonl", lambda file: pd.read_json(file, lines=True)),
        ("parquet", pd.read_parquet),
    ):
        path = tmp_path / f"drawn.{ending}.gz"
        assert run("sample", model, "-n", 7, "--seed", 1, "-o", path)[0] == 0
        assert read(BytesIO(gzip.decompress(path.read_bytes()))).shape == (7, 4), ending
