"""Memory of a device: blocks of rows that shrink where it does not suffice, and the error where none is enough."""

import re
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import wraps
from typing import Any

import torch

#: Cells that are worked on at a time: 96 MB of float32.
CELLS = 24 * 2**20
#: By how much blocks shrink, and the fewest cells that are tried.
SHRINK, FEWEST = 8, 2**12
#: Routines that change what they are given, and can't be called again.
ONCE = ("normalise",)
#: Of PyTorch's message: what could not be had.
ASKED = re.compile(r"[Tt]ried to allocate ([0-9.]+ ?\w*)")

_cells: ContextVar[int] = ContextVar("cells", default=CELLS)


def pieces(X: torch.Tensor, cells: int) -> Iterator[slice]:
    """Slices of rows, of which each row needs so many cells of scratch memory."""
    rows = max(_cells.get() // max(cells, 1), 1)
    for begin in range(0, len(X), rows):
        yield slice(begin, min(begin + rows, len(X)))


def shrinking(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A routine that is called again with smaller blocks of rows where memory did not suffice."""

    @wraps(function)
    def calling(*given: Any, **options: Any) -> Any:
        cells = CELLS
        while True:
            token = _cells.set(cells)
            try:
                return function(*given, **options)
            except torch.OutOfMemoryError as problem:
                cells //= SHRINK
                if name in ONCE or cells < FEWEST:
                    raise lacking(problem, given[0].tensor.device) from None
            finally:
                _cells.reset(token)
            if torch.cuda.is_available():
                torch.cuda.empty_cache()

    return calling


def lacking(problem: Exception, device: Any, asked: int | None = None) -> MemoryError:
    """The error of what did not find room, even in small blocks of rows."""
    found = ASKED.search(str(problem))
    needed = f"{asked:,} bytes" if asked is not None else found.group(1) if found else "more memory"
    free = ""
    if torch.cuda.is_available() and device.type == "cuda":
        left, whole = torch.cuda.mem_get_info(device)
        free = f", of whose {whole:,} bytes {left:,} are free"
    return MemoryError(
        f"{needed} are needed at once on {device}{free}; give fewer rows at once, free what else lies there, or give "
        "X.cpu()."
    )
