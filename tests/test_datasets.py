"""The data sets that come with the library: complete, described, and the same as arrays and as tables."""

import sys
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from parzen import datasets
from parzen.datasets.catalogue import LOADERS
from parzen.datasets.table import FOLDER

#: name: (rows, features, rows of each class, missing cells), as the sources state them.
TABLES = {
    "adult": (32561, 14, {"<=50K": 24720, ">50K": 7841}, 1836 + 1843 + 583),
    "heart_disease": (462, 9, {"absent": 302, "present": 160}, 0),
    "house_votes": (435, 16, {"democrat": 267, "republican": 168}, 392),
    "mushroom": (8124, 22, {"edible": 4208, "poisonous": 3916}, 2480),
    "spambase": (4601, 57, {"not spam": 2788, "spam": 1813}, 0),
}
#: Reads a table once for all tests that only look at it.
loaded = cache(lambda name, **options: LOADERS[name](**options))
NIST = {"Lew": 200, "Lottery": 218, "Mavro": 50, "Michelso": 100, "NumAcc1": 3, "NumAcc2": 1001}


@pytest.mark.parametrize("name", TABLES)
def test_rows_classes_and_missing_cells_are_those_of_the_source(name):
    n, d, classes, missing = TABLES[name]
    found = loaded(name)
    assert isinstance(found, Bunch)
    assert found.data.shape == (n, d)
    assert len(found.feature_names) == d
    counts = np.bincount(found.target)
    assert dict(zip(found.target_names, counts, strict=True)) == classes
    assert pd.isna(found.data).sum() == missing
    assert found.frame is None


@pytest.mark.parametrize("name", TABLES)
def test_arrays_and_tables_agree(name):
    X, y = LOADERS[name](return_X_y=True)
    table = loaded(name, as_frame=True)
    pd.testing.assert_frame_equal(pd.DataFrame(X, columns=table.feature_names).astype(table.data.dtypes), table.data)
    np.testing.assert_array_equal(y, table.target)
    pd.testing.assert_frame_equal(table.frame, table.data.assign(**{table.target.name: y}))
    assert list(table.data.columns) == table.feature_names
    pair = LOADERS[name](return_X_y=True, as_frame=True)
    pd.testing.assert_frame_equal(pair[0], table.data)
    pd.testing.assert_series_equal(pair[1], table.target)


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_what_pandas_reads(name):
    found = loaded(name, as_frame=True)
    read = pd.read_csv(found.filename, na_values="?").drop(columns=found.target.name)
    pd.testing.assert_frame_equal(found.data, read)


@pytest.mark.parametrize("name", ["adult", "house_votes", "mushroom"])
def test_categories_are_text(name):
    data = loaded(name).data
    assert data.dtype == object
    assert {type(cell) for cell in data.ravel()} <= {str, int, float}


@pytest.mark.parametrize("name", datasets.names())
def test_descriptions_state_source_and_licence(name):
    text = loaded(name).DESCR
    assert "Source:" in text
    assert "licence" in text.lower() or "public domain" in text


def test_days_of_toronto():
    days = datasets.load_toronto_temperatures()
    assert days.data.shape == (1825, 4)
    np.testing.assert_array_equal(np.isnan(days.data).sum(axis=0), [50, 24, 41, 109])
    assert np.nanmean(days.data[:, 0]) == pytest.approx(9.648, abs=5e-4)
    assert np.nanstd(days.data[:, 0], ddof=1) == pytest.approx(10.68, abs=5e-3)
    assert (days.date[0], days.date[-1]) == (np.datetime64("2014-01-01"), np.datetime64("2018-12-31"))
    frame = datasets.load_toronto_temperatures(as_frame=True).frame
    np.testing.assert_array_equal(frame.to_numpy(), days.data)
    np.testing.assert_array_equal(frame.index.to_numpy().astype("datetime64[D]"), days.date)


@pytest.mark.parametrize(("name", "n"), NIST.items())
def test_reference_samples_have_their_certified_values(name, n):
    sample = datasets.load_nist_univariate(name)
    assert sample.data.shape == (n, 1)
    assert sample.data.mean() == pytest.approx(sample.certified_mean, rel=1e-12)
    assert sample.data.std(ddof=1) == pytest.approx(sample.certified_std, rel=1e-9)
    frame = datasets.load_nist_univariate(name, as_frame=True).frame
    assert list(frame.columns) == [name]


def test_an_unknown_sample_is_refused_by_name():
    with pytest.raises(ValueError, match=r"name must be one of Lew, .*NumAcc4; got 'Michelson'"):
        datasets.load_nist_univariate("Michelson")


@pytest.mark.parametrize("name", datasets.names())
def test_arrays_need_no_pandas(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert len(LOADERS[name]().data)
    with pytest.raises(ImportError, match="as_frame=True needs pandas"):
        LOADERS[name](as_frame=True)


def test_names_files_and_descriptions_are_one_list():
    assert [f"load_{name}" for name in datasets.names()] == [one for one in datasets.__all__ if one != "names"]
    used = {Path(loaded(name).filename).name for name in datasets.names()}
    assert {path.name for path in FOLDER.iterdir()} == used | {"README.md"}
    readme = (FOLDER / "README.md").read_text()
    assert all(f"`{name}`" in readme for name in used)
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 2_000_000
