"""Modules by their names, one thread at a time.

Python locks a module before the package that it is in. A thread that imports a package, which imports its modules, and
another that imports one of these modules can so wait for each other: Python then raises, or gives half a module.
"""

import importlib
import os
from threading import RLock
from types import ModuleType

_turn = RLock()


def imported(name: str) -> ModuleType:
    """The module of this name: several threads may be the first that use the library."""
    with _turn:
        return importlib.import_module(name)


def _forget_turn() -> None:
    global _turn
    _turn = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_turn)
