"""Predictive densities and modes of families with conjugate priors, by quadrature and by ratios of evidences."""

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import gammaln

from parzen import Gaussian, Multinomial, Poisson, fit
from parzen.conjugate import Dirichlet, Gamma, NormalInverseGamma, NormalInverseWishart
from parzen.statistics import Counts
from tests import oracle


class TestPredictivesOfFamilies:
    def test_dirichlet_multinomial_is_the_evidence_of_one_more_row(self, rng):
        X, new = rng.poisson(2, (5, 3)), np.array([[1, 4, 2]])
        alpha = Dirichlet([0.5, 1.0, 2.0])
        density = fit(Multinomial(prior=alpha), X).density
        posterior = alpha.posterior(Counts(X.sum(0)[None].astype(float), (3,)))
        order = posterior.log_evidence(Counts(new.astype(float), (3,)))
        ways = gammaln(new.sum() + 1) - gammaln(new + 1).sum()
        assert density.log_density(new)[0, 0] == pytest.approx(ways + order, rel=1e-12)
        assert density.log_density(new)[0, 0] == pytest.approx(
            stats.dirichlet_multinomial.logpmf(new[0], alpha.concentration + X.sum(0), 7)
        )

    def test_poisson_predictive_is_negative_binomial(self):
        density = fit(Poisson(prior=Gamma(2, 1)), np.array([[3.0], [0.0], [4.0]])).density
        x = np.arange(50.0)[:, None]
        np.testing.assert_allclose(density.log_density(x), stats.nbinom.logpmf(x, 9, 4 / 5), rtol=1e-12)

    def test_gaussian_predictives(self, rng):
        X, x = rng.normal(size=(12, 3)), rng.normal(size=3)
        prior = NormalInverseWishart(np.zeros(3), 0.5, 6.0, np.eye(3))
        after = prior.posterior(X)
        scale = after.scale * (1 + 1 / after.strength) / (after.dof - 2)
        exact = oracle.student_log_density(x, after.location, scale, after.dof - 2)
        assert fit(Gaussian(prior=prior, estimate="bayes"), X).density.log_density(x[None])[0, 0] == pytest.approx(
            exact
        )
        alone = NormalInverseGamma(np.zeros(3), 0.5, 2.0, 1.0)
        after = alone.posterior(X)
        t = stats.t.logpdf(
            x, 2 * after.shape, after.location, np.sqrt(after.scale / after.shape * (1 + 1 / after.strength))
        )
        density = fit(Gaussian("diag", prior=alone, estimate="bayes"), X).density
        assert density.log_density(x[None])[0, 0] == pytest.approx(t.sum())

    def test_a_spherical_predictive_is_the_ratio_of_evidences(self, rng):
        """One variance for all cells: rows of d columns are one long column of a model with d means."""
        X, x = rng.normal(size=(6, 2)), rng.normal(size=2)
        prior = NormalInverseGamma(np.zeros(2), 0.5, 2.0, 1.3)

        def evidence(rows):
            def joint(v):
                means = [
                    stats.multivariate_normal.logpdf(c, np.zeros(len(c)), v * (np.eye(len(c)) + 1 / 0.5))
                    for c in rows.T
                ]
                return np.exp(sum(means) + stats.invgamma.logpdf(v, 2.0, scale=1.3))

            return integrate.quad(joint, 0, np.inf, epsabs=0, epsrel=1e-10)[0]

        exact = np.log(evidence(np.vstack([X, x])) / evidence(X))
        density = fit(Gaussian("spherical", prior=prior, estimate="bayes"), X).density
        assert density.log_density(x[None])[0, 0] == pytest.approx(exact, rel=1e-8)

    @pytest.mark.parametrize("covariance", ["full", "diag", "spherical"])
    @pytest.mark.parametrize("shared", [False, True])
    def test_map_is_the_mode_of_likelihood_times_prior(self, covariance, shared, rng):
        from parzen import Labels, log_likelihood

        X, R = rng.normal(size=(30, 2)), Labels(np.arange(30) % 2)
        wishart = NormalInverseWishart(np.zeros(2), 0.5, 5.0, np.eye(2))
        gamma = NormalInverseGamma(np.zeros(2), 0.5, 2.0, 1.3)
        prior = wishart if covariance == "full" else gamma
        found = fit(Gaussian(covariance, shared=shared, prior=prior, estimate="map"), X, R).density

        def log_prior(density):
            total = 0.0
            S = density.covariance
            for k in range(2):
                total += stats.multivariate_normal.logpdf(density.mean[k], np.zeros(2), S[k] / 0.5)
            for k in range(1 if shared else 2):
                if covariance == "full":
                    total += stats.invwishart.logpdf(S[k], 5.0, np.eye(2))
                else:
                    variances = np.diag(S[k])[: 1 if covariance == "spherical" else 2]
                    total += stats.invgamma.logpdf(variances, 2.0, scale=1.3).sum()
            return total

        def objective(density):
            return log_likelihood(density, X, R) + log_prior(density)

        best = objective(found)
        for step in (1e-3, -1e-3):
            for mean, factor in ((found.mean + step, found.factor), (found.mean, found.factor * (1 + step))):
                assert objective(type(found)(mean, factor)) < best
