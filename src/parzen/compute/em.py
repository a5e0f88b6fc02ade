"""E-step of a Gaussian mixture over a block of rows, in one pass: the moments weighted by the responsibilities."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dtrtri

from parzen.compute import native
from parzen.compute.arrays import Array
from parzen.compute.device import is_device, routine
from parzen.compute.gaussian import log_normaliser

#: Scores are squares of ``HALF * z`` and logs to base 2.
HALF = float(np.sqrt(0.5 / np.log(2.0)))

#: Rounding, in units of the last place, up to which scores are computed as affine functions of a row.
DIGITS = {np.dtype(np.float64): 1e6, np.dtype(np.float32): 1e3}

#: Of float32 rows: the rounding up to which squares may be subtracted, and the range of weights.
FEWER, LIGHT, HEAVY = 50.0, 1e-25, 1e25


@dataclass(frozen=True)
class Components:
    """Gaussians and their log-weights, prepared for the compiled E-step.

    Attributes
    ----------
    kind : "full", "diagonal" or "shared"
    origin : array of shape (d,)
        Weighted mean of the means; rows are centred about it.
    mean : array of shape (K, d); of "shared" ones slopes of the scores
    inverse : array of shape (K, d, d), (1, d, d) or (K, d): inverses of the factors
    constant : array of shape (K,)
    loss : float
        Factor by which rounding grows: the largest sum of terms that cancel in a score.
    """

    kind: str
    origin: Array
    mean: Array
    inverse: Array
    constant: Array
    loss: float

    def takes(self, X: NDArray[np.floating], w: Array | None = None) -> bool:
        """Whether rows of this type and these weights can be used without losing digits."""
        if X.dtype == np.float32:
            if w is not None and not ((w == 0) | (w > LIGHT) & (w < HEAVY)).all():
                return False
            if self.kind == "shared" and self.loss >= FEWER:
                return False
        return self.loss < DIGITS[X.dtype]


def components(mean: Array, factor: Array, log_weight: Array) -> Components:
    """K Gaussians (factors as in `gaussian_log_density`) with log-weights (K,), prepared for `em_step`."""
    K = len(mean)
    weight = np.exp(log_weight - log_weight.max())
    origin = weight @ mean / weight.sum()
    off = mean - origin
    constant = np.maximum(log_weight, -1e30) + log_normaliser(mean, factor)  # finite in float32 for a weight of zero
    if factor.ndim == 2:
        inverse = 1.0 / factor
        loss = float((np.abs(off) * inverse).max())
        return Components("diagonal", origin, mean, HALF * inverse, constant / np.log(2.0), loss)
    inverse = np.tril([dtrtri(one, lower=1)[0] for one in factor])
    reach = np.abs(off[:, None, :]) + np.sqrt((factor**2).sum(axis=2))[:, None, :]
    loss = float((np.abs(inverse) * reach).sum(axis=2).max())
    if len(factor) < K:
        white = off @ inverse[0].T
        slope = np.ascontiguousarray(white @ inverse[0]) / np.log(2.0)
        constant = (constant - 0.5 * (white**2).sum(axis=1)) / np.log(2.0)
        # Squared distances are differences of large terms, in which digits cancel.
        return Components("shared", origin, slope, HALF * inverse, constant, max(loss, float((white**2).max())))
    return Components("full", origin, mean, HALF * inverse, constant / np.log(2.0), loss)


def em_step(
    X: NDArray[np.floating], w: Array | None, at: Components
) -> tuple[Array, Array, Array, Array, float] | None:
    """Moments of a block of rows weighted by the responsibilities of each component, and the log-likelihood.

    Parameters
    ----------
    X : array of shape (n, d), float32 or float64, with contiguous rows
    w : weights of the rows, (n,), or None
    at : the components

    Returns
    -------
    weight, mean, scatter, carry : as `moments` gives them; of "shared" ones the scatter within all of them, (1, d, d)
    log_likelihood : float
    None where a row has cells that are missing, infinite or too large to be squared.
    """
    if is_device(X):
        return routine("em_step")(X, w, at)
    suffix, matrix = native.rows(X, native.FLOATS)
    n, d = X.shape
    K = len(at.constant)
    alone = at.kind == "diagonal"
    weight, means, carry = np.empty((K, d) if alone else K), np.empty((K, d)), np.empty((K, d))
    scatter = np.empty((K, d) if alone else (len(at.inverse), d, d))
    likelihood = np.empty(1)
    odd = native.call(
        f"em_{at.kind}_{suffix}",
        *matrix,
        None if w is None else native.pointer(w, native.F64, (n,), "weights"),
        K,
        native.pointer(at.origin, native.F64, (d,), "origin"),
        native.pointer(at.mean, native.F64, (K, d), "mean"),
        native.pointer(at.inverse, native.F64, scatter.shape, "inverse"),
        native.pointer(at.constant, native.F64, (K,), "constant"),
        *native.outputs(weight, means, carry, scatter, likelihood),
    )
    return None if odd else (weight, means, scatter, carry, float(likelihood[0]))


def em_step_missing_diagonal(
    X: NDArray[np.floating], w: Array | None, at: Components
) -> tuple[tuple[Array, Array, Array, Array], Array, float] | None:
    """Moments of the observed cells of rows with missing ones (NaN), for diagonal Gaussians; see `em_step`.

    Returns
    -------
    weight, mean, scatter, carry : arrays of shape (K, d), of the observed cells
    weights of the components : array of shape (K,)
    log_likelihood : float
    None where a cell is infinite or too large to be squared.
    """
    suffix, matrix = native.rows(X, native.FLOATS)
    n, d = X.shape
    K = len(at.constant)
    weight, means, carry, scatter = (np.empty((K, d)) for _ in range(4))
    total, likelihood = np.empty(K), np.empty(1)
    odd = native.call(
        f"em_missing_diagonal_{suffix}",
        *matrix,
        None if w is None else native.pointer(w, native.F64, (n,), "weights"),
        K,
        native.pointer(at.origin, native.F64, (d,), "origin"),
        native.pointer(at.mean, native.F64, (K, d), "mean"),
        native.pointer(at.inverse, native.F64, (K, d), "inverse"),
        native.pointer(at.constant, native.F64, (K,), "constant"),
        *native.outputs(weight, means, carry, scatter, total, likelihood),
    )
    return None if odd else ((weight, means, scatter, carry), total, float(likelihood[0]))


def em_step_missing(
    X: NDArray[np.floating], w: Array | None, mean: Array, factor: Array, log_weight: Array
) -> tuple[tuple[Array, Array, Array, Array], tuple[Array, Array, Array, Array], float] | None:
    """Expected moments of rows with missing cells (NaN), for full Gaussians; see `em_step`.

    Rows with the same cells missing should follow one another: their common factors are then computed once.

    Returns
    -------
    weight, mean, scatter, carry of each component, (K,), (K, d), (K, d, d), (K, d)
    weight, mean, scatter, carry of the observed cells, column by column, all (K, d)
        With one factor for all, (1, d, d), the scatter is that within all components, (1, d, d), and that of observed
        cells every component's share of it, by weight.
    log_likelihood : float
    None where a cell is infinite or too large to be squared.
    """
    suffix, matrix = native.rows(X, native.FLOATS)
    n, d = X.shape
    K = len(mean)
    weight, means, carry, scatter = np.empty(K), np.empty((K, d)), np.empty((K, d)), np.empty(factor.shape)
    cells, logs = np.empty((4, K, d)), np.maximum(log_weight, -1e30)  # keeps the array alive during the call
    likelihood = np.empty(1)
    odd = native.call(
        f"em_missing_{suffix}",
        *matrix,
        None if w is None else native.pointer(w, native.F64, (n,), "weights"),
        K,
        len(factor),
        native.pointer(mean, native.F64, (K, d), "mean"),
        native.pointer(factor, native.F64, (len(factor), d, d), "factor"),
        native.pointer(logs, native.F64, (K,), "log_weight"),
        *native.outputs(weight, means, carry, scatter, *cells, likelihood),
    )
    if odd:
        return None
    return (weight, means, scatter, carry), (cells[0], cells[1], cells[3], cells[2]), float(likelihood[0])
