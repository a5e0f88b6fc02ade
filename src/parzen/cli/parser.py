"""The parser of the command line: options that commands share, and one parser for each command."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Collection
from importlib.metadata import version

from parzen.cli.commands import COMMANDS, load_command

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


def make_parser(arguments: Collection[str] = tuple(COMMANDS)) -> ArgumentParser:
    """The parser of all commands; the parsed arguments have the command's function as `run`.

    Only the commands that stand among the arguments are loaded, with the libraries that they need: the others are
    there by name.
    """
    parser = ArgumentParser(prog="parzen", description=HELP, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"parzen {version('parzen')}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, text in COMMANDS.items():
        if name not in arguments:
            subparsers.add_parser(name, help=text)
            continue
        command = load_command(name)
        one = subparsers.add_parser(
            name, parents=[*(GROUPS[group]() for group in command.takes), _common()], help=text,
            description=f"{text}.\n\n{command.description}".strip(), formatter_class=RawDescriptionHelpFormatter,
        )  # fmt: skip
        command.add_options(one)
        one.set_defaults(run=command.run)
    return parser


def _common() -> ArgumentParser:
    group = ArgumentParser(add_help=False)
    group.add_argument("--json", action="store_true", help="write the result as JSON")
    group.add_argument("--quiet", action="store_true", help="show no progress")
    group.add_argument("--warnings", action="store_true", help="show warnings of the library")
    group.add_argument("--traceback", action="store_true", help="show the traceback of an error")
    return group


def _table() -> ArgumentParser:
    from parzen.cli.examples import EXAMPLES  # which imports the data sets' libraries

    group = ArgumentParser(add_help=False)
    group.add_argument("file", nargs="?", help="a table: .csv, .tsv, .jsonl, .parquet, also .gz; - for CSV from a pipe")
    group.add_argument("--example", metavar="NAME", help=f"a data set that comes with parzen: {', '.join(EXAMPLES)}")
    group.add_argument("--encoding", default="utf-8", help="encoding of text files (default: utf-8)")
    group.add_argument("--sep", help="separator of cells (default: by the file's ending)")
    group.add_argument("--names", help="names of the columns, separated by commas, of a file without a header")
    group.add_argument("--decimal", default=".", help="decimal separator (default: a point)")
    group.add_argument("--no-quotes", action="store_true", help="read quotation marks as text")
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


#: Groups of options that several commands share.
GROUPS = {"table": _table, "target": _target, "model": _model}
