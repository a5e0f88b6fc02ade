"""The table that a command works on, from its arguments; its columns and classes."""

from argparse import Namespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen.cli.errors import ArgumentError, CommandError
from parzen.cli.examples import example
from parzen.cli.files import TextFormat, read_table
from parzen.tables.features import as_labels, column_kinds, learnable, unknown_column


class Input(NamedTuple):
    """A table, the column that it is made to predict (an example may have one), and its name."""

    frame: Any
    target: str | None
    name: str


def table_of(args: Namespace) -> Input:
    """The table of a file, a pipe or an example."""
    if args.example and args.file:
        raise ArgumentError(f"give a file or --example, not both ({args.file!r} and {args.example!r}).")
    if getattr(args, "target", None) is not None and getattr(args, "no_target", False):
        raise ArgumentError("give --target or --no-target, not both.")
    if args.example:
        return Input(*example(args.example), args.example)
    if not args.file:
        raise ArgumentError("give a file, - for a pipe, or --example NAME.")
    text = TextFormat(args.encoding, args.sep, not args.no_quotes, args.names, args.decimal)
    frame = read_table(args.file, text)
    frame.columns = [str(name) for name in frame.columns]
    return Input(frame, None, "table" if args.file == "-" else args.file.replace("\\", "/").split("/")[-1])


def target_of(args: Namespace, given: Input) -> str | None:
    """The column to predict: of the option, else of the example; None with ``--no-target``."""
    target = args.target if args.target is not None else (None if args.no_target else given.target)
    return None if target is None else check_column(target, given.frame)


def check_column(name: str, frame: Any) -> str:
    """The name of a column; an error with the nearest name where there is none."""
    if name not in frame.columns:
        raise CommandError(unknown_column(name, list(frame.columns)))
    return name


def feature_kinds(frame: Any, target: str | None) -> tuple[list[str], dict[str, str]]:
    """Names of the columns that models learn from, and the kinds of all columns but the target."""
    kinds = column_kinds(frame if target is None else frame.drop(columns=target))
    names = learnable(kinds)
    if not names:
        raise CommandError("no column is left to learn from; parzen report shows the kind of each column.")
    return names, kinds


def labels_of(frame: Any, target: str) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Which rows have a class, and their classes as text."""
    known = frame[target].notna().to_numpy()
    if not known.any():
        raise CommandError(f"the column {target!r} has no values; it must hold the classes.")
    return known, as_labels(frame[target][known]).astype(str)


def loss_of(path: str, frame: Any, target: str) -> NDArray[np.float64]:
    """A loss matrix of a CSV whose first column names decisions and whose header names classes, in sorted order."""
    classes = sorted({str(one) for one in as_labels(frame[target].dropna())})
    table = read_table(path)
    table = table.set_index(table.columns[0])
    table.index, table.columns = table.index.map(str), table.columns.map(str)
    for what, found in (("rows", table.index), ("columns", table.columns)):
        if sorted(found) != classes:
            raise CommandError(
                f"the {what} of {path!r} are {', '.join(found)}, but the classes are {', '.join(classes)}."
            )
    try:
        return table.loc[classes, classes].to_numpy(dtype=float)
    except ValueError:
        raise CommandError(f"{path!r} must hold numbers, one for each decision and class.") from None
