"""What cells and columns of a table may hold, and how samples, marginals and conditionals keep their names."""

import numpy as np
import pandas as pd
import pytest

from parzen import (
    Bernoulli,
    Categorical,
    Collapse,
    DensityEstimator,
    Gaussian,
    Poisson,
    Product,
)


class TestCells:
    def test_dates_are_no_numbers(self):
        dates = pd.DataFrame({"a": pd.to_datetime(["2020-01-01", None, "2020-01-02"])})
        with pytest.raises((TypeError, ValueError), match="column 'a' holds"):
            DensityEstimator(Gaussian("diag")).fit(dates)
        with pytest.raises(ValueError, match="X holds dates"):
            DensityEstimator().fit(np.array([["2020-01-01"], ["2020-01-02"]], dtype="M8[D]"))

    def test_dates_may_be_categories_whatever_their_unit(self):
        seconds = pd.DataFrame({"a": pd.to_datetime(["2020-01-01", "2020-01-02"]).astype("datetime64[s]")})
        model = DensityEstimator(Categorical(unseen="error")).fit(seconds)
        np.testing.assert_allclose(model.score_samples(seconds.astype("datetime64[ns]")), np.log(0.5))

    def test_text_that_looks_like_numbers_is_text(self):
        with pytest.raises(ValueError, match="column 'a' holds '1'"):
            DensityEstimator().fit(pd.DataFrame({"a": ["1", "2.5"]}))

    def test_masked_cells_are_missing(self):
        X = np.ma.array([[1.0], [2.0], [99.0]], mask=[[0], [0], [1]])
        assert DensityEstimator(Gaussian("diag")).fit(X).density_.mean[0, 0] == 1.5

    def test_a_missing_cell_in_a_column_of_text(self):
        model = DensityEstimator(Categorical()).fit(pd.DataFrame({"c": ["a", "b"]}))
        assert model.score_samples(pd.DataFrame({"c": [np.nan, np.nan]})) == pytest.approx([0.0, 0.0])
        with pytest.raises(Collapse, match="column 0 has no value"):
            DensityEstimator(Categorical()).fit(np.array([[np.nan], [np.nan]]))

    @pytest.mark.parametrize(
        ("categories", "works"),
        [
            (["x", "y", "z"], True),
            ([["x", "y", "z"]], True),
            ({"a": ["x", "y", "z"]}, True),
            ([["x", "y", "z", None]], True),
            ([["x", "x", "y"]], False),
            ([[]], False),
            (-3, False),
        ],
    )
    def test_categories_may_be_declared_in_every_plain_way(self, categories, works):
        table = pd.DataFrame({"a": ["x", "y", "x"]})
        model = DensityEstimator(Categorical(categories=categories, unseen="error"))
        if works:
            assert np.exp(model.fit(table).score_samples(table)) == pytest.approx([1 / 2, 1 / 3, 1 / 2])
        else:
            with pytest.raises(ValueError, match="categories must be"):
                model.fit(table)


class TestColumns:
    def test_samples_keep_the_types_of_columns(self):
        table = pd.DataFrame(
            {
                "kind": pd.Categorical(["a", "b", "a", "b"]),
                "count": np.array([1, 2, 3, 2]),
                "maybe": pd.array([1, 2, None, 2], dtype="Int64"),
                "flag": [True, False, True, True],
                "size": np.array([1, 2, 4, 3]),
            }
        )
        family = Product(
            {"kind": Categorical(), "count": Poisson(), "maybe": Categorical(), "flag": Bernoulli(), "size": Gaussian()}
        )
        drawn = DensityEstimator(family).fit(table).sample(50, random_state=0)
        assert drawn.dtypes[["kind", "count", "maybe", "flag"]].equals(table.dtypes[["kind", "count", "maybe", "flag"]])
        assert drawn.dtypes["size"] == np.float64
        gaps = DensityEstimator(Categorical()).fit(np.array([[3], [7], [10]])).sample(20, random_state=0)
        assert gaps.dtype.kind == "i"
        assert set(gaps.ravel()) <= {3, 7, 10}

    def test_columns_that_are_called_by_numbers(self, rng):
        table = pd.DataFrame(rng.normal(size=(20, 2)), columns=[5, 7])
        model = DensityEstimator().fit(table)
        assert model.marginal(1).sample(2).columns.tolist() == [7]
        assert model.sample(2).columns.tolist() == [5, 7]

    def test_values_to_condition_on_may_be_named(self, rng):
        table = pd.DataFrame(rng.normal(size=(50, 3)), columns=["a", "b", "c"])
        model = DensityEstimator().fit(table)
        one = model.conditional(["a", "b"], [1.0, 5.0]).density_.mean
        other = model.conditional(["a", "b"], pd.Series({"b": 5.0, "a": 1.0})).density_.mean
        np.testing.assert_array_equal(one, other)
