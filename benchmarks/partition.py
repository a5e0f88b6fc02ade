"""What one partition of a cluster costs: processor time of a pass on one thread, and bytes that go out and come back.

Run ``PARZEN_NUM_THREADS=1 python -m benchmarks.partition [ROWS]``: a table of Arrow of ROWS x 20 float64, in this
process, is fitted by the work that engines send. The plan in docs/guide/scale.md rests on what it prints.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

import parzen
from parzen.storage.files import loaded
from parzen.tables.sources.engines.engine import Engine

COLUMNS, CLASSES = 20, 10


class Watched(Engine):
    """One partition in this process, whose work is timed."""

    def __init__(self, table: Any) -> None:
        self.table = table
        self.answer = b""

    def labels(self) -> Sequence[Any]:
        return tuple(self.table.column_names)

    def head(self) -> Any:
        return self.table.slice(0, 0)

    def count(self) -> int:
        return int(self.table.num_rows)

    def map(self, work: Any, columns: Sequence[Any]) -> list[bytes]:
        pieces: Iterator[Any] = iter([self.table.select(list(columns))])
        begun = time.process_time()
        self.answer = work(0, pieces)
        used, sent = time.process_time() - begun, work.args[0]
        task = type(loaded(sent)[0]).__name__
        print(f"  {task:12s} {used:7.3f} s, sent {len(sent):7,d} bytes, answered {len(self.answer):7,d}")
        return [self.answer]

    def extend(self, extend: Any, columns: Sequence[Any], added: dict[str, Any]) -> Any:
        raise NotImplementedError


def repeated(function: Callable[[], Any], times: int = 100) -> float:
    """Milliseconds of a call."""
    begun = time.process_time()
    for _ in range(times):
        function()
    return 1e3 * (time.process_time() - begun) / times


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", type=int, nargs="?", default=500_000)
    n = parser.parse_args().rows
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    y = rng.integers(0, CLASSES, n).astype(np.int32)
    X = rng.normal(0, 3, (CLASSES, COLUMNS))[y] + rng.standard_normal((n, COLUMNS))
    columns = {f"x{j}": X[:, j].copy() for j in range(COLUMNS)}
    print("Gaussian naive Bayes")
    parzen.GaussianNB().fit(Watched(pa.table({**columns, "y": y})), target="y")
    print("a mixture of ten full Gaussians, three steps of EM")
    table = Watched(pa.table(columns))
    parzen.GaussianMixture(CLASSES, max_iter=3, tol=0, random_state=0, accelerate=False).fit(table)
    part = loaded(table.answer)["gives"]
    decoded, added = repeated(lambda: loaded(table.answer)), repeated(lambda: part + part)
    print(f"an answer is decoded in {decoded:.2f} ms and added in {added:.3f} ms")


if __name__ == "__main__":
    main()
