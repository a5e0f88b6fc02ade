"""Cells of a grid: moments of their points, series evaluated in them and spread over them, points chosen by them."""

import numpy as np
import pytest

from parzen.compute.lattice import Lattice, cell_spread
from tests.oracle import TWINS

GRIDS = [(1, 8), (1, 16), (2, 16)]


def lattice_of(d, terms):
    return Lattice(np.full(d, -0.1), np.array([5.0, 4.0])[:d], np.array([7, 5])[:d], terms)


def around(n, d, rng):
    """Points of which some lie outside the grid, at its edges, or between two cells."""
    X = rng.uniform(-0.3, 1.5, (n, d))
    X[::7] = -0.1
    X[3::11, 0] = 0.1
    return X


@pytest.mark.parametrize(("d", "terms"), GRIDS)
@pytest.mark.parametrize("n", [0, 1, 7, 300])
def test_moments_of_cells_equal_the_oracle(level, d, terms, n, rng):
    X, w = rng.random((n, d)), rng.random(n)
    lattice = Lattice(np.full(d, -0.1), np.full(d, 5.0), np.full(d, 7), terms)
    expected = TWINS["cell_moments"](X, w, lattice.low, lattice.inverse, (7,) * d, terms)
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


@pytest.mark.parametrize(("d", "terms"), GRIDS)
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("n", [0, 1, 9, 200])
def test_points_outside_count_in_the_nearest_cell(level, d, terms, weighted, n, rng):
    """Polynomials of degree 15 grow fast out there: T_15(3) is about 1e11."""
    X, lattice = around(n, d, rng), lattice_of(d, terms)
    w = rng.random(n) if weighted else None
    expected = TWINS["cell_moments"](
        X, np.ones(n) if w is None else w, lattice.low, lattice.inverse, lattice.counts, terms
    )
    scale = np.abs(expected).max(axis=tuple(range(d, 2 * d)), keepdims=True)
    found = lattice.moments(X, w)
    assert found.shape == expected.shape
    # 16 terms of a line come from powers up to the seventh, whose coefficients in T_7 add up to 239 and cancel.
    assert (np.abs(found - expected) <= 1e-12 * (scale + 1)).all()


@pytest.mark.parametrize(("d", "terms"), GRIDS)
@pytest.mark.parametrize("n", [0, 1, 9, 200])
def test_values_of_series_equal_the_oracle(level, d, terms, n, rng):
    X, lattice = around(n, d, rng), lattice_of(d, terms)
    series = rng.normal(size=lattice.shape)
    values, cells = lattice.values(X, series)
    expected, numbers = TWINS["cell_values"](X, series, lattice.low, lattice.inverse, lattice.counts)
    np.testing.assert_array_equal(cells, numbers)
    np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 500])
@pytest.mark.parametrize("pattern", ["none", "some", "ends", "all"])
def test_points_in_chosen_cells_equal_the_oracle(level, d, n, pattern, rng):
    X, lattice = around(n, d, rng), lattice_of(d, 16)
    if n == 500:
        X[64:256] = 0.63  # whole runs of points where no cell is chosen are passed over
    size = int(np.prod(lattice.counts))
    chosen = {
        "none": np.zeros(size),
        "some": rng.random(size) < 0.4,
        "ends": np.isin(np.arange(size), [0, size - 1]),
        "all": np.ones(size),
    }[pattern].astype(np.uint8)
    expected = TWINS["cell_select"](X, chosen, lattice.low, lattice.inverse, lattice.counts)
    assert lattice.select(X, chosen).tolist() == expected


@pytest.mark.parametrize("terms", [8, 16])
@pytest.mark.parametrize("inner", [1, 2, 5])
@pytest.mark.parametrize(("cells", "begin", "end"), [(1, 0, 1), (2, 0, 2), (9, 0, 9), (9, 3, 7), (9, 4, 4)])
@pytest.mark.parametrize("reach", [0, 1, 4])
def test_series_of_cells_around_equal_the_oracle(level, terms, inner, cells, begin, end, reach, rng):
    moments, tables = rng.normal(size=(cells, inner, terms)), rng.normal(size=(2 * reach + 1, terms, terms))
    out = np.zeros((cells, inner, terms))  # cells that are not asked for stay as they are
    cell_spread(moments, tables, begin, end, out)
    np.testing.assert_allclose(out, TWINS["cell_spread"](moments, tables, begin, end), rtol=1e-13, atol=1e-13)


def test_a_spread_refuses_what_it_has_no_code_for():
    for terms, begin, end in ((12, 0, 3), (8, 2, 1), (8, 0, 4), (8, -1, 2)):
        with pytest.raises(ValueError, match="8 or 16 terms"):
            cell_spread(np.zeros((3, 1, terms)), np.zeros((1, terms, terms)), begin, end, np.zeros((3, 1, terms)))
