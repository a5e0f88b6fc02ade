"""Sums over distances beyond a threshold."""

import numpy as np


def pareto_sums(y, w, ratios):
    """Sums of w log(1 + t y) and of w t y / (1 + t y), at each ratio t."""
    x = ratios[:, None] * y
    return np.log1p(x) @ w, (x / (1 + x)) @ w
