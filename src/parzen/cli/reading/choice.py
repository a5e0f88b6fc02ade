"""Which table of a file that holds several is read."""

from collections.abc import Sequence
from pathlib import Path

from parzen.cli.errors import CommandError

#: Most names in a message.
LISTED = 12


def divided(path: str) -> tuple[str, str | None]:
    """A file and the name of a table in it, of "data.db:table"; a path that exists as it is has no such name."""
    file, mark, table = path.rpartition(":")
    if path == "-" or not mark or not file or not table:
        return path, None
    try:
        return (file, table) if not Path(path).exists() and Path(file).is_file() else (path, None)
    except (OSError, ValueError):
        return path, None


def chosen_table(names: Sequence[str], asked: str | None, path: str, called: str, what: str) -> str:
    """The table that is asked for, or the only one; an error that lists them all otherwise.

    Parameters
    ----------
    what : "tables" or "sheets"
    """
    if not names:
        raise CommandError(f"{called} holds no {what}.")
    listed = ", ".join(map(repr, names[:LISTED])) + (f" and {len(names) - LISTED} others" * (len(names) > LISTED))
    if asked is None:
        if len(names) == 1:
            return names[0]
        file = "-" if path == "-" else f"{path}:{names[0]}"
        way = f"--table {names[0]!r}" if path == "-" else f"{file!r} or --table {names[0]!r}"
        raise CommandError(f"{called} holds {len(names)} {what}: {listed}; choose one, as in {way}.")
    if asked in names:
        return asked
    from difflib import get_close_matches

    near = get_close_matches(asked, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {listed}."
    raise CommandError(f"{called} has no {what.removesuffix('s')} {asked!r}; {hint}")
