"""``parzen completion``: a script that completes commands and options in a shell."""

import sys
from argparse import ArgumentParser, Namespace

from parzen.cli.command import Command
from parzen.cli.completion import SHELLS, described


def run(args: Namespace) -> None:
    """Print the script of a shell."""
    from parzen.cli.examples import EXAMPLES  # which imports the data sets' libraries
    from parzen.cli.parser import make_parser  # which lists this command

    sys.stdout.write(SHELLS[args.shell](described(make_parser(), {"--example": tuple(EXAMPLES)})))


def add_options(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("shell", choices=list(SHELLS), help="the shell that the script is for")


COMMAND = Command(
    run,
    (),
    add_options,
    "In bash: parzen completion bash > ~/.local/share/bash-completion/completions/parzen\n"
    "In zsh:  parzen completion zsh > a file _parzen in a folder of $fpath\n"
    "In fish: parzen completion fish > ~/.config/fish/completions/parzen.fish",
)
