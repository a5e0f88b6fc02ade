"""The parser of the command line: options that commands share, and one parser for each command."""

import sys
from argparse import Action, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Collection
from typing import Any

from parzen.cli.commands import COMMANDS, load_command
from parzen.cli.options import GROUPS, common_options

HELP = """Density estimation and generative models for tables.

  parzen report data.csv                       summarise a table: columns, dependence, clusters, outliers
  parzen report data.csv --target churn        predict a column: comparison of models, calibration, costs
  parzen report --example breast_cancer        the same for a data set that comes with parzen
  parzen fit data.csv --target churn -o m.parzen
  parzen predict m.parzen new.csv > predicted.csv
  cat data.csv | parzen outliers - --fdr 0.01

Tables are CSV, TSV, JSON lines or Parquet, also compressed (.gz); - reads CSV from the standard input. Results go to
the standard output, progress and errors to the error stream. Exit codes: 0 success, 1 an error in the data, 2 in the
arguments, 70 an internal error, 130 interrupted."""


class _Version(Action):
    """Print the version; what it needs is loaded only then."""

    def __call__(self, parser: ArgumentParser, *_: Any) -> None:
        from parzen.cli.versions import one_line

        sys.stdout.write(f"{one_line()}\n")
        parser.exit()


def make_parser(arguments: Collection[str] = tuple(COMMANDS)) -> ArgumentParser:
    """The parser of all commands; the parsed arguments have the command's function as `run`.

    Only the commands that stand among the arguments are loaded, with the libraries that they need: the others are
    there by name.
    """
    parser = ArgumentParser(prog="parzen", description=HELP, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version, SIMD level and threads")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, text in COMMANDS.items():
        if name not in arguments:
            subparsers.add_parser(name, help=text)
            continue
        command = load_command(name)
        one = subparsers.add_parser(
            name, parents=[*(GROUPS[group]() for group in command.takes), common_options()], help=text,
            description=f"{text}.\n\n{command.description}".strip(), formatter_class=RawDescriptionHelpFormatter,
        )  # fmt: skip
        command.add_options(one)
        one.set_defaults(run=command.run)
    return parser
