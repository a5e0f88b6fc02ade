"""Spark: fits and results over DataFrames in partitions, by a session of two threads of this machine."""

import os
import shutil
import sys
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from parzen import (
    DensityEstimator,
    Gaussian,
    GaussianMixture,
    GaussianNB,
    HiddenMarkov,
    KMeans,
    LogisticRegression,
    MarkovChain,
    SourceError,
    scan,
)
from parzen.tables.sources.engines.spark import SparkTable

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'parzen[spark]'")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java, and there is none on this machine", allow_module_level=True)

#: Warnings of PySpark itself.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::FutureWarning"),
]

NUMBERS = ["a", "b.c", "d"]
#: Files that need no codec, which Spark brings along for some systems only.
PLAIN = {"compression": None}


@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.codegen.wholeStage": "false",
    }
    builder = SparkSession.builder.master("local[2, 3]")  # a task is tried three times
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 3000)
    out = pd.DataFrame(rng.normal(size=(3000, 3)) + 4.0 * group[:, None], columns=NUMBERS)
    return out.assign(y=np.where(rng.random(3000) < 0.3, "yes", "no"), w=rng.integers(0, 3, 3000).astype(float))


@pytest.fixture(scope="module")
def table(spark, frame, tmp_path_factory):
    """Partitions of 10, 500 and 2,490 rows, and one without any."""
    folder = tmp_path_factory.mktemp("rows")
    edges = [0, 10, 510, 510, 3000]
    for number, (begin, end) in enumerate(pairwise(edges)):
        frame[begin:end].to_parquet(folder / f"{number}.parquet", index=False, **PLAIN)
    return spark.read.parquet(str(folder)).repartition(5, "w")


def test_a_classifier(table, frame):
    found = GaussianNB().fit(table, target="y", weight="w")
    here = GaussianNB().fit(frame[NUMBERS], frame["y"], frame["w"])
    assert_allclose(found.theta_, here.theta_, rtol=1e-10)
    assert_allclose(found.var_, here.var_, rtol=1e-10)
    results = found.predict(table).toPandas()
    assert list(results.columns) == [*NUMBERS, "y", "w", "predicted"]
    assert_array_equal(results["predicted"], here.predict(results[NUMBERS]))
    results = found.predict_proba(table).toPandas()
    assert_allclose(results["p(yes)"], here.predict_proba(results[NUMBERS])[:, 1], rtol=1e-10)


def test_a_mixture_by_em(table):
    numbers = table.drop("y", "w").cache()
    options = {"n_components": 3, "covariance_type": "diag", "max_iter": 3, "tol": 1e-3, "random_state": 0}
    found = GaussianMixture(**options).fit(numbers)
    here = GaussianMixture(**options).fit(numbers.toPandas())
    assert_allclose(found.means_, here.means_, rtol=1e-10)
    assert_allclose(found.lower_bounds_, here.lower_bounds_, rtol=1e-10)


def test_a_worker_that_dies_is_tried_again(table, frame, tmp_path):
    flag = tmp_path / "died"

    def dies_once(batches):
        for batch in batches:
            if not flag.exists():
                flag.touch()
                os._exit(1)
            yield batch

    numbers = table.drop("y", "w")
    numbers = numbers.toDF("a", "b", "d")
    found = DensityEstimator().fit(numbers.mapInArrow(dies_once, numbers.schema))
    assert flag.exists()
    assert_allclose(found.density_.covariance, DensityEstimator().fit(frame[NUMBERS]).density_.covariance, rtol=1e-10)


def test_the_same_estimators_over_files_and_rows(files, table):
    for rows in (files, table.cache()):
        here = rows.toPandas()
        numbers = rows.select(*[f"`{name}`" for name in NUMBERS])
        found = KMeans(3, random_state=0).fit(numbers)
        assert_allclose(found.cluster_centers_, KMeans(3, random_state=0).fit(here[NUMBERS]).cluster_centers_)
        found = LogisticRegression().fit(rows, target="y", weight="w")
        assert_allclose(found.coef_, LogisticRegression().fit(scan([here]), target="y", weight="w").coef_, rtol=1e-8)


def test_workers_keep_rows_of_files_until_these_change(spark, frame, tmp_path):
    X = frame[NUMBERS]
    X.to_parquet(tmp_path / "0.parquet", index=False, **PLAIN)
    options = {"n_components": 3, "random_state": 0, "max_iter": 4, "tol": 1.0}
    rows = spark.read.parquet(str(tmp_path))
    first, again = (GaussianMixture(**options).fit(rows).means_ for _ in range(2))
    assert_array_equal(first, again)
    assert_array_equal(first, GaussianMixture(**options).fit(scan(rows, memory=0)).means_)
    (X + 1.0).to_parquet(tmp_path / "0.parquet", index=False, **PLAIN)
    assert_allclose(GaussianMixture(**options).fit(spark.read.parquet(str(tmp_path))).means_, first + 1.0, rtol=1e-6)


def test_sequences_are_whole_in_partitions_by_their_names(spark, frame):
    rows = frame[["a"]].assign(trip=[f"t{i // 30}" for i in range(3000)], time=np.arange(3000), k=frame["w"])
    given = spark.createDataFrame(rows).repartition(5)
    whole = given.repartition(3, "trip").sortWithinPartitions("trip", "time")
    lengths = np.full(100, 30)
    found = MarkovChain().fit(whole.select("k", "trip"), sequence="trip")
    assert_array_equal(found.counts_, MarkovChain().fit(rows["k"].to_numpy(), lengths=lengths).counts_)
    model = HiddenMarkov(Gaussian(), 2, random_state=0, max_iter=3, tol=1.0)
    found = model.fit(whole.select("a", "trip"), sequence="trip").transition_
    ordered = whole.toPandas()
    assert_allclose(found, model.fit(ordered[["a"]], lengths=lengths).transition_, rtol=1e-8)
    cut = spark.createDataFrame(rows.assign(trip="one")).repartition(2)
    with pytest.raises(SourceError, match="sortWithinPartitions"):
        MarkovChain().fit(cut.select("k", "trip"), sequence="trip")


def test_a_python_without_parzen_is_named(spark, table, tmp_path):
    context = spark.sparkContext
    own = context.pythonExec
    context.pythonExec = str(tmp_path / "python")
    try:
        with pytest.raises(ImportError, match="PYSPARK_PYTHON must name one that has parzen"):
            DensityEstimator().fit(table.drop("y", "w"))
    finally:
        context.pythonExec = own


def test_faults_of_partitions_are_named(table):
    numbers = table.drop("y", "w")
    with pytest.raises(ValueError, match="the source has no rows"):
        DensityEstimator().fit(numbers.where("a > 1e9"))
    with pytest.raises(ValueError, match="infinity"):
        DensityEstimator().fit(numbers.selectExpr("cast('inf' as double) as a"))
    with pytest.raises(SourceError, match="is no column of the source"):
        GaussianNB().fit(numbers.drop("d"), target="d")


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    """Files of several row groups, one of them in a name that a URL can't hold as it is."""
    place = tmp_path_factory.mktemp("files of rows")
    for name, begin, end in (("a b%20c", 0, 900), ("d", 900, 2990), ("e", 2990, 3000)):
        frame[begin:end].to_parquet(place / f"{name}.parquet", index=False, row_group_size=150, **PLAIN)
    return place


def as_files(frame):
    """The partitions of a DataFrame that workers read from files; None where Spark reads them."""
    return SparkTable(frame)._parts


@pytest.fixture(params=[30_000, 10_000_000], ids=lambda size: f"{size} bytes a partition")
def files(request, spark, folder):
    """The folder as a DataFrame whose partitions are parts of files, or several of them."""
    for name in ("maxPartitionBytes", "openCostInBytes"):
        spark.conf.set(f"spark.sql.files.{name}", str(request.param if name == "maxPartitionBytes" else 1000))
    yield spark.read.parquet(str(folder))
    for name in ("maxPartitionBytes", "openCostInBytes"):
        spark.conf.unset(f"spark.sql.files.{name}")


def test_workers_read_files_as_spark_reads_them(files, monkeypatch):
    assert as_files(files) is not None
    found = GaussianNB().fit(files, target="y", weight="w")
    answers = []

    def watched(self, work, columns):
        answers.append((self._of_files(work, columns), self._of_rows(work, columns)))
        return answers[-1][0]

    monkeypatch.setattr(SparkTable, "map", watched)
    again = GaussianNB().fit(files, target="y", weight="w")
    assert_array_equal(again.theta_, found.theta_)
    assert len(answers) == 2  # labels, sums
    for of_files, of_rows in answers:  # the same partitions, and the same rows in each
        assert of_files == of_rows


def test_a_mixture_of_files(files, frame):
    options = {"n_components": 3, "covariance_type": "diag", "max_iter": 2, "tol": 1.0, "random_state": 0}
    numbers = files.select(*[f"`{name}`" for name in NUMBERS])
    assert as_files(numbers) is not None
    rows = numbers.toPandas()
    assert_allclose(GaussianMixture(**options).fit(numbers).means_, GaussianMixture(**options).fit(rows).means_)
    assert np.array_equal(np.sort(rows["a"]), np.sort(frame["a"]))


def test_times_beside_the_columns_that_are_read(spark, frame):
    from pyspark.sql import functions

    table = spark.createDataFrame(frame[["a", "y"]]).withColumn("at", functions.current_timestamp())
    found = GaussianNB().fit(scan(table, columns=["a", "y"]), target="y")
    assert_allclose(found.theta_, GaussianNB().fit(frame[["a"]], frame["y"]).theta_, rtol=1e-10)
    scored = found.predict(table)
    assert scored.columns == ["a", "y", "at", "predicted"]
    assert scored.where("at > now() - interval 1 hour and at <= now()").count() == 3000
    with pytest.raises(TypeError, match="column 'at' holds cells of datetime64"):
        GaussianNB().fit(table, target="y")


def test_vectors_of_spark_are_refused_in_its_own_words(spark, frame):
    from pyspark.ml.feature import VectorAssembler

    table = VectorAssembler(inputCols=["a", "d"], outputCol="v").transform(
        spark.createDataFrame(frame[["a", "d", "y"]])
    )
    with pytest.raises(SourceError, match=r"column 'v' holds vectors of Spark ML.*vector_to_array"):
        GaussianNB().fit(table, target="y")
    assert GaussianNB().fit(table.drop("v"), target="y").predict(table).columns[-1] == "predicted"


def test_frames_that_are_more_than_files_are_read_by_spark(spark, folder, tmp_path):
    frame = spark.read.parquet(str(folder))
    others = {
        "rows": frame.where("a > 0"),
        "some": frame.limit(5),
        "new": frame.selectExpr("a + 1 as a"),
        "renamed": frame.withColumnRenamed("a", "z"),
        "twice": frame.union(frame),
        "sorted": frame.sort("a"),
    }
    for name, one in others.items():
        assert as_files(one) is None, name
    frame.repartition("w").write.partitionBy("w").option("compression", "none").parquet(str(tmp_path / "parts"))
    parts = spark.read.parquet(str(tmp_path / "parts"))
    assert as_files(parts) is None  # w is in the folders' names
    found = DensityEstimator().fit(parts.where("a > 0").select("a"))
    assert_allclose(found.density_.mean[0], parts.where("a > 0").select("a").toPandas().mean(), rtol=1e-10)


def test_files_that_are_not_as_the_frame_says_are_read_by_spark(spark, frame, tmp_path):
    whole = frame[["a"]].assign(a=np.arange(3000, dtype=np.int32))
    whole[:500].to_parquet(tmp_path / "0.parquet", **PLAIN)
    whole[500:].astype("int64").to_parquet(tmp_path / "1.parquet", **PLAIN)
    table = SparkTable(spark.read.schema("a bigint").parquet(str(tmp_path)))
    assert table._parts is not None
    assert_allclose(DensityEstimator().fit(table).density_.mean, [[whole["a"].mean()]], rtol=1e-12)
    assert not table.as_files
