"""The race against Spark MLlib: the same Parquet folder in one process, through Spark, and by MLlib itself.

Run ``python -m benchmarks.spark [ROWS] [--jobs nb,em,kmeans] [--ways mllib,spark,process]``: it writes a folder of
ROWS x 20 float64 and a target, and fits it in processes of their own, Spark's on two threads. The start of the JVM and
fifteen small fits are left out of the times, the reading of the folder is not. Processor time and peak
memory are those of a process and all that it has started: on a machine that others use, compare processor times.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS, CLASSES, PART, STEPS = 20, 10, 250_000, 3
#: Bytes of rows that a process may keep from pass to pass, as MLlib does in the JVM; and small fits before the one
#: that is measured.
KEPT, FIRST = 2**28, 15
NAMES = [f"x{j}" for j in range(COLUMNS)]
JOBS, WAYS = ("nb", "em", "kmeans"), ("mllib", "spark", "process")


def write(folder: Path, rows: int, part: int = PART) -> None:
    """Write a folder of Parquet files, none of more rows than a part."""
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    centre = rng.normal(0.0, 3.0, (CLASSES, COLUMNS))
    for at, begin in enumerate(range(0, rows, part)):
        y = rng.integers(0, CLASSES, min(part, rows - begin)).astype(np.int32)
        X = centre[y] + rng.standard_normal((len(y), COLUMNS))
        table = pa.table({**dict(zip(NAMES, X.T, strict=True)), "y": y})
        # No codec: Spark's own ones need libraries that not every system has, and such cells don't shrink.
        parquet.write_table(table, folder / f"{at:05d}.parquet", compression="none", use_dictionary=["y"])


def session() -> Any:
    """Spark on two threads of this machine."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "4g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.python.unix.domain.socket.enabled": "true",
    }
    found = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    found.sparkContext.setLogLevel("OFF")
    return found


def mllib(job: str, table: Any, n: int) -> float:
    """Fit by MLlib; give the log-likelihood of a row, or the inertia of one."""
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.clustering import GaussianMixture, KMeans
    from pyspark.ml.feature import VectorAssembler

    rows = VectorAssembler(inputCols=NAMES, outputCol="features").transform(table)
    if job == "nb":
        NaiveBayes(modelType="gaussian", labelCol="y").fit(rows)
        return float("nan")
    if job == "em":
        found = GaussianMixture(k=CLASSES, maxIter=STEPS, tol=0.0, seed=0).fit(rows)
        return float(found.summary.logLikelihood) / n
    found = KMeans(k=CLASSES, maxIter=STEPS, tol=0.0, seed=0).fit(rows)
    return float(found.summary.trainingCost) / n


def ours(job: str, table: Any, n: int) -> float:
    """Fit a table of Spark, or a source, by parzen; give what `mllib` gives."""
    import parzen

    if job == "nb":
        parzen.GaussianNB().fit(table, target="y")
        return float("nan")
    if job == "em":
        options: dict[str, Any] = {"max_iter": STEPS, "tol": 0, "random_state": 0, "accelerate": False}
        return float(parzen.GaussianMixture(CLASSES, **options).fit(table).lower_bound_)
    found = parzen.KMeans(CLASSES, n_init=1, max_iter=STEPS, tol=0.0, random_state=0).fit(table)
    return float(found.inertia_) / n


def usage() -> tuple[float, float]:
    """Processor time of this process and of all below it, in seconds, and the sum of their peaks in MB."""
    parents, used, peak = {}, {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                status = (entry / "status").read_text()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
            used[int(entry.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
            peak[int(entry.name)] = float((status.partition("VmHWM:")[2].split() or ["0"])[0]) / 1024
    own = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in own} - own:
        own |= more
    return sum(used[pid] for pid in own), sum(peak[pid] for pid in own)


def empty_job(spark: Any) -> float:
    """Seconds of a job of two Python tasks that do nothing: the least that a pass through Spark can take."""
    times = []
    for _ in range(9):
        begun = time.perf_counter()
        spark.sparkContext.parallelize([0, 1], 2).mapPartitions(list).collect()
        times.append(time.perf_counter() - begun)
    return float(np.median(times))


def child(way: str, job: str, folder: Path, small: Path, n: int) -> None:
    """Fit a small folder, then the other; print time, processor time, peak and what the fit gave."""
    import parzen

    warnings.simplefilter("ignore")
    spark = None if way == "process" else session()
    fit = mllib if way == "mllib" else ours

    def table(place: Path) -> Any:
        columns = [*NAMES, "y"] if job == "nb" else NAMES
        if spark is None:
            return parzen.scan(place, columns, memory=KEPT)
        found = spark.read.parquet(str(place)).select(*columns)
        return found if way == "mllib" else parzen.scan(found, memory=KEPT)

    for _ in range(FIRST):
        fit(job, table(small), 1)
    begun, before = time.perf_counter(), usage()[0]
    value = fit(job, table(folder), n)
    wall, (processor, peak) = time.perf_counter() - begun, usage()
    found = {"wall": wall, "processor": processor - before, "peak": peak, "value": value}
    print(json.dumps(found if spark is None else found | {"empty_job": empty_job(spark)}))


def _reason(said: str) -> str:
    """The last line that names an error."""
    named = [line for line in said.splitlines() if re.match(r"(Caused by: )?[\w.]*(Error|Exception)\b", line)]
    return (named or said.splitlines() or ["no reason was given"])[-1]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--jobs", default=",".join(JOBS))
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--child", nargs=4)
    options = parser.parse_args()
    if options.child:
        way, job, folder, small = options.child
        child(way, job, Path(folder), Path(small), options.rows)
        return
    with tempfile.TemporaryDirectory() as place:
        folder, small = Path(place) / "rows", Path(place) / "small"
        for one, rows, part in ((folder, options.rows, PART), (small, 2000, 500)):
            one.mkdir()
            write(one, rows, part)
        for job in options.jobs.split(","):
            for way in options.ways.split(","):
                command = [sys.executable, "-m", "benchmarks.spark", str(options.rows)]
                call = [*command, "--child", way, job, str(folder), str(small)]
                found = subprocess.run(call, capture_output=True, text=True, check=False)
                lines = found.stdout.strip().splitlines()
                said = lines[-1] if lines and found.returncode == 0 else _reason(found.stderr)
                print(f"{job:8s} {way:8s} {said}", flush=True)


if __name__ == "__main__":
    main()
