"""Questions that are being answered: few at a time, and of each view only the newest."""

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, Lock
from typing import Any

from parzen.displays.explore.request import Superseded

#: Answers that are computed at the same time, questions that may wait, and keys whose newest question is remembered.
RUNNING, WAITING, KEYS = 2, 32, 256


_quiet = Lock()
_inside: list[Any] = []


@contextmanager
def quietly() -> Iterator[None]:
    """No warnings while at least one thread is inside: the page says itself what was drawn or is singular."""
    if getattr(sys.flags, "context_aware_warnings", False):  # filters belong to a thread: free-threaded Python
        with warnings.catch_warnings(action="ignore"):
            yield
        return
    with _quiet:
        if not _inside:
            saved = warnings.catch_warnings()
            saved.__enter__()
            warnings.simplefilter("ignore")
            _inside.append(saved)
        _inside.append(None)
    try:
        yield
    finally:
        with _quiet:
            _inside.pop()
            if len(_inside) == 1:
                _inside.pop().__exit__(None, None, None)


class Busy(Exception):
    """Too many questions wait already."""


class Jobs:
    """Runs functions for keys; a later call with a key supersedes the earlier ones."""

    def __init__(self, running: int = RUNNING, waiting: int = WAITING) -> None:
        self._free, self._most, self._waiting = running, waiting, 0
        self._newest: dict[str, int] = {}
        self._tickets = 0
        self._change = Condition()

    def run(self, key: str, function: Callable[[Callable[[], None]], Any]) -> Any:
        """Call the function once there is room, with a check that raises `Superseded` after a newer call."""
        with self._change:
            if self._waiting >= self._most:
                raise Busy
            self._tickets += 1
            self._newest.pop(key, None)
            ticket = self._newest[key] = self._tickets
            if len(self._newest) > KEYS:
                del self._newest[next(iter(self._newest))]
            self._change.notify_all()
            self._waiting += 1
            try:
                self._change.wait_for(lambda: self._free > 0 or self._newest.get(key, ticket) != ticket)
            finally:
                self._waiting -= 1
            self._check(key, ticket)
            self._free -= 1
        try:
            with quietly():
                found = function(lambda: self._check(key, ticket))
            self._check(key, ticket)
            return found
        finally:
            with self._change:
                self._free += 1
                self._change.notify_all()

    def _check(self, key: str, ticket: int) -> None:
        if self._newest.get(key, ticket) != ticket:
            raise Superseded
