"""The command line: ``parzen report data.csv``, and the library's models on files and through pipes."""

import sys


def run() -> None:
    """Run the console script; an interruption while the library is imported is no error either."""
    try:
        from parzen.cli.main import main

        code = main()
    except KeyboardInterrupt:
        sys.stderr.write("\nparzen: stopped; nothing was written.\n")
        code = 130
    raise SystemExit(code)
