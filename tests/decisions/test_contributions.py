"""Scores of blocks of columns: one evaluation gives the scores of whole rows, posteriors and contributions."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from parzen import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    Gaussian,
    GaussianNB,
    Histogram,
    MultinomialNB,
    NaiveBayes,
)
from parzen.decisions.contributions import block_scores
from parzen.densities.posterior import compare


def models():
    X, y = load_iris(return_X_y=True)
    counts, gaps = np.round(X), np.where(X > 6, np.nan, X)
    return {
        "GaussianNB": (GaussianNB().fit(X, y), X),
        "missing values": (GaussianNB().fit(gaps, y), gaps),
        "MultinomialNB": (MultinomialNB().fit(counts, y), counts),
        "ComplementNB": (ComplementNB().fit(counts, y), counts),
        "BernoulliNB": (BernoulliNB(binarize=2.0).fit(X, y), X),
        "CategoricalNB": (CategoricalNB().fit(counts, y), counts),
        "NaiveBayes": (NaiveBayes({0: Histogram()}).fit(X, y), np.concatenate([X, 3 * X])),
    }


@pytest.mark.parametrize("name", models())
def test_blocks_add_up_to_the_scores_of_whole_rows(name):
    model, X = models()[name]
    rows = model._later(X)
    scores, (whole, _) = block_scores(model._scores(), rows), compare(model._scores(), np.zeros(3), rows)
    assert scores.blocks == tuple((j,) for j in range(4))
    assert scores.scores.shape == (4, len(X), 3)
    explained = np.isfinite(whole).any(axis=1)
    np.testing.assert_array_equal(np.isfinite(scores.total), np.isfinite(whole))
    relative = [total[explained] - total[explained].max(axis=1, keepdims=True) for total in (scores.total, whole)]
    np.testing.assert_allclose(*relative, atol=1e-9)


def test_a_block_that_no_class_explains_adds_nothing():
    X, y = load_iris(return_X_y=True)
    model = NaiveBayes({j: Histogram() for j in range(4)}).fit(X, y)
    far = X[:3].copy()
    far[:, 1] = 1e6  # outside the histograms of all classes
    explanation = model.explain(far)
    assert (explanation.contributions[:, 1] == 0).all()
    np.testing.assert_array_equal(explanation.labels, model.predict(far))


def test_an_explanation_evaluates_each_column_once(monkeypatch):
    X, y = load_iris(return_X_y=True)
    model = NaiveBayes({j: Gaussian() for j in range(4)}).fit(X, y)
    kind, evaluated = type(model.density_.parts[0]), []
    compare = kind.compare

    def counted(self, X, out):
        evaluated.append(X.shape)
        compare(self, X, out)

    monkeypatch.setattr(kind, "compare", counted)
    model.explain(X)
    assert evaluated == [(150, 1)] * 4
