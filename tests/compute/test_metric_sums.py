"""Sums of kernels of distances that are not Euclidean equal the sum over all pairs."""

import numpy as np
import pytest

from parzen.compute.kernel_sums import CODES
from parzen.compute.metric_sums import DISTANCES, lay_metric_tiles, metric_sums
from tests.compute.test_kernel_sums import relative
from tests.oracle import TWINS

COMPACT = [name for name in CODES if name not in ("gaussian", "exponential")]
#: Distance, p, columns, and whether differences are scaled.
KINDS = [
    ("manhattan", 1.0, 2, False),
    ("manhattan", 1.0, 5, True),
    ("chebyshev", np.inf, 2, False),
    ("chebyshev", np.inf, 3, True),
    ("minkowski", 3.0, 2, False),
    ("minkowski", 2.6, 2, True),
    ("minkowski", 0.5, 2, False),
    ("minkowski", 40.0, 4, False),
    ("minkowski", 1.5, 6, True),
    ("arc", 2.0, 3, False),
]


def rows_of(kind, n, d, rng, spread=1.0):
    points = spread * rng.normal(size=(n, d))
    return points / np.sqrt((points**2).sum(axis=1, keepdims=True)) if kind == "arc" else points


def test_every_distance_is_tried():
    assert {kind for kind, _, _, _ in KINDS} == DISTANCES.keys()


@pytest.mark.parametrize("kernel", CODES)
@pytest.mark.parametrize(("kind", "p", "d", "scaled"), KINDS)
def test_sums_over_tiles_equal_the_oracle(level, kernel, kind, p, d, scaled, rng):
    points, Q, w = rows_of(kind, 130, d, rng), rows_of(kind, 21, d, rng, 1.5), rng.random(130)
    factors, h = rng.uniform(0.5, 2.0, d) if scaled else None, rng.uniform(0.8, 1.6)
    for n, m in ((1, 1), (130, 21)):
        found = metric_sums(lay_metric_tiles(points[:n], w[:n], 64), kind, p, factors, kernel, h, Q[:m], 0.0, 0.0)
        assert relative(found, TWINS["metric_sums"](points[:n], w[:n], Q[:m], kind, p, factors, kernel, h)) < 1e-13


@pytest.mark.parametrize("kernel", CODES)
@pytest.mark.parametrize(("kind", "p", "d", "scaled"), KINDS[::3])
def test_a_point_may_weigh_something_else_at_a_query(level, kernel, kind, p, d, scaled, rng):
    points, w = rows_of(kind, 70, d, rng), rng.random(70)
    left = np.where(np.arange(70) % 3 == 0, 0.0, 0.5 * w)
    tiles = lay_metric_tiles(points, w, 16)
    found = metric_sums(tiles, kind, p, None, kernel, 1.2, points, 0.0, 0.0, tiles.slots, left)
    assert relative(found, TWINS["metric_sums"](points, w, points, kind, p, None, kernel, 1.2, left)) < 1e-13


@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
@pytest.mark.parametrize(("kind", "p", "d", "scaled"), KINDS)
def test_sums_too_small_to_be_numbers_have_a_logarithm(level, kernel, kind, p, d, scaled, rng):
    points, w = rows_of(kind, 100, d, rng), rng.random(100)
    h = 1e-3 if kind == "arc" else 1.0
    Q = rows_of(kind, 13, d, rng) * (1.0 if kind == "arc" else 10.0 ** rng.uniform(0, 6, (13, 1)))
    found = metric_sums(lay_metric_tiles(points, w, 64), kind, p, None, kernel, h, Q, 0.0, 0.0)
    exact = TWINS["metric_sums"](points, w, Q, kind, p, None, kernel, h).astype(float)
    # Logarithms of up to 1e14 are right to their last digits; arcs of a thousand bandwidths are rounded at 1e-13.
    np.testing.assert_allclose(found, exact, rtol=4e-15, atol=1e-9 if kind == "arc" else 1e-13)


@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
@pytest.mark.parametrize(("kind", "p", "d", "scaled"), KINDS)
def test_tiles_left_out_are_less_than_allowed(level, kernel, kind, p, d, scaled, rng):
    points, w, Q = rows_of(kind, 300, d, rng, 9.0), rng.random(300), rows_of(kind, 12, d, rng, 12.0)
    h = 0.05 if kind == "arc" else 0.5
    tiles, exact = lay_metric_tiles(points, w, 16), TWINS["metric_sums"](points, w, Q, kind, p, None, kernel, h)
    for rtol in (1e-2, 1e-9):
        assert relative(metric_sums(tiles, kind, p, None, kernel, h, Q, rtol, 0.0), exact) <= rtol
    coarse = metric_sums(tiles, kind, p, None, kernel, h, Q, 0.0, 1e-3)
    assert np.abs(np.exp(coarse) - np.exp(exact)).max() <= 1e-3


@pytest.mark.parametrize("kernel", COMPACT)
@pytest.mark.parametrize(("kind", "p"), [("manhattan", 1.0), ("chebyshev", np.inf), ("minkowski", 3.0)])
@pytest.mark.parametrize("d", [2, 3])
def test_a_point_at_the_bandwidth_lies_outside(level, kernel, kind, p, d):
    points = np.stack(np.meshgrid(*[np.arange(5.0)] * d), axis=-1).reshape(-1, d)
    exact = TWINS["metric_sums"](points, np.ones(len(points)), points, kind, p, None, kernel, 2.0)
    gaps = np.abs(points[:, None] - points)
    far = {"manhattan": gaps.sum(axis=2), "chebyshev": gaps.max(axis=2)}.get(kind, (gaps**3).sum(axis=2) ** (1 / 3))
    for offset in (0.0, 1e8):
        tiles = lay_metric_tiles(points + offset, np.ones(len(points)), 8)
        found = metric_sums(tiles, kind, p, None, kernel, 2.0, points + offset, 0.0, 0.0)
        assert relative(found, exact) < 1e-13
        if kernel == "tophat":  # no sum of cubes is nearer to 8 than 7 and 9
            np.testing.assert_array_equal(np.exp(found).round(9), (far < 2.0 - 1e-9).sum(axis=1))


def test_arcs_take_points_in_space():
    tiles = lay_metric_tiles(np.zeros((3, 2)), np.ones(3), 8)
    with pytest.raises(ValueError, match="points in space"):
        metric_sums(tiles, "arc", 2.0, None, "gaussian", 1.0, np.zeros((1, 2)), 0.0, 0.0)
