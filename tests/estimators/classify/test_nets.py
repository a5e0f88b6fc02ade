"""Tree-augmented naive Bayes and AODE: against counts by hand, naive Bayes, and real tables."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split

from parzen import AODE, Categorical, NaiveBayes, TreeAugmentedNB, load, save
from parzen.datasets import load_adult, load_house_votes, load_mushroom


def aode_by_hand(X, y, row, sizes):
    """Joint of each class and a row: an average over parents of (n + 1) / (total + states) estimates."""
    joint = []
    for label in np.unique(y):
        own = X[y == label]
        total = 0.0
        for i, parent in enumerate(row):
            value = ((own[:, i] == parent).sum() + 1) / (len(own) + sizes[i])
            given = own[own[:, i] == parent]
            for j, cell in enumerate(row):
                if j != i:
                    value *= ((given[:, j] == cell).sum() + 1) / (len(given) + sizes[j])
            total += value / len(row)
        joint.append(np.mean(y == label) * total)
    return np.array(joint) / np.sum(joint)


def test_aode_is_the_average_over_parents(rng):
    sizes = (2, 3, 4)
    X = np.column_stack([rng.integers(0, size, 60) for size in sizes])
    y = np.where(rng.random(60) < 0.3, "b", "a")
    table = pd.DataFrame({name: pd.Categorical(X[:, j], range(sizes[j])) for j, name in enumerate("uvw")})
    model = AODE().fit(table, y)
    expected = [aode_by_hand(X, y, row, sizes) for row in X[:10]]
    np.testing.assert_allclose(model.predict_proba(table[:10]), expected, rtol=1e-12)


def test_counts_of_aode_add(rng):
    table = pd.DataFrame({"a": list("pq" * 20), "b": rng.integers(0, 3, 40).astype(str), "c": rng.normal(size=40)})
    y = rng.integers(0, 2, 40)
    whole = AODE(bins=None).fit(table, y)
    parts = AODE(bins=None).partial_fit(table[:25], y[:25], classes=[0, 1]).partial_fit(table[25:], y[25:])
    np.testing.assert_allclose(parts.predict_proba(table), whole.predict_proba(table), rtol=1e-10)
    doubled = AODE(bins=None).fit(table, y, sample_weight=np.full(40, 2.0))
    twice = AODE(bins=None).fit(pd.concat([table, table]), np.concatenate([y, y]))
    np.testing.assert_allclose(doubled.predict_proba(table), twice.predict_proba(table), rtol=1e-10)


def test_one_column_of_categories_is_naive_bayes(rng):
    table = pd.DataFrame({"a": pd.Categorical(rng.integers(0, 3, 50), range(3))})
    y = rng.integers(0, 2, 50)
    expected = NaiveBayes({"a": Categorical(unseen="error")}).fit(table, y).predict_proba(table)
    for model in (AODE(), TreeAugmentedNB()):
        np.testing.assert_allclose(model.fit(table, y).predict_proba(table), expected, rtol=1e-12)


@pytest.mark.parametrize("model", [AODE(), TreeAugmentedNB()], ids=["AODE", "tree"])
def test_a_missing_cell_is_summed_over(model, rng):
    table = pd.DataFrame({name: rng.integers(0, 3, 80).astype(str) for name in "abc"})
    y = rng.integers(0, 2, 80)
    model.fit(table, y)
    row = table[:1]
    whole = [model.log_joint(row.assign(b=state))[0] for state in sorted(set(table.b))]
    np.testing.assert_allclose(model.log_joint(row.assign(b=np.nan))[0], np.logaddexp.reduce(whole), rtol=1e-10)


@pytest.mark.parametrize("model", [AODE(), TreeAugmentedNB()], ids=["AODE", "tree"])
def test_explanations_add_up_to_the_log_odds(model, rng):
    table = pd.DataFrame({"a": rng.integers(0, 3, 60).astype(str), "b": rng.integers(0, 2, 60).astype(str)})
    table["c"] = rng.normal(size=60)
    y = rng.integers(0, 2, 60)
    model.fit(table, y)
    rows = table[:5].copy()
    rows.loc[0, "b"] = np.nan
    explained = model.explain(rows, label=1, against=0)
    added = explained.contributions.sum(axis=1) + explained.prior
    np.testing.assert_allclose(added, model.decision_function(rows), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("name", ["mushroom", "house_votes", "adult"])
def test_dependence_between_columns_pays_on_real_tables(name, tmp_path):
    loaders = {"adult": load_adult, "house_votes": load_house_votes, "mushroom": load_mushroom}
    table, y = loaders[name](return_X_y=True, as_frame=True)
    if name != "house_votes":
        table, y = table[::4], y[::4]
    X, rest, y, truth = train_test_split(table, y, test_size=0.5, random_state=0, stratify=y)
    naive = log_loss(truth, NaiveBayes().fit(X, y).predict_proba(rest))
    for model in (AODE(), TreeAugmentedNB()):
        model.fit(X, y)
        assert log_loss(truth, model.predict_proba(rest)) < 0.9 * naive
        save(model, tmp_path / "model")
        np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(rest[:50]), model.predict_proba(rest[:50]))


@pytest.mark.parametrize("model", [AODE(), TreeAugmentedNB()], ids=["AODE", "tree"])
def test_a_category_that_was_never_seen_is_as_if_missing(model, rng):
    table = pd.DataFrame({name: rng.integers(0, 3, 80).astype(str) for name in "ab"})
    model.fit(table, rng.integers(0, 2, 80))
    new, gone = ({"a": [cell], "b": ["1"]} for cell in ("new", None))
    np.testing.assert_array_equal(model.predict_proba(pd.DataFrame(new)), model.predict_proba(pd.DataFrame(gone)))


def test_the_tree_has_an_edge_for_every_column_but_one(rng):
    a = rng.integers(0, 2, 400)
    b = np.where(rng.random(400) < 0.9, a, 1 - a)
    table = pd.DataFrame({"a": a, "b": b, "c": np.where(rng.random(400) < 0.9, b, 1 - b)}).astype(str)
    model = TreeAugmentedNB().fit(table, rng.integers(0, 2, 400))
    assert {frozenset(edge) for edge in model.edges_} == {frozenset("ab"), frozenset("bc")}


@pytest.mark.parametrize("model", [AODE, TreeAugmentedNB])
@pytest.mark.parametrize("load_table", [load_iris, load_wine])
def test_small_tables_of_numbers_get_fewer_bins(model, load_table):
    """Ten bins leave a row or less in each cell of two columns and a class: their probabilities are then too sure."""
    X, y = load_table(return_X_y=True)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    losses = [-cross_val_score(one, X, y, cv=folds, scoring="neg_log_loss").mean() for one in (model(), model(bins=10))]
    assert losses[0] < 0.95 * losses[1]
