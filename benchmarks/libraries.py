"""python -m benchmarks.libraries A B [names]: two builds of the compiled routines on the jobs of the benchmarks.

A and B are folders of libraries (``libparzen_v3.so`` ...): of two commits, compilers or sets of flags, from a build's
folder or an unpacked wheel. In one process our side of each job runs with one and the other in turn, and each routine's
own time is compared: that of its threads, so that other work on the machine counts little. Peers are left out.
"""

import argparse
import collections
import ctypes
import importlib
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import harness
from parzen.compute import native
from parzen.compute.signatures import INTEGER, SIGNATURES

#: Jobs of the benchmarks that are compiled routines, mostly.
NAMES = ("moments", "log_density", "mixtures", "missing", "windows", "classifiers", "logistic", "clusters", "sequences")


class Race:
    """The routines' times with each of two folders of libraries."""

    def __init__(self, folders: tuple[Path, Path], level: str, job: str, seconds: float) -> None:
        self.folders, self.level, self.job, self.seconds = folders, level, re.compile(job), seconds
        self.libraries = {(folder, one): opened(folder, one) for folder in folders for one in native.levels()}
        self.spent: collections.Counter[str] = collections.Counter()
        self.lock = threading.Lock()
        self._call = native.call
        native.call = self.call

    def call(self, name: str, *arguments: Any) -> int:
        """A routine, whose thread's time is added to what it has spent."""
        begin = time.thread_time()
        status = self._call(name, *arguments)
        with self.lock:
            self.spent[name] += time.thread_time() - begin
        return status

    @contextmanager
    def using(self, folder: Path) -> Iterator[None]:
        native._library = lambda level: self.libraries[folder, level]
        with native.using(self.level):
            yield

    def run(self, job: str, peer: str, ours: Callable[[], Any], *rest: Any, **options: Any) -> harness.Row:
        """In place of `harness.race`: the least time of each routine in several turns, and a line where it matters."""
        least: dict[Path, dict[str, float]] = {folder: {} for folder in self.folders}
        until = time.perf_counter() + self.seconds
        for turn in range(25 if self.job.search(job) else 0):
            if turn >= 3 and time.perf_counter() > until:
                break
            for folder, known in least.items():
                with self.using(folder):
                    if turn == 0:
                        ours()
                    self.spent.clear()
                    ours()
                for name, seconds in self.spent.items():
                    known[name] = min(seconds, known.get(name, seconds))
        first, second = least.values()
        most = sorted(second, key=lambda name: -second[name])[:3]
        lines = [
            f"{name} {1e3 * first[name]:.3g} -> {1e3 * second[name]:.3g} ms, {second[name] / first[name]:.2f}"
            for name in most
            if name in first and second[name] > 2e-5
        ]
        if lines:
            print(f"{job} | {'; '.join(lines)}", flush=True)
        return harness.Row(job, peer, 1.0, 1.0, None, None)


def opened(folder: Path, level: str) -> ctypes.CDLL:
    """The library of a level, its routines declared."""
    library = ctypes.CDLL(str(folder.resolve() / f"libparzen_{level}.so"))
    for name, (arguments, suffixes) in SIGNATURES.items():
        for suffix in suffixes:
            function = getattr(library, f"parzen_{name}_{suffix}", None)
            if function is not None:
                function.argtypes, function.restype = arguments, INTEGER
    return library


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs=2, metavar=("A", "B"))
    parser.add_argument("names", nargs="*", default=NAMES, help=f"benchmarks; by default {', '.join(NAMES)}")
    parser.add_argument(
        "--level", default=native.levels()[-1], help="the instruction-set level, the highest by default"
    )
    parser.add_argument("--job", default="", help="jobs whose names have this (a regular expression)")
    parser.add_argument("--seconds", type=float, default=3.0, help="for each job, after three turns")
    asked = parser.parse_args()
    race = Race(tuple(asked.folders), asked.level, asked.job, asked.seconds)
    harness.race, harness.within, harness.peak_memory = race.run, race.run, lambda function: 0.0
    for name in asked.names:
        for _ in importlib.import_module(f"benchmarks.{name}").rows():
            pass


if __name__ == "__main__":
    main()
