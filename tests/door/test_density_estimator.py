"""The density estimator: scikit-learn's conventions, tables of every kind, batches, shards, and bad input."""

import copy
import pickle
import warnings
from functools import reduce

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
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
    FloorWarning,
    Gaussian,
    Multinomial,
    Poisson,
    Product,
)
from parzen.conjugate import Beta
from tests import oracle


@pytest.mark.filterwarnings("ignore::parzen.FloorWarning")
@parametrize_with_checks(
    [
        DensityEstimator(),
        DensityEstimator(Gaussian("diag")),
        DensityEstimator(Gaussian("spherical")),
        DensityEstimator(Gaussian(estimate="map")),
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
            (50, 20), density=0.2, rng=rng, data_sampler=lambda size: rng.integers(1, 5, size)
        ).tocsr()
        for family in (Multinomial(), Multinomial(estimate="map"), Bernoulli()):
            rows = X.astype(bool).astype(float) if isinstance(family, Bernoulli) else X.astype(float)
            thin, thick = DensityEstimator(family).fit(rows), DensityEstimator(family).fit(rows.toarray())
            np.testing.assert_allclose(thin.score_samples(rows), thick.score_samples(rows.toarray()), rtol=1e-10)
            np.testing.assert_allclose(thin.score_samples(rows.tocsc()), thin.score_samples(rows))


MODELS = {
    "gaussian": (Gaussian(), lambda rng: rng.normal(size=(90, 3)) + 1e3),
    "ledoit_wolf": (Gaussian(shrinkage="ledoit_wolf"), lambda rng: rng.gamma(1.0, size=(90, 3))),
    "shared bayes": (Gaussian(shared=True, estimate="bayes"), lambda rng: rng.normal(size=(90, 3))),
    "diag": (
        Gaussian("diag"),
        lambda rng: np.where(rng.random((90, 3)) < 0.1, np.nan, rng.normal(size=(90, 3))),
    ),
    "bernoulli": (Bernoulli(), lambda rng: rng.integers(0, 2, (90, 3))),
    "categorical": (Categorical(categories=[4, 4, 4]), lambda rng: rng.integers(0, 4, (90, 3))),
    "poisson": (Poisson(), lambda rng: rng.poisson(3, (90, 3))),
    "multinomial": (Multinomial(), lambda rng: rng.poisson(3, (90, 3))),
}


class TestBatches:
    @pytest.mark.parametrize("name", MODELS)
    @given(cuts=st.lists(st.integers(1, 89), min_size=1, max_size=4, unique=True), seed=st.integers(0, 99))
    def test_partial_fit_and_merge_equal_fit(self, name, cuts, seed):
        family, rows = MODELS[name]
        rng = np.random.default_rng(seed)
        X, w = rows(rng), rng.integers(1, 4, 90).astype(float)
        cuts = [30, 60] if name == "diag" else sorted(cuts)  # a batch may not lack a column altogether
        whole = DensityEstimator(family).fit(X, sample_weight=w).score_samples(X)
        parts = list(zip(np.split(X, cuts), np.split(w, cuts), strict=True))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FloorWarning)  # a batch may be one row
            batched = DensityEstimator(family)
            for part, weight in parts:
                batched.partial_fit(part, sample_weight=weight)
            shards = [DensityEstimator(family).fit(part, sample_weight=weight) for part, weight in parts]
            merged = reduce(DensityEstimator.merge, shards)
        np.testing.assert_allclose(batched.score_samples(X), whole, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(merged.score_samples(X), whole, rtol=1e-10, atol=1e-10)
        twice = DensityEstimator(family).fit(np.vstack([X, X]), sample_weight=np.append(w, np.ones(90)))
        more = merged.partial_fit(X).score_samples(X)
        np.testing.assert_allclose(more, twice.score_samples(X), rtol=1e-10, atol=1e-10)

    def test_a_new_category_in_a_later_batch_is_an_error_with_the_remedy(self):
        model = DensityEstimator(Categorical()).partial_fit(pd.DataFrame({"city": ["Oslo", "Lund"]}))
        with pytest.raises(ValueError, match=r"column 'city' holds 'Graz'.*categories="):
            model.partial_fit(pd.DataFrame({"city": ["Graz"]}))
        declared = DensityEstimator(Categorical(categories=[["Graz", "Lund", "Oslo"]]))
        declared.partial_fit(pd.DataFrame({"city": ["Oslo", "Lund"]})).partial_fit(pd.DataFrame({"city": ["Graz"]}))
        assert declared.statistic_.counts.tolist() == [[1, 1, 1]]

    def test_shards_that_differ_do_not_merge(self, rng):
        X = rng.normal(size=(20, 2))
        one = DensityEstimator().fit(X)
        with pytest.raises(ValueError, match="one family"):
            one.merge(DensityEstimator(Gaussian("diag")).fit(X))
        with pytest.raises(ValueError, match="different columns"):
            one.merge(DensityEstimator().fit(X[:, :1]))
        with pytest.raises(NotFittedError):
            one.merge(DensityEstimator())
        X[0, 0] = np.nan
        with pytest.raises(ValueError, match="found by iteration"):
            one.merge(DensityEstimator().fit(X))

    def test_missing_cells_in_batches_take_steps_of_em(self, rng):
        """Each batch once, at the density so far: Neal & Hinton's incremental EM, against the blackboard."""
        X = rng.normal(size=(300, 2)) @ np.array([[1.0, 0.8], [0, 0.6]])
        X[rng.random(X.shape) < 0.1] = np.nan
        batched = DensityEstimator()
        first = X[:30]
        mean, covariance = np.nanmean(first, axis=0)[None], np.diag(np.nanvar(first, axis=0))[None]
        n, total, square = 0.0, np.zeros(2), np.zeros((2, 2))
        for part in np.split(X, 10):
            batched.partial_fit(part)
            weight, m, scatter, _ = oracle.expected_moments(part, None, mean, covariance)
            n, total = n + weight[0], total + weight[0] * m[0]
            square = square + scatter[0] + weight[0] * np.outer(m[0], m[0])
            mean, covariance = (total / n)[None], (square / n - np.outer(total, total) / n**2)[None]
        np.testing.assert_allclose(batched.density_.mean, mean, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(batched.density_.covariance, covariance, rtol=1e-9)


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
        assert nested.fit(table).best_params_["family__height,weight__covariance_type"] in ("full", "diag")

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


GOOD = np.array([[0.0, 1.0], [2.0, 5.0], [3.0, 3.0]])
BAD = {
    "one dimension": (DensityEstimator(), np.zeros(3), {}, "2D array"),
    "three dimensions": (DensityEstimator(), np.zeros((2, 2, 2)), {}, "dim"),
    "no rows": (DensityEstimator(), np.zeros((0, 2)), {}, "0 sample"),
    "no columns": (DensityEstimator(), np.zeros((2, 0)), {}, "0 feature"),
    "an empty frame": (DensityEstimator(), pd.DataFrame({"a": []}), {}, "0 sample"),
    "infinity": (DensityEstimator(), np.array([[0.0, np.inf], [1, 2]]), {}, "infinity"),
    "infinity in a frame": (DensityEstimator(), pd.DataFrame({"a": [1.0, np.inf]}), {}, "infinity"),
    "text": (DensityEstimator(), np.array([["a", "b"], ["c", "d"]]), {}, "column 0 holds 'a'.*Categorical"),
    "text in a frame": (DensityEstimator(), pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), {}, "column 'b' holds 'x'"),
    "a column all missing": (DensityEstimator(), np.array([[1.0, np.nan], [2.0, np.nan]]), {}, "column 1 has no value"),
    "negative counts": (DensityEstimator(Poisson()), np.array([[1, -2]]), {}, "column 1 holds -2"),
    "fractions": (DensityEstimator(Poisson()), np.array([[1.5]]), {}, "column 0 holds 1.5"),
    "negative words": (DensityEstimator(Multinomial()), np.array([[1, -2]]), {}, "not negative.*-2"),
    "missing words": (DensityEstimator(Multinomial()), np.array([[1, np.nan]]), {}, "counts are missing"),
    "no bits": (DensityEstimator(Bernoulli()), np.array([[0, 2]]), {}, "column 1 holds 2"),
    "negative weights": (DensityEstimator(), GOOD, {"sample_weight": [1, -1, 1]}, "[Nn]egative"),
    "weights of other length": (DensityEstimator(), GOOD, {"sample_weight": [1, 1]}, "sample_weight"),
    "weights all zero": (DensityEstimator(), GOOD, {"sample_weight": [0, 0, 0]}, "non-zero|zero for every row"),
    "weights missing": (DensityEstimator(), GOOD, {"sample_weight": [1, np.nan, 1]}, "NaN"),
    "an unknown option": (DensityEstimator(Gaussian("round")), GOOD, {}, "covariance must be one of"),
    "no family": (DensityEstimator("gaussian"), GOOD, {}, "family must be a family"),
    "sparse rows": (DensityEstimator(), sparse.csr_array(GOOD), {}, "[Ss]parse"),
    "a prior of another kind": (DensityEstimator(Gaussian(prior=Beta(1, 1))), GOOD, {}, "NormalInverseWishart"),
    "columns in no block": (
        DensityEstimator(Product({0: Gaussian()})),
        GOOD,
        {},
        "every column must stand in one block",
    ),
    "columns in two blocks": (DensityEstimator(Product({0: Gaussian(), (0, 1): Gaussian()})), GOOD, {}, "one block"),
    "an unknown column": (DensityEstimator(Product({"a": Gaussian()})), GOOD, {}, "no column 'a'.*no names"),
    "no blocks": (DensityEstimator(Product({})), GOOD, {}, "dict from columns to families"),
    "too many alphabets": (
        DensityEstimator(Categorical(categories=[2])),
        GOOD,
        {},
        "one alphabet for each of 2 columns",
    ),
    "an undeclared category": (
        DensityEstimator(Categorical(categories=[["a"]])),
        pd.DataFrame({"c": ["b"]}),
        {},
        "holds 'b'",
    ),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize(("method", "fitted"), [("fit", False), ("fit", True), ("partial_fit", False)])
def test_bad_input_is_named_and_changes_nothing(name, fitted, method):
    given, X, options, match = BAD[name]
    model = DensityEstimator().fit(GOOD) if fitted else DensityEstimator()
    model.family = given.family
    before = dict(vars(model))
    with pytest.raises((ValueError, TypeError), match=match):
        getattr(model, method)(X, **options)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[key] is before[key] for key in before)


@pytest.mark.parametrize(
    ("X", "options", "match"),
    [
        (np.zeros((3, 3)), {}, "3 features"),
        (np.full((3, 2), np.inf), {}, "infinity"),
        (GOOD, {"sample_weight": [1, -1, 1]}, "[Nn]egative"),
        (np.array([["a", "b"]]), {}, "holds 'a'"),
    ],
)
def test_a_bad_batch_leaves_what_was_learnt(X, options, match):
    model = DensityEstimator().partial_fit(GOOD)
    before = dict(vars(model))
    with pytest.raises(ValueError, match=match):
        model.partial_fit(X, **options)
    assert vars(model) == before


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda m: m.sample(0), "n_samples must be at least 1"),
        (lambda m: m.marginal(["x"]), "no column 'x'"),
        (lambda m: m.marginal([5]), "position from 0 to 1"),
        (lambda m: m.marginal([0, 0]), "different"),
        (lambda m: m.marginal([]), "at least one"),
        (lambda m: m.conditional([0], [1.0, 2.0]), "one for each given column"),
        (lambda m: m.conditional([0, 1], [1.0, 2.0]), "leave a column"),
        (lambda m: m.conditional([0], [np.nan]), "known and finite"),
        (lambda m: m.score_samples(np.zeros((2, 3))), "3 features"),
        (lambda m: m.score_samples(np.array([[np.inf, 0.0]])), "infinity"),
    ],
)
def test_bad_questions_are_answered_by_what_is_wrong(call, match):
    with pytest.raises(ValueError, match=match):
        call(DensityEstimator().fit(GOOD))
