"""Prior shift: classes whose proportions have changed, and whose class-conditional densities have not."""

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array
from parzen.decisions.prior_shift import PriorShift, PriorShiftDensity
from parzen.decisions.probabilities import class_probabilities
from parzen.families.fit import fit


def adjust_class_priors(posterior: ArrayLike, old_prior: ArrayLike, new_prior: ArrayLike) -> Array:
    """Posterior probabilities under new class priors, by Bayes' rule.

    Parameters
    ----------
    posterior : array of shape (n, K), computed with the old priors
    old_prior, new_prior : arrays of shape (K,)
        They are divided by their sums.

    Examples
    --------
    >>> adjust_class_priors([[0.5, 0.5]], [0.5, 0.5], [0.9, 0.1]).round(2)
    array([[0.9, 0.1]])
    """
    P = class_probabilities(posterior)
    new = check_class_prior(new_prior, P.shape[1], "new_prior")
    joint = P * (new / check_class_prior(old_prior, P.shape[1], "old_prior", positive=True))
    total = joint.sum(axis=1, keepdims=True)
    # A row whose classes all have a new prior of zero keeps the new priors.
    return np.where(total > 0, joint / np.where(total > 0, total, 1.0), new)


def estimate_class_priors(
    posterior: ArrayLike, old_prior: ArrayLike, max_iter: int = 1000, tol: float = 1e-15
) -> Array:
    """Class priors of a population that rows without labels come from, by EM (Saerens, Latinne & Decaestecker 2002).

    Parameters
    ----------
    posterior : array of shape (n, K), computed with the old priors
    old_prior : array of shape (K,)
    max_iter : int
        Most steps of EM.
    tol : float
        Least change of the mean log-likelihood of a row.

    Returns
    -------
    array of shape (K,)

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = np.where(rng.random(20_000) < 0.9, rng.normal(2, 1, 20_000), rng.normal(0, 1, 20_000))
    >>> p = 1 / (1 + np.exp(2 - 2 * x))                        # posterior of the second class at equal priors
    >>> estimate_class_priors(np.column_stack([1 - p, p]), [0.5, 0.5]).round(2)
    array([0.1, 0.9])
    """
    P = class_probabilities(posterior)
    if not len(P):
        raise ValueError("posterior must have at least one row to estimate class priors from.")
    old = check_class_prior(old_prior, P.shape[1], "old_prior", positive=True)
    found = fit(PriorShift(), P / old, start=PriorShiftDensity(old), max_iter=max_iter, tol=tol).density
    assert isinstance(found, PriorShiftDensity)
    return found.class_prior


def check_class_prior(given: ArrayLike, K: int, name: str, positive: bool = False) -> Array:
    """Class priors divided by their sum, or an error."""
    prior = np.asarray(given, dtype=np.float64)
    if prior.shape != (K,):
        raise ValueError(f"{name} must be {K} class priors, one for each class, got shape {prior.shape}.")
    if not np.isfinite(prior).all() or (prior < 0).any() or not prior.sum() > 0 or (positive and (prior == 0).any()):
        least = "above 0" if positive else "at least 0"
        raise ValueError(f"{name} must be class priors, finite and {least}, got {prior.tolist()}.")
    normalised: Array = prior / prior.sum()
    return normalised
