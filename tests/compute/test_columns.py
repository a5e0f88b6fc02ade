"""Densities of one column equal their twins, and so do held-out ones and the likeliest power transform."""

import numpy as np
import pytest
from scipy import stats

from parzen.compute.held_out import held_bins, held_gaussian, held_shares, likeliest_power
from parzen.compute.steps import bin_lookup, mass_lookup
from parzen.compute.student import student
from parzen.densities.histogram import BinDensity
from tests.oracle import TWINS

ODD = [np.nan, np.inf, -np.inf, 1e300, -1e300, 0.0]
NUMBERS = {
    "distinct": lambda rng, n: rng.normal(size=n),
    "rounded": lambda rng, n: rng.poisson(3.0, n).astype(float),
    "far away": lambda rng, n: 1e8 + rng.gamma(0.7, size=n),
    "mostly zero": lambda rng, n: np.where(rng.random(n) < 0.8, 0.0, rng.lognormal(size=n)),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "d", "groups"), [(0, 1, 2), (1, 1, 1), (70, 3, 2), (131, 1, 5)])
def test_student_densities_equal_the_oracle(level, dtype, n, d, groups, rng):
    X = rng.standard_t(2, size=(n, 2 * d)).astype(dtype)[:, :d]  # rows at a stride
    X[rng.random(X.shape) < 0.2] = np.nan
    location, scale = rng.normal(size=(groups, d)), rng.gamma(2, size=(groups, d))
    dof = 10 ** rng.uniform(0, 5, (groups, d))
    constant = stats.t.logpdf(0.0, dof) - np.log(scale)
    exact = TWINS["student"](X.astype(float), location, scale, dof)
    np.testing.assert_allclose(student(X, location, scale, dof, constant), exact, rtol=1e-11, atol=1e-11)


def test_a_far_cell_of_a_t_has_a_tail_of_a_power(level):
    one = np.ones((1, 1))
    X = np.array([[1e150], [1e160], [np.inf], [np.nan]])
    near, far, most, missing = student(X, 0 * one, one, one, 0 * one)[:, 0]
    assert near - far == pytest.approx(2 * 10 * np.log(10))
    assert (most, missing) == (-np.inf, 0.0)


@pytest.mark.parametrize("ends", [(0.0, 4.0), (-np.inf, np.inf), (0.0, np.inf), (-np.inf, 4.0)])
def test_histograms_of_a_column_equal_the_oracle(level, ends, rng):
    edges = np.array([ends[0], 1.0, 1.5, 3.0, ends[1]])
    log_mass = np.log(rng.dirichlet(np.ones(4), size=3))
    x = np.concatenate([rng.uniform(-1, 5, 40), edges, ODD])
    density = BinDensity((edges,), log_mass)
    with np.errstate(invalid="ignore"):
        exact = TWINS["bin_lookup"](x, edges, log_mass)
    sure = np.abs(x) < 1e299  # beyond, the twin's difference of infinities has no meaning
    np.testing.assert_allclose(
        density.log_density(x[:, None])[sure | np.isnan(x)], exact[sure | np.isnan(x)], rtol=1e-13
    )
    out = np.empty((len(x), 3))
    bin_lookup(np.stack([x, x], axis=1)[:, 1], *density._heights, out)  # a column of a matrix
    np.testing.assert_array_equal(out, density.log_density(x[:, None]))


@pytest.mark.parametrize("m", [1, 2, 7])
def test_point_masses_equal_the_oracle(level, m, rng):
    at = np.sort(rng.choice(20, m, replace=False)).astype(float)
    masses, x = rng.normal(size=(m + 1, 2)), np.concatenate([rng.integers(0, 20, 60), at, ODD])
    rest = rng.normal(size=(len(x), 2))
    out = rest.copy()
    mass_lookup(x, at, masses, out)
    np.testing.assert_array_equal(out, TWINS["mass_lookup"](x, at, masses, rest))


def cells(rng, numbers, n, groups):
    x = NUMBERS[numbers](rng, n)
    return x, rng.integers(0, groups, n).astype(np.int32), (np.arange(n) % 4).astype(np.int32)


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize(("n", "groups"), [(30, 1), (67, 2), (400, 5)])
def test_held_out_densities_equal_the_oracle(level, numbers, n, groups, rng):
    x, codes, folds = cells(rng, numbers, n, groups)
    given = (x, codes, folds, groups, 4)
    tolerance = {"rtol": 1e-6 if numbers == "far away" else 1e-10, "atol": 1e-10}
    np.testing.assert_allclose(held_gaussian(*given), TWINS["held_gaussian"](*given), **tolerance)
    counts = (4, 8, 16)
    np.testing.assert_allclose(held_bins(*given, counts, 0.5), TWINS["held_bins"](*given, counts, 0.5), rtol=1e-10)
    slots = rng.integers(0, 3, n).astype(np.int32)
    shares = held_shares(codes, folds, groups, 4, slots, 4, 0.5)
    np.testing.assert_allclose(shares, TWINS["held_shares"](codes, folds, groups, 4, slots, 4, 0.5), rtol=1e-13)


def test_a_class_without_cells_in_the_other_folds_has_the_mean_of_all(level):
    x, codes, folds = np.array([1.0, 2.0, 4.0, 9.0]), np.array([0, 0, 0, 1], np.int32), np.array([0, 1, 2, 3], np.int32)
    given = (x, codes, folds, 3, 4)
    np.testing.assert_allclose(held_gaussian(*given), TWINS["held_gaussian"](*given), rtol=1e-12)


def test_bins_need_cells_outside_of_a_fold():
    x, none = np.arange(8.0), np.zeros(8, dtype=np.int32)
    with pytest.raises(ValueError, match="a fold holds every cell"):
        held_bins(x, none, none, 1, 1, (4,), 0.5)


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("groups", [1, 3])
def test_the_likeliest_power_equals_the_oracle(level, numbers, groups, rng):
    x, codes, _ = cells(rng, numbers, 150, groups)
    w = rng.gamma(2.0, size=150)
    tried = np.array(
        [(p, c, s) for c in (x.min(), np.median(x)) for s in x.std() * 4.0 ** np.arange(1, -4, -1) for p in (0.0, 0.5)]
    )
    for tolerance in (None, 0.01):
        given = (x, codes, w, groups, tried, 300.0, tolerance)
        np.testing.assert_allclose(likeliest_power(*given), TWINS["likeliest_power"](*given), rtol=1e-6, atol=1e-7)
