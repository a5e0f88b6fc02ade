"""Models of columns of every kind that pandas and polars have are saved and read back; complex numbers are refused."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from parzen import DensityEstimator, Gaussian, ModelFileError, NaiveBayes, load, save
from parzen.storage.decode import Decoder
from tests.libraries import polars as pl

VALUES = np.random.default_rng(0).normal(size=60)
WHOLE = np.arange(60) % 5
DATES = pd.Series(pd.date_range("2020-01-01", periods=60))
LABELS = np.where(VALUES > 0, "yes", "no")

COLUMNS = {
    "cut": pd.cut(VALUES, 3),
    "cut, closed on the left": pd.cut(VALUES, 3, right=False),
    "cut whole numbers": pd.cut(WHOLE, [-1, 1, 3, 5]),
    "quantiles": pd.qcut(VALUES, 4),
    "cut dates": pd.cut(DATES, 3),
    "intervals": pd.arrays.IntervalArray.from_breaks(range(6))[WHOLE],
    "months": pd.period_range("2020-01", periods=5, freq="M").array[WHOLE],
    "quarters": pd.Categorical(pd.period_range("2020-01", periods=5, freq="Q").array[WHOLE]),
    "dates of a place": DATES.dt.tz_localize("Europe/Paris").dt.floor("30D").astype("category"),
    "durations": pd.Series(pd.to_timedelta(WHOLE, unit="D")).astype("category"),
    "times of day": [datetime.time(hour) for hour in WHOLE],
    "sparse": pd.arrays.SparseArray(WHOLE),
    "sparse floats": pd.arrays.SparseArray(WHOLE.astype(float), fill_value=0.0),
    "arrow": pd.array(WHOLE, dtype="int64[pyarrow]"),
}
POLARS = {
    "times of day": [datetime.time(hour) for hour in WHOLE],
    "decimals": [Decimal(int(one)) for one in WHOLE],
    "bytes": [b"ab"[i % 2 : i % 2 + 1] for i in WHOLE],
}
TABLES = {name: pd.DataFrame({"x": VALUES, "c": cells}) for name, cells in COLUMNS.items()}
TABLES |= {f"polars {name}": pl.DataFrame({"x": VALUES, "c": cells}) for name, cells in POLARS.items()}


@pytest.mark.parametrize("name", TABLES)
def test_a_model_of_any_kind_of_column_is_read_back(name, tmp_path):
    table = TABLES[name]
    model = NaiveBayes().fit(table, LABELS)
    model.save(tmp_path / "m")
    again = load(tmp_path / "m")
    np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))
    (mine, _), (theirs, _) = model.sample(20, random_state=0), again.sample(20, random_state=0)
    assert mine.equals(theirs)
    assert list(mine.dtypes) == list(theirs.dtypes)


@pytest.mark.parametrize(
    "cells", [VALUES + 1j, (VALUES + 1j).astype(object), pd.Categorical(np.array([1j, 2j])[WHOLE % 2])]
)
def test_a_column_of_complex_numbers_is_refused(cells):
    table = pd.DataFrame({"x": VALUES, "c": cells})
    with pytest.raises(ValueError, match=r"Complex data not supported: a column holds .*as two columns"):
        NaiveBayes().fit(table, LABELS)
    with pytest.raises(TypeError, match=r"column 'c' holds .*j.*, but numbers are needed"):
        DensityEstimator(Gaussian()).fit(table)


@pytest.mark.parametrize(
    "node",
    [
        {"pandas": "datetime64[us, dateutil//etc/passwd]"},
        {"pandas": "datetime64[us, ../../x]"},
        {"pandas": "period[" + "M" * 100 + "]"},
        {"pandas": "interval[object, right]"},
        {"pandas": "category", "categories": [1], "ordered": False, "of": "object"},
        {"pandas": "Sparse", "of": "object", "fill": 0},
        {"pandas": ["x"]},
        {"polars": "read_csv"},
        {"polars": "Decimal", "precision": "x", "scale": 0},
        {"interval": [0, 1], "closed": "sometimes"},
        {"interval": ["a", "b"], "closed": "left"},
        {"period": 10**30, "freq": "M"},
        {"period": 1, "freq": "no such"},
        {"timedelta": [10**30, 0, 0]},
        {"timedelta": [1]},
        {"time": "25:00"},
        {"datetime": "2020-01-01", "stamp": True, "zone": "../../etc/passwd"},
    ],
)
def test_kinds_and_cells_that_cannot_be_are_refused(node):
    with pytest.raises(ModelFileError):
        Decoder({}, 2, 1000).node(node)


def test_a_kind_of_column_that_no_file_holds_is_named(tmp_path):
    import pyarrow

    kind = pd.ArrowDtype(pyarrow.dictionary(pyarrow.int32(), pyarrow.string()))
    table = pd.DataFrame({"c": pd.Series(["a", "b"] * 30).astype(kind)})
    with pytest.raises(ModelFileError, match="a file can't hold 'ArrowDtype'"):
        save(NaiveBayes().fit(table, LABELS), tmp_path / "m")
