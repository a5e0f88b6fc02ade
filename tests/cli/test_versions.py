"""What a bug report says: versions, instruction set and threads, also where the library can't be loaded."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

import parzen
from parzen.cli import versions
from parzen.cli.main import main
from parzen.compute import native

ROOT = Path(__file__).parents[2]


def test_the_version_is_written_in_one_place():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["scikit-build"]["metadata"]["version"]["input"] == "src/parzen/compute/version.py"
    if not (ROOT / "src").exists():
        pytest.skip("the sources do not come with an installed wheel")
    told = [path for path in (ROOT / "src").rglob("*.py") if f'"{parzen.__version__}"' in path.read_text()]
    assert [path.name for path in told] == ["version.py"]


def test_the_command_tells_version_level_and_threads(capsys):
    with parzen.threads(3), pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"parzen {parzen.__version__} (SIMD {native.level()}, threads 3)\n"


def test_versions_name_the_library_that_is_loaded_and_what_is_installed(capsys):
    parzen.show_versions()
    told = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines() if "SIMD" not in line)
    assert told["numpy"] == np.__version__
    assert Path(told["library"]).name.startswith(f"libparzen_{native.level()}.")


def test_versions_are_told_where_the_library_cannot_be_loaded(monkeypatch):
    def fails():
        raise ImportError("no SSE4.2")

    monkeypatch.setattr(native, "level", fails)
    monkeypatch.setenv("PARZEN_NUM_THREADS", "many")
    found = versions.versions()
    assert found["SIMD level"] == found["library"] == "none: no SSE4.2"
    assert found["threads"].startswith("none: the environment variable PARZEN_NUM_THREADS must be")
    assert found["numpy"] == np.__version__
