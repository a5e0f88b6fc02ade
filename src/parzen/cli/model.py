"""Models from files, and rows as they were fitted to them."""

import sys
from typing import Any

from parzen.cli.errors import CommandError
from parzen.cli.table import check_column
from parzen.estimators.classify.text import TextClassifier
from parzen.storage.files import describe, load
from parzen.tables.features import feature_table, parse_dates


def load_model(path: str) -> Any:
    """The model of a file."""
    return _from_file(load, path)


def describe_model(path: str) -> dict[str, Any]:
    """What a model file holds, without making a model of it."""
    return _from_file(describe, path)


def _from_file(read: Any, path: str) -> Any:
    try:
        return read(path)
    except FileNotFoundError:
        raise CommandError(f"there is no file {path!r}.") from None
    except IsADirectoryError:
        raise CommandError(f"{path!r} is a folder; give a model file.") from None


def rows_for(model: Any, frame: Any) -> Any:
    """The columns that a model was fitted to, as numbers or text; numbers that can't be read become missing values."""
    names = [check_column(str(name), frame) for name in getattr(model, "feature_names_in_", [])]
    if isinstance(model, TextClassifier):
        return frame[names]
    alphabets = model.schema_.alphabets if hasattr(model, "schema_") else [None] * len(names)
    kinds = {
        name: "continuous" if alphabet is None else "categorical"
        for name, alphabet in zip(names, alphabets, strict=False)
    }
    frame = frame.assign(**_dates(frame, [name for name, kind in kinds.items() if kind == "continuous"]))
    kinds |= {name: "date" for name in names if frame[name].dtype.kind == "M"}
    rows = feature_table(frame, names, kinds)
    for name, kind in kinds.items():
        if kind == "continuous":
            _warn_of_losses(name, frame[name], rows[name])
    return rows


def _dates(frame: Any, names: list[str]) -> dict[str, Any]:
    """Those of some columns that hold dates, as dates."""
    dated = parse_dates(frame[names])
    return {name: dated[name] for name in names if dated[name].dtype.kind == "M"}


def _warn_of_losses(name: str, cells: Any, numbers: Any) -> None:
    known, read = int(cells.notna().sum()), int(numbers.notna().sum())
    if known and not read:
        raise CommandError(f"the column {name!r} must hold numbers, but it holds {str(cells.dropna().iloc[0])!r}.")
    if read < known:
        sys.stderr.write(f"parzen: {known - read:,} cells of {name!r} are not finite numbers; they count as missing.\n")
