"""The promise of flags: among rows without outliers, at a rate of 10%, at most one table in ten has any."""

import numpy as np
import pandas as pd
import pytest

from parzen import DensityOutlier, GaussianMixture, LocalDensityFactor

LAWS = {
    "lognormal": lambda rng, n: rng.lognormal(size=n),
    "exponential": lambda rng, n: rng.exponential(size=n),
    "t, 3 degrees": lambda rng, n: rng.standard_t(3, n),
    "Pareto": lambda rng, n: rng.pareto(1.5, n),
}
#: Tables of each law; flags in so many of them are within three standard errors of the rate.
TABLES, MOST = 8, 3


def with_a_category(law, rng, n):
    return pd.DataFrame({"x": law(rng, n), "kind": rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])})


def with_rare_categories(law, rng, n):
    rare = rng.choice([f"c{k}" for k in range(30)], n, p=1 / np.arange(1, 31) ** 2 / (1 / np.arange(1, 31) ** 2).sum())
    return pd.DataFrame({"x": law(rng, n), "y": rng.random(n), "rare": rare, "bit": (rng.random(n) < 0.01).astype(int)})


def with_missing_cells(law, rng, n):
    X = np.column_stack([1e-6 * law(rng, n), law(rng, n), rng.normal(size=n)])
    return np.where(rng.random((n, 3)) < [0.01, 0.2, 0.1], np.nan, X)


@pytest.mark.parametrize("form", [with_a_category, with_rare_categories, with_missing_cells])
@pytest.mark.parametrize("law", list(LAWS))
def test_clean_tables_are_rarely_flagged(law, form):
    flagged = sum(
        DensityOutlier().fit(form(LAWS[law], np.random.default_rng(seed), 300)).flagged(fdr=0.1).any()
        for seed in range(TABLES)
    )
    assert flagged <= MOST


def test_a_wrong_number_in_a_mixed_table_is_flagged():
    for seed in range(5):
        table = with_a_category(LAWS["lognormal"], np.random.default_rng(seed), 500)
        table.loc[7, "x"] = -60.0
        table.loc[9, "x"] = 2000.0
        assert np.flatnonzero(DensityOutlier().fit(table).flagged(fdr=0.1)).tolist() in ([7, 9], [9])


def test_default_p_values_are_ranks_unless_a_gap_sets_rows_apart(rng):
    X, new = rng.normal(size=(1000, 2)), rng.normal(size=(200, 2))
    model = DensityOutlier().fit(X)
    assert not model.tails_.tails
    np.testing.assert_array_equal(model.p_values(), model.p_values(method="ranks"))
    np.testing.assert_array_equal(model.p_values(new), model.p_values(new, method="ranks"))
    far = np.vstack([X, [[15.0, 0.0], [0.0, -16.0]]])
    model = DensityOutlier().fit(far)
    auto, ranks = model.p_values(), model.p_values(method="ranks")
    np.testing.assert_array_equal(auto[:1000], ranks[:1000])
    assert (auto[1000:] < 1 / 1003).all()
    np.testing.assert_array_equal(model.p_values(far)[1000:], auto[1000:])
    np.testing.assert_array_equal(model.explain(far[1000:]).p_values, auto[1000:])
    assert np.flatnonzero(model.flagged()).tolist() == [1000, 1001]


def test_p_values_of_new_rows_are_valid_in_mixed_tables():
    """New rows of the same distribution have p-values below a level with at most that probability."""
    small = []
    for seed in range(10):
        table = with_a_category(LAWS["lognormal"], np.random.default_rng(seed), 600)
        small.append((DensityOutlier().fit(table[:300]).p_values(table[300:]) <= 0.05).mean())
    assert np.mean(small) < 0.06


def test_a_given_density_is_searched_for_gaps_too(rng):
    between = np.concatenate([rng.normal(-40, 1, 500), rng.normal(40, 1, 500), [0.0]])[:, None]
    assert not DensityOutlier().fit(between).flagged().any()
    model = DensityOutlier(GaussianMixture(2, random_state=0)).fit(between)
    assert np.flatnonzero(model.flagged()).tolist() == [1000]


def test_local_factors_of_clean_tables_are_rarely_flagged():
    flagged = sum(
        LocalDensityFactor().fit(np.random.default_rng(seed).lognormal(size=(200, 2))).flagged(fdr=0.1).any()
        for seed in range(TABLES)
    )
    assert flagged <= MOST
