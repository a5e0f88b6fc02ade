"""Sums of kernels: every engine equals the direct sum in extended precision, within what it promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parzen import threads
from parzen.compute import native
from parzen.compute.kernel_sums import CODES, GAUSSIAN_SCALE, RUNGS, Lattice, Tree, kd_order, lay_tiles, window_sums
from parzen.smoothing.expansion import Plan, expansions, spread
from parzen.smoothing.kernel_functions import KERNEL_FUNCTIONS, NAMES, kernel_function
from parzen.smoothing.sums import KernelSum, LineSum
from tests import oracle

COMPACT = [name for name in NAMES if name not in ("gaussian", "exponential")]


@pytest.fixture(params=native.levels())
def level(request):
    with native.using(request.param):
        yield request.param


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
    assert off(approximate._by_pairs(Q, None, None), exact) <= rtol
    # and in absolute units
    coarse = KernelSum(KERNEL_FUNCTIONS["gaussian"], points, w, atol=1e-3)._by_pairs(Q, None, None)
    assert np.abs(np.exp(coarse) - np.exp(exact)).max() <= 1e-3


def test_single_precision_keeps_its_promise_and_mends_what_it_can_not(rng):
    points, w = rng.normal(size=(2000, 5)) / 0.4, rng.random(2000)
    Q = np.concatenate([points[:150] + 1e-3, 4 * points[:80], 100 * points[:10]])
    exact = oracle.window_sums(points, w, Q, "gaussian")
    sums = KernelSum(KERNEL_FUNCTIONS["gaussian"], points, w, rtol=1e-5)
    assert off(sums._in_single(Q), exact) <= 1e-5
    one = sums._pairs(sums._single_tiles, Q[:150], None, None)[0]
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
    found = sums._checked(Q[:, None], None, None, *sums._by_cells(Q[:, None]))
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
    values, bound = sums._by_cells(Q)
    true = np.exp(exact)
    inside = np.isfinite(bound)
    assert (np.abs(values - true)[inside] <= bound[inside]).all()  # the bound itself
    assert off(sums._checked(Q, None, None, values, bound), exact) <= rtol


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
    near = sums._cells.near(np.array([[7.0]]), x, np.log(20_000))
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


@pytest.mark.parametrize(("n", "leaf"), [(0, 4), (1, 4), (7, 4), (64, 64), (1000, 64), (1001, 16)])
def test_an_order_is_an_order(n, leaf, rng):
    X = rng.normal(size=(n, 3))
    order = kd_order(X, leaf)
    assert sorted(order) == list(range(n))
    if n == 1000:
        volume = np.prod(np.ptp(X[order[:leaf]], axis=0))
        assert volume < 0.2 * np.prod(np.ptp(X, axis=0))


@pytest.mark.parametrize(("d", "terms"), [(1, 8), (1, 16), (2, 16)])
@pytest.mark.parametrize("n", [0, 1, 7, 300])
def test_moments_of_cells_equal_the_oracle(level, d, terms, n, rng):
    X, w = rng.random((n, d)), rng.random(n)
    lattice = Lattice(np.full(d, -0.1), np.full(d, 5.0), np.full(d, 7), terms)
    expected = oracle.chebyshev_moments(X, w, lattice.low, lattice.inverse, (7,) * d, terms)
    np.testing.assert_allclose(lattice.moments(X, w), expected, atol=1e-12 * max(n, 1))
    series = rng.normal(size=lattice.shape)
    values, cells = lattice.values(np.concatenate([X, np.full((1, d), 9.0)]), series)
    assert cells[-1] == -1
    for x, value, cell in zip(X, values, cells, strict=False):
        c = series.reshape(-1, *(terms,) * d)[cell]
        xi = 2 * ((x + 0.1) * 5 - np.floor((x + 0.1) * 5)) - 1
        evaluate = np.polynomial.chebyshev.chebval if d == 1 else np.polynomial.chebyshev.chebval2d
        np.testing.assert_allclose(value, evaluate(*xi, c), rtol=1e-9, atol=1e-11)
    chosen = (np.arange(7**d) % 2).astype(np.uint8)
    inside = [i for i, cell in enumerate(cells[:-1]) if chosen[cell]]
    assert lattice.select(X, chosen).tolist() == inside


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
    logs = KernelSum(KERNEL_FUNCTIONS["gaussian"], X / 2.0, w).ladder(w - 1)
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
    line = LineSum.of(KERNEL_FUNCTIONS[kernel], x, share)
    u = np.linspace(-60, 60, 5)
    expected = (KERNEL_FUNCTIONS[kernel].cdf(u[:, None] - x) * share).sum(axis=1)
    np.testing.assert_allclose(line.at(u), expected, atol=1e-12)


def test_a_distribution_function_over_cells(rng):
    x = np.concatenate([rng.normal(size=30_000), [1e4, 1e6]])
    line = LineSum.of(KERNEL_FUNCTIONS["gaussian"], x, np.full(len(x), 1 / len(x)))
    u = np.concatenate([np.linspace(-9, 9, 300), [500.0, 9_998.0, 1e4, 5e5, 1e6, 2e6]])
    by_cells = line._by_cells(u)
    expected = KERNEL_FUNCTIONS["gaussian"].cdf(u[:, None] - x).mean(axis=1)
    np.testing.assert_allclose(by_cells, expected, atol=1e-10)
    assert Plan.of(x[:, None], None, 1e-6) is not None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_a_kernel_integrates_to_one_and_its_draws_have_its_variance(name, d, rng):
    kernel = KERNEL_FUNCTIONS[name]
    r, w = np.polynomial.legendre.leggauss(400)
    end = 1.0 if kernel.compact else 60.0
    r, w = (r + 1) * end / 2, w * end / 2
    sphere = {1: 2.0, 2: 2 * np.pi, 3: 4 * np.pi}[d]
    density = np.exp(kernel.log_constant(d)) * oracle.KERNELS[name](r) * sphere * r ** (d - 1)
    np.testing.assert_allclose(density @ w, 1.0, rtol=1e-9)
    np.testing.assert_allclose(density @ (w * r**2) / d, kernel.variance(d), rtol=1e-9)
    draws = kernel.sample(100_000, d, rng)
    np.testing.assert_allclose((draws**2).mean(), kernel.variance(d), rtol=0.03)
    np.testing.assert_allclose(draws.mean(axis=0), 0, atol=0.03 * np.sqrt(kernel.variance(d)))


def test_roughness_of_kernels_of_unit_variance_as_in_R():
    # R's bw and density documentation: (gaussian, epanechnikov, rectangular, triangular, biweight).
    published = {
        "gaussian": 0.2820948,
        "epanechnikov": 0.2683282,
        "tophat": 0.2886751,
        "triangular": 0.2721655,
        "biweight": 0.2699746,
    }
    for name, value in published.items():
        kernel = KERNEL_FUNCTIONS[name]
        np.testing.assert_allclose(kernel.roughness(1) * np.sqrt(kernel.variance(1)), value, rtol=2e-7)
    # Marron and Nolan (1988): 15^(1/5) for the Epanechnikov kernel, (4 pi)^(-1/10) for the Gaussian.
    np.testing.assert_allclose(KERNEL_FUNCTIONS["epanechnikov"].canonical(1), 15**0.2 * (4 * np.pi) ** 0.1, rtol=1e-12)


def test_ones_own_kernel_is_checked():
    def logistic(u):
        return np.exp(-np.abs(u)) / (1 + np.exp(-np.abs(u))) ** 2

    own = kernel_function(logistic)
    np.testing.assert_allclose(own.log_constant(1), 0.0, atol=1e-9)
    np.testing.assert_allclose(own.variance(1), np.pi**2 / 3, rtol=1e-6)
    for bad, message in (
        (lambda u: np.exp(-np.abs(u - 1)) / 2, "symmetric"),
        (lambda u: np.exp(-(u**2)), "divide it by that"),
        (lambda u: np.where(np.abs(u) < 1, 0.6, -0.1 * (np.abs(u) < 2)), "negative"),
        (lambda u: 1.0, "one finite number each"),
    ):
        with pytest.raises(ValueError, match=message):
            kernel_function(bad)
    with pytest.raises(ValueError, match="'gaussian', 'tophat'"):
        kernel_function("gausian")


def test_tiles_that_are_not_full_count_no_point_twice(level, rng):
    points, Q = rng.normal(size=(70, 2)), rng.normal(size=(9, 2))
    tiles = lay_tiles(points, np.ones(70), None, np.full(2, GAUSSIAN_SCALE), 64)
    found, nothing = window_sums(tiles, "gaussian", Q, 0.0, 0.0)
    assert nothing is None
    assert off(found, oracle.window_sums(points, np.ones(70), Q, "gaussian")) < 1e-14
