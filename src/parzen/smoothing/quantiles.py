"""Quantiles of a sum of Gaussians of one width."""

import numpy as np
from scipy import special

from parzen.compute.arrays import Array


def mixture_quantiles(y: Array, share: Array, h: float, levels: Array) -> Array:
    """Quantiles at levels of Gaussians of deviation h around rising points y with weights `share`.

    By Newton's method, kept within brackets.
    """
    near = share > 1e-25 * share.max()
    y, share = y[near], share[near]
    ends, q = (levels <= 0, levels >= 1), np.where((levels > 0) & (levels < 1), levels, 0.5)
    around = h * special.ndtri(q)
    low, high = y[0] + around, y[-1] + around
    x = np.clip(y[np.minimum(np.searchsorted(np.cumsum(share), q * share.sum()), len(y) - 1)], low, high)
    if len(y) > 1024:  # a good start: quantiles of a coarser sum, of neighbours put together
        begin = np.arange(0, len(y), len(y) // 256)
        mass = np.add.reduceat(share, begin)
        x = np.clip(mixture_quantiles(np.add.reduceat(share * y, begin) / mass, mass, h, q), low, high)
    for _ in range(200):
        u = (x[:, None] - y) / h
        off = special.ndtr(u) @ share - q
        slope = np.exp(-0.5 * u**2) @ share / (h * np.sqrt(2 * np.pi))
        low, high = np.where(off < 0, x, low), np.where(off < 0, high, x)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = x - off / slope
        new = np.where((step >= low) & (step <= high), step, low + 0.5 * (high - low))
        moved, x = np.abs(new - x), new
        if not (moved > 1e-13 * (h + np.abs(x))).any():
            break
    return np.where(ends[0], -np.inf, np.where(ends[1], np.inf, x))
