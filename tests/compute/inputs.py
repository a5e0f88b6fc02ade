"""Rows, memberships and covariances of every shape, dtype and layout that the routines take."""

import numpy as np

from parzen.compute.memberships import Labels

SHAPES = [(0, 3), (1, 1), (1, 4), (7, 2), (40, 3), (133, 9), (300, 17), (65, 33)]
DTYPES = [np.float32, np.float64]
KINDS = ["none", "weights", "labels", "weighted labels", "dense"]
LAYOUTS = ["plain", "fortran", "strided", "readonly"]
#: Numbers of groups around every width of the vectors.
GROUPS = [1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 17, 31, 32, 33, 65]


def memberships(kind, n, rng, K=3):
    codes = rng.integers(-1, K, n)
    return {
        "none": None,
        "weights": rng.random(n),
        "labels": Labels(codes, groups=K),
        "weighted labels": Labels(codes, np.where(rng.random(n) < 0.2, 0.0, rng.random(n)), groups=K),
        "dense": np.where(rng.random((n, K)) < 0.3, 0.0, rng.random((n, K))),
    }[kind]


def laid_out(X, layout):
    """The same rows in memory as others have them; "strided" are some columns of a wider matrix."""
    if layout == "fortran":
        return np.asfortranarray(X)
    if layout == "strided":
        most = np.finfo(X.dtype).max if X.dtype.kind == "f" else np.iinfo(X.dtype).max
        wide = np.full((len(X), X.shape[1] + 5), most, dtype=X.dtype)
        wide[:, 2 : 2 + X.shape[1]] = X
        return wide[:, 2 : 2 + X.shape[1]]
    if layout == "readonly":
        X = X.copy()
        X.flags.writeable = False
    return X


def factors(rng, K, d):
    """Cholesky factors of random covariances, of condition numbers of up to some 40 d."""
    A = rng.normal(size=(K, d, d))
    return np.linalg.cholesky(A @ np.swapaxes(A, 1, 2) + 0.1 * np.eye(d))


def with_gaps(X, rng, share=0.3):
    """Rows of which a share of the cells is missing, all of the first row."""
    X = X.copy()
    X[rng.random(X.shape) < share] = np.nan
    X[:1] = np.nan
    return X
