"""The time to import parzen, against the time to import the libraries that it needs."""

import statistics
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.harness import Row

BASE = "import sklearn.base, scipy.linalg"


def seconds(code: str) -> float:
    program = f"import time; begin = time.perf_counter(); {code}; print(time.perf_counter() - begin)"
    return float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)


def rows() -> Iterator[Row]:
    base, both = zip(*((seconds(BASE), seconds(f"{BASE}, parzen")) for _ in range(9)), strict=True)
    yield Row(f"{BASE}, parzen", BASE, 1e3 * statistics.median(both), 1e3 * statistics.median(base), None, None)
