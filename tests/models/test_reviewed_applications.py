"""What reviewers found in outliers, kernel regression and conditional densities, kept from coming back."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import KFold, ShuffleSplit

from parzen import (
    AutoColumns,
    ConditionalDensity,
    DensityOutlier,
    Gaussian,
    GaussianMixture,
    Histogram,
    Kernel,
    KernelRegressor,
    LocalDensityFactor,
    Product,
)
from parzen.smoothing.conditional import Pairs
from parzen.statistics.messages import Collapse


@pytest.fixture
def table(rng):
    X = rng.normal(size=(60, 2))
    return pd.DataFrame(X, columns=["a", "b"]), pd.Series(X[:, 0] + 0.1 * rng.normal(size=60), name="t")


class TestProbabilitiesOfCategories:
    def test_what_no_row_has_is_impossible(self, rng):
        c = rng.choice(["a", "b"], 200)
        frame = pd.DataFrame({"c": c, "x": rng.normal(size=200)})
        model = ConditionalDensity(bandwidth=[0.0, 1.0, 0.0]).fit(frame, np.where(c == "a", "u", "v"))
        asked = pd.DataFrame({"c": ["a", "b", "z"], "x": 0.0})
        both = np.stack([model.pdf(asked, ["u"]), model.pdf(asked, ["v"])], axis=1)
        np.testing.assert_allclose(both[:2], np.eye(2))
        np.testing.assert_allclose(both.sum(axis=1), 1.0)

    def test_tables_of_categories_alone(self):
        frame = pd.DataFrame({"c": list("aabb")})
        np.testing.assert_allclose(
            KernelRegressor([0.0]).fit(frame, [1.0, 2, 3, 4]).predict(frame), [1.5, 1.5, 3.5, 3.5]
        )
        model = ConditionalDensity(bandwidth=[0.0, 0.0]).fit(frame, np.array(list("uuvv")))
        np.testing.assert_allclose(model.pdf(frame, list("uuvu")), [1, 1, 1, 0])

    def test_other_categories_stay_out_however_far_the_query(self, rng):
        x = np.r_[rng.normal(0, 1, 50), rng.normal(100, 1, 50)]
        frame = pd.DataFrame({"x": x, "c": ["a"] * 50 + ["b"] * 50})
        y = np.r_[np.zeros(50), np.ones(50)]
        model = ConditionalDensity(bandwidth=[1.0, 0.0, 0.1]).fit(frame, y)
        asked = pd.DataFrame({"x": [100.0], "c": ["a"]})
        assert model.quantile(asked, 0.5)[0] == pytest.approx(model.mean(asked)[0], abs=1e-6)
        assert model.cdf(asked, 0.5)[0] > 0.99
        assert model.pdf(asked, 0.0)[0] > 3.9
        assert model.pdf(asked, 1.0)[0] < 1e-10

    def test_booleans_are_categories(self, rng):
        y = rng.random(100) < 0.3
        X = rng.normal(size=(100, 1))
        model = ConditionalDensity().fit(X, y)
        assert model.pdf([[0.0]], [True, False]).sum() == pytest.approx(1.0)
        assert model.sample(X, random_state=0).dtype == bool

    def test_numbers_beside_text_stay_numbers(self, rng):
        X = rng.normal(size=(200, 2))
        labels = np.where(X[:, 0] > 0, "p", "n")
        array = ConditionalDensity(AutoColumns()).fit(X, labels)
        frame = ConditionalDensity(AutoColumns()).fit(pd.DataFrame(X, columns=["a", "b"]), labels)
        at = pd.DataFrame(X[:5], columns=["a", "b"])
        np.testing.assert_allclose(array.pdf(X[:5], labels[:5]), frame.pdf(at, labels[:5]))


class TestFarAway:
    def test_log_densities_far_away_are_not_cut_off(self):
        X = np.linspace(0, 1, 50)[:, None]
        model = ConditionalDensity(bandwidth=[0.05, 0.1]).fit(X, 10 * X[:, 0])
        assert model.log_pdf([[10.0]], [0.0])[0] == pytest.approx(-3029.187756, rel=1e-8)

    def test_joint_densities_don_t_subtract_large_numbers(self, rng):
        X = rng.normal(size=(300, 1))
        for density in (Gaussian(), GaussianMixture(2, random_state=0)):
            model = ConditionalDensity(density).fit(X, 2 * X[:, 0] + 0.5 * rng.normal(size=300))
            mean = model.mean([[1e8]])[0]
            t = np.linspace(mean - 6, mean + 6, 4001)
            assert model.pdf([[1e8]], t).sum() * (t[1] - t[0]) == pytest.approx(1.0, rel=1e-4)
        bins = ConditionalDensity(Histogram(bins=5)).fit(X, X[:, 0])
        with pytest.raises(Collapse, match="no row is near"):
            bins.log_pdf([[99.0]], [0.0])

    def test_likelihood_of_rows_far_from_all_others(self, rng):
        x, y = rng.normal(size=100), rng.normal(size=100)
        found = []
        for far in (1e4, 1e8, 1e12):
            rows = Pairs(np.r_[x, far][:, None], None, (), np.r_[y, 50.0][:, None], None, ())
            found.append(rows.unlikelihood(np.array([0.3, 0.3])))
        np.testing.assert_allclose(found, found[0], rtol=1e-6)

    def test_the_direction_of_the_farthest_queries(self, rng):
        X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
        model = KernelRegressor(0.3).fit(X, y)
        np.testing.assert_allclose(model.predict([[1e300, 0.5e300]]), model.predict([[1e100, 0.5e100]]))
        np.testing.assert_array_equal(model.derivative([[1e12, 0.5e12], [1e300, 0.5e300]]), 0.0)
        density = ConditionalDensity(bandwidth=[0.05, 0.1]).fit(X[:, :1], y)
        assert density.quantile([[1.7e308]], 0.5)[0] == pytest.approx(y[X[:, 0].argmax()])

    def test_a_constant_column_that_is_far_off(self):
        x = np.linspace(0, 1, 50)
        found = [
            KernelRegressor([1.0, 0.1], order=1)
            .fit(np.column_stack([np.full(50, u), x]), x**2)
            .predict([[0.0, 0.5]])[0]
            for u in (0.0, 1e6, 1e12)
        ]
        np.testing.assert_allclose(found, found[0], rtol=1e-9)

    def test_differences_at_an_offset(self, rng):
        X = rng.normal(size=(100, 1)) * 1e-2
        y = np.sin(100 * X[:, 0])
        near = KernelRegressor(4e-4, kernel="triangular").fit(X, y).derivative(X[:4])
        far = KernelRegressor(4e-4, kernel="triangular").fit(1e8 + X, y).derivative(1e8 + X[:4])
        np.testing.assert_allclose(far, near, rtol=1e-3)  # an offset of 1e8 leaves four digits of a step


class TestNumbersThatCancel:
    def test_standard_deviations(self, rng):
        X = np.r_[rng.normal(0, 1, 50), rng.normal(1000, 1, 50)][:, None]
        y = np.r_[rng.normal(0, 1e-3, 50), 1e8 + rng.normal(0, 1e-3, 50)]
        weights = np.exp(-0.5 * X[:50, 0] ** 2)
        mean = np.average(y[:50], weights=weights)
        expected = np.sqrt(np.average((y[:50] - mean) ** 2, weights=weights) + 1e-6)
        assert ConditionalDensity(bandwidth=[1.0, 1e-3]).fit(X, y).std([[0.0]])[0] == pytest.approx(expected, rel=1e-6)

    def test_quantiles_at_an_offset(self, rng):
        X = rng.normal(size=(60, 1))
        plain = ConditionalDensity(bandwidth=[0.3, 0.3]).fit(X, X[:, 0]).quantile(X[:5], 0.5)
        moved = ConditionalDensity(bandwidth=[0.3, 0.3]).fit(X, 1e8 + X[:, 0]).quantile(X[:5], 0.5)
        np.testing.assert_allclose(moved - 1e8, plain, atol=5e-8)

    @pytest.mark.parametrize("apart", [1e6, 1e8])
    def test_neighbours_in_many_columns_far_from_the_origin(self, apart, rng):
        X = rng.normal(size=(200, 20))
        alone = LocalDensityFactor(10).fit(X[:100]).negative_outlier_factor_
        X[100:] += apart
        np.testing.assert_allclose(LocalDensityFactor(10).fit(X).negative_outlier_factor_[:100], alone, rtol=1e-6)


class TestRowsLeftOut:
    def test_products_with_parts_that_keep_no_rows(self):
        small = []
        for seed in range(4):
            rng = np.random.default_rng(seed)
            X, new = rng.normal(size=(80, 31)), rng.normal(size=(500, 31))
            model = DensityOutlier(Product({0: Kernel("silverman"), tuple(range(1, 31)): Gaussian()})).fit(X)
            small.append((model.p_values(new, method="ranks") <= 0.05).mean())
        assert np.mean(small) < 0.1

    def test_a_row_is_known_by_all_its_columns(self, rng):
        X = np.column_stack([np.r_[rng.normal(size=99), 9.0], rng.normal(size=100)])
        model = DensityOutlier(Product({0: Kernel(0.3), 1: Kernel(0.3)})).fit(X)
        one, other = model.score_samples([[9.0, 0.0], [9.0000001, 0.0]])
        assert one == pytest.approx(other, rel=1e-5)
        np.testing.assert_allclose(model.score_samples(X), model.scores_)
        assert model.scores_[-1] < -100

    def test_the_scale_of_weights_means_nothing(self, rng):
        X = np.vstack([rng.normal(size=(300, 2)), [[8.0, 8.0], [-8.0, 8.0]]])
        plain = DensityOutlier().fit(X)
        for scale in (0.5, 1 / 302):
            model = DensityOutlier().fit(X, sample_weight=np.full(302, scale))
            np.testing.assert_allclose(model.p_values(), plain.p_values(), rtol=1e-4)
        share = DensityOutlier(contamination=0.1).fit(X, sample_weight=np.full(302, 1e12))
        assert (share.predict(X) == -1).mean() == pytest.approx(0.1, abs=0.01)

    def test_folds(self, rng):
        X = rng.normal(size=(60, 2))
        for cv in (0, 1):
            with pytest.raises(ValueError, match="cv must be 2 folds or more"):
                DensityOutlier(Gaussian(), cv=cv).fit(X)
        with pytest.raises(ValueError, match="leave out every row once"):
            DensityOutlier(Gaussian(), cv=ShuffleSplit(3, random_state=0)).fit(X)
        inside = DensityOutlier(Gaussian(), cv=None).fit(X).scores_
        for cv in (1000, KFold(4)):
            assert (DensityOutlier(Gaussian(), cv=cv).fit(X).scores_ != inside).all()

    def test_scores_that_are_all_minus_infinity(self, rng):
        X = rng.normal(size=(60, 2))
        model = DensityOutlier(Kernel(1e-6, "epanechnikov"), contamination=0.1).fit(X)
        assert not np.isnan(model.decision_function(X)).any()
        assert (model.predict(X) == 1).all()


class TestTables:
    def test_draws_have_the_index_of_the_rows(self, table):
        X, y = table
        some = X.sample(frac=1, random_state=0)[:3]
        assert ConditionalDensity(bandwidth="silverman").fit(X, y).sample(some, 0).index.equals(some.index)

    def test_typical_values_keep_their_type(self, rng):
        X = 0.2 * rng.normal(size=(60, 2)) + 0.5
        model = DensityOutlier().fit(X)
        np.testing.assert_array_equal(model.explain([[5, 9]]).contributions, model.explain([[5.0, 9.0]]).contributions)
        frame = pd.DataFrame(X, columns=["a", "b"])
        whole = pd.DataFrame({"a": [5], "b": [9]})
        found = DensityOutlier().fit(frame).explain(whole).contributions
        np.testing.assert_allclose(found, model.explain([[5, 9]]).contributions)
        polars = DensityOutlier().fit(pl.DataFrame(frame.to_dict("list"))).explain(pl.DataFrame(whole.to_dict("list")))
        np.testing.assert_allclose(polars.contributions, found)
        letters = pd.DataFrame({"c": pd.Categorical(rng.choice(["a", "b"], 60, p=[0.1, 0.9])), "x": X[:, 0]})
        one = pd.DataFrame({"c": pd.Categorical(["a"]), "x": [0.5]})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert DensityOutlier().fit(letters).explain(one).typical[0, 0] == "b"

    def test_missing_cells_of_every_kind(self):
        frame = pd.DataFrame(
            {
                "s": pd.array(["u", "v", None] * 20, dtype="string"),
                "z": pd.array([True, None, False] * 20, dtype="boolean"),
            }
        )
        model = DensityOutlier().fit(frame)
        assert np.isfinite(model.score_samples(frame)).all()
        assert "missing" in model.explain(frame[2:3]).text()

    def test_names_of_values_are_not_asked_for(self, table):
        X, y = table
        model = ConditionalDensity(Gaussian()).fit(X, y)
        expected = model.pdf(X[:2], y[:2])
        np.testing.assert_array_equal(model.pdf(X[:2], y[:2].tolist()), expected)
        np.testing.assert_array_equal(model.pdf(X[:2], y[:2].rename("z")), expected)
        assert model.pdf(X[:1], [0.0, 1.0]).shape == (2,)
        ConditionalDensity(Gaussian()).fit(X.set_axis([0, 1], axis=1), y)
        ConditionalDensity(Gaussian(shrinkage="oas")).fit(X, np.column_stack([y, y]))
        ConditionalDensity(Gaussian()).fit(X.set_axis(["y", "(y)"], axis=1), y.rename("y"))
        frame = pl.DataFrame(X.to_dict("list"))
        polars = ConditionalDensity(Gaussian()).fit(frame, pl.Series("t", y.to_list()))
        np.testing.assert_allclose(polars.pdf(frame[:2], y[:2].to_list()), expected)

    def test_missing_values_are_refused_by_every_density(self, table):
        X, y = table
        for density in (None, Gaussian()):
            model = ConditionalDensity(density, bandwidth="silverman")
            with pytest.raises(ValueError, match="Input y contains NaN: column 't' has missing cells"):
                model.fit(X, y.mask(y > 1))
            with pytest.raises(ValueError, match="Input X contains NaN: column 'a' has missing cells"):
                model.fit(X.mask(X > 1), y)
            with pytest.raises(ValueError, match="Input y contains NaN"):
                model.fit(X, y).pdf(X[:1], [np.nan])

    def test_the_default_density_says_that_it_takes_no_missing_cells(self, table):
        model = DensityOutlier().fit(table[0].to_numpy())
        with pytest.raises(ValueError, match=r"give density=AutoColumns\(\)"):
            model.predict([[0.0, np.nan]])

    def test_bandwidths_by_name(self, table):
        X, y = table
        found = ConditionalDensity(bandwidth={"a": 1.0, "t": 0.5}).fit(X, y).bandwidth_
        assert found[0] == 1.0
        assert found[2] == 0.5
        with pytest.raises(ValueError, match=r"3 numbers \(2 of X, 1 of y\), got \[1, 1\]"):
            ConditionalDensity(bandwidth=[1, 1]).fit(X, y)
        series = KernelRegressor(pd.Series({"a": 0.3, "b": 0.2})).fit(X, y).bandwidth_
        np.testing.assert_array_equal(series, [0.3, 0.2])
        np.testing.assert_array_equal(KernelRegressor(np.array(0.3)).fit(X, y).bandwidth_, 0.3)

    def test_messages(self, table):
        X, y = table
        with pytest.raises(ValueError, match="return_std=True needs at least two rows"):
            KernelRegressor(1.0).fit(X[:1], y[:1]).predict(X, return_std=True)
        with pytest.raises(ValueError, match="y must be numbers"):
            KernelRegressor().fit(X, ["a"] * 60)
        with pytest.raises(ValueError, match="column 'a' holds 'x'"):
            LocalDensityFactor().fit(X.assign(a="x"))
        with pytest.raises(ValueError, match="or a share above 0"):
            DensityOutlier(contamination="foo").fit(X)
        assert KernelRegressor(1.0, kinds=["c", "c"]).fit(X, y).kinds_ == "cc"
        assert DensityOutlier().fit(X).explain(X[:1]).text(most=0).startswith("log-density")


class TestSecondReview:
    def test_a_row_alone_in_its_category(self, rng):
        frame = pd.DataFrame({"x": [0.0, 1, 2, 3, 4], "g": list("aaaab")})
        y = np.arange(5.0)
        for kernel in ("gaussian", "epanechnikov", lambda u: np.exp(-np.abs(u)) / 2):
            for order in (0, 1):
                model = KernelRegressor([1.0, 0.0], kernel=kernel, order=order).fit(frame, y)
                assert np.isfinite(model.leave_one_out()).all()
                assert np.isfinite(model.predict(frame, return_std=True)).all()
        assert KernelRegressor([0.0]).fit(frame[["g"]], y).leave_one_out()[4] == pytest.approx(1.5)
        many = pd.DataFrame({"g": ["c", *rng.choice(["a", "b"], 99)], "x": rng.normal(size=100)})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ConditionalDensity().fit(many, rng.normal(size=100))

    def test_lines_through_rows_of_very_different_weight(self):
        x, w = np.linspace(0, 1, 50)[:, None], np.ones(50)
        w[0] = 1e6
        model = KernelRegressor(1.0, order=1).fit(x, x[:, 0], sample_weight=w)
        np.testing.assert_allclose(model.predict([[0.5], [1.0]]), [0.5, 1.0], rtol=1e-6)

    def test_lines_are_followed_for_about_ten_bandwidths(self):
        x = np.linspace(0, 1, 50)[:, None]
        model = KernelRegressor(0.1, order=1).fit(x, x[:, 0])
        np.testing.assert_allclose(model.predict([[1.5], [1e6]]), [1.5, 1.0], rtol=1e-6)

    def test_decisions_and_predictions_agree(self, rng):
        X = rng.normal(size=(60, 2))
        for density in (Kernel(1e-6, "epanechnikov"), Histogram(bins=4), None):
            for share in ("auto", 0.1):
                model = DensityOutlier(density, contamination=share).fit(X)
                far = np.vstack([X, [[50.0, 50.0]]])
                np.testing.assert_array_equal(model.decision_function(far) < 0, model.predict(far) == -1)

    def test_a_wide_minimum_that_fewer_rows_don_t_see(self):
        rng = np.random.default_rng(3)
        x = rng.uniform(size=(9000, 1))
        model = KernelRegressor(order=1).fit(x, x[:, 0] + 0.3 * rng.normal(size=9000))
        rows = model.fitted_.rows
        assert rows.squared_error(model.bandwidth_) <= rows.squared_error(np.array([5.0])) + 1e-5

    def test_too_few_rows_for_a_criterion(self, rng):
        X, y = rng.normal(size=(5, 2)), rng.normal(size=5)
        with pytest.warns(UserWarning, match="5 rows are too few"):
            found = KernelRegressor("aicc", order=1).fit(X, y).bandwidth_
        assert (found > 0.2).all()

    def test_kinds_are_not_for_joint_densities(self, table):
        X, y = table
        for name, letters in (("kinds", "cc"), ("y_kinds", "c")):
            with pytest.raises(ValueError, match=f"{name} are for kernels"):
                ConditionalDensity(Gaussian(), **{name: letters}).fit(X, y)

    def test_more_tables(self, rng):
        frame = pl.DataFrame({"i": [1, 2, None] * 20, "x": rng.normal(size=60)})
        assert "x = " in str(DensityOutlier().fit(frame).explain(frame[:1]))
        mixed = ConditionalDensity(bandwidth="silverman").fit(
            [[0.0], [1.0], [2.0]], [[1.0, "a"], [2.0, "b"], [3.0, "a"]]
        )
        assert mixed.outputs_.letters == "cu"
        with pytest.raises(ValueError, match="kinds must be 'auto'"):
            KernelRegressor(1.0, kinds=None).fit([[0.0], [1.0]], [0, 1])
        with pytest.raises(ValueError, match="order must be 0"):
            KernelRegressor(1.0, order=np.array([0, 1])).fit([[0.0], [1.0]], [0, 1])

    def test_arrays_of_the_user_stay_the_user_s(self, rng):
        X, w, asked = rng.normal(size=(50, 1)), np.full(50, 1.5), np.array([[1e300], [0.0]])
        asked.flags.writeable = False
        for model in (KernelRegressor(0.5), ConditionalDensity(bandwidth=[0.5, 0.5])):
            rows, y, heavy = X.copy(), X[:, 0].copy(), w.copy()
            expected = model.fit(X, X[:, 0], sample_weight=w).predict(X)
            assert np.isfinite(model.predict(asked)).all()
            model.fit(rows, y, sample_weight=heavy)
            for part in (rows, y, heavy):
                part[:] = np.arange(len(part)).reshape(part.shape) + 7.0
            np.testing.assert_array_equal(model.predict(X), expected)
