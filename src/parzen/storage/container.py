"""The bytes of a model file: a header of JSON and the arrays, in the format of safetensors."""

import hashlib
import json
import math
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen.compute.version import __version__
from parzen.storage.errors import ModelFileError
from parzen.storage.nodes import room

FORMAT, VERSION = "parzen", 2

#: What arrays may hold, by the names of safetensors.
KINDS = {
    "F64": "<f8",
    "F32": "<f4",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "|u1",
    "BOOL": "|b1",
}
NAMES = {np.dtype(kind): name for name, kind in KINDS.items()}

#: Most bytes of a header, as in safetensors.
HEADER = 100_000_000


class Contents(NamedTuple):
    """What a file holds: the model's tree, its arrays, the version of the format, the library's version, its bytes."""

    tree: Any
    arrays: dict[str, NDArray[Any]]
    version: int
    parzen: str
    size: int


class Place(NamedTuple):
    """Where an array lies among the bytes of all arrays."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    end: int


def packed(tree: str, arrays: dict[str, NDArray[Any]]) -> bytes:
    """A file of a model's tree and its arrays."""
    table: dict[str, Any] = {}
    parts, at = [], 0
    for name, array in arrays.items():
        data = array.tobytes()
        table[name] = {"dtype": NAMES[array.dtype], "shape": list(array.shape), "data_offsets": [at, at + len(data)]}
        parts.append(data)
        at += len(data)
    body = b"".join(parts)
    told = {"format": FORMAT, "version": str(VERSION), "parzen": __version__, "model": tree}
    told["sha256"] = _checksum(told, table, body)
    header = json.dumps({"__metadata__": told, **table}, ensure_ascii=True, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + body


def unpacked(file: BinaryIO, size: int) -> Contents:
    """What a file of a size holds, or an error. Each part is read when those before it have said that it is there."""
    if size < 8:
        raise ModelFileError("this is no model file: it is shorter than 8 bytes.")
    length = int.from_bytes(file.read(8), "little")
    if length > min(HEADER, size - 8):
        raise ModelFileError("this is no model file, or a part of one: its header would be longer than the file.")
    header = _json(file.read(length), "the header")
    told = header.pop("__metadata__", None) if isinstance(header, dict) else None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise ModelFileError("this is no model file of parzen: its header does not say so.")
    if told.get("version") not in [str(known) for known in range(1, VERSION + 1)]:
        raise ModelFileError(
            f"this file has version {told.get('version')!r} of the format, and this parzen reads versions up to "
            f"{VERSION}; install a newer one."
        )
    places = _places(header, size - 8 - length, size)
    body = file.read(size - 8 - length)
    if told.get("sha256") != _checksum(told, header, body):
        raise ModelFileError("this file is damaged: its checksum is not that of what it holds.")
    tree, maker = told.get("model"), told.get("parzen")
    if not isinstance(tree, str) or not isinstance(maker, str):
        raise ModelFileError("this file is damaged: it holds no model.")
    arrays = {name: _array(name, place, body) for name, place in places.items()}
    return Contents(_json(tree, "the model"), arrays, int(told["version"]), maker, size)


def _places(table: dict[str, Any], length: int, size: int) -> dict[str, Place]:
    """Where each array lies, one after another, from the first byte to the last."""
    out, end = {}, 0
    for name, entry in table.items():
        if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
            raise ModelFileError(f"this file is damaged: the array {name!r} is not described as it should be.")
        kind, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
        sound = isinstance(kind, str) and kind in KINDS and _sizes(shape) and len(shape) <= 8
        if not sound or not _sizes(offsets) or len(offsets) != 2:
            raise ModelFileError(f"this file is damaged: the array {name!r} has no kind, shape or place that can be.")
        dtype = np.dtype(KINDS[kind])
        if offsets[0] != end or offsets[1] != end + math.prod(shape) * dtype.itemsize:
            raise ModelFileError(f"this file is damaged: the array {name!r} is not as long as its shape {shape} says.")
        if math.prod(one for one in shape if one) * dtype.itemsize > room(size):  # empty, and yet large in a direction
            raise ModelFileError(f"this file is damaged: the array {name!r} has no shape {shape} that can be.")
        end = offsets[1]
        out[name] = Place(dtype, tuple(shape), offsets[0], end)
    if end != length:
        raise ModelFileError(f"this file is damaged: its arrays are {end} bytes long, but it has {length} for them.")
    return out


def _array(name: str, place: Place, body: bytes) -> NDArray[Any]:
    bytes_of_it = np.frombuffer(body, dtype=np.uint8)[place.begin : place.end]
    if place.dtype == bool and (bytes_of_it > 1).any():
        raise ModelFileError(f"this file is damaged: the array {name!r} of booleans holds other numbers.")
    return np.frombuffer(bytes_of_it, dtype=place.dtype).reshape(place.shape)


def _sizes(given: Any) -> bool:
    return isinstance(given, list) and all(type(one) is int and 0 <= one < 2**60 for one in given)


def _checksum(told: dict[str, Any], table: dict[str, Any], body: Any) -> str:
    rest = {key: value for key, value in told.items() if key != "sha256"}
    found = hashlib.sha256(json.dumps([rest, table], sort_keys=True, separators=(",", ":")).encode())
    found.update(body)
    return found.hexdigest()


def _json(text: Any, what: str) -> Any:
    def no_constant(name: str) -> Any:
        raise ValueError(name)

    try:
        return json.loads(text, parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise ModelFileError(f"this is no model file, or a damaged one: {what} can't be read.") from None
