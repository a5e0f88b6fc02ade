import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("parzen", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("parzen")

SHARED = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def shared():
    """Opens a file of the shared data; the test is skipped where they are absent."""

    def path(name):
        if not (SHARED / name).exists():
            pytest.skip(f"{name} is not here")
        return SHARED / name

    return path


@pytest.fixture
def lines(shared):
    """Cells of a gzipped CSV file, without its header."""

    def read(name):
        with gzip.open(shared(name), "rt") as file:
            return [line.rstrip("\n").split(",") for line in file]

    return read
