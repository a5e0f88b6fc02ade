"""Classifiers of tables: kinds of columns choose families, missing cells, names, and values not seen before."""

import decimal

import numpy as np
import pandas as pd
import pytest

from parzen import (
    Categorical,
    Gaussian,
    NaiveBayes,
    Poisson,
)
from tests.libraries import polars as pl


def mixed(n=200, seed=0):
    rng = np.random.default_rng(seed)
    label = rng.choice(["no", "yes"], n)
    on = label == "yes"
    table = pd.DataFrame(
        {
            "age": rng.normal(40 + 10 * on, 8),
            "city": np.where(rng.random(n) < 0.3 + 0.4 * on, "Oslo", rng.choice(["Lund", "Graz"], n)),
            "visits": rng.poisson(1 + 2 * on),
            "member": rng.random(n) < 0.2 + 0.5 * on,
            "grade": pd.Categorical(rng.choice(["a", "b", "c"], n), categories=["a", "b", "c", "d"]),
        }
    )
    return table, label


def holes(table, seed=1):
    rng = np.random.default_rng(seed)
    return table.astype({"visits": "Int64", "member": "boolean"}).mask(rng.random(table.shape) < 0.2)


class TestTables:
    def test_kinds_choose_families(self):
        X, y = mixed()
        blocks = NaiveBayes().fit(X, y).family_.blocks
        kinds = {X.columns[j]: type(family).__name__ for key, family in blocks.items() for j in key}
        assert kinds == {
            "age": "Gaussian", "city": "Categorical", "visits": "Poisson", "member": "Bernoulli",
            "grade": "Categorical",
        }  # fmt: skip

    def test_pandas_polars_and_objects_agree(self):
        X, y = mixed()
        expected = NaiveBayes().fit(X, y).predict_proba(X)
        other = pl.DataFrame({name: X[name].to_list() for name in X}).with_columns(
            pl.col("grade").cast(pl.Enum(list("abcd")))
        )
        np.testing.assert_allclose(NaiveBayes().fit(other, pl.Series(y)).predict_proba(other), expected, rtol=1e-12)
        objects = X.drop(columns="grade").to_numpy(dtype=object)
        expected = NaiveBayes().fit(X.drop(columns="grade"), y).predict_proba(X.drop(columns="grade"))
        np.testing.assert_allclose(NaiveBayes().fit(objects, y).predict_proba(objects), expected, rtol=1e-12)

    def test_missing_cells_of_every_kind(self):
        X, y = mixed()
        table = holes(X)
        model = NaiveBayes().fit(table, y)
        assert model.score(table, y) > 0.8
        rows = [[None if pd.isna(cell) else cell for cell in row] for row in table.to_numpy(dtype=object)]
        other = pl.DataFrame(rows, schema=list(X.columns), orient="row").with_columns(
            pl.col("grade").cast(pl.Enum(list("abcd")))
        )
        np.testing.assert_allclose(
            NaiveBayes().fit(other, y).predict_proba(other), model.predict_proba(table), rtol=1e-9
        )

    def test_families_by_name_and_the_rest_chosen(self):
        X, y = mixed()
        given = {"age": Gaussian(estimate="bayes"), "visits": Poisson(), "city": Categorical(unseen="missing")}
        model = NaiveBayes(given).fit(X, y)
        assert model.score(X, y) > 0.8
        unseen = X[:1].assign(city="Rome")
        np.testing.assert_allclose(model.predict_proba(unseen), model.predict_proba(unseen.assign(city=None)))
        with pytest.raises(ValueError, match="no column 'wage'"):
            NaiveBayes({"wage": Gaussian()}).fit(X, y)

    def test_feature_names_are_kept_and_compared(self):
        X, y = mixed()
        model = NaiveBayes().fit(X, y)
        assert model.feature_names_in_.tolist() == list(X.columns)
        with pytest.raises(ValueError, match="feature names"):
            model.predict(X[X.columns[::-1]])
        with pytest.raises(ValueError, match="feature names"):
            model.predict(X.drop(columns="age"))

    def test_samples_come_back_as_tables_with_labels(self):
        X, y = mixed()
        rows, labels = NaiveBayes().fit(X, y).sample(50, random_state=0)
        assert isinstance(rows, pd.DataFrame)
        assert list(rows.columns) == list(X.columns)
        assert rows.dtypes["member"].kind == "b"
        assert set(labels) == {"no", "yes"}

    def test_explanations_as_table_text_and_picture(self):
        import matplotlib

        matplotlib.use("Agg")
        X, y = mixed()
        X = X.rename(columns={"city": "ci$t$y"})
        model = NaiveBayes().fit(X, y)
        explanation = model.explain(X[:3])
        table = pd.DataFrame(explanation.table())
        assert list(table.columns) == ["label", "against", "prior", *X.columns, "total"]
        np.testing.assert_allclose(table[["prior", *X.columns]].sum(axis=1), table["total"])
        assert f"ci$t$y = {X.iloc[0]['ci$t$y']}" in str(explanation)
        ax = explanation.plot(row=2)
        assert any(r"ci\$t\$y" in label.get_text() for label in ax.get_yticklabels())
        assert "missing" in model.explain(X[:1].assign(age=np.nan)).text()

    def test_a_value_unseen_in_training_is_marginalised(self):
        table = pd.DataFrame({"children": [0, 1, 0, 1, 0, 0], "n": [0, 1, 2, 3, 1, 2], "city": list("ppqqpq")})
        model = NaiveBayes().fit(table, list("aabbab"))
        new = pd.DataFrame({"children": [2, 0, 0], "n": [1, 1.5, -1], "city": ["p"] * 3})
        assert (model.predict(new) == "a").all()
        assert np.isfinite(model.explain(new).contributions).all()
        unknown = model.predict_proba(new.assign(n=None))[1:]
        np.testing.assert_allclose(model.predict_proba(new)[1:], unknown)

    def test_decimals_are_numbers(self, iris):
        X, y = iris
        prices = [decimal.Decimal(f"{value:.1f}") for value in X[:, 2]]
        expected = NaiveBayes().fit(pd.DataFrame({"p": X[:, 2]}), y).predict_proba(pd.DataFrame({"p": X[:, 2]}))
        for table in (pd.DataFrame({"p": prices}), pl.DataFrame({"p": prices})):
            np.testing.assert_allclose(NaiveBayes().fit(table, y).predict_proba(table), expected, rtol=1e-9)

    def test_columns_called_by_numbers_are_named_by_them(self):
        table = pd.DataFrame({10: [0.5, 3, 1, 9, 2, 8], 0: [5, 5, 6, 7, 8, 2]})
        blocks = NaiveBayes({0: Poisson()}).fit(table, list("ababab")).family_.blocks
        assert {key: type(family).__name__ for key, family in blocks.items()} == {(0,): "Gaussian", (1,): "Poisson"}
        with pytest.raises(ValueError, match="one family each"):
            NaiveBayes({0: Gaussian(), -2: Poisson()}).fit(table.to_numpy(), list("ababab"))

    def test_a_column_without_a_value_does_not_count(self):
        table = pd.DataFrame({"a": [None] * 6, "b": [1.5, 2, 3, 4, 5, 6], "c": pd.Categorical([None] * 6)})
        model = NaiveBayes().fit(table, list("ababab"))
        later = pd.DataFrame({"a": ["x"], "b": [2.0], "c": ["q"]})
        expected = NaiveBayes().fit(table[["b"]], list("ababab")).predict_proba(later[["b"]])
        np.testing.assert_allclose(model.predict_proba(later), expected)
        other = pl.DataFrame({"a": [None] * 6, "b": [1.5, 2, 3, 4, 5, 6]})
        assert np.isfinite(NaiveBayes().fit(other, list("ababab")).predict_proba(other)).all()
