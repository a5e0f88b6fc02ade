"""Density estimation and generative models.

A family observes weighted rows into a statistic; statistics add; a statistic is maximised into densities.
"""

import ast
import sys
from types import ModuleType
from typing import Any

from parzen.compute.importing import imported


def _origins() -> dict[str, str]:
    """The module that each public name comes from, as `__init__.pyi` tells it to type checkers."""
    # By the loader, which also reads from an archive.
    stub = ast.parse(__spec__.loader.get_data(f"{__file__.rpartition('.')[0]}.pyi"))  # type: ignore[union-attr]
    found = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in found for alias in node.names}


_FROM = _origins()
__all__ = sorted(_FROM)


def __getattr__(name: str) -> Any:
    """A public name, imported when it is first used: nothing else waits for the libraries that it needs."""
    if name == "__version__":
        return imported("parzen.compute.version").__version__
    if name not in _FROM:
        raise AttributeError(f"module 'parzen' has no attribute {name!r}.")
    if _FROM[name] in ("parzen", "parzen.smoothing"):  # the name is a module's
        return imported(f"{_FROM[name]}.{name}")
    globals()[name] = getattr(imported(_FROM[name]), name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Bandwidth(ModuleType):
    """Bandwidths live beside the kernels that they are for; ``import parzen.bandwidth`` works, as ``os.path`` does."""

    def __getattr__(self, name: str) -> Any:
        return getattr(imported("parzen.smoothing.bandwidth"), name)


sys.modules["parzen.bandwidth"] = _Bandwidth("parzen.bandwidth")
