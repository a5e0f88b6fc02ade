"""Decisions and posterior probabilities from log-densities of K classes, a block of rows at a time, compiled."""

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array
from parzen.compute.device import is_device, routine

FORMS = {"log": 0, "plain": 1, "sums": 2}


def largest(values: Array, prior: Array, codes: NDArray[np.int64]) -> int:
    """Write the class with the largest ``values + prior`` of each row; the first of equals.

    Parameters
    ----------
    values : array of shape (n, K)
    prior : array of shape (K,), added to each row
    codes : array of shape (n,), written to

    Returns
    -------
    Number of rows whose largest value is not finite; their class is the one of the largest prior.
    """
    if is_device(values):
        return routine("largest")(values, prior, codes)
    n, K = values.shape
    address = native.pointer(values, native.F64, (n, K), "values")
    code = native.pointer(codes, native.I64, (n,), "codes")
    return native.call("largest_f64", address, n, K, native.pointer(prior, native.F64, (K,), "prior"), code)


def normalise(values: Array, prior: Array, form: str, sums: Array | None = None) -> int:
    """Turn rows of log-densities into log-posteriors ("log"), posteriors ("plain") or logs of their sums ("sums").

    Parameters
    ----------
    values : array of shape (n, K), overwritten (with "sums": by the log joint)
    prior : array of shape (K,), added to each row
    sums : array of shape (n,), written to by "sums"

    Returns
    -------
    Number of rows whose largest value is not finite; posteriors of a row of minus infinities are the priors.
    """
    if is_device(values):
        return routine("normalise")(values, prior, form, sums)
    n, K = values.shape
    return native.call(
        "normalise_f64",
        native.pointer(values, native.F64, (n, K), "values"),
        n,
        K,
        native.pointer(prior, native.F64, (K,), "prior"),
        FORMS[form],
        None if sums is None else native.pointer(sums, native.F64, (n,), "sums"),
    )
