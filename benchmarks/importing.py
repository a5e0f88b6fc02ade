"""The time to import parzen, and its common estimators, against the time to import the libraries that it needs.

All modules are compiled to bytecode before, as an installation does: each measurement is a new process that finds it.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from benchmarks.harness import Row

BASE = "import sklearn, sklearn.base, sklearn.utils.validation"


#: What is done once scikit-learn is there, and what scikit-learn does instead (None: nothing).
JOBS = {
    "import parzen": None,
    "import parzen; parzen.GaussianNB": "from sklearn.naive_bayes import GaussianNB",
    "import parzen; parzen.GaussianMixture": "from sklearn.mixture import GaussianMixture",
    "import parzen; parzen.NaiveBayes": "from sklearn.naive_bayes import GaussianNB, CategoricalNB",
    "import parzen; parzen.KernelDensity": "from sklearn.neighbors import KernelDensity",
}
#: New processes of which the median is taken.
REPEATS = 9


class Processes:
    """New processes that keep the bytecode of modules in one folder."""

    def __init__(self, folder: str) -> None:
        self.environment = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        self.environment["PYTHONPYCACHEPREFIX"] = folder

    def seconds(self, code: str, before: str = "") -> float:
        """CPU time of a statement, after another: the median of many processes, once modules are compiled."""
        program = f"import time\n{before}\nbegin = time.process_time()\n{code}\nprint(time.process_time() - begin)"
        return statistics.median([self._once(program) for _ in range(1 + REPEATS)][1:])

    def _once(self, program: str) -> float:
        command = [sys.executable, "-c", program]
        return float(subprocess.run(command, capture_output=True, text=True, check=True, env=self.environment).stdout)


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        seconds = Processes(folder).seconds
        base = seconds(BASE)
        yield Row(f"{BASE}; import parzen", BASE, 1e3 * seconds(f"{BASE}; import parzen"), 1e3 * base, None, None)
        for job, other in JOBS.items():
            ours, theirs = seconds(job, BASE), 0.08 if other is None else seconds(other, BASE)
            yield Row(f"{BASE}, then {job}", other or "limit of 80 ms", 1e3 * ours, 1e3 * theirs, None, None)
