"""Topologies: which transitions of a hidden chain are possible."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_] | None


def allowed(topology: Any, K: int) -> tuple[Mask, Mask]:
    """Possible first states, (K,), and possible transitions, (K, K); None where all are possible.

    Examples
    --------
    >>> allowed("left-right", 3)[1].astype(int)
    array([[1, 1, 0],
           [0, 1, 1],
           [0, 0, 1]])
    """
    expected = f"topology must be 'ergodic', 'left-right', or an array of shape ({K}, {K})"
    if isinstance(topology, str):
        if topology == "ergodic":
            return None, None
        if topology == "left-right":
            return np.arange(K) == 0, np.eye(K, dtype=bool) | np.eye(K, k=1, dtype=bool)
        raise ValueError(f"{expected}, got {topology!r}.")
    try:
        possible = np.asarray(topology, dtype=np.float64)
    except (TypeError, ValueError):
        possible = np.empty(0)
    if possible.shape != (K, K) or not (possible >= 0).all() or not (possible > 0).any(axis=1).all():
        raise ValueError(f"{expected} with a transition from every state, got {topology!r}.")
    return None, possible > 0
