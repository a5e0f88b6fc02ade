"""Fits of Parquet folders: time beside that of decoding alone, and peak resident memory under a hard limit.

Run ``python -m benchmarks.sources [ROWS]``: it writes a folder of ROWS x 20 float32 (default 2,000,000) and a target,
and fits it in processes of their own. With ``--generated`` the same jobs fit rows that a function makes, batch by
batch, and that exist nowhere at once: so many as 100,000,000 x 20 float32 (8 GB) need neither memory nor disk. A
process whose resident memory has ever been above LIMIT (VmHWM, which misses no peak) is killed.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS, CLASSES, PART, BATCH = 20, 5, 500_000, 100_000
#: Bytes of resident memory that a process may have.
LIMIT = 600_000_000
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


class Generated:
    """Rows that are made batch by batch, the same in each pass: a few random batches, each shifted by its number."""

    def __init__(self, rows: int) -> None:
        rng = np.random.default_rng(0)
        self.rows = rows
        self.y = rng.integers(0, CLASSES, BATCH).astype(np.float32)
        self.noise = rng.standard_normal((BATCH, COLUMNS), dtype=np.float32) + self.y[:, None]

    def __call__(self) -> Iterator[np.ndarray]:
        """Give batches of the columns and, last, the target."""
        for at, begin in enumerate(range(0, self.rows, BATCH)):
            n = min(BATCH, self.rows - begin)
            batch = np.empty((n, COLUMNS + 1), dtype=np.float32)
            np.add(self.noise[:n], np.float32(0.01 * np.sin(at)), out=batch[:, :COLUMNS])
            batch[:, COLUMNS] = self.y[:n]
            yield batch


Place = Path | Generated


def scanned(place: Place, target: bool = False) -> Any:
    """The source of a folder, or of rows that are made."""
    import parzen

    if isinstance(place, Generated):
        return parzen.scan(place, None if target else range(COLUMNS))
    return parzen.scan(place, None if target else NAMES)


def target_of(place: Place) -> Any:
    """What the target is called."""
    return COLUMNS if isinstance(place, Generated) else "y"


def decode(place: Place) -> None:
    """Read and decode all columns, or make them, and nothing else."""
    if isinstance(place, Generated):
        for _ in place():
            pass
        return
    from pyarrow import parquet

    for path in sorted(place.glob("*.parquet")):
        with parquet.ParquetFile(path) as file:
            for _ in file.iter_batches(batch_size=BATCH):
                pass


def naive_bayes(place: Place) -> None:
    """Fit Gaussian naive Bayes."""
    import parzen

    parzen.GaussianNB().fit(scanned(place, target=True), target=target_of(place))


def gaussian(place: Place) -> None:
    """Fit a Gaussian of full covariance."""
    import parzen

    parzen.DensityEstimator().fit(scanned(place))


def mixture(place: Place) -> None:
    """Three steps of EM of a mixture of ten diagonal Gaussians."""
    import parzen

    model = parzen.GaussianMixture(10, covariance_type="diag", max_iter=3, tol=0, random_state=0, accelerate=False)
    model.fit(scanned(place))


def k_means(place: Place) -> None:
    """Three steps of k-means with ten clusters."""
    import parzen

    parzen.KMeans(10, max_iter=3, tol=0, random_state=0).fit(scanned(place))


def logistic(place: Place) -> None:
    """Fit logistic regression of five classes."""
    import parzen

    parzen.LogisticRegression().fit(scanned(place, target=True), target=target_of(place))


def histogram(place: Place) -> None:
    """Fit a histogram of one column, its edges learnt."""
    import parzen

    parzen.HistogramDensity().fit(scanned(place).select([scanned(place).columns[0]]))


def kernel_line(place: Place) -> None:
    """Fit a kernel density of one column."""
    import parzen

    parzen.KernelDensity(bandwidth=0.05).fit(scanned(place).select([scanned(place).columns[0]]))


def kernel_plane(place: Place) -> None:
    """Fit a kernel density of two columns."""
    import parzen

    parzen.KernelDensity(bandwidth=0.2).fit(scanned(place).select(list(scanned(place).columns[:2])))


def bandwidth(place: Place) -> None:
    """Choose a bandwidth by the rule of Sheather and Jones, and fit with it."""
    import parzen

    parzen.KernelDensity(bandwidth="sj").fit(scanned(place).select([scanned(place).columns[0]]))


JOBS = {
    one.__name__: one
    for one in (
        decode, naive_bayes, gaussian, mixture, k_means, logistic, histogram, kernel_line, kernel_plane, bandwidth,
    )
}  # fmt: skip


def child(job: str, place: str, times: int) -> None:
    """Run a job so many times, after a small one that loads all libraries; print the better times and the peak."""
    warnings.simplefilter("ignore")
    JOBS[job](Generated(2000))
    given: Place = Generated(int(place)) if place.isdecimal() else Path(place)
    wall, processor = np.inf, np.inf
    for _ in range(times):
        begun, used = time.perf_counter(), time.process_time()
        JOBS[job](given)
        wall, processor = min(wall, time.perf_counter() - begun), min(processor, time.process_time() - used)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(json.dumps({"wall": wall, "processor": processor, "peak": peak}))


def measured(job: str, place: str, times: int) -> dict[str, float]:
    """The times and the peak of a process of its own, which is killed where it has more than LIMIT at any time."""
    command = [sys.executable, "-m", "benchmarks.sources", "--child", job, place, str(times)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        status = Path(f"/proc/{process.pid}/status")
        while process.poll() is None:
            peak = [line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM")]
            if peak and int(peak[0]) * 1024 > LIMIT:
                process.kill()
                sys.stdout.write(f"{job:12s} was killed: more than {LIMIT / 1e6:.0f} MB of resident memory\n")
                return {}
            time.sleep(0.05)
        out, err = process.communicate()
    if process.returncode:
        sys.stdout.write(f"{job:12s} failed: {err.strip().splitlines()[-1]}\n")
        return {}
    found: dict[str, float] = json.loads(out)
    return found


def compare(place: str, jobs: list[str], times: int) -> None:
    """Measure jobs, and reading alone."""
    alone = measured("decode", place, times)
    for job in jobs:
        one = alone if job == "decode" else measured(job, place, times)
        if one:
            share, work = alone["wall"] / one["wall"], alone["processor"] / one["processor"]
            sys.stdout.write(
                f"{job:12s} {one['wall']:7.2f} s  processor {one['processor']:7.2f} s  peak {one['peak']:5.0f} MB  "
                f"speed of reading alone: {share:.0%} (processor {work:.0%})\n"
            )
            sys.stdout.flush()


def main() -> None:
    """Measure every job in processes of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="?", type=int, default=2_000_000)
    parser.add_argument("--generated", action="store_true", help="make rows batch by batch instead of a folder")
    parser.add_argument("--jobs", default=",".join(JOBS), help="some of the jobs")
    parser.add_argument("--times", type=int, default=2, help="runs, of which the best counts")
    args = parser.parse_args()
    jobs = args.jobs.split(",")
    if args.generated:
        compare(str(args.rows), jobs, args.times)
        return
    with tempfile.TemporaryDirectory() as made:
        write(Path(made), args.rows)
        compare(made, jobs, args.times)


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[1] == "--child":
        child(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        main()
