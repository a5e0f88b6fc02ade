import gc
import gzip
import os
from importlib.resources import files
from pathlib import Path

# Tests run on every core at once: threads of BLAS and OpenMP besides, for small matrices, would mostly wait for each
# other, several times as long as they compute. The library's own threads stay as many as there are cores.
os.environ.setdefault("PARZEN_NUM_THREADS", str(os.cpu_count() or 1))
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pytest
from hypothesis import settings

from parzen.compute import native

settings.register_profile("parzen", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("parzen")

#: The library's data, the tests' own, and a folder outside of the project for what may not come along: text messages.
FOLDERS = (
    Path(str(files("parzen.datasets"))) / "data",
    Path(__file__).with_name("data"),
    Path(os.environ.get("PARZEN_DATA", Path(__file__).parents[2] / "shared" / "data")),
)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(params=native.levels())
def level(request):
    """Runs a test once for each instruction-set level that was built and that this processor can run."""
    with native.using(request.param):
        yield request.param


@pytest.fixture
def shared():
    """Path of a data file by its name; the test is skipped where the file is absent."""

    def path(name):
        found = next((folder / name for folder in FOLDERS if (folder / name).exists()), None)
        if found is None:
            pytest.skip(f"{name} does not come with the project; PARZEN_DATA names a folder that holds it")
        return found

    return path


@pytest.fixture
def lines(shared):
    """Lines of a gzipped CSV file as lists of cells, the header first."""

    def read(name):
        with gzip.open(shared(name), "rt") as file:
            return [line.rstrip("\n").split(",") for line in file]

    return read


@pytest.fixture
def short_report(monkeypatch):
    """Reports have no mixture, outliers, dependence and learning curves: for tests of something else in a report."""
    for part in ("summary.mixture", "summary.outliers", "summary.dependence", "target.class_outliers"):
        monkeypatch.setattr(f"parzen.report.{part}", lambda *_: None)
    monkeypatch.setattr("parzen.report.target.learning_curves", lambda *_: None)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is collected lives until the end: the garbage collector need not look through it, then or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items):
    """Slow tests first: the last one to end would otherwise leave the other processes idle."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
