"""Kernel density estimation, scikit-learn's way and further."""

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array, on_host
from parzen.compute.checks import choose
from parzen.densities.kept_rows import KeptRows
from parzen.densities.summed_kernels import SummedKernelDensity
from parzen.densities.windows import Windows
from parzen.estimators.base.validation import drop_zero_weight, weights
from parzen.estimators.density.univariate import UnivariateMixin
from parzen.families.family import Family
from parzen.families.kernel import Kernel
from parzen.smoothing.metric_names import OF_KD_TREE, check_metric
from parzen.tables.sources.source import Source

#: Most places of a grid.
MOST_PLACES = 2**28


class KernelDensity(UnivariateMixin):
    """Kernel density estimation: a drop-in for scikit-learn's, with a bandwidth chosen by the data if asked.

    Parameters
    ----------
    bandwidth : float, array or str
        A number, one for each column, a matrix H, or a rule: see `parzen.Kernel`. Unlike scikit-learn's, the rules
        "scott" and "silverman" know the scale of the data.
    metric, metric_params :
        How far apart rows are, as in scikit-learn or a function of two rows: see `parzen.Kernel`.
    algorithm, leaf_size : str, int
        The tree that `tree_` is, and its leaves; metrics of the ball tree alone are refused by "kd_tree", as in
        scikit-learn. Densities don't depend on them.
    breadth_first : bool
        Accepted as in scikit-learn; there is nothing to choose here.
    kernel : str or callable
        See `parzen.Kernel`.
    atol, rtol : float
        What a density may be off by: in its units, and relative to itself. ``rtol=0`` sums all pairs exactly.
    covariance, adaptive, bounds, period :
        See `parzen.Kernel`.
    normalization : "euclidean" or "metric"
        Whether densities by another metric are divided by the constant of the Euclidean one, which is scikit-learn's
        convention, or by their own, so that they integrate to one: see `parzen.Kernel`.

    Attributes
    ----------
    bandwidth_ : float or array
        The bandwidth h where all columns have the same; one for each column (d,); else the matrix H (d, d), in squared
        units.
    error_bound_ : float
        What is promised: a density f is off by at most ``error_bound_ * f + atol``; rtol, and rounding. Just within the
        border of compact kernels, f stands here for what it would be with these kernels at their highest value.
    tree_ : KDTree or BallTree
        Scikit-learn's tree of the rows, made when it is first asked for: densities have no use for it.
    density_ : WindowDensity, MetricDensity, or SummedKernelDensity of a source
    statistic_ : Sample, or CellMoments of a source
        The rows, or their moments in cells, to which `partial_fit` and `merge` add.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import KernelDensity
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(-4, 1, 500), rng.normal(4, 0.2, 500)])[:, None]
    >>> model = KernelDensity(bandwidth="isj").fit(X)
    >>> round(model.bandwidth_, 3), np.exp(model.score_samples([[-4.0], [4.0]])).round(2)
    (0.073, array([0.17, 1.01]))
    >>> round(model.quantile(0.25), 2)
    -4.06

    Quito and Nairobi, on the sphere: latitudes and longitudes in radians.

    >>> cities = np.radians([[-0.2, -78.5], [-1.3, 36.8]])
    >>> sphere = KernelDensity(bandwidth=0.1, metric="haversine", normalization="metric").fit(cities)
    >>> np.exp(sphere.score_samples(np.radians([[0.0, -80.0], [0.0, 280.0], [0.0, 0.0]]))).round(3)
    array([7.711, 7.711, 0.   ])
    """

    def __init__(
        self,
        *,
        bandwidth: Any = 1.0,
        algorithm: str = "auto",
        kernel: Any = "gaussian",
        metric: Any = "euclidean",
        atol: float = 0.0,
        rtol: float = 1e-6,
        breadth_first: bool = True,
        leaf_size: int = 40,
        metric_params: dict[str, Any] | None = None,
        covariance: str | None = None,
        adaptive: bool | float = False,
        bounds: Any = None,
        period: Any = None,
        normalization: str = "euclidean",
    ) -> None:
        self.bandwidth = bandwidth
        self.algorithm = algorithm
        self.kernel = kernel
        self.metric = metric
        self.atol = atol
        self.rtol = rtol
        self.breadth_first = breadth_first
        self.leaf_size = leaf_size
        self.metric_params = metric_params
        self.covariance = covariance
        self.adaptive = adaptive
        self.bounds = bounds
        self.period = period
        self.normalization = normalization

    def _family(self) -> Family:
        choose("algorithm", self.algorithm, ("auto", "kd_tree", "ball_tree"))
        if not isinstance(self.leaf_size, int | np.integer) or self.leaf_size < 1:
            raise ValueError(f"leaf_size must be a whole number, at least 1, got {self.leaf_size!r}.")
        if not isinstance(self.breadth_first, bool | np.bool_):
            raise ValueError(f"breadth_first must be True or False, got {self.breadth_first!r}.")
        check_metric(self.metric, self.metric_params)
        if self.algorithm == "kd_tree" and self.metric not in OF_KD_TREE:
            raise ValueError(
                f"invalid metric for algorithm='kd_tree': {self.metric!r}; take algorithm='auto', or one of "
                f"{', '.join(map(repr, OF_KD_TREE))}."
            )
        return Kernel(
            self.bandwidth,
            self.kernel,
            self.covariance,
            self.adaptive,
            self.bounds,
            self.period,
            self.rtol,
            self.atol,
            metric=self.metric,
            metric_params=self.metric_params,
            normalization=self.normalization,
        )

    @property
    def _kernels(self) -> KeptRows:
        check_is_fitted(self, "density_")
        if not isinstance(self.density_, KeptRows):
            raise TypeError(
                "this kernel density was fitted to a source, whose rows are not kept; fit a table in memory."
            )
        return self.density_

    @property
    def _windows(self) -> Windows:
        return self._kernels.windows[0]

    @property
    def bandwidth_(self) -> Any:
        """The bandwidth that was used."""
        check_is_fitted(self, "density_")
        density: Any = self.density_
        factor = density.factor if isinstance(density, SummedKernelDensity) else self._windows.factor
        diagonal = np.diagonal(factor)
        if (factor != np.diag(diagonal)).any():
            return factor @ factor.T
        return float(diagonal[0]) if (diagonal == diagonal[0]).all() else np.array(diagonal)

    @property
    def error_bound_(self) -> float:
        """What is promised of the error, relative to a density."""
        check_is_fitted(self, "density_")
        density = self.density_
        return density.error_bound if isinstance(density, SummedKernelDensity) else self._kernels.error_bound()

    @property
    def tree_(self) -> Any:
        """Scikit-learn's tree of the rows with weight, for code that reads it."""
        density = self._kernels
        if self._trees.get("density") is not density:
            from sklearn.neighbors import BallTree, KDTree

            family: Any = self.given_
            kind = BallTree if self.algorithm == "ball_tree" or family.metric not in OF_KD_TREE else KDTree
            window = density.windows[0]
            options = {"leaf_size": self.leaf_size, "metric": family.metric, "sample_weight": window.weights}
            self._trees.update(density=density, tree=kind(window.points, **options, **(family.metric_params or {})))
        return self._trees["tree"]

    @cached_property
    def _trees(self) -> dict[str, Any]:
        return {}

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """Total log-density of the rows: a sum, as in scikit-learn's KernelDensity, not the mean."""
        if isinstance(X, Source):
            return self._likelihood(X, sample_weight)[0]
        values = on_host(self.score_samples(X))
        values, w = drop_zero_weight(values, weights(sample_weight, values))
        return float(values.sum() if w is None else w @ values)

    def leave_one_out(self, X: Any = None) -> Array:
        """Leave-one-out log-density of each fitted row, or of rows X as in `DensityEstimator.leave_one_out`, (n,).

        Rows of weight zero are left out. A whole weight counts rows, of which one is left out.
        """
        check_is_fitted(self, "density_")
        if X is not None:
            return super().leave_one_out(X)
        return self._kernels.leave_one_out_rows()[0]

    def grid(self, size: int | tuple[int, ...] = 512, *, cut: float = 3.0) -> tuple[Any, Array]:
        """The density on a regular grid from `cut` bandwidths below the data to as many above, within the bounds.

        Parameters
        ----------
        size : number of places, for each column or of each

        Returns
        -------
        places, density : of one column two arrays of shape (size,); of several a tuple of the columns' places, and an
            array with one axis for each

        Examples
        --------
        >>> import numpy as np
        >>> from parzen import KernelDensity
        >>> x, density = KernelDensity(bandwidth=1.0).fit(np.zeros((1, 1))).grid(5)
        >>> x, density.round(3)
        (array([-3. , -1.5,  0. ,  1.5,  3. ]), array([0.004, 0.13 , 0.399, 0.13 , 0.004]))
        """
        d = self._windows.width
        sizes: Any = (size,) * d if isinstance(size, int | np.integer) or not np.iterable(size) else tuple(size)
        whole = all(isinstance(one, int | np.integer) and one >= 2 for one in sizes)
        if not isinstance(cut, int | float | np.number) or not 0 <= cut < np.inf:
            raise ValueError(f"cut must be a finite number of bandwidths, at least 0, got {cut!r}.")
        if len(sizes) != d or not whole:
            raise ValueError(f"size must be at least 2, one or {d} whole numbers, got {size!r}.")
        total = float(np.prod([float(one) for one in sizes]))
        if total > MOST_PLACES:
            raise ValueError(
                f"a grid of size {size!r} in {d} columns has {total:.3g} places and would take "
                f"{8e-9 * (d + 1) * total:,.1f} GB of memory; ask for at most {MOST_PLACES:,} places."
            )
        low, high = self._corners(cut)
        places = tuple(np.linspace(a, b, int(n)) for a, b, n in zip(low, high, sizes, strict=True))
        rows = np.stack(np.meshgrid(*places, indexing="ij"), axis=-1).reshape(-1, d)
        density = np.exp(self.density_.log_density(rows)[:, 0]).reshape(sizes)
        return (places[0] if d == 1 else places), density

    def _corners(self, cut: float) -> tuple[Array, Array]:
        windows = self._windows
        widest = 1.0 if windows.scales is None else float(windows.scales.max())
        margin = cut * widest * self._kernels.bandwidths()
        least, most = windows.ends or (windows.points.min(axis=0), windows.points.max(axis=0))
        low, high = least - margin, most + margin
        support = self._kernels.support
        if support is None:
            return low, high
        low, high = np.maximum(low, support.low), np.minimum(high, support.high)
        return np.where(support.periodic, support.low, low), np.where(support.periodic, support.high, high)

    def _ends(self) -> tuple[float, float]:
        kernel = self.density_.kernel  # type: ignore[attr-defined]
        reach = 1.0 if kernel.compact else {"gaussian": 40.0, "exponential": 750.0}.get(kernel.name, 1e9)
        low, high = self._corners(reach)
        return float(low[0]), float(high[0])

    def _limits(self) -> tuple[float, float]:
        low, high = self._ends()
        density: Any = self.density_
        if density.kernel.compact:
            return low, high
        support = density.support
        return (-np.inf, np.inf) if support is None else (float(support.low[0]), float(support.high[0]))

    def _grid(self, size: int) -> Array:
        """Places around every point, at most `size` equal steps where there are many."""
        windows = self._windows
        low, high = (float(end[0]) for end in self._corners(5.0))
        h = float(windows.deviations[0]) * (1.0 if windows.scales is None else float(windows.scales.min()))
        if (high - low) / h <= 0.1 * 2**17:
            return np.linspace(low, high, int(np.clip(10 * (high - low) / h, size, 2**17)))
        # Around every point, where the range is long: as many grid points as neighbouring rows leave room for.
        around = np.unique(windows.points[:, 0])
        ends = np.concatenate([[0], np.flatnonzero(np.diff(around) > 10.0 * h) + 1, [len(around)]])
        parts = [np.linspace(low, high, size)]
        for first, last in pairwise(ends):
            a, b = around[first] - 5.0 * h, around[last - 1] + 5.0 * h
            parts.append(np.linspace(a, b, int(np.clip(8 * (b - a) / h, 2, 2**20))))
        return np.unique(np.clip(np.concatenate(parts), low, high))
