"""Models as trees of JSON, and back: what may stand in a file, and nothing else."""

import dataclasses
import datetime
import functools
import importlib
import inspect
import pkgutil
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

#: Deepest that lists and objects may stand in each other.
DEEPEST = 100

#: Kinds of numbers in arrays and alone; pandas' and polars' own kinds of columns, by name.
WHOLE = ("nt8", "nt16", "nt32", "nt64")
NUMBERS = frozenset(["bool", "float32", "float64", *(f"{sign}{size}" for sign in ("i", "ui") for size in WHOLE)])
WIDE = frozenset(["Float32", "Float64", *(f"{sign}{size}" for sign in ("I", "UI") for size in WHOLE)])
PANDAS = WIDE | {"string", "str", "boolean", "category"}
POLARS = WIDE | {"String", "Boolean", "Categorical", "Null", "Object"}
BITS = ("PCG64", "PCG64DXSM", "MT19937")


class ModelFileError(ValueError):
    """A file that is no model file, is damaged, or is from a newer version; or a model that a file can't hold."""


@functools.cache
def classes() -> dict[str, type]:
    """The classes whose objects a file may hold, by their names: dataclasses and estimators of this library."""
    from sklearn.base import BaseEstimator

    import parzen

    found: dict[str, list[type]] = {}
    for info in pkgutil.walk_packages(parzen.__path__, "parzen."):
        if info.name.split(".")[1] in ("cli", "report", "__main__") or ".libparzen" in info.name:
            continue
        for name, one in vars(importlib.import_module(info.name)).items():
            own = inspect.isclass(one) and one.__module__ == info.name and not inspect.isabstract(one)
            if own and (dataclasses.is_dataclass(one) or issubclass(one, BaseEstimator) or hasattr(one, "_kept")):
                found.setdefault(name, []).append(one)
    named: dict[str, type] = {}
    for name, several in found.items():
        for one in several:  # of one name, each with that of its group
            named[name if len(several) == 1 else f"{one.__module__.split('.')[1]}.{name}"] = one
    return named


@functools.cache
def names() -> dict[type, str]:
    """The names of the classes."""
    return {one: name for name, one in classes().items()}


def attributes(cls: type) -> tuple[str, ...] | None:
    """The attributes of a class of which all belong to a file; None for estimators, of which it depends."""
    if hasattr(cls, "_kept"):
        return tuple(cls._kept)
    return tuple(field.name for field in dataclasses.fields(cls)) if dataclasses.is_dataclass(cls) else None


class Encoder:
    """Makes trees of JSON; arrays are put aside by names.

    Attributes
    ----------
    arrays : dict of str to array
    """

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}
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
        kind_of_column = _dtype_node(value, self)
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
        if cls not in names():
            what = getattr(value, "__name__", cls.__name__)
            raise ModelFileError(
                f"a file can't hold {what!r} ({self._where()}): it holds numbers, text and the library's own classes, "
                "and no functions or classes of others."
            )
        own = attributes(cls)
        kept = [name for name in vars(value) if not _derived(cls, name)] if own is None else own
        state = {name: self._inside(f".{name}", getattr(value, name)) for name in kept}
        return {"class": names()[cls], "state": state}

    def array(self, value: NDArray[Any]) -> Any:
        """An array of numbers, by name; of anything else, cell by cell."""
        if value.dtype.kind in "OUS" or str(value.dtype.newbyteorder("=")) not in NUMBERS:
            kind = "object" if value.dtype.kind == "O" else value.dtype.str
            if value.dtype.kind not in "OUS":
                raise ModelFileError(f"a file can't hold an array of {value.dtype} ({self._where()}).")
            cells = [self.node(cell) for cell in value.ravel().tolist()]
            return {"cells": cells, "kind": kind, "shape": list(value.shape)}
        if id(value) not in self._names:
            name = f"{len(self.arrays)} {self._where()}"
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


#: How kinds of values are written, subclasses first.
WRITE: list[tuple[Any, Callable[[Encoder, Any], Any]]] = [
    (np.ndarray, lambda encoder, value: encoder.array(value)),
    (np.dtype, lambda _, value: {"dtype": value.str}),
    (np.generic, lambda encoder, value: {"scalar": encoder.array(np.asarray(value))}),
    ((np.random.RandomState, np.random.Generator), _random),
    (range, lambda _, value: {"range": [value.start, value.stop, value.step]}),
    (bytes, lambda _, value: {"bytes": value.hex()}),
    (
        datetime.datetime,
        lambda _, value: {"datetime": value.isoformat(), "stamp": type(value) is not datetime.datetime},
    ),
    (datetime.date, lambda _, value: {"date": value.isoformat()}),
    ((sparse.spmatrix, sparse.sparray), _csr),
]


def _derived(cls: type, name: str) -> bool:
    return isinstance(inspect.getattr_static(cls, name, None), functools.cached_property) or name == "_skl_callbacks"


def _dtype_node(value: Any, encoder: Encoder) -> Any:
    """What stands for pandas' and polars' kinds of columns; None for anything else."""
    module = (value if inspect.isclass(value) else type(value)).__module__.split(".")[0]
    if module == "pandas":
        if type(value).__name__ == "CategoricalDtype":
            categories = None if value.categories is None else list(value.categories)
            return {"pandas": "category", "categories": encoder.node(categories), "ordered": bool(value.ordered)}
        name = str(value)
        return {"pandas": name} if name in PANDAS else None
    if module == "polars":
        name = value.__name__ if inspect.isclass(value) else type(value).__name__
        if name == "Enum":
            return {"polars": "Enum", "categories": list(value.categories)}
        return {"polars": name} if name in POLARS else None
    return None


class Decoder:
    """Makes values of trees of JSON, and arrays of names; anything else in the tree is refused."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self.arrays = arrays
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
        width = int(kind[2:])
        if kind[:2] not in ("<U", "|S") or width > max((len(value) for value in values), default=0) + 64:
            raise ModelFileError("this file is damaged: an array has an impossible kind.")
        if not all(isinstance(value, str if kind[1] == "U" else bytes) for value in values):
            raise ModelFileError("this file is damaged: an array of text holds something else.")
        return np.array(values, dtype=kind).reshape(shape)

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

    def column(self, node: Any) -> Any:
        """A kind of pandas' or polars' columns."""
        if "pandas" in node:
            import pandas

            if node["pandas"] not in PANDAS:
                raise ModelFileError("this file is damaged: a column has an unknown kind.")
            if node["pandas"] == "category":
                return pandas.CategoricalDtype(self.node(node["categories"]), ordered=node["ordered"] is True)
            return pandas.api.types.pandas_dtype(node["pandas"])
        import polars

        if node["polars"] == "Enum":
            return polars.Enum(node["categories"])
        if node["polars"] not in POLARS:
            raise ModelFileError("this file is damaged: a column has an unknown kind.")
        return getattr(polars, node["polars"])

    def moment(self, node: Any) -> Any:
        """A moment in time."""
        if node["stamp"] is True:
            import pandas

            return pandas.Timestamp(node["datetime"])
        return datetime.datetime.fromisoformat(node["datetime"])

    def object(self, node: Any) -> Any:
        """An object of one of the library's classes, with the attributes that the file gives, and none of its methods
        called.
        """
        name, state = node["class"], node["state"]
        cls = classes().get(name) if isinstance(name, str) else None
        if cls is None:
            raise ModelFileError(f"this file holds a {name!r}, which this parzen does not know; install a newer one.")
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
    if found.kind not in "biufOUSM":
        raise ModelFileError("this file is damaged: it names an impossible kind.")
    return found


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
    "range": lambda _, node: range(*(int(one) for one in node["range"])),
    "bytes": lambda _, node: bytes.fromhex(node["bytes"]),
    "datetime": Decoder.moment,
    "date": lambda _, node: datetime.date.fromisoformat(node["date"]),
    "pandas": Decoder.column,
    "polars": Decoder.column,
}
