"""Spark with executors in processes of their own, where it starts them: a worker dies in the middle of a fit."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'parzen[spark]'")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java, and there is none on this machine", allow_module_level=True)

SCRIPT = """
import os, sys
import numpy as np
import pandas as pd
import parzen
from pyspark.sql import SparkSession

builder = SparkSession.builder.master("local-cluster[2,1,512]")
options = {"ui.enabled": "false", "ui.showConsoleProgress": "false", "driver.bindAddress": "127.0.0.1"}
options |= {"driver.host": "127.0.0.1", "executor.memory": "512m", "driver.memory": "512m"}
for name, value in options.items():
    builder = builder.config(f"spark.{name}", value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")
print("started", flush=True)
rng = np.random.default_rng(0)
rows = pd.DataFrame(rng.normal(size=(600, 2)) + 4 * rng.integers(0, 3, 600)[:, None], columns=["a", "b"])
table = spark.createDataFrame(rows).repartition(3).cache()
flag, calls = sys.argv[1:]

def dies_once(batches):
    for batch in batches:
        with open(calls, "a") as file:
            file.write(".")
        if os.path.getsize(calls) > 6 and not os.path.exists(flag):
            open(flag, "w").close()
            os._exit(1)
        yield batch

found = parzen.KMeans(3, random_state=0).fit(table.mapInArrow(dies_once, table.schema))
here = parzen.KMeans(3, random_state=0).fit(table.toPandas())
assert os.path.exists(flag)
assert np.allclose(found.cluster_centers_, here.cluster_centers_, rtol=1e-10)
print("equal", flush=True)
spark.stop()
"""


@pytest.mark.slow
def test_a_worker_of_a_cluster_dies_in_the_middle(tmp_path):
    own = {"PYSPARK_PYTHON": sys.executable, "SPARK_HOME": str(Path(pyspark.__file__).parent)}
    call = [sys.executable, "-c", SCRIPT, str(tmp_path / "died"), str(tmp_path / "calls")]
    found = subprocess.run(call, capture_output=True, text=True, check=False, env=os.environ | own, cwd=tmp_path)
    if "started" not in found.stdout:
        pytest.skip("Spark starts no executors of its own here")
    assert "equal" in found.stdout, found.stderr[-2000:]
