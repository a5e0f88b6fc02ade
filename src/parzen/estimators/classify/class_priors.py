"""Class priors as parameters give them."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.checks import probabilities
from parzen.statistics.messages import caller_stacklevel, plain


def read_class_prior(priors: Any, classes: NDArray[Any]) -> Array:
    """Priors of the classes, in their order: from "uniform", a sequence, or a dict from classes."""
    K = len(classes)
    if isinstance(priors, str):
        if priors != "uniform":
            raise ValueError(f"class_prior must be 'uniform', one number for each class, or a dict, got {priors!r}.")
        return np.full(K, 1.0 / K)
    if hasattr(priors, "index") and hasattr(priors, "to_dict"):  # a pandas Series, whose index names the classes
        named = priors.to_dict()
        priors = named if set(named) == set(classes.tolist()) else priors
        if not isinstance(priors, dict) and list(named) != list(range(K)):
            raise ValueError(f"class_prior is indexed by {plain(named)}, but the classes are {classes.tolist()}.")
    if isinstance(priors, dict):
        if set(priors) != set(classes.tolist()):
            raise ValueError(f"class_prior names {plain(priors)}, but the classes are {classes.tolist()}; name each.")
        priors = [priors[label] for label in classes.tolist()]
    if np.ndim(priors) == 1 and len(priors) != K:
        raise ValueError(
            f"Number of priors must match number of classes: class_prior has {len(priors)}, but there are {K} classes, "
            f"{classes.tolist()}."
        )
    return np.array(probabilities(priors, (K,), f"class_prior of the classes {classes.tolist()}"))  # a copy


def normalised(priors: Any) -> Any:
    """Priors as a parameter gives them; numbers that don't sum to one are divided by their sum, with a warning."""
    if priors is None or isinstance(priors, str | dict):
        return priors
    try:
        values = np.asarray(priors, dtype=np.float64)
    except (TypeError, ValueError):
        return priors
    total = values.sum()
    if np.isfinite(total) and total > 0 and abs(total - 1) > 1e-5 and (values >= 0).all():
        warnings.warn(
            f"The priors do not sum to 1 but to {total:g}. Renormalizing.", UserWarning, stacklevel=caller_stacklevel()
        )
        return values / total
    return priors


def log_of(priors: Array) -> Array:
    """Logs of priors, minus infinity of those that are zero."""
    with np.errstate(divide="ignore"):
        logs: Array = np.log(priors, dtype=np.float64)
    return logs
