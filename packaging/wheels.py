"""Wheels for every platform that can be compiled for here: python packaging/wheels.py [TAG ...].

Linux on glibc is compiled by g++ (the system's, and Debian's g++-aarch64-linux-gnu), all others by Zig's Clang, which
brings the headers and libraries of musl, macOS and Windows. No Python headers are used: a wheel serves every Python 3.
What a tag promises is checked: the size, and on glibc that no symbol is newer than the tag says, also by auditwheel.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 3_000_000


@dataclass(frozen=True)
class Platform:
    """Where a wheel runs: its tag, CMake's names of the system and the processor, and the compiler."""

    tag: str
    system: str
    processor: str
    compiler: str  # an executable, or Zig's name of the target


PLATFORMS = (
    Platform("manylinux_2_35_x86_64", "Linux", "x86_64", "g++"),
    Platform("manylinux_2_35_aarch64", "Linux", "aarch64", "aarch64-linux-gnu-g++"),
    Platform("musllinux_1_2_x86_64", "Linux", "x86_64", "x86_64-linux-musl"),
    Platform("musllinux_1_2_aarch64", "Linux", "aarch64", "aarch64-linux-musl"),
    Platform("macosx_11_0_arm64", "Darwin", "arm64", "aarch64-macos.11.0"),
    Platform("macosx_11_0_x86_64", "Darwin", "x86_64", "x86_64-macos.11.0"),
    Platform("win_amd64", "Windows", "AMD64", "x86_64-windows-gnu"),
    Platform("win_arm64", "Windows", "ARM64", "aarch64-windows-gnu"),
)


def compiler(platform: Platform, folder: Path) -> Path:
    """The compiler as one executable, which is what CMake wants."""
    if platform.compiler.endswith("g++"):
        found = shutil.which(platform.compiler)
        if found is None:
            raise SystemExit(
                f"{platform.tag} needs {platform.compiler}, which was not found; install it (Debian: g++ and "
                "g++-aarch64-linux-gnu), or name the other tags."
            )
        return Path(found)
    script = folder / "c++"
    zig = ROOT / "packaging" / "zigcxx.py"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{zig}" {platform.compiler} "$@"\n')
    script.chmod(0o755)
    return script


def build(platform: Platform, out: Path) -> Path:
    """Build one wheel in a folder of its own, tag it and move it to `out`."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        defines = {
            "CMAKE_CXX_COMPILER": compiler(platform, folder),
            "CMAKE_SYSTEM_NAME": platform.system,
            "CMAKE_SYSTEM_PROCESSOR": platform.processor,
        }
        if platform.system == "Darwin":
            # Zig brings the system's headers, and the target names the oldest system.
            defines |= {"CMAKE_OSX_SYSROOT": "/", "CMAKE_OSX_DEPLOYMENT_TARGET": ""}
            defines |= {"CMAKE_INSTALL_NAME_TOOL": "/bin/true"}
        settings = [f"-Ccmake.define.{name}={value}" for name, value in defines.items()]
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", str(ROOT)]
        command += [*settings, f"-Cbuild-dir={folder / 'build'}", "-Cinstall.strip=true", "-w", str(folder)]
        subprocess.run(command, check=True)
        (made,) = folder.glob("*.whl")
        tagging = [sys.executable, "-m", "wheel", "tags", "--remove", f"--platform-tag={platform.tag}", str(made)]
        name = subprocess.run(tagging, check=True, capture_output=True, text=True).stdout.split()[-1]
        return tightened(folder / name, out / name)


def tightened(made: Path, wheel: Path) -> Path:
    """The same archive, its members compressed as far as zlib can."""
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        for member in old.infolist():
            new.writestr(member, old.read(member), zipfile.ZIP_DEFLATED, 9)
    return wheel


def newest_symbol(library: Path) -> tuple[int, ...]:
    """The version of glibc that a library asks for."""
    text = subprocess.run(["readelf", "-V", str(library)], check=True, capture_output=True, text=True).stdout
    versions = re.findall(r"GLIBC_(\d+(?:\.\d+)+)", text)
    return max((tuple(map(int, version.split("."))) for version in versions), default=(0,))


def check(wheel: Path, platform: Platform) -> str:
    """What is wrong with a wheel, or an empty text."""
    if wheel.stat().st_size >= LIMIT:
        return f"{wheel.stat().st_size:,} bytes, but a wheel has to stay below {LIMIT:,}"
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        libraries = [name for name in archive.namelist() if Path(name).name.startswith("libparzen_")]
        endings = {"Linux": ".so", "Darwin": ".dylib", "Windows": ".dll"}
        if not libraries or not all(name.endswith(endings[platform.system]) for name in libraries):
            return f"it should hold libraries ending in {endings[platform.system]}, but holds {libraries}"
        promised = re.match(r"manylinux_(\d+)_(\d+)_", platform.tag)
        for name in libraries if promised else ():
            newest = newest_symbol(Path(archive.extract(name, folder)))
            if newest > tuple(map(int, promised.groups())):
                return f"{name} asks for glibc {'.'.join(map(str, newest))}, newer than its tag"
    return audited(wheel, platform.tag) if promised else ""


def audited(wheel: Path, tag: str) -> str:
    """What auditwheel has against the tag: also libraries that the system need not have."""
    command = [sys.executable, "-m", "auditwheel", "show", str(wheel)]
    said = " ".join(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
    return "" if f'platform tag: "{tag}"' in said else said


def main() -> None:
    """Build the wheels that are asked for (all of them, without arguments) and say what came of each."""
    parser = argparse.ArgumentParser(description="Build wheels for other platforms.")
    parser.add_argument("tags", nargs="*", metavar="TAG", help=", ".join(platform.tag for platform in PLATFORMS))
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    arguments = parser.parse_args()
    arguments.out.mkdir(exist_ok=True)
    wrong = 0
    for platform in PLATFORMS:
        if arguments.tags and platform.tag not in arguments.tags:
            continue
        wheel = build(platform, arguments.out)
        fault = check(wheel, platform)
        wrong += bool(fault)
        print(f"{wheel.name}  {wheel.stat().st_size:,} bytes  {fault or 'ok'}", flush=True)
    raise SystemExit(wrong)


if __name__ == "__main__":
    main()
