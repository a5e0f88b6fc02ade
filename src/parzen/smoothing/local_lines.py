"""Local lines: weighted least squares around each query point."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.local_sums import Averages

#: Variance of the rows, relative to their squared mean distance, below which it is rounding.
LEAST = 1e-10


@dataclass(frozen=True)
class Lines:
    """Local lines: values at the queries, slopes, and leverage of a row at the query.

    Attributes
    ----------
    value : array of shape (m, C)
    slope : array of shape (m, d, C), in units of the bandwidth
    leverage : array of shape (m,)
        Weight of a row at the query in the fitted value, relative to its kernel weight.
    """

    value: Array
    slope: Array
    leverage: Array


def fit_lines(found: Averages, far: NDArray[np.bool_] | None = None) -> Lines:
    """Weighted least-squares lines around queries, from the local averages.

    The slope is zero in directions in which the rows don't spread, and at queries that are `far` from all rows.
    """
    assert found.offset is not None
    assert found.square is not None
    assert found.product is not None
    mean = found.offset
    covariance = found.square - mean[:, :, None] * mean[:, None, :]
    joint = found.product - mean[:, :, None] * found.value[:, None, :]
    wild = ~np.isfinite(covariance).all(axis=(1, 2))
    if far is not None:
        wild |= far
    covariance[wild], joint[wild] = 0.0, 0.0
    # A column in which all rows lie far to one side is left out: its rounding would swamp the other columns.
    aside = np.diagonal(covariance, axis1=1, axis2=2) <= LEAST * mean**2
    covariance[aside[:, :, None] | aside[:, None, :]], joint[aside] = 0.0, 0.0
    # Each system is solved in its own units, the rows' deviations: how wide the bandwidth is does not matter.
    variance = np.diagonal(covariance, axis1=1, axis2=2)
    unit = np.sqrt(np.where(variance > 0, variance, 1.0))
    covariance = covariance / unit[:, :, None] / unit[:, None, :]
    joint = joint / unit[:, :, None]
    if mean.shape[1] == 1:
        spread, axes = covariance[:, :, 0], np.ones((len(mean), 1, 1))
    else:
        spread, axes = np.linalg.eigh(covariance)
    with np.errstate(over="ignore", invalid="ignore"):
        along = np.einsum("mi,mij->mj", mean / unit, axes)
        followed = spread > LEAST * (along**2 + spread.max(axis=1, keepdims=True))
        inverse = np.where(followed, 1.0 / np.where(followed, spread, 1.0), 0.0)
        along = np.where(followed, along, 0.0)
    slope = np.einsum("mij,mj,mkj,mkc->mic", axes, inverse, axes, joint) / unit[:, :, None]
    value = found.value - np.einsum("mj,mj,mkj,mkc->mc", along, inverse, axes, joint)
    return Lines(value, slope, 1.0 + (along**2 * inverse).sum(axis=1))
