"""Tests by another platform's Python, under an emulator: python packaging/elsewhere.py PLATFORM [pytest's arguments].

aarch64: Debian's Python for AArch64 (fetched by apt-get into a folder of its own, not installed), under qemu-user.
windows: the embeddable Python 3.11 for Windows, whose folder --python names, under Wine.

NumPy and what else the tests need come as wheels of that platform, parzen as the wheel that packaging/wheels.py made.
Without arguments of pytest, the compiled routines are compared with their twins (tests/compute); --processes shares the
tests out to several, which start slowly (half a minute).
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "elsewhere"
#: What tests/compute imports. Versions are those for Python 3.11, the oldest that is supported.
NEEDED = ("numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl", "cloudpickle", "narwhals", "pandas", "pytest")
NEEDED += ("hypothesis", "sortedcontainers", "attrs", "mpmath", "iniconfig", "packaging", "pluggy", "pygments")
NEEDED += ("python-dateutil", "pytz", "six", "tzdata", "colorama", "polars", "polars-runtime-32", "pyarrow")
NEEDED += ("pytest-xdist", "execnet")
#: pip's names of the platform, from the newest to the oldest, and the tag of parzen's wheel.
PLATFORMS = {
    "aarch64": (tuple(f"manylinux_2_{minor}_aarch64" for minor in (28, 27, 24, 17)), "manylinux_*_aarch64"),
    "windows": (("win_amd64",), "win_amd64"),
}
#: Wine 8 lacks functions of complex numbers that later versions call.
OLDER = {"windows": {"numpy": "1.26.4", "scipy": "1.12.0", "scikit-learn": "1.6.1", "pandas": "2.2.3"}}
DEBIAN = (
    "python3.11", "python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib", "libc6", "libexpat1",
    "zlib1g", "libssl3", "libbz2-1.0", "libffi8", "liblzma5", "libsqlite3-0", "libuuid1", "libgcc-s1", "libstdc++6",
    "libcrypt1", "libncursesw6", "libtinfo6", "libreadline8", "libdb5.3", "media-types",
)  # fmt: skip


def found(program: str, package: str) -> str:
    """The path of a program, or the end with the package to install."""
    path = shutil.which(program)
    if path is None:
        raise SystemExit(f"{program} was not found; install it (Debian: apt-get install {package}).")
    return path


def debian_root(architecture: str) -> Path:
    """A folder with Debian's Python for another processor, fetched with apt's lists of its own."""
    root = WORK / architecture / "root"
    if (root / "usr/bin/python3.11").exists():
        return root
    apt = WORK / architecture / "apt"
    for folder in ("lists/partial", "cache/archives/partial", "debs"):
        (apt / folder).mkdir(parents=True, exist_ok=True)
    options = [f"APT::Architecture={architecture}", f"APT::Architectures::={architecture}", "APT::Sandbox::User=root"]
    options += [f"Dir::State::lists={apt / 'lists'}", f"Dir::Cache={apt / 'cache'}", "Dir::State::status=/dev/null"]
    command = [found("apt-get", "apt"), "-qq", *(f"-o{option}" for option in options)]
    subprocess.run([*command, "update"], check=True)
    subprocess.run([*command, "download", *DEBIAN], check=True, cwd=apt / "debs")
    for package in sorted((apt / "debs").glob("*.deb")):
        subprocess.run(["dpkg", "-x", str(package), str(root)], check=True)
    return root


def site(platform: str, wheels: Path) -> Path:
    """A folder of packages for another platform, with the newest of our wheels for it."""
    names, tag = PLATFORMS[platform]
    made = sorted(wheels.glob(f"parzen-*-py3-none-{tag}.whl"), key=lambda wheel: wheel.stat().st_mtime)
    if not made:
        raise SystemExit(f"{wheels} holds no wheel of {tag}; make it with 'python packaging/wheels.py'.")
    downloads, folder = WORK / platform / "wheels", WORK / platform / "site"
    if not downloads.exists():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        pins = OLDER.get(platform, {})
        needed = [f"{name}=={pins[name]}" if name in pins else name for name in NEEDED]
        command += ["--python-version=3.11", *(f"--platform={name}" for name in names), "-d", str(downloads), *needed]
        subprocess.run(command, check=True)
    if not folder.exists():
        for wheel in downloads.glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
    shutil.rmtree(folder / "parzen", ignore_errors=True)
    with zipfile.ZipFile(made[-1]) as archive:
        archive.extractall(folder)
    return folder


def main() -> None:
    """Prepare the platform, and run pytest there."""
    parser = argparse.ArgumentParser(description="Run tests on another platform's Python, under an emulator.")
    parser.add_argument("platform", choices=sorted(PLATFORMS))
    parser.add_argument("--wheels", type=Path, default=ROOT / "dist", help="where packaging/wheels.py left them")
    parser.add_argument("--python", type=Path, help="the folder of Windows' embeddable Python 3.11")
    parser.add_argument("--processes", type=int, default=1, help="how many share the tests")
    arguments, tests = parser.parse_known_args()
    if arguments.processes > 1 and arguments.platform == "windows":
        parser.error("--processes is for aarch64: a Python under Wine can't start the script that would start another")
    folder = site(arguments.platform, arguments.wheels.resolve())
    if arguments.platform == "aarch64":
        root = debian_root("arm64")
        python = [found("qemu-aarch64", "qemu-user"), "-L", str(root), str(root / "usr/bin/python3.11")]
        environment = {"PYTHONPATH": str(folder)}
    else:
        if arguments.python is None or not (arguments.python / "python.exe").exists():
            raise SystemExit("--python must name the folder of the embeddable Python 3.11 for Windows (python.exe).")
        # Without this file, an embeddable Python reads its environment like any other.
        for paths in arguments.python.glob("python*._pth"):
            paths.rename(paths.with_suffix(".paths"))
        python = [found("wine", "wine64"), str(arguments.python.resolve() / "python.exe")]
        environment = {"PYTHONPATH": f"Z:{folder}".replace("/", "\\"), "WINEDEBUG": "-all"}
    # What this machine's environment says of its processor is not said of the other one.
    said = ("OPENBLAS_", "NPY_", "PARZEN_SIMD")
    own = {name: value for name, value in os.environ.items() if not name.startswith(said)}
    # The tests lie in a folder without sources: parzen is the wheel's.
    tree = WORK / arguments.platform / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(ROOT / "tests", tree / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    command = [*python, "-m", "pytest", "-p", "no:cacheprovider", "-W", "error"]
    if arguments.processes > 1:
        # Each process is started by a path of Python alone, without an emulator before it: by this script.
        launcher = WORK / arguments.platform / "python"
        launcher.write_text(f'#!/bin/sh\nexec {shlex.join(python)} "$@"\n')
        launcher.chmod(0o755)
        command += ["--tx", f"{arguments.processes}*popen//python={launcher}", "--dist", "worksteal"]
    command += tests or ["tests/compute", "--ignore=tests/compute/test_device.py"]
    raise SystemExit(subprocess.run(command, cwd=tree, env={**own, **environment}).returncode)


if __name__ == "__main__":
    main()
