"""Bayes classifiers: a family for each class, class priors by name, labels that are missing, batches and shards."""

import numpy as np
import pandas as pd
import pytest

from parzen import (
    BayesClassifier,
    Gaussian,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
)


def test_densities_of_several_kinds_by_class(rng):
    X = np.concatenate([rng.normal(size=(200, 2)), rng.normal(size=(200, 2)) * [3, 0.2]])
    y = np.repeat(["round", "flat"], 200)
    model = BayesClassifier({"round": Gaussian("spherical"), "flat": Gaussian()}).fit(X, y)
    assert model.score(X, y) > 0.85
    with pytest.raises(ValueError, match="family names"):
        BayesClassifier({"round": Gaussian(), "x": Gaussian()}).fit(X, y)


def test_a_family_for_each_class_needs_rows_of_each(iris):
    X, y = iris
    model = BayesClassifier(dict.fromkeys(["se", "ve", "vi"], Gaussian()))
    with pytest.raises(ValueError, match=r"classes \['vi'\] have no rows yet"):
        model.partial_fit(X[:100], y[:100], classes=["se", "ve", "vi"])


def test_a_list_of_labels_with_a_nan(iris):
    X, y = iris
    labels = [float("nan") if label == "vi" else label for label in y]
    assert BayesClassifier(Gaussian("diag")).fit(X, labels).classes_.tolist() == ["se", "ve"]
    with pytest.raises(ValueError, match="without a label"):
        LogisticRegression().fit(X, labels)
    masked = np.ma.masked_array(np.arange(150) % 3, mask=np.arange(150) < 5)
    assert GaussianNB().fit(X, masked).class_count_.sum() == pytest.approx(150)


def test_priors_in_a_series_are_by_name(iris):
    X, y = iris
    shares = pd.Series({"vi": 0.5, "se": 0.2, "ve": 0.3})
    assert GaussianNB(priors=shares).fit(X, y).class_prior_.tolist() == [0.2, 0.3, 0.5]
    expected = GaussianNB(priors=[0.2, 0.3, 0.5]).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(GaussianNB().fit(X, y).predict_proba(X, class_prior=shares), expected)
    assert GaussianNB(priors=pd.Series([0.2, 0.3, 0.5])).fit(X, y).class_prior_.tolist() == [0.2, 0.3, 0.5]
    with pytest.raises(ValueError, match="indexed by"):
        GaussianNB(priors=pd.Series({"x": 0.5, "se": 0.2, "ve": 0.3})).fit(X, y)


class TestState:
    def test_parameters_set_after_fitting_wait_for_the_next(self, iris):
        X, y = iris
        for model, change in (
            (LogisticRegression(), {"degree": 2}),
            (GaussianNB(), {"var_smoothing": "x"}),
            (BayesClassifier(), {"family": "oops"}),
            (LinearDiscriminantAnalysis(), {"solver": "eigen", "n_components": 9}),
        ):
            model.fit(X, y)
            before = model.predict_proba(X)
            extra = model.transform(X) if hasattr(model, "transform") else getattr(model, "epsilon_", 0.0)
            model.set_params(**change)
            np.testing.assert_array_equal(model.predict_proba(X), before)
            after = model.transform(X) if hasattr(model, "transform") else getattr(model, "epsilon_", 0.0)
            np.testing.assert_array_equal(after, extra)

    def test_what_was_found_by_iteration_does_not_add(self, iris):
        X, y = iris
        model = GaussianNB().fit(X, np.where(np.arange(150) % 2 == 0, y, None))
        with pytest.raises(ValueError, match="don't add"):
            model.partial_fit(X, y)

    def test_shards_with_other_priors_or_of_another_kind_do_not_merge(self, iris):
        X, y = iris
        with pytest.raises(ValueError, match="different priors"):
            GaussianNB().fit(X, y).merge(GaussianNB(priors="uniform").fit(X, y))
        with pytest.raises(TypeError, match="only a GaussianNB"):
            GaussianNB().fit(X, y).merge(LogisticRegression().fit(X, y))


class TestKnownDensities:
    def test_scipys_and_ours_give_bayes_rule(self, rng):
        from scipy import stats

        known = {"a": stats.norm(0, 1), "b": stats.gamma(3.0, scale=0.5), "c": Gaussian.from_parameters(2, 4)}
        x = rng.normal(1, 2, 50)
        joint = [0.2 * stats.norm.pdf(x), 0.3 * stats.gamma.pdf(x, 3, scale=0.5), 0.5 * stats.norm.pdf(x, 2, 2)]
        expected = (np.array(joint) / np.sum(joint, axis=0)).T
        y = np.repeat(["a", "b", "c"], [10, 15, 25])
        fitted = BayesClassifier(known).fit(x[:, None], y)
        for model in (fitted, BayesClassifier(list(known.values())).fit(x[:, None], y)):
            np.testing.assert_allclose(model.predict_proba(x[:, None]), expected, atol=1e-12)
        given = BayesClassifier.from_densities(known, [0.2, 0.3, 0.5])
        np.testing.assert_allclose(given.predict_proba(x[:, None]), expected, atol=1e-12)
        assert fitted.n_parameters_ == 2
        assert given.n_parameters_ == 0
        rows, labels = given.sample(2000, random_state=0)
        assert rows[labels == "b"].mean() == pytest.approx(1.5, abs=0.15)

    def test_normals_have_a_boundary(self):
        from scipy import stats

        model = BayesClassifier.from_densities(
            {0: stats.multivariate_normal([0, 0]), 1: stats.multivariate_normal([2, 0])}
        )
        boundary = model.decision_boundary()
        assert boundary.kind == "line"
        np.testing.assert_allclose(boundary(np.array([[1.0, 5.0]])), 0, atol=1e-12)
        np.testing.assert_allclose(model.mahalanobis(np.array([[0.0, 3.0]])), [[3, np.sqrt(13)]])

    def test_others_are_refused(self):
        with pytest.raises(TypeError, match="two or more classes"):
            BayesClassifier.from_densities({0: Gaussian()})


def test_criteria_ask_whether_classes_share_a_covariance(rng):
    X, y = rng.normal(size=(300, 2)), np.repeat([0, 1], 150)
    X[y == 1] += 2
    apart, shared = BayesClassifier(Gaussian()).fit(X, y), BayesClassifier(Gaussian(shared=True)).fit(X, y)
    assert (apart.n_parameters_, shared.n_parameters_) == (2 * 2 + 2 * 3 + 1, 2 * 2 + 3 + 1)
    joint = shared.log_joint(X)[np.arange(300), y].sum()
    assert shared.log_likelihood(X, y) == pytest.approx(joint)
    assert shared.bic(X, y) == pytest.approx(8 * np.log(300) - 2 * joint)
    assert shared.aic(X, y) == pytest.approx(2 * 8 - 2 * joint)
    assert shared.bic(X, y) < apart.bic(X, y)
    assert shared.bic(X, y, np.full(300, 2.0)) == pytest.approx(8 * np.log(600) - 4 * joint)
    X[y == 1] = 2 + 3 * (X[y == 1] - 2)
    assert apart.fit(X, y).bic(X, y) < shared.fit(X, y).bic(X, y)
