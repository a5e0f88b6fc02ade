"""Reading ahead: a thread makes the next items while the last ones are worked on."""

import threading
from collections.abc import Generator, Iterator
from queue import Empty, Full, Queue
from typing import Any, TypeVar

T = TypeVar("T")

#: Items that wait, at most. With the one that is made and the one that is worked on, three are in memory.
WAITING = 1
#: Seconds after which a thread that waits looks whether it is still wanted.
PATIENCE = 0.1


def read_ahead(items: Iterator[T]) -> Generator[T, None, None]:
    """The same items in the same order, made by a thread of their own.

    An error of the thread is raised where its item would have come. The thread ends with the iteration: at the end, at
    an error, when the iterator is closed or forgotten.
    """
    ready: Queue[tuple[str, Any]] = Queue(WAITING)
    unwanted = threading.Event()
    threading.Thread(target=_make, args=(items, ready, unwanted), name="parzen-source", daemon=True).start()
    try:
        while True:
            what, item = _taken(ready)
            if what == "error":
                raise item
            if what == "end":
                return
            yield item
    finally:
        unwanted.set()


def _make(items: Iterator[Any], ready: "Queue[tuple[str, Any]]", unwanted: threading.Event) -> None:
    try:
        for item in items:
            if not _put(ready, ("item", item), unwanted):
                return
            del item  # it is not kept while the next one is made
        _put(ready, ("end", None), unwanted)
    except BaseException as error:
        _put(ready, ("error", error), unwanted)
    finally:
        close = getattr(items, "close", None)
        if close is not None:
            close()


def _put(ready: "Queue[tuple[str, Any]]", entry: tuple[str, Any], unwanted: threading.Event) -> bool:
    """Hand an entry on; False where nobody wants it any more."""
    while not unwanted.is_set():
        try:
            ready.put(entry, timeout=PATIENCE)
        except Full:
            continue
        return True
    return False


def _taken(ready: "Queue[tuple[str, Any]]") -> tuple[str, Any]:
    while True:
        try:
            return ready.get(timeout=PATIENCE)  # a wait without end would not be interrupted on every system
        except Empty:
            continue
