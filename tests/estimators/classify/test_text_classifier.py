"""Classifiers of texts: words and counts as scikit-learn's, missing texts, tables, files."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_score

from parzen import BernoulliNB, ComplementNB, LogisticRegression, MultinomialNB, TextClassifier, load
from parzen.tables.words import Vocabulary
from tests.libraries import polars as pl


@pytest.fixture
def messages():
    rng = np.random.default_rng(0)
    words = np.array(["win", "Prize", "now!", "home,", "see", "you", "at", "seven", "ünlü", "x_1", "2024", "it's"])
    spam = rng.random(300) < 0.4
    p = np.where(spam[:, None], np.r_[[3.0] * 3, [1.0] * 9], np.r_[[1.0] * 3, [2.0] * 9])
    texts = [" ".join(rng.choice(words, rng.integers(1, 12), p=row / row.sum())) for row in p]
    return texts, np.where(spam, "spam", "ham")


@pytest.mark.parametrize("most", [None, 5])
def test_words_are_counted_as_scikit_learn_counts_them(messages, most):
    texts, _ = messages
    peer = CountVectorizer(token_pattern=r"(?u)\b\w+\b", max_features=most)
    expected = peer.fit_transform(texts)
    found = Vocabulary.of(texts, most)
    assert found.words.tolist() == peer.get_feature_names_out().tolist()
    np.testing.assert_array_equal(found.count(texts).toarray(), expected.toarray())


@pytest.mark.parametrize("inner", [MultinomialNB(), BernoulliNB(), ComplementNB(), LogisticRegression()], ids=str)
def test_it_is_the_classifier_of_the_counts(messages, inner, tmp_path):
    texts, y = messages
    counts = CountVectorizer(token_pattern=r"(?u)\b\w+\b").fit_transform(texts).astype(float)
    model = TextClassifier(inner).fit(texts, y)
    np.testing.assert_allclose(model.predict_proba(texts), clone(inner).fit(counts, y).predict_proba(counts))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(texts)), model.predict_proba(texts))
    assert (model.predict(texts) == model.classes_[model.predict_proba(texts).argmax(axis=1)]).all()
    model.save(tmp_path / "m")
    np.testing.assert_array_equal(load(tmp_path / "m").predict_proba(texts), model.predict_proba(texts))
    assert cross_val_score(model, texts, y, cv=3).mean() > 0.7


def test_texts_come_as_lists_columns_and_tables(messages):
    texts, y = messages
    expected = TextClassifier().fit(texts, y).predict_proba(texts)
    frame = pd.DataFrame({"message": texts})
    for X in (np.array(texts), frame.message, frame, pl.DataFrame(frame), pl.Series(texts), frame.to_numpy()):
        model = TextClassifier().fit(X, y)
        np.testing.assert_array_equal(model.predict_proba(X), expected)
    assert TextClassifier().fit(frame, y).feature_names_in_.tolist() == ["message"]


def test_missing_texts_and_new_words_leave_the_prior(messages):
    texts, y = messages
    model = TextClassifier().fit([*texts, None, np.nan], [*y, "ham", "spam"])
    prior = np.bincount([*(y == "spam").astype(int), 0, 1]) / (len(y) + 2)
    np.testing.assert_allclose(model.predict_proba([None, "", "zebra", pd.NA]), np.tile(prior, (4, 1)))


def test_weights_count_as_rows(messages, rng):
    texts, y = messages
    w = rng.integers(0, 3, len(y))
    texts, w[0] = ["unheard of", *texts[1:]], 0  # words of no row
    kept = np.repeat(np.arange(len(y)), w)
    weighted = TextClassifier().fit(texts, y, sample_weight=w)
    repeated = TextClassifier().fit([texts[i] for i in kept], y[kept])
    np.testing.assert_allclose(weighted.predict_proba(texts), repeated.predict_proba(texts))


def test_questions_that_have_no_answer(messages):
    texts, y = messages
    for X, labels, options, message in (
        ("one text", y, {}, "must be a list of texts"),
        (pd.DataFrame({"a": texts, "b": texts}), y, {}, "one column, of texts, got 2"),
        (["...", "!"], ["a", "b"], {}, "no word"),
        (texts, y, {"max_words": 0}, "max_words must"),
    ):
        with pytest.raises(ValueError, match=message):
            TextClassifier(**options).fit(X, labels)
    model = TextClassifier().fit(pd.DataFrame({"message": texts}), y)
    with pytest.raises(ValueError, match="the column 'other', but the texts were in 'message'"):
        model.predict(pd.DataFrame({"other": texts}))
