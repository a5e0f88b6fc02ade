"""Partitions of a few thousand rows, where EM may begin, and EM from one of them: each in one compiled call."""

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array

#: Shapes of covariances that `em_run` knows.
RUNS = {"full": 0, "diag": 1, "spherical": 2, "tied": 3}


def kmeans_partition(
    X: Array, w: Array | None, K: int, uniform: Array, steps: int, some: NDArray[np.int64] | None = None
) -> NDArray[np.int32]:
    """The nearest centre of each row, for the best of several k-means by greedy k-means++ and a few steps of Lloyd's.

    Parameters
    ----------
    X : array of shape (n, d), float64 with contiguous rows and no missing cells
    w : weights of the rows, (n,), or None
    K : number of centres, at least 2
    uniform : array of shape (seeds, 1 + (K - 1) * trials)
        Uniform random numbers: of each run, the quantile of the first centre, and of the trials for each further one.
    steps : most steps of each run
    some : the rows that the runs read, by position; by default all

    Returns
    -------
    array of shape (n,), int32
    """
    _, matrix = native.rows(X, ("f64",))
    n, seeds = len(X), len(uniform)
    trials = (uniform.shape[1] - 1) // (K - 1)
    codes = np.empty(n, dtype=np.int32)
    native.call(
        "kmeans_partition_f64",
        *matrix,
        None if w is None else native.pointer(w, native.F64, (n,), "weights"),
        None if some is None else native.pointer(some, native.I64, some.shape, "some"),
        n if some is None else len(some),
        *(K, seeds, trials, steps),
        native.pointer(uniform, native.F64, (seeds, 1 + (K - 1) * trials), "uniform"),
        *native.outputs(codes),
    )
    return codes


def merged_partition(X: Array, w: Array | None, first: NDArray[np.int64], C: int, steps: int) -> NDArray[np.int32]:
    """Small clusters, merged in the order in which that costs a mixture of Gaussians least (Fraley 1998).

    A merged cluster's statistic is the sum of both: long clusters, which k-means would cut, come together again.

    Parameters
    ----------
    X, w : as in `kmeans_partition`
    first : array of shape (M,), int64
        The rows at which small clusters begin; a few steps of k-means follow.
    C : how many clusters are left

    Returns
    -------
    array of shape (n,), int32
    """
    _, matrix = native.rows(X, ("f64",))
    codes = np.empty(len(X), dtype=np.int32)
    native.call(
        "merged_partition_f64",
        *matrix,
        None if w is None else native.pointer(w, native.F64, (len(X),), "weights"),
        native.pointer(first, native.I64, first.shape, "first"),
        *(len(first), steps, C),
        *native.outputs(codes),
    )
    return codes


def em_run(
    X: Array,
    w: Array | None,
    codes: NDArray[np.int32],
    K: int,
    shape: str,
    noise: float,
    floor: float,
    steps: int,
    tol: float,
    least: float = -np.inf,
) -> tuple[Array, Array, Array, float] | None:
    """EM of a mixture of K Gaussians from a partition of the rows, by maximum likelihood.

    Parameters
    ----------
    X, w : as in `kmeans_partition`
    codes : the part of each row, (n,), 0 to K - 1
    shape : "full", "tied", "diag" or "spherical"
    noise : added to every variance
    floor : least eigenvalue of a covariance, in units of its own variances
    steps : most steps
    tol : a step that changes the log-likelihood of a unit of weight by less is the last one
    least : log-likelihood that is wanted: a run whose rises would not add up to it is given up

    Returns
    -------
    log_weight (K,), mean (K, d), factor (K, d, d), (1, d, d) or (K, d), and the log-likelihood before the last M-step
    None where a component or a column has no spread or weight of its own, or digits would be lost.
    """
    _, matrix = native.rows(X, ("f64",))
    n, d = X.shape
    sizes = {"full": (K, d, d), "tied": (1, d, d)}
    log_weight, mean, factor, objective = np.empty(K), np.empty((K, d)), np.empty(sizes.get(shape, (K, d))), np.empty(1)
    odd = native.call(
        "em_run_f64",
        *matrix,
        None if w is None else native.pointer(w, native.F64, (n,), "weights"),
        native.pointer(codes, native.I32, (n,), "codes"),
        *(K, RUNS[shape], noise, floor, steps, tol, least),
        *native.outputs(log_weight, mean, factor, objective),
    )
    return None if odd else (log_weight, mean, factor, float(objective[0]))
