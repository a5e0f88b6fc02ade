"""Pictures in the manner of scikit-learn's displays: from an estimator or from predictions, numbers kept."""

from parzen.displays.decisions import CostConfusionDisplay, CostCurveDisplay, ReliabilityDisplay, RiskCoverageDisplay
from parzen.displays.posterior import PosteriorDisplay
from parzen.displays.views import (
    BandwidthDisplay,
    DecisionRegionDisplay,
    DensityDisplay,
    LearningCurveDisplay,
    MixtureDisplay,
)

__all__ = [
    "BandwidthDisplay",
    "CostConfusionDisplay",
    "CostCurveDisplay",
    "DecisionRegionDisplay",
    "DensityDisplay",
    "LearningCurveDisplay",
    "MixtureDisplay",
    "PosteriorDisplay",
    "ReliabilityDisplay",
    "RiskCoverageDisplay",
]
