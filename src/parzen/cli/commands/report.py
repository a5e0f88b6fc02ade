"""``parzen report``: a table summarised on one page."""

from argparse import ArgumentParser, Namespace
from typing import Any

from parzen.cli.budget import add_budget
from parzen.cli.command import Command
from parzen.cli.errors import ArgumentError
from parzen.cli.folder_jobs import missing_in_folder, scored_on_all
from parzen.cli.folders import Folder
from parzen.cli.output import check_output, place, print_result, write_file
from parzen.cli.progress import ProgressLine
from parzen.cli.reading.delimited import split_names
from parzen.cli.table import check_column, loss_of, table_of, target_of
from parzen.report import page, summarise
from parzen.report.regression_task import TASKS


def run(args: Namespace) -> None:
    """Summarise a table, and write the page."""
    check_output(args)
    given = table_of(args)
    target = target_of(args, given)
    for option in ("text", "loss", "models", "task"):
        if getattr(args, option) not in (None, "auto") and target is None:
            raise ArgumentError(f"--{option} needs --target, the column to predict.")
    if args.text is not None:
        check_column(args.text, given.frame)
    loss = None if args.loss is None else loss_of(args.loss, given.frame, str(target))
    with ProgressLine(args.quiet) as progress:
        summary = summarise(
            given.frame, target, text=args.text, loss=loss, name=given.name, random_state=args.seed, progress=progress,
            read_as=dict(given.read_as), kinds=dict(given.kinds), budget=args.budget,
            task=args.task, models=None if args.models is None else split_names(args.models, "--models"),
        )  # fmt: skip
    if given.folder is not None and len(given.frame) < given.folder.rows:
        _count_all(summary, given.folder, given.frame, target)
    if given.notes:
        summary["notes"] = [*given.notes, *summary["notes"]]
    _number_rows(summary, given.frame.index)
    path = "report.html" if args.output is None and not args.json else args.output
    if path is not None:
        write_file(path, page(summary).encode())
    lines = [summary["models_finding"]] if "models_finding" in summary else []
    lines += [summary["regression"]["finding"]] if "regression" in summary else []
    lines += [summary[part]["finding"] for part in ("mixture", "outliers") if summary.get(part)]
    print_result(args, summary, *lines, *([f"The report is {place(path)}."] if path else []))


def _count_all(summary: dict[str, Any], folder: Folder, sample: Any, target: str | None) -> None:
    """Count the rows and the missing cells of a folder, and score on all rows a model that was fitted to the sample."""
    missing = missing_in_folder(folder)
    for column in summary["columns"]:
        if "missing" in column:
            column["missing"] = missing[str(column["name"])]
    summary["rows"], summary["sampled_rows"] = folder.rows, len(sample)
    notes = [f"Rows and missing cells are counted in all {folder.rows:,} rows; all else is of the sample."]
    if target is not None and (found := scored_on_all(folder, sample, target)) is not None:
        summary["all_rows"] = found
        notes.append(
            f"Naive Bayes that was fitted to the sample has, on all {found['rows']:,} rows with a class, an accuracy "
            f"of {found['accuracy']:.1%} and a log loss of {found['log_loss']:.4g}."
        )
    summary["notes"] = [*notes, *summary["notes"]]


def _number_rows(summary: dict[str, Any], rows: Any) -> None:
    """Number outliers as the rows of the file, where only some of its rows are used."""
    parts = [summary.get("outliers"), summary.get("class_outliers")]
    parts.append((summary.get("regression") or {}).get("largest_errors"))
    for part in parts:
        for one in (part or {}).get("worst", []):
            one["row"] = int(rows[one["row"]])


def add_options(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("--text", metavar="COLUMN", help="predict the target from the words of this column")
    parser.add_argument(
        "--models", metavar="NAMES", help="compare these models only, as in naive-bayes,logistic-linear"
    )
    parser.add_argument(
        "--task", metavar="TASK", choices=TASKS, default="auto", help="classification or regression: whether the "
        "target holds classes or numbers (default: auto, numbers where it has more than 20 different ones)",
    )  # fmt: skip
    parser.add_argument("--loss", metavar="CSV", help="costs: rows are decisions, columns are true classes")
    add_budget(parser)
    parser.add_argument("-o", "--output", help="file of the page, - for the standard output (default: report.html)")


COMMAND = Command(
    run,
    ("table", "selection", "target"),
    add_options,
    "Without --target: kinds of columns, missing values, densities, dependence, clusters by BIC, outliers. With\n"
    "--target also, for classes: generative and discriminative models compared on held-out rows, calibration,\n"
    "decision threshold, information of each column, learning curves; for numbers: kernel, linear and mixture\n"
    "regressions, prediction intervals with their coverage, residuals.",
)
