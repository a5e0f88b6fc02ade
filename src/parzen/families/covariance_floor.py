"""Floors and shrinkage of covariances, in units of the data's own variances."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dtrtri

from parzen.compute.arrays import Array
from parzen.densities.factors import lower_triangle
from parzen.statistics.messages import Collapse, floors_are_refused, named_groups, warn_floor
from parzen.statistics.moments import Moments


def covariance_factors(covariance: Array, statistic: Moments, floor: float) -> Array:
    """Cholesky factors of covariances that were found elsewhere, floored in the units of the data."""
    cells = statistic.observed or statistic
    return factors(covariance, floor_units(cells), floor)


def with_empty_groups_filled(statistic: Moments) -> Moments:
    """The statistic, in which groups (or columns of them) without weight have that of all rows together."""
    empty = statistic.weight == 0
    if not empty.any():
        return statistic
    pooled = statistic.pooled()
    groups = np.flatnonzero(empty if empty.ndim == 1 else empty.any(axis=1))
    warn_floor(f"{named_groups(groups)} have no weight (in some column); they get the estimate of all rows together.")
    parts = {}
    for name in ("weight", "mean", "scatter", "carry", "cubic", "quartic"):
        own, whole = getattr(statistic, name), getattr(pooled, name)
        if own is not None and len(own) == len(empty):
            lacking = empty if empty.ndim == own.ndim else empty.reshape(len(empty), *(1,) * (own.ndim - 1))
            parts[name] = np.where(lacking, whole, own)
    return replace(statistic, **parts)


def pooled_variances(whole: Moments) -> Array:
    """Variance of each column over all rows, (1, d); of constant ones, that of an average column."""
    variances = whole.variances()
    if not np.isfinite(variances).all():
        raise ValueError(
            "the moments of X are not finite: its cells are infinite or too large to be squared; rescale them."
        )
    constant = _constant(variances, whole.mean)
    return np.where(constant, variances[~constant].mean() if (~constant).any() else 1.0, variances)


def floor_units(seen: Moments) -> Array:
    """Least variance of each column in a group where it varies, (1, d): what differs between groups is no spread.

    It is at least 1e-12 of the variance of all rows, which is computed where it matters only.
    """
    own = seen.variances()
    constant = _constant(own, seen.mean)
    if not constant.any():
        least = own.min(axis=0, keepdims=True)
        whole = own.max(axis=0) + (seen.mean.max(axis=0) - seen.mean.min(axis=0)) ** 2  # no less than that of all rows
        if (least >= 1e-12 * whole).all() and np.isfinite(whole).all():
            return np.asarray(least)
    pooled = pooled_variances(seen.pooled())
    varying = np.where(constant, np.inf, own).min(axis=0, keepdims=True)
    return np.where(np.isfinite(varying), np.maximum(varying, 1e-12 * pooled), pooled)


def _constant(variances: Array, mean: Array) -> NDArray[np.bool_]:
    """What rounding leaves of a constant column's variance is no variance."""
    return variances <= (8 * np.finfo(np.float64).eps * mean) ** 2


def floored_variances(variance: Array, units: Array, floor: float) -> Array:
    """Variances of independent columns, those below the floor raised to it with a warning."""
    low = variance < floor * units if floor else variance <= 0
    if low.any():
        _say_floored(np.flatnonzero(low.any(axis=1)), floor)
    return np.maximum(variance, floor * units)


def _say_floored(groups: Any, floor: float) -> None:
    what = (
        f"the (co)variance of {named_groups(groups)} is singular: too few distinct rows, or columns that are "
        "constant or depend on each other"
    )
    if not floor or floors_are_refused():
        raise Collapse(f"{what}; give floor above 0, shrinkage, or a prior with estimate='map' or 'bayes'.")
    warn_floor(
        f"{what}. Variances were raised to floor={floor:g} times the data's own; for a spread that means something use "
        "shrinkage, covariance_type='diag', or estimate='bayes'."
    )


def shrunk(covariance: Array, share: Array) -> Array:
    """Covariances shrunk towards a multiple of the identity."""
    d = covariance.shape[1]
    level = np.trace(covariance, axis1=1, axis2=2)[:, None, None] / d
    return (1 - share) * covariance + share * level * np.eye(d)


def shrinkage_share(rule: Any, covariance: Array, spread: Moments) -> Array:
    """Shrinkage of each covariance, (K, 1, 1): a number, or by a rule, "ledoit_wolf" or "oas"."""
    if not isinstance(rule, str):
        return np.full((len(covariance), 1, 1), float(rule))
    d, n = covariance.shape[1], spread.weight[:, None, None]
    size = (covariance**2).sum(axis=(1, 2), keepdims=True)
    level = np.trace(covariance, axis1=1, axis2=2)[:, None, None] / d
    if rule == "oas":  # Chen, Wiesel, Eldar & Hero (2010), in scikit-learn's form
        alpha = size / d**2
        above, below = alpha + level**2, (n + 1) * (alpha - level**2 / d)
        return np.where(below > 0, np.minimum(above / np.where(below > 0, below, 1.0), 1.0), 1.0)
    assert spread.quartic is not None  # observed wherever "ledoit_wolf" is asked for
    fourth = spread.quartic.sum(axis=(1, 2), keepdims=True)
    distance = size - d * level**2
    noise = np.minimum((fourth / n - size) / n, distance)
    return np.where(distance > 0, noise / np.where(distance > 0, distance, 1.0), 0.0)


def _inverses(factor: Array) -> Array:
    """Inverses of lower triangles; of large ones, by a routine that knows they are."""
    if factor.shape[1] <= 64:
        return np.linalg.inv(factor).astype(np.float64, copy=False)
    return np.stack([dtrtri(one, lower=1)[0] for one in factor])


def factors(covariance: Array, units: Array, floor: float) -> Array:
    """Cholesky factors, with eigenvalues not below the floor, in units of each group's own variances."""
    own = np.diagonal(covariance, axis1=1, axis2=2)
    scale = np.sqrt(np.where((own > 0) & (own >= floor * units), own, units))
    least = max(floor, scale.shape[1] * np.finfo(np.float64).eps)  # below, an eigenvalue is rounding
    relative = covariance / (scale[:, :, None] * scale[:, None, :])
    try:
        found = np.linalg.cholesky(relative)
        # The trace of the inverse bounds the least eigenvalue.
        sound = (_inverses(found) ** 2).sum(axis=(1, 2)) * least < 1
    except np.linalg.LinAlgError:
        found, sound = np.empty_like(relative), np.zeros(len(relative), dtype=bool)
    low = []
    for k in np.flatnonzero(~sound):
        values, vectors = np.linalg.eigh(relative[k])
        if values[0] < least:
            low.append(k)
        found[k] = lower_triangle((vectors * np.sqrt(np.maximum(values, floor)))[None])[0]
    if low:
        _say_floored(low, floor)
    return found * scale[:, :, None]
