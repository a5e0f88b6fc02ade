"""Pictures in the manner of scikit-learn's displays: from an estimator or from predictions, numbers kept."""

from parzen.displays.bandwidth import BandwidthDisplay
from parzen.displays.cost_confusion import CostConfusionDisplay
from parzen.displays.cost_curve import CostCurveDisplay
from parzen.displays.density import DensityDisplay
from parzen.displays.learning_curve import LearningCurveDisplay
from parzen.displays.mixture import MixtureDisplay
from parzen.displays.network import NetworkDisplay
from parzen.displays.posterior import PosteriorDisplay
from parzen.displays.regions import DecisionRegionDisplay
from parzen.displays.reliability import ReliabilityDisplay
from parzen.displays.risk_coverage import RiskCoverageDisplay

__all__ = [
    "BandwidthDisplay",
    "CostConfusionDisplay",
    "CostCurveDisplay",
    "DecisionRegionDisplay",
    "DensityDisplay",
    "LearningCurveDisplay",
    "MixtureDisplay",
    "NetworkDisplay",
    "PosteriorDisplay",
    "ReliabilityDisplay",
    "RiskCoverageDisplay",
]
