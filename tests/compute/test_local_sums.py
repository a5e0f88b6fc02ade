"""Averages around queries over tiles of points equal their twin, near and far, with factors and without."""

import numpy as np
import pytest

from parzen.compute.kernel_sums import CODES, lengths
from parzen.compute.local_sums import local_averages
from parzen.compute.tiles import lay_tiles
from tests.oracle import TWINS

NAMES = ("log_sum", "value", "offset", "square", "product")


def averages(kernel, points, values, w, Q, lines, groups=None, factors=None, cell=None, own=None, left=None, size=16):
    """By tiles, with bandwidth 1: the routine's lengths are the kernel's units, taken back here."""
    tiles = lay_tiles(points, w, None, lengths(kernel, np.ones(points.shape[1]), points), size, groups=groups)
    unit = tiles.inverse[0] if tiles.border is None else tiles.border.radius
    held = np.where(tiles.order[:, None] >= 0, values[tiles.order], 0.0)
    laid = np.ascontiguousarray(held.reshape(len(tiles.groups), size, -1).transpose(0, 2, 1))
    factors = np.ones((1, 1)) if factors is None else factors
    cell = np.zeros(len(Q), dtype=np.int64) if cell is None else cell
    own = None if own is None else np.where(own >= 0, tiles.slots[own], -1)
    found = local_averages(tiles, kernel, laid, Q, lines, factors, cell, 0.0, own, left)
    if not lines:
        return found.log_sum, found.value
    return found.log_sum, found.value, found.offset / unit, found.square / unit**2, found.product / unit


def assert_equal(found, expected, atol):
    for name, mine, theirs in zip(NAMES[: len(found)], found, expected, strict=False):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=atol, err_msg=name)


@pytest.mark.parametrize("kernel", CODES)
@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize(
    ("n", "m", "d", "C"), [(1, 1, 1, 1), (5, 3, 2, 1), (63, 7, 3, 2), (64, 16, 1, 3), (65, 9, 2, 0), (130, 20, 9, 1)]
)
def test_averages_over_tiles_equal_the_oracle(level, kernel, lines, n, m, d, C, rng):
    points, values, w = rng.normal(size=(n, d)), rng.normal(size=(n, C)), rng.random(n)
    Q = 1.5 * rng.normal(size=(m, d))
    found = averages(kernel, points, values, w, Q, lines)
    # Averages of numbers of up to 10, and of their squares.
    assert_equal(found, TWINS["local_averages"](points, values, w, Q, kernel), 1e-12)


@pytest.mark.parametrize("kernel", CODES)
@pytest.mark.parametrize("lines", [False, True])
def test_factors_of_groups_and_a_point_left_out_equal_the_oracle(level, kernel, lines, rng):
    n, m = 90, 24
    points, values, w = rng.normal(size=(n, 2)), rng.normal(size=(n, 2)), rng.random(n)
    groups, cell = rng.integers(0, 3, n), np.sort(rng.integers(0, 4, m))
    factors = rng.random((4, 3))
    factors[1, 0] = factors[2, 1] = 0.0
    own = np.where(np.arange(m) % 3 == 0, -1, rng.integers(0, n, m))
    left = np.where(np.arange(m) % 2 == 0, 0.0, 0.5)
    Q = 0.7 * rng.normal(size=(m, 2))
    found = averages(kernel, points, values, w, Q, lines, groups, factors, cell, own, left)
    expected = TWINS["local_averages"](points, values, w, Q, kernel, factors[cell][:, groups], own, left)
    assert_equal(found, expected, 1e-12)


@pytest.mark.parametrize("kernel", CODES)
@pytest.mark.parametrize("lines", [False, True])
def test_averages_far_from_all_points_equal_the_oracle(level, kernel, lines, rng):
    points, values, w = rng.normal(size=(80, 2)), rng.normal(size=(80, 2)), rng.random(80)
    Q = np.array([[60.0, 3.0], [-200.0, 150.0], [0.0, 5000.0], [1e5, -1e5]])
    found = averages(kernel, points, values, w, Q, lines)
    expected = TWINS["local_averages"](points, values, w, Q, kernel)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
    for mine, theirs in zip(found[2:], expected[2:], strict=False):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9)


def test_no_queries_have_no_averages(level, rng):
    points = rng.normal(size=(10, 2))
    for lines in (False, True):
        found = averages("gaussian", points, points, np.ones(10), np.empty((0, 2)), lines)
        assert [part.shape[0] for part in found] == [0] * len(found)


def test_what_the_routine_can_t_read_is_refused(rng):
    points = rng.normal(size=(10, 1))
    tiles = lay_tiles(points, np.ones(10), None, np.ones(1), 8)
    values, Q = np.zeros((len(tiles.groups), 1, 8)), np.zeros((2, 1))
    cell = np.array([0, 5])
    with pytest.raises(ValueError, match="rows of factors"):
        local_averages(tiles, "gaussian", values, Q, False, np.ones((1, 1)), cell, 0.0)
    with pytest.raises(ValueError, match="column for each group"):
        local_averages(tiles, "gaussian", values, Q, False, np.ones((6, 0)), cell, 0.0)
    with pytest.raises(ValueError, match="values must have shape"):
        local_averages(tiles, "gaussian", values[:1], Q, False, np.ones((6, 1)), cell, 0.0)
    with pytest.raises(ValueError, match="by its own lengths"):
        local_averages(tiles, "tophat", values, Q, False, np.ones((6, 1)), cell, 0.0)
