"""Model files: arrays and JSON, written whole or not at all; reading one executes nothing.

A file is in the format of safetensors: eight bytes that say how long a JSON header is, the header, and the arrays one
after another. The header's metadata holds the format's name and version, a checksum, and the model: a tree of JSON in
which arrays stand by their names, and objects by the name of a class of this library and the values of its attributes.
Classes are looked up in the library's own list, made without calling anything of theirs, and given their attributes.
What a file says of sizes and kinds is checked before anything of that size is made.
"""

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.nodes import Decoder, Encoder, ModelFileError

FORMAT, VERSION = "parzen", 1

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


class Saving:
    """What can be saved to a file: see `parzen.load`."""

    def save(self, path: Any) -> None:
        """Write to a file that `parzen.load` reads back, to the last bit; whole or not at all.

        Parameters
        ----------
        path : str or Path
        """
        save(self, path)


def save(model: Any, path: Any) -> None:
    """Write a model (an estimator, a statistic, a family, densities) to a file; whole or not at all.

    Parameters
    ----------
    model : what is written
    path : str or Path

    Examples
    --------
    >>> import tempfile, numpy as np, parzen
    >>> model = parzen.KernelDensity(bandwidth=0.5).fit(np.array([[0.0], [1.0], [3.0]]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     parzen.save(model, folder + "/model.parzen")
    ...     again = parzen.load(folder + "/model.parzen")
    >>> bool((again.score_samples([[0.5]]) == model.score_samples([[0.5]])).all())
    True
    """
    write_whole(path, dumped(model))


def dumped(model: Any) -> bytes:
    """What a file of a model holds."""
    encoder = Encoder()
    tree = json.dumps(encoder.node(model), ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return packed(tree, encoder.arrays)


def load(path: Any) -> Any:
    """Read what `save` has written. Nothing in the file is executed; a broken file is refused.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    the model
    """
    tree, arrays, _ = unpacked(read_whole(path))
    return Decoder(arrays).node(_json(tree, "the model"))


def describe(path: Any) -> dict[str, Any]:
    """What a file holds, without making a model of it: class, parameters, versions, arrays and their shapes."""
    data = read_whole(path)
    tree, arrays, versions = unpacked(data)
    node = _json(tree, "the model")
    kind = node.get("class") if isinstance(node, dict) else None
    return {
        "class": kind if isinstance(kind, str) else None,
        "format": VERSION,
        "parzen": versions,
        "bytes": len(data),
        "arrays": {name: {"dtype": str(array.dtype), "shape": list(array.shape)} for name, array in arrays.items()},
    }


# Bytes ---------------------------------------------------------------------------------------------------------------


def packed(tree: str, arrays: dict[str, NDArray[Any]]) -> bytes:
    """A file of a model's tree and its arrays."""
    from parzen import __version__

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


def unpacked(data: bytes) -> tuple[str, dict[str, NDArray[Any]], str]:
    """The tree, the arrays and the library's version of a file, or an error."""
    if len(data) < 8:
        raise ModelFileError("this is no model file: it is shorter than 8 bytes.")
    size = int.from_bytes(data[:8], "little")
    if size > HEADER or 8 + size > len(data):
        raise ModelFileError("this is no model file, or a part of one: its header would be longer than the file.")
    header = _json(data[8 : 8 + size], "the header")
    told = header.pop("__metadata__", None) if isinstance(header, dict) else None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise ModelFileError("this is no model file of parzen: its header does not say so.")
    if told.get("version") != str(VERSION):
        raise ModelFileError(
            f"this file has version {told.get('version')!r} of the format, and this parzen reads version {VERSION}; "
            "install a newer one."
        )
    body = memoryview(data)[8 + size :]
    if told.get("sha256") != _checksum(told, header, body):
        raise ModelFileError("this file is damaged: its checksum is not that of what it holds.")
    tree, maker = told.get("model"), told.get("parzen")
    if not isinstance(tree, str) or not isinstance(maker, str):
        raise ModelFileError("this file is damaged: it holds no model.")
    return tree, _arrays(header, body), maker


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


# Files ---------------------------------------------------------------------------------------------------------------


def read_whole(path: Any) -> bytes:
    """All bytes of a file."""
    return Path(path).read_bytes()


def write_whole(path: Any, data: bytes) -> None:
    """Write a file so that it is there whole, or as it was before."""
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent or Path())
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
