"""Class priors that shift: Bayes' rule for new priors, and their estimate from rows without labels."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification

from parzen import (
    DecisionClassifier,
    GaussianNB,
    adjust_class_priors,
    estimate_class_priors,
)


class TestClassPriors:
    def test_new_priors_are_bayes_rule(self, rng):
        x = rng.normal(size=100)
        likelihood = np.column_stack([np.exp(-0.5 * x**2), np.exp(-0.5 * (x - 1) ** 2)])

        def posterior(share):
            joint = likelihood * share
            return joint / joint.sum(axis=1, keepdims=True)

        np.testing.assert_allclose(
            adjust_class_priors(posterior([0.5, 0.5]), [0.5, 0.5], [0.9, 0.1]), posterior([0.9, 0.1])
        )

    def test_priors_of_unlabelled_rows_are_estimated(self, rng):
        X, y = make_classification(6000, class_sep=1.5, random_state=0)
        model = GaussianNB().fit(X[:3000], y[:3000])
        model = DecisionClassifier(model, calibration="sigmoid", cv="prefit").fit(X[:3000], y[:3000])
        kept = np.concatenate([np.flatnonzero(y[3000:] == 0)[:200], np.flatnonzero(y[3000:] == 1)]) + 3000
        truth = np.bincount(y[kept]) / len(kept)
        found = estimate_class_priors(model.predict_proba(X[kept]), model.class_prior_)
        np.testing.assert_allclose(found, truth, atol=0.03)
        shifted = clone(model).set_params(estimator=model.estimator_, class_prior="estimate").fit(X[:3000], y[:3000])
        assert shifted.score(X[kept], y[kept]) >= model.score(X[kept], y[kept])

    @pytest.mark.parametrize("sharpness", [1.0, 3.0])
    def test_the_estimate_is_where_plain_em_ends(self, sharpness, rng):
        """The family `PriorShift`, iterated by `fit`, against the loop of Saerens, Latinne & Decaestecker (2002)."""
        for K, n in ((2, 500), (3, 2000), (5, 2000)):
            old, true, mean = rng.dirichlet(np.full(K, 3.0)), rng.dirichlet(np.full(K, 3.0)), 2 * np.arange(K)
            x = mean[rng.choice(K, n, p=true)] + rng.normal(size=n) / sharpness
            joint = old * np.exp(-0.5 * (sharpness * (x[:, None] - mean)) ** 2)
            posterior = joint / joint.sum(axis=1, keepdims=True)
            prior, change = old, 1.0
            while change > 1e-13:
                found = adjust_class_priors(posterior, old, prior).mean(axis=0)
                prior, change = found, np.abs(found - prior).max()
            np.testing.assert_allclose(estimate_class_priors(posterior, old), prior, atol=1e-7)

    def test_certain_rows_are_counted(self):
        posterior = np.eye(3)[[0, 0, 1, 0, 0]]
        np.testing.assert_allclose(estimate_class_priors(posterior, [0.2, 0.3, 0.5]), [0.8, 0.2, 0.0], atol=1e-15)

    def test_bad_priors_are_named(self):
        with pytest.raises(ValueError, match="old_prior must be 2 class priors"):
            adjust_class_priors([[0.5, 0.5]], [1.0], [0.5, 0.5])
        with pytest.raises(ValueError, match="old_prior must be class priors, finite and above 0"):
            estimate_class_priors([[0.5, 0.5]], [0.0, 1.0])
