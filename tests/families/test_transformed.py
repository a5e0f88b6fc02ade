"""Power-transformed families: what is learnt at the first table, and densities that keep their meaning."""

import numpy as np
import pytest
from scipy import integrate
from sklearn.preprocessing import PowerTransformer

from parzen import BayesClassifier, DensityEstimator, Gaussian, Labels, NaiveBayes, Transformed, fit, log_likelihood
from parzen.densities.power_transform import PowerTransform


def amounts(rng, n=600, sigma=1.0):
    return rng.lognormal(3.0, sigma, (n, 1))


class TestTheTransform:
    @pytest.mark.parametrize("power", [0.0, 1e-9, 0.4, 1.0, 1.7, 2.0])
    def test_is_that_of_john_and_draper_and_its_inverse_brings_rows_back(self, power, rng):
        x = np.concatenate([rng.normal(0, 5, (200, 1)), [[0.0], [1e-12], [-1e-12]]])
        transform = PowerTransform(np.array([power]), np.zeros(1), np.ones(1))
        y = transform.forward(x)
        np.testing.assert_allclose(transform.inverse(y), x, rtol=1e-9)
        step = 1e-6
        slope = (transform.forward(x + step) - transform.forward(x - step)) / (2 * step)
        np.testing.assert_allclose(np.exp(transform.log_slope(x)), slope, rtol=1e-5)
        far, exponent = np.abs(x) > 1e-3, max(power, 1e-7)
        modulus = np.sign(x) * ((1 + np.abs(x)) ** exponent - 1) / exponent
        np.testing.assert_allclose(y[far], modulus[far], rtol=1e-5)

    def test_of_amounts_agrees_with_that_of_yeo_and_johnson(self, rng):
        """To the right of the location both are the same; scikit-learn chooses their power."""
        x = rng.gamma(4.0, 3.0, (300, 1))
        theirs = PowerTransformer(standardize=False).fit(x)
        ours = PowerTransform(theirs.lambdas_, np.zeros(1), np.ones(1))
        assert 0 < theirs.lambdas_[0] < 1
        np.testing.assert_allclose(ours.forward(x), theirs.transform(x), rtol=1e-9)

    def test_far_cells_keep_a_finite_log_density(self):
        family = Transformed(None, power=[0.0, 2.0], location=0.0, scale=1e-3)
        density = fit(family, np.array([[1.0, 2.0], [2.0, -3.0], [4.0, 0.0]])).density
        far = np.array([[1e300, 1e300], [-1e300, -1e300], [1e-300, -1e-300]])
        assert np.isfinite(density.log_density(far)).all()
        assert np.isfinite(density.sample(np.zeros(500, dtype=int), np.random.default_rng(0))).all()


class TestWhatIsLearnt:
    def test_a_long_tail_becomes_a_logarithm_and_a_gaussian_stays(self, rng):
        long = DensityEstimator(Transformed()).fit(amounts(rng))
        assert long.family_.power[0] < 0.15
        x = rng.normal(50, 3, (600, 1))
        plain = DensityEstimator(Transformed()).fit(x)
        gaussian = DensityEstimator(Gaussian()).fit(x)
        fresh = rng.normal(50, 3, (2000, 1))
        assert abs(plain.score(fresh) - gaussian.score(fresh)) < 0.01

    def test_a_tail_to_the_left_is_its_mirror(self, rng):
        x = amounts(rng)
        right, left = (DensityEstimator(Transformed()).fit(rows) for rows in (x, -x))
        np.testing.assert_allclose(left.score_samples(-x), right.score_samples(x), rtol=1e-4, atol=1e-3)

    def test_shift_and_unit_change_nothing_but_the_volume(self, rng):
        x = amounts(rng)
        plain = DensityEstimator(Transformed()).fit(x)
        for shift, unit in ((1e8, 1.0), (0.0, 1e-9), (-5e3, 1e6)):
            other = DensityEstimator(Transformed()).fit(shift + unit * x)
            np.testing.assert_allclose(
                other.score_samples(shift + unit * x) + np.log(unit), plain.score_samples(x), atol=1e-4
            )

    def test_densities_integrate_to_one(self, rng):
        x = amounts(rng, 200)
        for rows in (x, -x, x - 30):
            model = DensityEstimator(Transformed(Gaussian())).fit(rows)
            middle, reach = float(np.median(rows)), float(np.ptp(rows))
            total = 0.0
            for ends in ((middle - 60 * reach, middle), (middle, middle + 60 * reach)):
                total += integrate.quad(lambda one, m=model: np.exp(m.score_samples([[one]])[0]), *ends, limit=400)[0]
            assert total == pytest.approx(1.0, abs=1e-4)
            np.testing.assert_allclose(model.density_.cdf(np.array([[middle + 60 * reach]])), 1.0, atol=1e-4)

    def test_within_classes_and_not_over_all_rows(self, rng):
        """Two narrow Gaussians far apart are skewed together; within classes there is nothing to transform."""
        y = (rng.random(3000) < 0.1).astype(int)
        x = np.where(y, rng.normal(60, 1, 3000), rng.normal(0, 1, 3000))[:, None]
        gaussian = log_likelihood(fit(Gaussian("diag", estimate="bayes"), x, Labels(y)).density, x, Labels(y))
        within = BayesClassifier(Transformed()).fit(x, y)
        assert log_likelihood(within.density_, x, Labels(y)) > gaussian - 0.01 * len(x)
        over_all = DensityEstimator(Transformed()).fit(x).family_
        skewed = fit(over_all, x, Labels(y)).density
        assert log_likelihood(skewed, x, Labels(y)) < gaussian - 0.01 * len(x)

    @pytest.mark.parametrize("x", [[[3.0]], [[3.0], [3.0]], [[np.nan], [2.0]]])
    def test_one_value_is_enough(self, x):
        model = DensityEstimator(Transformed()).fit(np.array(x))
        assert np.isfinite(model.score_samples(np.array([[3.0], [np.nan]]))).all()

    def test_later_batches_add(self, rng):
        x, y = amounts(rng), rng.integers(0, 2, 600)
        first = BayesClassifier(Transformed()).partial_fit(x[:300], y[:300], classes=[0, 1])
        learnt = first.family_
        first.partial_fit(x[300:], y[300:])
        whole = BayesClassifier(learnt).fit(x, y)
        np.testing.assert_allclose(first.predict_proba(x), whole.predict_proba(x), rtol=1e-9)

    def test_weights_are_rows(self, rng):
        x, y, w = amounts(rng, 200), rng.integers(0, 2, 200), rng.integers(1, 4, 200)
        weighted = NaiveBayes({0: Transformed()}).fit(x, y, w)
        repeated = NaiveBayes({0: Transformed()}).fit(np.repeat(x, w, axis=0), np.repeat(y, w))
        np.testing.assert_allclose(weighted.predict_proba(x), repeated.predict_proba(x), rtol=1e-2)


class TestEm:
    def test_missing_cells_of_a_full_gaussian(self, rng):
        X = np.exp(rng.normal(size=(300, 2)) @ np.array([[1.0, 0.6], [0, 1.0]]))
        X[rng.random(X.shape) < 0.2] = np.nan
        family = Transformed(Gaussian(), power=0.0, location=0.0, scale=1e-3)
        found = fit(family, X, trace=True)
        assert (np.diff(found.log_likelihoods) >= -1e-8).all()
        assert found.log_likelihoods[-1] == pytest.approx(log_likelihood(found.density, X))


def test_wrong_questions_say_what_to_do(rng):
    x = amounts(rng, 20)
    with pytest.raises(ValueError, match="no power and no location and no scale yet: an estimator learns them"):
        fit(Transformed(), x)
    with pytest.raises(ValueError, match="power must be at least 0"):
        DensityEstimator(Transformed(power=-1.0)).fit(x)
    with pytest.raises(ValueError, match="scale must be above 0"):
        DensityEstimator(Transformed(scale=0.0)).fit(x)
    with pytest.raises(ValueError, match="location must be a finite number, or one for each of 1 columns"):
        DensityEstimator(Transformed(location=[1.0, 2.0])).fit(x)
    with pytest.raises(TypeError, match="family must be a family"):
        DensityEstimator(Transformed("gaussian")).fit(x)
