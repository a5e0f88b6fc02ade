"""Posterior probabilities by Bayes' rule, in extended precision."""

import numpy as np


def largest(values, prior):
    """Class with the largest log-density plus log-prior, the first of equals, and how many rows have none.

    These, where the largest is not finite, are decided by the prior alone.
    """
    codes, odd = [], 0
    for row in values:
        joint = row + prior
        sound = not np.isnan(joint).any() and np.isfinite(joint.max())
        codes.append(int(np.argmax(joint if sound else prior)))
        odd += not sound
    return codes, odd


def normalise(values, prior):
    """Posteriors, their logs, and logs of the sums, of rows of log-densities (n, K).

    Where no class explains a row (all are minus infinity) its posteriors are the priors.
    """
    joint = np.asarray(values, dtype=np.longdouble) + prior
    logs, sums = np.empty_like(joint), np.empty(len(joint), np.longdouble)
    for i, row in enumerate(joint):
        sums[i] = log_sum(row)
        prior_alone = np.isneginf(row).all()
        logs[i] = prior - log_sum(prior) if prior_alone else row - sums[i]
    return np.exp(logs).astype(float), logs.astype(float), sums.astype(float)


def posterior(values, prior):
    """Posteriors alone."""
    return normalise(values, prior)[0]


def log_sum(row):
    """log(sum(exp(row))), the largest subtracted first."""
    most = row.max()
    if np.isneginf(most):
        return most
    return most + np.log(np.exp(np.asarray(row, dtype=np.longdouble) - most).sum())
