"""Compressed CSV files of the package as arrays, and as the bunches that scikit-learn's loaders return."""

import bz2
import csv
import gzip
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

FOLDER = Path(__file__).with_name("data")
MISSING = ("", "?")
#: The large files are those of bzip2, which are 0.6 to 0.8 times as long.
OPENED: Mapping[str, Any] = {".bz2": bz2.open, ".gz": gzip.open}


def read_columns(file: str) -> dict[str, NDArray[Any]]:
    """Columns of a compressed CSV file by name: whole numbers, real numbers, or text; missing cells are NaN."""
    with OPENED[Path(file).suffix](FOLDER / file, "rt", encoding="utf-8", newline="") as lines:
        names, *rows = csv.reader(lines)
    return {name: _column(cells) for name, cells in zip(names, zip(*rows, strict=True), strict=True)}


def _column(cells: Sequence[str]) -> NDArray[Any]:
    text = np.array(["nan" if cell in MISSING else cell for cell in cells])
    for kind in (np.int64, np.float64):
        with suppress(ValueError):
            return text.astype(kind)
    return np.array([np.nan if cell in MISSING else cell for cell in cells], dtype=object)


def classification(
    file: str,
    description: str,
    *,
    target: str,
    classes: Mapping[Any, str],
    return_X_y: bool,
    as_frame: bool,
) -> Any:
    """The bunch of a file with a column of classes, or its pair ``(data, target)``.

    Parameters
    ----------
    file : str
        A compressed CSV file of the folder `data`.
    description : str
        What becomes `DESCR`.
    target : str
        The column of classes.
    classes : mapping of cell -> name
        The cells of that column and the names of the classes; their order gives the codes 0, 1, ...
    return_X_y, as_frame : bool
        As in the public loaders.
    """
    columns = read_columns(file)
    code = {cell: position for position, cell in enumerate(classes)}
    y = np.array([code[cell] for cell in columns.pop(target).tolist()])
    bunch = features(file, description, columns, as_frame=as_frame)
    bunch.update(target=y, target_names=np.array(list(classes.values())))
    if as_frame:
        bunch.frame = bunch.data.assign(**{target: y})
        bunch.target = bunch.frame[target]
    return (bunch.data, bunch.target) if return_X_y else bunch


def features(file: str, description: str, columns: Mapping[str, NDArray[Any]], *, as_frame: bool) -> Bunch:
    """The bunch of columns without a target: float64 where all are numbers, else objects."""
    numeric = all(cells.dtype.kind in "iuf" for cells in columns.values())
    data: Any = np.column_stack(list(columns.values())).astype(np.float64 if numeric else object)
    frame = None
    if as_frame:
        data = frame = pandas().DataFrame(dict(columns))
    return Bunch(
        data=data, target=None, frame=frame, feature_names=list(columns), DESCR=description, filename=str(FOLDER / file)
    )


def pandas() -> Any:
    """The module pandas, or an error that says how to do without it."""
    try:
        import pandas as module
    except ImportError:
        raise ImportError(
            "as_frame=True needs pandas, which is not installed: pip install pandas, or leave as_frame out for arrays."
        ) from None
    return module
