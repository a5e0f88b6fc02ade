"""Kernel functions: radial functions that integrate to one, in any dimension.

A kernel function is ``c_d k(r)``, r the length of (x - x_j) in units of the bandwidth, as in scikit-learn and SciPy.
The bandwidth is the radius of a compact kernel, and the standard deviation of the Gaussian.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any

import numpy as np
from scipy import special

from parzen.compute.arrays import Array
from parzen.smoothing.own_kernel import check_own_kernel
from parzen.smoothing.quadrature import FARTHEST, half_line, panels

#: Other names of kernels: scikit-learn's.
ALIASES = {"linear": "triangular"}
#: Kernels (1 - r^2)^p: their marginals have the same form, with p + 1/2 for each column that is marginalised.
POWERS = {"tophat": 0.0, "epanechnikov": 1.0, "biweight": 2.0, "triweight": 3.0}
NAMES = ("gaussian", "tophat", "epanechnikov", "triangular", "biweight", "triweight", "cosine", "exponential")


@dataclass(frozen=True)
class KernelFunction:
    """A kernel function of the distance, with its moments, distribution function and draws.

    Attributes
    ----------
    name : one of `NAMES`, "power" or "own"
    power : exponent of (1 - r^2) where the kernel has that form
    function : a kernel function K(u) that the user gives

    Examples
    --------
    >>> kernel_function("epanechnikov").log_constant(1), float(kernel_function("gaussian").roughness(1))
    (-0.287..., 0.282...)
    """

    name: str
    power: float | None = None
    function: Callable[[Any], Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}  # a file or a copy needs no radii

    @property
    def compact(self) -> bool:
        """Whether the kernel is known to be zero beyond distance 1."""
        return self.name not in ("gaussian", "exponential", "own")

    def at(self, r: Array) -> Array:
        """The kernel function at distances, 1 at distance 0 (the user's own is not rescaled)."""
        r = np.asarray(r, dtype=np.float64)
        if self.function is not None:
            return np.asarray(self.function(r), dtype=np.float64)
        if self.name == "gaussian":
            return np.exp(-0.5 * r * r)
        if self.name == "exponential":
            return np.exp(-r)
        if self.name == "triangular":
            return np.maximum(1.0 - r, 0.0)
        if self.name == "cosine":
            return np.where(r < 1.0, np.cos(0.5 * np.pi * np.minimum(r, 1.0)), 0.0)
        return np.where(r < 1.0, np.maximum(1.0 - r * r, 0.0) ** self.power, 0.0)

    def _integral(self, a: int, m: int = 1) -> float:
        """Integral of r^a k(r)^m over r > 0."""
        half = 0.5 * (a + 1)
        if self.name == "gaussian":
            return float(0.5 * (2.0 / m) ** half * special.gamma(half))
        if self.name == "exponential":
            return float(special.gamma(a + 1) / m ** (a + 1))
        if self.name == "triangular":
            return float(special.beta(a + 1, m + 1))
        if self.power is not None:
            return float(0.5 * special.beta(half, m * self.power + 1))
        if self.name == "cosine":
            return half_line(lambda r: r**a * self.at(r) ** m, 1.0)
        found = half_line(lambda r: r**a * self.at(r) ** m, np.inf)
        if not np.isfinite(found):
            what = "integral" if a < 3 and m == 1 else "moment"
            raise ValueError(
                f"kernel falls off too slowly: it has no {what} of the power {a}, which is needed here; use fewer "
                "columns, a number as the bandwidth, or another kernel."
            )
        return found

    def log_constant(self, d: int) -> float:
        """Logarithm of c_d, by which the kernel integrates to one in d dimensions."""
        return float(-np.log(_sphere(d)) - np.log(self._integral(d - 1)))

    def variance(self, d: int) -> float:
        """Variance of each column under the kernel."""
        return self._integral(d + 1) / self._integral(d - 1) / d

    def roughness(self, d: int) -> float:
        """Integral of the squared kernel."""
        return _sphere(d) * self._integral(d - 1, 2) * float(np.exp(2 * self.log_constant(d)))

    def canonical(self, d: int) -> float:
        """Bandwidth of this kernel that smooths as much as a Gaussian kernel of bandwidth 1 (Marron and Nolan 1988)."""
        gaussian = KERNEL_FUNCTIONS["gaussian"]
        ratio = (self.roughness(d) / self.variance(d) ** 2) / gaussian.roughness(d)
        return float(ratio ** (1.0 / (d + 4)))

    def cdf(self, u: Array) -> Array:
        """Distribution function of the kernel on the line; small values are right in relative terms."""
        u = np.asarray(u, dtype=np.float64)
        if self.name == "gaussian":
            return special.ndtr(u)
        tail = self._tail(np.abs(u))
        return np.where(u < 0, tail, 1.0 - tail)

    def _tail(self, r: Array) -> Array:
        """Probability beyond distances r >= 0 on one side."""
        if self.name == "exponential":
            return np.asarray(0.5 * np.exp(-r))
        if not self.compact:
            radius, _, beyond = self._radii_of_the_line
            return 0.5 * np.interp(r, radius, beyond)
        rest = np.maximum(1.0 - r, 0.0)
        if self.name == "triangular":
            return 0.5 * rest**2
        if self.name == "cosine":
            return np.sin(0.25 * np.pi * rest) ** 2
        assert self.power is not None
        return np.asarray(special.betainc(self.power + 1, self.power + 1, 0.5 * rest))

    def log_cdf(self, u: Array) -> Array:
        """Logarithm of the distribution function, finite wherever it is."""
        u = np.asarray(u, dtype=np.float64)
        if self.name == "gaussian":
            return special.log_ndtr(u)
        with np.errstate(divide="ignore"):
            if self.name == "exponential":
                return np.where(u < 0, u - np.log(2.0), np.log1p(-0.5 * np.exp(-np.abs(u))))
            return np.where(u < 0, np.log(self.cdf(u)), np.log1p(-self.cdf(-np.abs(u))))

    def mass(self, a: Array, width: Array) -> Array:
        """Probability between a and a + width, width >= 0; right in relative terms however narrow that is."""
        a, width = np.broadcast_arrays(a, width)
        low = np.where(a > 0, -a - width, a)  # the kernel is symmetric
        out = self.cdf(low + width) - self.cdf(low)
        if self.name != "own":
            near = width < 0.25
            out[near] = self._narrow(low[near], width[near])
        return out

    def _narrow(self, low: Array, width: Array) -> Array:
        """The same of narrow intervals by Gauss's rule: the part within a compact kernel, on each side of 0."""
        if self.compact:
            outside = np.clip(-1.0 - low, 0.0, width)
            low, width = low + outside, width - outside
            width = width - np.clip(low + width - 1.0, 0.0, width)
        left = np.clip(-low, 0.0, width)
        x, weight = np.polynomial.legendre.leggauss(8)
        total = np.zeros(low.shape)
        for begin, length in ((low, left), (low + left, width - left)):
            inside = np.abs(begin[..., None] + 0.5 * length[..., None] * (1.0 + x))
            inside = np.minimum(inside, np.nextafter(1.0, 0.0)) if self.compact else inside
            total += 0.5 * length * (weight * self.at(inside)).sum(axis=-1)
        return total * np.exp(self.log_constant(1))

    def marginal(self, d: int, kept: int) -> "KernelFunction":
        """Marginal kernel of `kept` of d columns."""
        if self.name == "gaussian" or kept == d:
            return self
        if self.power is None:
            raise TypeError(
                f"the marginals of the {self.name} kernel of {d} columns are not offered; use "
                "'gaussian', 'tophat', 'epanechnikov', 'biweight' or 'triweight'."
            )
        return KernelFunction("power", self.power + 0.5 * (d - kept))

    def sample(self, n: int, d: int, rng: np.random.Generator) -> Array:
        """Draws from the kernel, (n, d)."""
        normal = rng.standard_normal((n, d))
        if self.name == "gaussian":
            return normal
        length = np.sqrt((normal**2).sum(axis=1, keepdims=True))
        direction = normal / np.where(length > 0, length, 1.0)
        return direction * self._sample_radii(n, d, rng)[:, None]

    def _sample_radii(self, n: int, d: int, rng: np.random.Generator) -> Array:
        if self.name == "exponential":
            return rng.gamma(d, size=n)
        if self.name == "triangular":
            return rng.beta(d, 2.0, size=n)
        if self.power is not None:
            return np.sqrt(rng.beta(0.5 * d, self.power + 1, size=n))
        radius, below, _ = self._radii(d)
        return np.interp(rng.random(n), below, radius)

    @cached_property
    def _radii_of_the_line(self) -> tuple[Array, Array, Array]:
        """Radii in one dimension: a quantile asks for them at each of its steps."""
        return self._radii(1)

    def _radii(self, d: int) -> tuple[Array, Array, Array]:
        """Radii, and the mass of the kernel within and beyond each, for kernels without a closed form."""
        if self.compact:
            radius = np.linspace(0.0, 1.0, 16385)
        else:
            radius = np.concatenate([[0.0], np.geomspace(1e-4, FARTHEST, 2**16)])
        nodes, weights = panels(radius, 4)
        pieces = (weights * nodes ** (d - 1) * self.at(nodes.ravel()).reshape(nodes.shape)).sum(axis=1)
        mass = np.concatenate([[0.0], np.cumsum(pieces)])
        beyond = np.concatenate([np.cumsum(pieces[::-1])[::-1], [0.0]])
        return radius, mass / mass[-1], beyond / mass[-1]


KERNEL_FUNCTIONS = {
    **{name: KernelFunction(name, power) for name, power in POWERS.items()},
    **{name: KernelFunction(name) for name in ("gaussian", "triangular", "cosine", "exponential")},
}


def kernel_function(kernel: Any) -> KernelFunction:
    """The kernel function of a name, or one that the user gives, which is checked."""
    if isinstance(kernel, KernelFunction):
        return kernel
    if callable(kernel):
        check_own_kernel(kernel)
        return KernelFunction("own", function=kernel)
    if not isinstance(kernel, str) or ALIASES.get(kernel, kernel) not in KERNEL_FUNCTIONS:
        names = ", ".join(map(repr, NAMES))
        raise ValueError(f"kernel must be one of {names}, or a function K(u) that integrates to one, got {kernel!r}.")
    return KERNEL_FUNCTIONS[ALIASES.get(kernel, kernel)]


@cache
def _sphere(d: int) -> float:
    """Surface of the unit sphere in d dimensions."""
    return float(2.0 * np.pi ** (0.5 * d) / special.gamma(0.5 * d))
