"""Kinds of boundaries, judged by conics that are made to be of a kind."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parzen.densities.boundary import WORDS, Boundary, conic

#: Conics in their principal axes: A (diagonal), b, c.
NORMAL_FORMS = {
    "circle": ((1, 1), (0, 0), -1),
    "ellipse": ((1, 4), (0, 0), -1),
    "none": ((1, 4), (0, 0), 1),
    "point": ((1, 4), (0, 0), 0),
    "hyperbola": ((1, -2), (0, 0), -1),
    "two lines": ((1, -2), (0, 0), 0),
    "parabola": ((1, 0), (0, -1), 0),
    "parallel lines": ((1, 0), (0, 0), -1),
    "double line": ((1, 0), (0, 0), 0),
}


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(NORMAL_FORMS)), st.integers(0, 10_000), st.sampled_from([-3.0, 0.01, 1.0, 50.0]))
def test_turned_moved_and_scaled_conics_keep_their_kind(kind, seed, factor):
    rng = np.random.default_rng(seed)
    (A, b, c), angle, shift = NORMAL_FORMS[kind], rng.uniform(0, np.pi), rng.normal(size=2)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    A, b = turn @ np.diag(np.array(A, float)) @ turn.T, turn @ np.array(b, float)
    moved = A, b - 2 * A @ shift, c - b @ shift + shift @ A @ shift
    assert conic(*(factor * part for part in moved)) == kind


def test_the_unit_of_a_column_does_not_decide():
    unit = np.array([1e-6, 1e6])
    assert conic(np.diag([1.0, 4.0]) * np.outer(unit, unit), np.zeros(2), -1.0) == "ellipse"


@pytest.mark.parametrize(
    ("A", "b", "c", "kind"),
    [
        (None, [0.0, 0.0], 1.0, "none"),
        (None, [0.0, 0.0], 0.0, "everywhere"),
        (None, [1.0, 0.0], 0.0, "line"),
        (None, [1.0, 0.0, 2.0], 0.0, "plane"),
        (np.eye(3), [1.0, 0.0, 2.0], 0.0, "quadric"),
        (None, [2.0], 1.0, "point"),
        (np.eye(1), [0.0], -1.0, "two points"),
        (np.eye(1), [0.0], 1.0, "none"),
        (np.eye(1), [0.0], 0.0, "point"),
    ],
)
def test_other_dimensions_and_degenerate_cases(A, b, c, kind):
    boundary = Boundary(A, np.array(b), c, np.zeros(len(b)))
    assert boundary.kind == kind
    assert boundary.describe() == f"{WORDS[kind]}: {boundary}"


def test_names_are_in_quotes_only_where_they_are_no_word():
    assert str(Boundary(None, np.array([1.0, -2.0]), 3.0, np.zeros(2), ("weight", "blood sugar"))) == (
        "1 weight - 2 'blood sugar' + 3 = 0"
    )
