"""The commands, one file for each. A new command is a file with a `Command`, and a line in `COMMANDS`."""

import importlib

from parzen.cli.command import Command

#: What each command does, in one line; the command is the `COMMAND` of the file of its name, loaded when it is chosen.
COMMANDS = {
    "report": "Summarise a table on one HTML page with charts",
    "explore": "Explore a table in the browser: pictures that follow a slider",
    "fit": "Fit a model and write it to a file",
    "predict": "Predict rows: classes and probabilities, or log-densities",
    "score": "Score a model on the rows of a table",
    "sample": "Draw rows from a model",
    "outliers": "List rows that are outliers, with the column that contributes most",
    "bandwidth": "Print the bandwidth that each rule chooses for numeric columns",
    "inspect": "Print what a model file holds; nothing in it is executed",
    "merge": "Merge models that were fitted to parts of the rows",
    "completion": "Print a script that completes commands and options in a shell",
}


def load_command(name: str) -> Command:
    """A command by its name, with the libraries that it needs."""
    command: Command = importlib.import_module(f"parzen.cli.commands.{name}").COMMAND
    return command
