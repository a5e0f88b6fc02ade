"""The border of a compact kernel's window: one comparison decides which points lie within, wherever they are summed.

scikit-learn's rule, ``|q - x| < h``: differences in the user's units, their squares added in the order of the columns,
the root compared with the bandwidth. Nothing before the comparison may round otherwise: lengths are scaled by powers of
two alone, which is exact. Bandwidths that differ between columns (not by powers of two) need factors, such that a point
at the distance h along a column lies exactly on the border; products of small whole numbers stay exact.
"""

from dataclasses import dataclass

import numpy as np

from parzen.compute.arrays import Array

#: Candidates for the common radius of columns with different bandwidths.
TRIES = 512


@dataclass(frozen=True, eq=False)
class WindowBorder:
    """A window in scaled lengths: ``sum_j (factor_j (q_j power_j - x_j power_j))^2 < limit``.

    Attributes
    ----------
    powers : array of shape (d,)
        Powers of two by which coordinates are multiplied.
    factors : array of shape (d,), or None where all are one
        What differences are multiplied by.
    radius : float
        The bandwidth in scaled lengths.

    Examples
    --------
    >>> import numpy as np
    >>> border = WindowBorder.of(np.array([3.0, 5.0]))
    >>> points = np.array([[0.0, 0.0], [1.8, 4.0], [3.0, 0.0], [0.0, 4.9]])
    >>> border.distances(np.zeros((1, 2)), points) < 1
    array([[ True, False, False,  True]])
    """

    powers: Array
    factors: Array | None
    radius: float

    @classmethod
    def of(cls, units: Array, farthest: Array | float = 0.0) -> "WindowBorder":
        """The border for bandwidths (d,); coordinates reach up to `farthest` (d,), which scaling must not overflow."""
        _, exponent = np.frexp(units)
        _, most = np.frexp(farthest)
        exponent = np.clip(np.maximum(exponent, most - 1000), -1000, 1000)
        mantissa = np.maximum(np.ldexp(units, -exponent), 2.0**-400)
        powers = np.ldexp(1.0, -exponent)
        distinct = np.unique(mantissa)
        if len(distinct) == 1:
            return cls(powers, None, float(distinct[0]))
        product = 1.0
        for one in distinct:
            product = float(np.frexp(product * one)[0])
        radii = product + np.spacing(0.5) * np.arange(TRIES)
        exact = np.array([(mantissa * (radius / mantissa) == radius).all() for radius in radii])
        radius = float(radii[int(np.argmax(exact))])  # the first where every column's own border is met, or the first
        return cls(powers, radius / mantissa, radius)

    @property
    def limit(self) -> float:
        """The least square whose root is not below the radius."""
        limit = self.radius * self.radius
        while np.sqrt(limit) >= self.radius:
            limit = float(np.nextafter(limit, 0.0))
        return float(np.nextafter(limit, np.inf))

    def distances(self, Q: Array, X: Array) -> Array:
        """Distances between queries (m, d) and points (n, d) in units of the bandwidth, (m, n): below 1 within."""
        square = np.zeros((len(Q), len(X)))
        for j, power in enumerate(self.powers):
            step = Q[:, j, None] * power - X[:, j] * power
            if self.factors is not None:
                step *= self.factors[j]
            square += step * step
        distances: Array = np.sqrt(square) / self.radius
        return distances
