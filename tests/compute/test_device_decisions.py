"""Decisions from probabilities that are tensors, as if they lay on a device."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: `make test-gpu` installs it and runs these.")

from parzen import Decision, DecisionClassifier, GaussianNB, LogisticRegression  # noqa: E402
from tests.compute.tensors import as_on_a_device, there  # noqa: E402, F401

pytestmark = pytest.mark.usefixtures("as_on_a_device")

LOSS = [[0.0, 1.0, 1.0], [2.0, 0.0, 1.0], [1.0, 5.0, 0.0]]


def labelled(n=300):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    return X, (X @ rng.normal(size=(2, 3)) + rng.gumbel(size=(n, 3))).argmax(axis=1)


@pytest.mark.parametrize(
    "decision",
    [Decision(LOSS), Decision("zero_one"), Decision("zero_one", abstain=0.3, abstention=-1, classes=[4, 5, 9])],
    ids=["matrix", "zero_one", "abstain"],
)
def test_actions_by_a_loss_are_those_of_arrays(decision):
    P = np.random.default_rng(1).dirichlet(np.ones(3), 500)
    found = decision.act(there(P))
    assert isinstance(found, torch.Tensor)
    np.testing.assert_array_equal(found.cpu().numpy(), decision.act(P))


@pytest.mark.parametrize("estimator", [GaussianNB(), LogisticRegression()], ids=str)
@pytest.mark.parametrize("loss", ["zero_one", LOSS], ids=["zero_one", "matrix"])
def test_a_classifier_that_acts_on_tensors(estimator, loss):
    X, y = labelled()
    w = np.random.default_rng(2).random(len(X))
    model = DecisionClassifier(estimator, loss=loss).fit(X, y, sample_weight=w)
    expected, P, logs = model.predict(X), model.predict_proba(X), model.predict_log_proba(X)
    model = DecisionClassifier(estimator, loss=loss).fit(there(X), there(y), sample_weight=there(w))
    np.testing.assert_array_equal(model.predict(there(X)).cpu().numpy(), expected)
    np.testing.assert_allclose(model.predict_proba(there(X)).cpu().numpy(), P, atol=1e-9)
    np.testing.assert_allclose(model.predict_log_proba(there(X)).cpu().numpy(), logs, atol=1e-7)


def test_actions_that_are_text_are_an_array():
    P = np.random.default_rng(1).dirichlet(np.ones(2), 50)
    decision = Decision([[0, 1], [20, 0]], classes=["letter", "spam"])
    assert decision.act(there(P)).tolist() == decision.act(P).tolist()


def test_what_is_not_decided_there_names_the_way():
    X, y = labelled()
    for options in ({"calibration": "temperature"}, {"class_prior": [0.2, 0.3, 0.5]}):
        with pytest.raises(TypeError, match=r"X\.cpu\(\)"):
            DecisionClassifier(GaussianNB(), **options).fit(there(X), there(y))
        with pytest.raises(TypeError, match=r"X\.cpu\(\)"):
            DecisionClassifier(GaussianNB(), **options).fit(X, y).predict(there(X))
    P = np.full((4, 3), 1.0 / 3.0)
    with pytest.raises(TypeError, match=r"X\.cpu\(\)"):
        Decision("squared").act(there(P))
    P[2, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        Decision(LOSS).act(there(P))
