"""Columns by Arrow's C stream interface: codes of text, and rows of numbers, without an object for each cell.

Whatever offers ``__arrow_c_stream__`` is read where it is: columns of pandas, polars and pyarrow. See
https://arrow.apache.org/docs/format/CDataInterface.html for the three structures.
"""

import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native

#: Arrow's formats of text, and the routine that reads each.
FORMATS = {b"u": "i32", b"U": "i64", b"vu": "view"}


#: Arrow's formats of numbers: of 8, 16, 32 and 64 bits, with and without a sign; floating.
NUMBERS = frozenset((b"c", b"C", b"s", b"S", b"i", b"I", b"l", b"L", b"f", b"g"))


class _Schema(ctypes.Structure):
    _fields_ = (
        ("format", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("metadata", ctypes.c_char_p),
        ("flags", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("children", ctypes.POINTER(ctypes.c_void_p)),
        ("dictionary", ctypes.c_void_p),
        ("release", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("private_data", ctypes.c_void_p),
    )


class _Array(ctypes.Structure):
    _fields_ = (
        ("length", ctypes.c_int64),
        ("null_count", ctypes.c_int64),
        ("offset", ctypes.c_int64),
        ("n_buffers", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("buffers", ctypes.POINTER(ctypes.c_void_p)),
        ("children", ctypes.POINTER(ctypes.c_void_p)),
        ("dictionary", ctypes.c_void_p),
        ("release", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("private_data", ctypes.c_void_p),
    )


class _Stream(ctypes.Structure):
    _fields_ = (
        ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
        ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
    )


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def text_codes(column: Any) -> tuple[NDArray[np.int32], list[str]] | None:
    """Codes of a column of text, (n,), -1 where it is missing, and the text of each code.

    A column in several chunks may have several codes of one text. None where the column holds no text.
    """
    capsule = column.__arrow_c_stream__()
    address = _pointer(capsule, b"arrow_array_stream")
    stream = _Stream.from_address(address)
    suffix = FORMATS.get(_received(stream.get_schema, address, _Schema(), lambda schema: bytes(schema.format)))
    if suffix is None:
        return None
    codes: list[NDArray[np.int32]] = []
    texts: list[str] = []
    while True:
        found = _received(stream.get_next, address, _Array(), lambda array: _chunk_codes(array, suffix))
        if found is None:
            break
        count = np.int32(len(texts))
        codes.append(np.where(found[0] >= 0, found[0] + count, np.int32(-1)) if count else found[0])
        texts += found[1]
    if len(codes) == 1:
        return codes[0], texts
    return (np.concatenate(codes) if codes else np.empty(0, np.int32)), texts


def number_rows(table: Any, n: int) -> NDArray[Any] | None:
    """Rows of a table of numbers, (n, d), NaN where a cell is missing: float32 where all columns are, else float64.

    None where a column holds anything else.
    """
    capsule = table.__arrow_c_stream__()
    address = _pointer(capsule, b"arrow_array_stream")
    stream = _Stream.from_address(address)
    formats = _received(stream.get_schema, address, _Schema(), _formats)
    if formats is None or not NUMBERS.issuperset(formats):
        return None
    out = np.empty((n, len(formats)), dtype=np.float32 if set(formats) == {b"f"} else np.float64)
    letters, begin = b"".join(formats), 0
    while True:
        some = _received(stream.get_next, address, _Array(), partial(_place, formats=letters, out=out[begin:]))
        if some is None:
            break
        begin += some
    return out


def _formats(schema: _Schema) -> list[bytes] | None:
    """The formats of a table's columns; None where it is no table, or has a column of dictionaries."""
    columns = [_Schema.from_address(schema.children[j]) for j in range(schema.n_children)]
    if schema.format != b"+s" or not columns or any(one.dictionary for one in columns):
        return None
    return [bytes(one.format) for one in columns]


def _place(table: _Array, formats: bytes, out: NDArray[Any]) -> int:
    """Write a chunk of a table to the first rows of a matrix; say how many they are."""
    n, d = int(table.length), len(formats)
    if n > len(out):
        raise ValueError(f"internal error; please report it: a table has more than its {len(out)} rows.")
    columns = [_Array.from_address(table.children[j]) for j in range(d)]
    cells, valid = ((ctypes.c_void_p * d)() for _ in range(2))
    for j, one in enumerate(columns):
        cells[j], valid[j] = one.buffers[1], one.buffers[0] if one.null_count else None
    firsts = (ctypes.c_int64 * d)(*(one.offset + table.offset for one in columns))
    letters = ctypes.create_string_buffer(formats, d)
    addresses = [ctypes.addressof(one) for one in (letters, cells, valid, firsts)]
    if n:
        native.call(f"side_by_side_{native.SUFFIX[out.dtype]}", *addresses, n, d, *native.outputs(out))
    return n


def _received(get: Any, stream: int, out: Any, read: Callable[[Any], Any]) -> Any:
    """What is read from a structure that a stream gives, which is released then; None at the end of the stream."""
    if get(stream, ctypes.addressof(out)):
        raise ValueError("a table can't be read by Arrow's stream interface; give it as objects of Python.")
    if not out.release:
        return None
    try:
        return read(out)
    finally:
        out.release(ctypes.addressof(out))


def _chunk_codes(array: _Array, suffix: str) -> tuple[NDArray[np.int32], list[str]]:
    n = array.length
    codes, starts, sizes = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    valid = array.buffers[0] if array.null_count else None
    data = array.buffers[2] if suffix != "view" else ctypes.addressof(array.buffers.contents) + 16
    addresses = native.outputs(codes, starts, sizes)
    count = native.call(f"text_codes_{suffix}", array.buffers[1], data, valid, array.offset, n, *addresses) if n else 0
    spans = zip(starts[:count].tolist(), sizes[:count].tolist(), strict=True)
    return codes, [ctypes.string_at(start, size).decode() for start, size in spans]
