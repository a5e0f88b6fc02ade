"""The methods of calibration for two classes, by name."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.decisions.calibration.base import BinaryCalibrator
from parzen.decisions.calibration.beta import fit_beta
from parzen.decisions.calibration.histogram import fit_histogram
from parzen.decisions.calibration.isotonic import fit_isotonic
from parzen.decisions.calibration.sigmoid import fit_sigmoid
from parzen.decisions.calibration.temperature import fit_binary_temperature
from parzen.decisions.calibration.venn_abers import fit_venn_abers

#: How each method is fitted to log-odds of the second class, whether a row is of it, and weights.
FITS: dict[str, Callable[[Array, NDArray[np.bool_], Array], BinaryCalibrator]] = {
    "sigmoid": fit_sigmoid,
    "isotonic": fit_isotonic,
    "temperature": fit_binary_temperature,
    "beta": fit_beta,
    "histogram": fit_histogram,
    "venn_abers": fit_venn_abers,
}
METHODS = tuple(FITS)


def fit_binary(method: str, z: Array, y: NDArray[np.bool_], w: Array | None = None) -> BinaryCalibrator:
    """Fit a calibrator of two classes.

    Parameters
    ----------
    method : one of METHODS
    z : array of shape (n,), log-odds of the second class
    y : array of shape (n,), whether a row is of the second class
    w : weights of the rows
    """
    z = np.asarray(z, dtype=np.float64)
    weight = np.ones(len(z)) if w is None else w
    if not weight[y].sum() or not weight[~y].sum():
        raise ValueError("calibration needs rows of both classes, but all have one; give more rows, or fewer folds.")
    return FITS[method](z, y, weight)
