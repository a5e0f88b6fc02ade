"""Metrics: how far apart rows are, what a kernel of that distance integrates to, and draws from it."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

from parzen.compute.arrays import Array
from parzen.smoothing.kernel_functions import KernelFunction
from parzen.smoothing.quadrature import FARTHEST, panels


class Metric(ABC):
    """How far apart rows of d columns are."""

    #: What it is called in messages.
    name: str

    @abstractmethod
    def distances(self, Q: Array, X: Array) -> Array:
        """Distances between rows Q (m, d) and X (n, d), (m, n)."""

    def lengths(self, d: int) -> Array:
        """How far rows at the distance 1 reach along each column, (d,)."""
        return np.ones(d)

    @abstractmethod
    def log_integral(self, kernel: KernelFunction, h: float, d: int) -> float:
        """Logarithm of the integral of k(distance / h) over all rows."""

    @abstractmethod
    def around(self, X: Array, kernel: KernelFunction, h: float, rng: np.random.Generator) -> Array:
        """A draw from the density k(distance / h), up to a constant, around each row of X, (n, d)."""


@dataclass(frozen=True, eq=False)
class Norm(Metric):
    """A norm of differences: ``(sum_j |a_j (x_j - y_j)|^p)^(1/p)``, or ``|A (x - y)|``.

    Attributes
    ----------
    name : str
    p : float
        Above 0; infinite for the largest difference.
    factors : array of shape (d,), optional
        What differences are multiplied by.
    matrix : array of shape (r, d), optional
        A, where p is 2.

    Examples
    --------
    >>> import numpy as np
    >>> Norm("manhattan", 1.0).distances(np.zeros((1, 2)), np.array([[3.0, 4.0]]))
    array([[7.]])
    """

    name: str
    p: float
    factors: Array | None = None
    matrix: Array | None = None

    def distances(self, Q: Array, X: Array) -> Array:
        if self.matrix is not None:
            square = np.zeros((len(Q), len(X)))
            for row in self.matrix:
                square += ((Q[:, None] - X) @ row) ** 2
            return np.sqrt(square)
        columns = (
            np.abs(Q[:, j, None] - X[:, j]) * (1.0 if self.factors is None else self.factors[j])
            for j in range(X.shape[1])
        )
        total = np.zeros((len(Q), len(X)))
        if self.p in (1.0, np.inf):
            for one in columns:
                total = total + one if self.p == 1.0 else np.maximum(total, one)
            return total
        each = np.stack(list(columns))
        most = each.max(axis=0)
        with np.errstate(under="ignore"):
            total = ((each / np.where(most > 0, most, 1.0)) ** self.p).sum(axis=0)
        return most * total ** (1.0 / self.p)

    def lengths(self, d: int) -> Array:
        if self.matrix is not None:
            square = len(self.matrix) == d
            return np.sqrt((np.linalg.inv(self.matrix) ** 2).sum(axis=1)) if square else np.ones(d)
        return np.ones(d) if self.factors is None else 1.0 / np.where(self.factors > 0, self.factors, 1.0)

    def log_ball(self, d: int) -> float:
        """Logarithm of the volume of the unit ball; infinite where it has no end."""
        if np.isinf(self.p):
            volume = d * np.log(2.0)
        else:
            volume = d * (np.log(2.0) + special.gammaln(1.0 + 1.0 / self.p)) - special.gammaln(1.0 + d / self.p)
        with np.errstate(divide="ignore"):
            if self.matrix is not None:
                square = len(self.matrix) == d
                return float(volume - np.linalg.slogdet(self.matrix)[1]) if square else np.inf
            return float(volume if self.factors is None else volume - np.log(self.factors).sum())

    def log_integral(self, kernel: KernelFunction, h: float, d: int) -> float:
        ball = self.log_ball(d)
        self._check_ball(ball)
        return float(d * np.log(h) - kernel.log_constant(d) + ball - Norm("euclidean", 2.0).log_ball(d))

    def _check_ball(self, ball: float) -> None:
        if not np.isfinite(ball):
            raise ValueError(
                f"the metric {self.name!r} is blind to some direction (a weight of zero, or a singular VI): no density "
                "integrates to one under it; leave those columns out."
            )

    def around(self, X: Array, kernel: KernelFunction, h: float, rng: np.random.Generator) -> Array:
        n, d = X.shape
        self._check_ball(self.log_ball(d))
        draws = kernel.sample(n, d, rng)
        if self.p != 2.0:
            # The length of a draw doesn't depend on the norm; its direction is that of a point of the norm's own ball.
            length = np.sqrt((draws**2).sum(axis=1))
            draws = self._directions(n, d, rng) * length[:, None]
        if self.matrix is not None:
            return np.asarray(X + h * np.linalg.solve(self.matrix, draws.T).T)
        return np.asarray(X + h * draws / (1.0 if self.factors is None else self.factors))

    def _directions(self, n: int, d: int, rng: np.random.Generator) -> Array:
        """Points of norm 1, (n, d), as those of the ball are spread over directions (Schechtman and Zinn 1990)."""
        if np.isinf(self.p):
            points = rng.uniform(-1.0, 1.0, (n, d))
            return np.asarray(points / np.abs(points).max(axis=1, keepdims=True))
        size = rng.gamma(1.0 / self.p, size=(n, d))
        share = size / size.sum(axis=1, keepdims=True)
        return np.asarray(np.where(rng.random((n, d)) < 0.5, -1.0, 1.0) * share ** (1.0 / self.p))


@dataclass(frozen=True, eq=False)
class Sphere(Metric):
    """Great circles on the sphere of radius 1: rows are latitude and longitude in radians.

    Examples
    --------
    >>> import numpy as np
    >>> Sphere().distances(np.zeros((1, 2)), np.array([[0.0, np.pi], [0.5, 0.0]])).round(4)
    array([[3.1416, 0.5   ]])
    """

    name: str = "haversine"

    def distances(self, Q: Array, X: Array) -> Array:
        lat, lon = (0.5 * (Q[:, j, None] - X[:, j]) for j in range(2))
        square = np.sin(lat) ** 2 + np.cos(Q[:, :1]) * np.cos(X[:, 0]) * np.sin(lon) ** 2
        return np.asarray(2.0 * np.arcsin(np.sqrt(np.clip(square, 0.0, 1.0))))

    @staticmethod
    def in_space(X: Array, centre: Array) -> Array:
        """Rows as points of the sphere in space (n, 3), relative to a row: near it, no digit is lost."""
        lat, lon = X[:, 0], X[:, 1] - centre[1]
        north, turn = np.sin(0.5 * (lat - centre[0])), 2.0 * np.cos(lat) * np.sin(0.5 * lon) ** 2
        place = (
            np.cos(lat) * np.sin(lon),
            np.sin(lat - centre[0]) + np.sin(centre[0]) * turn,
            -2.0 * north**2 - np.cos(centre[0]) * turn,
        )
        return np.column_stack(place)

    def log_integral(self, kernel: KernelFunction, h: float, d: int) -> float:
        reach = 1.0 if kernel.compact else {"gaussian": 40.0, "exponential": 750.0}.get(kernel.name, FARTHEST)
        end = min(np.pi / h, reach)
        edges = np.linspace(0.0, min(end, 1.0), 257)
        if end > 1.0:
            edges = np.concatenate([edges, np.geomspace(1.0, end, 2049)[1:]])
        r, weight = (part.ravel() for part in panels(edges, 16))
        return float(np.log(2.0 * np.pi * (weight * kernel.at(r) * r * np.sinc(h * r / np.pi)).sum()) + 2.0 * np.log(h))

    def around(self, X: Array, kernel: KernelFunction, h: float, rng: np.random.Generator) -> Array:
        arc, bearing = self._arcs(len(X), kernel, h, rng), rng.uniform(0.0, 2.0 * np.pi, len(X))
        lat = X[:, 0]
        up = np.sin(lat) * np.cos(arc) + np.cos(lat) * np.sin(arc) * np.cos(bearing)
        turn = np.arctan2(np.sin(bearing) * np.sin(arc) * np.cos(lat), np.cos(arc) - np.sin(lat) * up)
        begin = -np.pi if X[:, 1].min(initial=0.0) < 0 else 0.0
        return np.column_stack([np.arcsin(np.clip(up, -1.0, 1.0)), (X[:, 1] + turn - begin) % (2.0 * np.pi) + begin])

    def _arcs(self, n: int, kernel: KernelFunction, h: float, rng: np.random.Generator) -> Array:
        """Draws from k(arc / h) sin(arc), by rejection: of draws in the plane, or of points spread over the sphere."""
        out, missing = np.empty(n), np.arange(n)
        while len(missing):
            if h < 1.0:
                arc = h * np.sqrt((kernel.sample(len(missing), 2, rng) ** 2).sum(axis=1))
                kept = np.where(arc < np.pi, np.sinc(arc / np.pi), 0.0)
            else:
                arc = np.arccos(rng.uniform(-1.0, 1.0, len(missing)))
                kept = kernel.at(arc / h) / kernel.at(np.zeros(1))
            good = rng.random(len(missing)) < kept
            out[missing[good]] = arc[good]
            missing = missing[~good]
        return out


@dataclass(frozen=True, eq=False)
class OtherMetric(Metric):
    """Any other metric of scikit-learn's ball tree, or a function of two rows, which must keep the triangle inequality.

    Attributes
    ----------
    name : str
    function : callable, or None where scikit-learn knows the name
    parameters : dict
        Further arguments of the function.
    """

    name: str
    function: Callable[..., float] | None
    parameters: dict[str, Any]

    @cached_property
    def _measure(self) -> Any:
        from sklearn.metrics import DistanceMetric

        return DistanceMetric.get_metric(self.function or self.name, **self.parameters)

    def distances(self, Q: Array, X: Array) -> Array:
        return np.asarray(self._measure.pairwise(np.ascontiguousarray(Q), np.ascontiguousarray(X)))

    def log_integral(self, kernel: KernelFunction, h: float, d: int) -> float:
        raise ValueError(
            f"normalization='metric' needs the integral of the kernel, not known for the metric {self.name!r}; take "
            "normalization='euclidean' (scikit-learn's convention), or a norm or 'haversine'."
        )

    def around(self, X: Array, kernel: KernelFunction, h: float, rng: np.random.Generator) -> Array:
        raise NotImplementedError(f"draws under the metric {self.name!r} are not offered; take a norm or 'haversine'.")
