"""Questions that are being answered: few at a time, and of each view only the newest."""

from collections.abc import Callable
from threading import Condition
from typing import Any

from parzen.displays.explore.request import Superseded

#: Answers that are computed at the same time, and questions that may wait.
RUNNING, WAITING = 2, 32


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
        """Call the function once there is room, with a check that raises `Superseded` after a newer call with the key."""
        with self._change:
            if self._waiting >= self._most:
                raise Busy
            self._tickets += 1
            ticket = self._newest[key] = self._tickets
            self._change.notify_all()
            self._waiting += 1
            try:
                self._change.wait_for(lambda: self._free > 0 or self._newest.get(key) != ticket)
            finally:
                self._waiting -= 1
            self._check(key, ticket)
            self._free -= 1
        try:
            found = function(lambda: self._check(key, ticket))
            self._check(key, ticket)
            return found
        finally:
            with self._change:
                self._free += 1
                if self._newest.get(key) == ticket:
                    del self._newest[key]
                self._change.notify_all()

    def _check(self, key: str, ticket: int) -> None:
        if self._newest.get(key, ticket) != ticket:
            raise Superseded
