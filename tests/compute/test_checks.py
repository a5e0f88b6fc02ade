import numpy as np
import pytest

from parzen.compute.checks import choose, probabilities


def test_probabilities_are_returned_as_they_are():
    P = np.array([[0.25, 0.75], [1.0, 0.0]])
    assert probabilities(P, (2, 2), "posterior") is P
    assert probabilities(P, (None, 2), "posterior") is P
    np.testing.assert_array_equal(probabilities([1, 0], (2,), "start"), [1.0, 0.0])
    np.testing.assert_array_equal(probabilities(P.T, (2, 2), "P", axis=0), P.T)
    assert probabilities(np.empty((0, 2)), (None, 2), "posterior").shape == (0, 2)
    third = [0.33333] * 3  # within the rounding that np.isclose allows
    np.testing.assert_array_equal(probabilities(third, (3,), "prior"), third)


@pytest.mark.parametrize(
    ("values", "shape", "message"),
    [
        (["a", "b"], (2,), r"P must be numbers of shape \(2,\), got \['a', 'b'\]"),
        ([0.5, 0.5], (3,), r"P must have the shape \(3,\), got \(2,\)"),
        ([0.5, 0.5], (None, 2), r"P must have the shape \(n, 2\), got \(2,\)"),
        ([1.5, -0.5], (2,), "P must be probabilities, finite and not negative, got -0.5"),
        ([np.nan, 1.0], (2,), "P must be probabilities, finite and not negative, got nan"),
        ([np.inf, 1.0], (2,), "P must be probabilities, finite and not negative, got inf"),
        ([0.5, 0.6], (2,), "^P must sum to 1, got 1.1; divide it by its sum"),
        ([[0.5, 0.5], [0.5, 0.4]], (2, 2), "row 1 of P must sum to 1, got 0.9; divide it by its sum"),
    ],
)
def test_what_are_no_probabilities(values, shape, message):
    with pytest.raises(ValueError, match=message):
        probabilities(values, shape, "P")


def test_columns_of_probabilities():
    with pytest.raises(ValueError, match=r"column 1 of P must sum to 1, got 1\.5"):
        probabilities([[0.5, 1.0], [0.5, 0.5]], (2, 2), "P", axis=0)


def test_choices():
    choose("method", "ste", ("ste", "dpi"))
    with pytest.raises(ValueError, match="method must be one of 'ste', 'dpi', got 'other'"):
        choose("method", "other", ("ste", "dpi"))
