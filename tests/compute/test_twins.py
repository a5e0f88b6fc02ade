"""Every compiled routine has a twin in `tests.oracle`, which is compared with it in this folder."""

import ast
from pathlib import Path

import pytest

from parzen.compute.native import SIGNATURES
from tests import oracle
from tests.oracle import TWINS

HERE = Path(__file__).parent
ORACLES = sorted(Path(oracle.__file__).parent.glob("*.py"))


def test_every_routine_has_a_twin_and_every_twin_a_routine():
    assert TWINS.keys() == SIGNATURES.keys()


def test_no_two_routines_share_a_twin():
    assert len(set(TWINS.values())) == len(TWINS)


@pytest.mark.parametrize("name", SIGNATURES)
def test_the_routine_is_compared_with_its_twin(name):
    assert any(f'TWINS["{name}"]' in path.read_text() for path in HERE.glob("test_*.py"))


@pytest.mark.parametrize("path", ORACLES, ids=lambda path: path.stem)
def test_a_twin_knows_nothing_of_the_library(path):
    for node in ast.walk(ast.parse(path.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            assert name.split(".")[0] in ("itertools", "numpy", "scipy") or name.startswith("tests.oracle")
