"""Libraries that have no wheels for every Python: where one is not installed, the tests that use it are skipped."""

from importlib import import_module
from typing import Any

import pytest

__all__ = ["hmm", "polars"]


class _Absent:
    """A library that is not installed: what is asked of it ends the test."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # pytest looks through a module for tests
            raise AttributeError(name)
        pytest.skip(f"{self._name} is not installed", allow_module_level=True)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return _Absent(name.partition(".")[0])


hmm, polars = _library("hmmlearn.hmm"), _library("polars")
