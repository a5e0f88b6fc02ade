"""``python -m parzen``: the command line."""

from parzen.cli import run

run()
