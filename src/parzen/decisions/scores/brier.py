"""The Brier score, and its decomposition into reliability, resolution and uncertainty."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array


class BrierScore(NamedTuple):
    """The Brier score and its parts (Murphy 1973): score = reliability - resolution + uncertainty + within.

    The last part is the variation of predicted probabilities within bins (Stephenson, Coelho & Jolliffe 2008).
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float


def brier_scores(posterior: Array, codes: NDArray[np.intp]) -> Array:
    """Brier score of each row, (n,): of two classes that of the second, of more the sum over them, as in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> brier_scores(np.array([[0.2, 0.8], [0.5, 0.5]]), np.array([1, 0])).round(2)
    array([0.04, 0.25])
    """
    return share_of_squares(posterior.shape[1]) * squared_errors(posterior, codes)


def squared_errors(posterior: Array, codes: NDArray[np.intp]) -> Array:
    """Squared errors of predicted probabilities, summed over the classes, (n,)."""
    errors: Array = ((posterior - (codes[:, None] == np.arange(posterior.shape[1]))) ** 2).sum(axis=1)
    return errors


def share_of_squares(K: int) -> float:
    """The part of the squared errors of K classes that is the Brier score: with two, the errors of both are equal."""
    return 0.5 if K == 2 else 1.0


def decompose(score: float, weight: Array, predicted: Array, observed: Array, total: float) -> BrierScore:
    """The parts of a Brier score.

    Parameters
    ----------
    weight : array of shape (K, B), of the rows in each bin of each class's predicted probability
    predicted, observed : arrays of shape (K, B)
        Weighted sums of predicted probabilities, and weights of the rows of the class.
    total : weight of all rows
    """
    filled = np.where(weight > 0, weight, 1.0)
    base_rate = observed.sum(axis=1, keepdims=True) / total
    frequency, forecast = observed / filled, predicted / filled
    reliability = float((weight * (forecast - frequency) ** 2).sum() / total)
    resolution = float((weight * (frequency - base_rate) ** 2).sum() / total)
    uncertainty = float((base_rate * (1 - base_rate)).sum())
    return BrierScore(score, reliability, resolution, uncertainty, score - (reliability - resolution + uncertainty))
