"""Threads: how many, and work spread over them whose results are handed on in a fixed order."""

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache
from itertools import chain
from typing import Any

import joblib
import numpy as np

from parzen.compute.environment import setting

#: Most threads; beyond, starting them would take longer than any work.
MOST = 1024
#: Items for each thread that are worked on, or whose results wait for one before them, at most.
AHEAD = 3
#: Seconds after which a thread that waits looks again.
PATIENCE = 0.1

_asked: ContextVar[int | None] = ContextVar("parzen_threads", default=None)


_pools: dict[int, ThreadPoolExecutor] = {}


_pools_lock = threading.Lock()


_inside = threading.local()


@contextmanager
def threads(n: int) -> Iterator[None]:
    """Use n threads within a ``with`` block.

    Elsewhere the number is that of the environment variable ``PARZEN_NUM_THREADS``, else of ``OMP_NUM_THREADS``, else
    of the cores that this process may use. Results don't depend on it. There are at most 1024 threads: more are an
    error here and in ``PARZEN_NUM_THREADS``, as is anything but a whole number of at least 1. ``OMP_NUM_THREADS``,
    which is meant for other libraries too, counts up to 1024, and is ignored where it is no such number.

    Examples
    --------
    >>> import parzen
    >>> with parzen.threads(1):
    ...     parzen.thread_count()
    1
    """
    if not isinstance(n, int | np.integer) or isinstance(n, bool) or not 1 <= n <= MOST:
        raise ValueError(f"n must be a whole number of threads, from 1 to {MOST}, got {n!r}.")
    token = _asked.set(int(n))
    try:
        yield
    finally:
        _asked.reset(token)


def thread_count() -> int:
    """Count the threads that work would be spread over now."""
    asked = _asked.get()
    if asked is not None:
        return asked
    own = setting("PARZEN_NUM_THREADS", _bounded, f"a whole number of threads, from 1 to {MOST}")
    others = _whole(os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip())
    return own or (_cores() if others is None else min(others, MOST))


def asked_threads() -> int | None:
    """How many threads a ``with`` block has asked for, if the code runs in one."""
    return _asked.get()


def _bounded(text: str) -> int | None:
    number = _whole(text)
    return None if number is None or number > MOST else number


def _whole(text: str) -> int | None:
    """A whole number of at least 1; of a long one, its first digits."""
    return int(text.lstrip("0")[:9] or 0) or None if text.isdecimal() else None


@cache
def _cores() -> int:
    return int(joblib.cpu_count())


class _Work:
    """Items that several threads take one by one; their results are handed on in the order of the items.

    A result may be large, so few wait for one that comes before them: a thread that is too far ahead of the others
    waits, too.
    """

    def __init__(
        self, function: Callable[[Any], Any], items: Iterator[Any], hand_on: Callable[[Any], None], workers: int
    ) -> None:
        self.function, self.items, self.hand_on = function, enumerate(items), hand_on
        self.turn = threading.Condition()
        self.waiting: dict[int, Any] = {}
        self.taken = self.expected = 0
        self.ahead = AHEAD * workers
        self.stopped = False

    def run(self) -> None:
        """Work until no item is left, or until a thread fails."""
        # Work that itself accumulates stays on its thread: the pool can't wait for itself.
        nested, _inside.worker = getattr(_inside, "worker", False), True
        try:
            while True:
                with self.turn:
                    item = self._next()
                if item is None:
                    return
                result = self.function(item[1])
                with self.turn:
                    self.waiting[item[0]] = result
                    del result
                    while self.expected in self.waiting:
                        self.hand_on(self.waiting.pop(self.expected))
                        self.expected += 1
                    self.turn.notify_all()
        except BaseException:
            with self.turn:
                self.stopped = True
                self.turn.notify_all()
            raise
        finally:
            _inside.worker = nested

    def _next(self) -> tuple[int, Any] | None:
        """The next item and its number, once few results wait; None where there is none."""
        while self.taken - self.expected >= self.ahead and not self.stopped:
            self.turn.wait(PATIENCE)  # a wait without end would not be interrupted on every system
        item = None if self.stopped else next(self.items, None)
        self.taken += item is not None
        return item


def for_each(
    function: Callable[[Any], Any], items: Iterator[Any], hand_on: Callable[[Any], None] = lambda nothing: None
) -> None:
    """Call hand_on(function(item)) for every item, in their order; functions run on this thread and on the pool's.

    The pool's threads work in the caller's context: NumPy's handling of errors, say, is the same on all of them, and
    not what it was when a thread of the pool began, as it would be on a free-threaded Python.
    """
    first, second = next(items, None), next(items, None)
    if first is None:
        return
    if second is None:
        hand_on(function(first))
        return
    helpers = 0 if getattr(_inside, "worker", False) else thread_count() - 1
    work = _Work(function, chain([first, second], items), hand_on, helpers + 1)
    futures = [_pool(helpers).submit(copy_context().run, work.run) for _ in range(helpers)]
    try:
        work.run()
    finally:
        for future in futures:
            future.cancel()
        done = [future for future in futures if not future.cancelled()]
        failures = [failure for future in done if (failure := future.exception()) is not None]
    if failures:
        raise failures[0]


def _pool(n: int) -> ThreadPoolExecutor:
    with _pools_lock:
        if n not in _pools:
            _pools[n] = ThreadPoolExecutor(n, thread_name_prefix="parzen")
        return _pools[n]


def _forget_pools() -> None:
    global _pools_lock
    _pools_lock = threading.Lock()
    _pools.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pools)
