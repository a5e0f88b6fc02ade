"""``parzen predict``: classes and probabilities, or log-densities, of the rows of a table."""

from argparse import ArgumentParser, Namespace
from typing import Any

from parzen.cli.command import Command
from parzen.cli.errors import CommandError
from parzen.cli.files import pandas
from parzen.cli.folder_jobs import write_batches
from parzen.cli.model import kinds_of, load_model, rows_for
from parzen.cli.output import check_folder, write_table
from parzen.cli.spreadsheet import spreadsheet_safe
from parzen.cli.table import check_column, table_of

#: Stands for all columns.
ALL = "*"


def run(args: Namespace) -> None:
    """Predict the rows of a table."""
    check_folder(args.output)
    model = load_model(args.model)
    given = table_of(args, kinds_of(model), every_row=True)
    if not hasattr(model, "predict") and not hasattr(model, "score_samples"):
        raise CommandError(f"{args.model!r} holds a {type(model).__name__}, which predicts nothing.")
    if given.folder is not None:
        write_batches((_predicted(model, frame, args) for frame in given.folder.frames()), args.output, args)
        return
    write_table(_predicted(model, given.frame, args), args.output, args.json)


def _predicted(model: Any, frame: Any, args: Namespace) -> Any:
    """Predictions of the rows of a table, beside the columns that are kept."""
    kept = _kept(args.keep, frame)
    X = rows_for(model, frame)
    out = pandas().DataFrame(index=range(len(X)))
    if hasattr(model, "predict_proba") and hasattr(model, "classes_"):
        posterior = model.predict_proba(X)
        out["predicted"] = model.classes_[posterior.argmax(axis=1)]
        for j, name in enumerate(model.classes_):
            out[f"p({name})"] = posterior[:, j]
    elif hasattr(model, "predict"):
        out["predicted"] = model.predict(X)
    else:
        out["log_density"] = model.score_samples(X)
    out = _beside(kept, out)
    return spreadsheet_safe(out) if args.spreadsheet_safe else out


def _kept(names: str | None, frame: Any) -> Any:
    """The columns that are to stand beside the predictions: all with a bare ``--keep``."""
    if names is None:
        return None
    listed = list(frame.columns) if names == ALL else [one.strip() for one in names.split(",")]
    return frame[[check_column(name, frame) for name in listed]].reset_index(drop=True)


def _beside(kept: Any, out: Any) -> Any:
    if kept is None:
        return out
    both = [name for name in out.columns if name in set(kept.columns)]
    if both:
        raise CommandError(f"the table has a column {both[0]!r} already; name the others: --keep COLUMN,COLUMN.")
    return pandas().concat([kept, out], axis=1)


def add_options(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument(
        "--keep",
        metavar="COLUMNS",
        nargs="?",
        const=ALL,
        help="put these columns (default: all) beside the predictions",
    )
    parser.add_argument("-o", "--output", help="file of the table (default: the standard output)")


COMMAND = Command(run, ("model", "table", "cells"), add_options)
