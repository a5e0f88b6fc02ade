"""Import order is the architecture: a group imports only from its own and from the groups above it."""

import ast
from pathlib import Path

import pytest

import parzen

SOURCE = Path(parzen.__file__).parent
ORDER = [
    "kernels",
    "nodes",
    "storage",
    "statistic",
    "accumulate",
    "posterior",
    "linear",
    "profiles",
    "expansion",
    "summation",
    "categories",
    "local",
    "regression",
    "conditional",
    "bandwidth",
    "family",
    "fit",
    "cells",
    "schema",
    "sequences",
    "chains",
    "densities",
    "forms",
    "conjugate",
    "families",
    "logistic",
    "decision",
    "shift",
    "calibration",
    "scores",
    "outliers",
    "testing",
    "plotting",
    "gridding",
    "explanation",
    "smoothing",
    "estimators",
    "comparison",
    "displays",
    "views",
    "beliefs",
    "report",
    "cli",
    "__main__",
    "__init__",
]
LIBRARIES = {"numpy", "scipy", "sklearn", "joblib"}
STANDARD = {
    "abc", "argparse", "base64", "collections", "concurrent", "contextlib", "contextvars", "ctypes", "dataclasses",
    "datetime", "decimal", "functools", "hashlib", "html", "importlib", "inspect", "io", "itertools", "json", "numbers",
    "operator", "os", "pathlib", "pkgutil", "sys", "tempfile", "threading", "time", "typing", "warnings",
}  # fmt: skip
FILES = sorted(SOURCE.rglob("*.py"))


def group(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path):
    """Modules that a file imports when it is imported itself, with 'from parzen import x' as parzen.x."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: absolute imports only"
            yield from (f"parzen.{name.name}" for name in node.names) if node.module == "parzen" else [node.module]


def test_every_file_belongs_to_a_group():
    assert {group(path) for path in FILES} == set(ORDER)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_group_imports_only_from_above(path):
    for module in imports(path):
        top, *rest = module.split(".")
        if top == "parzen":
            assert ORDER.index(rest[0]) <= ORDER.index(group(path)), f"{path} imports {module}"
        else:
            assert top in LIBRARIES | STANDARD, f"{path} imports {module} on top: import it where it is used"


def test_only_kernels_know_the_compiled_library():
    for path in FILES:
        if group(path) != "kernels":
            assert "ctypes" not in list(imports(path)), path
            assert "parzen.compute.native" not in list(imports(path)), path


def test_public_names_are_sorted_and_documented():
    assert parzen.__all__ == sorted(parzen.__all__)
    for name in parzen.__all__:
        assert getattr(parzen, name).__doc__, name
