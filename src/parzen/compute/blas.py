"""BLAS on one thread, for small matrices: its threads wait for each other longer than they work."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

#: Sides of square matrices from which on BLAS would use several threads.
SIDE = 64


@contextmanager
def one_blas_thread(side: int = SIDE) -> Iterator[None]:
    """A context in which BLAS has one thread; nothing is done where its matrices are too small for more."""
    if side < SIDE:
        yield
        return
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()


class _Limit:
    """The number of threads is the process's: the first context that is entered sets it, the last one restores it."""

    def __init__(self) -> None:
        self.lock, self.inside, self.limiter = Lock(), 0, None

    def enter(self) -> None:
        with self.lock:
            if not self.inside:
                self.limiter = _controller().limit(limits=1, user_api="blas")
            self.inside += 1

    def leave(self) -> None:
        with self.lock:
            self.inside -= 1
            if not self.inside and self.limiter is not None:
                self.limiter.restore_original_limits()


_limit = _Limit()


@cache
def _controller() -> Any:
    import scipy.linalg  # noqa: F401  (its BLAS is found only where it has been loaded)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
