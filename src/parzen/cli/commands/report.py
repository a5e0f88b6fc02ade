"""``parzen report``: a table summarised on one page."""

from argparse import ArgumentParser, Namespace

from parzen.cli.budget import add_budget
from parzen.cli.command import Command
from parzen.cli.errors import ArgumentError
from parzen.cli.output import check_output, place, print_result, write_file
from parzen.cli.progress import ProgressLine
from parzen.cli.table import check_column, loss_of, table_of, target_of
from parzen.report import page, summarise


def run(args: Namespace) -> None:
    """Summarise a table, and write the page."""
    check_output(args)
    given = table_of(args)
    target = target_of(args, given)
    for option in ("text", "loss"):
        if getattr(args, option) is not None and target is None:
            raise ArgumentError(f"--{option} needs --target, the column to predict.")
    if args.text is not None:
        check_column(args.text, given.frame)
    loss = None if args.loss is None else loss_of(args.loss, given.frame, str(target))
    with ProgressLine(args.quiet) as progress:
        summary = summarise(
            given.frame, target, text=args.text, loss=loss, name=given.name, progress=progress, budget=args.budget
        )
    path = "report.html" if args.output is None and not args.json else args.output
    if path is not None:
        write_file(path, page(summary).encode())
    lines = [summary["models_finding"]] if "models_finding" in summary else []
    lines += [summary[part]["finding"] for part in ("mixture", "outliers") if summary.get(part)]
    print_result(args, summary, *lines, *([f"The report is {place(path)}."] if path else []))


def add_options(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("--text", metavar="COLUMN", help="predict the target from the words of this column")
    parser.add_argument("--loss", metavar="CSV", help="costs: rows are decisions, columns are true classes")
    add_budget(parser)
    parser.add_argument("-o", "--output", help="file of the page (default: report.html)")


COMMAND = Command(
    run,
    ("table", "target"),
    add_options,
    "Without --target: kinds of columns, missing values, densities, dependence, clusters by BIC, outliers. With\n"
    "--target also: generative and discriminative models compared on held-out rows, calibration, decision threshold,\n"
    "information of each column, learning curves.",
)
