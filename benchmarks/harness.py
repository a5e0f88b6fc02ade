"""What every benchmark shares: two ways of doing one job, timed in turn in one process, judged by one oracle."""

import json
import os
import platform
import statistics
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import parzen
from parzen.compute import native


@dataclass(frozen=True)
class Row:
    """One line of the table: medians in milliseconds, errors against the oracle (None where there is none)."""

    job: str
    peer: str
    ours_ms: float
    peer_ms: float
    ours_error: float | None
    peer_error: float | None
    target: float | None = None

    @property
    def ratio(self) -> float:
        return self.peer_ms / self.ours_ms


@dataclass(frozen=True)
class Memory:
    """Most memory that a job has taken beyond its input, in MB."""

    job: str
    megabytes: float


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

    A peer that takes many seconds runs once, and its time is multiplied by `slow`: where it did a part of the job only.
    """
    if slow is not None:
        return _race_slow(job, peer, ours, theirs, error, their_error, target, repeat, slow)
    mine, other = ours(), theirs()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeat):
        for function, spent in ((ours, times[0]), (theirs, times[1])):
            settle(function)
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
    )


def timed(function: Callable[[], Any], repeat: int = 9) -> tuple[Any, float]:
    """What a function gives, and the median of its times in ms, warm."""
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
    return Row(job, f"limit of {seconds:g} s", ours_ms, 1e3 * seconds, error(mine), None, 1.0)


def settle(function: Callable[[], Any], seconds: float = 0.25) -> None:
    """Run a function untimed for a while: the other's BLAS threads spin on for 100 ms, and its data fill the caches."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        function()


def peak_memory(function: Callable[[], Any]) -> float:
    """Most memory of Python and NumPy that a call has taken, in MB; the kernels' own scratch is some KB a thread."""
    tracemalloc.start()
    function()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 1e6


def machine() -> dict[str, Any]:
    """Where the numbers come from."""
    model = next(
        (line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")),
        platform.processor(),
    )
    return {
        "processor": model,
        "cores": len(os.sched_getaffinity(0)),
        "level": native.level(),
        "threads": parzen.thread_count(),
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in ("numpy", "scipy", "scikit-learn")},
    }


def write(results: list[Row | Memory], folder: Path) -> Path:
    """JSON of all rows, and the Markdown table made from it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "results.json"
    rows = [asdict(row) | {"ratio": row.ratio} for row in results if isinstance(row, Row)]
    memory = [asdict(row) for row in results if isinstance(row, Memory)]
    path.write_text(json.dumps({"machine": machine(), "rows": rows, "memory": memory}, indent=2))
    (folder / "results.md").write_text(table(json.loads(path.read_text())))
    return path


def table(results: dict[str, Any]) -> str:
    """Markdown of the JSON results."""
    about = ", ".join(f"{name} {value}" for name, value in results["machine"].items())
    lines = [
        f"Machine: {about}. Times are medians in ms, errors against an oracle.",
        "",
        "| job | peer | ours | peer's | ratio | target | our error | peer's error |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in results["rows"]:
        target = "" if row["target"] is None else f"{row['target']:g}x"
        errors = " | ".join("" if row[name] is None else f"{row[name]:.0e}" for name in ("ours_error", "peer_error"))
        times = f"{row['ours_ms']:.3g} | {row['peer_ms']:.3g} | {row['ratio']:.1f}x"
        lines.append(f"| {row['job']} | {row['peer']} | {times} | {target} | {errors} |")
    if results["memory"]:
        lines += ["", "Peak memory beyond the input, in MB (Python's and NumPy's; kernels take some KB a thread):", ""]
        lines += [f"- {row['job']}: {row['megabytes']:.1f}" for row in results["memory"]]
    return "\n".join(lines) + "\n"


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if Path(path).exists() else []
