"""Predicted probabilities of classes, as a classifier gives them."""

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array
from parzen.compute.checks import probabilities


def class_probabilities(posterior: ArrayLike, name: str = "posterior") -> Array:
    """Predicted probabilities, (n, K), or an error that says what is wrong with them.

    Of shape (n,), they are the probabilities of the second of two classes.
    """
    P = np.asarray(posterior, dtype=np.float64)
    if P.ndim == 1 and P.size:
        P = np.column_stack([1.0 - P, P])
    if P.ndim != 2 or P.shape[1] < 2:
        raise ValueError(f"{name} must have shape (rows, classes), with at least 2 classes, got {P.shape}.")
    return probabilities(P, (None, None), name)
