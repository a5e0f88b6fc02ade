"""The laws, over a table of families: parzen.families.testing, EM, likelihoods that rise, estimates that agree."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from parzen import (
    BayesNet,
    Bernoulli,
    Categorical,
    FloorWarning,
    Gaussian,
    Histogram,
    Kernel,
    Labels,
    Multinomial,
    PointMasses,
    Poisson,
    Product,
    Transformed,
    accumulate,
    fit,
    log_likelihood,
)
from parzen.conjugate import Beta, Dirichlet, Gamma, NormalInverseGamma, NormalInverseWishart, NormalMean
from parzen.families.testing import assert_same, check_family, check_statistic
from parzen.statistics.statistic import arrays_of


def normal(rng, n=60):
    return rng.normal(size=(n, 3)) @ np.array([[1.0, 0.5, 0], [0, 1, 0.3], [0, 0, 2]]) + [0, 10, -5]


def holes(X, rng, share=0.2):
    X = np.array(X, dtype=float)
    X[rng.random(X.shape) < share] = np.nan
    return X


ROWS = {
    "normal": normal,
    "normal with holes": lambda rng: holes(normal(rng), rng),
    "bits": lambda rng: rng.integers(0, 2, (60, 4)),
    "bits with holes": lambda rng: holes(rng.integers(0, 2, (60, 4)), rng),
    "bits in CSR": lambda rng: sparse.csr_array(rng.integers(0, 2, (60, 4)).astype(float)),
    "codes": lambda rng: rng.integers(0, 4, (60, 3)),
    "codes with holes": lambda rng: holes(rng.integers(0, 4, (60, 3)), rng),
    "counts": lambda rng: rng.poisson([0.3, 4, 20], (60, 3)),
    "counts with holes": lambda rng: holes(rng.poisson([0.3, 4, 20], (60, 3)), rng),
    "counts in CSR": lambda rng: sparse.csr_array(rng.poisson([0.3, 4, 20], (60, 3)).astype(float)),
    "half zero": lambda rng: rng.gamma(2.0, 3.0, (60, 1)) * (rng.random((60, 1)) < 0.6),
    "half zero with holes": lambda rng: holes(rng.gamma(2.0, 3.0, (60, 1)) * (rng.random((60, 1)) < 0.6), rng),
    "one column of codes": lambda rng: rng.integers(0, 4, (60, 1)).astype(float),
    "mixed": lambda rng: np.column_stack([normal(rng), rng.integers(0, 3, 60), rng.poisson(3, 60)]),
}

POWER = {"power": [0.0, 0.7, 2.0], "location": [-3, 10, -5], "scale": [0.5, 2.0, 3.0]}
NIW = NormalInverseWishart([0, 10, -5], 0.5, 6, np.eye(3))
NIG = NormalInverseGamma([0, 10, -5], 0.5, 2, 2)
FAMILIES = [
    *[
        (Gaussian(covariance, shared=shared, estimate=estimate), "normal")
        for covariance in ("full", "diag", "spherical")
        for shared in (False, True)
        for estimate in ("ml", "map", "bayes")
    ],
    (Gaussian(shrinkage=0.3), "normal"),
    (Gaussian(shrinkage="oas", shared=True), "normal"),
    (Gaussian(shrinkage="ledoit_wolf"), "normal"),
    (Gaussian(prior=NIW, estimate="bayes"), "normal"),
    (Gaussian(prior=NIW, estimate="map", shared=True), "normal"),
    (Gaussian("diag", prior=NIG, estimate="bayes"), "normal with holes"),
    (Gaussian("spherical", prior=NIG, estimate="bayes", shared=True), "normal with holes"),
    (Gaussian("diag", prior=NormalMean(0, 10, 2), estimate="bayes"), "normal with holes"),
    (Gaussian("diag", prior=NormalMean(0, 10, 2), estimate="map"), "normal"),
    (Gaussian("diag"), "normal with holes"),
    (Gaussian("spherical"), "normal with holes"),
    *[(Bernoulli(estimate=e), rows) for e in ("ml", "map", "bayes") for rows in ROWS if rows.startswith("bits")],
    (Bernoulli(prior=Beta(0.5, 3), estimate="bayes"), "bits"),
    *[(Categorical(estimate=e), rows) for e in ("ml", "map", "bayes") for rows in ROWS if rows.startswith("codes")],
    (Categorical(unseen="error"), "codes with holes"),
    (Categorical(unseen="missing", categories=5), "codes"),
    (Categorical(prior=Dirichlet([1, 2, 3, 4]), unseen="error"), "codes"),
    *[(Poisson(estimate=e), rows) for e in ("ml", "map", "bayes") for rows in ("counts", "counts with holes")],
    (Poisson(prior=Gamma(2, 1)), "counts"),
    *[(Multinomial(estimate=e), rows) for e in ("ml", "map", "bayes") for rows in ("counts", "counts in CSR")],
    (Multinomial(prior=Dirichlet([1, 2, 3]), estimate="bayes"), "counts"),
    (Product({(0, 2): Gaussian(), 1: Gaussian(), 3: Categorical(), 4: Poisson()}), "mixed"),
    *[(BayesNet([(0, 1), (1, 2)], estimate=e), "codes") for e in ("ml", "map", "bayes")],
    (BayesNet([(1, 0), (2, 0)], numbers=[0, 1, 2]), "normal"),
    (BayesNet([(3, 0), (0, 1), (3, 4)], numbers=[0, 1, 2, 4]), "mixed"),
    *[(Transformed(Gaussian(covariance), **POWER), "normal") for covariance in ("full", "diag", "spherical")],
    (Transformed(None, **POWER), "normal with holes"),
    (PointMasses(at=0.0), "half zero"),
    (PointMasses(Gaussian("full"), at=[9.0, 0.0]), "half zero with holes"),
    (PointMasses(Transformed(None, 0.0, 0.0, 1e-3), at=0.0), "half zero"),
    (PointMasses(at=[0, 1, 2, 3], strength=1.0), "one column of codes"),
]
#: Families of which draws, fitted again, are smoothed twice.
SMOOTH = [
    (Kernel(0.5), "normal"),
    (Kernel([0.5, 0.6, 0.7]), "normal"),
    (Kernel(np.array([[1, 0.3, 0], [0.3, 1, 0.2], [0, 0.2, 1]])), "normal"),
    (Kernel(2.5, "epanechnikov"), "normal"),
    (Kernel(2.0, "tophat"), "normal"),
    (Kernel(0.8, "exponential"), "normal"),
    (Kernel(3.0, "triangular"), "normal"),
    (Kernel(1.0, adaptive=True), "normal"),
    (Kernel(2.5, "biweight", adaptive=0.3), "normal"),
    (Kernel(0.5, bounds=[(-9, 9), None, (None, 20)]), "normal"),
    (Kernel(2.5, "epanechnikov", period=[9.0, None, None]), "normal"),
    (Product({0: Kernel(0.3), (1, 2): Kernel(0.6), 3: Categorical(), 4: Histogram(width=1.0)}), "mixed"),
    (Histogram([np.linspace(-9, 9, 8), np.linspace(-10, 30, 6), np.linspace(-40, 30, 5)]), "normal"),
    (Histogram([np.array([-np.inf, -1.0, 1.0, 3.0, np.inf])] * 3), "normal"),
    (PointMasses(Kernel(1.0), at=0.0), "half zero with holes"),
    (PointMasses(Histogram([-np.inf, 1.0, 2.0, 4.0, np.inf]), at=0.0), "half zero with holes"),
    (Histogram(width=[2.0, 2.0, 5.0], estimate="map"), "normal"),
]
IDS = [f"{family!r}-{rows}" for family, rows in FAMILIES]
SMOOTH_IDS = [f"{family!r}-{rows}" for family, rows in SMOOTH]


@pytest.mark.parametrize(("family", "rows"), FAMILIES + SMOOTH, ids=IDS + SMOOTH_IDS)
def test_the_laws_hold(family, rows, rng):
    check_family(family, ROWS[rows](rng), codes=rng.integers(0, 3, 60))


@pytest.mark.parametrize(("family", "rows"), FAMILIES + SMOOTH, ids=IDS + SMOOTH_IDS)
def test_one_row_and_an_empty_group_are_enough(family, rows, rng):
    X = ROWS[rows](rng)
    X = np.nan_to_num(X[:1], nan=1.0) if isinstance(X, np.ndarray) else X[:1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FloorWarning)
        density = fit(family, X, Labels([1], groups=3)).density
    assert density.shape[0] == 3
    assert np.isfinite(density.log_density(X)[:, 1]).all()
    assert not np.isnan(density.log_density(X)).any()


@pytest.mark.parametrize(("family", "rows"), FAMILIES, ids=IDS)
def test_what_is_sampled_is_found_again(family, rows, rng):
    density = fit(family, ROWS[rows](rng)).density
    draws = density.sample(np.zeros(20_000, dtype=int), rng)
    again = fit(clone(family), draws).density
    fresh = density.sample(np.zeros(5_000, dtype=int), rng)
    difference = density.log_density(fresh) - again.log_density(fresh)
    assert abs(difference.mean()) < 0.02 * max(1, abs(density.log_density(fresh).mean()))


def test_a_family_clones_and_takes_parameters():
    family = Product({"a": Gaussian(floor=0.1), ("b", "c"): Categorical()})
    copy = clone(family).set_params(a__floor=0.2)
    assert family.get_params()["a__floor"] == 0.1
    assert copy.blocks["a"].floor == 0.2
    assert "Gaussian(floor=0.1)" in repr(family)


class TestMoments:
    def test_add_with_higher_moments(self, rng):
        family = Gaussian(shrinkage="ledoit_wolf")
        X = rng.gamma(2.0, size=(90, 3)) + 100
        check_statistic([family.observe(part) for part in np.split(X, 3)])
        parts = sum(family.observe(part) for part in np.split(X, 9))
        assert_same(parts, family.observe(X), "parts equal the whole", 1e-9)

    def test_pooling_groups_forgets_them(self, rng):
        X, codes = rng.normal(size=(90, 3)) + 1e6, rng.integers(0, 4, 90)
        for family in (Gaussian(shrinkage="ledoit_wolf"), Gaussian("diag")):
            pooled = accumulate(family, X, Labels(codes)).pooled()
            assert_same(pooled, accumulate(family, X), "pooled", 1e-9)

    def test_shared_covariance_is_the_covariance_of_rows_about_their_means(self, rng):
        X, codes = rng.normal(size=(90, 3)), rng.integers(0, 3, 90)
        centred = X - np.array([X[codes == k].mean(0) for k in range(3)])[codes]
        shared = fit(Gaussian(shared=True), X, Labels(codes)).density
        np.testing.assert_allclose(shared.covariance, np.repeat([centred.T @ centred / 90], 3, axis=0), rtol=1e-12)


class TestMissingCells:
    """EM for a full Gaussian."""

    @pytest.fixture
    def X(self, rng):
        return holes(normal(rng, 400), rng, 0.25)

    @pytest.mark.parametrize("shared", [False, True])
    def test_the_likelihood_rises_to_a_stationary_point(self, X, rng, shared):
        codes = rng.integers(0, 2, len(X))
        family, R = Gaussian(shared=shared), Labels(codes)
        found = fit(family, X, R, tol=1e-12, max_iter=2000)
        assert found.outcome == "converged"
        assert (np.diff(found.log_likelihoods) >= -1e-9).all()
        best = log_likelihood(found.density, X, R)
        assert best == pytest.approx(found.log_likelihoods[-1], rel=1e-12)
        for step in (1e-3, -1e-3):
            nudged = type(found.density)(found.density.mean + step, found.density.factor)
            assert log_likelihood(nudged, X, R) < best
            nudged = type(found.density)(found.density.mean, found.density.factor * (1 + step))
            assert log_likelihood(nudged, X, R) < best

    def test_groups_are_fitted_as_if_alone(self, X, rng):
        codes = rng.integers(0, 2, len(X))
        both = fit(Gaussian(), X, Labels(codes), tol=1e-13, max_iter=5000).density
        for k in range(2):
            alone = fit(Gaussian(), X[codes == k], tol=1e-13, max_iter=5000).density
            np.testing.assert_allclose(both.covariance[k], alone.covariance[0], rtol=1e-4, atol=1e-4)

    def test_complete_rows_need_no_iteration(self, rng):
        found = fit(Gaussian(), normal(rng), trace=True)
        assert (found.n_iter, len(found.log_likelihoods), found.outcome) == (1, 1, "converged")

    def test_too_few_steps_are_reported_with_the_remedy(self, X):
        found = fit(Gaussian(), X, max_iter=1)
        assert found.outcome == "too many steps"
        assert "max_iter" in found.message

    def test_batches_that_can_be_read_again_equal_the_whole(self, X):
        whole, batched = fit(Gaussian(), X), fit(Gaussian(), [X[:100], X[100:]])
        np.testing.assert_allclose(whole.density.covariance, batched.density.covariance, rtol=1e-9)
        with pytest.raises(ValueError, match="read again"):
            fit(Gaussian(), iter([X[:100], X[100:]]))

    def test_a_product_iterates_with_its_blocks(self, X, rng):
        table = np.column_stack([X, rng.poisson(3, len(X))])
        found = fit(Product({(0, 1, 2): Gaussian(), 3: Poisson()}), table)
        alone = fit(Gaussian(), X)
        np.testing.assert_allclose(found.density.parts[0].covariance, alone.density.covariance, rtol=1e-6)
        assert log_likelihood(found.density, table) == pytest.approx(found.log_likelihoods[-1], abs=1e-7 * len(table))
        batched = fit(found_family(), [table[:150], table[150:]])
        np.testing.assert_allclose(batched.density.parts[0].mean, found.density.parts[0].mean, rtol=1e-9)

    def test_memberships_may_be_soft(self, X, rng):
        R = rng.dirichlet([1, 1], len(X))
        found = fit(Gaussian(), X, R)
        assert (np.diff(found.log_likelihoods) >= -1e-9).all()

    def test_a_row_entirely_missing_does_not_count(self, X):
        without = fit(Gaussian(), X, tol=1e-12, max_iter=1000).density
        with_row = fit(Gaussian(), np.vstack([X, np.full(3, np.nan)]), tol=1e-12, max_iter=1000).density
        np.testing.assert_allclose(with_row.mean, without.mean, rtol=1e-4)
        np.testing.assert_allclose(with_row.log_density(np.full((1, 3), np.nan)), 0.0)

    @pytest.mark.parametrize("family", [Gaussian(estimate="bayes"), Gaussian(shrinkage="ledoit_wolf")])
    def test_what_has_no_exact_form_is_refused(self, family, X):
        with pytest.raises(ValueError, match="no exact form"):
            fit(family, X)


def found_family():
    return Product({(0, 1, 2): Gaussian(), 3: Poisson()})


def test_statistics_hold_small_arrays_only(rng):
    X = rng.normal(size=(10_000, 4))
    assert sum(array.nbytes for array in arrays_of(accumulate(Gaussian(), X))) < 1000
