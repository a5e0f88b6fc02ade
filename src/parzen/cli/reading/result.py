"""What reading a table gives: the table, and what was decided on the way."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from parzen.cli.errors import CommandError


@dataclass(frozen=True)
class TextFormat:
    """How a file is read; what is None is found in the file.

    Attributes
    ----------
    encoding : str
        Where the file begins with a byte order mark, that decides instead.
    sep : str, optional
        What separates cells, as it is written; a backslash and a t are a tab.
    quotes : bool, optional
        Whether cells may be quoted.
    names : str, optional
        Names of the columns, separated by commas, of a file without a header.
    decimal, thousands : str, optional
        Separators of numbers.
    na : tuple of str, optional
        What stands for a missing value, instead of the usual words; an empty cell always does.
    day_first : bool, optional
        Whether 1/2/2024 is the first of February.
    table : str, optional
        The sheet of a workbook, or the table of a database.
    """

    encoding: str = "utf-8"
    sep: str | None = None
    quotes: bool | None = None
    names: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    na: tuple[str, ...] | None = None
    day_first: bool | None = None
    table: str | None = None


PLAIN = TextFormat()


@dataclass(frozen=True)
class Selection:
    """Which columns are kept, and what is known about them before they are read.

    Attributes
    ----------
    columns, drop : tuple of str, optional
        Columns to keep, and to leave out.
    always : tuple of str
        Columns that are kept whatever the others say.
    kinds : mapping from names to kinds
        Columns of numbers and of categories, as a user or a model declares them.
    """

    columns: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)

    def of(self, names: list[str]) -> list[str]:
        """The names that are kept, in the table's order."""
        from parzen.tables.features import unknown_column

        for name in (*(self.columns or ()), *self.drop):
            if name not in names:
                raise CommandError(unknown_column(name, names))
        wanted = set(names if self.columns is None else self.columns) - set(self.drop) | set(self.always)
        kept = [name for name in names if name in wanted]
        if not kept:
            raise CommandError("--columns and --drop leave no column.")
        return kept


EVERYTHING = Selection()


@dataclass(frozen=True)
class ReadTable:
    """A table as it was read.

    Attributes
    ----------
    frame : pandas table
    read_as : dict from names to sentences
        How the cells of each column were read.
    notes : tuple of str
        Sentences about what was lost, renamed, or decided by a rule where the file leaves a choice.
    """

    frame: Any
    read_as: dict[str, str]
    notes: tuple[str, ...] = ()


def several(count: int, noun: str, plural: str | None = None) -> str:
    """A number and its noun: "1 cell", "12 cells"."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def quoted(cell: str, most: int = 30) -> str:
    """A cell in a sentence: short, printable, in quotation marks."""
    return repr(cell if len(cell) <= most else cell[: most - 1] + "…")
