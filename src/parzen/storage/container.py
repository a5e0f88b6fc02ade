"""The bytes of a model file: a header of JSON and the arrays, in the format of safetensors."""

import hashlib
import json
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen.storage.errors import ModelFileError

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
    """What a file holds: the model's tree, its arrays, the version of the format, and the library's version."""

    tree: Any
    arrays: dict[str, NDArray[Any]]
    version: int
    parzen: str


def packed(tree: str, arrays: dict[str, NDArray[Any]]) -> bytes:
    """A file of a model's tree and its arrays."""
    from importlib.metadata import version

    table: dict[str, Any] = {}
    parts, at = [], 0
    for name, array in arrays.items():
        data = array.tobytes()
        table[name] = {"dtype": NAMES[array.dtype], "shape": list(array.shape), "data_offsets": [at, at + len(data)]}
        parts.append(data)
        at += len(data)
    body = b"".join(parts)
    told = {"format": FORMAT, "version": str(VERSION), "parzen": version("parzen"), "model": tree}
    told["sha256"] = _checksum(told, table, body)
    header = json.dumps({"__metadata__": told, **table}, ensure_ascii=True, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + body


def unpacked(data: bytes) -> Contents:
    """What a file holds, or an error."""
    if len(data) < 8:
        raise ModelFileError("this is no model file: it is shorter than 8 bytes.")
    size = int.from_bytes(data[:8], "little")
    if size > HEADER or 8 + size > len(data):
        raise ModelFileError("this is no model file, or a part of one: its header would be longer than the file.")
    header = _json(data[8 : 8 + size], "the header")
    told = header.pop("__metadata__", None) if isinstance(header, dict) else None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise ModelFileError("this is no model file of parzen: its header does not say so.")
    if told.get("version") not in [str(known) for known in range(1, VERSION + 1)]:
        raise ModelFileError(
            f"this file has version {told.get('version')!r} of the format, and this parzen reads versions up to "
            f"{VERSION}; install a newer one."
        )
    body = memoryview(data)[8 + size :]
    if told.get("sha256") != _checksum(told, header, body):
        raise ModelFileError("this file is damaged: its checksum is not that of what it holds.")
    tree, maker = told.get("model"), told.get("parzen")
    if not isinstance(tree, str) or not isinstance(maker, str):
        raise ModelFileError("this file is damaged: it holds no model.")
    return Contents(_json(tree, "the model"), _arrays(header, body), int(told["version"]), maker)


def _arrays(table: dict[str, Any], body: memoryview) -> dict[str, NDArray[Any]]:
    out, end = {}, 0
    for name, entry in table.items():
        if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
            raise ModelFileError(f"this file is damaged: the array {name!r} is not described as it should be.")
        kind, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
        sound = isinstance(kind, str) and kind in KINDS and _sizes(shape) and len(shape) <= 8
        if not sound or not _sizes(offsets) or len(offsets) != 2:
            raise ModelFileError(f"this file is damaged: the array {name!r} has no kind, shape or place that can be.")
        dtype, count = np.dtype(KINDS[kind]), 1
        for length in shape:
            count *= length
        if offsets[0] != end or offsets[1] != end + count * dtype.itemsize or offsets[1] > len(body):
            raise ModelFileError(f"this file is damaged: the array {name!r} is not as long as its shape {shape} says.")
        end = offsets[1]
        if kind == "BOOL" and any(byte > 1 for byte in body[offsets[0] : end]):
            raise ModelFileError(f"this file is damaged: the array {name!r} of booleans holds other numbers.")
        out[name] = np.frombuffer(body, dtype=dtype, count=count, offset=offsets[0]).reshape(shape)
    if end != len(body):
        raise ModelFileError("this file is damaged: it is longer than its arrays.")
    return out


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
