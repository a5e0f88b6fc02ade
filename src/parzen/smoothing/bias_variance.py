"""Bias and variance of a kernel density for each bandwidth, when the true density is known."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array
from parzen.plotting import COLOURS, axes, opened
from parzen.smoothing.kernel_functions import KernelFunction, kernel_function
from parzen.smoothing.quadrature import panels
from parzen.smoothing.sums import KernelSum
from parzen.smoothing.true_density import true_density


@dataclass(frozen=True, eq=False)
class BiasVariance:
    """Mean integrated squared error of a kernel density for each bandwidth: squared bias plus variance.

    Attributes
    ----------
    bandwidths : array of shape (B,)
    bias : array of shape (B,)
        Integral of the squared bias.
    variance : array of shape (B,)
        Integral of the variance.
    error : array of shape (B,)
        Their sum: the mean integrated squared error.
    places, truth : arrays of shape (m,)
        Points at which the density was evaluated, and the true density there.
    mean, deviation : arrays of shape (B, m)
        Mean and standard deviation of the estimate at each point.
    n : int
        Rows in a sample.
    """

    bandwidths: Array
    bias: Array
    variance: Array
    places: Array
    truth: Array
    mean: Array
    deviation: Array
    n: int

    @property
    def error(self) -> Array:
        """Mean integrated squared error."""
        return self.bias + self.variance

    @property
    def best(self) -> float:
        """The bandwidth of least error among those given."""
        return float(self.bandwidths[int(np.argmin(self.error))])

    def __repr__(self) -> str:
        return f"BiasVariance(n={self.n}, best={self.best:.4g}, error={self.error.min():.4g})"

    def plot(self, ax: Any = None) -> Any:
        """Draw squared bias, variance and their sum over the bandwidth."""
        ax = axes(ax)
        for label, values, colour in (
            ("squared bias", self.bias, COLOURS[0]),
            ("variance", self.variance, COLOURS[1]),
            ("error (their sum)", self.error, COLOURS[6]),
        ):
            ax.plot(self.bandwidths, values, color=colour, label=label)
        ax.axvline(self.best, color="0.6", linestyle=":", linewidth=1)
        ax.annotate(f"least at {self.best:.3g}", (self.best, 0.97), (5, 0), xycoords=("data", "axes fraction"),
                    textcoords="offset points", fontsize=8, color="0.35", va="top")  # fmt: skip
        ax.set_xscale("log")
        ax.set_yscale("log")
        low = 0.3 * float(self.error.min())
        ax.set_ylim(bottom=min(low, float(self.variance.min())) if self.variance.min() > 0.01 * low else 0.1 * low)
        ax.set_xlabel("bandwidth")
        ax.set_ylabel("integrated over all x")
        ax.set_title(f"Bias and variance with {self.n} rows", fontsize=10)
        ax.legend(frameon=False, fontsize=8)
        return opened(ax)


def bias_variance(
    truth: Any, bandwidths: ArrayLike, n: int, *, kernel: Any = "gaussian", bounds: tuple[float, float] | None = None
) -> BiasVariance:
    """Bias and variance of a kernel density of n rows from a known density of one column, for each bandwidth.

    Without simulation: the mean of the estimate is K_h * f, its variance (K_h^2 * f - (K_h * f)^2) / n, by quadrature:
    to many digits for smooth kernels, to about three for kernels with edges.

    Parameters
    ----------
    truth : a frozen distribution of SciPy, a fitted density estimator of one column, or a function x -> f(x)
    bandwidths : numbers above 0, in the kernel's own units
    n : rows of a sample
    kernel : see `parzen.Kernel`
    bounds : (low, high), the interval that holds the true density; needed for a function

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import stats
    >>> from parzen import bias_variance
    >>> found = bias_variance(stats.norm(), np.geomspace(0.05, 2, 60), n=100)
    >>> round(found.best, 2), round(float(found.error.min()), 4)
    (0.45, 0.0054)
    """
    h = np.asarray(bandwidths, dtype=np.float64)
    if h.ndim != 1 or not len(h) or not (np.isfinite(h).all() and (h > 0).all()):
        raise ValueError(f"bandwidths must be finite numbers above 0, got {bandwidths!r}.")
    if not isinstance(n, int | np.integer) or n < 1:
        raise ValueError(f"n must be a whole number of rows, at least 1, got {n!r}.")
    density, low, high = true_density(truth, bounds)
    kind = kernel_function(kernel)
    nodes, mass = _mass(density, low, high, 0.02 * float(h.min()), 200_000)
    margin = {"gaussian": 6.0, "exponential": 20.0}.get(kind.name, 1.0 if kind.compact else 20.0) * float(h.max())
    points, weights = _points(nodes, mass, low, high, float(h.min()), margin)
    inside = (points >= low) & (points <= high)
    true = np.where(inside, density(np.clip(points, low, high)), 0.0)
    for total in (float(mass.sum()), float(true @ weights)):
        if not abs(total - 1.0) < 1e-3:
            raise ValueError(
                f"truth must integrate to 1, but from {low:g} to {high:g} it integrates to {total:.6g}, as far as this "
                "grid can tell; give other bounds, or a truth without very narrow peaks."
            )
    coarse = _mass(density, low, high, 0.2 * float(h.min()), 6000)
    moments = [_estimate(kind, float(width), nodes, mass, *coarse, points) for width in h]
    mean, square = (np.array(part) for part in zip(*moments, strict=True))
    deviation = np.sqrt(np.maximum(square - mean**2, 0.0) / n)
    return BiasVariance(
        h, ((mean - true) ** 2) @ weights, deviation**2 @ weights, points, true, mean, deviation, int(n)
    )


def _points(nodes: Array, mass: Array, low: float, high: float, narrowest: float, margin: float) -> tuple[Array, Array]:
    """Quadrature points and weights over the interval of the true density and a margin beyond.

    Panels of equal width and of equal probability resolve both narrow peaks and long tails.
    """
    count = int(np.clip((high - low) / (0.25 * narrowest), 1024, 8192))
    below = np.cumsum(mass)
    steps = np.interp(np.linspace(0.0, below[-1], 257)[1:-1], below, nodes)
    edges = np.unique(np.concatenate([np.linspace(low, high, count // 8 + 1), steps]))
    outer = np.concatenate([[0.0], np.geomspace(0.05 * narrowest, margin, 64)])
    parts = [panels((low - outer)[::-1]), panels(edges), panels(high + outer)]
    points, weights = (np.concatenate(part).ravel() for part in zip(*parts, strict=True))
    return points, weights


def _estimate(
    kind: KernelFunction, h: float, nodes: Array, mass: Array, coarse: Array, coarse_mass: Array, points: Array
) -> tuple[Array, Array]:
    """K_h * f and K_h^2 * f at points; the latter over coarser nodes, unless the kernel is Gaussian."""
    unit, height = np.array([h]), np.exp(kind.log_constant(1)) / h
    first = KernelSum(kind, nodes[:, None], mass, None, unit, 1e-9).log(points[:, None])
    if kind.name == "gaussian":
        second = KernelSum(kind, nodes[:, None], mass, None, unit / np.sqrt(2.0), 1e-9).log(points[:, None])
    else:
        squared = KernelFunction("own", function=lambda r: kind.at(r) ** 2)
        second = KernelSum(squared, coarse[:, None], coarse_mass, None, unit).log(points[:, None])
    return np.exp(first) * height, np.exp(second) * height**2


def _mass(density: Callable[[Array], Array], low: float, high: float, step: float, most: int) -> tuple[Array, Array]:
    """Quadrature nodes on equal panels, and the probability of each."""
    count = int(np.clip((high - low) / step, 4000, most))
    nodes, weights = (part.ravel() for part in panels(np.linspace(low, high, -(-count // 8) + 1)))
    return nodes, density(nodes) * weights
