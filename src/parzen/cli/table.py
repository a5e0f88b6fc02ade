"""The table that a command works on, from its arguments; its columns and classes."""

import sys
from argparse import Namespace
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen.cli.errors import ArgumentError, CommandError
from parzen.cli.examples import example
from parzen.cli.files import read_table
from parzen.cli.folders import SAMPLE, Folder, all_note, is_folder, sample_note
from parzen.cli.reading.delimited import split_names
from parzen.cli.reading.frame import KINDS
from parzen.cli.reading.result import ReadTable, Selection, TextFormat
from parzen.tables.features import as_labels, column_kinds, learnable, unknown_column

#: Most notes that are shown on the error stream.
NOTES = 12


class Input(NamedTuple):
    """A table, and what is known about it.

    Attributes
    ----------
    frame : pandas table
        Its index holds the numbers of the rows, from 0, also where only some of them are used.
    target : str, optional
        The column that it is made to predict: an example may have one.
    name : str
    read_as : mapping from names to sentences
        How the cells of each column were read.
    notes : tuple of str
        What was lost, renamed, drawn or decided by a rule while it was read.
    kinds : mapping from names to kinds
        What the user declares columns to hold.
    folder : Folder, optional
        All rows, where the table is a sample of those of a folder.
    """

    frame: Any
    target: str | None
    name: str
    read_as: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()
    kinds: Mapping[str, str] = {}
    folder: Folder | None = None


def table_of(args: Namespace, expected: Mapping[str, str] | None = None, every_row: bool = False) -> Input:
    """The table of a file, a pipe or an example; notes on how it was read go to the error stream.

    `expected` are kinds of columns that a model was fitted to: its numbers and categories are read as such. Of a
    folder, a sample is the table; a command that uses every row says so.
    """
    if args.example and args.file:
        raise ArgumentError(f"give a file or --example, not both ({args.file!r} and {args.example!r}).")
    if getattr(args, "target", None) is not None and getattr(args, "no_target", False):
        raise ArgumentError("give --target or --no-target, not both.")
    if not args.example and not args.file:
        raise ArgumentError("give a file, - for a pipe, or --example NAME.")
    kinds = _declared(getattr(args, "kinds", None))
    selection = _selection(args, {**(expected or {}), **kinds})
    target = None
    if args.example:
        frame, target = example(args.example)
        kept = selection.of([*map(str, frame.columns)])
        found, name = ReadTable(frame[kept], {}), args.example
        target = target if target in kept else None
    elif is_folder(args.file):
        return _sampled(args, selection, kinds, every_row)
    else:
        found = read_table(args.file, _format(args), selection)
        name = "table" if args.file == "-" else args.file.replace("\\", "/").split("/")[-1]
    for declared, kind in kinds.items():
        check_kind(found.frame[check_column(declared, found.frame)], kind)
    frame, drawn = _drawn(found.frame, getattr(args, "rows", None), getattr(args, "seed", 0))
    notes = (*found.notes, *drawn)
    _say(args, notes)
    return Input(frame, target, name, found.read_as, notes, kinds)


def _say(args: Namespace, notes: tuple[str, ...]) -> None:
    """Notes on how a table was read, on the error stream."""
    if not args.quiet:
        said = [f"parzen: {note[0].lower()}{note[1:]}\n" for note in notes[:NOTES]]
        more = f"parzen: and {len(notes) - NOTES:,} more notes; parzen report lists them.\n" * (len(notes) > NOTES)
        sys.stderr.write("".join(said) + more)


def _sampled(args: Namespace, selection: Selection, kinds: Mapping[str, str], every_row: bool) -> Input:
    """A sample of the rows of a folder, and all of them; with ``--rows`` the sample alone."""
    folder = Folder.of(args, selection)
    asked = getattr(args, "rows", None)
    frame = folder.sample(asked or SAMPLE)
    for declared, kind in kinds.items():
        check_kind(frame[check_column(declared, frame)], kind)
    if len(frame) == folder.rows:
        notes: tuple[str, ...] = ()
    else:
        notes = (all_note(frame, folder),) if every_row and not asked else (sample_note(frame, folder),)
    _say(args, notes)
    return Input(frame, None, folder.name, {}, notes, kinds, None if asked else folder)


def _format(args: Namespace) -> TextFormat:
    quotes = True if args.quotes else False if args.no_quotes else None
    na = None if args.na is None else tuple(split_names(args.na, "--na")) if args.na.strip() else ()
    order = True if args.day_first else False if args.month_first else None
    return TextFormat(args.encoding, args.sep, quotes, args.names, args.decimal, args.thousands, na, order, args.table)


def _selection(args: Namespace, kinds: Mapping[str, str]) -> Selection:
    columns, drop = (getattr(args, option, None) for option in ("columns", "drop"))
    always = [getattr(args, option, None) for option in ("target", "text", "column")]
    return Selection(
        None if columns is None else tuple(split_names(columns, "--columns")),
        () if drop is None else tuple(split_names(drop, "--drop")),
        tuple(name for name in always if name is not None),
        kinds,
    )


def _declared(text: str | None) -> dict[str, str]:
    """Kinds of columns, as in age=continuous,zip=categorical."""
    from difflib import get_close_matches

    out = {}
    for part in [] if text is None else split_names(text, "--kinds"):
        name, mark, kind = part.rpartition("=")
        if not mark or not name:
            raise ArgumentError(f"--kinds must be like age=continuous,zip=categorical, got {part!r}.")
        if kind.strip() not in KINDS:
            near = get_close_matches(kind, KINDS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"the kinds are {', '.join(KINDS)}."
            raise ArgumentError(f"--kinds: there is no kind {kind.strip()!r}; {hint}")
        out[name.strip()] = kind.strip()
    return out


def check_kind(column: Any, kind: str) -> None:
    """An error where a column is declared to hold numbers or dates, and holds none."""
    needed = {"continuous": "iufb", "count": "iufb", "date": "M"}.get(kind)
    if needed and column.dtype.kind not in needed and column.notna().any():
        cell = str(column.dropna().iloc[0])
        what = "dates" if kind == "date" else "numbers"
        raise CommandError(f"--kinds: the column {column.name!r} holds no {what}, but {cell[:40]!r}.")


def _drawn(frame: Any, most: int | None, seed: int) -> tuple[Any, tuple[str, ...]]:
    """At most so many rows, drawn at random, in their order; and a sentence about them."""
    if most is None or most >= len(frame):
        return frame, ()
    rows = np.sort(np.random.default_rng(seed).choice(len(frame), most, replace=False))
    said = f"{most:,} of {len(frame):,} rows are used, drawn at random (seed {seed})."
    return frame.iloc[rows], (said,)


def target_of(args: Namespace, given: Input) -> str | None:
    """The column to predict: of the option, else of the example; None with ``--no-target``."""
    target = args.target if args.target is not None else (None if args.no_target else given.target)
    return None if target is None else check_column(target, given.frame)


def check_column(name: str, frame: Any) -> str:
    """The name of a column; an error with the nearest name where there is none."""
    if name not in frame.columns:
        raise CommandError(unknown_column(name, list(frame.columns)))
    return name


def feature_kinds(
    frame: Any, target: str | None, declared: Mapping[str, str] | None = None
) -> tuple[list[str], dict[str, str]]:
    """Names of the columns that models learn from, and the kinds of all columns but the target."""
    kinds = column_kinds(frame if target is None else frame.drop(columns=target), declared)
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
    table = read_table(path).frame
    table = table.set_index(as_labels(table[table.columns[0]]).astype(str)).drop(columns=table.columns[0])
    for what, found in (("rows", table.index), ("columns", table.columns)):
        if sorted(found) != classes:
            raise CommandError(
                f"the {what} of {path!r} are {', '.join(found)}, but the classes are {', '.join(classes)}."
            )
    try:
        return table.loc[classes, classes].to_numpy(dtype=float)
    except ValueError:
        raise CommandError(f"{path!r} must hold numbers, one for each decision and class.") from None
