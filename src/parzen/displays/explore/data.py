"""The table that is explored: columns of numbers and of categories, read once, and what has been computed of them."""

import json
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from threading import RLock
from typing import Any

import numpy as np

from parzen.compute.arrays import Array

#: Categories of a column beyond which it is no target.
MOST_CLASSES = 20
#: Results that are kept, of the latest questions; and of those that hold all rows.
KEPT, KEPT_ROWS = 64, 10
HOLDS_ROWS = {"rows", "sorted", "kde", "pair", "labelled", "shuffled"}


class Data:
    """Columns by name, and a bounded memory of results that are functions of them.

    Parameters
    ----------
    name : str
        Of the file or the example.
    numbers : mapping from names to arrays (n,) of float64
        Missing values are NaN.
    classes : mapping from names to arrays (n,) of str
        Columns of few categories; a missing one is the empty text.
    target : str, optional
        The column of classes, or of numbers, to predict.
    source : str
        The Python expression that gives the table, for the lines that the page shows.
    notes : sequence of str
        What was decided while the table was read.
    """

    def __init__(
        self,
        name: str,
        numbers: Mapping[str, Array],
        classes: Mapping[str, Any],
        target: str | None = None,
        source: str = "table",
        notes: tuple[str, ...] = (),
    ) -> None:
        self.name, self.target, self.source, self.notes = name, target, source, notes
        self.numbers = {str(key): np.asarray(values, dtype=np.float64) for key, values in numbers.items()}
        self.classes = {str(key): np.asarray(values, dtype=str) for key, values in classes.items()}
        both = [*self.numbers.values(), *self.classes.values()]
        self.rows = len(both[0]) if both else 0
        self._results: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = RLock()

    @classmethod
    def of_frame(cls, frame: Any, target: str | None = None, name: str = "table", **rest: Any) -> "Data":
        """The columns of a pandas table that can be drawn: numbers, and those of few categories."""
        numbers, classes = {}, {}
        for label in frame.columns:
            column, key = frame[label], str(label)
            if column.dtype.kind in "iuf" or getattr(column.dtype, "numpy_dtype", np.dtype("O")).kind in "iuf":
                values = column.to_numpy(dtype=np.float64, na_value=np.nan)
                numbers[key] = np.where(np.isfinite(values), values, np.nan)
            few = key == target or (column.dtype.kind not in "fM" and column.nunique() <= MOST_CLASSES)
            if few and 2 <= column.nunique() <= MOST_CLASSES:
                classes[key] = np.where(column.isna(), "", column.astype(str))
        return cls(name, numbers, classes, target, **rest)

    def meta(self) -> dict[str, Any]:
        """What the page must know before the first question."""
        return {
            "name": self.name,
            "rows": self.rows,
            "target": self.target,
            "notes": list(self.notes),
            "numbers": [{"name": key, **self.remember(("range", key), self._range, key)} for key in self.numbers],
            "classes": [{"name": key, "classes": self.class_names(key)} for key in self.classes],
        }

    def _range(self, name: str) -> dict[str, Any]:
        known = self.column(name)[:, 0]
        if not len(known):
            return {"low": None, "high": None, "known": 0}
        return {"low": float(known.min()), "high": float(known.max()), "known": len(known)}

    def class_names(self, name: str) -> list[str]:
        """The categories of a column, sorted."""
        return [str(one) for one in np.unique(self.classes[name]) if one != ""]

    def column(self, *names: str) -> Array:
        """The rows (m, d) of some columns in which none is missing."""
        return self.remember(("rows", names), self._known, names)

    def _known(self, names: tuple[str, ...]) -> Array:
        rows = np.column_stack([self.numbers[name] for name in names])
        return np.ascontiguousarray(rows[~np.isnan(rows).any(axis=1)])

    def labelled(self, names: tuple[str, ...], target: str, most: int) -> tuple[Array, Any]:
        """At most so many rows of some columns in which nothing is missing, and their classes."""
        return self.remember(("labelled", names, target, most), self._labelled, names, target, most)

    def _labelled(self, names: tuple[str, ...], target: str, most: int) -> tuple[Array, Any]:
        rows, labels = np.column_stack([self.numbers[name] for name in names]), self.classes[target]
        known = ~np.isnan(rows).any(axis=1) & (labels != "")
        kept = drawn(np.flatnonzero(known), most)
        return np.ascontiguousarray(rows[kept]), labels[kept]

    def remember(self, key: Hashable, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result of a function of the data alone, computed when it is first asked for."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
        found = function(*arguments)
        with self._lock:
            self._results[key] = found
            large = [one for one in self._results if isinstance(one, tuple) and one[0] in HOLDS_ROWS]
            for old in large[:-KEPT_ROWS]:
                del self._results[old]
            while len(self._results) > KEPT:
                self._results.popitem(last=False)
        return found


@lru_cache(maxsize=32)
def shuffled(count: int, most: int, seed: int = 0) -> Any:
    """Positions of at most so many rows in a random order: those that pandas' ``DataFrame.sample`` draws."""
    return np.random.RandomState(seed).choice(count, min(count, most), replace=False)


def drawn(rows: Any, most: int, seed: int = 0) -> Any:
    """At most so many rows, drawn without replacement: the same ones each time."""
    return rows if len(rows) <= most else rows[shuffled(len(rows), most, seed)]


def cells(values: Array) -> dict[str, Any]:
    """Numbers of a picture as whole ones of a common unit: short to send, and exact to a part in 10,000 of the most."""
    known = values[np.isfinite(values)]
    unit = float(np.abs(known).max()) / 10_000 if len(known) and known.any() else 1.0
    return {"unit": unit, "cells": np.rint(np.nan_to_num(values / unit, posinf=10_000, neginf=-10_000)).astype(int)}


def lines(data: Data, names: list[str], used: int, rows: int, labels: str | None = None) -> str:
    """Python's expression for the rows that a view uses: without missing cells, some drawn at random where said."""
    known = f"{data.source}[{[*names, *([labels] if labels else [])]!r}].dropna()"
    return known if used >= rows else f"{known}.sample({used}, random_state=0)"


def plain(value: Any) -> Any:
    """Arrays and NumPy's numbers as lists and numbers; what is not finite becomes None, as JSON knows no other way."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            found = value.astype(object)
            found[~np.isfinite(value)] = None
            return found.tolist()
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value


def encoded(value: Any) -> bytes:
    """JSON of plain numbers."""
    return json.dumps(plain(value), allow_nan=False, separators=(",", ":")).encode()
