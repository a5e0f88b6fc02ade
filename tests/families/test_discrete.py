"""Families of bits, categories and counts: cells that are refused, huge counts, and sparse rows."""

import pickle

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import sparse

from parzen import (
    Bernoulli,
    Categorical,
    DensityEstimator,
    Multinomial,
    Poisson,
    fit,
)
from parzen.compute.codes import BadCode


def test_errors_travel_between_processes():
    error = pickle.loads(pickle.dumps(BadCode(0, 5, 3)))
    assert (error.column, error.value, str(error)) == (0, 5, str(BadCode(0, 5, 3)))


class TestHugeNumbers:
    @pytest.mark.parametrize("scale", [1.0, 1e5, 1e9, 1e15])
    def test_multinomials_of_huge_counts(self, scale):
        mp.dps = 60
        x = [3 * scale, 2 * scale, 5 * scale]
        p = [0.3, 0.2, 0.5]
        exact = mp.loggamma(mpf(sum(x)) + 1) + sum(
            mpf(c) * mp.log(mpf(q)) - mp.loggamma(mpf(c) + 1) for c, q in zip(x, p, strict=True)
        )
        density = fit(Multinomial(estimate="ml"), np.array([[3.0, 2.0, 5.0]])).density
        assert density.log_density(np.array([x]))[0, 0] == pytest.approx(float(exact), abs=1e-6)
        alpha = [1 + 3 * scale, 1 + 2 * scale, 1 + 5 * scale]
        density = fit(Multinomial(), np.array([x])).density
        for query in ([1.0, 1.0, 2.0], x):
            A, N = sum(map(mpf, alpha)), sum(map(mpf, query))  # 1e16 + 3 is no float
            exact = mp.loggamma(N + 1) + mp.loggamma(A) - mp.loggamma(N + A)
            exact += sum(
                mp.loggamma(mpf(c) + a) - mp.loggamma(mpf(a)) - mp.loggamma(mpf(c) + 1)
                for c, a in zip(query, alpha, strict=True)
            )
            assert density.log_density(np.array([query]))[0, 0] == pytest.approx(float(exact), abs=1e-6)

    def test_counts_in_float32_are_evaluated_in_float64(self, rng):
        X = rng.poisson(900, (10, 4)).astype(float)
        for estimate in ("ml", "bayes"):
            density = fit(Multinomial(estimate=estimate), X).density
            np.testing.assert_allclose(density.log_density(X.astype(np.float32)), density.log_density(X), rtol=1e-12)

    def test_a_light_zero_beside_a_heavy_one_keeps_its_probability(self):
        density = fit(Bernoulli(estimate="ml"), np.array([[1], [0]]), np.array([1e12, 1e-6])).density
        assert density.log_failure[0, 0] == pytest.approx(np.log(1e-18), rel=1e-12)


class TestCells:
    @pytest.mark.parametrize("value", [-1, 2, 0.5, -0.5])
    def test_bernoulli_refuses_cells_that_are_no_bits_dense_or_sparse(self, value):
        good, bad = np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([[0.0, value], [1.0, 1.0]])
        for make in (np.asarray, sparse.csr_array):
            with pytest.raises(ValueError, match="0, 1 or NaN, but column 1 holds"):
                fit(Bernoulli(), make(bad))
            with pytest.raises(ValueError, match="0, 1 or NaN, but column 1 holds"):
                fit(Bernoulli(), make(good)).density.log_density(make(bad))

    def test_cells_stored_twice_are_one_cell(self):
        twice = sparse.csr_array((np.ones(3), np.array([0, 0, 1]), np.array([0, 3])), shape=(1, 2))
        before = twice.copy()
        model, other = DensityEstimator(Multinomial()).fit(twice), DensityEstimator(Multinomial()).fit(twice.toarray())
        np.testing.assert_allclose(model.score_samples(twice), other.score_samples(twice.toarray()))
        assert twice.nnz == before.nnz
        with pytest.raises(ValueError, match="holds 2"):
            DensityEstimator(Bernoulli()).fit(twice)

    def test_infinite_counts_are_impossible(self):
        density = fit(Poisson(), np.array([[1.0], [2.0]])).density
        assert np.isneginf(density.log_density(np.array([[np.inf]]))[0, 0])
        with pytest.raises(ValueError, match="holds inf"):
            fit(Poisson(), np.array([[np.inf]]))


@pytest.mark.parametrize("unseen", ["new", "missing", "error"])
def test_categories_have_one_free_probability_less_than_there_are_whatever_unseen_ones_are(unseen):
    family = Categorical(unseen=unseen)
    rows = np.array([[0, 0], [1, 1], [1, 2], [0, 1]])
    assert family.n_parameters(fit(family, rows).density) == (2 - 1) + (3 - 1)
