"""What EM promises is kept, for mixtures of every family, with and without acceleration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import parzen
from parzen import Bernoulli, Categorical, Gaussian, Multinomial, Poisson, Product, Uniform, accumulate, fit
from parzen.densities.posterior import memberships
from parzen.families.mixture import Mixture
from parzen.families.squarem import Squarem
from parzen.statistics.statistic import arrays_of

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
        scores, bounds = np.array(found.log_likelihoods), np.array(found.elbos)
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


class TestSquarem:
    def test_ends_where_plain_em_ends_in_fewer_steps(self, rng):
        X = np.concatenate([rng.normal(0, 1, 2000), rng.normal(2.0, 1, 1000)])[:, None]
        family = Mixture(Gaussian(), 2)
        start = family.start(X, None, np.random.default_rng(0))
        options = {"start": start, "tol": 1e-10, "max_iter": 20_000}
        plain = fit(family, X, accelerate=False, **options)
        accelerated = fit(family, X, accelerate=True, **options)
        assert accelerated.log_likelihoods[-1] >= plain.log_likelihoods[-1] - 1e-5
        assert accelerated.n_iter < plain.n_iter / 2
        assert (np.diff(accelerated.log_likelihoods) >= -1e-9).all()

    def test_an_extrapolation_that_lowers_the_objective_is_undone(self):
        squarem = Squarem(True)
        squarem.fallback = "the plain step"
        assert squarem.rejected(-3.0, least=-2.0) == "the plain step"
        assert squarem.rejected(-3.0, least=-2.0) is None  # nothing to go back to

    @given(st.integers(0, 10_000))
    def test_the_likelihood_never_falls(self, seed):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(120, 2)) * rng.gamma(1.0, size=2) + rng.integers(2, size=(120, 1)) * rng.gamma(2.0)
        found = fit(Mixture(Gaussian(), 2, init="random"), X, rng=seed, max_iter=40, tol=0)
        scores = np.array(found.log_likelihoods)
        assert np.isfinite(scores).all()
        assert (np.diff(scores) >= -1e-9 * np.abs(scores).max()).all()
