"""``parzen outliers``: rows of low density, with p-values."""

from argparse import ArgumentParser, Namespace
from functools import partial

import numpy as np

from parzen.cli.command import Command
from parzen.cli.errors import ArgumentError
from parzen.cli.files import pandas
from parzen.cli.folder_jobs import outliers_of_folder
from parzen.cli.folders import steady_kinds
from parzen.cli.output import check_folder, print_result, write_table
from parzen.cli.progress import ProgressLine
from parzen.cli.spreadsheet import spreadsheet_safe
from parzen.cli.table import Input, feature_kinds, table_of
from parzen.estimators.outlier.density import DensityOutlier
from parzen.tables.features import feature_table

#: Most rows whose contributions of columns are computed.
EXPLAINED = 200
#: Most rows of a folder that a detector is fitted to; all are judged by it.
LEARNT = 2**14


def run(args: Namespace) -> None:
    """List the outliers of a table, the most unlikely first."""
    if not 0 < args.fdr < 1:
        raise ArgumentError(f"--fdr must lie between 0 and 1, got {args.fdr:g}.")
    check_folder(args.output)
    given = table_of(args, every_row=True)
    names, kinds = feature_kinds(given.frame, None, given.kinds)
    if given.folder is not None:
        _of_folder(args, given, names, steady_kinds(given.frame, kinds))
        return
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


def _of_folder(args: Namespace, given: Input, names: list[str], kinds: dict[str, str]) -> None:
    """List the outliers among all rows of a folder, by a detector that is fitted to the sample of them."""
    if args.all:
        raise ArgumentError("--all lists every row of a table; of a folder the outliers are listed: leave it out.")
    assert given.folder is not None
    sample = given.frame.iloc[:: -(-len(given.frame) // LEARNT)].reset_index(drop=True)
    with ProgressLine(args.quiet) as progress:
        progress("outliers")
        model = DensityOutlier().fit(feature_table(sample, names, kinds))
        features = partial(feature_table, names=names, kinds=kinds)
        rows, out, cells = outliers_of_folder(model, given.folder, features, args.fdr)
        explained = cells.iloc[:EXPLAINED].reset_index(drop=True)
        contributions = model.explain(explained).contributions if len(cells) else np.empty((0, 1))
    main = [names[int(np.argmax(one))] for one in contributions]
    out["main_column"] = [*main, *[""] * (len(out) - len(main))]
    if args.json and args.output is None:
        found = {
            "rows": rows, "fitted_to": len(sample), "flagged": len(out), "fdr": args.fdr, "read_as": {},
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
