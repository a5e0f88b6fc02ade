"""``parzen predict``: classes and probabilities, or log-densities, of the rows of a table."""

from argparse import ArgumentParser, Namespace

from parzen.cli.command import Command
from parzen.cli.errors import CommandError
from parzen.cli.files import pandas
from parzen.cli.model import kinds_of, load_model, rows_for
from parzen.cli.output import check_folder, write_table
from parzen.cli.spreadsheet import spreadsheet_safe
from parzen.cli.table import table_of


def run(args: Namespace) -> None:
    """Predict the rows of a table."""
    check_folder(args.output)
    model = load_model(args.model)
    frame = table_of(args, kinds_of(model)).frame
    if not hasattr(model, "predict") and not hasattr(model, "score_samples"):
        raise CommandError(f"{args.model!r} holds a {type(model).__name__}, which predicts nothing.")
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
    write_table(spreadsheet_safe(out) if args.spreadsheet_safe else out, args.output, args.json)


def add_options(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("-o", "--output", help="file of the table (default: the standard output)")


COMMAND = Command(run, ("model", "table", "cells"), add_options)
