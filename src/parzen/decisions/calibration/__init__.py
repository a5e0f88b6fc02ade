"""Calibration: from the log-odds of a classifier to probabilities that agree with observed frequencies.

A calibrator is fitted to log-odds and labels of held-out rows. It reads log-odds rather than probabilities, so that
posteriors of 1 - 1e-30 and of 1 - 1e-20 differ. A new method for two classes is one file and one line in `binary.FITS`.
"""

from parzen.decisions.calibration.beta import BetaCalibrator
from parzen.decisions.calibration.binary import METHODS, fit_binary
from parzen.decisions.calibration.isotonic import IsotonicCalibrator
from parzen.decisions.calibration.multiclass import Calibrator, calibrate
from parzen.decisions.calibration.sigmoid import SigmoidCalibrator
from parzen.decisions.calibration.temperature import fit_temperature
from parzen.decisions.calibration.venn_abers import VennAbers

__all__ = [
    "METHODS",
    "BetaCalibrator",
    "Calibrator",
    "IsotonicCalibrator",
    "SigmoidCalibrator",
    "VennAbers",
    "calibrate",
    "fit_binary",
    "fit_temperature",
]
