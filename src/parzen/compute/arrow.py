"""Columns of text by Arrow's C stream interface: their codes, without an object for each cell.

Whatever offers ``__arrow_c_stream__`` is read where it is: columns of pandas, polars and pyarrow. See
https://arrow.apache.org/docs/format/CDataInterface.html for the three structures.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native

#: Arrow's formats of text, and the routine that reads each.
FORMATS = {b"u": "i32", b"U": "i64", b"vu": "view"}


class _Schema(ctypes.Structure):
    _fields_ = (
        ("format", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("metadata", ctypes.c_char_p),
        ("flags", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("children", ctypes.c_void_p),
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
        ("children", ctypes.c_void_p),
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


def text_codes(column: Any) -> tuple[NDArray[np.int32], NDArray[np.int64]] | None:
    """Codes of a column of text, (n,), -1 where it is missing, and a row that has each code.

    A column in several chunks may have several codes of one text. None where the column holds no text.
    """
    capsule = column.__arrow_c_stream__()
    address = _pointer(capsule, b"arrow_array_stream")
    stream = _Stream.from_address(address)
    suffix = FORMATS.get(_received(stream.get_schema, address, _Schema(), lambda schema: bytes(schema.format)))
    if suffix is None:
        return None
    codes: list[NDArray[np.int32]] = []
    firsts: list[NDArray[np.int64]] = []
    begin = count = 0
    while True:
        found = _received(stream.get_next, address, _Array(), lambda array: _chunk_codes(array, suffix))
        if found is None:
            break
        codes.append(np.where(found[0] >= 0, found[0] + np.int32(count), np.int32(-1)) if count else found[0])
        firsts.append(found[1] + begin)
        begin, count = begin + len(found[0]), count + len(found[1])
    if len(codes) == 1:
        return codes[0], firsts[0]
    return (np.concatenate(codes), np.concatenate(firsts)) if codes else (np.empty(0, np.int32), np.empty(0, np.int64))


def _received(get: Any, stream: int, out: Any, read: Callable[[Any], Any]) -> Any:
    """What is read from a structure that a stream gives, which is released then; None at the end of the stream."""
    if get(stream, ctypes.addressof(out)):
        raise ValueError("a column of text can't be read by Arrow's stream interface; give its text as objects.")
    if not out.release:
        return None
    try:
        return read(out)
    finally:
        out.release(ctypes.addressof(out))


def _chunk_codes(array: _Array, suffix: str) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    n = array.length
    codes, firsts = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int64)
    valid = array.buffers[0] if array.null_count else None
    data = array.buffers[2] if suffix != "view" else ctypes.addressof(array.buffers.contents) + 16
    addresses = native.outputs(codes, firsts)
    count = native.call(f"text_codes_{suffix}", array.buffers[1], data, valid, array.offset, n, *addresses) if n else 0
    return codes, firsts[:count].copy()
