"""A question of the page, read strictly: each value has a type and a range, and an unknown name is an error."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from parzen.displays.explore.data import Data


class RequestError(ValueError):
    """A question that can't be answered, in one sentence for the page."""


class Superseded(Exception):
    """A newer question of the same view has come; nobody waits for this answer."""


class Request:
    """The values of a question. Each is asked for by its name, type and range; `finish` finds those nobody asked for.

    Parameters
    ----------
    values : mapping
        As read from JSON.
    progress : function of a number from 0 to 1, optional
        Called by views that take long; it raises `Superseded` where the answer is no longer wanted.
    """

    def __init__(self, values: Any, progress: Callable[[float], None] | None = None) -> None:
        if not isinstance(values, dict):
            raise RequestError("A question must be an object of names and values.")
        self._values: Mapping[str, Any] = values
        self._known: set[str] = set()
        self._progress = progress

    def progress(self, share: float) -> None:
        """Tell how much is done; raises `Superseded` where a newer question has come."""
        if self._progress is not None:
            self._progress(share)

    def _get(self, name: str) -> Any:
        self._known.add(name)
        return self._values.get(name)

    def number(self, name: str, low: float, high: float, default: float | None = None) -> float:
        """A finite number from `low` to `high`."""
        value = self._get(name)
        if value is None and default is not None:
            return default
        return _number(name, value, low, high)

    def maybe(self, name: str, low: float = -1e300, high: float = 1e300) -> float | None:
        """A number, or None."""
        value = self._get(name)
        return None if value is None else _number(name, value, low, high)

    def whole(self, name: str, low: int, high: int, default: int) -> int:
        """A whole number from `low` to `high`."""
        value = self._get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise RequestError(f"{name} must be a whole number from {low} to {high}.")
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        """True or false."""
        value = self._get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise RequestError(f"{name} must be true or false.")
        return value

    def choice(self, name: str, options: Sequence[str], default: str | None = None) -> str:
        """One of some words."""
        value = self._get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or value not in options:
            raise RequestError(f"{name} must be one of: {', '.join(options)}.")
        return value

    def numbers(self, name: str, low: float, high: float, most: int) -> list[float]:
        """A list of finite numbers, empty where there is none."""
        value = self._get(name)
        if value is None:
            return []
        if not isinstance(value, list) or len(value) > most:
            raise RequestError(f"{name} must be a list of at most {most} numbers.")
        return [_number(name, one, low, high) for one in value]

    def points(self, name: str, most: int) -> list[list[float]]:
        """A list of pairs of numbers, empty where there is none."""
        value = self._get(name)
        if value is None:
            return []
        pairs = isinstance(value, list) and len(value) <= most
        if not pairs or any(not isinstance(one, list) or len(one) != 2 for one in value):
            raise RequestError(f"{name} must be a list of at most {most} pairs of numbers.")
        return [[_number(name, part, -1e300, 1e300) for part in one] for one in value]

    def matrix(self, name: str, rows: int, columns: int, low: float, high: float) -> list[list[float]] | None:
        """A matrix of numbers with so many rows and columns, or None."""
        value = self._get(name)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != rows:
            raise RequestError(f"{name} must have {rows} rows.")
        if any(not isinstance(one, list) or len(one) != columns for one in value):
            raise RequestError(f"{name} must have {columns} numbers in each row.")
        return [[_number(name, part, low, high) for part in one] for one in value]

    def column(self, name: str, data: Data, optional: bool = False) -> str | None:
        """The name of a column of numbers that has at least two values; the first where none is named."""
        value = self._get(name)
        usable = list(data.numbers)
        if value is None:
            if optional:
                return None
            value = usable[0] if usable else None
        if not isinstance(value, str) or value not in data.numbers:
            raise RequestError(f"{name} must be a column of numbers of this table.")
        if len(data.column(value)) < 2:
            raise RequestError(f"{name} must be a column with at least two values.")
        return value

    def two_columns(self, data: Data, lacking: str) -> tuple[str, str]:
        """The names `x` and `y` of two different columns of numbers; an error says what is lacking."""
        first, second = self.column("x", data), self.column("y", data, optional=True)
        assert first is not None
        if second is None or second == first:
            second = next((name for name in data.numbers if name != first), None)
        if second is None:
            raise RequestError(lacking)
        return first, second

    def classes(self, name: str, data: Data) -> str:
        """The name of a column of classes; the target, or the first, where none is named."""
        value = self._get(name)
        if value is None:
            first = next(iter(data.classes), None)
            value = data.target if data.target in data.classes else first
        if not isinstance(value, str) or value not in data.classes:
            raise RequestError(f"{name} must be a column of 2 to 20 classes of this table.")
        return value

    def finish(self) -> None:
        """An error where the question has a name that the view does not know."""
        unknown = sorted(set(self._values) - self._known)
        if unknown:
            raise RequestError(f"This view knows {', '.join(sorted(self._known))} and nothing else.")


def _number(name: str, value: Any, low: float, high: float) -> float:
    good = isinstance(value, int | float) and not isinstance(value, bool)
    if not good or not math.isfinite(value) or not low <= value <= high:
        raise RequestError(f"{name} must be a number from {low:g} to {high:g}.")
    return float(value)
