"""Averages around places: the kernel equals its twin, on every level, near and far, with categories and without."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parzen import threads
from parzen.compute.kernel_sums import CODES
from parzen.smoothing.categories import Category
from parzen.smoothing.kernel_functions import kernel_function
from parzen.smoothing.local import LocalSum
from parzen.smoothing.local_lines import fit_lines
from parzen.smoothing.queries import Queries
from tests import oracle


def sums(kernel, points, values, w=None, units=None, **rest):
    units = np.ones(points.shape[1]) if units is None else units
    return LocalSum(kernel_function(kernel), points, values, w, units, **rest)


@pytest.mark.parametrize("kernel", CODES)
@pytest.mark.parametrize(
    ("n", "m", "d", "C"), [(1, 1, 1, 1), (5, 3, 2, 1), (63, 7, 3, 2), (64, 16, 1, 3), (300, 40, 9, 1)]
)
def test_averages_equal_the_oracle(level, kernel, n, m, d, C, rng):
    points, values, w = rng.normal(size=(n, d)), rng.normal(size=(n, C)), rng.random(n)
    Q = 1.5 * rng.normal(size=(m, d))
    found = sums(kernel, points, values, w).averages(Q)
    np.testing.assert_allclose(found.value, oracle.local_regression(points, values, w, Q, kernel, 0), atol=1e-13)
    exact = oracle.window_sums(points, w, Q, kernel).astype(float)
    np.testing.assert_allclose(found.log_sum, exact, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kernel", CODES)
@pytest.mark.parametrize(("d", "C"), [(1, 1), (2, 3), (4, 1)])
def test_lines_equal_weighted_least_squares(level, kernel, d, C, rng):
    points, values, w = rng.uniform(-1, 1, (400, d)), rng.normal(size=(400, C)), rng.random(400)
    Q = rng.uniform(-1, 1, (30, d))
    units = np.full(d, 1.5)
    found = fit_lines(sums(kernel, points, values, w, units).averages(Q, lines=True))
    expected = oracle.local_regression(points / 1.5, values, w, Q / 1.5, kernel, 1)
    np.testing.assert_allclose(found.value, expected, atol=1e-11)


@pytest.mark.parametrize("kernel", CODES)
def test_far_from_all_points_the_nearest_count(level, kernel, rng):
    points, values = rng.normal(size=(200, 2)), rng.normal(size=(200, 1))
    Q = rng.normal(size=(40, 2)) * 10.0 ** rng.uniform(1, 5, (40, 1))
    found = sums(kernel, points, values).averages(Q).value
    expected = oracle.local_regression(points, values, np.ones(200), Q, kernel, 0)
    np.testing.assert_allclose(found, expected, atol=1e-7)
    if kernel == "exponential":
        return  # its weights depend on differences of distances, which stay what they are
    for huge in (1e12, 1e100, 1e300):
        nearest = values[np.argmax(points[:, 0])]
        at = sums(kernel, points, values).averages(np.array([[huge, 0.0]]))
        np.testing.assert_allclose(at.value[0], nearest, atol=1e-6)


def test_rows_equally_far_share(level):
    points, values = np.array([[-1.0], [1.0], [1.0], [5.0]]), np.array([[0.0], [3.0], [6.0], [100.0]])
    for kernel in ("gaussian", "epanechnikov", "exponential"):
        found = sums(kernel, points, values, units=np.array([1e-3])).averages(np.array([[0.0]])).value
        np.testing.assert_allclose(found, [[3.0]], rtol=1e-8)


@pytest.mark.parametrize("n", [30, 3000])
def test_a_row_left_out_is_not_there(level, n, rng):
    points, values, w = rng.normal(size=(n, 2)), rng.normal(size=(n, 2)), rng.integers(1, 4, n).astype(float)
    rows = sums("gaussian", points, values, w, np.full(2, 0.3))
    some = rng.choice(n, 10, replace=False)
    found = rows.averages(points[some], own=some, left=w[some] - 1.0, lines=True)
    for at, i in enumerate(some):
        less = w.copy()
        less[i] -= 1.0
        kept = less > 0
        other = sums("gaussian", points[kept], values[kept], less[kept], np.full(2, 0.3))
        expected = other.averages(points[[i]], lines=True)
        for name in ("log_sum", "value", "offset", "square", "product"):
            np.testing.assert_allclose(getattr(found, name)[at], getattr(expected, name)[0], atol=1e-12)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_cells_equal_pairs(d, rng):
    n = 6000
    points = rng.normal(size=(n, d)) + 1e6
    values, w = np.column_stack([rng.normal(size=n), np.full(n, 3.0), 1e9 + rng.random(n)]), rng.random(n)
    values = values if d == 1 else values[:, :1]
    rows = sums("gaussian", points, values, w, np.full(d, 0.4 * d), rtol=1e-8)
    Q = np.vstack([points[:5000], 1e6 + rng.uniform(-9, 9, (2000, d)), np.full((1, d), 0.0)])
    found, exact = rows.by_cells(Queries(Q)), replace(rows, rtol=1e-15).by_pairs(Queries(Q), False)
    assert found is not None
    reach = np.ptp(values, axis=0)
    assert (np.abs(found.value - exact.value) <= 1e-8 * reach + 5e-15 * np.abs(values).max(axis=0)).all()
    np.testing.assert_allclose(found.log_sum, exact.log_sum, rtol=1e-8, atol=1e-8)
    asked = Queries(points[:5000], None, np.arange(5000), np.zeros(5000))
    found, exact = rows.by_cells(asked), replace(rows, rtol=1e-15).by_pairs(asked, False)
    assert (np.abs(found.value - exact.value) <= 1e-8 * reach + 5e-15 * np.abs(values).max(axis=0)).all()


@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov"])
def test_categories_multiply_weights(level, kernel, rng):
    n, m = 500, 60
    points, values, w = rng.normal(size=(n, 1)), rng.normal(size=(n, 1)), rng.random(n)
    codes = np.column_stack([rng.integers(0, 3, n), rng.integers(0, 4, n)])
    Q, asked = rng.normal(size=(m, 1)), np.column_stack([rng.integers(0, 4, m), rng.integers(0, 4, m)])
    kinds, lambdas = (Category(3), Category(4, ordered=True)), (0.2, 0.3)
    tables = [kind.table(one) for kind, one in zip(kinds, lambdas, strict=True)]
    rows = sums(kernel, points, values, w, np.full(1, 0.7), codes=codes, tables=tables)
    factors = tables[0][asked[:, 0]][:, codes[:, 0]] * tables[1][asked[:, 1]][:, codes[:, 1]]
    for order in (0, 1):
        around = rows.averages(Q, asked, lines=order == 1)
        found = around.value if order == 0 else fit_lines(around).value
        expected = oracle.local_regression(points / 0.7, values, w, Q / 0.7, kernel, order, factors)
        np.testing.assert_allclose(found, expected, atol=1e-10)


def test_kernels_of_categories():
    plain, ordered = Category(4), Category(4, ordered=True)
    assert plain.most == 0.75
    np.testing.assert_allclose(plain.table(0.75), 1.0)  # all count alike
    np.testing.assert_array_equal(plain.table(0.0)[:4], np.eye(4))
    np.testing.assert_allclose(plain.probabilities(0.3), np.where(np.eye(4) > 0, 0.7, 0.1))  # Aitchison and Aitken 1976
    np.testing.assert_allclose(ordered.table(0.5)[0], [1, 0.5, 0.25, 0.125])
    np.testing.assert_allclose(ordered.probabilities(0.5).sum(axis=0), 1.0)
    np.testing.assert_array_equal(ordered.table(0.0)[:4], np.eye(4))
    np.testing.assert_array_equal(Category(1).table(0.0), 1.0)


@given(
    st.integers(0, 10_000),
    st.sampled_from(sorted(CODES)),
    st.floats(-8, 8),
    st.floats(-3, 3),
    st.integers(1, 3),
)
def test_shift_and_scale_change_nothing(seed, kernel, shift, power, d):
    """Averages don't know where the origin is, nor the unit of length."""
    rng = np.random.default_rng(seed)
    points, values, Q = rng.normal(size=(40, d)), rng.normal(size=(40, 1)), 2 * rng.normal(size=(9, d))
    scale, h = 10.0**power, np.full(d, 0.6)
    plain = sums(kernel, points, values, units=h).averages(Q).value
    moved = sums(kernel, scale * (points + shift), values, units=scale * h).averages(scale * (Q + shift)).value
    # A place at the very edge of a kernel that steps may fall to either side.
    far = np.sqrt((((Q[:, None] - points) / h) ** 2).sum(axis=2))
    steady = (np.abs(far - 1) > 1e-9).all(axis=1)
    np.testing.assert_allclose(moved[steady], plain[steady], atol=1e-6)


@given(st.integers(0, 10_000), st.sampled_from(sorted(CODES)), st.integers(1, 4))
def test_averages_lie_between_the_values(seed, kernel, d):
    rng = np.random.default_rng(seed)
    points, values = rng.normal(size=(30, d)), rng.normal(size=(30, 2))
    Q = rng.normal(size=(20, d)) * 10.0 ** rng.uniform(-2, 8, (20, 1))
    found = sums(kernel, points, values).averages(Q).value
    assert (found >= values.min(axis=0) - 1e-12).all()
    assert (found <= values.max(axis=0) + 1e-12).all()


def test_threads_change_nothing(rng):
    points, values = rng.normal(size=(5000, 3)), rng.normal(size=(5000, 1))
    rows = sums("gaussian", points, values)
    with threads(1):
        one = rows.averages(points).value
    with threads(2):
        np.testing.assert_array_equal(rows.averages(points).value, one)


def test_ones_own_kernel_is_the_same_kernel(rng):
    points, values, Q = rng.normal(size=(80, 2)), rng.normal(size=(80, 2)), rng.normal(size=(20, 2))

    def own(u):
        return 0.75 * np.maximum(1 - u**2, 0)

    named, mine = sums("epanechnikov", points, values), sums(own, points, values)
    far = np.vstack([Q, [[50.0, 0.0]]])
    for lines in (False, True):
        a, b = named.averages(far, lines=lines), mine.averages(far, lines=lines)
        np.testing.assert_allclose(a.value, b.value, atol=1e-12)
    np.testing.assert_allclose(fit_lines(a).slope[:20], fit_lines(b).slope[:20], atol=1e-9)


def test_lines_have_no_slope_where_nothing_spreads(rng):
    points = np.column_stack([rng.normal(size=50), np.full(50, 7.0)])
    values = points[:, :1] * 2
    lines = fit_lines(sums("gaussian", points, values).averages(np.array([[0.3, 7.0], [0.3, 9.0]]), lines=True))
    np.testing.assert_allclose(lines.value[:, 0], 0.6, atol=1e-9)
    np.testing.assert_allclose(lines.slope[:, :, 0], [[2, 0], [2, 0]], atol=1e-7)
    one = fit_lines(sums("gaussian", points[:1], values[:1]).averages(np.array([[5.0, 7.0]]), lines=True))
    np.testing.assert_array_equal(one.value, values[:1])
