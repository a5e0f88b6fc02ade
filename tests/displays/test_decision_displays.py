"""Displays of decisions: reliability diagrams, cost curves, risk and coverage, costs of confusions."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from parzen import (
    Decision,
    GaussianNB,
    expected_cost,
)


def test_displays_of_decisions(rng):
    pytest.importorskip("matplotlib").use("Agg")
    from parzen.displays import CostConfusionDisplay, CostCurveDisplay, ReliabilityDisplay, RiskCoverageDisplay

    X, y = load_breast_cancer(return_X_y=True)
    model = GaussianNB().fit(X, y)
    assert (
        ReliabilityDisplay.from_estimator(model, X, y)
        .ax_.get_title()
        .startswith("GaussianNB: expected calibration error 0.056")
    )
    predicted, observed = np.repeat([0.1, 0.5, 0.8], 40), np.repeat([6, 18, 34], 40) > np.arange(120) % 40
    diagram = ReliabilityDisplay.from_predictions(observed.astype(int), predicted).ax_.lines[1]
    np.testing.assert_allclose(diagram.get_xydata(), [[0.1, 6 / 40], [0.5, 18 / 40], [0.8, 34 / 40]])
    curve = CostCurveDisplay.from_estimator(model, X, y, [[0, 1], [10, 0]])
    P = model.predict_proba(X)
    for t in (0.2, 0.7):
        taken = (P[:, 1] > t).astype(int)
        at = np.searchsorted(curve.thresholds, t, side="right") - 1
        decision = Decision([[0, 1], [10, 0]], classes=[0, 1])
        assert curve.cost[at] == pytest.approx(expected_cost(y, taken, decision))
    assert RiskCoverageDisplay.from_estimator(model, X, y).curve.coverage[-1] == 1
    display = CostConfusionDisplay.from_predictions(y, model.predict(X), Decision([[0, 1], [10, 0]], classes=[0, 1]))
    assert display.expected_cost == pytest.approx(expected_cost(y, model.predict(X), decision))
    with pytest.raises(ValueError, match="two classes"):
        CostCurveDisplay.from_predictions([0, 1, 2], np.eye(3), np.eye(3))
