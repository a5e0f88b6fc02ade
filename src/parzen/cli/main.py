"""The parser of the command line, and how its errors are said."""

import os
import sys
import warnings
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from parzen.cli import commands
from parzen.cli.examples import EXAMPLES
from parzen.cli.files import Trouble
from parzen.report.target import ReportError
from parzen.storage.errors import ModelFileError

HELP = """Say where the rows of a table come from, and act on it.

  parzen report data.csv                       what the table is made of: columns, dependence, clusters, outliers
  parzen report data.csv --target churn        what predicts a column: models side by side, calibration, costs
  parzen report --example breast_cancer        the same of data that come along
  parzen fit data.csv --target churn -o m.parzen
  parzen predict m.parzen new.csv > predicted.csv
  cat data.csv | parzen outliers - --fdr 0.01

Tables are CSV, TSV, JSON lines or Parquet, also with .gz; - is a pipe of CSV. Results go to the standard output,
progress and errors to the error stream. Exit codes: 0 done, 1 something is wrong with the data, 2 with the call, 70
with parzen, 130 stopped."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    parser = _parser()
    args = parser.parse_args(arguments)
    if not hasattr(args, "run"):
        parser.print_help()
        return 2
    if not args.warnings:
        warnings.simplefilter("ignore")
    try:
        if sys.stdout is None:
            raise Trouble("the standard output is closed; there is nowhere to write to.")
        args.run(args)
        sys.stdout.flush()
    except (Trouble, ReportError, ModelFileError, ValueError, TypeError, OSError, MemoryError) as error:
        if isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # who read has seen enough
            return 0
        if args.traceback:
            raise
        return _said(error)
    except KeyboardInterrupt:
        sys.stderr.write("\nparzen: stopped; nothing was written.\n")
        return 130
    except Exception as error:
        if args.traceback:
            raise
        kind = type(error).__name__
        return _said(RuntimeError(f"a mistake of ours ({kind}: {error}); --traceback shows where.")) + 69
    return 0


def _said(error: BaseException) -> int:
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.strerror.lower()}{f': {error.filename!r}' if error.filename else ''}."
    if isinstance(error, MemoryError):
        text = "there is not enough memory for this table; give fewer rows or columns."
    red, plain = ("\x1b[31m", "\x1b[0m") if sys.stderr.isatty() and "NO_COLOR" not in os.environ else ("", "")
    sys.stderr.write(f"{red}parzen:{plain} {text}\n")
    return 1


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="parzen", description=HELP, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"parzen {version('parzen')}")
    common = ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help="say the result as JSON")
    common.add_argument("--quiet", action="store_true", help="show no progress")
    common.add_argument("--warnings", action="store_true", help="show warnings of the library")
    common.add_argument("--traceback", action="store_true", help="show where an error came from")
    table = ArgumentParser(add_help=False)
    table.add_argument("file", nargs="?", help="a table: .csv, .tsv, .jsonl, .parquet, also .gz; - for a pipe of CSV")
    table.add_argument("--example", metavar="NAME", help=f"data that come along: {', '.join(EXAMPLES)}")
    table.add_argument("--encoding", default="utf-8", help="of text files (utf-8)")
    table.add_argument("--sep", help="what stands between cells (by the file's ending)")
    table.add_argument("--names", help="names of the columns, with commas, of a file whose first line is a row")
    table.add_argument("--decimal", default=".", help="what stands before decimals (a point)")
    table.add_argument("--no-quotes", action="store_true", help="take quotation marks for text")
    target = ArgumentParser(add_help=False)
    target.add_argument("--target", metavar="COLUMN", help="the column to predict")
    target.add_argument("--no-target", action="store_true", help="predict nothing, even of an example")
    sub = parser.add_subparsers(title="commands", metavar="COMMAND")

    def add(name: str, run: Any, parents: list[ArgumentParser], text: str, more: str = "") -> ArgumentParser:
        one = sub.add_parser(
            name, parents=[*parents, common], help=text, description=f"{text}.\n\n{more}".strip(),
            formatter_class=RawDescriptionHelpFormatter,
        )  # fmt: skip
        one.set_defaults(run=run)
        return one

    one = add(
        "report", commands.report, [table, target], "Look at a table: one page of HTML with pictures",
        "Without --target: kinds of columns, missing cells, densities, dependence, clusters by BIC, outliers. With it: "
        "generative\nand discriminative models side by side, on rows that they have not seen, and what follows.",
    )  # fmt: skip
    one.add_argument("--text", metavar="COLUMN", help="predict the target from the words of this column")
    one.add_argument("--loss", metavar="CSV", help="what decisions cost: rows are decisions, columns the true classes")
    one.add_argument("-o", "--output", help="where the page goes (report.html)")
    one = add("fit", commands.fit, [table, target], "Fit a model and write it to a file")
    one.add_argument(
        "--model", help=f"with a target: {', '.join(commands.CLASSIFIERS)}; without: {', '.join(commands.DENSITIES)}"
    )
    one.add_argument("-o", "--output", required=True, help="the model file")
    model = ArgumentParser(add_help=False)
    model.add_argument("model", help="a model file")
    one = add("predict", commands.predict, [model, table], "Predict rows: classes and probabilities, or log-densities")
    one.add_argument("-o", "--output", help="where the table goes (the standard output)")
    one = add("score", commands.score, [model, table], "Say how good a model is on rows")
    one.add_argument("--target", metavar="COLUMN", help="the column of the classes (as in fitting)")
    one = add("sample", commands.sample, [model], "Draw rows from a model")
    one.add_argument("-n", type=_count, default=10, help="how many (10)")
    one.add_argument("--seed", type=_seed, help="the same draws again")
    one.add_argument("-o", "--output", help="where the table goes (the standard output)")
    one = add("outliers", commands.outliers, [table], "List rows that fit nothing, and the column that says so")
    one.add_argument("--fdr", type=float, default=0.05, help="share of the listed rows that may be ordinary (0.05)")
    one.add_argument("--all", action="store_true", help="list all rows, the strangest first")
    one.add_argument("-o", "--output", help="where the table goes (the standard output)")
    one = add("bandwidth", commands.bandwidth, [table], "Say what bandwidth each rule chooses")
    one.add_argument("--column", help="one column (all columns of numbers)")
    add("inspect", commands.inspect, [model], "Say what a model file holds; nothing in it is executed")
    one = add("merge", commands.merge, [], "Add models that were learnt from parts of the rows")
    one.add_argument("models", nargs="+", help="model files")
    one.add_argument("-o", "--output", required=True, help="the model file")
    return parser


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    return int(text)


def _seed(text: str) -> int:
    if not text.isdigit():
        raise ArgumentTypeError(f"{text!r} is no whole number of at least 0")
    return int(text)
