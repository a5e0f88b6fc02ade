"""Whether a hyperplane separates the classes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, is_sparse, on_host
from parzen.compute.device import is_device
from parzen.compute.memberships import Labels
from parzen.densities.posterior import posterior
from parzen.families.logistic.likelihood import Scores

#: Rows (and rival classes) whose fitted share is above one of these hold the weights back.
HELD = (1e-2, 1e-4)
#: Margins, of terms up to 1, that are zero to rounding; and mean margins that are not.
ZERO, SOME = 1e-9, 1e-7


def separation(scores: Scores, X: Any, labels: Labels) -> str:
    """Whether the likelihood has no maximum: "none", "complete", "partial" or, where that is dear to find, "possible".

    Rows are separated where some weights are on the right side of all of them, and beyond the border for one at least
    (Albert and Anderson 1984). Where fitted probabilities come near 0 or 1, weights are looked for that leave alone
    the rows in doubt; where these are not on the right side of all others, a linear programme knows.
    """
    proba, _ = posterior(scores, np.zeros(scores.shape[0]), X, log=False)
    proba, codes = on_host(proba), on_host(labels.codes)
    own = proba[np.arange(len(labels)), codes]
    if (proba.argmax(axis=1) == codes).all():
        return "complete"
    if own.max() < 0.999:
        return "none"
    K, n = labels.groups, X.shape[0]
    if is_sparse(X) or is_device(X) or n * (K - 1) * K * (scores.linear.shape[1] + 1) > 5e5:
        return "possible" if own.max() > 1 - 1e-10 else "none"
    terms = np.column_stack([scores.terms.expand(X), np.ones(n)])
    scale = np.abs(terms).max(axis=0)
    terms /= np.where(scale > 0, scale, 1.0)
    rival = np.ones((n, K), dtype=bool)
    rival[np.arange(n), labels.codes] = False
    table = _margins(terms, labels.codes, rival)
    # The first class has the weight zero, the others theirs less its own.
    fitted = np.column_stack([scores.linear.coef, scores.linear.intercept]) * scale
    shares = (proba / (proba + own[:, None]))[rival]
    if any(_leaves_alone(table, shares > held, (fitted[1:] - fitted[0]).ravel()) for held in HELD):
        return "partial"
    return "partial" if _programme(table) else "none"


def _margins(terms: Array, codes: NDArray[np.int32], rival: NDArray[np.bool_]) -> Array:
    """Margins of each row's own class over each other class, by the weights of all classes but the first."""
    n, K = rival.shape
    if K == 2:
        return np.where(codes == 1, 1.0, -1.0)[:, None] * terms
    margins = np.zeros((n, K, K, terms.shape[1]))
    for k in range(K):
        margins[np.arange(n), k, codes] += terms
        margins[:, k, k] -= terms
    return margins[rival][:, 1:].reshape(n * (K - 1), -1)


def _leaves_alone(table: Array, held: NDArray[np.bool_], fitted: Array) -> bool:
    """Whether the part of fitted weights that gives rows in doubt no margin has all others on the right side."""
    doubted = table[held]
    values, ways = np.linalg.eigh(doubted.T @ doubted)
    free = ways[:, values <= 1e-12 * max(values[-1], 1.0)]
    weights = free @ (free.T @ fitted)
    largest = np.abs(weights).max(initial=0.0)
    if not largest > 1e-6 * np.abs(fitted).max():
        return False
    margins = table @ (weights / largest)
    return bool(margins.min() >= -ZERO and margins.mean() > SOME)


def _programme(table: Array) -> bool:
    """Whether some weights have no margin below zero, and one above it."""
    from scipy.optimize import linprog

    found = linprog(-table.sum(axis=0), A_ub=-table, b_ub=np.zeros(len(table)), bounds=(-1, 1))
    return bool(found.status == 0 and -found.fun > SOME * len(table))
