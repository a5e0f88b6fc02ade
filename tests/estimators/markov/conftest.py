"""Rows of three regimes, for hidden Markov models."""

import numpy as np
import pytest


@pytest.fixture
def rows(rng):
    """Three regimes in two columns, and two sequences."""
    states = np.repeat([0, 1, 0, 2], 100)
    means = np.array([[0.0, 0.0], [4.0, 1.0], [-4.0, 2.0]])
    return means[states] + rng.normal(size=(400, 2)), states, np.array([250, 150])
