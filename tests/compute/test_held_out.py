"""Cells of a column in folds, and the choice of its density by cross-validation, equal their twins."""

import numpy as np
import pytest

from parzen.compute.held_out import held_cells, held_choice, known_rows
from parzen.families.column_choice import RULES
from tests.compute.test_columns import NUMBERS
from tests.oracle import TWINS


def cells(rng, numbers, n, groups):
    """Cells of a column with missing and infinite ones, and rows without a class; its known rows by fold."""
    x, codes = NUMBERS[numbers](rng, n), rng.integers(-1, groups, n).astype(np.int32)
    x[rng.random(n) < 0.1] = np.nan
    x[: n // 40] = np.inf
    column = np.stack([x, x], axis=1)[:, 1]  # at a stride
    known = known_rows(column, codes)
    assert known == len(TWINS["known_rows"](x, codes))
    m = known - known // 10
    some, order = rng.permutation(known)[:m], rng.permutation(m)
    found = held_cells(column, codes, groups, known, some, order, 4, RULES.masses)
    rows, others = TWINS["held_cells"](x, codes, some, order, 4, RULES.masses)
    return found, np.array(rows), others


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize(("n", "groups"), [(30, 1), (67, 2), (400, 300)])
def test_cells_in_folds_equal_the_oracle(level, numbers, n, groups, rng):
    found, rows, others = cells(rng, numbers, n, groups)
    each = np.stack([found.x, found.codes, found.folds], axis=1)
    np.testing.assert_array_equal(each[found.place], rows)
    np.testing.assert_array_equal(each, np.unique(each, axis=0))
    np.testing.assert_array_equal(found.count, np.bincount(found.place))
    np.testing.assert_array_equal(found.others, others)


def test_zeros_of_both_signs_are_one_cell(level):
    x, all_rows = np.array([0.0, -0.0, -1.0, -0.0]), np.arange(4)
    found = held_cells(x, np.zeros(4, np.int32), 1, 4, all_rows, all_rows, 1, RULES.masses)
    np.testing.assert_array_equal(found.x, [-1.0, 0.0])
    np.testing.assert_array_equal(found.count, [1.0, 3.0])


@pytest.mark.parametrize("usual", [False, True])
@pytest.mark.parametrize("numbers", [*NUMBERS, "two values"])
@pytest.mark.parametrize(("n", "groups"), [(90, 2), (500, 3), (900, 2)])
def test_the_choice_equals_the_oracle(level, usual, numbers, n, groups, rng, monkeypatch):
    monkeypatch.setitem(NUMBERS, "two values", lambda rng, n: rng.choice([0.0, 1.0], n))
    found, rows, _ = cells(rng, numbers, n, groups)
    given = rng.normal(-2.0, 0.5, (len(found.x), groups)) if usual else None
    counts = (len(found.place), *found.others.tolist())
    drawn = [rng.permutation(count)[:200] for count in counts]
    choice = held_choice(found, given, drawn, RULES)
    x, codes, folds = rows.T
    exact, best, gain, error = TWINS["held_choice"](
        x, codes.astype(int), folds, groups, 4, None if given is None else given[found.place], drawn, RULES
    )
    tolerance = 1e-5 if numbers == "far away" else 1e-8
    np.testing.assert_allclose(choice.candidates, exact, rtol=tolerance, atol=tolerance)
    assert choice.best == best
    assert (choice.level, choice.density) == exact[best][:2]
    np.testing.assert_allclose((choice.gain, choice.error), (gain, error), rtol=tolerance, atol=tolerance)


def test_a_class_without_cells_in_the_other_folds_has_the_mean_of_all(level):
    x, codes, rows = np.array([1.0, 2.0, 4.0, 9.0]), np.array([0, 0, 0, 1], np.int32), np.arange(4)
    found = held_cells(x, codes, 3, 4, rows, rows, 4, RULES.masses)
    choice = held_choice(found, None, [rows] * 3, RULES)
    exact = TWINS["held_choice"](x, codes, rows % 4, 3, 4, None, [rows] * 3, RULES)
    np.testing.assert_allclose(choice.candidates, exact[0], rtol=1e-12)
