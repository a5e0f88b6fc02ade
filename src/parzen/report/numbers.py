"""Numbers of a report, each with its interval, as JSON holds them."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

Z = float(ndtri(0.975))


def rounded(value: Any, digits: int = 4) -> float | None:
    """A number to some digits; None where there is none."""
    value = float(value)
    return float(f"{value:.{digits}g}") if np.isfinite(value) else None


def share(part: float, whole: float) -> dict[str, Any]:
    """A share with Wilson's interval of 95%."""
    if not whole:
        return {"value": None, "low": None, "high": None}
    p, z2 = part / whole, Z * Z
    middle = (p + z2 / (2 * whole)) / (1 + z2 / whole)
    half = Z * np.sqrt(p * (1 - p) / whole + z2 / (4 * whole**2)) / (1 + z2 / whole)
    return {"value": rounded(p), "low": rounded(max(middle - half, 0.0)), "high": rounded(min(middle + half, 1.0))}


def interval_of_mean(values: ArrayLike) -> dict[str, Any]:
    """A mean with its interval of 95%."""
    known = np.asarray(values, dtype=np.float64)
    mean = float(known.mean())
    half = Z * float(known.std(ddof=1)) / np.sqrt(len(known)) if len(known) > 1 else np.nan
    return {"value": rounded(mean), "low": rounded(mean - half), "high": rounded(mean + half)}


def clean(value: Any) -> Any:
    """A tree as JSON holds it: no numbers of NumPy's, no NaN, no tuples."""
    if isinstance(value, dict):
        return {str(key): clean(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [clean(one) for one in value]
    if isinstance(value, np.ndarray):
        return clean(value.tolist())
    if isinstance(value, np.generic):
        return clean(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
