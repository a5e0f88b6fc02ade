"""What reviewers broke once: each a sentence that was false."""

import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from mpmath import mp, mpf
from scipy import sparse, stats

from parzen import (
    Bernoulli,
    Categorical,
    Collapse,
    DensityEstimator,
    FloorWarning,
    Gaussian,
    Labels,
    Multinomial,
    Poisson,
    Product,
    accumulate,
    fit,
    log_likelihood,
)
from parzen.compute.codes import BadCode
from parzen.compute.moments import sums
from parzen.conjugate import Beta, Dirichlet, Gamma, NormalInverseGamma, NormalInverseWishart
from parzen.densities.gaussian import GaussianDensity
from parzen.families.gaussian import factors


class TestAdding:
    def test_batches_of_other_groups_or_columns_do_not_add(self, rng):
        X = rng.normal(size=(60, 2))
        for family in (Gaussian("diag"), Gaussian(), Categorical(), Poisson(), Multinomial()):
            rows = X if isinstance(family, Gaussian) else rng.integers(0, 3, (60, 2))
            sorted_by_class = [(rows[:30], Labels(np.zeros(30, int))), (rows[30:], Labels(np.ones(30, int)))]
            with pytest.raises(ValueError, match=r"don't add.*groups=K"):
                accumulate(family, sorted_by_class)
            declared = [(part, Labels(R.codes, groups=2)) for part, R in sorted_by_class]
            accumulate(family, declared)
            with pytest.raises(ValueError, match="don't add"):
                accumulate(family, [rows, rows[:, :1]])

    def test_rows_without_columns_are_refused(self):
        with pytest.raises(ValueError, match="at least one column"):
            sums(np.empty((5, 0)))

    @pytest.mark.parametrize("codes", [[0.7, 1.9], [2**32, 1], [np.nan, 1.0], ["a", "b"]])
    def test_codes_that_are_no_groups_are_refused(self, codes):
        with pytest.raises(ValueError, match=r"whole numbers|could not convert|invalid literal"):
            Labels(codes)

    def test_rows_that_belong_nowhere_are_no_rows(self, rng):
        with pytest.raises(Collapse):
            fit(Gaussian(), rng.normal(size=(5, 2)), Labels(np.full(5, -1)))


class TestMemberships:
    def test_labels_are_their_own_and_can_not_be_changed_after_they_were_checked(self, rng):
        codes = np.zeros(50, np.int32)
        labels = Labels(codes)
        codes[:] = 10**6
        assert accumulate(Gaussian("diag"), rng.normal(size=(50, 3)), labels).weight.sum() == 150
        with pytest.raises(ValueError, match="read-only"):
            labels.codes[:] = 10**6

    def test_no_groups_are_refused(self, rng):
        with pytest.raises(ValueError, match="groups must be at least 1"):
            Labels(np.full(50, -1), groups=0)
        with pytest.raises(ValueError, match="K > 0"):
            fit(Gaussian(), rng.normal(size=(50, 3)), np.empty((50, 0)))

    def test_likelihoods_need_a_group_for_each_density(self, rng):
        X = rng.normal(size=(20, 2))
        density = fit(Gaussian(), X, Labels(np.arange(20) % 2)).density
        with pytest.raises(ValueError, match="2 densities, but memberships in 1"):
            log_likelihood(density, X)

    def test_rows_without_weight_say_nothing_to_ledoit_and_wolf(self, rng):
        X, w = rng.normal(size=(50, 3)), np.ones(50)
        X[0, 0], w[0] = np.nan, 0.0
        family = Gaussian(shrinkage="ledoit_wolf")
        one = fit(family, X, Labels(np.zeros(50, int), w)).density.covariance
        np.testing.assert_allclose(one, fit(family, X[1:]).density.covariance, rtol=1e-10)


class TestIterating:
    @pytest.fixture
    def X(self, rng):
        X = rng.normal(size=(200, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0.3], [0, 0, 2]])
        X[rng.random(X.shape) < 0.2] = np.nan
        return X

    def test_a_fit_s_density_maximises_its_statistic(self, X):
        found = fit(Gaussian(), X, tol=1e-3)
        np.testing.assert_array_equal(Gaussian().maximise(found.statistic).factor, found.density.factor)

    def test_the_steps_don_t_depend_on_how_rows_are_cut(self, X):
        first, second = X[:100].copy(), X[100:].copy()
        first[:, 0], second[:, 1] = np.nan, np.nan
        whole = fit(Gaussian(), np.vstack([first, second]), tol=1e-4)
        assert fit(Gaussian(), [first, second], tol=1e-4).n_iter == whole.n_iter

    def test_an_iterator_can_be_read_once(self, X, rng):
        complete = rng.normal(size=(20, 3))
        assert fit(Gaussian(), iter([complete, complete])).statistic.weight == 40
        for options in ({"trace": True}, {"start": fit(Gaussian(), complete).density}):
            with pytest.raises(ValueError, match="read once"):
                fit(Gaussian(), iter([complete, complete]), **options)

    def test_threads_that_fit_leave_the_warning_filters_alone(self, X):
        before = list(warnings.filters)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: fit(Gaussian(), X), range(16)))
        assert list(warnings.filters) == before

    def test_what_was_observed_is_kept_when_complete_rows_follow(self, X, rng):
        model = DensityEstimator().partial_fit(X).partial_fit(rng.normal(size=(50, 3)))
        assert model.statistic_.observed.weight[0, 0] == 50 + (~np.isnan(X[:, 0])).sum()

    def test_a_block_iterates_only_where_its_own_cells_are_missing(self, X):
        table = np.column_stack([X[:, :2], np.arange(200.0)])
        found = fit(Product({(0, 1): Gaussian(), 2: Gaussian(estimate="bayes")}), table)
        assert found.outcome == "converged"

    def test_a_missing_cell_is_integrated_out_of_a_predictive(self, rng):
        model = DensityEstimator(Gaussian(estimate="bayes")).fit(rng.normal(size=(30, 3)))
        row = np.array([[np.nan, 0.0, 1.0]])
        np.testing.assert_allclose(model.score_samples(row), model.marginal([1, 2]).score_samples(row[:, 1:]))


class TestFloors:
    def test_the_floor_holds_in_every_direction(self):
        """A Kahan matrix: least eigenvalue far below its least pivot."""
        d, c = 22, 0.3
        kahan = np.diag(np.sqrt(1 - c * c) ** np.arange(d)) @ (np.eye(d) - c * np.triu(np.ones((d, d)), 1))
        for floor in (1e-12, 1e-6):
            factor = factors((kahan @ kahan.T)[None], np.ones((1, d)), floor)[0]
            assert np.linalg.eigvalsh(factor @ factor.T)[0] > 0.9 * floor

    def test_a_collapse_of_no_one_column_reaches_the_user(self, rng):
        X = rng.normal(size=(50, 2))
        with pytest.raises(Collapse, match="floor above 0"):
            DensityEstimator(Gaussian(floor=0)).fit(np.column_stack([X, X[:, 0]]))
        with pytest.raises(Collapse, match="all counts are zero"):
            DensityEstimator(Multinomial(estimate="ml")).fit(np.zeros((4, 2)))

    def test_errors_travel_between_processes(self):
        error = pickle.loads(pickle.dumps(BadCode(0, 5, 3)))
        assert (error.column, error.value, str(error)) == (0, 5, str(BadCode(0, 5, 3)))

    @pytest.mark.parametrize("covariance", ["full", "diag", "spherical"])
    def test_an_empty_group_changes_no_shared_covariance(self, covariance, rng):
        X, codes = rng.normal(size=(60, 2)), np.repeat([0, 1], 30)
        X[30:] += 5
        one = fit(Gaussian(covariance, shared=True), X, Labels(codes)).density
        with pytest.warns(FloorWarning, match="no weight"):
            other = fit(Gaussian(covariance, shared=True), X, Labels(codes, groups=3)).density
        np.testing.assert_allclose(other.covariance[:2], one.covariance, rtol=1e-12)

    def test_the_floor_holds_while_em_iterates(self, rng):
        X = rng.normal(size=(200, 3))
        X[rng.random(X.shape) < 0.3] = np.nan
        X[:, 1] = np.where(np.isnan(X[:, 1]), np.nan, 2.5)
        with pytest.warns(FloorWarning, match="singular") as said:
            found = fit(Gaussian(), X)
        assert len(said) == 1
        assert 1e-13 < found.density.covariance[0, 1, 1] < 1e-11
        assert found.outcome == "converged"

    @pytest.mark.parametrize("covariance", ["full", "diag"])
    def test_rounding_of_weights_makes_no_constant_column_vary(self, covariance):
        for seed in range(40):
            rng = np.random.default_rng(seed)
            X, w = np.column_stack([rng.normal(size=500), np.full(500, 0.1)]), rng.random(500)
            with pytest.warns(FloorWarning):
                density = fit(Gaussian(covariance), X, w).density
            assert density.covariance[0, 1, 1] > 1e-13
            assert fit(Gaussian(covariance, estimate="map"), X, w).density.covariance[0, 1, 1] > 1e-5

    def test_without_a_floor_dependent_columns_collapse(self, rng):
        for _ in range(30):
            X = rng.normal(size=(40, 2))
            X = np.column_stack([X, X @ [0.3, 0.7]])
            with pytest.raises(Collapse):
                fit(Gaussian(floor=0), X)

    def test_cells_too_large_to_square_are_not_called_missing(self):
        with np.errstate(all="ignore"), pytest.raises(ValueError, match="too large"):
            fit(Gaussian(), np.array([[1e308, 0.0], [-1e308, 1.0], [1.0, 3.0]]))


class TestPriors:
    def test_a_prior_that_is_given_is_used(self, rng):
        X = rng.normal(size=(20, 2))
        prior = NormalInverseWishart([100.0, 100.0], 1e6, 1e6, np.eye(2))
        one, other = (fit(Gaussian(prior=prior, estimate=e), X).density for e in (None, "bayes"))
        np.testing.assert_array_equal(one.location, other.location)
        assert one.location[0, 0] > 99
        assert isinstance(fit(Gaussian(), X).density, GaussianDensity)

    def test_conjugates_read_the_families_statistics(self, rng):
        bits = rng.integers(0, 2, (30, 2))
        np.testing.assert_allclose(Beta(2, 2).maximum_likelihood(accumulate(Bernoulli(), bits))[0], bits.mean(0))
        with pytest.raises(ValueError, match="one column"):
            Dirichlet([1, 1]).posterior(accumulate(Categorical(), bits))

    def test_the_default_prior_of_a_sphere_is_that_of_its_numbers(self, rng):
        X = rng.normal(size=(30, 2))
        prior = NormalInverseGamma(X.mean(0), 0.01, 1.5, 0.5 * X.var(0).mean())
        for estimate in ("map", "bayes"):
            one = fit(Gaussian("spherical", estimate=estimate), X).density
            other = fit(Gaussian("spherical", estimate=estimate, prior=prior), X).density
            np.testing.assert_allclose(one.log_density(X), other.log_density(X), rtol=1e-10)

    def test_a_shared_variance_has_one_prior(self, rng):
        prior = NormalInverseGamma([0, 0], 1, [2, 3], [1, 50])
        with pytest.raises(ValueError, match="must be one"):
            fit(Gaussian("spherical", estimate="map", prior=prior), rng.normal(size=(30, 2)))

    @pytest.mark.parametrize(
        ("family", "X"),
        [
            (Bernoulli(prior=Dirichlet(1)), np.array([[0], [1]])),
            (Bernoulli(prior=Beta([1, 2, 3], 1)), np.array([[0], [1]])),
            (Poisson(prior=Gamma([1, 2, 3], 1)), np.array([[0], [1]])),
            (Poisson(prior=1.0), np.array([[0], [1]])),
            (Categorical(prior=1.0), np.array([[0], [1]])),
            (Multinomial(prior=Dirichlet([1, 1])), np.ones((3, 3))),
            (Gaussian(prior=NormalInverseWishart([0], 1, 3, [[2.0]]), estimate="map"), np.eye(3)),
        ],
    )
    def test_a_prior_of_another_kind_or_size_is_named(self, family, X):
        with pytest.raises((TypeError, ValueError), match="prior"):
            fit(family, X)

    def test_a_prior_that_is_no_distribution_is_refused(self):
        with pytest.raises(ValueError, match="positive definite"):
            NormalInverseWishart([0, 0], 1, 4, -np.eye(2))
        with pytest.raises(ValueError, match="not negative"):
            Beta(5, 5).posterior([1, 0], weights=[-1, 2])

    def test_a_small_concentration_still_draws(self):
        draws = Dirichlet([1e-4] * 3).sample(1000, 0)
        np.testing.assert_allclose(draws.sum(axis=1), 1)
        assert draws.max(axis=1).min() > 0.99


class TestHugeNumbers:
    def test_weights_of_1e14_turn_the_predictive_into_the_mode(self, rng):
        X = rng.normal(size=(50, 2))
        for covariance in ("full", "diag"):
            for weight in (1e8, 1e12, 1e14):
                bayes, mode = (
                    fit(Gaussian(covariance, estimate=estimate), X, np.full(50, weight)).density.log_density(X)
                    for estimate in ("bayes", "map")
                )
                np.testing.assert_allclose(bayes, mode, atol=1e-6)

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
    def test_bernoulli_refuses_what_is_no_bit_dense_or_sparse_learning_or_asked(self, value):
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

    def test_a_missing_cell_in_a_column_of_text(self):
        model = DensityEstimator(Categorical()).fit(pd.DataFrame({"c": ["a", "b"]}))
        assert model.score_samples(pd.DataFrame({"c": [np.nan, np.nan]})) == pytest.approx([0.0, 0.0])
        with pytest.raises(Collapse, match="column 0 has no value"):
            DensityEstimator(Categorical()).fit(np.array([[np.nan], [np.nan]]))

    def test_infinite_counts_are_impossible(self):
        density = fit(Poisson(), np.array([[1.0], [2.0]])).density
        assert np.isneginf(density.log_density(np.array([[np.inf]]))[0, 0])
        with pytest.raises(ValueError, match="holds inf"):
            fit(Poisson(), np.array([[np.inf]]))

    def test_a_far_tail_is_a_power_law(self):
        density = fit(Gaussian("diag", estimate="bayes"), np.array([[0.0], [1.0], [2.0]])).density
        far = density.log_density(np.array([[1e90], [1e200]]))[:, 0]
        assert far[1] - far[0] == pytest.approx(-(density.dof[0, 0] + 1) * np.log(1e110), rel=1e-9)

    def test_a_start_for_a_family_that_needs_none(self, rng):
        X = rng.poisson(2, (20, 2))
        first = fit(Poisson(), X).density
        np.testing.assert_array_equal(fit(Poisson(), X, start=first).density.rate, first.rate)

    def test_the_deviance_form_of_the_negative_binomial(self):
        density = fit(Poisson(prior=Gamma(3, 2)), np.array([[4.0]])).density
        x = np.array([[0.0], [3.0], [5000.0]])
        np.testing.assert_allclose(density.log_density(x), stats.nbinom.logpmf(x, 7, 3 / 4), rtol=1e-9)
