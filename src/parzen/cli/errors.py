"""What is raised for what a user of the command line can correct."""


class CommandError(Exception):
    """A wrong file or column; the message says in one sentence what to do."""

    code = 1


class ArgumentError(CommandError):
    """A call that is wrong whatever the files hold: options that exclude each other, are missing or impossible."""

    code = 2
