"""What a family may ask of a table before the first row."""

from typing import Any, Protocol

from numpy.typing import NDArray


class Table(Protocol):
    """What a family may ask of the table before the first row: see `Family.bind`."""

    def positions(self, columns: Any) -> list[int]:
        """Positions of columns that are given by name or by position."""

    def names(self) -> list[Any]:
        """Names of the columns, or positions where they have none."""

    def select(self, positions: list[int]) -> "Table":
        """The table of some of the columns."""

    def kind(self, position: int) -> str:
        """What a column holds: "number", "count", "bit", "symbol" or "nothing"."""

    def alphabets(self, given: Any, closed: bool) -> tuple[NDArray[Any], ...]:
        """Categories of every column, learnt from it unless given; from now on its cells arrive as codes.

        With `closed` set, a later category that is none of them is an error.
        """
