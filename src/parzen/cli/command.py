"""A command of the command line."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass


def _no_options(parser: ArgumentParser) -> None:
    """Add nothing."""


@dataclass(frozen=True)
class Command:
    """What a command takes and does; its name and a line about it are in `parzen.cli.commands.COMMANDS`.

    Attributes
    ----------
    run : function of the parsed arguments
    takes : tuple of str
        Groups of options that several commands share, in the order of their positional arguments: see
        `parzen.cli.options.GROUPS`.
    add_options : function that adds the command's own options to its parser
    description : str
        More lines for its own help.
    """

    run: Callable[[Namespace], None]
    takes: tuple[str, ...] = ()
    add_options: Callable[[ArgumentParser], None] = _no_options
    description: str = ""
