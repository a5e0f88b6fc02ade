"""P-values of scores and the rate of false discoveries."""

import numpy as np
import pytest
from scipy import stats

from parzen.decisions.p_values import NullDistribution, benjamini_hochberg


def test_benjamini_and_hochberg(rng):
    from statsmodels.stats.multitest import multipletests

    for m in (1, 7, 200):
        for _ in range(20):
            p = rng.random(m) ** 3
            for rate in (0.01, 0.1, 0.4):
                expected = multipletests(p, alpha=rate, method="fdr_bh")[0]
                np.testing.assert_array_equal(benjamini_hochberg(p, rate), expected)
    for rate in (0.0, 1.0, -1, True, "x"):
        with pytest.raises(ValueError, match="fdr must be between 0 and 1"):
            benjamini_hochberg(np.ones(3), rate)


def test_ranks_are_conformal(rng):
    """New rows of the same distribution have p-values below a level with at most that probability."""
    small = []
    for _ in range(400):
        scores = rng.gumbel(size=40)
        small.append(NullDistribution.from_scores(scores[:39]).conformal_p_values(scores[39:])[0])
    for level in (0.05, 0.1, 0.5):
        assert np.mean(np.array(small) <= level) <= level + 3 * np.sqrt(level * (1 - level) / 400)
    assert min(small) >= 1 / 40


@pytest.mark.parametrize("law", [stats.expon(), stats.genpareto(0.3), stats.chi2(4), stats.halfnorm()])
def test_the_tail_is_that_of_ordinary_rows(law, rng):
    clean = law.rvs(4000, random_state=rng)
    at = law.isf(np.array([0.2, 0.02, 1e-3]))
    ratio = NullDistribution.from_scores(-clean).p_values(-at) / law.sf(at)
    # Tails that fall off faster than an exponential are taken to be exponential: too careful, never too bold.
    assert (ratio > 0.2).all()
    assert ratio[0] < 1.2
    far = np.concatenate([clean[:3800], np.full(200, 1e6)])
    np.testing.assert_array_equal(
        NullDistribution.from_scores(-far).shape, NullDistribution.from_scores(-np.where(far == 1e6, 1e9, far)).shape
    )
    assert (NullDistribution.from_scores(-far).p_values(-at) > 0.2 * law.sf(at)).all()


def test_the_tail_and_its_inverse(rng):
    for scores in (rng.normal(size=500), -rng.pareto(2.0, 500)):
        null = NullDistribution.from_scores(scores)
        for p in (0.2, 0.01, 1e-6):
            assert null.p_values(np.array([null.quantile(p)]))[0] == pytest.approx(p, rel=1e-9)
    few = NullDistribution.from_scores(np.arange(10.0))
    np.testing.assert_allclose(few.p_values(np.array([-1.0, 0.0, 100.0])), np.array([1, 2, 11]) / 11)
    equal = NullDistribution.from_scores(np.zeros(100))
    assert equal.p_values(np.array([0.0, -1.0])).tolist() == [1.0, 1 / 101]
    weighted = NullDistribution.from_scores(np.array([1.0, 2.0]), np.array([3.0, 1.0]))
    np.testing.assert_allclose(weighted.conformal_p_values(np.array([1.0, 2.0])), [4 / 5, 1.0])
