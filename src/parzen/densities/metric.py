"""Kernel densities by any metric: kernels of the distance from every point of a sample."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array, as_floats
from parzen.densities.kept_rows import KeptRows, drawn_rows
from parzen.densities.windows import Windows
from parzen.smoothing.kernel_functions import KernelFunction
from parzen.smoothing.metric_names import metric_of
from parzen.smoothing.metric_sums import MetricSum
from parzen.smoothing.metrics import Metric


@dataclass(frozen=True, eq=False)
class MetricDensity(KeptRows):
    """K densities ``f(x) = sum_j w_j k(distance(x, x_j) / h) / (C sum w)``.

    Attributes
    ----------
    kernel : the kernel function
    windows : tuple of K `Windows`, with the same bandwidth h in all columns
    metric, metric_params : see `parzen.smoothing.metric_names.metric_of`
    normalization : "euclidean" or "metric"
        C is what the kernel of the Euclidean distance integrates to, or what that of this metric does.
    rtol, atol : bounds on the error of a density, relative and absolute

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.smoothing.kernel_functions import kernel_function
    >>> window = Windows(np.array([[0.0, 0.0], [2.0, 0.0]]), None, np.eye(2))
    >>> density = MetricDensity(kernel_function("tophat"), (window,), "manhattan", normalization="metric")
    >>> np.exp(density.log_density(np.array([[0.2, 0.3], [0.9, 0.9]])))  # half of 1 / 2: a diamond has the area 2
    array([[0.25],
           [0.  ]])
    """

    kernel: KernelFunction
    windows: tuple[Windows, ...]
    metric: Any
    metric_params: dict[str, Any] | None = None
    normalization: str = "euclidean"
    rtol: float = 0.0
    atol: float = 0.0

    support: ClassVar[None] = None  # type: ignore[misc]
    rows_at_once: ClassVar[int] = 2**20

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.windows), self.windows[0].width

    @cached_property
    def _metric(self) -> Metric:
        found = metric_of(self.metric, self.metric_params, self.shape[1])
        assert found is not None
        return found

    @cached_property
    def _log_constants(self) -> tuple[float, ...]:
        """Logarithm of C and the total weight of each density."""
        d = self.shape[1]
        return tuple(self._log_integral(window, d) + float(np.log(window.total)) for window in self.windows)

    def _log_integral(self, window: Windows, d: int) -> float:
        h = float(window.factor[0, 0])
        if self.normalization == "metric":
            return self._metric.log_integral(self.kernel, h, d)
        return d * float(np.log(h)) - self.kernel.log_constant(d)

    @cached_property
    def _sums(self) -> tuple[MetricSum, ...]:
        return tuple(
            MetricSum(
                self._metric,
                self.kernel,
                window.points,
                window.weights,
                float(window.factor[0, 0]),
                self.rtol,
                self.atol * np.exp(constant) if self.atol else 0.0,
            )
            for window, constant in zip(self.windows, self._log_constants, strict=True)
        )

    def error_bound(self, k: int = 0) -> float:
        return self._sums[k].error_bound + 2.0**-52 * self.shape[1]

    def bandwidths(self, k: int = 0) -> Array:
        return self.windows[k].deviations * self._metric.lengths(self.shape[1])

    def log_density(self, X: Any) -> Array:
        rows = np.asarray(as_floats(X, self.shape[1]), dtype=np.float64)
        if np.isnan(rows).any():
            raise ValueError(f"a missing value (NaN) has no distance by the metric {self._metric.name!r}; fill it.")
        return np.column_stack([self._one(k, rows) for k in range(len(self.windows))])

    def _one(self, k: int, X: Array, own: NDArray[np.int64] | None = None, left: Array | None = None) -> Array:
        return self._sums[k].log(X, own, left) - self._log_constants[k]

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        out = np.empty((len(labels), self.shape[1]))
        for k in np.unique(labels):
            rows, window = np.flatnonzero(labels == k), self.windows[k]
            around = window.points[drawn_rows(window.w, len(rows), rng)]
            out[rows] = self._metric.around(around, self.kernel, float(window.factor[0, 0]), rng)
        return out

    def expectation(self) -> Array:
        self._refuse("the mean")

    def marginal(self, columns: Sequence[int]) -> "MetricDensity":
        self._refuse("a marginal")

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "MetricDensity":
        self._refuse("a conditional")

    def _refuse(self, what: str) -> NoReturn:
        raise TypeError(
            f"{what} of a kernel density is offered for the Euclidean metric, not for {self._metric.name!r}."
        )
