"""Columns of a pandas table as features: their kinds, and their cells as the numbers or text that models take."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.tables.kinds import LEARNABLE, NUMERIC, Column


def column_kinds(frame: Any, declared: Mapping[str, str] | None = None) -> dict[str, str]:
    """What each column holds, by name: see `Column.role`; kinds that are declared by the user count first."""
    return {name: Column(frame[name], (declared or {}).get(name)).role for name in frame.columns}


def learnable(kinds: Mapping[str, str]) -> list[str]:
    """Names of the columns that models learn from."""
    return [name for name, kind in kinds.items() if kind in LEARNABLE]


def feature_table(frame: Any, names: Sequence[str], kinds: Mapping[str, str]) -> Any:
    """Some columns as models take them: numbers with NaN, or text with None where a value is missing."""
    import pandas as pd

    out = {}
    for name in names:
        column = frame[name]
        numeric = kinds[name] in (*NUMERIC, "date") or (kinds[name] == "binary" and Column(column).storage == "number")
        out[name] = as_days(column) if kinds[name] == "date" else as_floats(column) if numeric else as_labels(column)
    return pd.DataFrame(out, index=frame.index)


def as_floats(column: Any) -> Array:
    """A column as finite float64, NaN where a cell is no finite number; dates as days since the first."""
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(column):
        return ((column - column.min()) / pd.Timedelta(days=1)).to_numpy(dtype=np.float64, na_value=np.nan)
    out = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(np.isfinite(out), out, np.nan)


def as_days(column: Any) -> Array:
    """Dates as days since 1970, whichever dates a table holds, so that a model reads later tables as its first one."""
    import pandas as pd

    dates = pd.to_datetime(column, errors="coerce", utc=True)
    return ((dates - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)).to_numpy(dtype=np.float64, na_value=np.nan)


def as_labels(column: Any) -> NDArray[Any]:
    """Cells as text, None where missing; whole numbers without a decimal point, whether read as int or as float."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, distinct = column.cat.codes.to_numpy(), column.cat.categories
    elif pd.api.types.infer_dtype(column, skipna=True) in ("string", "integer", "floating", "boolean"):
        codes, distinct = pd.factorize(column)
    else:  # cells of several types: what is equal, as True and 1, may be written differently
        codes, distinct = np.where(column.notna(), np.arange(len(column)), -1), column
    words = np.empty(len(distinct) + 1, dtype=object)
    words[:-1] = [_written(cell) for cell in distinct.tolist()]
    return words[codes]  # the last one is None, of code -1


def _written(cell: Any) -> str:
    whole = isinstance(cell, float) and cell == np.floor(cell) and abs(cell) < 1e15
    return str(int(cell)) if whole else str(cell)


def parse_dates(frame: Any) -> Any:
    """The table, with columns of text in ISO 8601 format converted to dates."""
    import pandas as pd

    out = frame
    for name in frame.columns:
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column) or pd.api.types.is_datetime64_any_dtype(column):
            continue
        known = column.dropna()
        if not len(known) or not all(_like_date(str(cell)) for cell in known.iloc[:50]):
            continue
        try:
            dates = pd.to_datetime(column, format="ISO8601", errors="coerce")
        except (TypeError, ValueError):
            continue
        if dates.notna().sum() >= 0.98 * len(known):
            out = out.assign(**{name: dates}) if isinstance(name, str) else out
    return out


def _like_date(cell: str) -> bool:
    return len(cell) >= 8 and cell[:4].isdigit() and cell[4] in "-/" and cell[5:7].isdigit()


def unknown_column(name: Any, columns: Sequence[str]) -> str:
    """An error message: there is no such column, and which name is nearest."""
    from difflib import get_close_matches

    near = get_close_matches(str(name), columns, n=1, cutoff=0.5)
    some = ", ".join(columns[:8]) + (" and others" if len(columns) > 8 else "")
    hint = f"did you mean {near[0]!r}?" if near else f"the columns are {some}."
    return f"there is no column {str(name)!r}; {hint}"
