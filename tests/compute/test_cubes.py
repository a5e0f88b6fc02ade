"""Cells of three columns that are in use: moments, sweeps, values and bounds equal the oracle."""

import numpy as np
import pytest

from parzen.compute.cubes import Cubes, cube_bounds, cube_sweep
from tests.oracle import TWINS

LOW, INVERSE = np.array([-0.5, 0.0, 3.0]), np.array([1.0, 2.0, 0.25])


def cubes_of(counts, rng):
    """Rows in cubes that follow one another along a diagonal, some of them empty."""
    corners = np.arange(len(counts))[:, None] * np.array([1, 2, 1])
    inside = rng.random((sum(counts), 3))
    inside[::5] = 0.0  # at the edge of the cube
    X = LOW + (np.repeat(corners, counts, axis=0) + inside) / INVERSE
    return Cubes(X, LOW, INVERSE, corners, np.append(0, np.cumsum(counts)))


@pytest.mark.parametrize("terms", [12, 16])
@pytest.mark.parametrize("weighted", [True, False])
def test_moments_and_values_of_cubes_equal_the_oracle(level, terms, weighted, rng):
    cubes = cubes_of([3, 0, 21, 1, 8], rng)
    w = rng.random(len(cubes.X)) if weighted else None
    which, slots = np.array([0, 1, 2, 4]), np.array([5, 0, 3, 1])
    records = np.full((6, terms, terms, terms), 7.0)
    cubes.moments(w, which, slots, records)
    values, series = np.full(len(cubes.X), 7.0), rng.normal(size=(4, terms, terms, terms))
    cubes.values(which, series, values)
    for k, slot, c in zip(which, slots, series, strict=True):
        rows, grid = slice(cubes.ends[k], cubes.ends[k + 1]), (LOW, INVERSE, cubes.corners[k])
        weights = np.ones(rows.stop - rows.start) if w is None else w[rows]
        expected = TWINS["cube_moments"](cubes.X[rows], weights, *grid, terms)
        np.testing.assert_allclose(records[slot], expected, atol=1e-12)
        np.testing.assert_allclose(values[rows], TWINS["cube_values"](cubes.X[rows], c, *grid), atol=1e-10)
    assert (records[[2, 4]] == 7.0).all()  # other slots and rows are left alone
    assert (values[cubes.ends[3] : cubes.ends[4]] == 7.0).all()


@pytest.mark.parametrize("terms", [12, 16])
def test_sweeps_equal_the_oracle(level, terms, rng):
    records, tables = rng.normal(size=(4, terms, terms, terms)), rng.normal(size=(3, terms, terms))
    links, out = np.array([[0, -1, 2], [-1, -1, -1], [3, 3, 1]]), np.full((3, terms, terms, terms), 7.0)
    cube_sweep(records, links, tables, out)
    np.testing.assert_allclose(out, TWINS["cube_sweep"](records, links, tables), atol=1e-11)


def test_links_and_shapes_are_checked(rng):
    records, tables = np.zeros((2, 12, 12, 12)), np.zeros((1, 12, 12))
    with pytest.raises(ValueError, match="within 2 records"):
        cube_sweep(records, np.array([[2]]), tables, np.zeros((1, 12, 12, 12)))
    with pytest.raises(ValueError, match="p 12 or 16"):
        cube_sweep(np.zeros((2, 8, 8, 8)), np.array([[0]]), tables, np.zeros((1, 8, 8, 8)))
    with pytest.raises(ValueError, match="within 1 records"):
        cubes_of([1], rng).moments(None, np.array([0]), np.array([1]), records[:1])


@pytest.mark.parametrize("near", [0, 1])
def test_bounds_equal_the_oracle(level, near, rng):
    largest, errors, room = np.array([1.0, 0.9, 0.2]), np.array([1e-3, 0.4, 0.2]), (12, 12)
    corners = np.unique(rng.integers(2, 10, (60, 3)), axis=0)
    targets, sources = corners[::2], corners[1::3]
    mass, points = rng.random(len(sources)), rng.integers(1, 9, len(sources)).astype(float)
    numbers = [(part[:, 0] * room[0] + part[:, 1]) * room[1] + part[:, 2] for part in (targets, sources)]
    found = cube_bounds(*numbers, mass, points, room, near, largest, errors)
    np.testing.assert_allclose(
        found, TWINS["cube_bounds"](targets, sources, mass, points, near, largest, errors), atol=1e-12
    )
    assert cube_bounds(numbers[0][:0], numbers[1], mass, points, room, near, largest, errors).shape == (0, 4)
