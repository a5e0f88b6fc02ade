"""``parzen sample``: rows drawn from a model."""

from argparse import ArgumentParser, Namespace

import numpy as np

from parzen.cli.command import Command
from parzen.cli.errors import CommandError
from parzen.cli.files import pandas
from parzen.cli.model import load_model
from parzen.cli.options import at_least_one, whole
from parzen.cli.output import check_folder, write_table
from parzen.cli.spreadsheet import spreadsheet_safe


def run(args: Namespace) -> None:
    """Draw rows from a model."""
    check_folder(args.output)
    model = load_model(args.model)
    if not hasattr(model, "sample"):
        raise CommandError(f"a {type(model).__name__} is no density; no rows can be drawn from it.")
    drawn = model.sample(args.n, random_state=args.seed)
    rows, labels = drawn if isinstance(drawn, tuple) else (drawn, None)
    pd = pandas()
    table = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(np.asarray(rows))
    if labels is not None:
        table = table.assign(**{str(getattr(model, "target_name_", "label")): labels})
    write_table(spreadsheet_safe(table) if args.spreadsheet_safe else table, args.output, args.json)


def add_options(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("-n", type=at_least_one, default=10, help="number of rows (default: 10)")
    parser.add_argument("--seed", type=whole, help="seed of the random numbers, to draw the same rows again")
    parser.add_argument("-o", "--output", help="file of the table (default: the standard output)")


COMMAND = Command(run, ("model", "cells"), add_options)
