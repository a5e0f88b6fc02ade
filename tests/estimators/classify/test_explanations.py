"""Explanations of classifications: log-odds by column, as text, table and picture; boundaries by name."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from parzen import (
    CategoricalNB,
    ComplementNB,
    Gaussian,
    GaussianNB,
    LinearDiscriminantAnalysis,
    Multinomial,
    MultinomialNB,
    NaiveBayes,
)


def test_columns_of_one_block_share_their_contribution(rng):
    X = rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], size=200)
    X[100:] += [1, -1]
    y = np.repeat(["a", "b"], 100)
    model = NaiveBayes({(0, 1): Gaussian()}).fit(X, y)
    explanation = model.explain(X[:5], "b", "a")
    logs = model.predict_log_proba(X[:5])
    np.testing.assert_allclose(explanation.total, logs[:, 1] - logs[:, 0])
    words = NaiveBayes({(0, 1): Multinomial(estimate="mean")}).fit(np.abs(X).round(), y)
    assert words.explain(np.abs(X[:5]).round()).contributions.shape == (5, 2)


def test_a_complement_equals_its_linear_form(iris):
    X, y = np.floor(iris[0]), iris[1]
    for norm in (False, True):
        model = ComplementNB(norm=norm).fit(X, y)
        np.testing.assert_allclose(model.as_linear().predict_proba(X), model.predict_proba(X), atol=1e-10)
        logs = model.predict_log_proba(X)
        np.testing.assert_allclose(model.decision_boundary("ve", "vi")(X), logs[:, 2] - logs[:, 1], atol=1e-9)


def test_explanations_of_nullable_cells_lists_and_odd_names():
    table = pd.DataFrame({"i": pd.array([1, 2, None, 40], dtype="Int64"), "label": list("pqpq")})
    explanation = NaiveBayes().fit(table, list("abab")).explain(table)
    assert "i missing" in explanation.text(2)
    assert explanation.text(-1) == explanation.text(3)
    assert list(explanation.table()) == ["(label)", "against", "prior", "i", "label", "total"]
    rows = [["red", "x"], ["blue", "y"], ["red", None]]
    model = CategoricalNB().fit(rows, ["s", "g", "s"])
    assert "0 = red" in str(model.explain([["red", "y"]]))
    words = MultinomialNB().fit(sparse.csr_array([[1, 2], [3, 0]]), [0, 1])
    assert "prize = 2" in words.explain(sparse.csr_array([[1, 2]]), names=["call", "prize"]).text()


def test_pictures_of_infinite_odds():
    import matplotlib

    matplotlib.use("Agg")
    model = CategoricalNB(alpha=0).fit([[0], [1]], ["a", "b"])
    explanation = model.explain([[0]])
    explanation.plot(-1).figure.canvas.draw()
    assert "+inf" in explanation.text()
    alone = GaussianNB().partial_fit([[0.0], [1.0]], ["se", "se"], classes=["se", "ve"])
    assert alone.explain([[0.0]]).against.tolist() == ["ve"]


def test_boundaries_and_softmax_compare_names(iris):
    X, y = iris
    table = pd.DataFrame(X, columns=list("abcd"))
    model = LinearDiscriminantAnalysis().fit(table, y)
    with pytest.raises(ValueError, match="in this order"):
        model.as_linear().predict(table[list("dcba")])
    with pytest.raises(ValueError, match="in this order"):
        model.decision_boundary("se", "ve")(table[list("dcba")])
    assert " a " in str(model.decision_boundary("se", "ve"))
