"""Density estimation and generative models.

A family observes weighted rows into a statistic; statistics add; a statistic is maximised into densities.
"""

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parzen.public import *  # noqa: F403

#: Modules that many programs don't need; they are imported when they are first asked for.
LATER = ("datasets", "displays", "report")


def __getattr__(name: str) -> Any:
    """A public name. All of them are imported when one is first used, so that whatever comes before the libraries
    (the version, help, an interruption) does not wait for them.
    """
    if name in LATER:
        return importlib.import_module(f"parzen.{name}")
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("parzen")
    if name == "__all__" or not name.startswith("_"):
        public = importlib.import_module("parzen.public")
        if name == "__all__" or name in public.__all__:
            globals().update({one: getattr(public, one) for one in public.__all__ if one not in LATER})
            return getattr(public, name)
    raise AttributeError(f"module 'parzen' has no attribute {name!r}.")


def __dir__() -> list[str]:
    return sorted({*globals(), *importlib.import_module("parzen.public").__all__})


class _Bandwidth(ModuleType):
    """Bandwidths live beside the kernels that they are for; ``import parzen.bandwidth`` works, as ``os.path`` does."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module("parzen.smoothing.bandwidth"), name)


sys.modules["parzen.bandwidth"] = _Bandwidth("parzen.bandwidth")
