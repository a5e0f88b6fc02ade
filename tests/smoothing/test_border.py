"""The border of a compact kernel: a point counts where |q - x| < h, scikit-learn's rule, wherever it is summed."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KernelDensity as Peer

from parzen import KernelDensity
from parzen.compute.window_border import WindowBorder
from parzen.smoothing import sums as sums_module
from parzen.smoothing.kernel_functions import KERNEL_FUNCTIONS, NAMES, KernelFunction
from parzen.smoothing.local import LocalSum
from parzen.smoothing.sums import KernelSum

COMPACT = [name for name in NAMES if name not in ("gaussian", "exponential")]
WHOLE = {
    1: (np.arange(-4.0, 30.0)[:, None], [7.0]),
    2: (np.array(list(product(range(9), range(9))), dtype=float), [5.0, 5.0]),
    3: (np.array(list(product(range(5), range(5), range(5))), dtype=float), [3.0, 3.0, 3.0]),
}


def exact_squares(q, X, h):
    """Squared distances in bandwidths as fractions: nothing is rounded."""
    columns = [[(Fraction(a) - Fraction(b)) / Fraction(one) for b in x] for a, one, x in zip(q, h, X.T, strict=True)]
    return [sum(u * u for u in row) for row in zip(*columns, strict=True)]


def exact_sum(kernel, squares, w):
    """Sum of weights times the kernel function; what lies within is decided in fractions."""
    inside = [(float(t), one) for t, one in zip(squares, w, strict=True) if t < 1]
    if not inside:
        return 0.0
    t, weight = map(np.array, zip(*inside, strict=True))
    return float(weight @ KERNEL_FUNCTIONS[kernel].at(np.minimum(np.sqrt(t), np.nextafter(1, 0))))


def agrees(logs, exact):
    """Logs of sums are those of exact sums, up to rounding; zero at the same places."""
    np.testing.assert_allclose(np.exp(logs), exact, rtol=1e-12, atol=1e-14)
    if np.array_equal(exact, np.round(exact)):
        np.testing.assert_array_equal(np.round(np.exp(logs), 9), exact)


@pytest.mark.parametrize("few", [0, 10**9])
def test_the_issue_counts_as_scikit_learn_does(level, few, monkeypatch):
    monkeypatch.setattr(sums_module, "FEW_PAIRS", few)
    x = np.arange(10.0)[:, None]
    model = KernelDensity(kernel="tophat", bandwidth=3.0, rtol=0).fit(x)
    counts = np.exp(model.score_samples(x)) * 10 * 6
    np.testing.assert_array_equal(counts.round(9), [3, 4, 5, 5, 5, 5, 5, 5, 4, 3])
    np.testing.assert_allclose(model.score_samples(x), Peer(kernel="tophat", bandwidth=3.0).fit(x).score_samples(x))


@pytest.mark.parametrize("kernel", COMPACT)
@pytest.mark.parametrize("d", WHOLE)
@pytest.mark.parametrize("spacing", [1.0, 2.0**-30, 3.0, 49.0, 1e5])
def test_whole_numbers_are_counted_as_fractions_are(level, kernel, d, spacing, rng):
    X, h = WHOLE[d]
    X, h = X * spacing, np.array(h) * spacing
    w = rng.random(len(X))
    Q = X[rng.choice(len(X), 5, replace=False)]
    exact = [exact_sum(kernel, exact_squares(q, X, h), w) for q in Q]
    agrees(KernelSum(KERNEL_FUNCTIONS[kernel], X, w, None, h).log(Q), exact)
    agrees(KernelSum(KERNEL_FUNCTIONS[kernel], X, w, np.ones(len(X)), h).log(Q), exact)  # adaptive
    if d == 1:
        tree = KernelSum(KERNEL_FUNCTIONS[kernel], X, w, None, h)._by_tree(Q[:, 0])
        np.testing.assert_allclose(tree, exact, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("kernel", ["tophat", "epanechnikov"])
@pytest.mark.parametrize("h", [(5.0, 10.0), (3.0, 5.0, 15.0), (7.0, 49.0), (0.1, 0.3), (0.1, 0.3, 0.7)])
def test_different_bandwidths_have_their_borders_where_they_say(level, kernel, h, rng):
    """The axes for any bandwidths; for whole ones also Pythagorean points: (3/5)^2 + (8/10)^2 = 1."""
    d, h = len(h), np.array(h)
    on = np.concatenate([np.diag(h), -np.diag(h), np.diag(np.nextafter(h, 0)), np.zeros((1, d))])
    on = np.concatenate([on, [[3.0, 8.0]], [[3.0, 7.0]]]) if tuple(h) == (5.0, 10.0) else on
    exact = [exact_sum(kernel, exact_squares(np.zeros(d), on, h), np.ones(len(on)))]
    agrees(KernelSum(KERNEL_FUNCTIONS[kernel], on, None, None, h).log(np.zeros((1, d))), exact)


@given(st.integers(1, 4), st.integers(0, 2**32 - 1), st.floats(1e-3, 1e3))
def test_any_points_are_decided_as_scikit_learn_decides(d, seed, scale):
    """Points at rounded distances around h: the same counts as the root of the sum of squares compared with h."""
    rng = np.random.default_rng(seed)
    h = float(scale)
    direction = rng.normal(size=(200, d))
    direction /= np.sqrt((direction**2).sum(axis=1, keepdims=True))
    q = rng.normal(size=d) * scale
    X = q + h * direction * (1 + rng.integers(-3, 4, (200, 1)) * 2.0**-52)
    square = np.zeros(200)
    for j in range(d):
        square += (q[j] - X[:, j]) ** 2
    inside = int((np.sqrt(square) < h).sum())
    logs = KernelSum(KERNEL_FUNCTIONS["tophat"], X, None, None, np.full(d, h)).log(q[None])
    assert round(float(np.exp(logs[0])), 6) == inside
    if d == 1:
        assert KernelSum(KERNEL_FUNCTIONS["tophat"], X, None, None, np.full(d, h))._by_tree(q)[0] == inside


def test_all_levels_decide_alike_at_every_place(level, rng):
    """In three columns, whose squares are rounded: NumPy's sum, which knows no fused products, is the reference."""
    X = np.round(rng.normal(size=(400, 3)), 1)
    square = np.zeros((400, 400))
    for j in range(3):
        square += (X[:, j, None] - X[:, j]) ** 2
    for h in (0.3, 0.5, 0.7, 1.1):
        counts = (np.sqrt(square) < h).sum(axis=1)
        units = np.full(3, h)
        own = np.arange(400)
        logs = KernelSum(KERNEL_FUNCTIONS["tophat"], X, None, None, units).log(X)
        np.testing.assert_array_equal(np.exp(logs).round(9), counts)
        left = KernelSum(KERNEL_FUNCTIONS["tophat"], X, None, None, units).log(X, own, np.zeros(400))
        np.testing.assert_array_equal(np.exp(left).round(9), counts - 1)
        local = LocalSum(KERNEL_FUNCTIONS["tophat"], X, X[:, :1], None, units)
        averages = local.averages(X)
        np.testing.assert_array_equal(np.exp(averages.log_sum).round(9), counts)
        lines = local.averages(X, lines=True)
        np.testing.assert_array_equal(np.exp(lines.log_sum).round(9), counts)
        inside = np.sqrt(square) < h
        np.testing.assert_allclose(averages.value[:, 0], (inside @ X[:, 0]) / counts, atol=1e-13)
        np.testing.assert_allclose(lines.offset[:, 0], (inside @ X[:, 0] / counts - X[:, 0]) / h, atol=1e-12)
        by_function = KernelSum(KernelFunction("power", 0.0), X, None, None, units).log(X)
        np.testing.assert_array_equal(np.exp(by_function).round(9), counts)


@pytest.mark.parametrize("offset", [0.0, 1e6, 2.0**40])
def test_an_offset_does_not_move_the_border(level, offset):
    X = np.array(list(product(range(6), range(6))), dtype=float) + offset
    model = KernelDensity(kernel="tophat", bandwidth=2.0, rtol=0).fit(X)
    here = KernelDensity(kernel="tophat", bandwidth=2.0, rtol=0).fit(X - offset)
    np.testing.assert_array_equal(model.score_samples(X), here.score_samples(X - offset))
    centre = int(np.flatnonzero((offset + 3 == X).all(axis=1))[0])
    assert np.exp(model.score_samples(X)[centre]) * 36 * np.pi * 4 == pytest.approx(9)


def test_a_conditional_density_has_no_sliver_of_a_point_on_the_border():
    for a, b, h in ((3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25), (20, 21, 29), (9, 40, 41), (28, 45, 53)):
        X = np.array([[a, b, 0.0], [b, a, 1.0], [a, -b, 2.0], [0.0, 0.5 * h, 3.0]]) * 0.25
        model = KernelDensity(kernel="tophat", bandwidth=0.25 * h).fit(X)
        assert model.conditional([0, 1], [0.0, 0.0]).density_.windows[0].points.tolist() == [[0.75]]


def test_the_radius_of_different_bandwidths_is_met_along_every_column(rng):
    for d in (2, 3, 5):
        h = 10.0 ** rng.uniform(-3, 3, d)
        border = WindowBorder.of(h)
        np.testing.assert_array_equal(border.distances(np.zeros((1, d)), np.diag(h))[0], np.ones(d))
        assert (border.distances(np.zeros((1, d)), np.diag(h * (1 - 2.0**-50)))[0] < 1).all()
        assert np.sqrt(border.limit) >= border.radius > np.sqrt(np.nextafter(border.limit, 0))


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_borders_of_extreme_lengths_are_where_those_of_plain_ones_are(level, scale):
    scale = 2.0 ** round(np.log2(scale))
    X = np.array(list(product(range(5), range(5))), dtype=float)
    plain = KernelSum(KERNEL_FUNCTIONS["epanechnikov"], X, None, None, np.array([2.0, 3.0])).log(X)
    moved = KernelSum(KERNEL_FUNCTIONS["epanechnikov"], X * scale, None, None, np.array([2.0, 3.0]) * scale)
    np.testing.assert_array_equal(moved.log(X * scale), plain)
