"""Estimates with 95% intervals, as JSON holds them."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

Z = float(ndtri(0.975))


def rounded(value: Any, digits: int = 4) -> float | None:
    """A number to some significant digits; None where it is not finite."""
    value = float(value)
    return float(f"{value:.{digits}g}") if np.isfinite(value) else None


def proportion(count: float, total: float) -> dict[str, Any]:
    """A proportion with Wilson's score interval."""
    if not total:
        return {"value": None, "low": None, "high": None}
    p, z2 = count / total, Z * Z
    middle = (p + z2 / (2 * total)) / (1 + z2 / total)
    half = Z * np.sqrt(p * (1 - p) / total + z2 / (4 * total**2)) / (1 + z2 / total)
    return {"value": rounded(p), "low": rounded(max(middle - half, 0.0)), "high": rounded(min(middle + half, 1.0))}


def mean_interval(values: ArrayLike) -> dict[str, Any]:
    """A mean with its normal interval."""
    known = np.asarray(values, dtype=np.float64)
    mean = float(known.mean())
    half = Z * float(known.std(ddof=1)) / np.sqrt(len(known)) if len(known) > 1 else np.nan
    return {"value": rounded(mean), "low": rounded(mean - half), "high": rounded(mean + half)}


def as_json(value: Any) -> Any:
    """A tree of values as JSON holds it: no NumPy numbers, no NaN, no tuples."""
    if isinstance(value, dict):
        return {str(key): as_json(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(one) for one in value]
    if isinstance(value, np.ndarray):
        return as_json(value.tolist())
    if isinstance(value, np.generic):
        return as_json(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
