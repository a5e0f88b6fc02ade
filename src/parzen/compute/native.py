"""The compiled library: found, loaded, its functions' types declared once, its arguments checked.

``native/*.cpp`` is compiled once for each instruction-set level (x86-64-v2, -v3, -v4; elsewhere one baseline), and the
highest that the processor has is loaded. ``PARZEN_SIMD=v2`` (or ``v3``, ``v4``) asks for another.
"""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import has_contiguous_rows

POINTER, INTEGER, NUMBER = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
ROWS = (POINTER, INTEGER, INTEGER, INTEGER)  # X, n, d, stride
MEMBERS = (POINTER, POINTER, POINTER, INTEGER)  # codes, weights, dense, groups
CSR = (POINTER, POINTER, POINTER, INTEGER, INTEGER, INTEGER)  # data, indices, indptr, n, columns, stored

TILES = (
    *(INTEGER,) * 3,
    *(POINTER,) * 11,
)  # count, size, d, and the arrays of compute/kernel_sums.py's Tiles, with queries

FLOATS = ("f32", "f64")
CODES = ("u8", "i32", "i64", *FLOATS)
CELLS = ("u8", "i64", *FLOATS)
CSRS = tuple(f"{cell}_{index}" for cell in CELLS for index in ("i32", "i64"))

SIGNATURES: dict[str, tuple[tuple[Any, ...], tuple[str, ...]]] = {
    "moments_diagonal": ((*ROWS, *MEMBERS, *(POINTER,) * 4), FLOATS),
    "moments_full": ((*ROWS, *MEMBERS, *(POINTER,) * 4), FLOATS),
    "sums": ((*ROWS, *MEMBERS, POINTER, POINTER), FLOATS),
    "gaussian_separate": ((*ROWS, INTEGER, POINTER, POINTER, POINTER, POINTER), FLOATS),
    "gaussian_shared": ((*ROWS, INTEGER, POINTER, POINTER, POINTER, POINTER), FLOATS),
    "gaussian_diagonal": ((*ROWS, INTEGER, POINTER, POINTER, POINTER, POINTER), FLOATS),
    "em_full": ((*ROWS, POINTER, INTEGER, *(POINTER,) * 9), FLOATS),
    "em_diagonal": ((*ROWS, POINTER, INTEGER, *(POINTER,) * 9), FLOATS),
    "em_shared": ((*ROWS, POINTER, INTEGER, *(POINTER,) * 9), FLOATS),
    "em_missing": ((*ROWS, POINTER, INTEGER, INTEGER, *(POINTER,) * 12), FLOATS),
    "centres": ((*ROWS, POINTER, INTEGER, *(POINTER,) * 6), FLOATS),
    "missing_squares": (
        (POINTER, *(INTEGER,) * 4, POINTER, POINTER, POINTER, POINTER, INTEGER, POINTER, POINTER),
        FLOATS,
    ),
    "missing_expected": (
        (*ROWS, *MEMBERS, INTEGER, POINTER, POINTER, POINTER, POINTER, INTEGER, *(POINTER,) * 5),
        FLOATS,
    ),
    "tally": ((*ROWS, *MEMBERS, POINTER, POINTER), CODES),
    "lookup": ((*ROWS, INTEGER, POINTER, POINTER, INTEGER, POINTER), CODES),
    "bits": ((POINTER, INTEGER, NUMBER, POINTER), CELLS),
    "places": ((POINTER, *(INTEGER,) * 3, POINTER, POINTER), ("i64",)),
    "csr_sums": ((*CSR, *MEMBERS, POINTER, POINTER), CSRS),
    "csr_product": ((*CSR, INTEGER, POINTER, POINTER), CSRS),
    "largest": ((POINTER, INTEGER, INTEGER, POINTER, POINTER), ("f64",)),
    "normalise": ((POINTER, INTEGER, INTEGER, POINTER, INTEGER, POINTER), ("f64",)),
    "linear": ((*ROWS, INTEGER, *(POINTER,) * 4), FLOATS),
    "softmax": ((*ROWS, POINTER, POINTER, INTEGER, *(POINTER,) * 6), FLOATS),
    "csr_softmax": ((*CSR, POINTER, POINTER, INTEGER, *(POINTER,) * 6), CSRS[-4:]),
    "window_sums": (
        (*TILES, INTEGER, *(POINTER,) * 2, *(NUMBER,) * 3, *(INTEGER,) * 2, NUMBER, *(POINTER,) * 2),
        FLOATS,
    ),
    "local_averages": (
        (
            *(INTEGER,) * 3,
            *(POINTER,) * 8,
            *(INTEGER,) * 2,
            *(POINTER,) * 2,
            INTEGER,
            POINTER,
            INTEGER,
            *(POINTER,) * 3,
            *(NUMBER,) * 3,
            *(INTEGER,) * 2,
            *(POINTER,) * 2,
        ),
        ("f64",),
    ),
    "window_ladder": ((*(INTEGER,) * 3, *(POINTER,) * 5, INTEGER, *(POINTER,) * 3), ("f64",)),
    "chain_count": ((*(POINTER,) * 3, *(INTEGER,) * 4, POINTER), ("u8", "i32", "i64")),
    "chain_score": ((*(POINTER,) * 2, *(INTEGER,) * 3, *(POINTER,) * 2), ("u8", "i32", "i64")),
    "hidden_smooth": ((INTEGER, *(POINTER,) * 5, INTEGER, *(POINTER,) * 4), ("f64",)),
    "hidden_filter": ((INTEGER, *(POINTER,) * 4, INTEGER, *(POINTER,) * 2), ("f64",)),
    "hidden_follow": ((INTEGER, *(POINTER,) * 3, INTEGER, *(POINTER,) * 2), ("f64",)),
    "hidden_path": ((INTEGER, *(POINTER,) * 4, INTEGER, *(POINTER,) * 2), ("f64",)),
    "kd_order": ((POINTER, *(INTEGER,) * 3, POINTER), ("f64",)),
    "copy_rows": ((POINTER, INTEGER, INTEGER, *(POINTER,) * 3), ("f64",)),
    "cell_moments": ((POINTER, *(INTEGER,) * 3, *(POINTER,) * 5), ("f64",)),
    "cell_values": ((POINTER, *(INTEGER,) * 3, *(POINTER,) * 6), ("f64",)),
    "cell_spread": ((POINTER, *(INTEGER,) * 3, POINTER, *(INTEGER,) * 3, POINTER), ("f64",)),
    "cell_select": ((POINTER, INTEGER, INTEGER, *(POINTER,) * 6), ("f64",)),
    "tree_moments": ((POINTER, POINTER, NUMBER, *(INTEGER,) * 3, POINTER, INTEGER, POINTER, POINTER), ("f64",)),
    "tree_values": (
        (POINTER, POINTER, NUMBER, *(INTEGER,) * 3, POINTER, INTEGER, *(POINTER,) * 3, INTEGER, POINTER),
        ("f64",),
    ),
}

F64, I32, I64 = np.dtype(np.float64), np.dtype(np.int32), np.dtype(np.int64)
SUFFIX = {
    np.dtype(np.float32): "f32",
    np.dtype(np.float64): "f64",
    np.dtype(np.int32): "i32",
    np.dtype(np.int64): "i64",
    np.dtype(np.uint8): "u8",
}
U8 = np.dtype(np.uint8)


def _path(level: str) -> Path | None:
    # An editable install keeps the compiled files apart from the sources; the package's path names both folders.
    import parzen.compute

    places = (Path(folder) / f"libparzen_{level}.so" for folder in parzen.compute.__path__)
    return next((place for place in places if place.exists()), None)


@cache
def _library(level: str) -> ctypes.CDLL:
    path = _path(level)
    if path is None:
        raise ImportError(
            f"parzen's compiled kernels for level {level!r} were not found beside {__file__}; "
            "install the package with 'pip install .' (it needs a C++ compiler)."
        )
    library = ctypes.CDLL(str(path))
    for name, (arguments, suffixes) in SIGNATURES.items():
        for suffix in suffixes:
            function = getattr(library, f"parzen_{name}_{suffix}")
            function.argtypes, function.restype = arguments, INTEGER
    return library


@cache
def levels() -> tuple[str, ...]:
    """The levels that were built and that this processor can run, lowest first."""
    if _path("baseline") is not None:
        return ("baseline",)
    highest = _library("v2").parzen_processor_level()
    return tuple(level for level in ("v2", "v3", "v4")[: highest - 1] if _path(level) is not None)


def _chosen() -> str:
    asked = os.environ.get("PARZEN_SIMD")
    if not asked:
        return levels()[-1]
    if asked not in levels():
        raise ImportError(
            f"PARZEN_SIMD is {asked!r}, but this machine can run {', '.join(levels())}; unset it or choose one."
        )
    return asked


_current: str | None = None
_functions: dict[str, Any] = {}


def level() -> str:
    """Name the level whose kernels run now."""
    global _current
    if _current is None:
        _current = _chosen()
    return _current


@contextmanager
def using(name: str) -> Iterator[None]:
    """Run the kernels of another level for a while (all threads): for tests and benchmarks."""
    global _current
    if name not in levels():
        raise ValueError(f"level is {name!r}, but this machine can run {', '.join(levels())}.")
    before, _current = _current, name
    _functions.clear()
    try:
        yield
    finally:
        _current = before
        _functions.clear()


def call(name: str, *arguments: float | None) -> int:
    """Run a kernel. Memory that it can't get is a MemoryError; what else it returns is the caller's to read."""
    function = _functions.get(name)
    if function is None:
        function = _functions[name] = getattr(_library(level()), f"parzen_{name}")
    status: int = function(*arguments)
    if status < 0:
        raise MemoryError(f"the kernel {name} could not allocate its scratch memory.")
    return status


def pointer(array: NDArray[Any], dtype: np.dtype[Any], shape: tuple[int, ...], name: str) -> int:
    """Address of a C-contiguous array that has exactly this dtype and shape; anything else is refused.

    The caller must hold the array until the kernel has run: an address keeps nothing alive.
    """
    if not isinstance(array, np.ndarray) or array.dtype != dtype:
        raise TypeError(f"{name} must be an array of {dtype}, got {getattr(array, 'dtype', type(array).__name__)}.")
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {array.shape}.")
    if not array.flags.c_contiguous:
        raise ValueError(f"{name} must be C-contiguous; pass numpy.ascontiguousarray({name}).")
    address: int = array.__array_interface__["data"][0]
    return address


def outputs(*arrays: NDArray[Any]) -> tuple[int, ...]:
    """Addresses of arrays that were made for a kernel to fill."""
    return tuple(array.__array_interface__["data"][0] for array in arrays)


def rows(X: NDArray[Any], suffixes: tuple[str, ...], name: str = "X") -> tuple[str, tuple[int, int, int, int]]:
    """Dtype suffix and (address, n, d, stride) of a matrix whose rows are contiguous, at any stride from each other."""
    suffix = SUFFIX.get(X.dtype) if isinstance(X, np.ndarray) else None
    if suffix not in suffixes:
        raise TypeError(
            f"{name} must be an array of one of {', '.join(suffixes)}, got {getattr(X, 'dtype', type(X).__name__)}."
        )
    if X.ndim != 2 or X.shape[1] == 0:
        raise ValueError(
            f"{name} must have two dimensions (rows, columns) and at least one column, got shape {X.shape}."
        )
    if not has_contiguous_rows(X):
        raise ValueError(f"{name} must have contiguous, aligned rows; pass numpy.ascontiguousarray({name}).")
    n, d = X.shape
    stride = X.strides[0] // X.itemsize if n > 1 else d
    return SUFFIX[X.dtype], (X.__array_interface__["data"][0], n, d, stride)
