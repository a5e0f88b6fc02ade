"""Options that several commands share: tables and how they are read, what is used of them, targets, models, results."""

from argparse import ArgumentParser, ArgumentTypeError


def common_options() -> ArgumentParser:
    """Options of every command."""
    group = ArgumentParser(add_help=False)
    group.add_argument("--json", action="store_true", help="write the result as JSON")
    group.add_argument("--quiet", action="store_true", help="show no progress, and no notes on how a table was read")
    group.add_argument("--warnings", action="store_true", help="show warnings of the library")
    group.add_argument("--traceback", action="store_true", help="show the traceback of an error")
    return group


def _table() -> ArgumentParser:
    from parzen.cli.examples import EXAMPLES  # which imports the data sets' libraries

    group = ArgumentParser(add_help=False)
    group.add_argument(
        "file",
        nargs="?",
        help="a table: .csv, .tsv, .jsonl, .parquet, .xlsx, .db (SQLite), also .gz; book.xlsx:sheet, data.db:table; "
        "- for CSV from a pipe; or a folder, or a pattern in quotation marks, of .parquet or .csv "
        "files, read batch by batch",
    )
    group.add_argument("--example", metavar="NAME", help=f"a data set that comes with parzen: {', '.join(EXAMPLES)}")
    group.add_argument("--table", metavar="NAME", help="the sheet of a workbook, or the table of a database")
    group.add_argument("--encoding", default="utf-8", help="encoding of text files (default: utf-8, or by their mark)")
    group.add_argument(
        "--sep", help="what separates cells, as it is written; \\t is a tab (default: found in the file)"
    )
    group.add_argument("--names", help="names of the columns, separated by commas, of a file without a header")
    group.add_argument("--decimal", metavar="MARK", help="decimal separator of numbers (default: found in the cells)")
    group.add_argument("--thousands", metavar="MARK", help="separator of thousands (default: found in the cells)")
    group.add_argument(
        "--na", metavar="WORDS", help="words that stand for a missing value, separated by commas (default: NA, NaN, "
        "NULL and the like); an empty cell always does",
    )  # fmt: skip
    quotes = group.add_mutually_exclusive_group()
    quotes.add_argument("--quotes", action="store_true", help="read quotation marks as quotes, whatever they join")
    quotes.add_argument("--no-quotes", action="store_true", help="read quotation marks as text")
    order = group.add_mutually_exclusive_group()
    order.add_argument("--day-first", action="store_true", help="read 1/2/2024 as the first of February")
    order.add_argument("--month-first", action="store_true", help="read 1/2/2024 as the second of January")
    return group


def _selection() -> ArgumentParser:
    group = ArgumentParser(add_help=False)
    group.add_argument("--columns", metavar="NAMES", help="use these columns only (and the target)")
    group.add_argument("--drop", metavar="NAMES", help="leave these columns out")
    group.add_argument(
        "--kinds", metavar="KINDS", help="what columns hold, as in age=continuous,zip=categorical (kinds: continuous, "
        "count, binary, categorical, text, identifier, date)",
    )  # fmt: skip
    group.add_argument("--rows", metavar="N", type=at_least_one, help="use so many rows, drawn at random")
    group.add_argument("--seed", metavar="N", type=whole, default=0, help="seed of all that is drawn (default: 0)")
    return group


def _target() -> ArgumentParser:
    group = ArgumentParser(add_help=False)
    group.add_argument("--target", metavar="COLUMN", help="the column to predict")
    group.add_argument("--no-target", action="store_true", help="predict nothing, even where an example has a target")
    return group


def _model() -> ArgumentParser:
    group = ArgumentParser(add_help=False)
    group.add_argument("model", help="a model file")
    return group


def _cells() -> ArgumentParser:
    group = ArgumentParser(add_help=False)
    group.add_argument(
        "--spreadsheet-safe", action="store_true", help="put an apostrophe before text that begins with =, +, -, @, so "
        "that a spreadsheet does not run it",
    )  # fmt: skip
    return group


def at_least_one(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError(f"must be a whole number of at least 1, got {text!r}")
    return int(text)


def whole(text: str) -> int:
    """A whole number of at least 0, and one that seeds may have."""
    if not text.isascii() or not text.isdigit() or int(text) >= 2**32:
        raise ArgumentTypeError(f"must be a whole number from 0 to 4294967295, got {text!r}")
    return int(text)


#: Groups of options that several commands share.
GROUPS = {"table": _table, "selection": _selection, "target": _target, "model": _model, "cells": _cells}
