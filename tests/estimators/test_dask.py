"""Dask: arrays, DataFrames, and the workers of a distributed client, of which one dies."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from parzen import (
    DensityEstimator,
    GaussianMixture,
    GaussianNB,
    KMeans,
    LogisticRegression,
    NaiveBayes,
    SourceError,
    scan,
)

dask = pytest.importorskip("dask", reason="Dask is not installed: pip install 'parzen[dask]'")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

NUMBERS = ["a", "b", "c"]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 2000)
    out = pd.DataFrame(rng.normal(size=(2000, 3)) + 4.0 * group[:, None], columns=NUMBERS)
    out["text"] = rng.choice(["x", "y", "z"], 2000)
    return out.assign(y=np.where(rng.random(2000) < 0.3, "yes", "no"), w=rng.integers(0, 3, 2000).astype(float))


@pytest.mark.parametrize("partitions", [1, 3, 7])
def test_a_frame(frame, partitions):
    table = dd.from_pandas(frame, npartitions=partitions)
    found = NaiveBayes().fit(table, target="y", weight="w")
    columns = [*NUMBERS, "text"]
    here = NaiveBayes().fit(frame[columns], frame["y"], frame["w"])
    results = found.predict_proba(table).compute()
    assert_allclose(results["p(yes)"], here.predict_proba(frame[columns])[:, 1], rtol=1e-10)
    assert_array_equal(found.predict(table).compute()["predicted"], here.predict(frame[columns]))


@pytest.mark.parametrize("chunks", [(2000, 3), (700, 2), (1, -1)], ids=str)
def test_an_array(frame, chunks):
    X = frame[NUMBERS].to_numpy()[: 50 if chunks[0] == 1 else None]
    table = da.from_array(X, chunks=chunks)
    found, here = (GaussianMixture(2, random_state=0).fit(rows) for rows in (table, X))
    assert_allclose(found.means_, here.means_, rtol=1e-10)
    assert_allclose(found.score_samples(table).compute(), here.score_samples(X), rtol=1e-10)
    assert_allclose(found.predict_proba(table).compute(), here.predict_proba(X), rtol=1e-8, atol=1e-12)
    assert_array_equal(found.predict(table).compute(), here.predict(X))


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # in Dask itself
def test_files_of_which_few_columns_are_read_are_the_same_partitions(frame, tmp_path):
    """Dask puts small files together where little of them is read: more of them, the fewer columns."""
    wide = frame.assign(**{f"x{j}": np.arange(2000.0) for j in range(20)})
    for number in range(5):
        wide[number * 400 : (number + 1) * 400].to_parquet(tmp_path / f"{number}.parquet", index=False)
    table = dd.read_parquet(tmp_path)
    table = table[table["x0"] >= 0.0]
    assert len(table[["y"]].to_delayed()) < len(table.to_delayed())
    columns = [*NUMBERS, "text", *(f"x{j}" for j in range(20))]
    found = NaiveBayes().fit(table[[*columns, "y"]], target="y")
    here = NaiveBayes().fit(wide[columns], wide["y"])
    assert_allclose(found.predict_proba(wide[columns]), here.predict_proba(wide[columns]), atol=1e-10)
    mixture = GaussianMixture(2, random_state=0)
    means = mixture.fit(table[[*NUMBERS, "w"]], weight="w").means_.copy()
    assert_allclose(means, mixture.fit(frame[NUMBERS], sample_weight=frame["w"]).means_, rtol=1e-10)


def test_a_bag_is_refused():
    with pytest.raises(SourceError, match="a DataFrame or an array of two dimensions is read, got a Bag"):
        GaussianMixture(2).fit(pytest.importorskip("dask.bag").from_sequence([1, 2]))


def test_partitions_without_rows_and_with_other_columns(frame):
    X = frame[NUMBERS]
    empty = dd.from_pandas(X, npartitions=4).query("a > 8")
    assert_allclose(
        DensityEstimator().fit(empty).density_.covariance, DensityEstimator().fit(X[X["a"] > 8]).density_.covariance
    )
    parts = [dask.delayed(lambda part: part)(part) for part in (X[:900], X[900:].drop(columns="b"))]
    table = dd.from_delayed(parts, meta=X[:0], verify_meta=False)
    with pytest.raises((SourceError, KeyError), match="b"):
        DensityEstimator().fit(table)
    with pytest.raises(SourceError, match="two dimensions"):
        DensityEstimator().fit(da.zeros(5))


@pytest.fixture(scope="module")
def two_processes():
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster):
        yield


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("model", "roles", "name", "passes"),
    [
        (GaussianNB(), {"target": "y"}, "var_", 0),
        (KMeans(3, random_state=0), {}, "cluster_centers_", 4),
        (LogisticRegression(), {"target": "y", "weight": "w"}, "coef_", 4),
    ],
    ids=lambda one: type(one).__name__,
)
def test_two_processes_of_which_one_dies(two_processes, frame, tmp_path, model, roles, name, passes):
    flag, calls = tmp_path / "died", tmp_path / "calls"
    rows = frame[[*NUMBERS, *roles.values()]]

    def dies_once(part):
        import os

        if len(part) > 1:
            with calls.open("a") as file:
                file.write(".")
            if calls.stat().st_size > 4 * passes and not flag.exists():
                flag.touch()
                os._exit(1)
        return part

    here = type(model)(**model.get_params(deep=False)).fit(scan([rows]), **roles)
    table = dd.from_pandas(rows, npartitions=4)
    model.fit(table.map_partitions(dies_once, meta=rows[:0]), **roles)
    assert flag.exists()
    assert_allclose(getattr(model, name), getattr(here, name), rtol=1e-8)
