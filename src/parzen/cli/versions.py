"""What a bug report should say of the machine: versions, platform, instruction set, threads."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from parzen.compute.loaded import loaded
from parzen.compute.version import __version__
from parzen.statistics.threads import thread_count

#: Libraries that parzen uses, or whose tables and tensors it takes, by the names that pip knows.
LIBRARIES = (
    "numpy", "scipy", "scikit-learn", "joblib", "pandas", "polars", "pyarrow", "matplotlib", "torch", "triton",
)  # fmt: skip


def show_versions() -> None:
    """Print the versions of parzen, Python and the libraries around them, for a bug report.

    A library that is not installed is left out; none is imported for it. Where the compiled library can't be loaded,
    its line says why, so that this function also serves where nothing else does.

    Examples
    --------
    >>> import parzen
    >>> parzen.show_versions()  # doctest: +ELLIPSIS
    parzen        ...
    SIMD level    ...
    threads       ...
    library       ...
    Python        3...
    platform      ...
    numpy         ...
    """
    width = max(len(name) for name in LIBRARIES) + 2
    for name, value in versions().items():
        print(f"{name:{width}}{value}")  # noqa: T201


def versions() -> dict[str, str]:
    """What `show_versions` prints, by name."""
    level, path = loaded()
    found = {"parzen": __version__, "SIMD level": level, "threads": _threads(), "library": path}
    found |= {"Python": " ".join(sys.version.split()), "platform": platform.platform()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def one_line() -> str:
    """The version, the instruction-set level and the number of threads: ``parzen --version``."""
    found = versions()
    return f"parzen {found['parzen']} (SIMD {found['SIMD level']}, threads {found['threads']})"


def _threads() -> str:
    try:
        return str(thread_count())
    except ValueError as error:  # the environment asks for a number that can't be
        return f"none: {error}"
