"""What a release promises: types for users, one version everywhere, a bill of materials, oldest libraries."""

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import parzen

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())

SCRIPT = """
from typing import assert_type

import numpy as np

import parzen
from parzen import DensityEstimator, GaussianMixture, GaussianNB

X = np.array([[0.0], [1.0], [5.0], [6.0]])
mixture = GaussianMixture(n_components=2, random_state=0).fit(X)
assert_type(mixture, GaussianMixture)
classifier = GaussianNB().fit(X, [0, 0, 1, 1])
assert_type(classifier, GaussianNB)
probabilities = classifier.predict_proba(X)
score: float = DensityEstimator().fit(X).score(X)
parzen.show_versions()
with parzen.threads(2):
    labels = mixture.predict(X)
GaussianMixture(n_component=2)
parzen.GausianMixture
GaussianNB(smoothing=1.0)
"""


def load(name):
    """A script of packaging/, which is no package."""
    path = ROOT / "packaging" / f"{name}.py"
    if not path.exists():
        pytest.skip("packaging/ does not come with an installed wheel")
    specification = importlib.util.spec_from_file_location(f"packaging_{name}", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_a_users_script_is_checked_against_the_types_that_come_along(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    # The cache of `make types`, whose options are those of pyproject.toml.
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), str(script)]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    lines = SCRIPT.splitlines()
    wrong = {lines[int(line) - 1] for line in re.findall(r"script\.py:(\d+): error", said)}
    assert wrong == {"GaussianMixture(n_component=2)", "parzen.GausianMixture", "GaussianNB(smoothing=1.0)"}, said
    assert (Path(parzen.__file__).parent / "py.typed").exists()


def test_the_citation_and_the_changelog_tell_this_version():
    assert f"\nversion: {parzen.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert re.search(rf"^## {re.escape(parzen.__version__)}\b", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)


def test_the_oldest_libraries_are_those_of_the_project():
    pins = load("oldest").oldest(PROJECT["project"])
    assert {pin.split("==")[0] for pin in pins} >= {"numpy", "scipy", "scikit-learn", "joblib", "pandas", "matplotlib"}
    assert all(re.fullmatch(r"[\w-]+==\d+\.\d+\.\d+", pin) for pin in pins)


def test_the_release_names_every_file_and_every_library(tmp_path, monkeypatch, capsys):
    release = load("release")
    name = f"parzen-{parzen.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(tmp_path / name, "w") as wheel:
        needs = "".join(
            f"Requires-Dist: {text}\n" for text in (*PROJECT["project"]["dependencies"], 'x>=2; extra == "y"')
        )
        wheel.writestr(
            "parzen.dist-info/METADATA",
            f"Name: parzen\nVersion: {parzen.__version__}\nLicense-Expression: BSD-3-Clause\n{needs}",
        )
    monkeypatch.setattr(sys, "argv", ["release.py", str(tmp_path)])
    release.main()
    assert "1 files" in capsys.readouterr().out
    digest, file = (tmp_path / "SHA256SUMS").read_text().split()
    assert file == name
    told = json.loads((tmp_path / "parzen.cdx.json").read_text())
    (made,) = told["metadata"]["component"]["components"]
    assert made["hashes"][0]["content"] == digest
    assert told["metadata"]["component"]["version"] == parzen.__version__
    needed = {
        (part["name"], *(one["value"] for one in part["properties"])): part["scope"] for part in told["components"]
    }
    assert needed["numpy", ">=1.26"] == needed["numpy", ">=2", "sys_platform == 'win32'"] == "required"
    assert needed["x", ">=2", 'extra == "y"'] == "optional"
    assert len(told["dependencies"][0]["dependsOn"]) == len(PROJECT["project"]["dependencies"])


def test_every_wheel_says_for_which_system_it_is():
    wheels = load("wheels")
    tags = [platform.tag for platform in wheels.PLATFORMS]
    assert len(set(tags)) == len(tags)
    page = (ROOT / "docs" / "guide" / "platforms.md").read_text()
    assert [tag for tag in tags if f"`{tag}`" not in page] == []


def test_the_source_archive_takes_folders_of_this_tree_alone():
    """A pattern without a slash would take every folder of that name: of environments and builds, too."""
    told = PROJECT["tool"]["scikit-build"]["sdist"]
    assert "include" not in told  # which would take what git ignores, too
    assert all(pattern.startswith("/") for pattern in told["exclude"])
