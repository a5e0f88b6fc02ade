"""What a family may ask about a table before it sees rows."""

from typing import Any, Protocol

from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.memberships import Memberships


class Table(Protocol):
    """Columns of the first table, as `Family.bind` sees them.

    Attributes
    ----------
    memberships : memberships of its rows (see `parzen.Labels`): the classes of a classifier; None where there are none
    """

    memberships: Memberships

    def positions(self, columns: Any) -> list[int]:
        """Positions of columns that are given by name or by position."""

    def names(self) -> list[Any]:
        """Names of the columns, or positions where they have none."""

    def batches(self) -> Any:
        """What gives its rows batch by batch, each with its weights or None, where it is read so; None for a table."""

    def select(self, positions: list[int]) -> "Table":
        """The table of some of the columns."""

    def kind(self, position: int) -> str:
        """What a column holds: "continuous", "count", "binary", "categorical" or "empty"."""

    def numbers(self, position: int) -> Array:
        """Cells of a column as numbers, (n,), NaN where missing; an error where it holds anything else."""

    def codes(self, position: int) -> Array:
        """Cells of a column as codes of its categories, (n,), NaN where missing; `alphabets` must have learnt them."""

    def alphabets(self, given: Any, closed: bool) -> tuple[NDArray[Any], ...]:
        """Categories of every column, learnt from it unless given; from now on its cells are encoded as codes.

        With `closed` set, another category in a later table is an error.
        """
