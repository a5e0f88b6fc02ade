"""One pass of EM, and of k-means, equals its twin at every level; and what EM promises is kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import parzen
from parzen import Bernoulli, Categorical, Gaussian, Multinomial, Poisson, Product, Uniform, accumulate, fit
from parzen.compute import native
from parzen.compute.em import components, em_step, em_step_missing
from parzen.compute.kmeans import centre_step
from parzen.densities.posterior import memberships
from parzen.families.mixture import Mixture
from parzen.families.squarem import Squarem
from parzen.statistics.statistic import arrays_of
from tests import oracle

SHAPES = [
    (1, 1, 1),
    (5, 2, 3),
    (31, 3, 2),
    (64, 4, 5),
    (130, 7, 9),
    (257, 8, 4),
    (100, 10, 17),
    (90, 17, 3),
    (70, 33, 2),
]


@pytest.fixture(params=native.levels())
def level(request):
    with native.using(request.param):
        yield request.param


def mixture(rng, K, d, kind):
    mean = rng.normal(size=(K, d)) * 2
    weight = rng.dirichlet(np.ones(K))
    A = rng.normal(size=(1 if kind == "shared" else K, d, d)) * 0.4 + np.eye(d)
    factor = np.linalg.cholesky(A @ np.swapaxes(A, 1, 2) + 0.2 * np.eye(d))
    if kind == "diag":
        factor = rng.random((K, d)) + 0.5
        covariance = np.einsum("ki,ij->kij", factor**2, np.eye(d))
    else:
        covariance = np.repeat(factor @ np.swapaxes(factor, 1, 2), K // len(factor), axis=0)
    return mean, np.ascontiguousarray(factor), covariance, weight


def assert_moments(found, X, R, kind, rtol):
    weight, mean, scatter = oracle.moments(X, R, full=kind != "diag")
    np.testing.assert_allclose(found[0], weight, rtol=rtol, atol=rtol * R.sum())
    heavy = (weight if weight.ndim == 1 else weight[:, 0]) > 1e-6 * R.sum()
    spread = 1 + np.abs(X).max()
    scale = R.sum() * spread**2
    np.testing.assert_allclose(found[1][heavy], mean[heavy], rtol=rtol, atol=spread * rtol)
    if kind == "shared":
        scatter, heavy = scatter.sum(axis=0, keepdims=True), np.ones(1, dtype=bool)
    np.testing.assert_allclose(found[2][heavy], scatter[heavy], rtol=rtol, atol=scale * rtol)


class TestKernels:
    @pytest.mark.parametrize("kind", ["full", "diag", "shared"])
    @pytest.mark.parametrize(("n", "d", "K"), SHAPES)
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_a_step_equals_the_twin(self, n, d, K, kind, dtype, level, rng):
        mean, factor, covariance, weight = mixture(rng, K, d, kind)
        X = rng.normal(size=(n, d)).astype(dtype) * 2
        w = np.where(rng.random(n) < 0.2, 0.0, rng.random(n)) + (np.arange(n) == 0)
        for own in (None, w):
            found = em_step(X, own, components(mean, factor, np.log(weight)))
            R, likelihood = oracle.em(X, own, mean, covariance, weight)
            rtol = 1e-9 if dtype == np.float64 else 2e-4
            assert found[4] == pytest.approx(likelihood, rel=rtol)
            assert_moments(found, X, R, kind, rtol)

    @pytest.mark.parametrize(("n", "d", "K"), [shape for shape in SHAPES if shape[1] > 1])
    @pytest.mark.parametrize("shared", [False, True])
    def test_a_step_with_gaps_equals_the_twin(self, n, d, K, shared, level, rng):
        mean, factor, covariance, weight = mixture(rng, K, d, "shared" if shared else "full")
        X = rng.normal(size=(n, d)) * 2
        X[rng.random(X.shape) < 0.3] = np.nan
        X[0] = np.nan  # belongs to the prior
        w = rng.random(n)
        whole, cells, total = em_step_missing(X, w, mean, factor, np.log(weight))
        R, likelihood = oracle.em(X, w, mean, covariance, weight)
        expected = oracle.expected_moments(X, R, mean, covariance)
        assert total == pytest.approx(likelihood, rel=1e-9)
        for mine, theirs in zip(whole[:3], expected[:3], strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-7, atol=1e-8 * (1 + np.abs(theirs).max()))
        for mine, theirs in zip(cells[:3], oracle.moments(X, R, full=False), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-7, atol=1e-8 * (1 + np.abs(theirs).max()))

    @pytest.mark.parametrize("kind", ["full", "diag", "shared"])
    def test_an_offset_costs_no_digits(self, kind, level, rng):
        mean, factor, _, weight = mixture(rng, 4, 5, kind)
        X = np.round(rng.normal(size=(200, 5)) * 2, 3)
        X += 0.0
        near = em_step(X, None, components(mean, factor, np.log(weight)))
        far = em_step(X + 2.0**27, None, components(mean + 2.0**27, factor, np.log(weight)))
        np.testing.assert_allclose(far[4], near[4], rtol=1e-6)
        np.testing.assert_allclose(far[2], near[2], rtol=1e-5, atol=1e-5)

    def test_what_can_t_be_weighed_is_told(self, level, rng):
        at = components(*mixture(rng, 2, 3, "full")[:2], np.log([0.5, 0.5]))
        X = rng.normal(size=(50, 3))
        for bad in (np.nan, np.inf, -np.inf, 1e200):
            X[41, 1] = bad
            assert em_step(X, None, at) is None

    def test_scores_that_would_lose_digits_are_refused(self, rng):
        tight = components(np.array([[0.0], [1.0]]), np.full((2, 1), 1e-9), np.log([0.5, 0.5]))
        assert not tight.takes(np.empty((0, 1)))
        loose = components(np.array([[0.0], [1.0]]), np.full((2, 1), 1e-5), np.log([0.5, 0.5]))
        assert loose.takes(np.empty((0, 1)))
        assert not loose.takes(np.empty((0, 1), dtype=np.float32))

    @pytest.mark.parametrize(("n", "d", "K"), [(0, 2, 3), *SHAPES, (40, 2, 130)])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("gaps", [False, True])
    def test_k_means_equals_the_twin(self, n, d, K, dtype, gaps, level, rng):
        X = rng.normal(size=(n, d)).astype(dtype)
        if gaps:
            X[rng.random(X.shape) < 0.2] = np.nan
        centre, w = rng.normal(size=(K, d)), rng.random(n)
        codes = np.empty(n, dtype=np.int32)
        weight, totals, inertia = centre_step(X, w, centre, codes=codes)
        squares = oracle.nearest(X, centre)[1]
        own = ((np.asarray(X, dtype=float) - centre[codes]) ** 2).astype(float)
        np.testing.assert_allclose(np.nansum(own, axis=1), squares, rtol=1e-5, atol=1e-6)  # ties may differ
        assert inertia == pytest.approx(float(w @ np.nansum(own, axis=1)), rel=1e-6)
        R = np.eye(K)[codes] * w[:, None]
        cells = np.broadcast_to(weight if weight.ndim == 2 else weight[:, None], (K, d))
        np.testing.assert_allclose(cells, R.T @ ~np.isnan(X), atol=1e-9)
        off = np.where(np.isnan(X), 0.0, X - centre[codes])
        np.testing.assert_allclose(totals, R.T @ off, rtol=1e-5, atol=1e-5)


FAMILIES = {
    "full": (Gaussian(), "normal"),
    "diag": (Gaussian("diag"), "normal"),
    "spherical": (Gaussian("spherical"), "normal"),
    "tied": (Gaussian(shared=True), "normal"),
    "full with gaps": (Gaussian(), "gaps"),
    "diagonal with gaps": (Gaussian("diag"), "gaps"),
    "tied with gaps": (Gaussian(shared=True), "gaps"),
    "bits": (Bernoulli(estimate="ml"), "bits"),
    "codes": (Categorical(estimate="ml", categories=3, unseen="error"), "codes"),
    "counts": (Poisson(estimate="ml"), "counts"),
    "words": (Multinomial(estimate="ml"), "counts"),
    "mixed": (Product({0: Gaussian(), 1: Poisson(estimate="ml")}), "mixed"),
    "kinds": ([Gaussian(), Gaussian("diag"), Uniform()], "normal"),
}


def rows(kind, rng, n=240):
    z = rng.integers(3, size=n)
    normal = rng.normal(size=(n, 3)) @ np.array([[1.0, 0.7, 0], [0, 0.5, 0], [0, 0, 1]]) + 2.2 * np.eye(3)[z]
    chances = np.array([[0.9, 0.8, 0.1], [0.2, 0.7, 0.5], [0.1, 0.1, 0.9]])[z].repeat(2, axis=1)
    bits = (rng.random((n, 6)) < chances).astype(float)
    counts = rng.poisson(np.array([[1, 6, 9], [5, 1, 3], [12, 2, 2]])[z]).astype(float)
    return {
        "normal": normal,
        "gaps": np.where(rng.random(normal.shape) < 0.2, np.nan, normal),
        "bits": bits,
        "codes": bits[:, :3] + bits[:, 3:],
        "counts": counts,
        "mixed": np.column_stack([normal[:, 0], counts[:, 0]]),
    }[kind]


@pytest.mark.parametrize("name", FAMILIES)
class TestPromises:
    @pytest.mark.parametrize("accelerate", [False, True])
    def test_the_bound_never_falls_and_touches_the_likelihood(self, name, accelerate, rng):
        family, kind = FAMILIES[name]
        found = fit(
            Mixture(family, 3, init="random"),
            rows(kind, rng),
            rng=1,
            trace=True,
            accelerate=accelerate,
            max_iter=60,
            tol=0,
        )
        scores, bounds = np.array(found.log_likelihoods), np.array(found.bounds)
        slack = 1e-9 * np.abs(scores).max()
        assert len(bounds) >= 5
        assert (bounds >= scores[: len(bounds)] - slack).all()  # raised from where it touched
        assert (scores[1 : len(bounds) + 1] >= bounds[: len(scores) - 1] - slack).all()  # and below what is next

    def test_a_bound_at_itself_is_the_likelihood(self, name, rng):
        family, kind = FAMILIES[name]
        X = rows(kind, rng)
        density = fit(Mixture(family, 3), X, rng=0, max_iter=5, tol=1e-2).density
        np.testing.assert_allclose(density.elbo(X, density), density.log_density(X), rtol=1e-9, atol=1e-9)

    def test_threads_agree_to_the_last_bit(self, name, rng):
        family, kind = FAMILIES[name]
        X = np.tile(rows(kind, rng), (300, 1))
        density = fit(Mixture(family, 3), X[:240], rng=0, max_iter=4, tol=1e-2).density
        totals = []
        for n in (1, 2, 3):
            with parzen.threads(n):
                totals.append(accumulate(Mixture(family, 3), X, at=density))
        for other in totals[1:]:
            for mine, theirs in zip(arrays_of(totals[0]), arrays_of(other), strict=True):
                np.testing.assert_array_equal(mine, theirs)

    def test_twice_a_row_is_weight_two_and_weight_zero_is_no_row(self, name, rng):
        family, kind = FAMILIES[name]
        X = rows(kind, rng, 60)
        density = fit(Mixture(family, 3), X, rng=0, max_iter=4, tol=1e-2).density
        w = rng.integers(0, 3, 60).astype(float)
        weighted = accumulate(Mixture(family, 3), X, w, at=density)
        repeated = accumulate(Mixture(family, 3), np.repeat(X, w.astype(int), axis=0), at=density)
        for mine, theirs in zip(
            arrays_of(weighted, rounding=False),
            arrays_of(repeated, rounding=False),
            strict=True,
        ):
            np.testing.assert_allclose(mine, theirs, rtol=1e-8, atol=1e-8)

    def test_one_pass_equals_memberships_then_moments(self, name, rng):
        family, kind = FAMILIES[name]
        X = rows(kind, rng)
        whole = Mixture(family, 3)
        density = fit(whole, X, rng=0, max_iter=4, tol=1e-2).density
        R, likelihood = memberships(density.components, density.log_weight, X, None)
        seen = accumulate(whole, X, at=density)
        assert seen.log_likelihood[0] == pytest.approx(likelihood, rel=1e-10)
        np.testing.assert_allclose(seen.statistic.parts[0].parts[0].weight[:, 0], R.sum(axis=0), rtol=1e-9)

    def test_one_component_is_the_plain_density(self, name, rng):
        family, kind = FAMILIES[name]
        if isinstance(family, list):
            family = family[0]
        X = rows(kind, rng)
        one = fit(Mixture(family, 1), X, rng=0, tol=1e-12, max_iter=2000).density
        plain = fit(family, X, tol=1e-12, max_iter=2000).density
        exact = 1e-4 if "gaps" in name else 1e-9  # with missing cells both are found by iteration
        np.testing.assert_allclose(one.log_density(X), plain.log_density(X), rtol=exact, atol=exact)


class TestLeaps:
    def test_lead_where_plain_em_leads_in_fewer_looks(self, rng):
        X = np.concatenate([rng.normal(0, 1, 2000), rng.normal(2.0, 1, 1000)])[:, None]
        family = Mixture(Gaussian(), 2)
        start = family.start(X, None, np.random.default_rng(0))
        options = {"start": start, "tol": 1e-10, "max_iter": 20_000}
        plain = fit(family, X, accelerate=False, **options)
        leapt = fit(family, X, accelerate=True, **options)
        assert leapt.log_likelihoods[-1] >= plain.log_likelihoods[-1] - 1e-5
        assert leapt.n_iter < plain.n_iter / 2
        assert (np.diff(leapt.log_likelihoods) >= -1e-9).all()

    def test_go_back_when_they_land_lower(self):
        leaps = Squarem(True)
        leaps.behind = "where plain EM led"
        assert leaps.landed(-3.0, least=-2.0) == "where plain EM led"
        assert leaps.landed(-3.0, least=-2.0) is None  # nothing to go back to

    @given(st.integers(0, 10_000))
    def test_never_lower_the_likelihood(self, seed):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(120, 2)) * rng.gamma(1.0, size=2) + rng.integers(2, size=(120, 1)) * rng.gamma(2.0)
        found = fit(Mixture(Gaussian(), 2, init="random"), X, rng=seed, max_iter=40, tol=0)
        scores = np.array(found.log_likelihoods)
        assert np.isfinite(scores).all()
        assert (np.diff(scores) >= -1e-9 * np.abs(scores).max()).all()
