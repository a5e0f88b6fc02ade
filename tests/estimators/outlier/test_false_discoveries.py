"""The promise of flags: among rows without outliers, at a rate of 10%, at most one table in ten has any."""

import numpy as np
import pandas as pd
import pytest

from parzen import DensityOutlier, Gaussian, GaussianMixture, LocalDensityFactor
from parzen.estimators.outlier import number_tails
from parzen.estimators.outlier.probability_plot import straightest_power, straightest_tail

LAWS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "lognormal": lambda rng, n: rng.lognormal(size=n),
    "exponential": lambda rng, n: rng.exponential(size=n),
    "t, 3 degrees": lambda rng, n: rng.standard_t(3, n),
    "Pareto": lambda rng, n: rng.pareto(1.5, n),
    "bimodal": lambda rng, n: rng.normal(size=n) + 8.0 * (rng.random(n) < 0.3),
    "integers": lambda rng, n: rng.integers(0, 100, n).astype(float),
}
#: Tables of each form, over all laws; flags in so many of them are within two standard errors of the rate.
TABLES = 4
MOST = int(0.1 * len(LAWS) * TABLES + 2 * np.sqrt(0.09 * len(LAWS) * TABLES))


def with_a_category(law, rng, n):
    return pd.DataFrame({"x": law(rng, n), "kind": rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])})


def with_rare_categories(law, rng, n):
    rare = rng.choice([f"c{k}" for k in range(30)], n, p=1 / np.arange(1, 31) ** 2 / (1 / np.arange(1, 31) ** 2).sum())
    return pd.DataFrame({"x": law(rng, n), "y": rng.random(n), "rare": rare, "bit": (rng.random(n) < 0.01).astype(int)})


def with_missing_cells(law, rng, n):
    X = np.column_stack([1e-6 * law(rng, n), law(rng, n), rng.normal(size=n)])
    return np.where(rng.random((n, 3)) < [0.01, 0.2, 0.1], np.nan, X)


def numbers(law, rng, n):
    return np.column_stack([law(rng, n) for _ in range(3)])


@pytest.mark.parametrize("form", [numbers, with_a_category, with_rare_categories, with_missing_cells])
def test_clean_tables_are_rarely_flagged(form):
    flagged = [
        law
        for law in LAWS
        for seed in range(TABLES)
        if DensityOutlier().fit(form(LAWS[law], np.random.default_rng(seed), 1000)).flagged(fdr=0.1).any()
    ]
    assert len(flagged) <= MOST, flagged


def test_rows_far_from_all_others_are_flagged():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = np.vstack([rng.normal(size=(300, 2)), [[9.0, 9.0], [-10.0, 8.0]]])
        for model in (DensityOutlier(), DensityOutlier(Gaussian())):
            assert np.flatnonzero(model.fit(X).flagged(fdr=0.1)).tolist() == [300, 301]


def test_a_wrong_number_in_a_mixed_table_is_flagged():
    for seed in range(5):
        table = with_a_category(LAWS["lognormal"], np.random.default_rng(seed), 500)
        table.loc[7, "x"] = 1e6
        table.loc[9, "x"] = -3e4
        assert np.flatnonzero(DensityOutlier().fit(table).flagged(fdr=0.1)).tolist() == [7, 9]


def test_default_p_values_are_ranks_where_the_tail_is_not_lower(rng):
    X, new = rng.normal(size=(1000, 2)), rng.normal(size=(200, 2))
    model = DensityOutlier().fit(np.vstack([X, [[15.0, 0.0], [0.0, -16.0]]]))
    auto, ranks = model.p_values(), model.p_values(method="ranks")
    assert (auto[1000:] < 1 / 1003).all()
    np.testing.assert_array_equal(auto[ranks > 0.01], ranks[ranks > 0.01])
    np.testing.assert_array_equal(model.p_values(new), model.p_values(new, method="ranks"))
    far = np.array([[15.0, 0.0], [0.0, -16.0]])
    np.testing.assert_allclose(model.p_values(far), auto[1000:], rtol=1e-6)
    np.testing.assert_allclose(model.explain(far).p_values, auto[1000:], rtol=1e-6)


def test_p_values_of_new_rows_are_valid_in_mixed_tables():
    """New rows of the same distribution have p-values below a level with at most that probability."""
    small = []
    for seed in range(10):
        table = with_a_category(LAWS["lognormal"], np.random.default_rng(seed), 600)
        small.append((DensityOutlier().fit(table[:300]).p_values(table[300:]) <= 0.05).mean())
    assert np.mean(small) < 0.06


def test_scores_of_a_given_density_have_a_tail_too(rng):
    between = np.concatenate([rng.normal(-40, 1, 500), rng.normal(40, 1, 500), [0.0]])[:, None]
    model = DensityOutlier(GaussianMixture(2, random_state=0)).fit(between)
    assert np.flatnonzero(model.flagged()).tolist() == [1000]


def test_local_factors_of_clean_tables_are_rarely_flagged():
    flagged = sum(
        LocalDensityFactor().fit(np.random.default_rng(seed).lognormal(size=(200, 2))).flagged(fdr=0.1).any()
        for seed in range(10)
    )
    assert flagged <= 2


def test_a_column_is_transformed_by_its_tails_and_not_by_its_modes(rng):
    assert straightest_power(rng.normal(size=1000))[0] == 1.0
    assert straightest_power(LAWS["bimodal"](rng, 1000))[0] == 1.0
    assert straightest_power(rng.random(1000))[0] == 1.0
    assert straightest_power(rng.lognormal(size=1000))[0] < 0.3
    assert straightest_power(-rng.lognormal(size=1000))[0] < 0.3
    assert straightest_power(rng.standard_t(2, size=1000))[0] < 0.6
    assert straightest_tail(-rng.exponential(size=1000))[0] == 1.0
    assert straightest_tail(-rng.pareto(2.0, size=1000))[0] < 0.5


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e100])
def test_p_values_follow_shift_and_scale(rng, scale):
    x = np.append(rng.lognormal(size=300), 1e5)[:, None]
    plain, moved = (DensityOutlier().fit(one).p_values() for one in (x, scale * (x + 3.0)))
    np.testing.assert_allclose(moved, plain, rtol=1e-4)


@pytest.mark.parametrize("rows", [1, 2, 3, 19])
def test_few_rows_have_ranks_alone(rng, rows):
    X = rng.normal(size=(rows, 2))
    model = DensityOutlier().fit(X)
    assert (model.p_values() >= 1 / (rows + 1)).all()
    assert not model.flagged().any()


def test_a_tail_of_many_rows_is_compared_with_some_of_them(monkeypatch, rng):
    X = np.vstack([rng.normal(size=(2990, 3)), 8.0 + rng.normal(size=(10, 3))])
    every = DensityOutlier().fit(X)
    monkeypatch.setattr(number_tails, "ROWS", 1000)
    some = DensityOutlier().fit(X)
    assert len(every.tails_.density.windows[0].points) == 3000
    assert len(some.tails_.density.windows[0].points) == 1000
    np.testing.assert_array_equal(some.scores_, every.scores_)
    scales = [model.tails_.nulls[0].scale for model in (some, every)]
    assert abs(np.log(scales[0] / scales[1])) < 0.05
    np.testing.assert_array_equal(np.flatnonzero(some.flagged()), np.arange(2990, 3000))
    new = np.array([[0.0, 0.5, 1.0], [9.0, 9.0, 9.0]])
    np.testing.assert_allclose(some.p_values(new)[0], every.p_values(new)[0])
    assert some.p_values(new)[1] < 1e-4
