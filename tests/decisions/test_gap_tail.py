"""Gaps in the tail of many values: rarely found among ordinary ones, whatever their tail."""

import numpy as np
import pytest

from parzen.decisions.gap_tail import gap_tail
from parzen.decisions.p_values import benjamini_hochberg

TAILS = {
    "exponential": lambda rng, n: rng.exponential(size=n),
    "normal": lambda rng, n: np.abs(rng.normal(size=n)),
    "lognormal": lambda rng, n: rng.lognormal(size=n),
    "t, 3 degrees": lambda rng, n: np.abs(rng.standard_t(3, n)),
    "Pareto": lambda rng, n: rng.pareto(2.0, n),
    "Cauchy": lambda rng, n: np.abs(rng.standard_cauchy(n)),
    "counts": lambda rng, n: rng.poisson(3.0, n).astype(float),
    "mostly zero": lambda rng, n: np.where(rng.random(n) < 0.97, 0.0, rng.lognormal(size=n)),
}


@pytest.mark.parametrize("name", list(TAILS))
def test_ordinary_values_are_rarely_beyond_a_gap(name):
    flagged = 0
    for seed in range(60):
        values = -TAILS[name](np.random.default_rng(seed), 200)
        found = gap_tail(values)
        flagged += found is not None and benjamini_hochberg(found.p_values(values), 0.1).any()
    assert flagged <= 60 * 0.1 + 3 * np.sqrt(60 * 0.1 * 0.9)


@pytest.mark.parametrize("many", [1, 3, 10])
def test_values_that_lie_apart_are_found_together(many):
    found = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        values = np.append(rng.normal(size=500), rng.normal(-12.0, 0.5, many))
        tail = gap_tail(values)
        if tail is None:
            continue
        flags = benjamini_hochberg(tail.p_values(values), 0.05)
        assert not flags[:500].any()
        found += flags[500:].all()
    assert found >= 8


def test_p_values_fall_with_the_distance_up_to_the_rows_that_were_found(rng):
    values = np.append(rng.normal(size=500), np.full(3, -20.0))
    tail = gap_tail(values)
    p = tail.p_values(np.array([0.0, tail.limit, -6.0, -10.0, -20.0, -1e6, -np.inf]))
    np.testing.assert_array_equal(p[:2], 1.0)
    assert (np.diff(p[2:5]) < 0).all()
    np.testing.assert_array_equal(p[4:], tail.proportion * tail.chance)


def test_nothing_is_said_of_equal_infinite_or_few_values(rng):
    for values in (np.zeros(100), np.full(50, -np.inf), np.arange(10.0), np.append(rng.normal(size=200), -np.inf)):
        assert gap_tail(values) is None


def test_the_unit_of_the_values_means_nothing_and_weights_repeat_rows(rng):
    values = np.append(rng.normal(size=300), [-11.0, -12.0, -12.5])
    tail = gap_tail(values)
    for scale in (1e-200, 1e200):
        assert gap_tail(scale * values).chance == pytest.approx(tail.chance, rel=1e-9)
    same = gap_tail(values, weights=np.ones(303))
    assert same.chance == pytest.approx(tail.chance, rel=1e-12)
    assert gap_tail(values, 0.5).chance == pytest.approx(2 * tail.chance, rel=1e-9)
