"""``parzen merge``: models or statistics of parts of the rows, added."""

from argparse import ArgumentParser, Namespace
from typing import Any

from parzen.cli.command import Command
from parzen.cli.errors import CommandError
from parzen.cli.model import load_model
from parzen.cli.output import check_output, place, print_result, write_file
from parzen.statistics.statistic import Statistic
from parzen.storage.files import dumped


def run(args: Namespace) -> None:
    """Add models or statistics that were fitted to parts of the rows."""
    check_output(args)
    total = load_model(args.models[0])
    for path in args.models[1:]:
        total = _sum(total, load_model(path))
    if not hasattr(total, "merge") and not isinstance(total, Statistic):
        raise CommandError(f"a {type(total).__name__} can't be merged; give models or statistics.")
    write_file(args.output, dumped(total))
    many = len(args.models)
    result = {"output": args.output, "parts": many}
    print_result(args, result, f"{many} part{'s' * (many > 1)} {place(args.output)}.")


def _sum(one: Any, other: Any) -> Any:
    if hasattr(one, "merge"):
        merged = one.merge(other)
        if hasattr(one, "target_name_"):
            merged.target_name_ = one.target_name_
        return merged
    if type(other) is type(one) and isinstance(one, Statistic):
        return one + other
    raise CommandError(f"a {type(one).__name__} and a {type(other).__name__} can't be merged.")


def add_options(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("models", nargs="+", help="model files")
    parser.add_argument("-o", "--output", required=True, help="file of the merged model; - for the standard output")


COMMAND = Command(run, (), add_options)
