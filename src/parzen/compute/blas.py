"""BLAS on one thread, for small matrices: its threads wait for each other longer than they work."""

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

#: Sides of square matrices from which on BLAS would use several threads.
SIDE = 64


def one_blas_thread(side: int | None = None) -> AbstractContextManager[Any]:
    """A context in which BLAS has one thread; nothing is done where its matrices are too small for more."""
    if side is not None and side < SIDE:
        return nullcontext()
    context: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return context


@cache
def _controller() -> Any:
    import scipy.linalg  # noqa: F401  (its BLAS is found only where it has been loaded)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
