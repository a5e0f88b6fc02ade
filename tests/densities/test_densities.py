"""Densities against SciPy, against integrals and sums that must be one, far out, and by columns."""

import itertools

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import integrate, sparse, stats
from scipy.special import logsumexp

from parzen import (
    Bernoulli,
    Categorical,
    Gaussian,
    Multinomial,
    Poisson,
    fit,
)
from parzen.conjugate import Gamma
from parzen.densities.bernoulli import BernoulliDensity
from parzen.densities.categorical import CategoricalDensity
from parzen.densities.dirichlet_multinomial import DirichletMultinomialDensity
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.multinomial import MultinomialDensity
from parzen.densities.negative_binomial import NegativeBinomialDensity
from parzen.densities.poisson import PoissonDensity
from parzen.densities.special import deviance, stirling_error
from parzen.densities.student import StudentDensity


def gaussian(rng, K=2, d=2):
    A = rng.normal(size=(K, d, d))
    return GaussianDensity(rng.normal(size=(K, d)), np.linalg.cholesky(A @ np.swapaxes(A, 1, 2) + 0.5 * np.eye(d)))


class TestIntegrateToOne:
    @pytest.mark.parametrize("kind", ["full", "shared", "diag", "joint t", "t columns"])
    def test_continuous(self, kind, rng):
        base = gaussian(rng)
        deviations = np.array([[0.5, 1.0], [1.5, 0.7]])
        density = {
            "full": base,
            "shared": GaussianDensity(base.mean, base.factor[:1]),
            "diag": GaussianDensity(base.mean, deviations),
            "joint t": StudentDensity(base.mean, base.factor, np.array([5.0, 30.0])),
            "t columns": StudentDensity(base.mean, deviations, np.array([[5.0, 6.0], [7.0, 30.0]])),
        }[kind]
        # u / (1 - u^2) maps the plane to a square; Gauss-Legendre there reaches the tails of a t as well.
        nodes, weights = np.polynomial.legendre.leggauss(400)
        x, jacobian = 3 * nodes / (1 - nodes**2), 3 * (1 + nodes**2) / (1 - nodes**2) ** 2
        grid = np.array(list(itertools.product(x, x)))
        volume = np.outer(weights * jacobian, weights * jacobian).ravel()
        np.testing.assert_allclose(volume @ np.exp(density.log_density(grid)), 1.0, rtol=1e-6)

    def test_symbols(self, rng):
        bits = np.array(list(itertools.product([0, 1], repeat=3)))
        p = rng.random((2, 3))
        np.testing.assert_allclose(
            logsumexp(BernoulliDensity(np.log1p(-p), np.log(p)).log_density(bits), axis=0), 0, atol=1e-14
        )
        logs = np.log(np.hstack([rng.dirichlet(np.ones(3), 2), rng.dirichlet(np.ones(2), 2)]))
        cells = np.array(list(itertools.product(range(3), range(2))))
        np.testing.assert_allclose(
            logsumexp(CategoricalDensity(logs, (3, 2), False).log_density(cells), axis=0), 0, atol=1e-14
        )

    def test_counts(self):
        x = np.arange(2000.0)[:, None]
        rates = np.array([[0.1], [30.0]])
        np.testing.assert_allclose(logsumexp(PoissonDensity(rates).log_density(x), axis=0), 0, atol=1e-12)
        negative = NegativeBinomialDensity(np.array([[0.3], [40.0]]), np.array([[0.5], [2.0]]))
        np.testing.assert_allclose(logsumexp(negative.log_density(x), axis=0), 0, atol=1e-12)

    @pytest.mark.parametrize("total", [0, 1, 6])
    def test_rows_of_counts_given_their_total(self, total, rng):
        rows = np.array([x for x in itertools.product(range(total + 1), repeat=3) if sum(x) == total])
        for density in (
            MultinomialDensity(np.log(rng.dirichlet(np.ones(3), 2)), np.ones(2)),
            DirichletMultinomialDensity(rng.random((2, 3)) * 3, np.ones(2)),
        ):
            np.testing.assert_allclose(logsumexp(density.log_density(rows), axis=0), 0, atol=1e-12)


class TestAgainstSciPy:
    def test_counts_of_every_size(self):
        x = np.array([0, 1, 2, 15, 16, 100, 5000, 10**6])[:, None].astype(float)
        for rate in (1e-3, 0.5, 16.0, 5000.0, 1e6):
            mine = PoissonDensity(np.array([[rate]])).log_density(x)
            np.testing.assert_allclose(mine, stats.poisson.logpmf(x, rate), rtol=1e-9)
        for r, beta in ((0.5, 0.1), (3.0, 1.0), (5000.0, 7.0)):
            mine = NegativeBinomialDensity(np.array([[r]]), np.array([[beta]])).log_density(x)
            np.testing.assert_allclose(mine, stats.nbinom.logpmf(x, r, beta / (1 + beta)), rtol=1e-8)

    def test_small_counts_from_the_table_equal_those_computed_one_by_one(self, rng):
        density = PoissonDensity(rng.random((3, 2)) * 10)
        X = rng.poisson(5, (500, 2)).astype(float)
        X[::7, 0] = np.nan
        np.testing.assert_allclose(
            density.log_density(X), np.vstack([density.log_density(x[None]) for x in X]), rtol=1e-13
        )

    def test_multinomials(self, rng):
        p, X = rng.dirichlet(np.ones(4)), rng.poisson(3, (20, 4))
        mine = MultinomialDensity(np.log(p)[None], np.ones(1)).log_density(X)[:, 0]
        np.testing.assert_allclose(mine, [stats.multinomial.logpmf(x, x.sum(), p) for x in X], rtol=1e-12)
        alpha = rng.random(4) * 3
        mine = DirichletMultinomialDensity(alpha[None], np.ones(1)).log_density(X)[:, 0]
        np.testing.assert_allclose(mine, [stats.dirichlet_multinomial.logpmf(x, alpha, x.sum()) for x in X], rtol=1e-10)

    def test_students(self, rng):
        base = gaussian(rng, K=1, d=3)
        X = rng.normal(size=(10, 3)) * 5
        mine = StudentDensity(base.mean, base.factor, np.array([4.0])).log_density(X)[:, 0]
        exact = stats.multivariate_t.logpdf(X, base.mean[0], base.covariance[0], 4.0)
        np.testing.assert_allclose(mine, exact, rtol=1e-12)

    def test_the_deviance_form_of_the_negative_binomial(self):
        density = fit(Poisson(prior=Gamma(3, 2)), np.array([[4.0]])).density
        x = np.array([[0.0], [3.0], [5000.0]])
        np.testing.assert_allclose(density.log_density(x), stats.nbinom.logpmf(x, 7, 3 / 4), rtol=1e-9)


class TestFarOut:
    def test_log_densities_far_from_all_data_stay_finite_and_right(self):
        normal = GaussianDensity(np.zeros((1, 1)), np.ones((1, 1)))
        assert normal.log_density(np.array([[1e100]]))[0, 0] == pytest.approx(-0.5e200)
        t = StudentDensity(np.zeros((1, 1)), np.ones((1, 1)), np.full((1, 1), 3.0))
        assert t.log_density(np.array([[1e100]]))[0, 0] == pytest.approx(
            stats.t.logpdf(1e50, 3) - 4 * np.log(1e50), rel=1e-12
        )

    def test_huge_counts_keep_their_digits(self):
        """At x = rate the probability is Stirling's 1 / sqrt(2 pi x), to 1 / 12x."""
        x = 1e15
        mine = PoissonDensity(np.array([[x]])).log_density(np.array([[x]]))[0, 0]
        assert mine == pytest.approx(-0.5 * np.log(2 * np.pi * x), abs=1e-12)
        off = PoissonDensity(np.array([[x]])).log_density(np.array([[x + 3e7]]))[0, 0]
        assert off - mine == pytest.approx(-0.45, abs=1e-6)

    def test_deviance_and_stirling_error_have_no_gap_where_formulas_meet(self):
        mp.dps = 40
        for x, m in ((1.0, 1.21), (1.0, 1.23), (100.0, 100.1), (1e10, 1e10 + 5), (3.0, 0.01)):
            exact = mpf(x) * mp.log(mpf(x) / mpf(m)) + mpf(m) - mpf(x)
            assert float(deviance(x, m)) == pytest.approx(float(exact), rel=1e-13)
        for x in (0.3, 1.0, 14.9, 15.1, 100.0):
            exact = mp.loggamma(mpf(x) + 1) - (mpf(x) + mpf("0.5")) * mp.log(x) + x - mp.log(2 * mp.pi) / 2
            assert float(stirling_error(x)) == pytest.approx(float(exact), rel=1e-11)

    def test_one_row_out_of_support_affects_no_other(self):
        density = PoissonDensity(np.array([[2.0]]))
        values = density.log_density(np.array([[1.0], [-1.0], [0.5], [3.0]]))[:, 0]
        assert np.isneginf(values[[1, 2]]).all()
        np.testing.assert_allclose(values[[0, 3]], stats.poisson.logpmf([1, 3], 2))
        density = MultinomialDensity(np.log([[0.5, 0.5]]), np.ones(1))
        values = density.log_density(np.array([[1.0, 1.0], [-1.0, 2.0]]))[:, 0]
        assert np.isneginf(values[1])
        assert values[0] == pytest.approx(np.log(0.5))

    def test_impossible_symbols_are_minus_infinity_and_never_nan(self):
        sure = BernoulliDensity(np.array([[-np.inf, np.log(0.5)]]), np.array([[0.0, np.log(0.5)]]))
        rows = np.array([[1.0, 0.0], [0.0, 1.0], [np.nan, 1.0]])
        np.testing.assert_allclose(sure.log_density(rows)[:, 0], [np.log(0.5), -np.inf, np.log(0.5)])
        whole = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 1.0]])
        np.testing.assert_allclose(sure.log_density(sparse.csr_array(whole)), sure.log_density(whole))
        never = MultinomialDensity(np.array([[0.0, -np.inf]]), np.ones(1))
        np.testing.assert_allclose(never.log_density(np.array([[2, 0], [1, 1]]))[:, 0], [0, -np.inf])

    def test_a_far_tail_is_a_power_law(self):
        density = fit(Gaussian("diag", estimate="bayes"), np.array([[0.0], [1.0], [2.0]])).density
        far = density.log_density(np.array([[1e90], [1e200]]))[:, 0]
        assert far[1] - far[0] == pytest.approx(-(density.dof[0, 0] + 1) * np.log(1e110), rel=1e-9)


class TestColumns:
    def test_the_conditional_gaussian_is_regression(self, rng):
        """Given x, the mean of y is that of the least-squares line of a sample, and its spread the residuals'."""
        density = gaussian(rng, K=1, d=3)
        given = density.conditional([0, 2], [0.4, -0.3])
        S, m = density.covariance[0], density.mean[0]
        gain = S[1, [0, 2]] @ np.linalg.inv(S[np.ix_([0, 2], [0, 2])])
        assert given.mean[0, 0] == pytest.approx(m[1] + gain @ (np.array([0.4, -0.3]) - m[[0, 2]]))
        assert given.covariance[0, 0, 0] == pytest.approx(S[1, 1] - gain @ S[[0, 2], 1])

    def test_a_conditional_student_integrates_to_one(self, rng):
        base = gaussian(rng, K=1, d=3)
        given = StudentDensity(base.mean, base.factor, np.array([4.0])).conditional([0, 2], [3.0, -5.0])
        assert given.dof == 6
        assert integrate.quad(lambda y: np.exp(given.log_density(np.array([[y]]))[0, 0]), -np.inf, np.inf)[
            0
        ] == pytest.approx(1)

    def test_rows_of_another_width_are_refused_by_every_density(self, rng):
        families = (
            Gaussian(),
            Gaussian("diag", estimate="bayes"),
            Poisson(),
            Bernoulli(),
            Categorical(),
            Multinomial(),
        )
        for family in families:
            density = fit(family, rng.integers(0, 2, (30, 2))).density
            for width in (1, 3):
                with pytest.raises(ValueError, match=r"X must have shape \(rows, 2\)"):
                    density.log_density(np.ones((4, width)))

    @pytest.mark.parametrize(
        "family", [Gaussian(), Gaussian("diag", estimate="bayes"), Poisson(), Bernoulli(), Categorical()]
    )
    def test_columns_of_a_density_are_checked(self, family, rng):
        density = fit(family, rng.integers(0, 2, (30, 3))).density
        assert density.conditional([-1], [0]).shape[1] == 2
        for columns in ([3], [0, 0], [-4]):
            with pytest.raises(ValueError, match="different positions"):
                density.marginal(columns)
        with pytest.raises(ValueError, match="values must be 1"):
            density.conditional([0], [1, 0])
