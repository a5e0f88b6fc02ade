"""The density estimator: scikit-learn's conventions and tables of every kind."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from parzen import (
    Bernoulli,
    Categorical,
    DensityEstimator,
    Gaussian,
    Multinomial,
    Poisson,
    Product,
)
from tests.libraries import polars as pl


@pytest.mark.filterwarnings("ignore::parzen.FloorWarning")
@parametrize_with_checks(
    [
        DensityEstimator(),  # EM where cells are missing
        DensityEstimator(Gaussian("diag")),  # none
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def mixed(n=300, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "height": rng.normal(170, 10, n),
            "weight": rng.normal(70, 12, n),
            "city": rng.choice(["Oslo", "Lund", "Graz"], n, p=[0.5, 0.3, 0.2]),
            "visits": rng.poisson(2.0, n),
            "member": rng.random(n) < 0.3,
        }
    )


FAMILY = Product({("height", "weight"): Gaussian(), "city": Categorical(), "visits": Poisson(), "member": Bernoulli()})


def holes(table, seed=1):
    rng = np.random.default_rng(seed)
    table = table.astype({"visits": "Int64", "member": "boolean"})
    return table.mask(rng.random(table.shape) < 0.15)


class TestTables:
    def test_a_mixed_pandas_table_as_it_is(self):
        table = mixed()
        model = DensityEstimator(FAMILY).fit(table)
        assert model.feature_names_in_.tolist() == list(table.columns)
        row = table.iloc[[0]]
        parts = (
            DensityEstimator(Gaussian()).fit(table[["height", "weight"]]).score_samples(row[["height", "weight"]]),
            DensityEstimator(Categorical()).fit(table[["city"]]).score_samples(row[["city"]]),
            DensityEstimator(Poisson()).fit(table[["visits"]]).score_samples(row[["visits"]]),
            DensityEstimator(Bernoulli()).fit(table[["member"]]).score_samples(row[["member"]]),
        )
        assert model.score_samples(row) == pytest.approx(sum(parts))

    def test_polars_pandas_and_arrays_of_objects_agree(self):
        table = mixed()
        expected = DensityEstimator(FAMILY).fit(table).score_samples(table)
        other = pl.DataFrame({name: table[name].to_list() for name in table})
        np.testing.assert_allclose(DensityEstimator(FAMILY).fit(other).score_samples(other), expected, rtol=1e-12)
        by_place = Product({(0, 1): Gaussian(), 2: Categorical(), 3: Poisson(), 4: Bernoulli()})
        objects = table.to_numpy(dtype=object)
        np.testing.assert_allclose(DensityEstimator(by_place).fit(objects).score_samples(objects), expected, rtol=1e-12)

    def test_columns_of_polars_in_another_order_are_refused(self):
        table = pl.DataFrame({"height": [171.0, 180.0, 165.0], "weight": [64.0, 81.0, 75.0]})
        model = DensityEstimator().fit(table)
        assert model.feature_names_in_.tolist() == ["height", "weight"]
        with pytest.raises(ValueError, match="feature names"):
            model.score(table.select("weight", "height"))

    def test_missing_cells_of_every_kind(self):
        table = holes(mixed())
        model = DensityEstimator(FAMILY).fit(table)
        values = model.score_samples(table)
        assert np.isfinite(values).all()
        other = pl.DataFrame({name: [None if pd.isna(cell) else cell for cell in table[name]] for name in table})
        np.testing.assert_allclose(DensityEstimator(FAMILY).fit(other).score_samples(other), values, rtol=1e-9)
        nothing = pd.DataFrame({name: [None] for name in table}, dtype=object)
        assert model.score_samples(nothing) == pytest.approx(0.0)

    def test_samples_come_back_as_the_same_kind_of_table(self):
        table = mixed()
        draws = DensityEstimator(FAMILY).fit(table).sample(500, random_state=0)
        assert isinstance(draws, pd.DataFrame)
        assert list(draws.columns) == list(table.columns)
        assert set(draws["city"]) == {"Oslo", "Lund", "Graz"}
        other = pl.DataFrame({name: table[name].to_list() for name in table})
        assert isinstance(DensityEstimator(FAMILY).fit(other).sample(3), pl.DataFrame)
        assert isinstance(DensityEstimator().fit(table[["height"]].to_numpy()).sample(3), np.ndarray)

    def test_declared_categories_of_pandas_and_polars_count(self):
        column = pd.Categorical(["a", "b", "a"], categories=["a", "b", "c"])
        model = DensityEstimator(Categorical(unseen="error")).fit(pd.DataFrame({"x": column}))
        assert np.exp(model.score_samples(pd.DataFrame({"x": ["c"]}))) == pytest.approx(1 / 6)
        enum = pl.DataFrame({"x": pl.Series(["a", "b", "a"], dtype=pl.Enum(["a", "b", "c"]))})
        model = DensityEstimator(Categorical(unseen="error")).fit(enum)
        assert np.exp(model.score_samples(pl.DataFrame({"x": ["c"]}))) == pytest.approx(1 / 6)

    def test_numbers_may_be_categories(self):
        X = np.array([[10.0], [20.0], [20.0], [np.nan]])
        model = DensityEstimator(Categorical(unseen="error", estimate="ml")).fit(X)
        np.testing.assert_allclose(np.exp(model.score_samples(np.array([[10], [20], [np.nan]]))), [1 / 3, 2 / 3, 1])

    @pytest.mark.parametrize("unseen", ["new", "missing", "error"])
    def test_a_category_that_was_never_met(self, unseen):
        table = pd.DataFrame({"x": ["a", "a", "b"]})
        model = DensityEstimator(Categorical(unseen=unseen)).fit(table)
        later = pd.DataFrame({"x": ["z"]})
        if unseen == "error":
            with pytest.raises(ValueError, match="categories"):
                model.score_samples(later)
        else:
            assert np.exp(model.score_samples(later)) == pytest.approx(1 / 6 if unseen == "new" else 1.0)

    def test_relabelling_categories_changes_nothing(self):
        table = mixed()[["city"]]
        other = table.replace({"Oslo": "z", "Lund": "a", "Graz": "m"})
        one, two = (DensityEstimator(Categorical()).fit(t).score_samples(t) for t in (table, other))
        np.testing.assert_allclose(one, two)

    def test_marginal_and_conditional_by_name_and_by_position(self):
        table = mixed()
        model = DensityEstimator(FAMILY).fit(table)
        narrow = model.marginal(["city", "height"])
        assert narrow.feature_names_in_.tolist() == ["city", "height"]
        known = table.copy()
        known[["weight", "visits", "member"]] = np.nan
        np.testing.assert_allclose(narrow.score_samples(table[["city", "height"]]), model.score_samples(known))
        np.testing.assert_allclose(
            model.marginal([2, 0]).score_samples(table[["city", "height"]]),
            narrow.score_samples(table[["city", "height"]]),
        )
        given = model.conditional(["city", "height"], ["Oslo", 180.0])
        row = pd.DataFrame({"height": [180.0], "weight": [75.0], "city": ["Oslo"], "visits": [1], "member": [True]})
        rest = row[["weight", "visits", "member"]]
        chain = narrow.score_samples(row[["city", "height"]]) + given.score_samples(rest)
        np.testing.assert_allclose(model.score_samples(row), chain, rtol=1e-10)
        assert given.sample(2).columns.tolist() == ["weight", "visits", "member"]

    def test_columns_out_of_order_are_an_error_by_name(self):
        table = mixed()
        model = DensityEstimator(FAMILY).fit(table)
        with pytest.raises(ValueError, match="feature names"):
            model.score_samples(table[table.columns[::-1]])

    def test_sparse_rows(self, rng):
        X = sparse.random_array(
            (50, 20), density=0.2, random_state=rng, data_sampler=lambda size: rng.integers(1, 5, size)
        ).tocsr()
        for family in (Multinomial(), Multinomial(estimate="map"), Bernoulli()):
            rows = X.astype(bool).astype(float) if isinstance(family, Bernoulli) else X.astype(float)
            thin, thick = DensityEstimator(family).fit(rows), DensityEstimator(family).fit(rows.toarray())
            np.testing.assert_allclose(thin.score_samples(rows), thick.score_samples(rows.toarray()), rtol=1e-10)
            np.testing.assert_allclose(thin.score_samples(rows.tocsc()), thin.score_samples(rows))


class TestScikitLearn:
    X = load_iris().data

    def test_search_pipelines_and_cross_validation(self):
        search = GridSearchCV(DensityEstimator(Gaussian()), {"family__shrinkage": [0.0, 0.1, 0.9]}).fit(self.X)
        assert search.best_params_ == {"family__shrinkage": 0.0}
        assert np.isfinite(cross_val_score(make_pipeline(StandardScaler(), DensityEstimator()), self.X)).all()
        table = mixed()
        nested = GridSearchCV(
            DensityEstimator(FAMILY), {"family__height,weight__covariance_type": ["full", "diag"]}, cv=2
        )
        full, diagonal = nested.fit(table).cv_results_["mean_test_score"]
        assert full != diagonal  # the parameter reaches its block
        best = "full" if full > diagonal else "diag"
        assert nested.best_params_ == {"family__height,weight__covariance_type": best}

    def test_fitting_leaves_parameters_alone(self):
        family = Gaussian()
        model = DensityEstimator(family).fit(self.X)
        assert model.family is family
        assert clone(model).family is not family
        with pytest.raises(NotFittedError):
            clone(model).score_samples(self.X)

    def test_models_pickle_and_copy(self):
        for model in (DensityEstimator().fit(self.X), DensityEstimator(FAMILY).fit(mixed())):
            X = self.X if model.family is None else mixed()
            for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
                np.testing.assert_array_equal(twin.score_samples(X), model.score_samples(X))

    def test_dtypes_and_layouts(self):
        expected = DensityEstimator().fit(self.X).score_samples(self.X)
        for X in (np.asfortranarray(self.X), self.X.tolist(), self.X.astype(np.float32)):
            found = DensityEstimator().fit(X).score_samples(X)
            np.testing.assert_allclose(found, expected, rtol=1e-4 if getattr(X, "dtype", None) == np.float32 else 1e-12)
        whole = np.round(self.X * 10).astype(int)
        np.testing.assert_allclose(
            DensityEstimator().fit(whole).score_samples(whole),
            DensityEstimator().fit(whole * 1.0).score_samples(whole * 1.0),
        )

    def test_random_states_repeat(self):
        model = DensityEstimator().fit(self.X)
        for state in (3, np.random.RandomState(3), np.random.default_rng(3)):
            one = model.sample(5, random_state=copy.deepcopy(state))
            np.testing.assert_array_equal(one, model.sample(5, random_state=copy.deepcopy(state)))

    def test_too_few_steps_warn(self, rng):
        X = self.X.copy()
        X[rng.random(X.shape) < 0.3] = np.nan
        with pytest.warns(ConvergenceWarning, match="max_iter"):
            DensityEstimator(max_iter=1).fit(X)
