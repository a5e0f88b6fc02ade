"""One step of EM, E-step and M-step in one pass, equals its twin; rows that it can't weigh are told."""

import numpy as np
import pytest

from parzen.compute.arrays import as_floats
from parzen.compute.em import components, em_step, em_step_missing, em_step_missing_diagonal
from tests.compute.inputs import DTYPES, LAYOUTS, factors, laid_out, with_gaps
from tests.oracle import TWINS

SHAPES = [
    (1, 1, 1),
    (5, 2, 3),
    (31, 3, 2),
    (64, 4, 5),
    (130, 7, 9),
    (257, 8, 4),
    (100, 10, 17),
    (90, 17, 3),
    (70, 33, 2),
]
STEPS = {"full": TWINS["em_full"], "diag": TWINS["em_diagonal"], "shared": TWINS["em_shared"]}


def mixture(rng, K, d, kind):
    """Means, factors and weights."""
    mean = rng.normal(size=(K, d)) * 2
    weight = rng.dirichlet(np.ones(K))
    A = rng.normal(size=(1 if kind == "shared" else K, d, d)) * 0.4 + np.eye(d)
    factor = np.linalg.cholesky(A @ np.swapaxes(A, 1, 2) + 0.2 * np.eye(d))
    if kind == "diag":
        factor = rng.random((K, d)) + 0.5
    return mean, np.ascontiguousarray(factor), weight


def assert_moments(found, expected, X, total, rtol):
    """Weights, means where there is weight, and scatter; errors in units of all rows' weight and spread."""
    weight, mean, scatter, _ = expected
    np.testing.assert_allclose(found[0], weight, rtol=rtol, atol=rtol * total)
    heavy = (weight if weight.ndim == 1 else weight[:, 0]) > 1e-6 * total
    spread = 1 + np.abs(X).max(initial=0)
    np.testing.assert_allclose(found[1][heavy], mean[heavy], rtol=rtol, atol=spread * rtol)
    if len(scatter) < len(mean):
        heavy = np.ones(1, dtype=bool)
    np.testing.assert_allclose(found[2][heavy], scatter[heavy], rtol=rtol, atol=total * spread**2 * rtol)
    assert_carry(found[1], found[3])


def assert_carry(mean, carry):
    """What the rounding of a mean lost is less than its last digit."""
    assert np.abs(carry).max() <= np.spacing(np.abs(mean).max())


@pytest.mark.parametrize("kind", STEPS)
@pytest.mark.parametrize(("n", "d", "K"), SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_step_equals_the_twin(n, d, K, kind, dtype, level, rng):
    mean, factor, weight = mixture(rng, K, d, kind)
    X = rng.normal(size=(n, d)).astype(dtype) * 2
    w = np.where(rng.random(n) < 0.2, 0.0, rng.random(n)) + (np.arange(n) == 0)
    for own in (None, w):
        found = em_step(X, own, components(mean, factor, np.log(weight)))
        expected = STEPS[kind](X, own, mean, factor, weight)
        # float32 rows are scored in float32: squares of some tens at 24 bits.
        rtol = 1e-9 if dtype == np.float64 else 2e-4
        assert found[4] == pytest.approx(expected[3], rel=rtol)
        assert_moments(found, expected, X, n if own is None else w.sum(), rtol)


@pytest.mark.parametrize("kind", STEPS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_layout_gives_the_same(kind, layout, dtype, level, rng):
    mean, factor, weight = mixture(rng, 3, 5, kind)
    X = rng.normal(size=(70, 5)).astype(dtype)
    at = components(mean, factor, np.log(weight))
    for mine, theirs in zip(em_step(as_floats(laid_out(X, layout)), None, at), em_step(X, None, at), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("kind", STEPS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_no_rows_add_nothing(kind, dtype, level, rng):
    mean, factor, weight = mixture(rng, 3, 5, kind)
    none = np.empty((0, 5), dtype=dtype)
    for part in em_step(none, None, components(mean, factor, np.log(weight))):
        np.testing.assert_array_equal(part, 0.0)
    if kind != "diag":
        whole, cells, likelihood = em_step_missing(none, None, mean, factor, np.log(weight))
        assert likelihood == 0.0
        for part in (*whole, *cells):
            np.testing.assert_array_equal(part, 0.0)


@pytest.mark.parametrize(("n", "d", "K"), [shape for shape in SHAPES if shape[1] > 1])
@pytest.mark.parametrize("shared", [False, True])
def test_a_step_with_gaps_equals_the_twin(n, d, K, shared, level, rng):
    mean, factor, weight = mixture(rng, K, d, "shared" if shared else "full")
    X = with_gaps(rng.normal(size=(n, d)) * 2, rng)  # the first row has no cell: it belongs to the prior
    w = rng.random(n)
    found, expected = (
        em_step_missing(X, w, mean, factor, np.log(weight)),
        TWINS["em_missing"](X, w, mean, factor, weight),
    )
    assert found[2] == pytest.approx(expected[2], rel=1e-9)
    for _, means, _, carry in found[:2]:
        assert_carry(means, carry)
    for mine, theirs in zip((*found[0][:3], *found[1][:3]), (*expected[0], *expected[1]), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-7, atol=1e-8 * (1 + np.abs(theirs).max()))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_step_with_gaps_in_any_layout_equals_the_twin(layout, dtype, level, rng):
    """Rows of float32 are read exactly: with gaps all arithmetic is in float64."""
    mean, factor, weight = rng.normal(size=(3, 4)), factors(rng, 3, 4), rng.dirichlet(np.ones(3))
    X = with_gaps(rng.normal(size=(40, 4)).astype(dtype), rng)
    found = em_step_missing(as_floats(laid_out(X, layout)), None, mean, factor, np.log(weight))
    expected = TWINS["em_missing"](X, None, mean, factor, weight)
    assert found[2] == pytest.approx(expected[2], rel=1e-9)
    for _, means, _, carry in found[:2]:
        assert_carry(means, carry)
    for mine, theirs in zip((*found[0][:3], *found[1][:3]), (*expected[0], *expected[1]), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9 * (1 + np.abs(theirs).max()))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("n", "d", "K"), SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_step_with_gaps_in_independent_columns_equals_the_twin(n, d, K, dtype, layout, level, rng):
    mean, deviation, weight = mixture(rng, K, d, "diag")
    X = rng.normal(size=(n, d)).astype(dtype) * 2
    X[n // 2 :] = with_gaps(X[n // 2 :], rng)  # tiles with gaps and without
    X[:, d // 2] = np.nan if d > 2 else X[:, d // 2]  # a column that nobody has
    w = np.where(rng.random(n) < 0.2, 0.0, rng.random(n)) + (np.arange(n) == 0)
    rtol = 1e-9 if dtype == np.float64 else 2e-4
    for own in (None, w):
        at = components(mean, deviation, np.log(weight))
        seen, total, likelihood = em_step_missing_diagonal(as_floats(laid_out(X, layout)), own, at)
        expected = TWINS["em_missing_diagonal"](X, own, mean, deviation, weight)
        whole = n if own is None else own.sum()
        assert likelihood == pytest.approx(expected[2], rel=rtol)
        np.testing.assert_allclose(total, expected[1], rtol=rtol, atol=rtol * whole)
        assert_carry(seen[1], seen[3])
        if d > 2:
            np.testing.assert_array_equal(seen[0][:, d // 2], 0.0)
        heavy = expected[0][0] > 1e-6 * whole
        for mine, theirs in zip(seen[:3], expected[0], strict=True):
            np.testing.assert_allclose(mine[heavy], theirs[heavy], rtol=rtol, atol=rtol * whole)


@pytest.mark.parametrize("kind", STEPS)
def test_an_offset_costs_no_digits(kind, level, rng):
    mean, factor, weight = mixture(rng, 4, 5, kind)
    X = np.round(rng.normal(size=(200, 5)) * 2, 3)
    X += 0.0
    near = em_step(X, None, components(mean, factor, np.log(weight)))
    far = em_step(X + 2.0**27, None, components(mean + 2.0**27, factor, np.log(weight)))
    np.testing.assert_allclose(far[4], near[4], rtol=1e-6)
    np.testing.assert_allclose(far[2], near[2], rtol=1e-5, atol=1e-5)


def test_what_can_t_be_weighed_is_told(level, rng):
    at = components(*mixture(rng, 2, 3, "full")[:2], np.log([0.5, 0.5]))
    X = rng.normal(size=(50, 3))
    for bad in (np.nan, np.inf, -np.inf, 1e200):
        X[41, 1] = bad
        assert em_step(X, None, at) is None
    alone = components(*mixture(rng, 2, 3, "diag")[:2], np.log([0.5, 0.5]))
    X[3, 0] = np.nan
    for bad in (np.inf, -np.inf, 1e200):
        X[41, 1] = bad
        assert em_step_missing_diagonal(X, None, alone) is None


def test_scores_that_would_lose_digits_are_refused():
    tight = components(np.array([[0.0], [1.0]]), np.full((2, 1), 1e-9), np.log([0.5, 0.5]))
    assert not tight.takes(np.empty((0, 1)))
    loose = components(np.array([[0.0], [1.0]]), np.full((2, 1), 1e-5), np.log([0.5, 0.5]))
    assert loose.takes(np.empty((0, 1)))
    assert not loose.takes(np.empty((0, 1), dtype=np.float32))
