"""Kernel densities (Parzen windows): the family whose statistic is the sample."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from parzen.compute.arrays import Array, as_floats, on_host
from parzen.compute.checks import choose
from parzen.compute.memberships import Memberships
from parzen.densities.kernel import WindowDensity
from parzen.densities.metric import MetricDensity
from parzen.densities.summed_kernels import SummedKernelDensity
from parzen.densities.support import Support
from parzen.densities.windows import Windows
from parzen.families.family import Family
from parzen.families.sampling import observed
from parzen.families.streamed_points import chosen_factor
from parzen.families.summed_kernels import check_summed, summed, summed_density
from parzen.smoothing import bandwidth as bandwidths
from parzen.smoothing.bandwidth.matrix import check_shape
from parzen.smoothing.kernel_functions import KernelFunction, kernel_function
from parzen.smoothing.metric_names import metric_of
from parzen.statistics.cell_moments import CellMoments
from parzen.statistics.messages import Collapse, named_groups, warn_floor
from parzen.statistics.sample import Sample
from parzen.tables.table import Table


@dataclass(eq=False, repr=False)
class Kernel(Family):
    r"""Parzen windows: :math:`f(x) = \sum_j w_j K_H(x - x_j) / \sum_j w_j`, a kernel around every row.

    Its statistic is `Sample`: the rows themselves; or `CellMoments`, whose size does not grow with them (`summed`).

    Parameters
    ----------
    bandwidth : float, array or str
        A number h; one for each column; a matrix H, in squared units as a covariance; or a rule of `parzen.bandwidth`:
        "scott", "silverman", "isj", "sj", "lscv", "lcv", "plug-in", "scv". A number is the standard deviation of a
        Gaussian kernel and the radius of one that ends, as in scikit-learn. A rule chooses for a Gaussian kernel, and
        the choice is carried over to others so that they smooth as much (canonical bandwidths).
    kernel : str or callable
        "gaussian", "tophat", "epanechnikov", "triangular" ("linear"), "biweight", "triweight", "cosine", "exponential",
        or a function K(u) of an array that is symmetric and integrates to one; both are checked. Kernels of several
        columns are radial.
    covariance : "scaled", "diag", "full" or None
        How a rule shapes H: see `parzen.bandwidth.choose`.
    adaptive : bool or float
        Abramson's bandwidths: those of a row are multiplied by (f(x_j) / g)^(-a), f a pilot density with the same
        bandwidth, g its geometric mean, a = 1/2 or the number given.
    bounds : tuple (low, high), list or dict
        Ends of columns, None where there is none: the density is reflected there. One pair for a single column, a list
        with one for each column (None: unbounded), or a dict from names or positions. Rules don't know of them.
    period : float, list or dict
        Periodic columns: the length of a period, or (begin, length). A rule sees such a column cut where it is
        emptiest.
    rtol, atol : float
        What a density may be off by: relative to itself, and in its units. ``rtol=0`` sums all pairs.
    metric : str or callable
        How far apart rows are: "euclidean" ("l2"), "manhattan" ("l1", "cityblock"), "chebyshev" ("infinity"),
        "minkowski" ("p"), "seuclidean", "mahalanobis", "haversine" (great circles: latitude and longitude in radians),
        or any other of scikit-learn's ball tree; or a function of two rows that is a true metric. Other than Euclidean
        ones take one number as the bandwidth, and no bounds, periods or adaptive bandwidths.
    metric_params : dict, optional
        `p` and weights `w` of "minkowski", `V` of "seuclidean", `V` or `VI` of "mahalanobis", further arguments of a
        function.
    normalization : "euclidean" or "metric"
        What a kernel is divided by: its integral under the Euclidean metric, which is scikit-learn's convention for
        every metric; or under this one, so that the density integrates to one: over the sphere of radius 1 for
        "haversine" (a density for each steradian), over all rows for norms. Others have no such integral.
    incomplete : "error" or "drop"
        What becomes of a row of several columns with a missing cell when the density is fitted: it is an error, or the
        row gets no kernel. A missing cell of a row that is evaluated is marginalised either way.
    summed : bool
        Whether moments of the rows in cells are kept instead of the rows: for Gaussian kernels of one bandwidth in one
        or two columns. Densities are within `rtol` of the sum over rows; far from all rows a warning says where they
        are not. Rows that are read from a source (`parzen.scan`) are always summed.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import Kernel, fit
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> fit(Kernel(bandwidth=0.5), X).density.log_density(np.array([[0.0], [100.0]])).round(3)
    array([[-1.1970000e+00],
           [-1.8819324e+04]])
    """

    bandwidth: Any = "silverman"
    kernel: Any = "gaussian"
    covariance: str | None = None
    adaptive: bool | float = False
    bounds: Any = None
    period: Any = None
    rtol: float = 1e-6
    atol: float = 0.0
    incomplete: str = "error"
    metric: Any = "euclidean"
    metric_params: dict[str, Any] | None = None
    normalization: str = "euclidean"
    summed: bool = False

    @property
    def keeps_rows(self) -> bool:  # type: ignore[override]
        """Whether its statistic is the rows themselves."""
        return not self.summed

    @property
    def takes_device(self) -> bool:  # type: ignore[override]
        """Whether rows may lie on a GPU: where kernels have a name and one bandwidth, and there are no bounds."""
        plain = isinstance(self.kernel, str) and self.adaptive is False and self.bounds is None and self.period is None
        return plain and isinstance(self.metric, str) and self.metric in ("euclidean", "l2")

    @property
    def takes_missing(self) -> bool:  # type: ignore[override]
        """In several columns only where incomplete rows are dropped; of one column alone, a missing cell is no row."""
        return self.incomplete == "drop"

    def bind(self, table: Table) -> Self:
        places = {name: self._positions(table, getattr(self, name)) for name in ("bounds", "period")}
        batches = table.batches()
        if batches is None:
            return replace(self, **places)
        d = len(table.names())
        check_summed(self, d)
        if not self._by_rule:
            return replace(self, **places, summed=True)
        bandwidths.check_rule(self.bandwidth, self.covariance)
        factor = chosen_factor(self.bandwidth, batches, d, self.covariance)
        return replace(self, **places, summed=True, bandwidth=float(factor[0, 0]) if d == 1 else factor @ factor.T)

    @staticmethod
    def _positions(table: Table, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        return {table.positions(column)[0]: value for column, value in given.items()}

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Sample | CellMoments:
        rows = as_floats(on_host(X))  # they are kept: the statistic of a kernel density is on the host, as others are
        d = rows.shape[1]
        self._check(d)
        if self.summed:
            check_summed(self, d)
            return summed(rows, R, given_factor(self.bandwidth, d), self.incomplete)
        return observed(rows, R, "a kernel", self.incomplete)

    def maximise(self, statistic: Sample | CellMoments) -> WindowDensity | MetricDensity | SummedKernelDensity:
        if isinstance(statistic, CellMoments):
            return summed_density(statistic, given_factor(self.bandwidth, statistic.width), self.rtol, self.atol)
        d, K = statistic.width, statistic.groups
        kernel, support = self._check(d)
        samples = [statistic.of_group(k) for k in range(K)]
        filled = [k for k in range(K) if len(samples[k][0])]
        if not filled:
            raise Collapse("a kernel density needs at least one row with weight; none came.")
        everything = statistic.pooled().of_group(0) if len(filled) < K or (K > 1 and self._by_rule) else samples[0]
        samples = [samples[k] if k in filled else everything for k in range(K)]
        if not self._is_euclidean(d):
            return self._by_metric(kernel, [Windows(*sample, given_factor(self.bandwidth, d)) for sample in samples])
        if support is not None:
            for points, _ in samples:
                support.check(points)
            samples = [(support.fold(points) if support.periodic.any() else points, w) for points, w in samples]
        cut = samples if support is None or not self._by_rule else [(support.cut(points), w) for points, w in samples]
        factors = [self._factor(kernel, *sample, everything if K > 1 else None, k) for k, sample in enumerate(cut)]
        ends = statistic.ends if K == 1 and support is None else None
        windows = (Windows(points, w, factor, ends=ends) for (points, w), factor in zip(samples, factors, strict=True))
        density = WindowDensity(kernel, tuple(windows), support, float(self.rtol), float(self.atol))
        return density if self.adaptive is False else self._adapted(density)

    def _is_euclidean(self, d: int) -> bool:
        return metric_of(self.metric, self.metric_params, d) is None

    def _by_metric(self, kernel: KernelFunction, windows: list[Windows]) -> MetricDensity:
        tolerance = float(self.rtol), float(self.atol)
        metric, first = metric_of(self.metric, self.metric_params, windows[0].width), windows[0].points[:1]
        if metric is not None:
            metric.distances(
                first, first
            )  # a function that can't measure rows fails here, not when densities are asked for
        return MetricDensity(kernel, tuple(windows), self.metric, self.metric_params, self.normalization, *tolerance)

    @property
    def _by_rule(self) -> bool:
        return isinstance(self.bandwidth, str)

    def _factor(self, kernel: KernelFunction, points: Array, w: Array | None, everything: Any, k: int) -> Array:
        """Factor of H for one group; a group that is too small for its rule takes that of all rows."""
        d = points.shape[1]
        if not self._by_rule:
            return given_factor(self.bandwidth, d)
        try:
            return bandwidths.choose(self.bandwidth, points, w, self.covariance) * kernel.canonical(d)
        except ValueError:
            if everything is None:
                raise
            points, w = everything
            factor = bandwidths.choose(self.bandwidth, points, w, self.covariance) * kernel.canonical(d)
            warn_floor(
                f"{named_groups([k])} have too few different rows for the rule {self.bandwidth!r} of Kernel; the "
                "bandwidth of all rows was taken. Give more rows, or bandwidth a number."
            )
            return factor

    def _adapted(self, density: WindowDensity) -> WindowDensity:
        sensitivity = 0.5 if self.adaptive is True else float(self.adaptive)
        windows = []
        for k, window in enumerate(density.windows):
            pilot = density._one(k, window.points)
            middle = np.average(pilot, weights=window.w)
            windows.append(replace(window, scales=np.exp(-sensitivity * (pilot - middle))))
        return replace(density, windows=tuple(windows))

    def _check(self, d: int) -> tuple[KernelFunction, Support | None]:
        """The kernel and the support, or an error where a parameter is wrong."""
        for name in ("rtol", "atol"):
            value = getattr(self, name)
            if not isinstance(value, int | float | np.number) or isinstance(value, bool) or not 0 <= value < np.inf:
                raise ValueError(f"{name} must be a number, at least 0, got {value!r}.")
        if not isinstance(self.adaptive, bool | np.bool_) and not (
            isinstance(self.adaptive, int | float | np.number) and 0 <= self.adaptive <= 1
        ):
            raise ValueError(f"adaptive must be True, False, or a number from 0 to 1, got {self.adaptive!r}.")
        choose("incomplete", self.incomplete, ("error", "drop"))
        self._check_metric(d)
        check_shape(self.covariance)
        if self._by_rule:
            bandwidths.check_rule(self.bandwidth, self.covariance)
        else:
            given_factor(self.bandwidth, d)
        kernel = kernel_function(self.kernel)
        kernel.log_constant(d)  # one's own kernel may have no integral over several columns
        return kernel, Support.of(d, self.bounds, self.period)

    def _check_metric(self, d: int) -> None:
        """Raise where a parameter does not go with the metric."""
        choose("normalization", self.normalization, ("euclidean", "metric"))
        metric = metric_of(self.metric, self.metric_params, d)
        if metric is None:
            return
        if self._by_rule or np.ndim(self.bandwidth) > 0:
            raise ValueError(
                f"the metric {metric.name!r} takes one number as the bandwidth, a distance, got {self.bandwidth!r}; "
                "rules and bandwidths of columns know Euclidean rows. Choose by leave_one_out, or search over numbers."
            )
        given_factor(self.bandwidth, d)
        euclidean = {"covariance": None, "adaptive": False, "bounds": None, "period": None}
        for name, value in euclidean.items():
            if getattr(self, name) is not value:
                raise ValueError(
                    f"{name} is for the Euclidean metric, but the metric is {metric.name!r}; leave it out."
                )
        if self.normalization == "metric":
            metric.log_integral(kernel_function(self.kernel), float(self.bandwidth), d)  # an error where there is none


def given_factor(bandwidth: Any, d: int) -> Array:
    """Lower triangular factor of H from a number, one for each column, or H itself."""
    try:
        h = np.asarray(bandwidth, dtype=np.float64)
    except (TypeError, ValueError):
        h = np.empty((0, 0, 0))
    if bandwidth is None or h.ndim > 2 or (h.ndim == 1 and len(h) != d) or (h.ndim == 2 and h.shape != (d, d)):
        raise ValueError(
            f"bandwidth must be a number, {d} numbers (one for each column), a matrix of shape ({d}, {d}), or the name "
            f"of a rule, got {bandwidth!r}."
        )
    if not np.isfinite(h).all() or (h.ndim < 2 and not (h > 0).all()):
        raise ValueError(f"bandwidth must be finite and above 0, got {bandwidth!r}.")
    if h.ndim < 2:
        return np.diag(np.broadcast_to(h, d)).astype(np.float64)
    if not np.allclose(h, h.T, rtol=1e-10, atol=0.0):
        raise ValueError("bandwidth as a matrix H must be symmetric, like a covariance.")
    try:
        return np.asarray(np.linalg.cholesky(h), dtype=np.float64)
    except np.linalg.LinAlgError:
        least = np.linalg.eigvalsh(h)[0]
        raise ValueError(
            f"bandwidth as a matrix H must be positive definite, but its least eigenvalue is {least:.3g}; H is in "
            "squared units, like a covariance."
        ) from None
