"""Priors of families: the one that is given is used, defaults are in the data's units, and wrong ones are named."""

import numpy as np
import pytest

from parzen import (
    Bernoulli,
    Categorical,
    Gaussian,
    Multinomial,
    Poisson,
    fit,
)
from parzen.conjugate import Beta, Dirichlet, Gamma, NormalInverseGamma, NormalInverseWishart
from parzen.densities.gaussian import GaussianDensity


class TestPriors:
    def test_a_prior_that_is_given_is_used(self, rng):
        X = rng.normal(size=(20, 2))
        prior = NormalInverseWishart([100.0, 100.0], 1e6, 1e6, np.eye(2))
        one, other = (fit(Gaussian(prior=prior, estimate=e), X).density for e in (None, "bayes"))
        np.testing.assert_array_equal(one.location, other.location)
        assert one.location[0, 0] > 99
        assert isinstance(fit(Gaussian(), X).density, GaussianDensity)

    def test_the_default_prior_of_a_sphere_is_that_of_its_numbers(self, rng):
        X = rng.normal(size=(30, 2))
        prior = NormalInverseGamma(X.mean(0), 0.01, 1.5, 0.5 * X.var(0).mean())
        for estimate in ("map", "bayes"):
            one = fit(Gaussian("spherical", estimate=estimate), X).density
            other = fit(Gaussian("spherical", estimate=estimate, prior=prior), X).density
            np.testing.assert_allclose(one.log_density(X), other.log_density(X), rtol=1e-10)

    def test_a_shared_variance_has_one_prior(self, rng):
        prior = NormalInverseGamma([0, 0], 1, [2, 3], [1, 50])
        with pytest.raises(ValueError, match="has one prior; give the same"):
            fit(Gaussian("spherical", estimate="map", prior=prior), rng.normal(size=(30, 2)))

    @pytest.mark.parametrize(
        ("family", "X"),
        [
            (Bernoulli(prior=Dirichlet(1)), np.array([[0], [1]])),
            (Bernoulli(prior=Beta([1, 2, 3], 1)), np.array([[0], [1]])),
            (Poisson(prior=Gamma([1, 2, 3], 1)), np.array([[0], [1]])),
            (Poisson(prior=1.0), np.array([[0], [1]])),
            (Categorical(prior=1.0), np.array([[0], [1]])),
            (Multinomial(prior=Dirichlet([1, 1])), np.ones((3, 3))),
            (Gaussian(prior=NormalInverseWishart([0], 1, 3, [[2.0]]), estimate="map"), np.eye(3)),
        ],
    )
    def test_a_prior_of_another_kind_or_size_is_named(self, family, X):
        with pytest.raises((TypeError, ValueError), match="prior"):
            fit(family, X)
