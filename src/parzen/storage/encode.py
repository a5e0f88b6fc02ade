"""Models as trees of JSON, with arrays put aside."""

import datetime
import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from parzen.storage.columns import column_node
from parzen.storage.errors import ModelFileError
from parzen.storage.nodes import BITS, DEEPEST, NUMBERS, attributes
from parzen.storage.registry import tag_of


class Encoder:
    """Makes trees of JSON; arrays are put aside by names.

    Attributes
    ----------
    arrays : dict of str to array
    taken : int
        Bytes of values that are long in memory and short in a file: see `parzen.storage.nodes.room`.
    """

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}
        self.taken = 0
        self._names: dict[int, tuple[str, Any]] = {}
        self._within: list[str] = []

    def node(self, value: Any) -> Any:
        """What stands for a value."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if np.isfinite(value) else {"float": str(value)}
        if len(self._within) > DEEPEST:
            raise ModelFileError(f"a file can't hold this model: {self._where()} lies too deep.")
        for kind, node in WRITE:
            if isinstance(value, kind):
                return node(self, value)
        if type(value) is list:
            return [self._inside(f"[{i}]", one) for i, one in enumerate(value)]
        for name in ("tuple", "set", "frozenset"):
            if type(value).__name__ == name and isinstance(value, tuple | set | frozenset):
                cells = value if name == "tuple" else sorted(value, key=repr)
                return {name: [self._inside(f"[{i}]", one) for i, one in enumerate(cells)]}
        if type(value) is dict:
            return {"dict": [[self.node(key), self._inside(f"[{key!r}]", one)] for key, one in value.items()]}
        kind_of_column = column_node(value, self)
        return kind_of_column if kind_of_column is not None else self._object(value)

    def _inside(self, name: str, value: Any) -> Any:
        self._within.append(name)
        node = self.node(value)
        self._within.pop()
        return node

    def _where(self) -> str:
        return "".join(self._within).lstrip(".") or "it"

    def _object(self, value: Any) -> Any:
        cls = type(value)
        tag = tag_of(cls)
        if tag is None:
            what = getattr(value, "__name__", cls.__name__)
            raise ModelFileError(
                f"a file can't hold {what!r} ({self._where()}): it holds numbers, text and the library's own classes, "
                "and no functions or classes of others."
            )
        own = attributes(cls)
        kept = [name for name in list(vars(value)) if not _derived(cls, name)] if own is None else own
        state = {name: self._inside(f".{name}", getattr(value, name)) for name in kept}
        return {"class": tag, "state": state}

    def array(self, value: NDArray[Any]) -> Any:
        """An array of numbers, by name; of anything else, cell by cell."""
        if value.dtype.kind in "OUS" or str(value.dtype.newbyteorder("=")) not in NUMBERS:
            kind = "object" if value.dtype.kind == "O" else value.dtype.str
            if value.dtype.kind not in "OUS":
                raise ModelFileError(f"a file can't hold an array of {value.dtype} ({self._where()}).")
            self.taken += value.nbytes if value.dtype.kind in "US" else 0
            cells = [self.node(cell) for cell in value.ravel().tolist()]
            return {"cells": cells, "kind": kind, "shape": list(value.shape)}
        if id(value) not in self._names:
            name = f"{len(self.arrays)} {self._where()}"
            self.taken += 0 if value.size else math.prod(one for one in value.shape if one) * value.itemsize
            order = value.flags.f_contiguous and not value.flags.c_contiguous
            laid = value.T if order else value
            self.arrays[name] = np.ascontiguousarray(laid, dtype=value.dtype.newbyteorder("<")).reshape(laid.shape)
            self._names[id(value)] = (name, value)
        name = self._names[id(value)][0]
        turned = value.flags.f_contiguous and not value.flags.c_contiguous
        return {"array": name, "turned": True} if turned else {"array": name}


def _csr(encoder: Encoder, value: Any) -> Any:
    if value.format != "csr":
        value = value.tocsr()
    parts = [encoder.node(part) for part in (value.data, value.indices, value.indptr)]
    return {"csr": parts, "shape": list(value.shape), "matrix": isinstance(value, sparse.spmatrix)}


def _random(encoder: Encoder, value: Any) -> Any:
    kind = "MT19937" if isinstance(value, np.random.RandomState) else type(value.bit_generator).__name__
    if kind not in BITS:
        raise ModelFileError(f"a file can't hold a generator of the kind {kind}; give a number as random_state.")
    if isinstance(value, np.random.RandomState):
        return {"random": "RandomState", "state": encoder.node(value.get_state(legacy=False))}
    return {"random": type(value.bit_generator).__name__, "state": encoder.node(value.bit_generator.state)}


def _range(encoder: Encoder, value: range) -> Any:
    encoder.taken += 8 * len(value)
    return {"range": [value.start, value.stop, value.step]}


def _moment(value: datetime.datetime) -> Any:
    node = {"datetime": value.isoformat(), "stamp": type(value) is not datetime.datetime}
    zone = getattr(value.tzinfo, "key", None)  # a place has its own hours, which an offset does not tell
    return node if zone is None else node | {"zone": zone}


def _duration(value: datetime.timedelta) -> Any:
    stamp = type(value) is not datetime.timedelta  # pandas', in nanoseconds
    parts = [value.days, value.seconds, value.microseconds, *([value.nanoseconds] if stamp else [])]  # type: ignore[attr-defined]
    return {"timedelta": parts}


#: How kinds of values are written, subclasses first.
WRITE: list[tuple[Any, Callable[[Encoder, Any], Any]]] = [
    (np.ndarray, lambda encoder, value: encoder.array(value)),
    (np.dtype, lambda _, value: {"dtype": value.str}),
    (np.generic, lambda encoder, value: {"scalar": encoder.array(np.asarray(value))}),
    ((np.random.RandomState, np.random.Generator), _random),
    (range, _range),
    (bytes, lambda _, value: {"bytes": value.hex()}),
    (datetime.datetime, lambda _, value: _moment(value)),
    (datetime.date, lambda _, value: {"date": value.isoformat()}),
    (datetime.time, lambda _, value: {"time": value.isoformat()}),
    (datetime.timedelta, lambda _, value: _duration(value)),
    ((sparse.spmatrix, sparse.sparray), _csr),
]


def _derived(cls: type, name: str) -> bool:
    return isinstance(inspect.getattr_static(cls, name, None), functools.cached_property) or name == "_skl_callbacks"
