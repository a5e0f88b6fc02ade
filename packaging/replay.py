"""Calls of the compiled routines, repeated where there is no Python: python packaging/replay.py FOLDER --wheels ...

Runs tests (tests/compute, or what follows FOLDER, which goes to pytest) and writes FOLDER/calls.bin, the arguments and
results of a few calls of each routine, and FOLDER/replay.c, which makes the same calls of a library. For each wheel of
a platform that can be run here (TARGETS) Zig compiles that, and it is run with each of the wheel's libraries.

Results may differ by rounding: by 1e-9 of the largest number that an array was given, by 1e-4 where the rows are in
single precision; sums of what rounding lost, by 1e-15 of the largest number of the call. Whole numbers have to be
equal. A call that is handed what no array of NumPy holds (columns in Arrow's memory) is not recorded; of a column of
objects only the addresses are read, which are whole numbers here.
"""

import argparse
import ctypes
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest

from parzen.compute import native
from parzen.compute.signatures import INTEGER, NUMBER, POINTER, SIGNATURES

ROOT = Path(__file__).resolve().parent.parent
FEW, LARGEST, KEPT = 8, 120_000, 200_000_000  # calls of a routine, bytes of a call, bytes of arrays to remember
ARGUMENTS = {f"{name}_{suffix}": types for name, (types, suffixes) in SIGNATURES.items() for suffix in suffixes}
#: In C: the types of arguments, and the member of the union that holds each.
KINDS = {POINTER: ("void *", "p"), INTEGER: ("long long", "i"), NUMBER: ("double", "d")}

#: Descents, and which argument ends them: where that is zero they sweep until nothing moves any more, and how many
#: sweeps that takes and what slope is left are rounding.
DESCENTS = {"descend_f64": 3, "descend_columns_f64": 13}

MUSL = ROOT / "build" / "musl-arm64"  # Debian's package musl:arm64, unpacked with dpkg -x
#: Tags of wheels: Zig's name of the target, and what runs its programs (none: this machine).
TARGETS: dict[str, tuple[str, tuple[str, ...]]] = {
    "manylinux_2_35_x86_64": ("x86_64-linux-gnu.2.35", ()),
    "manylinux_2_35_aarch64": ("aarch64-linux-gnu.2.35", ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu")),
    "musllinux_1_2_x86_64": ("x86_64-linux-musl", ()),
    "musllinux_1_2_aarch64": ("aarch64-linux-musl", ("qemu-aarch64", "-L", str(MUSL))),
    "win_amd64": ("x86_64-windows-gnu", ("wine",)),
}


class Recorder:
    """Stands in for `native.call` and `native.address`, and writes down what goes in and comes out."""

    def __init__(self, out: BinaryIO) -> None:
        self.out, self.names, self.seen = out, list(ARGUMENTS), dict.fromkeys(ARGUMENTS, 0)
        self.faults = dict.fromkeys(ARGUMENTS, 0)
        self.arrays: dict[int, tuple[np.ndarray, int]] = {}
        self.kept = 0
        self._call, self._address = native.call, native.address
        native.call, native.address = self.call, self.address

    def address(self, array: np.ndarray) -> int:
        """The address, remembered with the array that begins there and its bytes."""
        at = self._address(array)
        low, high = np.lib.array_utils.byte_bounds(array) if array.size else (at, at)
        if low == at and high - low >= self.arrays.get(at, (array, 0))[1]:
            if self.kept > KEPT:
                self.arrays.clear()
                self.kept = 0
            self.arrays[at] = array, high - low
            self.kept += high - low
        return at

    def call(self, name: str, *arguments: Any) -> int:
        """Make the call, and write it down if it is one of the first that can be repeated."""
        types = ARGUMENTS.get(name, ())
        given = {value for kind, value in zip(types, arguments, strict=False) if kind is POINTER and value}
        endless = name in DESCENTS and not arguments[DESCENTS[name]]
        found = self._found(given) if types and self.seen[name] < FEW and not endless else None
        if found is None:
            return self._call(name, *arguments)
        before = {value: ctypes.string_at(value, size) for value, (_, size) in found.items()}
        status = self._call(name, *arguments)
        self.faults[name] += status != 0
        if status and self.faults[name] > 2:
            return status
        self.seen[name] += 1
        self.out.write(struct.pack("<iiq", self.names.index(name), len(arguments), status))
        for kind, value in zip(types, arguments, strict=True):
            if kind is not POINTER:
                self.out.write(KINDS[kind][1].encode() + bytes(kind(value)))
            elif not value:
                self.out.write(b"0")
            else:
                cell, after = found[value][0].encode(), ctypes.string_at(value, found[value][1])
                changed = after != before[value]
                self.out.write(struct.pack("<ccq?", b"p", cell, len(after), changed))
                self.out.write(before[value] + after if changed else after)
        return status

    def _found(self, given: set[int]) -> dict[int, tuple[str, int]] | None:
        """The type of cell and the bytes at each address; None where one is not known, or all are too large.

        An address within an array that is given, too, cuts that in parts, each up to the next.
        """
        found: dict[int, tuple[str, int]] = {}
        for value in sorted(given):
            if value in self.arrays:
                array, size = self.arrays[value]
                found[value] = array.dtype.char, size
                continue
            last = max(found, default=value)
            cell, size = found.get(last, ("", 0))
            if value >= last + size:
                return None
            found[last], found[value] = (cell, value - last), (cell, last + size - value)
        return found if sum(size for _, size in found.values()) <= LARGEST else None


def program() -> str:
    """The C program: a function for each order of argument types, and the table of routines."""
    orders = sorted({tuple(KINDS[kind] for kind in types) for types in ARGUMENTS.values()})
    lines = []
    for number, order in enumerate(orders):
        declared = ", ".join(written for written, _ in order)
        passed = ", ".join(f"a[{i}].{member}" for i, (_, member) in enumerate(order))
        lines.append(f"static long long call_{number}(void *f, Argument *a) {{")
        lines.append(f"    return ((long long (*)({declared}))f)({passed});\n}}")
    lines.append("static const struct Routine routines[] = {")
    for name, types in ARGUMENTS.items():
        number = orders.index(tuple(KINDS[kind] for kind in types))
        lines.append(f'    {{"parzen_{name}", {1e-4 if "f32" in name else 1e-9}, call_{number}}},')
    template = Path(__file__).with_suffix(".c").read_text()
    return template.replace("/* routines */", "\n".join([*lines, "};"]))


def record(folder: Path, tests: list[str]) -> None:
    """Run the tests, and write the calls and the program."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "replay.c").write_text(program())
    with (folder / "calls.bin").open("wb") as out:
        recorder = Recorder(out)
        pytest.main(["-q", "-n0", "-p", "no:cacheprovider", *(tests or [str(ROOT / "tests" / "compute")])])
    made = sum(count > 0 for count in recorder.seen.values())
    print(f"{sum(recorder.seen.values())} calls of {made} of {len(ARGUMENTS)} routines")
    print("not recorded:", *(name for name, count in recorder.seen.items() if not count))


def repeat(folder: Path, wheel: Path) -> int:
    """Make the calls with each library of a wheel: the number of libraries whose results differ."""
    tag = wheel.stem.rpartition("-none-")[2]
    target, runner = TARGETS[tag]
    program = folder / f"replay-{tag}.exe"
    command = [sys.executable, "-m", "ziglang", "cc", "-target", target, "-O1", "-dynamic", str(folder / "replay.c")]
    subprocess.run([*command, "-o", str(program), "-lm"], check=True)
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if Path(name).name.startswith("libparzen_")]
        libraries = [Path(archive.extract(name, folder / tag)) for name in names]
    wrong = 0
    for library in libraries:
        print(tag, library.stem, flush=True)
        wrong += subprocess.run([*runner, str(program), str(library), str(folder / "calls.bin")]).returncode != 0
    return wrong


def main() -> None:
    """Record, and repeat what was recorded."""
    parser = argparse.ArgumentParser(description="Record calls of the compiled routines, and repeat them from C.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wheels", type=Path, nargs="*", default=[], help="whose libraries make the calls")
    parser.add_argument("--recorded", action="store_true", help="take the calls that are in FOLDER already")
    arguments, tests = parser.parse_known_args()
    if not arguments.recorded:
        record(arguments.folder, tests)
    raise SystemExit(sum(repeat(arguments.folder, wheel) for wheel in arguments.wheels))


if __name__ == "__main__":
    main()
