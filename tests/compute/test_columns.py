"""Densities of one column equal their twins, and so do held-out ones and the likeliest power transform."""

import numpy as np
import pytest
from scipy import stats

from parzen.compute.power import likeliest_power, power_forward
from parzen.compute.steps import add_places, bin_lookup, bin_places, counted, different, mass_lookup, mass_places
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


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("groups", [1, 3])
def test_the_likeliest_power_equals_the_oracle(level, numbers, groups, rng):
    x, codes, count = NUMBERS[numbers](rng, 150), rng.integers(0, groups, 150).astype(np.int32), rng.integers(1, 4, 150)
    w, each = rng.gamma(2.0, size=150), np.repeat(np.arange(150), count)
    nan, scales = np.nan, 4.0 ** np.arange(1, -4, -1)
    for given in ((nan, nan, nan), (0.5, nan, nan), (nan, float(x[3]), 2.0), (0.0, float(x[3]) - 1.5, nan)):
        options = (groups, given, scales, 300.0, 0.01)
        found = likeliest_power(x, codes, w * count, count.astype(float), *options)
        exact = TWINS["likeliest_power"](x[each], codes[each], w[each], *options)
        np.testing.assert_allclose(found, exact, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("power", [0.0, 0.3, 1.0, 2.5])
@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e9])
def test_power_transforms_equal_the_oracle(level, power, scale, rng):
    x = np.concatenate([rng.standard_t(1.5, 90) * scale, 1e-9 * scale * rng.normal(size=20), ODD])
    slopes = np.empty(len(x))
    found = power_forward(np.stack([x, x], axis=1)[:, 1], power, 0.25, scale, 300.0, slopes)
    exact, exact_slopes = TWINS["power_forward"](x, power, 0.25, scale, 300.0)
    np.testing.assert_allclose(found, exact, rtol=1e-13)
    np.testing.assert_allclose(slopes, exact_slopes, rtol=1e-13)


@pytest.mark.parametrize("ends", [(0.0, 4.0), (-np.inf, np.inf)])
def test_places_among_edges_and_values_equal_the_oracle(level, ends, rng):
    edges = np.array([ends[0], 1.0, 1.5, 3.0, ends[1]])
    x = np.concatenate([rng.uniform(0, 4, 40), [0.0, 1.0, 1.5, 3.0, 4.0, np.nan]])
    strided = np.stack([x, -x], axis=1)[:, 0]
    np.testing.assert_array_equal(bin_places(strided, edges), TWINS["bin_places"](x, edges))
    outside = [np.append(x, np.inf), np.full(3, np.nan), np.empty(0)]
    for other in (*outside, np.append(x, 4.1), np.append(x, -0.1)) if np.isfinite(ends[0]) else outside:
        assert bin_places(other, edges) is None
    at = np.array([-1.0, 0.0, 1.5, 4.0])
    x = np.append(x, [np.inf, -np.inf])
    for one, exact in zip(mass_places(x, at), TWINS["mass_places"](x, at), strict=True):
        np.testing.assert_array_equal(one, exact)


@pytest.mark.parametrize("kind", ["numbers", "codes", "objects"])
def test_the_different_values_of_a_column_equal_the_oracle(level, kind, rng):
    x = np.concatenate([rng.integers(-3, 4, 200) * 0.5, ODD, ODD, [-0.0]])
    codes = rng.integers(-1, 9, 200).astype(np.int32)
    column = {
        "numbers": np.array([x, x]).T[:, 1],  # at a stride
        "codes": np.array([codes, codes]).T[:, 1],
        "objects": np.array(["a", "b", None, 2.5], dtype=object)[rng.integers(0, 4, 90)],
    }[kind]
    exact = TWINS["different"](column)
    for one, own in zip(different(column, 30), exact, strict=True):
        np.testing.assert_array_equal(one, own)
    assert different(column, len(exact[0])) is not None
    assert different(column, len(exact[0]) - 1) is None


def test_rows_of_a_table_are_added_by_their_places(level, rng):
    table, places, out = rng.normal(size=(5, 3)), rng.integers(0, 5, 70).astype(np.int32), rng.normal(size=(70, 3))
    exact = TWINS["add_places"](table, places, out)
    add_places(table, places, out)
    np.testing.assert_array_equal(out, exact)


@pytest.mark.parametrize("n", [5, 5_000])
@pytest.mark.parametrize("make", NUMBERS)
def test_different_values_are_counted(make, n, rng):
    x = np.concatenate([NUMBERS[make](rng, n), [np.nan, np.inf, -np.inf]])
    values, count = counted(np.stack([x, x], axis=1)[:, 1])
    expected = np.unique(x[np.isfinite(x)], return_counts=True)
    np.testing.assert_array_equal(values, expected[0])
    np.testing.assert_array_equal(count, expected[1])
