"""Classifiers as softmax and as boundaries, over the table of classifiers; explanations add up to log-odds."""

import copy
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import logsumexp
from sklearn.base import clone

from parzen import (
    BayesClassifier,
    FloorWarning,
    Gaussian,
    GaussianDiscriminant,
    Poisson,
    Product,
)
from tests.laws.classifiers import N, counts, numbers, problem


class TestForms:
    LINEAR = ("discriminant", "BernoulliNB", "MultinomialNB", "LDA", "LDA shrunk")

    @pytest.mark.parametrize("name", LINEAR)
    @pytest.mark.parametrize("offset", [0, 1000])
    def test_the_softmax_has_the_model_s_posteriors(self, name, offset):
        model, X, y, _ = problem(name)
        if offset and name in ("BernoulliNB", "MultinomialNB"):
            pytest.skip("counts have no offset")
        X = X + offset
        softmax = model.fit(X, y).as_linear()
        np.testing.assert_allclose(softmax.predict_proba(X), model.predict_proba(X), rtol=0, atol=1e-10)
        np.testing.assert_array_equal(softmax.predict(X), model.predict(X))
        if name != "BernoulliNB":
            scores = X @ softmax.coef.T + softmax.intercept
            expected = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
            np.testing.assert_allclose(expected, model.predict_proba(X), rtol=0, atol=1e-10 if not offset else 1e-8)
        if name in ("BernoulliNB", "MultinomialNB"):
            found = softmax.predict_proba(sparse.csr_array(X))
            np.testing.assert_allclose(found, model.predict_proba(X), rtol=0, atol=1e-10)

    def test_poisson_and_one_variance_are_linear_too(self):
        rng = np.random.default_rng(0)
        y = np.arange(N) % 3
        X = counts(rng, y)
        model = BayesClassifier(Poisson(estimate="map")).fit(X, y)
        np.testing.assert_allclose(model.as_linear().predict_proba(X), model.predict_proba(X), atol=1e-10)
        both = np.column_stack([X, numbers(rng, y)])
        family = Product({(0, 1, 2): Poisson(estimate="map"), (3, 4, 5): Gaussian("spherical", shared=True)})
        model = BayesClassifier(family).fit(both, y)
        np.testing.assert_allclose(model.as_linear().predict_proba(both), model.predict_proba(both), atol=1e-10)

    def test_what_is_not_linear_says_so(self):
        model, X, y, _ = problem("QDA")
        with pytest.raises(ValueError, match="quadratic"):
            model.fit(X, y).as_linear()
        model, X, y, _ = problem("CategoricalNB")
        with pytest.raises(ValueError, match="are not a polynomial"):
            model.fit(X, y).as_linear()

    @pytest.mark.parametrize(
        "name", ["gaussian", "GaussianNB", "discriminant", "each", "logistic", "logistic of degree 2"]
    )
    def test_the_boundary_is_the_log_odds(self, name):
        model, X, y, _ = problem(name)
        model.fit(X, y)
        logs = model.predict_log_proba(X)
        for first, second in ((0, 1), (2, 0)):
            boundary = model.decision_boundary(first, second)
            expected = logs[:, second] - logs[:, first]
            np.testing.assert_allclose(boundary(X), expected, rtol=1e-8, atol=1e-8)
            plain = np.einsum("ni,ij,nj->n", X, boundary.A, X) + X @ boundary.b + boundary.c
            np.testing.assert_allclose(plain, expected, rtol=1e-8, atol=1e-8)
            assert boundary.is_linear == (name in ("discriminant", "logistic"))
        with pytest.raises(ValueError, match="name the two"):
            model.decision_boundary()

    @given(st.integers(0, 2**31))
    def test_roots_are_where_two_classes_are_equally_likely(self, seed):
        rng = np.random.default_rng(seed)
        y = np.arange(40) % 2
        X = (rng.normal(size=(40, 1)) * (1 + rng.exponential() * y[:, None]) + rng.normal() * y[:, None]) + 1e4
        for shared in (False, True):
            model = GaussianDiscriminant(shared=shared).fit(X, y)
            roots = model.decision_boundary().roots()
            assert len(roots) <= (1 if shared else 2)
            if len(roots):
                np.testing.assert_allclose(model.predict_proba(roots[:, None]), 0.5, atol=1e-6)

    def test_an_offset_of_1e8_leaves_softmax_and_boundary_exact(self):
        model, X, y, _ = problem("discriminant")
        X = np.round(X * 1024) / 1024
        expected = clone(model).fit(X, y).predict_proba(X)
        far = clone(model).fit(X + 1e8, y)
        np.testing.assert_allclose(far.predict_proba(X + 1e8), expected, atol=1e-7)
        np.testing.assert_allclose(far.as_linear().predict_proba(X + 1e8), far.predict_proba(X + 1e8), atol=1e-10)


class TestExplanations:
    NAIVE = ("naive", "GaussianNB", "BernoulliNB", "MultinomialNB", "CategoricalNB", "ComplementNB")

    @pytest.mark.parametrize("name", NAIVE)
    def test_contributions_add_up_to_the_log_odds(self, name):
        model, X, y, _ = problem(name)
        X = np.array(X, dtype=float)
        X[::7, 1] = np.nan
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FloorWarning)
            model.fit(np.nan_to_num(X), y)
        explanation = model.explain(X)
        np.testing.assert_array_equal(explanation.labels, model.predict(X))
        assert (explanation.labels != explanation.against).all()
        if name != "MultinomialNB":  # a missing count leaves a multinomial of the rest
            logs = model.predict_log_proba(X)
            at = np.arange(N)
            np.testing.assert_allclose(
                explanation.total, logs[at, explanation.labels] - logs[at, explanation.against], atol=1e-9
            )
        assert (explanation.contributions[::7, 1] == 0).all()
        chosen = model.explain(X, label=2, against=0)
        assert (chosen.labels == 2).all()
        assert (chosen.against == 0).all()
        with pytest.raises(ValueError, match="two different"):
            model.explain(X, label=2, against=2)

    def test_a_copy_of_a_model_explains_the_same(self):
        model, X, y, _ = problem("naive")
        model.fit(X, y)
        assert model.explain(X).text(3) == copy.deepcopy(model).explain(X).text(3)
