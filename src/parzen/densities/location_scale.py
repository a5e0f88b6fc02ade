"""Location-scale densities: what Gaussian and Student t densities share."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array, as_floats
from parzen.densities.parametric import ParametricDensity


class LocationScale(ParametricDensity):
    """K densities with a location (K, d), the first parameter, and a Cholesky factor or scales (K, d)."""

    factor: Array

    @property
    def independent_columns(self) -> bool:
        return self.factor.ndim == 2


def standardised(X: Any, location: Array, factor: Array) -> Array:
    """Rows of the only column in units of each density, (n, K)."""
    if location.shape[1] > 1:
        raise TypeError("cdf is offered for one column; take a marginal first.")
    return np.asarray((as_floats(X, 1) - location[:, 0]) / factor.reshape(-1))
