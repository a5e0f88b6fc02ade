"""What is raised for what a user of the command line can correct."""


class CommandError(Exception):
    """A wrong file, column or option; the message says in one sentence what to do."""
