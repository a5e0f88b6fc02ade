"""Ours beside scikit-learn's estimator of the same name."""

import numpy as np
import sklearn.discriminant_analysis
import sklearn.linear_model
import sklearn.naive_bayes

import parzen
from tests.versions import has

PEERS = {
    name: getattr(module, name)
    for module in (sklearn.naive_bayes, sklearn.discriminant_analysis, sklearn.linear_model)
    for name in module.__all__
}


def twins(name, **options):
    return getattr(parzen, name)(**options), PEERS[name](**options)


def share_of_l1(ratio):
    """The penalty of which l1 is this share, as the installed scikit-learn takes it: before 1.8, by a name."""
    if has("scikit-learn", "1.8"):
        return {"l1_ratio": ratio}
    if ratio in (0.0, 1.0):
        return {"penalty": "l1" if ratio else "l2"}
    return {"penalty": "elasticnet", "l1_ratio": ratio}


def same(found, expected, tolerance=1e-9):
    if isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other, tolerance)
    else:
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def compare(ours, theirs, X, y, attributes, weights=None, tolerance=1e-9):
    """The same parameters, attributes and numbers."""
    assert ours.get_params().keys() >= theirs.get_params().keys()
    options = {} if weights is None else {"sample_weight": weights}
    ours.fit(X, y, **options), theirs.fit(X, y, **options)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    for name in attributes:
        same(getattr(ours, name), getattr(theirs, name), tolerance)
    same(ours.predict_log_proba(X), theirs.predict_log_proba(X), tolerance)
    same(ours.predict_proba(X), theirs.predict_proba(X), tolerance)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if hasattr(theirs, "predict_joint_log_proba"):
        same(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), tolerance)
    if hasattr(theirs, "decision_function"):
        same(ours.decision_function(X), theirs.decision_function(X), tolerance)
