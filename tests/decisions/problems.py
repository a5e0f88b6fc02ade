"""Predicted probabilities whose faults are known."""

from scipy.special import expit


def overconfident(rng, n=4000, factor=4.0):
    """Log-odds that say several times as much as they know."""
    truth = rng.normal(0, 1.5, n)
    return factor * truth + 0.5, rng.random(n) < expit(truth)
