"""Cells that are 0 or 1, as they are or by a threshold."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import ColumnError, as_floats, canonical, check_columns
from parzen.compute.codes import as_codes
from parzen.compute.device import is_device, routine
from parzen.compute.sparse import bits

BITS = "Bernoulli needs cells that are 0, 1 or NaN, but column {{column}} holds {value:g}; binarise it: X > threshold."


def as_bits(X: Any, d: int | None = None, threshold: float | None = None) -> NDArray[Any]:
    """Codes of columns that are 0 or 1 (NaN where missing), or an error that names the column of another cell."""
    if is_device(X):
        check_columns(X, d)
        found, wrong = routine("bits")(X, threshold)
        if wrong is not None:
            raise ColumnError(BITS.format(value=wrong[2]), wrong[1])
        return found
    if threshold is not None:
        return _above(as_floats(X, d), threshold)
    codes = as_codes(X, d)
    if codes.dtype != np.uint8 or codes.max(initial=0) > 1:
        wrong = (codes != 0) & (codes != 1) & (codes == codes)
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise ColumnError(BITS.format(value=codes[row, column]), int(column))
    return codes


def _above(X: NDArray[np.floating], threshold: float) -> NDArray[Any]:
    bits, finite = threshold < X, np.isfinite(X)
    if finite.all():
        return bits.view(np.uint8)
    if np.isinf(X).any():
        row, column = np.argwhere(np.isinf(X))[0]
        raise ColumnError(BITS.format(value=X[row, column]), int(column))
    return np.where(finite, bits, np.nan).astype(np.float32)


def bits_in_csr(X: Any, threshold: float | None = None) -> Any:
    """Sparse rows of zeros and ones, or an error that names the column of another cell."""
    X = canonical(X)
    if threshold is not None and threshold < 0:
        raise ValueError(f"threshold is {threshold:g}, but the cells that a sparse matrix leaves out are 0, above it.")
    ones, odd = bits(X.data, threshold or 0.0)
    if odd or (threshold is None and not ((X.data == 0) | (X.data == 1)).all()):
        sound = (X.data == 0) | (X.data == 1) if threshold is None else np.isfinite(X.data)
        wrong = np.flatnonzero(~sound)
        raise ColumnError(BITS.format(value=X.data[wrong[0]]), int(X.indices[wrong[0]]))
    part = type(X)(X.shape, dtype=np.uint8)
    part.data, part.indices, part.indptr = ones, X.indices, X.indptr
    return part
