"""What all benchmarks share: two ways of doing one job, timed in turn in one process, judged by one oracle."""

import json
import os
import platform
import statistics
import subprocess
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import parzen
from parzen.compute import native

LIBRARIES = (
    "numpy", "scipy", "scikit-learn", "hmmlearn", "KDEpy", "mlpack", "pgmpy", "pomegranate", "pyagrum", "pyod",
    "statsmodels",
)  # fmt: skip


#: What a run leaves in its folder.
RESULTS = "results.json"

#: Seconds after which a race ends, once each function has run three times.
PATIENCE = 15.0


@dataclass(frozen=True)
class Row:
    """One line of the table: medians in milliseconds, errors against the oracle (None where there is none).

    `megabytes` is our peak memory beyond the input, where it was measured.
    """

    job: str
    peer: str
    ours_ms: float
    peer_ms: float
    ours_error: float | None
    peer_error: float | None
    target: float | None = None
    megabytes: float | None = None

    @property
    def ratio(self) -> float:
        return self.peer_ms / self.ours_ms


@dataclass(frozen=True)
class Memory:
    """Peak memory of a job beyond its input, in MB."""

    job: str
    megabytes: float


@dataclass(frozen=True)
class Growth:
    """How the time of a job grows: of the job as it is in ms, and its ratios as n, d or K grow, measured and expected.

    `theory` says by which factor the number of operations grows; a range where parts of the work grow differently.
    """

    job: str
    base_ms: float
    measured: dict[str, float]
    theory: dict[str, str]


#: Under which name each kind of result is written.
KINDS: dict[str, type[Row | Memory | Growth]] = {"rows": Row, "memory": Memory, "growth": Growth}


def race(
    job: str,
    peer: str,
    ours: Callable[[], Any],
    theirs: Callable[[], Any],
    error: Callable[[Any], float] | None = None,
    their_error: Callable[[Any], float] | None = None,
    target: float | None = None,
    repeat: int = 9,
    slow: float | None = None,
) -> Row:
    """Time two functions in turn, warm, and judge what they return.

    Each runs `repeat` times, or fewer (three at least) where that takes more than PATIENCE. A peer that takes many
    seconds runs once. Its time is multiplied by `slow`, which is above 1 where it does a part of the job only.
    """
    if slow is not None:
        return _race_slow(job, peer, ours, theirs, error, their_error, target, repeat, slow)
    mine, other = ours(), theirs()
    times: tuple[list[float], list[float]] = ([], [])
    until = time.perf_counter() + PATIENCE
    for turn in range(repeat):
        if turn >= 3 and time.perf_counter() > until:
            break
        for function, spent in ((ours, times[0]), (theirs, times[1])):
            settle(function, spent)
            begin = time.perf_counter()
            function()
            spent.append(1e3 * (time.perf_counter() - begin))
    return Row(
        job,
        peer,
        statistics.median(times[0]),
        statistics.median(times[1]),
        error(mine) if error else None,
        (their_error or error)(other) if error else None,  # type: ignore[misc]
        target,
        peak_memory(ours),
    )


def _race_slow(
    job: str,
    peer: str,
    ours: Callable[[], Any],
    theirs: Callable[[], Any],
    error: Callable[[Any], float] | None,
    their_error: Callable[[Any], float] | None,
    target: float | None,
    repeat: int,
    times: float,
) -> Row:
    begin = time.perf_counter()
    other = theirs()
    peer_ms = 1e3 * times * (time.perf_counter() - begin)
    time.sleep(0.3)
    mine, ours_ms = timed(ours, repeat)
    return Row(
        job,
        peer,
        ours_ms,
        peer_ms,
        error(mine) if error else None,
        their_error(other) if their_error else None,
        target,
        peak_memory(ours),
    )


def timed(function: Callable[[], Any], repeat: int = 9) -> tuple[Any, float]:
    """The result of a function, and the median of its times in ms, warm."""
    result = function()
    spent = []
    for _ in range(repeat):
        begin = time.perf_counter()
        function()
        spent.append(1e3 * (time.perf_counter() - begin))
    return result, statistics.median(spent)


def within(job: str, seconds: float, ours: Callable[[], Any], error: Callable[[Any], float], repeat: int = 5) -> Row:
    """A job that no peer does in reasonable time, against the time that it may take."""
    mine, ours_ms = timed(ours, repeat)
    return Row(job, f"limit of {seconds:g} s", ours_ms, 1e3 * seconds, error(mine), None, 1.0, peak_memory(ours))


def settle(function: Callable[[], Any], spent: list[float], seconds: float = 0.25) -> None:
    """Run a function untimed for a while: the other's BLAS threads spin on for 100 ms, and its data fill the caches.

    One that has taken longer than this by itself is only waited for.
    """
    if spent and spent[-1] > 1e3 * seconds:
        time.sleep(seconds)
        return
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        function()


def peak_memory(function: Callable[[], Any]) -> float:
    """Peak memory of Python and NumPy during a call, in MB; compiled routines take some KB for each thread."""
    tracemalloc.start()
    function()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 1e6


def machine() -> dict[str, Any]:
    """Where the numbers come from: processor, versions, and the commit that was measured."""
    model = next(
        (line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")),
        platform.processor(),
    )
    return {
        "processor": model,
        "cores": len(os.sched_getaffinity(0)),
        "level": native.level(),
        "threads": parzen.thread_count(),
        "commit": _commit(),
        "python": platform.python_version(),
        **{name: version for name in LIBRARIES if (version := _version(name))},
    }


def write(results: dict[str, list[Row | Memory | Growth]], folder: Path) -> None:
    """Write JSON of all rows, those of each benchmark under its name."""
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {"machine": machine(), **{name: [] for name in KINDS}}
    for benchmark, rows in results.items():
        for row in rows:
            values = {"benchmark": benchmark} | asdict(row)
            kind = next(name for name, one in KINDS.items() if isinstance(row, one))
            found[kind].append(values | ({"ratio": row.ratio} if isinstance(row, Row) else {}))
    (folder / RESULTS).write_text(json.dumps(found, indent=2))


def read(folder: Path) -> dict[str, list[Row | Memory | Growth]]:
    """What `write` has written of this commit on this machine; nothing of another, or of files that differ from it."""
    path = folder / RESULTS
    found = json.loads(path.read_text()) if path.exists() else {}
    here = machine()
    if found.get("machine") != here or (here["commit"] or "-dirty").endswith("-dirty"):
        return {}
    results: dict[str, list[Row | Memory | Growth]] = {}
    for kind, one in KINDS.items():
        for values in found[kind]:
            known = {name: value for name, value in values.items() if name not in ("benchmark", "ratio")}
            results.setdefault(values["benchmark"], []).append(one(**known))
    return results


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _commit() -> str | None:
    command = ["git", "describe", "--always", "--dirty"]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parent)
    return found.stdout.strip() or None


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if Path(path).exists() else []
