"""Coordinate descent equals its twin, and what it leaves is the least: by a matrix, and by sparse columns."""

import numpy as np
import pytest
from scipy import sparse

from parzen.compute.descent import descend, descend_columns
from tests.oracle import TWINS


@pytest.mark.parametrize("m", [1, 2, 7, 17])
@pytest.mark.parametrize("strength", [0.0, 0.5, 1e6])
def test_descent_by_a_matrix_equals_the_oracle(level, m, strength, rng):
    A = rng.normal(size=(m, 2 * m))
    matrix, slope, start, l1 = A @ A.T / m, rng.normal(size=m), rng.normal(size=m), strength * rng.random(m)
    end, now, sweeps = descend(matrix, slope, start, l1, 0.0, 2000)
    np.testing.assert_allclose(end, TWINS["descend"](matrix, slope, start, l1), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(now, slope + matrix @ (end - start), rtol=1e-9, atol=1e-9 * (1 + strength))
    assert sweeps >= 1
    assert (end[np.abs(now) < l1 * (1 - 1e-9)] == 0.0).all()


def test_a_coordinate_without_curvature_stays_and_few_sweeps_are_counted(level):
    end, _, sweeps = descend(np.diag([0.0, 2.0]), np.array([1.0, -4.0]), np.array([3.0, 0.0]), np.zeros(2), 0.0, 1)
    assert end.tolist() == [3.0, 2.0]
    assert sweeps == 1


@pytest.mark.parametrize("shape", [(1, 1), (40, 6), (50, 9)])
@pytest.mark.parametrize("F", [1, 3])
@pytest.mark.parametrize("strength", [0.0, 0.7])
def test_descent_by_sparse_columns_equals_the_oracle(level, shape, F, strength, rng):
    (n, p), side = shape, shape[1] + 1
    X = rng.poisson(0.7, shape) * rng.normal(size=shape)
    shares = rng.dirichlet(np.ones(F + 1), n)[:, :F] if F == 1 else rng.dirichlet(np.ones(F), n)
    weights, start, slope = rng.random(n), rng.normal(size=(F, side)), rng.normal(size=(F, side))
    start[rng.random(start.shape) < 0.5] = 0.0
    l1, l2 = np.append(strength * rng.random(p), 0.0), np.append(0.3 + rng.random(p), 0.3)
    candidates = np.flatnonzero(rng.random(F * side) < 0.8)
    parts = (np.ascontiguousarray(shares), weights, start, slope, l1, l2, candidates)
    end, gain, _ = descend_columns(sparse.csc_matrix(X), *parts, 0.0, 5000)
    expected, gained = TWINS["descend_columns"](X, *parts)
    np.testing.assert_allclose(end, expected, rtol=1e-8, atol=1e-8)
    assert gain == pytest.approx(gained, rel=1e-8, abs=1e-10)


@pytest.mark.parametrize("m", [2, 7, 17])
def test_descents_may_end_before_nothing_moves(level, m, rng):
    A = rng.normal(size=(m, 2 * m))
    matrix, slope, start, l1 = A @ A.T / m, rng.normal(size=m), rng.normal(size=m), 0.5 * rng.random(m)

    def objective(end):
        step = end - start
        return slope @ step + 0.5 * step @ matrix @ step + l1 @ np.abs(end)

    least = objective(TWINS["descend"](matrix, slope, start, l1))
    end, now, sweeps = descend(matrix, slope, start, l1, 1e-3, 2000)
    np.testing.assert_allclose(now, slope + matrix @ (end - start), rtol=1e-9, atol=1e-9)
    assert sweeps <= descend(matrix, slope, start, l1, 0.0, 2000)[2]
    assert least <= objective(end) <= least + 1e-2 * (objective(start) - least)

    X, shares, weights = sparse.csc_matrix(A.T), np.full((2 * m, 1), 0.3), np.ones(2 * m)
    parts = (
        shares,
        weights,
        np.zeros((1, m + 1)),
        rng.normal(size=(1, m + 1)),
        np.append(l1, 0.0),
        np.full(m + 1, 0.1),
    )
    whole = descend_columns(X, *parts, np.arange(m + 1), 0.0, 5000)
    early = descend_columns(X, *parts, np.arange(m + 1), 1e-2, 5000)
    assert early[2] <= whole[2]
    assert 0.9 * whole[1] <= early[1] <= whole[1] * (1 + 1e-9)
