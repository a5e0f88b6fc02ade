"""Sums of kernels over tiles of points, and over a tree of points of a line, equal the sum over all pairs."""

import numpy as np
import pytest

from parzen.compute.kernel_sums import CODES, GAUSSIAN_SCALE, RUNGS, lengths, window_ladder, window_sums
from parzen.compute.tiles import lay_tiles
from parzen.compute.tree import Tree
from tests import oracle
from tests.oracle import TWINS

SHAPES = [(1, 1, 1), (5, 3, 2), (63, 7, 3), (64, 16, 1), (65, 17, 4), (130, 21, 8), (300, 40, 9)]
COMPACT = [name for name in CODES if name not in ("gaussian", "exponential")]


def tiles_of(kernel, points, w, scales=None, h=None, size=64, **rest):
    """Points in tiles, in the kernel's units of length; bandwidths h (d,), scales (n,) of points."""
    unit = lengths(kernel, np.ones(points.shape[1]) if h is None else h, points)
    return lay_tiles(points, w, None if scales is None else 1 / scales**2, unit, size, **rest)


def relative(logs, exact):
    """Largest relative error of sums given by their logarithms; minus infinities must be the same."""
    np.testing.assert_array_equal(np.isneginf(logs), np.isneginf(exact))
    there = np.isfinite(exact)
    return float(np.abs(np.expm1(logs[there] - exact[there])).max(initial=0))


@pytest.mark.parametrize("kernel", CODES)
@pytest.mark.parametrize(("n", "m", "d"), SHAPES)
@pytest.mark.parametrize("adaptive", [False, True])
def test_sums_over_tiles_equal_the_oracle(level, kernel, n, m, d, adaptive, rng):
    points, Q, w = rng.normal(size=(n, d)), 1.5 * rng.normal(size=(m, d)), rng.random(n)
    h, scales = rng.uniform(0.7, 1.5, d), rng.uniform(0.5, 3.0, n) if adaptive else None
    found, nothing = window_sums(tiles_of(kernel, points, w, scales, h), kernel, Q, 0.0, 0.0)
    assert nothing is None
    exact = TWINS["window_sums"](points / h, w, Q / h, kernel, scales)
    # Squared distances of up to 100 in rounded units: the exponent has an absolute error of some 1e-14.
    assert relative(found, exact) < 1e-13


@pytest.mark.parametrize("kernel", CODES)
@pytest.mark.parametrize("size", [8, 64])
def test_a_point_may_weigh_something_else_at_a_query(level, kernel, size, rng):
    points, w = rng.normal(size=(70, 2)), rng.random(70)
    left = np.where(np.arange(70) % 3 == 0, 0.0, 0.5 * w)
    tiles = tiles_of(kernel, points, w, size=size)
    found, _ = window_sums(tiles, kernel, points, 0.0, 0.0, tiles.slots, left)
    assert relative(found, TWINS["window_sums"](points, w, points, kernel, exclude=left)) < 1e-13
    none = np.full(70, -1)
    found, _ = window_sums(tiles, kernel, points, 0.0, 0.0, none, left)
    assert relative(found, TWINS["window_sums"](points, w, points, kernel)) < 1e-13


@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
def test_sums_too_small_to_be_numbers_have_a_logarithm(level, kernel, rng):
    points, w = rng.normal(size=(200, 3)), rng.random(200)
    Q = rng.normal(size=(30, 3)) * 10.0 ** rng.uniform(0, 6, (30, 1))
    found, _ = window_sums(tiles_of(kernel, points, w), kernel, Q, 0.0, 0.0)
    exact = TWINS["window_sums"](points, w, Q, kernel).astype(float)
    # The largest logarithms, of 1e12, are rounded at 1e-4; all are right to their last digits.
    np.testing.assert_allclose(found, exact, rtol=1e-15, atol=1e-13)


@pytest.mark.parametrize("d", [1, 3, 6])
@pytest.mark.parametrize("rtol", [1e-2, 1e-6, 1e-9])
def test_tiles_left_out_are_less_than_allowed(level, d, rtol, rng):
    points, w, Q = rng.normal(size=(1500, d)) * 3, rng.random(1500), rng.normal(size=(60, d)) * 4
    tiles = tiles_of("gaussian", points, w)
    exact = TWINS["window_sums"](points, w, Q, "gaussian")
    assert relative(window_sums(tiles, "gaussian", Q, rtol, 0.0)[0], exact) <= rtol
    coarse = window_sums(tiles, "gaussian", Q, 0.0, 1e-3)[0]
    assert np.abs(np.exp(coarse) - np.exp(exact)).max() <= 1e-3


@pytest.mark.parametrize(("n", "m", "d"), SHAPES)
@pytest.mark.parametrize("adaptive", [False, True])
def test_sums_in_single_precision_equal_the_oracle(level, n, m, d, adaptive, rng):
    points, Q, w = rng.normal(size=(n, d)), rng.normal(size=(m, d)), rng.random(n)
    scales = rng.uniform(0.5, 3.0, n) if adaptive else None
    found, mean = window_sums(tiles_of("gaussian", points, w, scales, single=True), "gaussian", Q, 0.0, 0.0)
    # Squared distances of up to 100 at 24 bits.
    assert relative(found, TWINS["window_sums"](points, w, Q, "gaussian", scales)) < 1e-5
    if not adaptive:
        np.testing.assert_allclose(mean, oracle.mean_squares(points, w, Q), rtol=1e-5)


def test_no_queries_are_no_sums(level, rng):
    points = rng.normal(size=(10, 2))
    for kernel in CODES:
        assert window_sums(tiles_of(kernel, points, np.ones(10)), kernel, np.empty((0, 2)), 0.0, 0.0)[0].shape == (0,)
    tiles = tiles_of("gaussian", points, np.ones(10))
    assert window_ladder(tiles, np.empty((0, 2)), np.empty(0, dtype=np.int64), np.empty(0)).shape == (0, RUNGS)
    assert Tree.of(np.zeros(1), np.ones(1), 1.0, "biweight").sums(np.empty(0)).shape == (0,)


def test_tiles_that_are_not_full_count_no_point_twice(level, rng):
    points, Q = rng.normal(size=(70, 2)), rng.normal(size=(9, 2))
    tiles = lay_tiles(points, np.ones(70), None, np.full(2, GAUSSIAN_SCALE), 64)
    found, nothing = window_sums(tiles, "gaussian", Q, 0.0, 0.0)
    assert nothing is None
    assert relative(found, TWINS["window_sums"](points, np.ones(70), Q, "gaussian")) < 1e-14


@pytest.mark.parametrize("at", [0, -1])
def test_an_outlier_costs_the_other_points_of_its_tile_no_digits(at, rng):
    points, Q = rng.normal(size=(20, 2)), rng.normal(size=(9, 2))
    points[at] = 1e8
    tiles = lay_tiles(points, np.ones(20), None, np.full(2, GAUSSIAN_SCALE), 64)
    found, _ = window_sums(tiles, "gaussian", Q, 0.0, 0.0)
    assert relative(found, TWINS["window_sums"](points, np.ones(20), Q, "gaussian")) < 1e-13


def test_groups_are_in_tiles_of_their_own(rng):
    points, groups = rng.normal(size=(100, 2)), rng.integers(0, 5, 100)
    tiles = lay_tiles(points, np.ones(100), None, np.ones(2), 8, groups=groups)
    held = tiles.order.reshape(-1, 8)
    for tile, group in zip(held, tiles.groups, strict=True):
        assert set(groups[tile[tile >= 0]]) == {group}
    np.testing.assert_array_equal(tiles.order[tiles.slots], np.arange(100))
    assert tiles.coefficients.sum() == 100


@pytest.mark.parametrize(("n", "m", "d"), [(2, 2, 1), (70, 33, 3), (150, 64, 5)])
@pytest.mark.parametrize("size", [8, 64])
def test_a_ladder_of_bandwidths_equals_the_oracle(level, n, m, d, size, rng):
    points, w = rng.normal(size=(n, d)), rng.random(n)
    points[0] = 40.0  # its own kernels aside, its sums are too small to be numbers
    own = rng.integers(0, n, m)
    left = rng.random(m) * (np.arange(m) % 2)
    Q = points[own] + 0.1 * rng.normal(size=(m, d))
    tiles = tiles_of("gaussian", points, w, size=size)
    found = window_ladder(tiles, Q, tiles.slots[own], left)
    exact = TWINS["window_ladder"](points, w, Q, own, left)
    # Every rung squares the one before, which doubles its relative error: 2^7 times some 1e-16. Kernels below 1.5e-154
    # count as zero.
    np.testing.assert_allclose(found, exact, rtol=2e-13, atol=1e-152)


@pytest.mark.parametrize("kernel", COMPACT)
@pytest.mark.parametrize("n", [1, 16, 17, 33, 500])
@pytest.mark.parametrize("h", [0.01, 0.5, 30.0])
def test_a_tree_of_a_line_equals_the_oracle(level, kernel, n, h, rng):
    x, w = np.sort(rng.normal(size=n)), rng.random(n)
    tree = Tree.of(x, w, h, kernel)
    centres, moments = TWINS["tree_moments"](x, w, h, kernel)
    np.testing.assert_allclose(tree.centres, centres, rtol=1e-15, atol=1e-15)
    np.testing.assert_allclose(tree.moments, moments, rtol=1e-13, atol=1e-14 * w.sum())
    q = np.concatenate([rng.normal(size=40), x[:10] + 1e-3, [x[0] - 2 * h, x[-1] + 2 * h]])
    # All terms are positive, and none is summed by moments where these would cancel.
    np.testing.assert_allclose(tree.sums(q), TWINS["tree_values"](x, w, h, kernel, q), rtol=1e-11, atol=1e-13)
