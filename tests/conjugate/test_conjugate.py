"""Conjugate estimation: known answers, and quadrature as the judge of every closed form."""

import datetime

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from parzen import (
    Bernoulli,
    Categorical,
    Multinomial,
    accumulate,
    fit,
)
from parzen.conjugate import (
    Beta,
    Dirichlet,
    Gamma,
    NormalInverseGamma,
    NormalInverseWishart,
    NormalMean,
    NormalParameters,
)
from parzen.statistics import Sums


class TestCoins:
    """Heads 2, tails 0 and heads 55, tails 45, with Beta(2, 2)."""

    @pytest.mark.parametrize(
        ("heads", "tails", "ml", "mode", "mean"),
        [(2, 0, 1.0, 3 / 4, 4 / 6), (55, 45, 0.55, 56 / 102, 57 / 104)],
    )
    def test_known_answers(self, heads, tails, ml, mode, mean):
        flips = [1] * heads + [0] * tails
        posterior = Beta(2, 2).posterior(flips)
        assert Beta(2, 2).maximum_likelihood(flips) == ml
        assert posterior.mode() == pytest.approx(mode, rel=1e-15)
        assert posterior.mean() == pytest.approx(mean, rel=1e-15)
        rows = np.array(flips)[:, None]
        for estimate, answer in (("ml", ml), ("map", mode), ("bayes", mean)):
            density = fit(Bernoulli(prior=Beta(2, 2), estimate=estimate), rows).density
            assert density.probability == pytest.approx(answer, rel=1e-14)

    def test_log_evidence_of_the_ordered_sequence(self):
        assert Beta(2, 2).log_evidence([1] * 55 + [0] * 45) == pytest.approx(-70.51706623, abs=1e-8)

    def test_a_statistic_serves_as_well_as_rows(self):
        told = Sums(np.array(100.0), np.array(55.0))
        assert Beta(2, 2).posterior(told).mean() == 57 / 104

    def test_placenta_previa(self):
        """BDA3, section 2.4: 437 girls among 980 births, uniform prior."""
        posterior = Beta(1, 1).posterior(Sums(np.array(980.0), np.array(437.0)))
        assert round(posterior.mean(), 3) == 0.446
        assert [round(end, 3) for end in posterior.interval(0.95)] == [0.415, 0.477]

    def test_two_flips_end_in_no_certainty_unless_ml_is_asked_for(self):
        rows = np.array([[1], [1]])
        for estimate in ("bayes", "map"):
            assert fit(Bernoulli(estimate=estimate), rows).density.probability == pytest.approx(3 / 4)
            p = np.exp(
                fit(Categorical(estimate=estimate, unseen="error"), rows).density.log_density(np.array([[0], [1]]))
            )
            assert p[:, 0] == pytest.approx([1 / 4, 3 / 4])
        assert fit(Bernoulli(estimate="ml"), rows).density.probability == 1.0

    def test_1e20_heads_leave_a_tail_its_probability(self):
        density = Beta(1, 1).posterior(Sums(np.array([[1e20]]), np.array([[1e20]]))).predictive()
        np.testing.assert_allclose(density.log_density(np.array([[0], [1]])), [[-np.log(1e20)], [0]], atol=1e-12)

    @pytest.mark.parametrize(
        "make",
        [
            lambda: Beta(0.5, 1).mode(),
            lambda: Dirichlet([0.5, 0.5, 0.5]).posterior([0, 0, 1]).mode(),
            lambda: fit(Bernoulli(prior=Beta(0.5, 0.5), estimate="map"), np.array([[1], [1]])),
            lambda: fit(Categorical(prior=Dirichlet(0.5), estimate="map"), np.array([[0], [1]])),
        ],
    )
    def test_a_density_without_a_mode_explains_itself(self, make):
        with pytest.raises(ValueError, match=r"border of the simplex.*at least 1.*estimate='bayes'"):
            make()

    @pytest.mark.parametrize("prior", [Beta(1, 1), Dirichlet([1, 1, 1])])
    def test_a_level_density_has_no_single_mode(self, prior):
        with pytest.raises(ValueError, match="not unique"):
            prior.mode()

    def test_map_of_a_uniform_prior_is_maximum_likelihood(self):
        assert Beta(1, 1).posterior([1, 1]).mode() == 1.0
        np.testing.assert_allclose(Dirichlet([1, 1, 1]).posterior([0, 0, 2]).mode(), [2 / 3, 0, 1 / 3])
        bits, words, codes = np.array([[1, 0], [1, 1]]), np.array([[0, 2], [0, 1]]), np.array([[0], [2], [2]])
        for family, prior, X in (
            (Bernoulli, Beta(1, 1), bits),
            (Multinomial, Dirichlet(1.0), words),
            (Categorical, Dirichlet(1.0), codes),
        ):
            options = {"unseen": "error"} if family is Categorical else {}
            mode = family(prior=prior, estimate="map", **options)
            likeliest = fit(family(estimate="ml", **options), X).density
            density = fit(mode, X).density
            np.testing.assert_allclose(density.log_density(X), likeliest.log_density(X))
            assert mode.log_prior(density, accumulate(mode, X)) == 0

    def test_counts_are_given_by_name(self):
        flips = [1] * 3 + [0]
        for name in ("posterior", "log_evidence", "maximum_likelihood"):
            told, seen = getattr(Beta(2, 3), name)(heads=3, tails=1), getattr(Beta(2, 3), name)(flips)
            assert repr(told) == repr(seen)
            told = getattr(Dirichlet([1, 2, 3]), name)(counts=[1, 0, 2])
            assert repr(told) == repr(getattr(Dirichlet([1, 2, 3]), name)([0, 2, 2]))
        assert Beta(2, 2).posterior(heads=1).a == 3
        for wrong in (
            lambda: Beta(2, 2).posterior([1], heads=1),
            lambda: Beta(2, 2).posterior(),
            lambda: Dirichlet(1).posterior(),
        ):
            with pytest.raises(TypeError, match="give"):
                wrong()
        with pytest.raises(ValueError, match="heads=3, tails=1"):
            Beta(2, 2).posterior((5, 3))
        with pytest.raises(ValueError, match=r"counts=\[0, 0, 0\]"):
            Dirichlet([1, 1, 1]).posterior([3, 0, 1])
        with pytest.raises(ValueError, match="3 numbers"):
            Dirichlet([1, 1, 1]).posterior(counts=[3, 0])
        with pytest.raises(ValueError, match="heads must be finite and at least 0"):
            Beta(2, 2).posterior(heads=-1)


PARAMETERS = [
    (Beta(2, 3), [1, 0, 1, 1], np.array([0.0, 0.2, 0.7])),
    (Dirichlet([1, 2, 0.5]), [0, 2, 2, 1], np.array([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])),
    (Gamma(2, 0.5), [3, 0, 2, 7], np.array([1.0, 2.5])),
    (NormalMean(1, 2, 0.5), [0.3, 1.1, 2.2, 0.1], np.array([0.0, 1.0])),
    (NormalInverseGamma(0, 1, 2, 3), [0.3, 1.1, 2.2, 0.1], NormalParameters(np.array([0.0, 1]), np.array([1.0, 2]))),
    (
        NormalInverseWishart([0, 0], 1, 4, np.eye(2)),
        [[0.3, 1], [1.1, 0], [2.2, 1], [0.1, 4]],
        NormalParameters(np.array([[0.0, 1], [1, 1]]), np.array([[[2.0, 0.5], [0.5, 1]], np.eye(2)])),
    ),
]


class TestDensitiesOfParameters:
    @pytest.mark.parametrize(("prior", "data", "theta"), PARAMETERS)
    def test_the_posterior_is_prior_times_likelihood_over_evidence(self, prior, data, theta):
        rule = prior.log_density(theta) + prior.log_likelihood(theta, data) - prior.log_evidence(data)
        np.testing.assert_allclose(prior.posterior(data).log_density(theta), rule, rtol=1e-12)
        np.testing.assert_allclose(prior.density(theta), np.exp(prior.log_density(theta)))

    def test_they_are_those_of_scipy(self):
        p, m, v = np.linspace(-0.5, 1.5, 9), np.linspace(-3, 3, 9), np.linspace(0.1, 5, 9)
        np.testing.assert_allclose(Beta(2, 3).log_density(p), stats.beta.logpdf(p, 2, 3))
        np.testing.assert_allclose(Gamma(2, 0.5).log_density(m), stats.gamma.logpdf(m, 2, scale=2))
        np.testing.assert_allclose(NormalMean(1, 2, 9).log_density(m), stats.norm.logpdf(m, 1, 2))
        theta = np.array([0.2, 0.3, 0.5])
        assert Dirichlet([1, 2, 0.5]).log_density(theta) == pytest.approx(stats.dirichlet.logpdf(theta, [1, 2, 0.5]))
        assert Dirichlet([1, 2, 0.5]).log_density([0.5, 0.6, 0.2]) == -np.inf
        joint = stats.invgamma.logpdf(v, 2, scale=3) + stats.norm.logpdf(m, 1, np.sqrt(v / 4))
        np.testing.assert_allclose(NormalInverseGamma(1, 4, 2, 3).log_density(NormalParameters(m, v)), joint)
        scale, mean, covariance = np.array([[2, 0.5], [0.5, 1]]), [0.3, 1.0], np.array([[1, 0.2], [0.2, 3]])
        found = NormalInverseWishart([0, 1], 2, 5, scale).log_density(NormalParameters(mean, covariance))
        judge = stats.invwishart.logpdf(covariance, 5, scale)
        judge += stats.multivariate_normal.logpdf(mean, [0, 1], covariance / 2)
        assert found == pytest.approx(judge)

    def test_the_likelihood_is_that_of_the_rows(self):
        assert Beta(9, 9).log_likelihood(0.3, [1, 0, 1]) == pytest.approx(stats.bernoulli.logpmf([1, 0, 1], 0.3).sum())
        assert Gamma(9, 9).log_likelihood(2.0, [3, 0]) == pytest.approx(stats.poisson.logpmf([3, 0], 2).sum())
        assert NormalMean(9, 9, 3).log_likelihood(2.0, [1, 5]) == pytest.approx(stats.norm.logpdf([1, 5], 2, 3).sum())


def log_normal(x, mean, deviation):
    return stats.norm.logpdf(x, mean, deviation).sum()


def gaussians(x, mean, covariance):
    u = x - mean
    q = np.einsum("ni,nij,nj->n", u, np.linalg.inv(covariance), u)
    return -0.5 * (q + np.linalg.slogdet(2 * np.pi * covariance)[1])


class TestAgainstQuadrature:
    """Posterior density, evidence and predictive by integrating likelihood times prior numerically."""

    def check_one_parameter(self, prior, posterior, data, log_likelihood, log_prior, low, high, predictive, value):
        def joint(t):
            return np.exp(log_likelihood(data, t) + log_prior(t))

        evidence = integrate.quad(joint, low, high, epsabs=0, epsrel=1e-11, limit=200)[0]
        assert prior.log_evidence(data) == pytest.approx(np.log(evidence), rel=1e-9)
        mean = integrate.quad(lambda t: t * joint(t), low, high, epsabs=0, epsrel=1e-11, limit=200)[0] / evidence
        assert posterior.mean() == pytest.approx(mean, rel=1e-8)
        ends = posterior.interval(0.9)
        inside = integrate.quad(joint, *ends, epsabs=0, epsrel=1e-11)[0] / evidence
        assert inside == pytest.approx(0.9, rel=1e-8)
        below = integrate.quad(joint, low, ends[0], epsabs=0, epsrel=1e-10)[0] / evidence
        assert below == pytest.approx(0.05, rel=1e-7)
        peak = optimize.minimize_scalar(lambda t: -joint(t), bounds=ends, method="bounded", options={"xatol": 1e-9}).x
        assert posterior.mode() == pytest.approx(peak, abs=1e-4 * (ends[1] - ends[0]))
        next_one = integrate.quad(
            lambda t: joint(t) * np.exp(log_likelihood([value], t)), low, high, epsabs=0, epsrel=1e-11
        )
        expected = np.log(next_one[0] / evidence)
        assert predictive.log_density(np.array([[float(value)]]))[0, 0] == pytest.approx(expected, rel=1e-8)
        draws = posterior.sample(40_000, 0)
        assert draws.mean() == pytest.approx(posterior.mean(), abs=5 * draws.std() / 200)

    def test_beta_bernoulli(self):
        data, prior = [1, 0, 1, 1, 1], Beta(1.5, 2.5)
        posterior = prior.posterior(data)
        self.check_one_parameter(
            prior, posterior, data,
            lambda x, t: stats.bernoulli.logpmf(x, t).sum(), lambda t: stats.beta.logpdf(t, 1.5, 2.5),
            0, 1, posterior.predictive(), 1,
        )  # fmt: skip

    def test_gamma_poisson(self):
        data, prior = [3, 0, 5, 2], Gamma(2.5, 0.7)
        posterior = prior.posterior(data)
        self.check_one_parameter(
            prior, posterior, data,
            lambda x, t: stats.poisson.logpmf(x, t).sum(), lambda t: stats.gamma.logpdf(t, 2.5, scale=1 / 0.7),
            0, 40, posterior.predictive(), 4,
        )  # fmt: skip

    def test_normal_mean(self):
        data, prior = [1.3, 2.1, -0.4], NormalMean(0.5, 2.0, 1.5)
        posterior = prior.posterior(data)
        self.check_one_parameter(
            prior, posterior, data,
            lambda x, t: log_normal(x, t, 1.5), lambda t: stats.norm.logpdf(t, 0.5, 2.0),
            -15, 15, posterior.predictive(), 3.0,
        )  # fmt: skip

    def test_normal_inverse_gamma(self):
        data, prior = np.array([1.3, 2.1, -0.4, 0.9]), NormalInverseGamma(0.5, 0.8, 2.5, 1.7)

        def log_joint(v, m, extra=()):
            rows = np.append(data, extra).reshape(-1, *(1,) * np.ndim(m))
            likelihood = stats.norm.logpdf(rows, m, np.sqrt(v)).sum(axis=0)
            return likelihood + stats.norm.logpdf(m, 0.5, np.sqrt(v / 0.8)) + stats.invgamma.logpdf(v, 2.5, scale=1.7)

        def joint(v, m):
            return np.exp(log_joint(v, m))

        # Over log v and over m in units of sqrt(v): there the integrand is smooth, and the trapezoid rule exact.
        s, u = np.meshgrid(np.linspace(-8, 14, 1500), np.linspace(-14, 14, 800), indexing="ij")
        v = np.exp(s)
        m = 0.8 + u * np.sqrt(v)
        cell = (s[1, 0] - s[0, 0]) * (u[0, 1] - u[0, 0]) * v * np.sqrt(v)
        values = joint(v, m) * cell
        evidence = values.sum()
        assert prior.log_evidence(data) == pytest.approx(np.log(evidence), rel=1e-8)
        posterior = prior.posterior(data)
        assert posterior.mean().variance == pytest.approx((v * values).sum() / evidence, rel=1e-8)
        predictive = np.log((np.exp(log_joint(v, m, [2.5])) * cell).sum() / evidence)
        assert posterior.predictive().log_density(np.array([[2.5]]))[0, 0] == pytest.approx(predictive, rel=1e-8)
        mode = posterior.mode()
        best = joint(mode.variance, mode.mean)
        for dv, dm in ((0.01, 0), (-0.01, 0), (0, 0.01), (0, -0.01)):
            assert joint(mode.variance + dv, mode.mean + dm) < best
        draws = posterior.sample(200_000, 0)
        low, high = posterior.interval(0.9)
        assert ((draws.mean > low.mean) & (draws.mean < high.mean)).mean() == pytest.approx(0.9, abs=0.005)
        assert ((draws.variance > low.variance) & (draws.variance < high.variance)).mean() == pytest.approx(
            0.9, abs=0.005
        )

    def test_normal_inverse_wishart_of_one_dimension_is_normal_inverse_gamma(self, rng):
        data = rng.normal(size=6)
        wishart = NormalInverseWishart([0.5], 0.8, 5.0, [[3.4]])
        gamma = NormalInverseGamma(0.5, 0.8, 2.5, 1.7)
        assert wishart.log_evidence(data[:, None]) == pytest.approx(gamma.log_evidence(data), rel=1e-12)
        one, other = wishart.posterior(data[:, None]), gamma.posterior(data)
        assert one.mode().variance == pytest.approx(other.mode().variance)
        assert one.mean().variance == pytest.approx(other.mean().variance)
        X = rng.normal(size=(5, 1))
        np.testing.assert_allclose(one.predictive().log_density(X), other.predictive().log_density(X), rtol=1e-12)
        for mine, theirs in zip(one.interval(), other.interval(), strict=True):
            assert (mine.mean, mine.variance) == (pytest.approx(theirs.mean), pytest.approx(theirs.variance))

    def test_the_wishart_predictive_is_the_mixture_of_gaussians_that_it_draws(self, rng):
        prior = NormalInverseWishart([0, 1], 0.7, 5.0, [[2, 0.5], [0.5, 1]])
        posterior = prior.posterior(rng.normal(size=(8, 2)) + np.array([0, 1]))
        draws = posterior.sample(100_000, 1)
        X = np.array([[0.3, 0.8], [2.0, -1.0]])
        mixed = [np.exp(gaussians(x, draws.mean, draws.variance)) for x in X]
        exact = np.exp(posterior.predictive().log_density(X)[:, 0])
        errors = [values.std() / np.sqrt(len(values)) for values in mixed]
        assert np.abs([values.mean() for values in mixed] - exact) == pytest.approx([0, 0], abs=5 * max(errors))
        np.testing.assert_allclose(draws.variance.mean(0), posterior.mean().variance, rtol=0.03, atol=0.01)

    @pytest.mark.parametrize(
        ("prior", "data"),
        [
            (Beta(2, 3), [1, 0, 1, 1]),
            (Dirichlet([1, 2, 0.5]), [0, 2, 2, 1]),
            (Gamma(2, 0.5), [3, 0, 2, 7]),
            (NormalMean(1, 2, 0.5), [0.3, 1.1, 2.2, 0.1]),
            (NormalInverseGamma(0, 1, 2, 3), [0.3, 1.1, 2.2, 0.1]),
            (NormalInverseWishart([0, 0], 1, 4, np.eye(2)), [[0.3, 1], [1.1, 0], [2.2, 1], [0.1, 4]]),
        ],
    )
    def test_evidence_is_the_product_of_predictives_and_updating_is_sequential(self, prior, data):
        """The chain rule: log p(x1..xn) = sum of log p(xi | x1..xi-1)."""
        posterior, total = prior, 0.0
        for x in data:
            total += posterior.predictive().log_density(np.atleast_2d(np.asarray(x, float)))[0, 0]
            posterior = posterior.posterior(np.atleast_2d(np.asarray(x, float)))
        assert prior.log_evidence(data) == pytest.approx(total, rel=1e-10)
        at_once = prior.posterior(data)
        for name, value in vars(at_once).items():
            np.testing.assert_allclose(np.squeeze(vars(posterior)[name]), np.squeeze(value), rtol=1e-12)

    def test_weights_are_repetitions(self):
        for prior, data in ((Beta(2, 3), [1, 0]), (Gamma(2, 1), [3, 1]), (NormalInverseGamma(0, 1, 2, 3), [0.5, 2])):
            weighted, repeated = prior.posterior(data, [3, 1]), prior.posterior([data[0]] * 3 + [data[1]])
            for name, value in vars(weighted).items():
                assert value == pytest.approx(vars(repeated)[name])
            evidence = prior.log_evidence(data, [3, 1])
            assert evidence == pytest.approx(prior.log_evidence([data[0]] * 3 + [data[1]]))


class TestToronto:
    """The mean temperature of a month, its deviation from year to year known: 1, 7 and all observations."""

    @pytest.fixture
    def july(self, lines):
        rows = lines("toronto_daily_2014_2018.csv.gz")
        header, rows = rows[0], rows[1:]
        day, mean = 0, next(j for j, name in enumerate(header) if "mean" in name.lower())
        dated = [(datetime.date.fromisoformat(row[day][:10]), row[mean]) for row in rows]
        return np.array([float(cell) for date, cell in dated if date.month == 7 and cell])

    def test_the_posterior_narrows_and_the_predictive_stays_wider_than_the_noise(self, july):
        noise = 3.0
        prior = NormalMean(location=20.0, deviation=5.0, noise=noise)
        before = prior.deviation
        for n in (1, 7, len(july)):
            posterior = prior.posterior(july[:n])
            grid = np.linspace(0, 40, 400_001)
            log_joint = stats.norm.logpdf(grid, 20, 5) - 0.5 * ((july[:n, None] - grid) ** 2 / noise**2).sum(0)
            weights = np.exp(log_joint - log_joint.max())
            weights /= weights.sum()
            assert posterior.mean() == pytest.approx(weights @ grid, rel=1e-6)
            assert posterior.deviation == pytest.approx(np.sqrt(weights @ (grid - weights @ grid) ** 2), rel=1e-5)
            assert posterior.deviation < before
            before = posterior.deviation
            wide = np.sqrt(posterior.predictive().covariance[0, 0, 0])
            assert wide == pytest.approx(np.hypot(noise, posterior.deviation))
            assert wide > noise
        assert abs(posterior.mean() - july.mean()) < 0.05


@pytest.mark.parametrize(
    "make",
    [
        lambda: Beta(0, 1),
        lambda: Beta(1, np.nan),
        lambda: Dirichlet([1, -1]),
        lambda: Gamma(1, -1),
        lambda: NormalMean(0, 0, 1),
        lambda: NormalMean(0, 1, -2),
        lambda: NormalInverseGamma(0, 1, 0, 1),
        lambda: NormalInverseWishart([0, 0], 1, 1.0, np.eye(2)),
        lambda: NormalInverseWishart([0, 0], 1, 4, np.eye(3)),
        lambda: Beta(1, 1).posterior([0.5]),
        lambda: Gamma(1, 1).posterior([-1]),
        lambda: Gamma(1, 1).posterior([1.5]),
        lambda: Beta(1, 1).posterior([1, 0], [1.0]),
        lambda: Beta(1, 1).interval(1.0),
        lambda: Gamma(0.5, 0).log_evidence([1, 2]),
        lambda: Gamma(0.5, 0).mean(),
        lambda: Gamma(1, 1).log_evidence(Sums(np.array(2.0), np.array(3.0))),
    ],
)
def test_bad_parameters_and_data_are_refused(make):
    with pytest.raises(ValueError, match=r"must|needs|improper"):
        make()


def test_conjugates_read_the_families_statistics(rng):
    bits = rng.integers(0, 2, (30, 2))
    np.testing.assert_allclose(Beta(2, 2).maximum_likelihood(accumulate(Bernoulli(), bits))[0], bits.mean(0))
    with pytest.raises(ValueError, match="one column"):
        Dirichlet([1, 1]).posterior(accumulate(Categorical(), bits))


def test_a_prior_that_is_no_distribution_is_refused():
    with pytest.raises(ValueError, match="positive definite"):
        NormalInverseWishart([0, 0], 1, 4, -np.eye(2))
    with pytest.raises(ValueError, match="not negative"):
        Beta(5, 5).posterior([1, 0], weights=[-1, 2])


def test_a_small_concentration_still_draws():
    draws = Dirichlet([1e-4] * 3).sample(1000, 0)
    np.testing.assert_allclose(draws.sum(axis=1), 1)
    assert draws.max(axis=1).min() > 0.99
