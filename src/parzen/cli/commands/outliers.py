"""``parzen outliers``: rows of low density, with p-values."""

from argparse import ArgumentParser, Namespace

import numpy as np

from parzen.cli.command import Command
from parzen.cli.errors import ArgumentError
from parzen.cli.files import pandas
from parzen.cli.output import check_folder, print_result, write_table
from parzen.cli.progress import ProgressLine
from parzen.cli.spreadsheet import spreadsheet_safe
from parzen.cli.table import feature_kinds, table_of
from parzen.estimators.outlier.density import DensityOutlier
from parzen.tables.features import feature_table

#: Most rows whose contributions of columns are computed.
EXPLAINED = 200


def run(args: Namespace) -> None:
    """List the outliers of a table, the most unlikely first."""
    if not 0 < args.fdr < 1:
        raise ArgumentError(f"--fdr must lie between 0 and 1, got {args.fdr:g}.")
    check_folder(args.output)
    given = table_of(args)
    names, kinds = feature_kinds(given.frame, None, given.kinds)
    X = feature_table(given.frame.reset_index(drop=True), names, kinds)
    with ProgressLine(args.quiet) as progress:
        progress("outliers")
        model = DensityOutlier().fit(X)
        p, flags = model.p_values(), model.flagged(fdr=args.fdr)
        order = np.argsort(p, kind="stable")
        order = order if args.all else order[flags[order]]
        contributions = model.explain(X.iloc[order[:EXPLAINED]]).contributions if len(order) else np.empty((0, 1))
    rows = given.frame.index.to_numpy()[order]
    out = pandas().DataFrame({"row": rows, "p_value": p[order], "flagged": flags[order]})
    main = [names[int(np.argmax(one))] for one in contributions]
    out["main_column"] = [*main, *[""] * (len(out) - len(main))]
    if args.json and args.output is None:
        found = {
            "rows": len(X), "flagged": int(flags.sum()), "fdr": args.fdr, "read_as": dict(given.read_as),
            "outliers": out.to_dict("records"),
        }  # fmt: skip
        print_result(args, found)
    else:
        write_table(spreadsheet_safe(out) if args.spreadsheet_safe else out, args.output, args.json)


def add_options(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("--fdr", type=float, default=0.05, help="false discovery rate (default: 0.05)")
    parser.add_argument("--all", action="store_true", help="list all rows, the most unlikely first")
    parser.add_argument("-o", "--output", help="file of the table (default: the standard output)")


COMMAND = Command(
    run,
    ("table", "selection", "cells"),
    add_options,
)
