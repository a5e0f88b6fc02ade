"""The boundary between two classes: where a polynomial of degree one or two is zero."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from parzen.compute.arrays import Array


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
