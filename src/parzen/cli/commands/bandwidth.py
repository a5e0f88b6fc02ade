"""``parzen bandwidth``: bandwidths of numeric columns by several rules."""

from argparse import ArgumentParser, Namespace
from typing import Any

import numpy as np

from parzen.cli.command import Command
from parzen.cli.errors import CommandError
from parzen.cli.output import print_result
from parzen.cli.table import check_column, table_of
from parzen.compute.arrays import Array
from parzen.smoothing.bandwidth import isj, lscv, scott, silverman, sj
from parzen.tables.features import as_floats, column_kinds
from parzen.tables.kinds import NUMERIC, Column

RULES = {"sj": sj, "isj": isj, "lscv": lscv, "silverman": silverman, "scott": scott}


def run(args: Namespace) -> None:
    """Print the bandwidth that each rule chooses for numeric columns."""
    given = table_of(args)
    frame = given.frame
    if args.column:
        names = [check_column(args.column, frame)]
    else:
        names = [name for name, kind in column_kinds(frame, given.kinds).items() if kind in NUMERIC]
    if not names:
        raise CommandError("no column is numeric; parzen report shows the kind of each column.")
    found = {}
    for name in names:
        values = _numbers(frame[name], name, given.kinds.get(name))[:, None]
        found[name] = {rule: float(np.ravel(choose(values))[0]) for rule, choose in RULES.items()}
    wide = max(len(name) for name in found)
    head = " " * wide + "".join(f"{rule:>16}" for rule in RULES)
    lines = [f"{name:<{wide}}" + "".join(f"{h:>16.5g}" for h in row.values()) for name, row in found.items()]
    result = {name: {**row, "read_as": given.read_as.get(name, "numbers")} for name, row in found.items()}
    print_result(args, result, head, *lines)


def _numbers(cells: Any, name: str, declared: str | None) -> Array:
    column = Column(cells, declared)
    if column.role not in (*NUMERIC, "identifier") or column.storage != "number":
        raise CommandError(f"the column {name!r} must be numeric, but it is {column.role}.")
    values = as_floats(cells)
    values = values[~np.isnan(values)]
    if len(np.unique(values)) < 2:
        raise CommandError(f"the column {name!r} must hold at least two different numbers.")
    return values


def add_options(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("--column", help="one column (default: all numeric columns)")


COMMAND = Command(run, ("table", "selection"), add_options)
