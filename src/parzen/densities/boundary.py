"""The boundary between two classes: where a polynomial of degree one or two is zero."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from parzen.compute.arrays import Array

#: The kinds of boundaries in words.
WORDS = {
    "none": "no boundary, one class is likelier everywhere",
    "everywhere": "no boundary, both classes are equally likely everywhere",
    "point": "a point",
    "two points": "two points",
    "line": "a straight line",
    "circle": "a circle",
    "ellipse": "an ellipse",
    "parabola": "a parabola",
    "hyperbola": "a hyperbola",
    "two lines": "two lines that cross",
    "parallel lines": "two parallel lines",
    "double line": "a line that is touched from both sides",
    "plane": "a plane",
    "quadric": "a quadric surface",
}


@dataclass(frozen=True)
class Boundary:
    """Points at which two classes are equally probable: f(x) = x'Ax + b'x + c = 0; the second where f is positive.

    Attributes
    ----------
    centred_A, centred_b, centred_c, centre
        The same polynomial of x - centre, which keeps its digits at any offset; `centred_A` is None where f is linear.
    names : tuple of str, optional
        Names of the columns, which a table must have.
    threshold : float, optional
        If given, x is 1 where a cell is above it and 0 elsewhere.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import GaussianDiscriminant
    >>> X = np.array([[-1.0], [0.0], [1.0], [4.0], [6.0], [8.0]])
    >>> model = GaussianDiscriminant(covariance_type="diag").fit(X, [0, 0, 0, 1, 1, 1])
    >>> boundary = model.decision_boundary()
    >>> print(boundary)
    0.5625 x0^2 + 2.25 x0 - 7.44315 = 0
    >>> boundary.roots().round(4)
    array([-6.1512,  2.1512])
    >>> boundary.kind
    'two points'
    """

    centred_A: Array | None
    centred_b: Array
    centred_c: float
    centre: Array
    names: tuple[str, ...] | None = None
    threshold: float | None = None

    @property
    def is_linear(self) -> bool:
        """Whether f has no quadratic part: the classes share their covariance."""
        return self.centred_A is None

    @property
    def A(self) -> Array:
        """Symmetric matrix of the quadratic part, (d, d); zero where f is linear."""
        return np.zeros((len(self.centre),) * 2) if self.centred_A is None else self.centred_A

    @property
    def b(self) -> Array:
        """Coefficients of the columns, (d,)."""
        return self.centred_b if self.centred_A is None else self.centred_b - 2 * self.centred_A @ self.centre

    @property
    def c(self) -> float:
        """Value at x = 0."""
        square = 0.0 if self.centred_A is None else self.centre @ self.centred_A @ self.centre
        return float(self.centred_c - self.centred_b @ self.centre + square)

    def __call__(self, X: Any) -> Array:
        """Log-odds of the second class against the first at each row, (n,)."""
        u = numeric_rows(X, self.names, self.threshold) - self.centre
        square = 0.0 if self.centred_A is None else np.einsum("ni,ij,nj->n", u, self.centred_A, u)
        values: Array = square + u @ self.centred_b + self.centred_c
        return values

    def roots(self) -> Array:
        """Points of the boundary in one dimension, in order: none, one or two."""
        if len(self.centre) != 1:
            raise ValueError(f"a boundary in {len(self.centre)} columns is a surface; roots are for one column.")
        a, b, c = 0.0 if self.centred_A is None else self.centred_A[0, 0], self.centred_b[0], self.centred_c
        if a == 0:
            found = np.array([-c / b]) if b != 0 else np.empty(0)
        else:
            inside = b * b - 4 * a * c
            if inside < 0:
                return np.empty(0)
            # The root without cancellation; the other one from the product of the roots.
            far = -0.5 * (b + np.copysign(np.sqrt(inside), b))
            found = np.array([far / a, c / far if far != 0 else 0.0])
        return np.unique(self.centre[0] + found)

    @property
    def kind(self) -> str:
        """What the boundary is: "line", "ellipse", "circle", "parabola", "hyperbola", "two lines", and so on.

        In two columns also "parallel lines", "double line", "point", "none" (one class is likelier everywhere) and
        "everywhere" (both are equally likely at every point). In one column "point", "two points", "none" or
        "everywhere"; in more than two, "plane", "quadric", "none" or "everywhere".
        """
        d, A, b, c = len(self.centre), self.centred_A, self.centred_b, self.centred_c
        if (A is None or not A.any()) and not b.any():
            return "none" if c else "everywhere"
        if d == 1:
            return ("none", "point", "two points")[len(self.roots())]
        if A is None or not A.any():
            return "line" if d == 2 else "plane"
        return conic(A, b, c) if d == 2 else "quadric"

    def describe(self) -> str:
        """The kind of the boundary and its equation, in words: "an ellipse: 2 x0^2 + x1^2 - 1 = 0"."""
        return f"{WORDS[self.kind]}: {self}"

    def __str__(self) -> str:
        A, d = self.A, len(self.centre)
        names = [f"x{j}" for j in range(d)] if self.names is None else [_word(name) for name in self.names]
        terms = [] if self.is_linear else [
            (A[i, j] * (1 if i == j else 2), f" {names[i]}^2" if i == j else f" {names[i]} {names[j]}")
            for i in range(d) for j in range(i, d)
        ]  # fmt: skip
        terms += [(weight, f" {name}") for weight, name in zip(self.b, names, strict=True)] + [(self.c, "")]
        text = " ".join(f"{'-' if value < 0 else '+'} {abs(value):.6g}{name}" for value, name in terms if value != 0)
        return f"{text.removeprefix('+ ') or '0'} = 0"


def conic(A: Array, b: Array, c: float, tolerance: float = 1e-12) -> str:
    """Kind of the conic section u'Au + b'u + c = 0, for A other than zero.

    Columns are first divided by units in which the diagonal of A is 1 or -1, so that none decides by its scale.
    """
    diagonal = np.abs(np.diagonal(A))
    unit = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    values, axes = np.linalg.eigh(A * np.outer(unit, unit))
    slope = axes.T @ (unit * b)
    flat = np.abs(values) <= tolerance * np.abs(values).max()
    if flat.any():
        along, across = slope[flat][0], slope[~flat][0]
        if abs(along) > tolerance * np.abs(slope).max():
            return "parabola"
        square, rest = across**2, 4.0 * values[~flat][0] * c
        if abs(square - rest) <= tolerance * (square + abs(rest)):
            return "double line"
        return "parallel lines" if square > rest else "none"
    shifts = slope**2 / (4.0 * values)
    height = c - shifts.sum()  # the value at the conic's centre
    crossing = abs(height) <= tolerance * (abs(c) + np.abs(shifts).sum())
    if values[0] * values[1] < 0:
        return "two lines" if crossing else "hyperbola"
    if crossing:
        return "point"
    if height * values[0] > 0:
        return "none"
    even = abs(A[0, 0] - A[1, 1]) + 2 * abs(A[0, 1]) <= tolerance * diagonal.max()
    return "circle" if even else "ellipse"


def _word(name: Any) -> str:
    """A column's name; in quotes where it would not be read as one word."""
    text = str(name)
    return text if text.isidentifier() else repr(text)


def numeric_rows(X: Any, names: tuple[str, ...] | None, threshold: float | None) -> Array:
    """Rows as float64, or as zeros and ones by a threshold; an error where a table has other columns."""
    if names is not None and hasattr(X, "columns") and tuple(X.columns) != names:
        raise ValueError(f"the columns must be {list(names)} in this order, got {list(X.columns)}.")
    rows = np.asarray(X)
    return (rows if threshold is None else rows > threshold).astype(np.float64)
