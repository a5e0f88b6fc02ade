"""Estimates with 95% intervals, as JSON holds them."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

Z = float(ndtri(0.975))
#: Whole numbers up to this are exact in float64, and are never rounded.
EXACT = 2.0**53


def rounded(value: Any, digits: int = 4) -> float | None:
    """A number to some significant digits; None where it is not finite."""
    value = float(value)
    return float(f"{value:.{digits}g}") if np.isfinite(value) else None


def rounded_within(value: Any, spread: Any, digits: int = 5, own: int = 0) -> float | None:
    """A number to some digits of a spread, so that close numbers stay apart; whole numbers as they are.

    At least so many of its `own` digits are kept.
    """
    value, spread = float(value), float(spread)
    if not np.isfinite(value) or (value == np.floor(value) and abs(value) <= EXACT):
        return value if np.isfinite(value) else None
    if not (np.isfinite(spread) and spread > 0):
        return rounded(value, 12)
    decimals = max(digits - 1 - _power(spread), own - 1 - _power(value)) if own else digits - 1 - _power(spread)
    return round(value, decimals) if decimals < 300 else rounded(value, 2)


def observed(value: Any, spread: Any) -> float | None:
    """A value of a column as a table shows it: to five digits of the column's spread, and to a hundredth at least."""
    value, spread = float(value), float(spread)
    if not np.isfinite(value):
        return None
    return round(value, max(4 - _power(spread), 2)) if 1e-300 < spread < np.inf else rounded(value, 12)


def _power(value: float) -> int:
    """The power of ten of a number's first digit."""
    return int(np.floor(np.log10(abs(value))))


def proportion(count: float, total: float) -> dict[str, Any]:
    """A proportion with Wilson's score interval."""
    if not total:
        return {"value": None, "low": None, "high": None}
    p, z2 = count / total, Z * Z
    middle = (p + z2 / (2 * total)) / (1 + z2 / total)
    half = Z * np.sqrt(p * (1 - p) / total + z2 / (4 * total**2)) / (1 + z2 / total)
    low, high = middle - half if count else 0.0, middle + half if count < total else 1.0
    return {"value": rounded(p, 6), "low": rounded(low, 6), "high": rounded(high, 6)}


def mean_interval(values: ArrayLike) -> dict[str, Any]:
    """A mean with Student's interval, to digits that show its width."""
    known = np.asarray(values, dtype=np.float64)
    mean, half = float(known.mean()), _half_width(known)
    return _estimate(mean, mean - half, mean + half)


def bounded_mean(values: ArrayLike, least: float = 0.0, most: float = np.inf) -> dict[str, Any]:
    """A mean of values that lie between bounds, with an interval that does, too.

    The interval is Student's for the logarithm of the mean's distance from the lower bound (by the delta method):
    losses are skewed, and an interval around their mean reaches below zero. Where the values are the two bounds only,
    it is Wilson's. Where all values are near the lower bound, the upper end is at least that of Wilson's interval of no
    row in n.
    """
    known = np.asarray(values, dtype=np.float64) - least
    n, width = len(known), most - least
    if np.isfinite(width) and width > 0 and np.isin(known, (0.0, width)).all():
        found = proportion(int((known > 0).sum()), n)
        return _estimate(*(least + width * found[name] for name in ("value", "low", "high")))
    mean, half = float(known.mean()), _half_width(known)
    if mean <= 0:
        return _estimate(least, least, least + width * Z * Z / (n + Z * Z))
    low, high = mean * np.exp(-half / mean), mean * np.exp(half / mean)
    if np.isfinite(width):
        high = min(max(high, width * Z * Z / (n + Z * Z)), width)
    return _estimate(least + mean, least + low, least + max(high, mean))


def _half_width(known: NDArray[np.float64]) -> float:
    """Half the width of Student's interval of a mean; NaN for a single value."""
    n = len(known)
    return float(stdtrit(n - 1, 0.975) * known.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan


def _estimate(value: float, low: float, high: float) -> dict[str, Any]:
    """An estimate and its interval, to digits that show the interval's width; no interval without two finite ends."""
    if not (np.isfinite(low) and np.isfinite(high)):
        return {"value": rounded_within(value, abs(value), 4), "low": None, "high": None}
    spread = high - low or abs(value)
    ends = {"value": value, "low": low, "high": high}
    return {name: rounded_within(one, spread, 3, own=2) for name, one in ends.items()}


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
