"""Sums of kernels: every engine equals the direct sum in extended precision, within what it promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parzen import threads
from parzen.compute.kernel_sums import CODES, RUNGS
from parzen.compute.tree import Tree
from parzen.smoothing.distribution import KernelDistribution
from parzen.smoothing.expansion import expansions, spread
from parzen.smoothing.kernel_functions import KERNEL_FUNCTIONS, NAMES
from parzen.smoothing.plan import Plan
from parzen.smoothing.sums import KernelSum
from tests import oracle

COMPACT = [name for name in NAMES if name not in ("gaussian", "exponential")]


def off(logs, exact):
    """Largest relative error of sums given by their logarithms; both must be zero in the same places.

    Sums that are too small to be numbers are right to the last digits of their logarithm.
    """
    exact = np.asarray(exact, dtype=np.longdouble)
    np.testing.assert_array_equal(np.isfinite(logs), np.isfinite(exact))
    far = exact < -700
    np.testing.assert_allclose(
        logs[far & np.isfinite(exact)], exact[far & np.isfinite(exact)].astype(float), rtol=1e-12
    )
    return float(np.abs(np.expm1(logs[~far] - exact[~far])).max(initial=0))


@pytest.mark.parametrize("kernel", CODES)
@pytest.mark.parametrize(("n", "m", "d"), [(1, 1, 1), (5, 3, 2), (63, 7, 3), (64, 16, 1), (65, 17, 4), (300, 40, 9)])
@pytest.mark.parametrize("adaptive", [False, True])
def test_pairs_equal_the_oracle(level, kernel, n, m, d, adaptive, rng):
    points, Q, w = rng.normal(size=(n, d)), 1.5 * rng.normal(size=(m, d)), rng.random(n)
    scales = rng.uniform(0.5, 3.0, n) if adaptive else None
    sums = KernelSum(KERNEL_FUNCTIONS[kernel], points, w, scales)
    assert off(sums.log(Q), oracle.window_sums(points, w, Q, kernel, scales)) < 1e-13


@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
def test_far_from_all_points_the_logarithm_is_right(level, kernel, rng):
    points, w = rng.normal(size=(200, 3)), rng.random(200)
    Q = rng.normal(size=(30, 3)) * 10.0 ** rng.uniform(0, 6, (30, 1))
    for rtol in (0.0, 1e-6):
        logs = KernelSum(KERNEL_FUNCTIONS[kernel], points, w, rtol=rtol).log(Q)
        exact = oracle.window_sums(points, w, Q, kernel)
        assert np.isfinite(logs).all()
        np.testing.assert_allclose(logs, exact.astype(float), rtol=1e-13, atol=1e-6)


@pytest.mark.parametrize("d", [1, 3, 6])
@pytest.mark.parametrize("rtol", [1e-2, 1e-6, 1e-9])
def test_what_pairs_leave_out_is_less_than_promised(level, d, rtol, rng):
    points, w = rng.normal(size=(1500, d)) * 3, rng.random(1500)
    Q = rng.normal(size=(200, d)) * 4
    exact = KernelSum(KERNEL_FUNCTIONS["gaussian"], points, w).log(Q)
    approximate = KernelSum(KERNEL_FUNCTIONS["gaussian"], points, w, rtol=rtol)
    assert off(approximate.pairs.log(Q), exact) <= rtol
    # and in absolute units
    coarse = KernelSum(KERNEL_FUNCTIONS["gaussian"], points, w, atol=1e-3).pairs.log(Q)
    assert np.abs(np.exp(coarse) - np.exp(exact)).max() <= 1e-3


@pytest.mark.parametrize("d", [3, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_single_precision_loses_no_query_far_from_its_neighbours_in_a_group(d, weighted, rng):
    # Queries are summed in groups: what is far for one of them may have tiles nearer to itself that come later.
    X, Q = rng.normal(size=(300, d)), 3.0 * rng.normal(size=(3000, d))
    w = rng.exponential(size=300) if weighted else None
    gaussian = KERNEL_FUNCTIONS["gaussian"]
    for scale in (0.3, 0.02):
        units = np.full(d, scale)
        exact = KernelSum(gaussian, X, w, units=units).pairs.log(Q)
        assert np.isfinite(exact).all()
        found = KernelSum(gaussian, X, w, units=units, rtol=1e-2).pairs.in_single(Q)
        np.testing.assert_allclose(found, exact, rtol=0, atol=1.01e-2)


def test_single_precision_keeps_its_promise_and_mends_what_it_can_not(rng):
    points, w = rng.normal(size=(2000, 5)) / 0.4, rng.random(2000)
    Q = np.concatenate([points[:150] + 1e-3, 4 * points[:80], 100 * points[:10]])
    exact = oracle.window_sums(points, w, Q, "gaussian")
    sums = KernelSum(KERNEL_FUNCTIONS["gaussian"], points, w, rtol=1e-5)
    assert off(sums.pairs.in_single(Q), exact) <= 1e-5
    one = sums.pairs.over(sums.pairs.single_tiles, Q[:150], None, None)[0]
    assert off(one, exact[:150]) > 1e-9  # it is single precision that was tried


def data(kind, n, rng):
    return {
        "normal": lambda: rng.normal(size=n),
        "clusters far apart": lambda: np.concatenate([rng.normal(size=n // 2), 1e5 + rng.normal(size=n - n // 2)]),
        "heavy tails": lambda: rng.standard_cauchy(n),
        "ties": lambda: np.round(rng.normal(size=n), 1),
        "offset": lambda: 1e8 + rng.normal(size=n),
    }[kind]()


KINDS = ["normal", "clusters far apart", "heavy tails", "ties", "offset"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("h", [0.003, 0.05, 0.4, 3.0, 200.0])
@pytest.mark.parametrize("rtol", [1e-3, 1e-6, 1e-9])
def test_cells_of_a_line_keep_their_promise(kind, h, rtol, rng):
    x, w = data(kind, 900, rng), rng.random(900)
    spread = np.quantile(x, [0.25, 0.75])
    Q = np.concatenate([x[:100], x[:50] + 5 * h, np.linspace(*spread, 50), np.linspace(x.min(), x.max(), 50)])
    sums = KernelSum(KERNEL_FUNCTIONS["gaussian"], x[:, None], w, None, np.array([h]), rtol)
    units, middle = np.longdouble(h), np.longdouble(x[0])
    exact = oracle.window_sums((x[:, None] - middle) / units, w, (Q[:, None] - middle) / units, "gaussian")
    found = sums.checked(Q[:, None], None, None, *sums.cells.sums(Q[:, None]))
    assert off(found, exact) <= rtol


@pytest.mark.parametrize("rtol", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("h", [0.5, 1.0, 8.0])
@pytest.mark.parametrize("shape", ["round", "long", "two clusters"])
def test_cells_of_a_plane_keep_their_promise(shape, h, rtol, rng):
    X = rng.normal(size=(900, 2)) * ([1.0, 1.0] if shape == "round" else [20.0, 0.3])
    if shape == "two clusters":
        X[::2] += [0.0, 40.0]
    w = rng.random(900)
    Q = np.concatenate([X[:100], 3 * X[:60], X[:40] + 6 * h])
    sums = KernelSum(KERNEL_FUNCTIONS["gaussian"], X, w, None, np.array([h, 2 * h]), rtol)
    units = np.array([h, 2 * h], dtype=np.longdouble)
    exact = oracle.window_sums(X / units, w, Q / units, "gaussian")
    values, bound = sums.cells.sums(Q)
    true = np.exp(exact)
    inside = np.isfinite(bound)
    assert (np.abs(values - true)[inside] <= bound[inside]).all()  # the bound itself
    assert off(sums.checked(Q, None, None, values, bound), exact) <= rtol


@pytest.mark.parametrize(("terms", "width"), [(8, 0.25), (8, 0.125), (16, 2.0), (16, 1.5), (16, 1.0)])
def test_the_error_of_an_expansion_is_bounded_by_what_is_said(terms, width, rng):
    known = expansions(terms, width)
    reach = len(known.tables) // 2
    xi, eta = rng.uniform(-1, 1, (2, 400))
    T, S = (np.polynomial.chebyshev.chebvander(place, terms - 1) for place in (xi, eta))
    for offset in range(-reach, reach + 1):
        found = np.einsum("ik,kl,il->i", T, known.tables[offset + reach], S)
        true = np.exp(-0.5 * (width * (offset + 0.5 * (xi - eta))) ** 2)
        assert np.abs(found - true).max() <= known.errors[offset + reach] + 1e-14
    edge = known.errors[reach]
    assert edge < {0.25: 1e-11, 0.125: 1e-13, 2.0: 1e-10, 1.5: 1e-12, 1.0: 1e-14}[width]


def test_tails_are_summed_over_the_points_that_matter(rng):
    x = rng.normal(size=(20_000, 1))
    sums = KernelSum(KERNEL_FUNCTIONS["gaussian"], x, None, None, np.array([0.05]), 1e-6)
    Q = np.linspace(-8, 8, 120)[:, None]
    assert off(sums.log(Q), oracle.window_sums(x / 0.05, np.ones(len(x)), Q / 0.05, "gaussian")) <= 1e-6
    near = sums.cells.near(np.array([[7.0]]), x, np.log(20_000))
    assert 0 < len(near) < 2000
    assert x[near].min() > 2


@pytest.mark.parametrize("kernel", COMPACT)
@pytest.mark.parametrize("h", [1e-3, 0.1, 1.0, 50.0])
@pytest.mark.parametrize("kind", ["normal", "ties", "clusters far apart"])
def test_a_tree_is_exact_for_any_bandwidth(level, kernel, h, kind, rng):
    x, w = data(kind, 700, rng) / h, rng.random(700)
    order = np.argsort(x)
    # Places off the lattice of ties, where an end of a window would hang on the last bit.
    Q = np.concatenate([x[:80] + 0.1234567, np.linspace(x.min() - 2, x.max() + 2, 70) + 1e-4])
    with np.errstate(divide="ignore"):
        found = np.log(Tree.of(x[order], w[order], 1.0, kernel).sums(Q))
    assert off(found, oracle.window_sums(x[:, None], w, Q[:, None], kernel)) < 1e-11


@pytest.mark.parametrize("terms", [8, 16])
@pytest.mark.parametrize("cells", [1, 2, 7, 30])
def test_moments_spread_to_the_cells_around(level, terms, cells, rng):
    moments, tables = rng.normal(size=(cells, terms)), rng.normal(size=(9, terms, terms))
    expected = np.zeros((cells, terms))
    for target in range(cells):
        for source in range(max(0, target - 4), min(cells, target + 5)):
            expected[target] += tables[target - source + 4] @ moments[source]
    np.testing.assert_allclose(spread(moments, tables), expected, atol=1e-11)
    three = np.stack([moments, 2 * moments, -moments], axis=1)
    np.testing.assert_allclose(spread(three, tables)[:, 1], 2 * expected, atol=1e-11)


@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov", "exponential"])
@pytest.mark.parametrize(("n", "d"), [(2, 1), (70, 3), (1700, 1), (1700, 2)])
@pytest.mark.parametrize("weights", ["ones", "some", "wild"])
def test_a_point_is_left_out_without_a_trace(level, kernel, n, d, weights, rng):
    X = rng.normal(size=(n, d))
    X[0] = 50.0  # without itself it has next to nothing
    w = {"ones": np.ones(n), "some": rng.random(n), "wild": 10.0 ** rng.uniform(-9, 3, n)}[weights]
    left = np.where(np.arange(n) % 3 == 0, 0.5 * w, 0.0)
    found = KernelSum(KERNEL_FUNCTIONS[kernel], X, w, rtol=1e-6).log(X, np.arange(n), left)
    rows = np.concatenate([[0], rng.choice(n, min(n, 20), replace=False)])
    exact = []
    for i in rows:
        one = w.copy()
        one[i] = left[i]
        exact.append(oracle.window_sums(X, one, X[i : i + 1], kernel)[0])
    assert off(found[rows], np.array(exact)) <= 1.1e-6


def test_a_ladder_equals_its_rungs(level, rng):
    X, w = rng.normal(size=(150, 4)), rng.integers(1, 4, 150).astype(float)
    logs = KernelSum(KERNEL_FUNCTIONS["gaussian"], X / 2.0, w).pairs.ladder(w - 1)
    for rung in range(RUNGS):
        exact = oracle.window_sums(X / 2.0 * 2 ** (rung / 2), w, X / 2.0 * 2 ** (rung / 2), "gaussian", exclude=w - 1)
        assert off(logs[:, rung], exact) < 1e-12


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov"])
def test_threads_do_not_change_a_bit(d, kernel, rng):
    X = rng.normal(size=(5000, d))
    results = []
    for count in (1, 2, 5):
        with threads(count):
            results.append(KernelSum(KERNEL_FUNCTIONS[kernel], X, None, None, np.full(d, 0.2), 1e-6).log(X))
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)


@given(
    n=st.integers(1, 90),
    m=st.integers(1, 30),
    d=st.integers(1, 5),
    log_h=st.floats(-6, 6),
    kernel=st.sampled_from(list(CODES)),
    seed=st.integers(0, 1000),
)
def test_any_small_problem_is_right(n, m, d, log_h, kernel, seed):
    rng = np.random.default_rng(seed)
    X, Q, w, h = rng.normal(size=(n, d)), rng.normal(size=(m, d)), rng.random(n), np.exp(log_h)
    logs = KernelSum(KERNEL_FUNCTIONS[kernel], X, w, None, np.full(d, h), 1e-6).log(Q)
    exact = oracle.window_sums(X / h, w, Q / h, kernel)
    there = np.isfinite(exact) & np.isfinite(logs)
    # A place on the very edge of a window may fall on either side of it.
    assert (there == np.isfinite(exact)).mean() > 0.98
    np.testing.assert_allclose(logs[there], exact[there].astype(float), rtol=1e-12, atol=2e-6)


@pytest.mark.parametrize("kernel", NAMES)
def test_a_distribution_function_is_the_integral_of_its_density(kernel, rng):
    x, share = rng.normal(size=400) * 4, rng.random(400)
    share /= share.sum()
    line = KernelDistribution.of(KERNEL_FUNCTIONS[kernel], x, share)
    u = np.linspace(-60, 60, 5)
    expected = (KERNEL_FUNCTIONS[kernel].cdf(u[:, None] - x) * share).sum(axis=1)
    np.testing.assert_allclose(line.below(u), expected, atol=1e-12)


def test_a_distribution_function_over_cells(rng):
    x = np.concatenate([rng.normal(size=30_000), [1e4, 1e6]])
    line = KernelDistribution.of(KERNEL_FUNCTIONS["gaussian"], x, np.full(len(x), 1 / len(x)))
    u = np.concatenate([np.linspace(-9, 9, 300), [500.0, 9_998.0, 1e4, 5e5, 1e6, 2e6]])
    by_cells = line.by_cells(u)
    expected = KERNEL_FUNCTIONS["gaussian"].cdf(u[:, None] - x).mean(axis=1)
    np.testing.assert_allclose(by_cells, expected, atol=1e-10)
    assert Plan.of(x[:, None], None, 1e-6) is not None
