"""The time to import parzen, against the time to import the libraries that it needs."""

import statistics
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.harness import Row

BASE = "import sklearn, sklearn.base, sklearn.utils.validation"


#: What is done once scikit-learn is there, and what scikit-learn does instead (None: nothing).
JOBS = {
    "import parzen": None,
    "import parzen; parzen.GaussianNB": "from sklearn.naive_bayes import GaussianNB",
    "import parzen; parzen.GaussianMixture": "from sklearn.mixture import GaussianMixture",
    "import parzen; parzen.NaiveBayes": "from sklearn.naive_bayes import GaussianNB, CategoricalNB",
}


def seconds(code: str, before: str = "") -> float:
    """CPU time of a statement in a new process, after another."""
    program = f"import time\n{before}\nbegin = time.process_time()\n{code}\nprint(time.process_time() - begin)"
    return float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)


def rows() -> Iterator[Row]:
    base, both = zip(*((seconds(BASE), seconds(f"{BASE}; import parzen")) for _ in range(9)), strict=True)
    yield Row(f"{BASE}; import parzen", BASE, 1e3 * statistics.median(both), 1e3 * statistics.median(base), None, None)
    for job, other in JOBS.items():
        ours = statistics.median(seconds(job, BASE) for _ in range(9))
        theirs = 0.08 if other is None else statistics.median(seconds(other, BASE) for _ in range(9))
        yield Row(f"{BASE}, then {job}", other or "limit of 80 ms", 1e3 * ours, 1e3 * theirs, None, None)
