"""Errors and warnings about statistics: no density fits, a floor was needed; and the names of groups in messages."""

import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from parzen.compute.arrays import ColumnError


class Collapse(ColumnError):
    """No density of the family fits a statistic: no rows, or too few distinct ones."""


class NeedsDensity(ValueError):
    """A statistic that is an expectation under a current density was asked for without one: the family must iterate."""


class FloorWarning(UserWarning):
    """A variance was zero or nearly so, and was raised to the family's floor: usable, but worth a look."""


#: What becomes of a floor: a warning; an error; or a message that is kept in a list.
_floors: ContextVar[str | list[str]] = ContextVar("parzen_floors", default="warn")


@contextmanager
def without_floor_warnings() -> Iterator[list[str]]:
    """Leave out warnings of floors within a ``with`` block, in this thread: an iteration warns at its end.

    Gives a list, which has the messages that were left out.
    """
    left_out: list[str] = []
    token = _floors.set(left_out)
    try:
        yield left_out
    finally:
        _floors.reset(token)


@contextmanager
def refusing_floors() -> Iterator[None]:
    """Raise `Collapse` where a variance would be raised to its floor within a ``with`` block, in this thread."""
    token = _floors.set("refuse")
    try:
        yield
    finally:
        _floors.reset(token)


def floors_are_refused() -> bool:
    """Whether a singular covariance is to be refused."""
    return _floors.get() == "refuse"


_called: ContextVar[tuple[str, Sequence[Any] | None]] = ContextVar("parzen_called", default=("groups", None))


@contextmanager
def naming_groups(what: str, names: Sequence[Any] | None = None) -> Iterator[None]:
    """Call groups what they are ("classes", "components") and by their names in messages, in this thread."""
    token = _called.set((what, names))
    try:
        yield
    finally:
        _called.reset(token)


def named_groups(groups: Iterable[int]) -> str:
    """Groups as a message names them: by their numbers, or by their names."""
    what, names = _called.get()
    numbers = [int(group) for group in groups]
    return f"{what} {numbers if names is None else [plain(names[k]) for k in numbers]}"


def plain(value: Any) -> Any:
    """A value as a message shows it: 'yes', not np.str_('yes'); of several, a list."""
    if isinstance(value, np.generic):
        return value.item()
    return [plain(one) for one in value] if isinstance(value, list | tuple | set | dict) else value


def warn_floor(message: str) -> None:
    """Warn that an estimate is usable but worth a look."""
    handled = _floors.get()
    if isinstance(handled, list):
        handled.append(message)
    else:
        warnings.warn(message, FloorWarning, stacklevel=caller_stacklevel())


def caller_stacklevel() -> int:
    """How many frames up the code lies that called the library: where a warning points."""
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("parzen", "sklearn"):
        frame, depth = frame.f_back, depth + 1
    return depth
