"""Prior shift: the classes come in other shares than they did, and look as they did."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array
from parzen.decisions.decision import probabilities


def adjust_class_priors(posterior: ArrayLike, old: ArrayLike, new: ArrayLike) -> Array:
    """Posteriors for new shares of the classes, in the place of the old ones that they were found with.

    Examples
    --------
    >>> adjust_class_priors([[0.5, 0.5]], [0.5, 0.5], [0.9, 0.1]).round(2)
    array([[0.9, 0.1]])
    """
    P = probabilities(posterior)
    ratio = _shares(new, P.shape[1], "new") / _shares(old, P.shape[1], "old", above=True)
    with np.errstate(invalid="ignore"):
        shifted = P * ratio
        total = shifted.sum(axis=1, keepdims=True)
        # A row that has nothing but classes that no longer come says nothing: it keeps the new shares.
        return np.where(total > 0, shifted / np.where(total > 0, total, 1.0), _shares(new, P.shape[1], "new"))


def estimate_class_priors(posterior: ArrayLike, old: ArrayLike, max_iter: int = 1000, tol: float = 1e-8) -> Array:
    """Shares of the classes among rows without labels, by EM (Saerens, Latinne & Decaestecker 2002).

    Parameters
    ----------
    posterior : array of shape (n, K), found with the old shares
    old : array of shape (K,)
    max_iter, tol : most steps, and the least change of a share

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = np.where(rng.random(20_000) < 0.9, rng.normal(2, 1, 20_000), rng.normal(0, 1, 20_000))
    >>> p = 1 / (1 + np.exp(2 - 2 * x))                        # posterior of the second class at equal shares
    >>> estimate_class_priors(np.column_stack([1 - p, p]), [0.5, 0.5]).round(2)
    array([0.1, 0.9])
    """
    P = probabilities(posterior)
    if not len(P):
        raise ValueError("posterior must have at least one row to estimate shares from.")
    base = _shares(old, P.shape[1], "old", above=True)
    share = base
    for _ in range(max_iter):
        ratio = share / base
        total = P @ ratio
        known = total > 0
        inverse = np.divide(1.0, total, out=np.zeros(len(P)), where=known)
        found = (ratio * (P.T @ inverse) + share * (~known).sum()) / len(P)
        done = np.abs(found - share).max() < tol
        share = found
        if done:
            break
    return share


def _shares(given: ArrayLike, K: int, name: str, above: bool = False) -> Any:
    shares = np.asarray(given, dtype=np.float64)
    if shares.shape != (K,):
        raise ValueError(f"{name} must be {K} shares, one for each class, got shape {shares.shape}.")
    if not np.isfinite(shares).all() or (shares < 0).any() or not shares.sum() > 0 or (above and (shares == 0).any()):
        raise ValueError(
            f"{name} must be shares of classes, {'above 0' if above else 'at least 0'}, got {shares.tolist()}."
        )
    return shares / shares.sum()
