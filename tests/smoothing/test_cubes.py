"""Gaussian sums in three columns: cubes keep their promise on every query, whatever the rows are like."""

import numpy as np
import pytest

from parzen.smoothing import cubes
from parzen.smoothing.cubes import CubeSum, Setting
from parzen.smoothing.expansion import expansions
from parzen.smoothing.kernel_functions import KERNEL_FUNCTIONS
from parzen.smoothing.sums import KernelSum
from tests import oracle

N = 2500
GAUSSIAN = KERNEL_FUNCTIONS["gaussian"]


def rows(kind, rng):
    X = rng.normal(size=(N, 3))
    return {
        "normal": lambda: X,
        "ties": lambda: np.round(X),
        "offset": lambda: 1e8 + X,
        "clusters far apart": lambda: X + 3e3 * rng.integers(0, 2, (N, 1)),
        "heavy tails": lambda: rng.standard_cauchy((N, 3)),
        "one place": lambda: np.broadcast_to(X[0], (N, 3)).copy(),
    }[kind]()


def exact(X, w, Q, h):
    """Logarithms of the sums by the oracle, in extended precision from the start."""
    middle, units = X[0].astype(np.longdouble), np.asarray(h, dtype=np.longdouble)
    return oracle.window_sums((X - middle) / units, w, (Q - middle) / units, "gaussian")


def worst(logs, truth):
    """Largest relative error; sums too small to be numbers must be right to the last digits of their logarithm."""
    far = truth < -700
    np.testing.assert_allclose(logs[far], truth[far].astype(float), rtol=1e-12)
    return float(np.abs(np.expm1(logs - truth))[~far].max())


@pytest.mark.parametrize("kind", ["normal", "ties", "offset", "clusters far apart", "heavy tails", "one place"])
@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-9])
def test_every_query_is_within_the_tolerance(kind, rtol, rng):
    X, some = rows(kind, rng), rng.choice(N, 12, replace=False)
    w = np.where(np.arange(N) % 7 == 0, 0.0, rng.random(N))
    expanded = 0
    for h in (0.02, 0.3, 2.0, 300.0):
        units = h * np.array([1.0, 2.0, 0.5])
        Q = np.concatenate([X, X[some] + 3.3 * units, X[some] - 20 * units, X[some] + 1e4])
        at = np.concatenate([some, np.arange(N, len(Q), 3)])
        sums = KernelSum(GAUSSIAN, X, w, None, units, rtol)
        truth = exact(X, w, Q[at], units)
        values, bound = sums.cubes.sums(Q)
        chosen = np.isfinite(bound[at])
        expanded += chosen.sum()
        assert (np.abs(values[at] - np.exp(truth))[chosen] <= bound[at][chosen]).all()
        assert worst(sums.log(Q)[at], truth) <= sums.error_bound
    assert expanded >= 12


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_columns_of_other_units_change_nothing(scale, rng):
    X, units = rng.normal(size=(N, 3)), np.full(3, 0.5)
    by = np.array([scale, 1.0, 1.0])
    plain = KernelSum(GAUSSIAN, X, None, None, units, 1e-6).log(X)
    np.testing.assert_allclose(KernelSum(GAUSSIAN, X * by, None, None, units * by, 1e-6).log(X * by), plain, atol=2e-6)


def test_a_point_is_left_out_of_its_own_sum(rng):
    X = np.concatenate([rng.normal(size=(N - 1, 3)), [[30.0, 0.0, 0.0]]])
    w = 10.0 ** rng.uniform(-6, 2, N)
    left = np.where(np.arange(N) % 3 == 0, 0.5 * w, 0.0)
    sums = KernelSum(GAUSSIAN, X, w, None, np.full(3, 0.7), 1e-6)
    found = sums.log(X, np.arange(N), left)
    assert np.isfinite(sums.cubes.sums(X)[1]).mean() > 0.5
    for i in [N - 1, *rng.choice(N, 15, replace=False)]:
        rest = w.copy()
        rest[i] = left[i]
        truth = exact(X, rest, X[i : i + 1], 0.7)[0]
        assert abs(np.expm1(found[i] - truth)) <= 1e-6 if truth > -700 else found[i] == pytest.approx(float(truth))


@pytest.mark.parametrize("together", [(1, 2), (5, 7)])
def test_how_many_cubes_are_summed_together_does_not_change_a_bit(together, monkeypatch, rng):
    X, Q = 2 * rng.normal(size=(N, 3)), rng.normal(size=(N, 3))
    expected = CubeSum.of(X, None, np.full(3, 0.8), 1e-4).sums(Q)
    monkeypatch.setattr(cubes, "TOGETHER", together)
    found = CubeSum.of(X, None, np.full(3, 0.8), 1e-4).sums(Q)
    assert np.isfinite(expected[1]).sum() > N / 2
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_queries_outside_the_grid_and_few_of_them_are_left_to_pairs(rng):
    X = rng.normal(size=(N, 3))
    sums = CubeSum.of(X, None, np.full(3, 0.4), 1e-6)
    assert np.isinf(sums.sums(np.full((50, 3), 1e5))[1]).all()
    assert np.isinf(sums.sums(np.full((50, 3), -np.inf))[1]).all()
    assert np.isinf(sums.sums(X[:3])[1]).all()
    assert sums.sums(X[:0])[0].shape == (0,)


def test_columns_with_too_few_digits_have_no_cubes(rng):
    X = 1e14 + rng.normal(size=(100, 3))
    assert CubeSum.of(X, None, np.full(3, 0.4), 1e-6) is None
    assert CubeSum.of(rng.normal(size=(100, 3)), None, np.full(3, 1e-6), 1e-6) is None  # more cubes than have numbers


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-9])
def test_what_cubes_do_not_expand_counts_as_an_error(rtol):
    setting = Setting.of(rtol)
    largest, errors, beyond = setting.limits
    assert len(setting.tables) == 2 * setting.reach + 1
    assert (errors[setting.reach + 1 :] == largest[setting.reach + 1 :]).all()
    assert errors[: setting.reach + 1].max() < 0.05 * rtol
    assert beyond < 1e-17
    known = expansions(setting.terms, setting.width)
    np.testing.assert_array_equal(setting.tables[setting.reach], known.tables[len(known.tables) // 2].T)
