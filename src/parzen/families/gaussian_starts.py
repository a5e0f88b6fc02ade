"""Short runs of EM for mixtures of plain Gaussians, in one compiled call each: what their starts are compared by."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.partitions import em_run
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.mixture import MixtureDensity
from parzen.families.family import Family
from parzen.families.gaussian import Gaussian

#: Most steps of a short run, the change of a row's log-likelihood that ends it, and that of a run that costs nothing.
STEPS, TOL, FINER_TOL = 30, 1e-3, 1e-4


def run_shape(family: Family) -> str | None:
    """The shape of covariances that a compiled run of EM knows; None where the family asks for more than that."""
    if type(family) is not Gaussian or family._estimate != "ml" or family.prior is not None:
        return None
    if family.fixed_covariance is not None:
        return None
    if any(getattr(family, name) != 0 for name in ("shrinkage", "ridge", "smoothing")):
        return None
    if family.shared is False:
        return family.covariance_type
    return "tied" if family.shared is True and family.covariance_type == "full" else None


def short_run(
    family: Any, shape: str, X: Array, w: Array | None, codes: NDArray[np.int32], C: int, least: float | None
) -> tuple[MixtureDensity, float] | None:
    """The mixture after a few steps of EM from a partition of complete rows, and its log-likelihood; or None.

    A run that would not reach the log-likelihood `least` is given up early; None where runs cost next to nothing.
    """
    tol, least = (FINER_TOL, -np.inf) if least is None else (TOL, least)
    found: Any = em_run(X, w, codes, C, shape, float(family.noise), float(family.floor), STEPS, tol, least)
    if found is None:
        return None
    log_weight, mean, factor, objective = found
    return MixtureDensity(GaussianDensity(mean, factor), log_weight), objective
