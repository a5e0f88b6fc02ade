"""The compiled library: finding and loading it, calling its routines, checking the arrays that they read.

``native/*.cpp`` is compiled once for each instruction-set level (``v2``, ``v3``, ``v4`` of x86-64; ``neon`` of AArch64;
elsewhere one ``baseline``), and the highest that the processor has is loaded. Routines that gain little at v4 are left
out there, and come from the library below. ``PARZEN_SIMD=v2`` asks for another level; one that this machine does
not have is an error at the first call of a routine.
"""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import has_contiguous_columns, has_contiguous_rows
from parzen.compute.device.array import is_device
from parzen.compute.environment import setting
from parzen.compute.signatures import CELLS, CODES, FLOATS, INTEGER, SIGNATURES

__all__ = [
    "CELLS", "CODES", "F64", "FLOATS", "I32", "I64", "SUFFIX", "U8",
    "call", "column", "level", "levels", "outputs", "path", "pointer", "rows", "using",
]  # fmt: skip

F64, I32, I64, U8 = (np.dtype(kind) for kind in (np.float64, np.int32, np.int64, np.uint8))
SUFFIX = {np.dtype(np.float32): "f32", F64: "f64", I32: "i32", I64: "i64", U8: "u8"}


_ENDING = {"win32": ".dll", "cygwin": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def _path(level: str) -> Path | None:
    # An editable install keeps the compiled files apart from the sources; the package's path names both folders.
    import parzen.compute

    paths = (Path(folder) / f"libparzen_{level}{_ENDING}" for folder in parzen.compute.__path__)
    return next((path for path in paths if path.exists()), None)


@cache
def _library(level: str) -> ctypes.CDLL:
    path = _path(level)
    if path is None and not Path(__file__).exists():
        raise ImportError(
            f"parzen is imported from an archive ({__file__}), but the system loads compiled libraries from folders "
            "only; unpack it, or install it with pip."
        )
    if path is None:
        raise ImportError(
            f"parzen's compiled library libparzen_{level}{_ENDING} was not found beside {__file__}; install the "
            "package with 'pip install .', which needs a C++ compiler: g++ or clang, on Windows clang."
        )
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(
            f"the system could not load {path} ({error}); it was built for another system or processor. "
            "Install the wheel of this platform ('pip install --force-reinstall parzen'), or build from the source."
        ) from error
    for name, (arguments, suffixes) in SIGNATURES.items():
        for suffix in suffixes:
            function = getattr(library, f"parzen_{name}_{suffix}", None)
            if function is not None:
                function.argtypes, function.restype = arguments, INTEGER
    return library


def _routine(name: str) -> Any:
    """The routine of the level in use, or of the one below, where a higher level would be little faster."""
    for one in reversed(levels()[: levels().index(level()) + 1]):
        function = getattr(_library(one), f"parzen_{name}", None)
        if function is not None:
            return function
    raise AttributeError(f"internal error: no library has the routine {name}; please report it.")


@cache
def levels() -> tuple[str, ...]:
    """The levels that were built and that this processor can run, lowest first."""
    for only in ("neon", "baseline"):
        if _path(only) is not None:
            return (only,)
    highest = _library("v2").parzen_processor_level()
    if highest < 2:
        raise ImportError(
            "this processor has no SSE4.2 (x86-64-v2), which parzen needs; in an emulator, choose another processor "
            "(qemu: -cpu Nehalem or later)."
        )
    return tuple(level for level in ("v2", "v3", "v4")[: highest - 1] if _path(level) is not None)


def _chosen() -> str:
    expected = f"a level that this machine can run ({', '.join(levels())})"
    asked = setting("PARZEN_SIMD", lambda text: text if text in levels() else None, expected)
    return asked or levels()[-1]


_current: str | None = None
_functions: dict[str, Any] = {}


def level() -> str:
    """The instruction-set level in use."""
    global _current
    if _current is None:
        _current = _chosen()
    return _current


def path() -> Path | None:
    """The file of the library in use."""
    return _path(level())


@contextmanager
def using(name: str) -> Iterator[None]:
    """Use another instruction-set level for a while, in all threads: for tests and benchmarks."""
    global _current, _functions
    if name not in levels():
        raise ValueError(f"level is {name!r}, but this machine can run {', '.join(levels())}.")
    # A new dict each time: a thread that looks a routine up meanwhile writes it to the one that is forgotten.
    before, _current = _current, name
    _functions = {}
    try:
        yield
    finally:
        _current = before
        _functions = {}


def call(name: str, *arguments: float | None) -> int:
    """Call a compiled routine and return its status: 0, or a number whose meaning its caller knows."""
    known = _functions
    function = known.get(name)
    if function is None:
        function = known[name] = _routine(name)
    status: int = function(*arguments)
    if status < 0:
        raise MemoryError(f"the compiled routine {name} could not allocate its scratch memory; use fewer rows at once.")
    return status


def pointer(array: NDArray[Any], dtype: np.dtype[Any], shape: tuple[int, ...], name: str) -> int:
    """Address of a C-contiguous array of exactly this dtype and shape; an error otherwise.

    The caller must keep a reference to the array until the routine has returned.
    """
    if not isinstance(array, np.ndarray) or array.dtype != dtype:
        raise TypeError(f"{name} must be an array of {dtype}, got {getattr(array, 'dtype', type(array).__name__)}.")
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {array.shape}.")
    if not array.flags.c_contiguous:
        raise ValueError(f"{name} must be C-contiguous; pass numpy.ascontiguousarray({name}).")
    return address(array)


def address(array: NDArray[Any]) -> int:
    """Where the first cell of an array lies, by the buffer protocol: NumPy's own dict takes five times as long."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]
    except (TypeError, ValueError):  # read-only, empty, or not contiguous
        found: int = array.__array_interface__["data"][0]
        return found


def outputs(*arrays: NDArray[Any]) -> tuple[int, ...]:
    """Addresses of arrays for a routine to write to."""
    return tuple(address(array) for array in arrays)


def rows(X: Any, suffixes: tuple[str, ...], name: str = "X") -> tuple[str, tuple[int, int, int, int]]:
    """Dtype suffix and (address, n, d, stride) of a matrix whose rows are contiguous, at any stride from each other."""
    suffix = _checked(X, suffixes, name)
    if not has_contiguous_rows(X):
        raise ValueError(f"{name} must have contiguous, aligned rows; pass numpy.ascontiguousarray({name}).")
    n, d = X.shape
    stride = X.strides[0] // X.itemsize if n > 1 else d
    return suffix, (address(X), n, d, stride)


def cells(X: Any, suffixes: tuple[str, ...], name: str = "X") -> tuple[str, tuple[int, int, int, int, int]]:
    """Dtype suffix and (address, n, d, stride, step) of a matrix whose rows or whose columns are contiguous."""
    suffix = _checked(X, suffixes, name)
    if has_contiguous_rows(X):
        return suffix, (*rows(X, suffixes, name)[1], 1)
    if not has_contiguous_columns(X):
        raise ValueError(f"{name} must have contiguous, aligned rows or columns; pass numpy.ascontiguousarray({name}).")
    n, d = X.shape
    return suffix, (address(X), n, d, 1, X.strides[1] // X.itemsize if d > 1 else n)


def _checked(X: Any, suffixes: tuple[str, ...], name: str) -> str:
    """Dtype suffix of a matrix of one of some types, with at least one column."""
    suffix = SUFFIX.get(X.dtype) if isinstance(X, np.ndarray) else None
    if is_device(X):
        raise X.stays_there()
    if suffix is None or suffix not in suffixes:
        raise TypeError(
            f"{name} must be an array of one of {', '.join(suffixes)}, got {getattr(X, 'dtype', type(X).__name__)}."
        )
    if X.ndim != 2 or X.shape[1] == 0:
        raise ValueError(
            f"{name} must have two dimensions (rows, columns) and at least one column, got shape {X.shape}."
        )
    return suffix


def column(x: NDArray[Any], dtype: np.dtype[Any] = F64) -> tuple[int, int, int]:
    """Address, size and stride of a column of numbers (or pointers to objects), which may be one of a matrix."""
    if x.dtype != dtype or x.ndim != 1 or x.strides[0] % x.itemsize:
        raise TypeError(f"x must be a column of {dtype}, got {x.ndim} dimensions of {x.dtype}.")
    return address(x), len(x), x.strides[0] // x.itemsize
