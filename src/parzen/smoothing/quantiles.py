"""Quantiles of a sum of Gaussians of one width."""

import numpy as np
from scipy import special

from parzen.compute.arrays import Array


def mixture_quantiles(y: Array, share: Array, h: float, levels: Array) -> Array:
    """Quantiles at levels of Gaussians of deviation h around rising points y with weights `share`, which sum to one.

    Each by the tail in which its probability is the smaller number, so that no digit is lost.
    """
    out, upper = np.empty(len(levels)), levels > 0.5
    out[~upper] = _below(y, share, h, levels[~upper])
    out[upper] = -_below(-y[::-1], share[::-1], h, 1.0 - levels[upper])
    return out


def _below(y: Array, share: Array, h: float, levels: Array) -> Array:
    """Quantiles at levels up to 1/2, by Newton's method for the logarithm of the probability, kept within brackets."""
    known = levels > 0
    if not known.any():
        return np.full(len(levels), -np.inf)
    q = np.where(known, levels, 0.5)
    near = share > 1e-18 * float(q.min()) * float(share.max())
    y, share = y[near], share[near]
    around = h * special.ndtri(q)
    low, high = y[0] + around, y[-1] + around
    x = np.clip(y[np.minimum(np.searchsorted(np.cumsum(share), q * share.sum()), len(y) - 1)], low, high)
    if len(y) > 1024:  # a good start: quantiles of a coarser sum, of neighbours put together
        begin = np.arange(0, len(y), len(y) // 256)
        mass = np.add.reduceat(share, begin)
        x = np.clip(_below(np.add.reduceat(share * y, begin) / mass, mass, h, q), low, high)
    for _ in range(200):
        u = (x[:, None] - y) / h
        below, slope = special.ndtr(u) @ share, np.exp(-0.5 * u**2) @ share / (h * np.sqrt(2 * np.pi))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            off = np.log(below) - np.log(q)
            step = x - off * below / slope
        low, high = np.where(off < 0, x, low), np.where(off < 0, high, x)
        new = np.where((step >= low) & (step <= high), step, low + 0.5 * (high - low))
        moved, x = np.abs(new - x), new
        if not (moved > 1e-14 * (h + np.abs(x))).any():
            break
    return np.where(known, x, -np.inf)
