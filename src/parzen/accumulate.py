"""The only loop over data: fixed blocks of rows, on a pool of threads, added in a fixed order.

The blocks depend on the shape of the data alone, and so does the order in which their statistics are added: the result
is the same to the last bit for any number of threads.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar

import joblib
import numpy as np

from parzen.kernels.arrays import Array, canonical, check_columns, is_sparse
from parzen.kernels.memberships import Labels, Memberships, check_memberships, group_count, take
from parzen.statistic import Statistic

Result = TypeVar("Result")

_asked: ContextVar[int | None] = ContextVar("parzen_threads", default=None)
_pools: dict[int, ThreadPoolExecutor] = {}
_pools_lock = threading.Lock()
_inside = threading.local()


class Observer(Protocol):
    """Anything that turns a block of rows into a statistic."""

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Statistic: ...


@contextmanager
def threads(n: int) -> Iterator[None]:
    """Use n threads within a ``with`` block.

    Elsewhere the number is that of the environment variable ``PARZEN_NUM_THREADS``, else of ``OMP_NUM_THREADS``, else
    of the cores that this process may use. Results don't depend on it.

    Examples
    --------
    >>> import parzen
    >>> with parzen.threads(1):
    ...     parzen.thread_count()
    1
    """
    if int(n) != n or n < 1:
        raise ValueError(f"n must be a whole number of threads, at least 1, got {n!r}.")
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
    for name in ("PARZEN_NUM_THREADS", "OMP_NUM_THREADS"):
        text = os.environ.get(name, "").split(",")[0].strip()
        if text.isdecimal() and int(text) > 0:
            return int(text)
    return int(joblib.cpu_count())


def accumulate(family: Observer, X: Any, R: Any = None, at: Any = None) -> Any:
    """Sum of ``family.observe`` over all rows.

    Parameters
    ----------
    family : what observes
    X : array or CSR matrix of shape (n, d), or an iterable of batches, each one X or a pair (X, R)
    R : memberships of the n rows; with batches, each brings its own
    at : the current density, for families whose statistic depends on it

    Returns
    -------
    Statistic

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import Gaussian, accumulate
    >>> accumulate(Gaussian("diagonal"), np.array([[1.0], [2.0], [6.0]])).mean
    array([[3.]])
    """
    blocks = _blocks(X, R) if in_memory(X) else _batched_blocks(X, R)
    parts = _in_order(lambda block: family.observe(block[0], block[1], at=at), blocks)
    total = next(parts, None)
    if total is None:
        raise ValueError("there are no rows: X gives no batch; give at least one.")
    for part in parts:
        total = total + part
    return total


def evaluate(function: Callable[[Any], Array], X: Any, groups: int = 1) -> Array:
    """Apply ``function(X)`` block by block; its results for the rows stand one below another."""
    parts = _in_order(lambda block: (block[0], function(block[1])), _numbered_blocks(X, groups))
    out: Array | None = None
    for begin, part in parts:
        if out is None:
            out = np.empty((X.shape[0], *part.shape[1:]), part.dtype)
        out[begin : begin + len(part)] = part
    return function(X) if out is None else out


class Mapped:
    """Batches with a function applied to the rows of each: as often readable as the batches themselves."""

    def __init__(self, function: Callable[[Any], Any], batches: Iterable[Any]) -> None:
        self.function, self.batches = function, batches

    def __iter__(self) -> Iterator[Any]:
        for batch in self.batches:
            yield (self.function(batch[0]), *batch[1:]) if isinstance(batch, tuple) else self.function(batch)


def map_rows(function: Callable[[Any], Any], X: Any) -> Any:
    """Apply ``function(X)`` to rows in memory, or to each batch when it is read."""
    return function(X) if in_memory(X) else Mapped(function, X)


def in_memory(X: Any) -> bool:
    """Whether X is one array or sparse matrix, rather than an iterable of batches."""
    return isinstance(X, np.ndarray) or is_sparse(X)


def block_rows(X: Any, groups: int) -> int:
    """Rows of a block: about a megabyte, and enough to make the work outweigh the adding of statistics."""
    n, d = X.shape
    if is_sparse(X):
        stored = max(X.nnz / max(n, 1), 1.0)
        return int(max(8192, 2 * groups * d / stored))
    by_bytes = 2**20 // max(d * X.dtype.itemsize, 1)
    return int(max(by_bytes // 64 * 64, 4 * d, 32 * groups, 256))


def _numbered_blocks(X: Any, groups: int) -> Iterator[tuple[int, Any]]:
    X = canonical(X) if is_sparse(X) else X
    size = block_rows(X, groups)
    for begin in range(0, X.shape[0], size):
        yield begin, X[begin : begin + size]


def _blocks(X: Any, R: Any) -> Iterator[tuple[Any, Memberships]]:
    check_columns(X, None)
    n = X.shape[0]
    R = check_memberships(R, n)
    if n == 0:
        yield X, R
    for begin, block in _numbered_blocks(X, group_count(R)):
        yield block, take(R, slice(begin, begin + block.shape[0]))


def _batched_blocks(batches: Iterable[Any], R: Any) -> Iterator[tuple[Any, Memberships]]:
    if R is not None:
        raise ValueError("X is an iterable of batches, so each batch brings its own memberships: give pairs (X, R).")
    for batch in batches:
        pair = batch if isinstance(batch, tuple) else (batch, None)
        if len(pair) != 2 or not in_memory(pair[0]) or not isinstance(pair[1], np.ndarray | Labels | None):
            raise TypeError("a batch must be an array of rows, or a pair (rows, memberships).")
        yield from _blocks(*pair)


def _in_order(function: Callable[[Any], Result], items: Iterator[Any]) -> Iterator[Result]:
    """Map over items on the pool, a few at a time, and give the results in the order of the items."""
    first, second = next(items, None), next(items, None)
    if first is None:
        return
    n = thread_count()
    if second is None or n == 1 or getattr(_inside, "worker", False):
        yield function(first)
        if second is not None:
            yield function(second)
            yield from map(function, items)
        return
    pool = _pool(n)
    waiting: deque[Future[Result]] = deque(pool.submit(_as_worker, function, item) for item in (first, second))
    try:
        for item in items:
            waiting.append(pool.submit(_as_worker, function, item))
            if len(waiting) > 2 * n:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


def _as_worker(function: Callable[[Any], Result], item: Any) -> Result:
    # Work that itself accumulates stays on its thread: the pool can't wait for itself.
    _inside.worker = True
    return function(item)


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
