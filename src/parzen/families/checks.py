"""Checks that families share."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.families.family import Family
from parzen.statistics.messages import Collapse

ESTIMATES = ("ml", "map", "bayes")


def filled(totals: Array, weight: Array) -> tuple[Array, Array]:
    """Totals and weights in which groups (or cells) without weight have those of all rows together."""
    empty = weight == 0
    whole, heavy = (part.sum(axis=0, keepdims=True) for part in (totals, weight))
    return np.where(empty, whole, totals), np.where(empty, heavy, weight)


def total_or_collapse(weight: Array, what: str) -> None:
    """Raise where a column has no weight in any group together."""
    empty = np.flatnonzero(~(weight.sum(axis=0) > 0))
    if len(empty):
        raise Collapse(
            f"{what} can't be fitted: column {{column}} has no value with any weight; leave such columns out, or give "
            "rows with weight above 0.",
            int(empty[0]),
        )


def check_prior(prior: Any, kind: type, family: str, shape: tuple[int, ...]) -> None:
    """Raise unless a family's prior is None or of its kind, with parameters that broadcast to a shape."""
    if prior is None:
        return
    if not isinstance(prior, kind):
        raise TypeError(f"prior of {family} must be {kind.__name__}, such as {kind.__name__}(...), got {prior!r}.")
    for name, value in vars(prior).items():
        pairs = zip(value.shape[::-1], shape[::-1], strict=False)
        if value.ndim > len(shape) or any(a not in (1, b) for a, b in pairs):
            raise ValueError(
                f"{name} of the prior has shape {value.shape}, but there are {shape[-1]} columns in {shape[0]} groups; "
                "give one number, or one for each column."
            )


def same_parameters(a: Any, b: Any) -> bool:
    """Whether two families (or priors, or other parameters) are equal."""
    if isinstance(a, Family):
        return type(a) is type(b) and same_parameters(a.get_params(deep=False), b.get_params(deep=False))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same_parameters(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return isinstance(b, list | tuple) and len(a) == len(b) and all(map(same_parameters, a, b))
    if hasattr(a, "__dataclass_fields__"):
        return type(a) is type(b) and same_parameters(vars(a), vars(b))
    return bool(np.array_equal(np.asarray(a, dtype=object), np.asarray(b, dtype=object)))


def powers(exponents: Any, logs: Array) -> float:
    """Sum of exponents times logs of probabilities; an exponent of zero is none, at probability zero too."""
    exponents = np.broadcast_to(exponents, logs.shape)
    return float((exponents * np.where(exponents == 0, 0.0, logs)).sum())
