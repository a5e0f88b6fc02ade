"""A known density of one column, given as a distribution, a fitted estimator or a function."""

from collections.abc import Callable
from typing import Any

import numpy as np

from parzen.compute.arrays import Array


def true_density(truth: Any, bounds: tuple[float, float] | None) -> tuple[Callable[[Array], Array], float, float]:
    """The density as a function of an array, and the interval (low, high) that holds it."""
    if hasattr(truth, "pdf"):
        inverse = truth.ppf if hasattr(truth, "ppf") else truth.icdf
        low, high = bounds or (float(inverse(1e-10)), float(inverse(1 - 1e-10)))
        return lambda x: np.asarray(truth.pdf(x), dtype=np.float64), float(low), float(high)
    if hasattr(truth, "score_samples"):
        if bounds is None and not hasattr(truth, "quantile"):
            raise ValueError(
                f"bounds must be given with a {type(truth).__name__}: (low, high), the interval that holds it."
            )
        low, high = bounds or tuple(truth.quantile([1e-10, 1 - 1e-10]))
        known = getattr(truth, "density_", None)
        if known is not None:
            return lambda x: np.exp(known.log_density(x[:, None])[:, 0]), float(low), float(high)
        return lambda x: np.exp(truth.score_samples(x[:, None])), float(low), float(high)
    if not callable(truth):
        raise TypeError(
            f"truth must be a SciPy distribution, a fitted estimator or a function, got {type(truth).__name__}."
        )
    if bounds is None:
        raise ValueError("bounds must be given with a function: (low, high), the interval that holds it.")
    return lambda x: np.asarray(truth(x), dtype=np.float64), float(bounds[0]), float(bounds[1])
