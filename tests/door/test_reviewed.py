"""What reviewers broke once at the door: each a sentence that was false."""

import warnings

import numpy as np
import pandas as pd
import pytest

from parzen import (
    Bernoulli,
    Categorical,
    Collapse,
    DensityEstimator,
    FloorWarning,
    Gaussian,
    Poisson,
    Product,
)


class TestTheDoor:
    def test_moments_in_time_are_no_numbers(self):
        dates = pd.DataFrame({"a": pd.to_datetime(["2020-01-01", None, "2020-01-02"])})
        with pytest.raises((TypeError, ValueError), match="column 'a' holds"):
            DensityEstimator(Gaussian("diag")).fit(dates)
        with pytest.raises(ValueError, match="moments in time"):
            DensityEstimator().fit(np.array([["2020-01-01"], ["2020-01-02"]], dtype="M8[D]"))

    def test_moments_in_time_may_be_categories_whatever_their_unit(self):
        seconds = pd.DataFrame({"a": pd.to_datetime(["2020-01-01", "2020-01-02"]).astype("datetime64[s]")})
        model = DensityEstimator(Categorical(unseen="error")).fit(seconds)
        np.testing.assert_allclose(model.score_samples(seconds.astype("datetime64[ns]")), np.log(0.5))

    def test_text_that_looks_like_numbers_is_text(self):
        with pytest.raises(ValueError, match="column 'a' holds '1'"):
            DensityEstimator().fit(pd.DataFrame({"a": ["1", "2.5"]}))

    def test_a_block_can_be_replaced_by_its_name(self):
        family = Product({"a": Gaussian(), "b": Poisson()})
        family.set_params(a=Gaussian("diag"), b__estimate="ml")
        assert family.blocks["a"].covariance_type == "diag"
        assert family.blocks["b"].estimate == "ml"
        assert vars(family).keys() == {"blocks"}

    @pytest.mark.parametrize(
        ("blocks", "match"),
        [
            ({"a": Gaussian(), 0: Poisson(), "b": Poisson()}, "one block each"),
            ({"a": Gaussian()}, r"no family for \['b'\]"),
            ({"a": Gaussian(), "b": Poisson(), "c": Poisson()}, "no column 'c'"),
            ({"a": "gauss", "b": Poisson()}, "must be a family"),
        ],
    )
    def test_blocks_cover_every_column_once(self, blocks, match):
        with pytest.raises((TypeError, ValueError), match=match):
            DensityEstimator(Product(blocks)).fit(pd.DataFrame({"a": [1.0, 2.0], "b": [1, 2]}))

    def test_errors_of_blocks_name_the_table_s_columns(self):
        table = pd.DataFrame({"a": [0.0, 1.0], "b": [0, -2]})
        with pytest.raises(ValueError, match="column 'b' holds -2"):
            DensityEstimator(Product({"a": Gaussian(), "b": Poisson()})).fit(table)
        table = pd.DataFrame({"a": [0.0, 1.0], "b": [None, None]})
        with pytest.raises(Collapse, match="column 'b' has no value"):
            DensityEstimator(Product({"a": Gaussian(), "b": Categorical()})).fit(table)

    def test_a_fitted_family_is_the_estimator_s_own(self, rng):
        X = rng.normal(size=(30, 2))
        model = DensityEstimator(Gaussian()).fit(X)
        model.set_params(family__covariance_type="diag")
        assert model.family_.covariance_type == "full"
        with pytest.raises(ValueError, match="call fit to change it"):
            model.partial_fit(X)

    def test_a_marginal_learns_nothing_and_forgets_nothing(self, rng):
        marginal = DensityEstimator().fit(rng.normal(size=(30, 3))).marginal([0, 1])
        for learn in (marginal.partial_fit, lambda X: marginal.merge(marginal)):
            with pytest.raises(ValueError, match="no statistic to add to"):
                learn(rng.normal(size=(5, 2)))

    def test_a_batch_may_lack_a_column_that_others_had(self, rng):
        X = rng.normal(size=(50, 2))
        empty = X[:5].copy()
        empty[:, 0] = np.nan
        model = DensityEstimator().fit(X).partial_fit(empty)
        assert np.isfinite(model.score_samples(X)).all()

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

    @pytest.mark.parametrize("options", [{"max_iter": -1}, {"max_iter": "a"}, {"tol": np.nan}, {"tol": -1}])
    def test_options_are_checked_before_any_work(self, options, rng):
        with pytest.raises(ValueError, match=next(iter(options))):
            DensityEstimator(**options).fit(rng.normal(size=(5, 2)))

    def test_masked_cells_are_missing(self):
        X = np.ma.array([[1.0], [2.0], [99.0]], mask=[[0], [0], [1]])
        assert DensityEstimator(Gaussian("diag")).fit(X).density_.mean[0, 0] == 1.5

    def test_scores_take_weights(self, rng):
        X = rng.normal(size=(10, 2))
        model = DensityEstimator().fit(X)
        w = np.arange(10.0)
        assert model.score(X, sample_weight=w) == pytest.approx(np.average(model.score_samples(X), weights=w))

    def test_em_warns_of_floors_once(self, rng):
        X = np.repeat(rng.normal(size=(3, 4)), 2, axis=0)
        X[0, 0] = np.nan
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            DensityEstimator().fit(X)
        assert sum(issubclass(one.category, FloorWarning) for one in said) <= 1
