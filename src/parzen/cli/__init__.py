"""The command line: ``parzen report data.csv``, and the rest of the vocabulary on files and through pipes."""

import sys


def run() -> None:
    """The console script; being stopped while the library is still being read is no error either."""
    try:
        from parzen.cli.main import main

        code = main()
    except KeyboardInterrupt:
        sys.stderr.write("\nparzen: stopped; nothing was written.\n")
        code = 130
    raise SystemExit(code)
