"""Scores of predicted probabilities and of decisions. They are statistics: scores of several batches add."""

from parzen.decisions.scores.brier import BrierScore, brier_scores
from parzen.decisions.scores.costs import confusion_matrix, expected_cost
from parzen.decisions.scores.probability import ProbabilityScores, score_probabilities
from parzen.decisions.scores.reliability import CalibrationError, Reliability
from parzen.decisions.scores.risk_coverage import RiskCoverage, risk_coverage

__all__ = [
    "BrierScore",
    "CalibrationError",
    "ProbabilityScores",
    "Reliability",
    "RiskCoverage",
    "brier_scores",
    "confusion_matrix",
    "expected_cost",
    "risk_coverage",
    "score_probabilities",
]
