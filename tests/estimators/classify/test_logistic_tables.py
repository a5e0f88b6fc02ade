"""Logistic regression of tables: missing cells, categories, standardised columns, against scikit-learn's steps."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import parzen
from parzen import LogisticRegression
from parzen.datasets import load_adult, load_house_votes
from tests.estimators.classify.peers import PEERS, same
from tests.libraries import polars as pl

EXACT = {"tol": 1e-9, "max_iter": 3000}


@pytest.fixture
def table(rng):
    n = 240
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 12, n),
            "city": rng.choice(["Oslo", "Lund", "Graz"], n),
            "income": rng.lognormal(8, 1, n),
            "member": rng.random(n) < 0.4,
            "grade": pd.Categorical(rng.choice(["b", "a"], n), categories=["b", "a", "never"]),
        }
    )
    y = (frame.age / 12 + 2 * (frame.city == "Oslo") - frame.member + rng.logistic(size=n) > 4).to_numpy()
    frame.loc[rng.random(n) < 0.2, "age"] = np.nan
    frame.loc[rng.random(n) < 0.15, "city"] = None
    return frame, np.where(y, "yes", "no")


def by_hand(X):
    """The design matrix by the stated rule, column by column, in plain pandas."""
    age = X.age
    return pd.DataFrame(
        {
            "age": age.fillna(age.mean()),
            "age missing": age.isna(),
            **{f"city = {one}": X.city == one for one in ("Graz", "Lund", "Oslo")},
            "city missing": X.city.isna(),
            "income": X.income,
            "member": X.member,
            "grade = b": X.grade == "b",
            "grade = a": X.grade == "a",
        }
    ).astype(float)


def test_missing_cells_and_categories_become_columns_by_the_stated_rule(table):
    X, y = table
    columns = by_hand(X)
    ours = LogisticRegression(**EXACT).fit(X, y)
    theirs = PEERS["LogisticRegression"](solver="newton-cholesky", tol=1e-10).fit(columns, y)
    assert ours.terms_ == list(columns.columns)
    assert ours.n_features_in_ == 5
    assert ours.feature_names_in_.tolist() == list(X.columns)
    same(ours.coef_, theirs.coef_, 1e-5)
    same(ours.intercept_, theirs.intercept_, 1e-5)
    same(ours.predict_proba(X), theirs.predict_proba(columns), 1e-6)


def pipeline(numbers, categories, standardise, **options):
    scale = [StandardScaler()] if standardise else []
    steps = [
        ("numbers", make_pipeline(*scale, SimpleImputer(add_indicator=True)), numbers),
        (
            "categories",
            make_pipeline(
                SimpleImputer(strategy="constant", fill_value="(missing)"), OneHotEncoder(handle_unknown="ignore")
            ),
            categories,
        ),
    ]
    peer = PEERS["LogisticRegression"](solver="newton-cholesky", tol=1e-10, max_iter=500, **options)
    return make_pipeline(ColumnTransformer(steps, sparse_threshold=0), peer)


@pytest.mark.parametrize("standardise", [False, True])
@pytest.mark.parametrize("load", [load_house_votes, load_adult])
def test_real_tables_as_scikit_learn_s_imputer_encoder_and_scaler(load, standardise):
    data = load(as_frame=True)
    X, y = data.data.iloc[:1500].astype({c: object for c in data.data if data.data[c].dtype.kind == "O"}), data.target
    train, test = slice(0, None, 2), slice(1, None, 2)
    y = y[:1500]
    numbers = [name for name in X if X[name].dtype.kind in "if"]
    X = X.assign(**{name: X[name].where(np.arange(len(X)) % 7 > 0) for name in numbers[:2]})
    categories = [name for name in X if name not in numbers]
    theirs = pipeline(numbers, categories, standardise).fit(X[train], y[train])
    ours = LogisticRegression(standardise=standardise, **EXACT).fit(X[train], y[train])
    same(np.sort(ours.coef_), np.sort(theirs[-1].coef_), 1e-5)
    same(ours.predict_proba(X[test]), theirs.predict_proba(X[test]), 1e-6)  # some categories were not seen


@pytest.mark.parametrize("how", ["polars", "objects", "reordered by name", "category dtype", "nullable"])
def test_a_table_of_any_kind_gives_the_same_weights(table, how):
    X, y = table
    first = LogisticRegression(**EXACT).fit(X, y)
    if how == "polars":
        other = pl.from_pandas(X.assign(grade=X.grade.astype(str))).with_columns(
            pl.col("grade").cast(pl.Enum(["b", "a"]))
        )
    elif how == "objects":
        other = X.assign(grade=X.grade.map({"b": "1", "a": "2"}).astype(object)).to_numpy(dtype=object)
    elif how == "category dtype":
        other = X.assign(city=X.city.astype("category"))
    elif how == "nullable":
        other = X.assign(age=X.age.astype("Float64"), member=X.member.astype("boolean"))
    else:
        model = LogisticRegression(**EXACT).fit(X[X.columns[::-1]], y)
        by_name = dict(zip(model.terms_, model.coef_[0], strict=True))
        same([by_name[name] for name in first.terms_], first.coef_[0], 1e-5)
        return
    model = LogisticRegression(**EXACT).fit(other, y)
    same(model.coef_, first.coef_, 1e-7)
    same(model.predict_proba(other), first.predict_proba(X), 1e-7)


def test_columns_in_another_order_are_refused_as_everywhere(table):
    X, y = table
    with pytest.raises(ValueError, match="feature names should match"):
        LogisticRegression().fit(X, y).predict(X[X.columns[::-1]])


def test_arrays_without_missing_cells_are_read_as_before_to_the_last_bit(rng):
    X = rng.normal(size=(300, 4))
    y = rng.integers(0, 3, 300)
    for degree in (1, 2):
        plain = LogisticRegression(degree=degree).fit(X, y)
        assert plain.design_.plain
        few = plain.predict_proba(X[:5])
        frame = LogisticRegression(degree=degree).fit(pd.DataFrame(X, columns=list("abcd")), y)
        np.testing.assert_array_equal(frame.coef_, plain.coef_)
        X[0, 0] = np.nan
        np.testing.assert_array_equal(plain.predict_proba(X[:5])[1:], few[1:])
        mean = np.where(np.isnan(X), plain.design_.mean, X)
        np.testing.assert_array_equal(plain.predict_proba(X[:5]), plain.predict_proba(mean[:5]))
        X[0, 0] = 0.0


def test_weights_count_as_rows_and_weight_zero_as_no_row(table, rng):
    X, y = table
    w = rng.integers(0, 3, len(y))
    w[X.city == "Graz"] = 0  # a level without rows
    weighted = LogisticRegression(standardise=True, **EXACT).fit(X, y, w)
    repeated = LogisticRegression(standardise=True, **EXACT).fit(X.loc[np.repeat(X.index, w)], np.repeat(y, w))
    assert "city = Graz" not in weighted.terms_
    assert weighted.terms_ == repeated.terms_
    same(weighted.coef_, repeated.coef_, 1e-5)


def test_what_was_not_seen_has_no_weight(table):
    X, y = table
    whole = X.dropna()
    model = LogisticRegression(**EXACT).fit(whole, y[whole.index])
    row = whole[:1]
    with_weights = dict(zip(model.terms_, model.coef_[0], strict=True))
    city = with_weights[f"city = {row.city.iloc[0]}"]
    known = model.decision_function(row)
    for cell in ("Rome", None):
        same(model.decision_function(row.assign(city=[cell])), known - city, 1e-9)
    age = with_weights["age"] * (row.age.iloc[0] - whole.age.mean())
    same(model.decision_function(row.assign(age=[np.nan])), known - age, 1e-9)


def test_without_a_penalty_the_first_level_is_the_reference(table):
    X, y = table
    model = LogisticRegression(C=np.inf, **EXACT).fit(X, y)
    columns = by_hand(X).drop(columns=["city = Graz", "grade = b"])
    assert model.terms_ == list(columns.columns)
    theirs = PEERS["LogisticRegression"](C=np.inf, solver="newton-cholesky", tol=1e-12).fit(columns, y)
    same(model.coef_, theirs.coef_, 1e-4)
    row = X[:1].assign(grade=pd.Categorical(["b"], categories=["b", "a", "never"]))
    each = [model.decision_function(row.assign(grade=[grade]))[0] for grade in ("b", "a")]
    assert model.decision_function(row.assign(grade=["never"]))[0] == pytest.approx(np.mean(each))
    free = LogisticRegression(C=np.inf, fit_intercept=False, **EXACT).fit(X, y)
    assert "city = Graz" in free.terms_
    assert "grade = b" not in free.terms_
    same(free.predict_proba(X), model.predict_proba(X), 1e-4)


def test_degree_two_has_products_between_columns_and_squares_of_numbers_alone(table):
    X, y = table
    X = X[["age", "city", "income"]]
    model = LogisticRegression(degree=2, standardise=True, **EXACT).fit(X, y)
    Z = by_hand(table[0])[["age", "age missing", "city = Graz", "city = Lund", "city = Oslo", "city missing", "income"]]
    for name in ("age", "income"):
        Z[name] = (Z[name] - X[name].mean()) / X[name].std(ddof=0)
    names = list(Z)
    products = [
        (a, b)
        for i, a in enumerate(names)
        for b in names[i:]
        if a.split()[0] != b.split()[0] or (a == b and a in ("age", "income"))
    ]
    terms = pd.concat([Z, *(Z[a] * Z[b] for a, b in products)], axis=1)
    assert model.terms_ == [*names, *(f"{a}^2" if a == b else f"{a} {b}" for a, b in products)]
    theirs = PEERS["LogisticRegression"](solver="newton-cholesky", tol=1e-10).fit(terms.to_numpy(), y)
    same(model.coef_, theirs.coef_, 1e-4)


def test_standardised_boundaries_are_in_the_columns_own_units(table):
    X, y = table
    numbers = X[["age", "income"]].assign(income=X.income.where(np.arange(len(X)) % 9 > 0))
    known = numbers.dropna()
    for degree in (1, 2):
        model = LogisticRegression(degree=degree, standardise=True).fit(numbers, y)
        same(model.decision_boundary()(known), model.decision_function(known), 1e-9)
    with pytest.raises(ValueError, match="'city' holds categories"):
        LogisticRegression().fit(X, y).decision_boundary()


def test_sparse_columns_are_divided_by_their_deviations(rng):
    X = rng.poisson(0.4, (300, 6)).astype(float) * np.array([1, 10, 100, 1, 1, 0])
    y = (X[:, 0] + X[:, 1] / 10 + rng.logistic(size=300) > 1).astype(int)
    dense = LogisticRegression(standardise=True, **EXACT).fit(X, y)
    thin = LogisticRegression(standardise=True, **EXACT).fit(sparse.csr_array(X), y)
    theirs = make_pipeline(StandardScaler(), PEERS["LogisticRegression"](solver="newton-cholesky", tol=1e-10)).fit(X, y)
    for model in (dense, thin):
        same(model.coef_, theirs[-1].coef_, 1e-5)
        same(model.predict_proba(X if model is dense else sparse.csr_array(X)), theirs.predict_proba(X), 1e-6)


def test_a_thousand_levels(rng):
    n, m = 4000, 1000
    effect = rng.normal(size=m)
    codes = rng.integers(0, m, n)
    X = pd.DataFrame({"shop": [f"s{code}" for code in codes], "age": rng.normal(size=n)})
    X.loc[::50, "age"] = np.nan
    y = effect[codes] + rng.logistic(size=n) > 0
    ours = LogisticRegression(**EXACT).fit(X, y)
    assert ours.design_.sparse
    theirs = pipeline(["age"], ["shop"], False).fit(X.astype({"shop": object}), y)
    same(np.sort(ours.coef_), np.sort(theirs[-1].coef_), 1e-4)
    same(ours.predict_proba(X), theirs.predict_proba(X.astype({"shop": object})), 1e-5)


def test_columns_of_nothing_and_dates(table):
    X, y = table
    known = LogisticRegression(**EXACT).fit(X, y)
    empty = LogisticRegression(**EXACT).fit(X.assign(note=None, number=np.nan), y)
    same(empty.predict_proba(X.assign(note="text", number=3.0)), known.predict_proba(X), 1e-7)
    with pytest.raises(ValueError, match="nothing to learn from"):
        LogisticRegression().fit(pd.DataFrame({"note": [None] * len(y)}, dtype=object), y)
    with pytest.raises(ValueError, match="'day' holds dates"):
        LogisticRegression().fit(X.assign(day=pd.Timestamp("2020-01-01")), y)
    with pytest.raises(ValueError, match="infinity"):
        LogisticRegression().fit(X.assign(age=np.inf), y)


def test_models_of_tables_are_saved_and_loaded(table, tmp_path):
    X, y = table
    model = LogisticRegression(standardise=True, degree=2).fit(X, y)
    model.save(tmp_path / "m")
    again = parzen.load(tmp_path / "m")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.terms_ == model.terms_


def test_a_model_file_from_before_there_were_designs_still_refuses_missing_cells():
    model = parzen.load("tests/golden/version2/logistic.parzen")
    assert model.standardise is False
    X = np.zeros((2, 3))
    assert model.predict_proba(X).shape == (2, 2)
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.predict_proba(X)


def test_separation_is_found_in_tables_too(table):
    X, _ = table
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        LogisticRegression(C=np.inf).fit(X, X.city == "Oslo")
    assert any(issubclass(one.category, ConvergenceWarning) and "separated" in str(one.message) for one in caught)
