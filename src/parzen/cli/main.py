"""The entry point of the command line: it runs a command, and reports an error in one sentence."""

import os
import sys
import warnings
from collections.abc import Sequence

from parzen.cli.errors import CommandError
from parzen.cli.parser import make_parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit code."""
    parser = make_parser()
    args = parser.parse_args(arguments)
    if not hasattr(args, "run"):
        parser.print_help()
        return 2
    if not args.warnings:
        warnings.simplefilter("ignore")
    try:
        if sys.stdout is None:
            raise CommandError("the standard output is closed; there is nowhere to write to.")
        args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader of the pipe has stopped reading
    except KeyboardInterrupt:
        sys.stderr.write("\nparzen: stopped; nothing was written.\n")
        return 130
    except Exception as error:
        if args.traceback:
            raise
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
    red, plain = ("\x1b[31m", "\x1b[0m") if sys.stderr.isatty() and "NO_COLOR" not in os.environ else ("", "")
    sys.stderr.write(f"{red}parzen:{plain} {text}\n")
    return 1 if expected else 70
