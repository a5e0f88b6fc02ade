"""The entry point of the command line: it runs a command, and reports an error in one sentence."""

import os
import sys
import traceback
import warnings
from argparse import Namespace
from collections.abc import Sequence

from parzen.cli.errors import CommandError
from parzen.cli.parser import make_parser
from parzen.cli.terminal import control, escaped_errors

#: Names of the standard output, besides "-".
STANDARD_OUTPUT = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    with escaped_errors():
        parser = make_parser(arguments)
        args = parser.parse_args(arguments)
        if not hasattr(args, "run"):
            parser.print_help()
            return 2
        if getattr(args, "output", None) in STANDARD_OUTPUT:
            args.output = "-"
        return _run(args)


def _run(args: Namespace) -> int:
    try:
        if sys.stdout is None:
            raise CommandError("the standard output is closed; there is nowhere to write to.")
        with warnings.catch_warnings():
            if not args.warnings:
                warnings.simplefilter("ignore")
            args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader of the pipe has stopped reading
    except KeyboardInterrupt:
        sys.stderr.write("\nparzen: stopped.\n")
        return 130
    except Exception as error:
        if args.traceback:
            traceback.print_exc()
        return _report(error)
    return 0


def _report(error: Exception) -> int:
    """Write an error to the error stream; return the exit code."""
    expected = isinstance(error, CommandError | ValueError | TypeError | OSError | MemoryError)
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.strerror.lower()}{f': {error.filename!r}' if error.filename else ''}."
    if isinstance(error, MemoryError):
        text = "there is not enough memory for this table; give fewer rows or columns."
    if not expected:
        text = (
            f"internal error; please report it ({type(error).__name__}: {text}); --traceback shows where it occurred."
        )
    coloured = sys.stderr.isatty() and "NO_COLOR" not in os.environ
    if coloured:
        control("\x1b[31m")
    sys.stderr.write("parzen:")
    if coloured:
        control("\x1b[0m")
    sys.stderr.write(f" {text}\n")
    return getattr(error, "code", 1) if isinstance(error, CommandError) else 1 if expected else 70
