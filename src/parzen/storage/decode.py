"""Models of trees of JSON and arrays: no method of theirs is called."""

import datetime
import functools
import inspect
import re
import zoneinfo
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from parzen.storage.columns import column_kind, interval, period
from parzen.storage.errors import ModelFileError
from parzen.storage.nodes import BITS, DEEPEST, attributes, room
from parzen.storage.registry import LATER_PARAMETERS, class_of, upgraded


class Decoder:
    """Makes values of trees of JSON, and arrays of names; anything else in the tree is refused.

    Parameters
    ----------
    arrays : dict of str to array
    version : int
    size : int
        Bytes of the file, to which what it asks for is in proportion.
    """

    def __init__(self, arrays: dict[str, NDArray[Any]], version: int, size: int) -> None:
        self.arrays, self.version = arrays, version
        self._room = room(size)
        self._made: dict[str, NDArray[Any]] = {}
        self._depth = 0

    def node(self, node: Any) -> Any:
        """The value that a node stands for."""
        if node is None or isinstance(node, bool | int | float | str):
            return node
        self._depth += 1
        if self._depth > 2 * DEEPEST:
            raise ModelFileError("this file is damaged: it is nested too deep.")
        try:
            if isinstance(node, list):
                return [self.node(one) for one in node]
            return self._tagged(node)
        except ModelFileError:
            raise
        except Exception as reason:
            raise ModelFileError(f"this file is damaged: a value can't be read ({reason}).") from None
        finally:
            self._depth -= 1

    def _tagged(self, node: Any) -> Any:
        tag = next((tag for tag in READ if tag in node), None)
        if tag is None:
            raise ModelFileError(f"this file is damaged, or from a newer parzen: it holds {sorted(node)!r}.")
        return READ[tag](self, node)

    def take(self, size: int) -> None:
        """Take bytes from what is left for values that a file names in a few of its own, before they are made."""
        self._room -= size
        if self._room < 0:
            raise ModelFileError("this file is damaged: it asks for more memory than a file of its length can fill.")

    def array(self, node: Any) -> NDArray[Any]:
        """The array that a node names, as it lay in memory."""
        name = node["array"]
        if not isinstance(name, str) or name not in self.arrays:
            raise ModelFileError(f"this file is damaged: the array {name!r} is not in it.")
        if name not in self._made:
            own = self.arrays[name]
            self._made[name] = own.astype(own.dtype.newbyteorder("="), order="C", copy=True)
        return self._made[name].T if node.get("turned") is True else self._made[name]

    def cells(self, node: Any) -> NDArray[Any]:
        """An array of text or of anything."""
        shape, kind = node["shape"], node["kind"]
        values = [self.node(cell) for cell in node["cells"]]
        count = 1
        for length in shape:
            if type(length) is not int or length < 0:
                raise ModelFileError("this file is damaged: an array has an impossible shape.")
            count *= length
        if count != len(values):
            raise ModelFileError("this file is damaged: an array has fewer cells than its shape says, or more.")
        if kind == "object":
            out = np.empty(count, dtype=object)
            out[:] = values
            return out.reshape(shape)
        if not isinstance(kind, str) or not re.fullmatch(r"<U\d{1,9}|\|S\d{1,9}", kind):
            raise ModelFileError("this file is damaged: an array has an impossible kind.")
        if not all(isinstance(value, str if kind[1] == "U" else bytes) for value in values):
            raise ModelFileError("this file is damaged: an array of text holds something else.")
        if max((len(value) for value in values), default=0) > int(kind[2:]):
            raise ModelFileError("this file is damaged: an array of text holds longer text than it says.")
        self.take(count * np.dtype(kind).itemsize)
        return np.array(values, dtype=kind).reshape(shape)

    def range(self, node: Any) -> Any:
        """A range that is no longer than what it numbers."""
        start, stop, step = node["range"]
        found = range(int(start), int(stop), int(step))
        self.take(8 * max(0, (found.stop - found.start) // found.step))
        return found

    def scalar(self, node: Any) -> Any:
        """A number of NumPy's."""
        cell = self.node(node["scalar"])
        if not isinstance(cell, np.ndarray) or cell.ndim:
            raise ModelFileError("this file is damaged: a number is none.")
        return cell[()]

    def csr(self, node: Any) -> Any:
        """A sparse matrix whose parts fit together."""
        data, indices, indptr = (self.node(part) for part in node["csr"])
        kind = sparse.csr_matrix if node["matrix"] is True else sparse.csr_array
        out = kind((data, indices, indptr), shape=tuple(node["shape"]))
        out.check_format(full_check=True)
        return out

    def random(self, node: Any) -> Any:
        """A generator in its state."""
        name, state = node["random"], self.node(node["state"])
        inner = state.get("state")
        if "pos" in inner:  # NumPy reads where it says
            sound = type(inner["pos"]) is int and 0 <= inner["pos"] <= 624 and inner["key"].shape == (624,)
            if not sound or inner["key"].dtype != np.uint32:
                raise ModelFileError("this file is damaged: a generator is in no state that it can be in.")
        if name == "RandomState":
            out = np.random.RandomState()
            out.set_state(state)
            return out
        if name not in BITS:
            raise ModelFileError(f"this file is damaged: there is no generator {name!r}.")
        bits = getattr(np.random, name)()
        bits.state = state
        return np.random.Generator(bits)

    def moment(self, node: Any) -> Any:
        """A moment in time."""
        zone = zoneinfo.ZoneInfo(node["zone"]) if "zone" in node else None
        if node["stamp"] is True:
            import pandas

            stamp = pandas.Timestamp(node["datetime"])
            return stamp if zone is None else stamp.tz_convert(zone)
        moment = datetime.datetime.fromisoformat(node["datetime"])
        return moment if zone is None else moment.astimezone(zone)

    def object(self, node: Any) -> Any:
        """An object of one of the library's classes, with the attributes that the file gives, and none of its methods
        called.
        """
        name, state = node["class"], node["state"]
        if self.version == 1 and isinstance(name, str) and isinstance(state, dict):
            name, state = upgraded(name, state)
        cls = class_of(name) if isinstance(name, str) else None
        if cls is None:
            raise ModelFileError(f"this file holds a {name!r}, which this parzen does not know; install a newer one.")
        state = {**LATER_PARAMETERS.get(name, {}), **state}
        own = attributes(cls)
        if own is None:
            needed = set(inspect.signature(cls).parameters)
            for one in state:
                if not one.isidentifier() or one.startswith("__") or _is_code(cls, one):
                    raise ModelFileError(f"this file is damaged: a {name} has no attribute {one!r} to be read.")
        else:
            needed = set(own)
            if set(state) - needed:
                raise ModelFileError(f"this file is damaged: a {name} has no {sorted(set(state) - needed)!r}.")
        if needed - set(state):
            raise ModelFileError(f"this file is damaged: its {name} lacks {sorted(needed - set(state))!r}.")
        out: Any = object.__new__(cls)
        values = {one: self.node(value) for one, value in state.items()}
        vars(out).update(values)
        return out


def _is_code(cls: type, name: str) -> bool:
    """Whether a name is a method or a property of a class: a file may not stand in its place."""
    found = inspect.getattr_static(cls, name, None)
    return callable(found) or isinstance(found, property | functools.cached_property | staticmethod | classmethod)


def _float(_: Decoder, node: Any) -> float:
    if node["float"] not in ("nan", "inf", "-inf"):
        raise ModelFileError("this file is damaged: a number is none.")
    return float(node["float"])


def _dtype(_: Decoder, node: Any) -> Any:
    found = np.dtype(str(node["dtype"]))
    if found.kind not in "biufOUSMm":
        raise ModelFileError("this file is damaged: it names an impossible kind.")
    return found


def _duration(days: int, seconds: int, microseconds: int, nanoseconds: int | None = None) -> Any:
    if nanoseconds is None:
        return datetime.timedelta(days, seconds, microseconds)
    import pandas

    return pandas.Timedelta(days=days, seconds=seconds, microseconds=microseconds, nanoseconds=nanoseconds)


#: How tagged nodes are read.
READ: dict[str, Callable[[Decoder, Any], Any]] = {
    "class": Decoder.object,
    "array": Decoder.array,
    "cells": Decoder.cells,
    "scalar": Decoder.scalar,
    "csr": Decoder.csr,
    "random": Decoder.random,
    "float": _float,
    "dtype": _dtype,
    "tuple": lambda decoder, node: tuple(decoder.node(one) for one in node["tuple"]),
    "set": lambda decoder, node: {decoder.node(one) for one in node["set"]},
    "frozenset": lambda decoder, node: frozenset(decoder.node(one) for one in node["frozenset"]),
    "dict": lambda decoder, node: {decoder.node(key): decoder.node(value) for key, value in node["dict"]},
    "range": Decoder.range,
    "bytes": lambda _, node: bytes.fromhex(node["bytes"]),
    "datetime": Decoder.moment,
    "date": lambda _, node: datetime.date.fromisoformat(node["date"]),
    "time": lambda _, node: datetime.time.fromisoformat(node["time"]),
    "timedelta": lambda _, node: _duration(*(int(part) for part in node["timedelta"])),
    "interval": interval,
    "period": period,
    "pandas": column_kind,
    "polars": column_kind,
}
