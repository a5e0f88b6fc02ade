"""`KernelDensity` by other metrics: constants by which densities integrate to one, and draws from them."""

import numpy as np
import pytest

from parzen import KernelDensity

KERNELS = ("gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine")
V = np.array([[2.0, 0.6], [0.6, 0.5]])


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", ["manhattan", "chebyshev", "mahalanobis"])
def test_a_density_in_the_plane_integrates_to_one_by_its_own_constant(kernel, name, rng):
    X, params = 0.3 * rng.normal(size=(5, 2)), {"V": V} if name == "mahalanobis" else None
    model = KernelDensity(bandwidth=0.8, metric=name, metric_params=params, kernel=kernel, normalization="metric")
    model.fit(X, sample_weight=rng.random(5))
    reach = {"exponential": 16.0, "gaussian": 7.0}.get(kernel, 2.5)
    places = np.linspace(-reach, reach, 160)
    grid = np.stack(np.meshgrid(places, places), axis=-1).reshape(-1, 2)
    total = np.exp(model.score_samples(grid)).sum() * (places[1] - places[0]) ** 2
    assert total == pytest.approx(1.0, abs=1e-2)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("h", [0.2, 3.0])
def test_a_density_on_the_sphere_integrates_to_one_by_its_own_constant(kernel, h, rng):
    X = np.array([[1.5, 2.0], [-0.3, 3.1], [0.4, -3.1]])
    model = KernelDensity(bandwidth=h, metric="haversine", kernel=kernel, normalization="metric").fit(X)
    lat, lon = (np.arange(120) + 0.5) * np.pi / 120 - np.pi / 2, (np.arange(240) + 0.5) * np.pi / 120
    grid = np.stack(np.meshgrid(lat, lon), axis=-1).reshape(-1, 2)
    total = (np.exp(model.score_samples(grid)) * np.cos(grid[:, 0])).sum() * (np.pi / 120) ** 2
    assert total == pytest.approx(1.0, abs=1e-2)


def test_the_two_constants_differ_by_a_number_alone(rng):
    X = rng.normal(size=(50, 2))
    for name in ("manhattan", "chebyshev", "haversine"):
        model = KernelDensity(bandwidth=0.3, metric=name)
        own = KernelDensity(bandwidth=0.3, metric=name, normalization="metric")
        difference = own.fit(X).score_samples(X) - model.fit(X).score_samples(X)
        assert np.ptp(difference) < 1e-12
        assert abs(difference[0]) > 1e-3
    plain = KernelDensity(normalization="metric").fit(X).score_samples(X)
    np.testing.assert_array_equal(plain, KernelDensity().fit(X).score_samples(X))


@pytest.mark.parametrize(("name", "params"), [("manhattan", None), ("mahalanobis", {"V": V}), ("haversine", None)])
def test_draws_have_the_density(name, params, rng):
    X, w = rng.uniform(-1.2, 1.2, size=(20, 2)), rng.random(20)
    model = KernelDensity(bandwidth=0.3, metric=name, metric_params=params, normalization="metric")
    model.fit(X, sample_weight=w)
    draws = model.sample(20_000, random_state=0)
    # The mean of 1 / f over draws, zero where they lie outside of a region, is its area.
    inside = np.abs(draws).max(axis=1) < 0.8
    size = 1.0 / np.cos(draws[inside, 0]) if name == "haversine" else 1.0
    area = (size * np.exp(-model.score_samples(draws[inside]))).sum() / 20_000
    assert area == pytest.approx(1.6**2, rel=0.05)
    np.testing.assert_array_equal(model.sample(5, random_state=3), model.sample(5, random_state=3))


def test_draws_of_other_metrics_are_refused(rng):
    with pytest.raises(NotImplementedError, match="canberra"):
        KernelDensity(metric="canberra").fit(rng.normal(size=(9, 2))).sample()
