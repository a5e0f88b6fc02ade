"""Metrics: distances as scikit-learn's, kernels that integrate to one by the metric's own constant, draws from them."""

import numpy as np
import pytest
from sklearn.metrics import DistanceMetric

from parzen.compute.kernel_sums import CODES
from parzen.smoothing.kernel_functions import kernel_function
from parzen.smoothing.metric_names import OF_BALL_TREE, OF_KD_TREE, metric_of
from parzen.smoothing.metrics import Norm, Sphere

V = np.array([[2.0, 0.6], [0.6, 0.5]])
METRICS = [
    ("manhattan", None),
    ("chebyshev", None),
    ("minkowski", {"p": 3}),
    ("minkowski", {"p": 0.7}),
    ("minkowski", {"p": 1.5, "w": [0.5, 2.0]}),
    ("minkowski", {"w": [0.5, 2.0]}),
    ("seuclidean", {"V": [0.5, 2.0]}),
    ("mahalanobis", {"V": V}),
    ("mahalanobis", {"VI": np.linalg.inv(V)}),
    ("haversine", None),
    ("canberra", None),
    ("hamming", None),
]
IDS = [f"{name}-{'-'.join(params or {})}-{i}" for i, (name, params) in enumerate(METRICS)]
#: Those that know what their kernels integrate to.
NORMS = [pair for pair in METRICS if pair[0] not in ("haversine", "canberra", "hamming")]


def test_the_metrics_are_those_of_scikit_learns_trees():
    from sklearn.neighbors import BallTree, KDTree

    assert sorted(OF_KD_TREE) == sorted(KDTree.valid_metrics)
    assert sorted((*OF_KD_TREE, *OF_BALL_TREE)) == sorted(BallTree.valid_metrics)


@pytest.mark.parametrize(("name", "params"), METRICS, ids=IDS)
def test_distances_are_scikit_learns(name, params, rng):
    Q, X = rng.normal(size=(5, 2)), rng.normal(size=(7, 2))
    theirs = DistanceMetric.get_metric(name, **(params or {})).pairwise(Q, X)
    np.testing.assert_allclose(metric_of(name, params, 2).distances(Q, X), theirs, rtol=1e-13)


@pytest.mark.parametrize(
    ("name", "params", "d"),
    [("euclidean", None, 3), ("l2", {}, 2), ("minkowski", None, 2), ("p", {"p": 2}, 2), ("chebyshev", None, 1)],
)
def test_euclidean_by_any_name_is_no_other_metric(name, params, d):
    assert metric_of(name, params, d) is None


@pytest.mark.parametrize("kernel", CODES)
@pytest.mark.parametrize(("name", "params"), NORMS, ids=IDS[: len(NORMS)])
def test_a_kernel_of_a_norm_integrates_to_its_constant(kernel, name, params, rng):
    metric, kernel, h = metric_of(name, params, 2), kernel_function(kernel), 0.7
    # In polar coordinates about a row: along a direction, distances grow as the radius does.
    angles = (np.arange(4000) + 0.5) * 2 * np.pi / 4000
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    size = metric.distances(np.zeros((1, 2)), directions)[0]
    end = 1.0 if kernel.compact else 60.0
    r = (np.arange(40_000) + 0.5) * end / 40_000
    radial = (r * kernel.at(r)).sum() * end / 40_000
    integral = radial * h * h * (size**-2.0).mean() * 2 * np.pi
    assert np.exp(metric.log_integral(kernel, h, 2)) == pytest.approx(integral, rel=2e-5)


@pytest.mark.parametrize("kernel", CODES)
@pytest.mark.parametrize("h", [1e-6, 0.3, 2.0, 50.0])
def test_a_kernel_on_the_sphere_integrates_to_its_constant(kernel, h):
    kernel = kernel_function(kernel)
    end = min(np.pi, h * (1.0 if kernel.compact else 60.0))
    arc = (np.arange(200_000) + 0.5) * end / 200_000
    integral = 2 * np.pi * (kernel.at(arc / h) * np.sin(arc)).sum() * end / 200_000
    assert np.exp(Sphere().log_integral(kernel, h, 2)) == pytest.approx(integral, rel=1e-6)


def test_a_sphere_that_is_small_beside_the_bandwidth_is_covered_evenly():
    assert np.exp(Sphere().log_integral(kernel_function("gaussian"), 1e4, 2)) == pytest.approx(4 * np.pi, rel=1e-6)
    tiny = Sphere().log_integral(kernel_function("gaussian"), 1e-5, 2) - np.log(2 * np.pi * 1e-10)
    assert abs(tiny) < 1e-9  # a plane


def test_the_volumes_of_balls():
    assert np.exp(Norm("manhattan", 1.0).log_ball(3)) == pytest.approx(8 / 6)
    assert np.exp(Norm("chebyshev", np.inf).log_ball(3)) == pytest.approx(8)
    assert np.exp(Norm("euclidean", 2.0).log_ball(3)) == pytest.approx(4 / 3 * np.pi)


@pytest.mark.parametrize("kernel", ["gaussian", "tophat", "cosine"])
@pytest.mark.parametrize(("name", "params"), [*NORMS, ("haversine", None)], ids=[*IDS[: len(NORMS)], "haversine"])
def test_draws_are_as_far_as_the_kernel_says(kernel, name, params, rng):
    metric, kernel, h, n = metric_of(name, params, 2), kernel_function(kernel), 0.4, 5_000
    row = np.array([[0.9, -3.0]])
    draws = metric.around(np.repeat(row, n, axis=0), kernel, h, rng)
    far = np.sort(metric.distances(row, draws)[0])
    r = np.linspace(0.0, 1.0 if kernel.compact else 12.0, 20_001)
    growth = np.sin(h * r) if name == "haversine" else r
    below = np.cumsum(growth * kernel.at(r))
    uniform = np.interp(far / h, r, below / below[-1])
    # Kolmogorov's statistic of 5,000 uniform numbers exceeds 0.0276 once in a thousand times.
    assert np.abs(uniform - (np.arange(n) + 0.5) / n).max() < 0.0276


def test_draws_in_a_norm_fill_its_ball_evenly(rng):
    for metric, corner in ((Norm("manhattan", 1.0), 0.25), (Norm("chebyshev", np.inf), 0.25)):
        draws = metric.around(np.zeros((40_000, 2)), kernel_function("tophat"), 1.0, rng)
        assert ((draws > 0).all(axis=1)).mean() == pytest.approx(corner, abs=0.01)
        # Evenly over the square, or the diamond: its half-size copy about the middle of an edge holds its share.
        near = np.abs(draws - [0.5, 0.0]).max(axis=1) < 0.1
        area = 0.04 / (2.0 if metric.p == 1.0 else 4.0)
        assert near.mean() == pytest.approx(area, abs=0.004)


def test_longitudes_of_draws_stay_in_the_range_of_the_rows(rng):
    kernel = kernel_function("gaussian")
    east = Sphere().around(np.tile([[0.1, 6.2]], (500, 1)), kernel, 0.3, rng)
    assert east[:, 1].min() >= 0
    assert east[:, 1].max() < 2 * np.pi
    assert (east[:, 1] < 1).any()
    west = Sphere().around(np.tile([[0.1, -3.1]], (500, 1)), kernel, 0.3, rng)
    assert np.abs(west).max() <= np.pi
    assert (west[:, 1] > 2).any()
