"""What goes wrong while a source is read."""


class SourceError(ValueError):
    """A source can't be read as it was promised: a broken file, other columns, a file that has changed."""
