"""The processor's limit for sums over pairs: what is counted for a pair, at rates that a compiled probe measures.

A Gaussian sum needs d + 1 multiplications with an addition (the product of query and point, the weight) and one power
of two for each pair. `peak.cpp` measures how many of either a core does in a second of its own time, on numbers in
registers: so nothing that reads its data can be faster. It is compiled when it is first asked for.
"""

import ctypes
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from parzen import thread_count
from parzen.compute import native

HERE = Path(__file__).parent
#: As in CMakeLists.txt.
FLAGS = ("-std=c++17", "-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast", "-shared", "-fPIC")


@cache
def rates() -> tuple[float, float, float, float] | None:
    """Products and powers per second and core in double, then in single precision; None without a compiler."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None or native.level() == "baseline":
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "peak.so"
        include = f"-I{HERE.parent / 'native'}"
        level = f"-march=x86-64-{native.level()}"
        subprocess.run([compiler, *FLAGS, level, include, str(HERE / "peak.cpp"), "-o", str(path)], check=True)
        probe = ctypes.CDLL(str(path)).peak
    probe.argtypes = [ctypes.c_int64, ctypes.c_double, ctypes.c_void_p]
    best = np.zeros(5)
    for _ in range(9):
        found = np.zeros(5)
        probe(2_000_000, 0.3, found.ctypes.data)
        best = np.maximum(best, found)
    return tuple(best[:4].tolist())


def limit_ms(pairs: float, d: int, single: bool = False) -> float | None:
    """Least time of Gaussian sums over pairs in d columns on all threads; None where it is not known."""
    found = rates()
    if found is None:
        return None
    products, powers = found[2:] if single else found[:2]
    return 1e3 * pairs * ((d + 1) / products + 1 / powers) / thread_count()


def processor_ms(function: Callable[[], Any], repeat: int = 3) -> float:
    """Least processor time of a function in ms, divided by the number of threads."""
    spent = []
    for _ in range(repeat):
        begin = time.process_time()
        function()
        spent.append(time.process_time() - begin)
    return 1e3 * min(spent) / thread_count()
