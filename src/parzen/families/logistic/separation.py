"""Whether a hyperplane separates the classes."""

from typing import Any

import numpy as np

from parzen.compute.arrays import is_sparse
from parzen.compute.memberships import Labels
from parzen.densities.posterior import posterior
from parzen.families.logistic.likelihood import Scores


def separation(scores: Scores, X: Any, labels: Labels) -> str:
    """Whether the likelihood has no maximum: "none", "complete", "partial" or, where that is dear to find, "possible".

    Rows are separated where some weights are on the right side of all of them, and beyond the border for one at least
    (Albert and Anderson 1984): a linear programme, asked where fitted probabilities come near 0 or 1.
    """
    from scipy.optimize import linprog

    proba, _ = posterior(scores, np.zeros(scores.shape[0]), X, log=False)
    own = proba[np.arange(len(labels)), labels.codes]
    if (proba.argmax(axis=1) == labels.codes).all():
        return "complete"
    if own.max() < 0.999:
        return "none"
    K, n = labels.groups, X.shape[0]
    if is_sparse(X) or n * (K - 1) * K * (scores.linear.shape[1] + 1) > 5e5:
        return "possible" if own.max() > 1 - 1e-10 else "none"
    terms = np.column_stack([scores.terms.expand(X), np.ones(n)])
    terms /= np.abs(terms).max(axis=0)
    margins = np.zeros((n, K, K, terms.shape[1]))  # of a row's own class over each other class, by weights
    for k in range(K):
        margins[np.arange(n), k, labels.codes] += terms
        margins[:, k, k] -= terms
    rival = np.ones((n, K), dtype=bool)
    rival[np.arange(n), labels.codes] = False
    table = margins[rival].reshape(n * (K - 1), -1)
    found = linprog(-table.sum(axis=0), A_ub=-table, b_ub=np.zeros(len(table)), bounds=(-1, 1))
    return "partial" if found.status == 0 and -found.fun > 1e-7 * len(table) else "none"
