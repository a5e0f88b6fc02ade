"""Sums over tails: the compiled routine equals its twin."""

import numpy as np
import pytest

from parzen.compute.tails import pareto_sums
from tests.oracle import TWINS


@pytest.mark.parametrize("n", [0, 1, 7, 256, 1000])
def test_sums_over_a_tail_equal_the_oracle(level, n, rng):
    y, w, ratios = rng.pareto(1.2, size=n), rng.random(n), np.array([0.0, 1e-9, 1e-3, 1.0, 3e4])
    y[: n // 5] = 0.0
    for found, exact in zip(pareto_sums(y, w, ratios), TWINS["pareto_sums"](y, w, ratios), strict=True):
        np.testing.assert_allclose(found, exact, rtol=1e-13)
