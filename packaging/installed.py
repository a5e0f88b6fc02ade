"""A wheel in a fresh environment, and the ways in which it could fail quietly: python packaging/installed.py WHEEL.

Installs the wheel where there is no compiler, then tries it from a folder that can't be written to, from an archive, in
two copies at once, on an emulated processor without AVX, in processes started in each way after threads were used, and
inside a program made by PyInstaller. What can't be tried here says what is missing.

``--tests`` then runs pytest there with what follows, on a tree without sources: --tests tests/compute -n 1.
"""

import argparse
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: A fit that uses compiled routines and, from 100,000 rows on, threads.
FIT = """
import numpy as np, parzen
X = np.random.default_rng(0).normal(size=(120_000, 3))
m = parzen.GaussianMixture(2, random_state=0, max_iter=3, tol=1.0).fit(X)
print(f"{m.score(X):.6f}", parzen.__version__)
"""
#: Whole jobs that need no threads, and what they say: the same numbers, up to rounding, on any processor.
JOBS = """
import numpy as np, parzen
from parzen.compute import native

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 3))
y = X[:, 0] + rng.normal(size=400) > 0
jobs = {
    "mixture": parzen.GaussianMixture(2, random_state=0), "density": parzen.DensityEstimator(),
    "kernels": parzen.KernelDensity(), "clusters": parzen.KMeans(3, random_state=0),
}
scores = {name: float(model.fit(X).score(X)) for name, model in jobs.items()}
jobs = {"Gaussian": parzen.GaussianNB(), "naive": parzen.NaiveBayes(), "logistic": parzen.LogisticRegression()}
for name, model in jobs.items():
    probabilities = model.fit(X, y).predict_proba(X)
    scores[name] = float(np.log(probabilities[np.arange(400), y.astype(int)]).sum())
print(native.level(), native.levels())
print(*(f"{name}={score:.15g}" for name, score in scores.items()))
"""
STARTED = """
import multiprocessing, sys
import numpy as np, parzen

def score(seed):
    X = np.random.default_rng(seed).normal(size=(120_000, 3))
    with parzen.threads(2):
        return float(parzen.DensityEstimator().fit(X).score(X))

if __name__ == "__main__":
    here = [score(0), score(1)]
    for method in multiprocessing.get_all_start_methods():
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map_async(score, [0, 1]).get(timeout=240) == here, method
    print("same", *multiprocessing.get_all_start_methods())
"""
TWO = """
import sys
scores, versions = [], set()
for folder in sys.argv[1:]:
    sys.path.insert(0, folder)
    import parzen
    from parzen.compute import native
    assert parzen.__file__.startswith(folder), parzen.__file__
    scores.append(parzen.DensityEstimator().fit([[0.0], [1.0], [5.0]]).score([[2.0]]))
    assert str(native.path()).startswith(folder)
    versions.add(parzen.__version__)
    for name in [name for name in sys.modules if name.split(".")[0] == "parzen"]:
        del sys.modules[name]
    sys.path.remove(folder)
assert scores[0] == scores[1] and len(versions) == 2, versions
print("two versions in one process agree:", *sorted(versions))
"""


class NotTried(Exception):
    """What is missing on this machine."""


class Installed:
    """A fresh environment with the wheel, and a folder for what is tried with it."""

    def __init__(self, wheel: Path, folder: Path) -> None:
        self.wheel, self.folder = wheel.resolve(), folder
        self.python = folder / "venv" / "bin" / "python"
        # Only this is on the path: no compiler, no CMake.
        self.environment = {**os.environ, "PATH": str(self.python.parent), "PYTHONDONTWRITEBYTECODE": "1"}
        # Nor does anything tell a library which processor this is: OpenBLAS would believe it (OPENBLAS_CORETYPE).
        for name in list(self.environment):
            if name in ("CXX", "CC", "PYTHONPATH") or name.startswith(("OPENBLAS_", "NPY_", "PARZEN_SIMD")):
                del self.environment[name]
        self.run(sys.executable, "-m", "venv", str(folder / "venv"))
        self.run(self.python, "-m", "pip", "install", "--quiet", str(self.wheel))

    def run(self, *command: str | Path, fails: bool = False, **environment: str) -> str:
        """What a command says; an error where it fails, or where it was to fail and does not."""
        ran = subprocess.run(
            [str(part) for part in command],
            cwd=self.folder, env={**self.environment, **environment}, capture_output=True, text=True,
        )  # fmt: skip
        said = ran.stdout + ran.stderr
        if (ran.returncode != 0) != fails:
            raise AssertionError(said[-3000:])
        return said.strip()

    def package(self) -> Path:
        """The folder that the package lies in."""
        return Path(self.run(self.python, "-c", "import parzen; print(parzen.__path__[0])"))

    def without_a_compiler(self) -> str:
        """The wheel works where there is none."""
        assert shutil.which("g++", path=self.environment["PATH"]) is None
        return self.run(self.python, "-c", FIT)

    def read_only(self) -> str:
        """Nothing is written beside the package."""
        before = self.package()
        copy = self.folder / "read_only" / "parzen"
        shutil.copytree(before, copy, ignore=shutil.ignore_patterns("__pycache__"))
        paths = [copy, *copy.rglob("*")]
        for path in paths:
            path.chmod(0o555 if path.is_dir() else 0o444)
        said = self.run(self.python, "-c", FIT, PYTHONPATH=str(copy.parent), PYTHONDONTWRITEBYTECODE="")
        if os.geteuid() == 0:  # whom permissions don't stop: what was written is looked for
            written = {path for path in copy.rglob("*") if path not in paths and path.name != "__pycache__"}
            assert all(path.suffix == ".pyc" for path in written), written
            said += " (by root, who may write anywhere: bytecode, and nothing else, was written)"
        return said

    def from_an_archive(self) -> str:
        """The error says that the library must lie in a folder."""
        archive = shutil.make_archive(str(self.folder / "archive"), "zip", self.package().parent, "parzen")
        said = self.run(self.python, "-c", FIT, fails=True, PYTHONPATH=archive).splitlines()[-1]
        assert "imported from an archive" in said, said
        return said

    def two_copies(self) -> str:
        """Two versions are loaded into one process: the wheel's, and a copy that takes itself for an older one."""
        for name in ("one", "two"):
            shutil.copytree(self.package(), self.folder / name / "parzen")
        (self.folder / "two" / "parzen" / "compute" / "version.py").write_text('__version__ = "0.0.9"\n')
        return self.run(self.python, "-c", TWO, self.folder / "one", self.folder / "two")

    def without_avx(self) -> str:
        """A processor with SSE4.2 alone takes v2; one without it gets an error."""
        emulator = shutil.which("qemu-x86_64")
        if emulator is None:
            raise NotTried("qemu-x86_64 is missing (Debian: qemu-user)")
        script = self.folder / "jobs.py"
        script.write_text(JOBS)
        level, said = self.run(emulator, "-cpu", "Nehalem", self.python, script).splitlines()[-2:]
        here = self.run(self.python, script, PARZEN_SIMD="v2").splitlines()[-1]
        library = self.package() / "compute" / "libparzen_v2.so"
        # NumPy's newest versions need SSE4.2 themselves: the library is asked without it.
        code = f"import ctypes; print(ctypes.CDLL({str(library)!r}).parzen_processor_level())"
        older = self.run(emulator, "-cpu", "core2duo", self.python, "-c", code)
        assert level == "v2 ('v2',)", level
        assert older.splitlines()[-1] == "1", older
        for there, same in zip(said.split(), here.split(), strict=True):
            numbers = [float(part.partition("=")[2]) for part in (there, same)]
            assert math.isclose(*numbers, rel_tol=1e-9), (said, here)
        return f"Nehalem: {level}, {len(said.split())} jobs as at v2 here; Core 2: below v2, which is an error"

    def started_processes(self) -> str:
        """Fork, forkserver and spawn, after threads were used."""
        script = self.folder / "started.py"
        script.write_text(STARTED)
        return self.run(self.python, script)

    def frozen(self) -> str:
        """A program made by PyInstaller finds the libraries, the data and the modules."""
        self.run(self.python, "-m", "pip", "install", "--quiet", "pyinstaller")
        if shutil.which("objdump") is None:
            raise NotTried("PyInstaller needs objdump (Debian: binutils)")
        script = self.folder / "program.py"
        script.write_text(FIT + "print(parzen.datasets.load_house_votes().data.shape)\n")
        path = f"{self.environment['PATH']}:{Path(str(shutil.which('objdump'))).parent}"
        self.run(self.python, "-m", "PyInstaller", "--noconfirm", "--log-level=ERROR", script, PATH=path)
        return self.run(self.folder / "dist" / "program" / "program")

    def built_without_a_compiler(self) -> str:
        """Installing from the source names what to install."""
        said = self.run(self.python, "-m", "pip", "wheel", "--no-deps", "--no-cache-dir", ROOT, fails=True)
        assert "no C++ compiler was found" in " ".join(said.split()), said[-2000:]
        return "the error names the compilers to install"

    def tests(self, arguments: list[str]) -> str:
        """The tests, on a tree without sources."""
        self.run(self.python, "-m", "pip", "install", "--quiet", f"{self.wheel}[test]")
        tree = self.folder / "tree"
        for name in ("tests", "docs", "examples", "benchmarks", "native"):
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__", "build"))
        for path in (*ROOT.glob("*.md"), ROOT / "pyproject.toml", ROOT / "CITATION.cff", ROOT / "Makefile"):
            shutil.copy(path, tree)
        command = [self.python, "-m", "pytest", "-p", "no:cacheprovider", f"--rootdir={tree}", *arguments]
        return self.run("/usr/bin/env", "-C", tree, *command).splitlines()[-1]


def main() -> None:
    """Try everything and say what came of it."""
    parser = argparse.ArgumentParser(description="Install a wheel and try it.")
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="some of what is tried, by the names of the methods")
    parser.add_argument("--tests", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        installed = Installed(arguments.wheel, Path(folder))
        ways: list[Callable[[], str]] = [
            installed.without_a_compiler, installed.read_only, installed.from_an_archive, installed.two_copies,
            installed.without_avx, installed.started_processes, installed.frozen, installed.built_without_a_compiler,
        ]  # fmt: skip
        if arguments.tests is not None:
            ways.append(lambda: installed.tests(arguments.tests))
        for way in ways:
            name = way.__name__.replace("_", " ").replace("<lambda>", "tests")
            if arguments.only and way.__name__ not in (*arguments.only, "<lambda>"):
                continue
            try:
                print(f"{name}: {way()}", flush=True)
            except NotTried as missing:
                print(f"{name}: NOT TRIED, {missing}", flush=True)
            except AssertionError as error:
                failed += 1
                print(f"{name}: FAILED\n{error}", flush=True)
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
