"""Import order is the architecture: a room imports from itself and from the rooms above it in DESIGN.md's table."""

import ast
import re
from pathlib import Path

import pytest

import parzen

ROOT = Path(__file__).parents[1]
SOURCE = Path(parzen.__file__).parent
TABLE = (ROOT / "DESIGN.md").read_text().partition("| room |")[2].partition("\n\n")[0]
#: The rooms as DESIGN.md lists them; the package itself and ``python -m parzen`` stand above all.
ROOMS = [*re.findall(r"^\| `([\w.]+)` \|", TABLE, flags=re.MULTILINE), "__main__", "__init__"]
LIBRARIES = {"numpy", "scipy", "sklearn", "joblib", "threadpoolctl"}
#: What the routines for devices are written in; they are imported by name, when the first tensor comes.
DEVICE = {"torch", "triton"}
STANDARD = {
    "abc", "argparse", "ast", "base64", "bz2", "collections", "concurrent", "contextlib", "contextvars", "copy", "csv",
    "ctypes", "dataclasses", "datetime", "decimal", "errno", "functools", "glob", "gzip", "hashlib", "heapq", "html",
    "http", "importlib", "inspect", "io", "itertools", "json", "logging", "lzma", "math", "numbers", "operator", "os",
    "pathlib", "pkgutil", "platform", "queue", "random", "re", "secrets", "signal", "stat", "sys", "tempfile",
    "threading", "time", "traceback", "types", "typing", "warnings", "zlib", "zoneinfo",
}  # fmt: skip
FILES = sorted(SOURCE.rglob("*.py"))


def room(path):
    """The room of a file: a package, or one of the rooms of estimators."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return next((name for name in (".".join(parts[:2]), parts[0]) if name in ROOMS), None)


def module_path(name):
    """The file of a module of the library, or the package that it is in where the last part is a name."""
    for parts in (name.split(".")[1:], name.split(".")[1:-1]):
        path = SOURCE.joinpath(*parts)
        for found in (path.with_suffix(".py"), path / "__init__.py"):
            if parts and found.exists():
                return found
    return SOURCE / "__init__.py"


def imports(path):
    """Every module that a file imports, at the top or within a function: (module, whether at the top)."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((name.name, node in tree.body) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: absolute imports only"
            names = (
                [f"{node.module}.{name.name}" for name in node.names]
                if node.module.startswith("parzen")
                else [node.module]
            )
            yield from ((name, node in tree.body) for name in names)


def test_the_top_of_the_package_is_a_table_of_contents():
    entries = {path.name for path in SOURCE.iterdir()} - {"__init__.py", "__init__.pyi", "__pycache__", "py.typed"}
    assert len(entries) <= 16, sorted(entries)


def test_every_file_has_a_room_and_every_room_a_file():
    rooms = {room(path) for path in FILES if path.relative_to(SOURCE).as_posix() != "estimators/__init__.py"}
    assert rooms == set(ROOMS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_room_imports_only_from_the_rooms_above_it(path):
    if path == SOURCE / "estimators" / "__init__.py":
        assert not list(imports(path))
        return
    for module, on_top in imports(path):
        top = module.split(".")[0]
        if top == "parzen":
            other = room(module_path(module))
            assert other is not None, f"{path} imports {module}"
            assert ROOMS.index(other) <= ROOMS.index(room(path)), f"{path} imports {module}"
        elif on_top:
            known = LIBRARIES | STANDARD | (DEVICE if path.parent == SOURCE / "compute" / "device" else set())
            assert top in known, f"{path} imports {module} on top: import it where it is used"


def test_only_the_registry_the_commands_and_the_package_itself_import_by_name():
    for path in FILES:
        text = path.read_text()
        if "import_module(" in text or "__import__(" in text or " imported(" in text:
            tables = ("storage/registry.py", "cli/commands/__init__.py", "compute/device/__init__.py", "__init__.py")
            assert path.relative_to(SOURCE).as_posix() in (*tables, "compute/importing.py"), path


def test_only_compute_knows_the_compiled_library():
    for path in FILES:
        if room(path) != "compute":
            assert not {"ctypes", "parzen.compute.native"} & {module for module, _ in imports(path)}, path


def test_files_are_short():
    lengths = {path: path.read_text().count("\n") for path in FILES if path.name != "__init__.py"}
    assert max(lengths.values()) <= 400, max(lengths, key=lengths.get)
    assert sorted(lengths.values())[len(lengths) // 2] < 150


def test_public_names_are_sorted_and_documented():
    assert parzen.__all__ == sorted(parzen.__all__)
    for name in parzen.__all__:
        assert getattr(parzen, name).__doc__, name
