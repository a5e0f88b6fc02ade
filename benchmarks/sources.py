"""Fits of Parquet folders: time beside that of decoding alone, and peak resident memory.

Run ``python -m benchmarks.sources [ROWS]``: it writes a folder of ROWS x 20 float32 (default 2,000,000) and a target,
and fits it in processes of their own.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

COLUMNS, CLASSES, PART = 20, 5, 500_000
NAMES = [f"x{j}" for j in range(COLUMNS)]


def write(folder: Path, rows: int) -> None:
    """Write a folder of Parquet files, none larger than a part."""
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    for at, begin in enumerate(range(0, rows, PART)):
        n = min(PART, rows - begin)
        y = rng.integers(0, CLASSES, n).astype(np.int32)
        columns = {name: (rng.standard_normal(n, dtype=np.float32) + y).astype(np.float32) for name in NAMES}
        parquet.write_table(pa.table({**columns, "y": y}), folder / f"{at:05d}.parquet", row_group_size=PART // 2)


def decode(folder: Path) -> None:
    """Read and decode all columns, and nothing else."""
    from pyarrow import parquet

    for path in sorted(folder.glob("*.parquet")):
        with parquet.ParquetFile(path) as file:
            for _ in file.iter_batches(batch_size=100_000):
                pass


def naive_bayes(folder: Path) -> None:
    """Fit Gaussian naive Bayes."""
    import parzen

    parzen.GaussianNB().fit(parzen.scan(folder), target="y")


def gaussian(folder: Path) -> None:
    """Fit a Gaussian of full covariance."""
    import parzen

    parzen.DensityEstimator().fit(parzen.scan(folder, NAMES))


def mixture(folder: Path) -> None:
    """Three steps of EM of a mixture of ten diagonal Gaussians."""
    import parzen

    model = parzen.GaussianMixture(10, covariance_type="diag", max_iter=3, tol=0, random_state=0, accelerate=False)
    model.fit(parzen.scan(folder, NAMES))


JOBS = {"decode": decode, "naive_bayes": naive_bayes, "gaussian": gaussian, "mixture": mixture}


def child(job: str, folder: Path) -> None:
    """Run a job twice; print the better times and the peak memory."""
    warnings.simplefilter("ignore")
    wall, processor = np.inf, np.inf
    for _ in range(2):
        begun, used = time.perf_counter(), time.process_time()
        JOBS[job](folder)
        wall, processor = min(wall, time.perf_counter() - begun), min(processor, time.process_time() - used)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(json.dumps({"wall": wall, "processor": processor, "peak": peak}))


def main() -> None:
    """Measure every job in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="?", type=int, default=2_000_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write(folder, rows)
        found = {}
        for job in JOBS:
            command = [sys.executable, "-m", "benchmarks.sources", "--child", job, made]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            found[job] = json.loads(done.stdout)
    alone = found["decode"]
    for job, one in found.items():
        share, work = alone["wall"] / one["wall"], alone["processor"] / one["processor"]
        sys.stdout.write(
            f"{job:12s} {one['wall']:7.2f} s  processor {one['processor']:7.2f} s  peak {one['peak']:5.0f} MB  "
            f"speed of decoding alone: {share:.0%} (processor {work:.0%})\n"
        )


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "--child":
        child(sys.argv[2], Path(sys.argv[3]))
    else:
        main()
