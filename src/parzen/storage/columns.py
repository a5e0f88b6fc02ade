"""Kinds of columns of pandas and polars, and pandas' own cells: by name, so that reading one calls nothing else."""

import inspect
import re
from typing import Any

import numpy as np

from parzen.storage.errors import ModelFileError
from parzen.storage.nodes import WIDE

#: Names of kinds of columns. Those with parameters are patterns; only a name that matches is given to pandas.
PLAIN = WIDE | {"string", "str", "boolean"}
POLARS = WIDE | {"String", "Boolean", "Categorical", "Null", "Object", "Binary", "Time"}
NUMERIC = r"(u?int(8|16|32|64)|float(32|64)|bool)"
TIMES = r"(datetime64\[(s|ms|us|ns)(, (?!dateutil)[\w/+:-]{1,40})?\]|timedelta64\[(s|ms|us|ns)\])"
CLOSED = ("left", "right", "both", "neither")
PATTERN = re.compile(
    rf"{TIMES}|period\[[\w-]{{1,20}}\]|interval\[({NUMERIC}|{TIMES}), ({'|'.join(CLOSED)})\]"
    rf"|({NUMERIC}|float|double|string|large_string)\[pyarrow\]"
)


def column_node(value: Any, encoder: Any) -> Any:
    """What stands for a kind of column of pandas or polars, or for a cell of pandas; None for anything else."""
    module = (value if inspect.isclass(value) else type(value)).__module__.split(".")[0]
    if module == "pandas":
        return _pandas_node(value, encoder)
    if module == "polars":
        name = value.__name__ if inspect.isclass(value) else type(value).__name__
        if name == "Enum":
            return {"polars": "Enum", "categories": list(value.categories)}
        if name == "Decimal" and not inspect.isclass(value):
            return {"polars": "Decimal", "precision": value.precision, "scale": value.scale}
        return {"polars": name} if name in POLARS else None
    return None


def _pandas_node(value: Any, encoder: Any) -> Any:
    kind = type(value).__name__
    if kind == "Interval":
        return {"interval": [encoder.node(value.left), encoder.node(value.right)], "closed": value.closed}
    if kind == "Period":
        return {"period": int(value.ordinal), "freq": value.freqstr}
    if kind == "CategoricalDtype":
        categories = None if value.categories is None else list(value.categories)
        node = {"pandas": "category", "categories": encoder.node(categories), "ordered": bool(value.ordered)}
        name = "" if categories is None else str(value.categories.dtype)
        return node | ({"of": name} if PATTERN.fullmatch(name) else {})
    if kind == "SparseDtype":
        return {"pandas": "Sparse", "of": str(value.subtype), "fill": encoder.node(value.fill_value)}
    name = str(value)
    return {"pandas": name} if name in PLAIN or PATTERN.fullmatch(name) else None


def column_kind(decoder: Any, node: Any) -> Any:
    """The kind of column that a node stands for."""
    if "pandas" in node:
        return _pandas_kind(decoder, node)
    import polars

    name = node["polars"]
    if name == "Enum":
        return polars.Enum(node["categories"])
    if name == "Decimal" and all(type(node[one]) is int and 0 <= node[one] <= 38 for one in ("precision", "scale")):
        return polars.Decimal(node["precision"], node["scale"])
    if name not in POLARS:
        raise ModelFileError("this file is damaged: a column has an unknown kind.")
    return getattr(polars, name)


def _pandas_kind(decoder: Any, node: Any) -> Any:
    import pandas

    name = node["pandas"]
    if name == "category":
        categories = decoder.node(node["categories"])
        if "of" in node:
            categories = pandas.Index(categories, dtype=_named(node["of"]))
        return pandas.CategoricalDtype(categories, ordered=node["ordered"] is True)
    if name == "Sparse":
        if not re.fullmatch(NUMERIC, node["of"]):
            raise ModelFileError("this file is damaged: a column has an unknown kind.")
        return pandas.SparseDtype(np.dtype(node["of"]), decoder.node(node["fill"]))
    return _named(name)


def _named(name: str) -> Any:
    import pandas

    if name not in PLAIN and not PATTERN.fullmatch(name):
        raise ModelFileError("this file is damaged: a column has an unknown kind.")
    return pandas.api.types.pandas_dtype(name)


def interval(decoder: Any, node: Any) -> Any:
    """An interval of pandas."""
    import pandas

    left, right = (decoder.node(end) for end in node["interval"])
    if node["closed"] not in CLOSED:
        raise ModelFileError("this file is damaged: an interval is closed at no end that it has.")
    return pandas.Interval(left, right, closed=node["closed"])


def period(_: Any, node: Any) -> Any:
    """A period of pandas."""
    import pandas

    if type(node["period"]) is not int or not re.fullmatch(r"[\w-]{1,20}", node["freq"]):
        raise ModelFileError("this file is damaged: a period is none.")
    return pandas.Period(ordinal=node["period"], freq=node["freq"])
