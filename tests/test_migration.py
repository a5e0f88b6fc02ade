"""The numbers that docs/migration.md tells are computed again: a line that moves is a line that says so."""

import re
from pathlib import Path

import numpy as np
import pytest
import sklearn.discriminant_analysis
import sklearn.linear_model
import sklearn.naive_bayes
import sklearn.neighbors
from scipy.stats import gaussian_kde
from sklearn.datasets import load_iris
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import parzen
from parzen import KernelDensity, bandwidth
from tests.versions import scatter_over_n

PAGE = " ".join((Path(__file__).parents[1] / "docs" / "migration.md").read_text().split())
NAIVE = ("GaussianNB", "BernoulliNB", "MultinomialNB", "ComplementNB", "CategoricalNB")


def told(pattern):
    """The numbers that the page tells in a sentence."""
    found = re.search(pattern, PAGE)
    assert found, pattern
    return [float(one) for one in found.groups()]


def deviation(kde):
    return float(np.sqrt(kde.covariance[0, 0]))


def test_scott_of_one_column_and_the_line_that_keeps_scipys():
    heavy, normal = np.random.default_rng(0).standard_t(2, 500), np.random.default_rng(0).normal(size=500)
    theirs, ours = told(r"SciPy's bandwidth is ([\d.]+), ours ([\d.]+); of 500 normal")
    np.testing.assert_allclose([deviation(gaussian_kde(heavy)), bandwidth.scott(heavy)], [theirs, ours], atol=5e-4)
    theirs, ours = told(r"they are ([\d.]+) and ([\d.]+)\.")
    np.testing.assert_allclose([deviation(gaussian_kde(normal)), bandwidth.scott(normal)], [theirs, ours], atol=5e-4)
    for x in (heavy, normal):
        kept = KernelDensity(bandwidth=x.std(ddof=1) * len(x) ** -0.2).fit(x[:, None])
        np.testing.assert_allclose(np.exp(kept.score_samples(x[:9, None])), gaussian_kde(x)(x[:9]), rtol=1e-6)
    X = np.random.default_rng(0).standard_t(5, (500, 2))
    np.testing.assert_allclose(bandwidth.scott(X), gaussian_kde(X.T).covariance, rtol=1e-12)


def test_silverman_of_several_columns_and_the_line_that_keeps_scipys():
    X = np.random.default_rng(0).standard_t(5, (500, 2))
    theirs = gaussian_kde(X.T, "silverman").covariance
    narrower = 100 * (1 - np.sqrt(np.diag(bandwidth.silverman(X)) / np.diag(theirs)))
    np.testing.assert_allclose(narrower, told(r"(\d+)% and (\d+)% narrower"), atol=0.5)
    n, d = X.shape
    kept = KernelDensity(bandwidth=(n * (d + 2) / 4) ** (-2 / (d + 4)) * np.cov(X.T)).fit(X)
    np.testing.assert_allclose(kept.bandwidth_, theirs, rtol=1e-12)
    normal = np.random.default_rng(0).normal(size=(500, 2))
    ratio = np.diag(bandwidth.silverman(normal)) / np.diag(gaussian_kde(normal.T, "silverman").covariance)
    np.testing.assert_allclose(100 * (1 - np.sqrt(ratio)), told(r"size=\(500, 2\)\)` (\d+)% and (\d+)%"), atol=0.5)


def test_isj_against_kdepy():
    theirs, ours = told(r"half of it: ([\d.]+) where ours is ([\d.]+) ")
    x = np.random.default_rng(0).exponential(size=1000)
    np.testing.assert_allclose(bandwidth.isj(x), ours, atol=5e-4)
    selection = pytest.importorskip("KDEpy.bw_selection")
    np.testing.assert_allclose(selection.improved_sheather_jones(x[:, None]), theirs, atol=5e-4)


def test_the_normal_reference_of_statsmodels():
    kde = pytest.importorskip("statsmodels.nonparametric.kde")
    x = np.random.default_rng(0).standard_t(2, 500)
    model = kde.KDEUnivariate(x)
    model.fit()
    theirs, ours = told(r"sample above ([\d.]+), ours ([\d.]+)\.")
    np.testing.assert_allclose([model.bw, bandwidth.scott(x)], [theirs, ours], atol=5e-4)


@scatter_over_n
def test_signs_of_discriminant_axes():
    X, y = load_iris(return_X_y=True)
    theirs = sklearn.discriminant_analysis.LinearDiscriminantAnalysis().fit(X, y).transform(X)
    ours = parzen.LinearDiscriminantAnalysis().fit(X, y).transform(X)
    assert "on iris both columns are negated" in PAGE
    np.testing.assert_allclose(ours, -theirs, atol=1e-10)


def test_draws_of_one_seed_are_other_rows():
    X = load_iris().data
    theirs = sklearn.neighbors.KernelDensity(bandwidth=0.5).fit(X).sample(3, random_state=0)
    assert not np.allclose(KernelDensity(bandwidth=0.5).fit(X).sample(3, random_state=0), theirs)


def test_one_class():
    X, y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]]), np.zeros(4)
    for name in (*NAIVE, "LinearDiscriminantAnalysis"):
        assert (getattr(parzen, name)().fit(X, y).predict(X) == 0).all()
    for name in ("QuadraticDiscriminantAnalysis", "NaiveBayes", "GaussianDiscriminant"):
        with pytest.raises(ValueError, match="one class only"):
            getattr(parzen, name)().fit(X, y)


def test_what_explains():
    explain = {name for name in parzen.__all__ if hasattr(getattr(parzen, name), "explain")}
    assert explain == {*NAIVE, "NaiveBayes", "TreeAugmentedNB", "AODE", "DensityOutlier"}


def test_probabilities_at_the_default_tol_are_nearer_to_those_at_the_optimum():
    assert "wrong in the third digit" in PAGE
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (500, 2))
    y = (X[:, 0] + rng.normal(0, 0.1, 500) > 0) ^ (X[:, 1] + rng.normal(0, 0.1, 500) > 0)
    Z = make_pipeline(StandardScaler(), Nystroem(gamma=2, random_state=0)).fit_transform(X)
    best = sklearn.linear_model.LogisticRegression(C=10, solver="newton-cholesky", tol=1e-10).fit(Z, y)
    ours, theirs = (
        np.abs(one(C=10).fit(Z, y).predict_proba(Z) - best.predict_proba(Z)).max()
        for one in (parzen.LogisticRegression, sklearn.linear_model.LogisticRegression)
    )
    assert theirs > 1e-3  # the third digit is wrong
    assert ours < 5e-4  # and here right
