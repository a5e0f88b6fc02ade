"""Point masses: values with a probability of their own, and a density of all others."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate

from parzen import (
    BayesClassifier,
    DensityEstimator,
    Gaussian,
    Histogram,
    Kernel,
    Labels,
    Mixture,
    PointMasses,
    Transformed,
    fit,
    log_likelihood,
)


def gains(rng, n=500, share=0.3):
    return np.where(rng.random((n, 1)) < share, rng.lognormal(2.0, 1.0, (n, 1)), 0.0)


def test_masses_are_shares_and_the_rest_is_the_other_family(rng):
    x = gains(rng)
    density = fit(PointMasses(Gaussian("diag"), at=0.0, strength=0.0), x).density
    share = (x == 0).mean()
    np.testing.assert_allclose(np.exp(density.log_mass[0]), [share, 1 - share])
    others = fit(Gaussian("diag"), x[x > 0][:, None]).density
    fresh = np.array([[0.0], [1.5], [np.nan]])
    expected = [[np.log(share)], [np.log(1 - share) + others.log_density(fresh[1:2])[0, 0]], [0.0]]
    np.testing.assert_allclose(density.log_density(fresh), expected)


@pytest.mark.parametrize(
    "rest", [Gaussian("diag"), Transformed(None, 0.0, 0.0, 0.1), Kernel(0.5), Histogram([-np.inf, 1, 5, 9, np.inf])]
)
def test_masses_and_density_are_one_together_and_the_distribution_function_steps(rest, rng):
    x = gains(rng, 200)
    density = fit(PointMasses(rest, at=[0.0, 7.0]), x).density
    assert np.isfinite(density.log_density(x)).all()
    ends = [-400.0, -1.0, 1.0, 20.0, 400.0, 1e6]
    rest = sum(
        integrate.quad(lambda one: np.exp(density.rest.log_density(np.array([[one]]))[0, 0]), a, b, limit=300)[0]
        for a, b in pairwise(ends)
    )
    masses = np.exp(density.log_mass[0])
    assert masses[:-1].sum() + masses[-1] * rest == pytest.approx(1.0, abs=1e-3)
    step = density.cdf(np.array([[0.0]])) - density.cdf(np.array([[-1e-9]]))
    np.testing.assert_allclose(step, np.exp(density.log_mass[:, :1]), atol=1e-4)
    draws = density.sample(np.zeros(4000, dtype=int), rng)
    assert abs((draws == 0).mean() - np.exp(density.log_mass[0, 0])) < 0.03


def test_values_are_looked_for_in_the_first_table_and_then_stay(rng):
    x, y = gains(rng), rng.integers(0, 2, 500)
    model = BayesClassifier(PointMasses()).partial_fit(x[:250], y[:250], classes=[0, 1])
    assert model.family_.at.tolist() == [0.0]
    model.partial_fit(np.where(x[250:] == 0, 3.0, x[250:]), y[250:])
    assert model.family_.at.tolist() == [0.0]
    whole = BayesClassifier(model.family_).fit(np.concatenate([x[:250], np.where(x[250:] == 0, 3.0, x[250:])]), y)
    np.testing.assert_allclose(model.predict_proba(x), whole.predict_proba(x), rtol=1e-9)


def test_units_change_all_log_densities_alike(rng):
    x = gains(rng)
    plain = DensityEstimator(PointMasses()).fit(x)
    for unit in (1e-6, 1e9):
        other = DensityEstimator(PointMasses()).fit(unit * x)
        np.testing.assert_allclose(other.score_samples(unit * x) + np.log(unit), plain.score_samples(x), rtol=1e-6)


def test_a_column_of_point_masses_alone_has_a_density_elsewhere():
    x = np.repeat([1.0, 2.0, 5.0], 20)[:, None]
    for rows, codes in ((x, np.arange(60) % 2), (x[:20], np.arange(20) % 2)):
        density = fit(PointMasses(at=[1.0, 2.0, 5.0]), rows, Labels(codes)).density
        assert np.isfinite(density.log_density(np.array([[3.0], [1.0], [-40.0]]))).all()
        far = density.log_density(np.array([[3.0]]))
        np.testing.assert_allclose(far[:, 0], far[:, 1])  # no class has had such a value: it tells nothing


def test_the_rest_may_be_a_mixture(rng):
    x = np.where(
        rng.random((600, 1)) < 0.3, 0.0, np.where(rng.random((600, 1)) < 0.5, 5.0, 50.0) + rng.normal(size=(600, 1))
    )
    found = fit(PointMasses(Mixture(Gaussian(), 2), at=0.0), x, rng=0, trace=True)
    assert found.outcome == "converged"
    assert (np.diff(found.log_likelihoods) >= -1e-6).all()
    assert found.log_likelihoods[-1] == pytest.approx(log_likelihood(found.density, x))
    near, between = (float(found.density.log_density(np.array([[at]]))[0, 0]) for at in (50.0, 25.0))
    assert near > between + 50


def test_wrong_questions_say_what_to_do(rng):
    x = gains(rng, 20)
    with pytest.raises(ValueError, match="doesn't know its values yet: an estimator looks for them"):
        fit(PointMasses(), x)
    with pytest.raises(ValueError, match="at must be different finite numbers"):
        fit(PointMasses(at=[0.0, 0.0]), x)
    with pytest.raises(ValueError, match="strength must be a number, at least 0"):
        fit(PointMasses(at=0.0, strength=-1.0), x)
    with pytest.raises(ValueError, match="width must be a finite number above 0"):
        fit(PointMasses(at=0.0, width=0.0), x)
    with pytest.raises(ValueError, match="PointMasses is for one column"):
        DensityEstimator(PointMasses(at=0.0)).fit(np.column_stack([x, x]))
    with pytest.raises(TypeError, match="family must be a family"):
        fit(PointMasses("gaussian", at=0.0), x)


class TestOpenHistograms:
    def test_bins_without_an_end_have_exponential_tails(self, rng):
        x = rng.normal(size=(300, 1))
        for edges in ([-np.inf, -1, 0, 1, np.inf], [-np.inf, -1, 0, 4], [-4, 0, 1, np.inf]):
            density = fit(Histogram(edges), x).density
            inner = [edge for edge in edges if np.isfinite(edge)]
            total = integrate.quad(
                lambda one, d=density: np.exp(d.log_density(np.array([[one]]))[0, 0]), -80, 80, points=inner, limit=300
            )[0]
            assert total == pytest.approx(1.0, abs=1e-5)
            draws = density.sample(np.zeros(20_000, dtype=int), rng)
            for at in (-1.5, -0.5, 0.5, 1.5):
                assert (draws <= at).mean() == pytest.approx(density.cdf(np.array([[at]]))[0, 0], abs=0.015)
            assert draws.mean() == pytest.approx(density.expectation()[0, 0], abs=0.05)
            assert np.isfinite(density.log_density(np.array([[1.5], [-1.5]]))).all()

    def test_edges_must_leave_bounded_bins(self):
        with pytest.raises(ValueError, match="at least two finite numbers that rise"):
            fit(Histogram([-np.inf, 0.0, np.inf]), np.zeros((3, 1)))
