"""The only loop over data: fixed blocks of rows, on a pool of threads, added in a fixed order.

The blocks depend on the data alone (shape, type, stored cells), and so does the order in which their statistics are
added: the result is the same to the last bit for any number of threads.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from parzen.compute.arrays import Array, check_columns, is_sparse, room, row_block
from parzen.compute.device import is_device
from parzen.compute.memberships import Labels, Memberships, check_memberships, group_count, take
from parzen.statistics.batches import Batches
from parzen.statistics.statistic import Statistic
from parzen.statistics.threads import asked_threads, for_each, threads
from parzen.tables.sources.engines.work import SourceRows
from parzen.tables.sources.engines.work import total as partitions_total
from parzen.tables.sources.scan import scanned
from parzen.tables.sources.source import Source

#: Bytes of a block of rows; of one whose statistic is an expectation, which is more work; and how many rows a block has
#: at most where their results should stay in cache.
BLOCK, EXPECTED, EVALUATED = 2**22, 2**20, 12_288

#: Rows on a device that are evaluated at a time.
DEVICE_ROWS = 2**20


class Observer(Protocol):
    """Anything that turns a block of rows into a statistic."""

    @property
    def keeps_rows(self) -> bool:
        """Whether its statistic is the rows themselves, so that blocks of them would be put together again."""

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Statistic: ...


class Evaluated(Protocol):
    """Anything that writes K scores of each row: log-densities, or something to compare classes by."""

    #: Most rows of a block.
    rows_at_once: ClassVar[int]

    @property
    def shape(self) -> tuple[int, int]: ...

    def write(self, X: Any, out: Array) -> None: ...

    def compare(self, X: Any, out: Array) -> None: ...


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
    >>> accumulate(Gaussian("diag"), np.array([[1.0], [2.0], [6.0]])).mean
    array([[3.]])
    """
    total = _total(family, X, R, at)
    if total is None:
        raise ValueError("there are no rows: X gives no batch; give at least one.")
    return total


def _total(family: Observer, X: Any, R: Any = None, at: Any = None) -> Any:
    """The same; None where there are no batches."""
    total: Any = None

    def add(part: Statistic) -> None:
        nonlocal total
        total = part if total is None else total + part

    whole, size = family.keeps_rows, BLOCK if at is None else EXPECTED
    if isinstance(X, SourceRows) and X.cluster is not None:
        total = partitions_total(X.cluster, Summed(family, X.unread(), at, asked_threads() or 1))
    elif isinstance(X, Batches) and R is None and not whole:
        _accumulate_batches(lambda rows, R: family.observe(rows, R, at=at), X, size, at is not None, add)
    else:
        cut = _blocks if in_memory(X) else _batched_blocks
        for_each(lambda block: family.observe(block[0], block[1], at=at), cut(X, R, whole, size), add)
    return total


@dataclass(frozen=True, eq=False)
class Summed:
    """The sum of a family's statistics over batches: what `accumulate` asks of each partition of a cluster.

    Attributes
    ----------
    family : what observes
    batches : what rows become, without the way to them
    at : the current density, if there is one
    threads : how many of them a partition is given
    """

    family: Observer
    batches: SourceRows
    at: Any
    threads: int

    def __call__(self, source: Source, partition: int) -> Any:
        """The sum over a partition; None where all rows weigh nothing."""
        with threads(self.threads):
            return _total(self.family, self.batches.within(source), at=self.at)


def _accumulate_batches(
    observe: Callable[..., Statistic], X: Batches, size: int, iterates: bool, add: Callable[[Any], None]
) -> None:
    """Add the statistics of batches; the threads that observe them decode them, a block at a time."""

    def observed(batch: Any) -> list[Statistic]:
        rows, R = X.decode(batch)
        if not X.sparse:
            return [observe(rows, R)]
        return [observe(*block) for block in _blocks(rows, R, False, size)]

    def add_all(parts: list[Statistic]) -> None:
        for part in parts:
            add(part)

    rows = 1 if X.sparse else block_rows(X, X.groups, size=size)
    with closing(X.undecoded(rows, others_follow=iterates)) as batches:
        for_each(observed, batches, add_all)


def evaluate(density: Evaluated, X: Any) -> Any:
    """Log-density of every row under each of K densities, (n, K): blocks of rows, on all threads.

    Of a source (`parzen.scan`), or of other batches that can be read again, it gives `Evaluations`: an iterable of the
    log-densities of each batch.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import Gaussian, evaluate, fit
    >>> X = np.array([[0.0], [2.0], [4.0]])
    >>> evaluate(fit(Gaussian(), X).density, X).round(2)
    array([[-2.16],
           [-1.41],
           [-2.16]])
    """
    X = X if in_memory(X) else scanned(X)
    if isinstance(X, Source | Batches | list | tuple):
        return Evaluations(density, X)
    out = room(X, (X.shape[0], density.shape[0]))
    for_blocks(density, X, lambda begin, rows: density.write(rows, out[begin : begin + rows.shape[0]]))
    return out


@dataclass(frozen=True, eq=False)
class Evaluations:
    """Log-densities of batches of rows: computed when they are read, and anew each time.

    Attributes
    ----------
    density : what evaluates
    batches : Source, or iterable of batches: arrays, CSR matrices, or pairs (rows, memberships)
    """

    density: Evaluated
    batches: Any

    def __iter__(self) -> Iterator[Any]:
        for batch in self.batches:
            yield evaluate(self.density, _numbers(batch[0] if isinstance(batch, tuple) else batch))


def _numbers(rows: Any) -> Any:
    """Rows of a batch as numbers: those of a frame as an array."""
    if in_memory(rows):
        return rows
    try:
        return np.ascontiguousarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(
            "evaluate reads numbers, and a batch has columns of others; score_samples of an estimator reads all kinds."
        ) from None


def for_blocks(density: Evaluated, X: Any, function: Callable[[int, Any], None]) -> None:
    """Call ``function(begin, rows)`` for every block of rows that a density is to read, on all threads."""
    K, d = density.shape
    check_columns(X, d)
    if isinstance(X, np.ndarray) and 0 < len(X) <= block_rows(X, K, density.rows_at_once):
        function(0, X)
        return
    blocks = _numbered_blocks(X, K, density.rows_at_once)
    for_each(lambda block: function(*block), blocks)


def map_blocks(function: Callable[[int, Any], Any], X: Any, groups: int = 0, size: int = BLOCK) -> list[Any]:
    """Results of ``function(begin, rows)`` for every block of rows, in their order; computed on all threads.

    Parameters
    ----------
    function : what is computed of rows begin, begin + 1, ...
    X : array or CSR matrix of shape (n, d)
    groups : as many rows of d numbers has a result; 0 where it is small
    size : bytes of a block of dense rows
    """
    if 0 < X.shape[0] <= block_rows(X, groups, size=size):
        return [function(0, X)]
    found: list[Any] = []
    for_each(lambda block: function(*block), _numbered_blocks(X, groups, size=size), found.append)
    return found


class Mapped:
    """Batches with a function applied to the rows of each: as often readable as the batches themselves."""

    def __init__(self, function: Callable[[Any], Any], batches: Iterable[Any]) -> None:
        self.function, self.batches = function, batches

    def __iter__(self) -> Iterator[Any]:
        for batch in self.batches:
            yield (self.function(batch[0]), *batch[1:]) if isinstance(batch, tuple) else self.function(batch)


def map_rows(function: Callable[[Any], Any], X: Any) -> Any:
    """Apply ``function(X)`` to rows in memory, or to each batch when it is read."""
    if isinstance(X, Batches):
        return X.mapped(function)
    return function(X) if in_memory(X) else Mapped(function, X)


def in_memory(X: Any) -> bool:
    """Whether X is one array or sparse matrix, rather than an iterable of batches."""
    return isinstance(X, np.ndarray) or is_sparse(X) or is_device(X)


def block_rows(X: Any, groups: int, most: int | None = None, size: int = BLOCK) -> int:
    """Rows of a block: enough to make the work outweigh the adding of statistics (`most` where none are added)."""
    n, d = X.shape
    if is_device(X):
        return max(n, 1) if most is None else DEVICE_ROWS  # routines of statistics cut the rows themselves
    if is_sparse(X):
        stored = max(X.nnz / max(n, 1), 1.0)
        least = max(16384, 2 * groups * d / stored)  # cells that outweigh the statistic, which is as wide as the rows
        return -(-n // max(int(n / least), 1))
    if most is not None and most > EVALUATED:
        return most
    by_bytes = max(size // max(d * max(X.dtype.itemsize, 4), 1) // 64 * 64, 4 * d, 32 * groups, 256)
    return int(by_bytes if most is None else min(by_bytes, most))


def _numbered_blocks(X: Any, groups: int, most: int | None = None, size: int = BLOCK) -> Iterator[tuple[int, Any]]:
    X = X.tocsr() if is_sparse(X) else X
    rows = block_rows(X, groups, most, size)
    for begin in range(0, X.shape[0], rows):
        yield begin, row_block(X, begin, begin + rows)


def _blocks(X: Any, R: Any, whole: bool, size: int) -> Iterator[tuple[Any, Memberships]]:
    check_columns(X, None)
    n = X.shape[0]
    R = check_memberships(R, n)
    if n == 0 or whole:
        yield X, R
        return
    for begin, block in _numbered_blocks(X, group_count(R), size=size):
        yield block, take(R, slice(begin, begin + block.shape[0]))


def _batched_blocks(batches: Iterable[Any], R: Any, whole: bool, size: int) -> Iterator[tuple[Any, Memberships]]:
    if R is not None:
        raise ValueError("X is an iterable of batches, so each batch brings its own memberships: give pairs (X, R).")
    for batch in batches:
        pair = batch if isinstance(batch, tuple) else (batch, None)
        if len(pair) != 2 or not in_memory(pair[0]) or not isinstance(pair[1], np.ndarray | Labels | None):
            raise TypeError("a batch must be an array of rows, or a pair (rows, memberships).")
        yield from _blocks(*pair, whole, size)
