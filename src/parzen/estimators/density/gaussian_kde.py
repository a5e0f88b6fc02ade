"""Kernel density estimation, SciPy's way."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import LinAlgError
from scipy.special import ndtr
from sklearn.utils import check_random_state

from parzen.compute.arrays import Array
from parzen.densities.kernel import WindowDensity
from parzen.densities.windows import Windows
from parzen.smoothing.kernel_functions import kernel_function

#: Bound on the relative error of a density.
RTOL = 1e-10


class gaussian_kde:
    """Gaussian kernel density estimation: a drop-in for SciPy's class, which pandas, seaborn and ArviZ call.

    The bandwidth matrix is the covariance of the data times a squared factor, and a density is the same as SciPy's up
    to a relative error of 1e-10, in time that hardly grows with the number of pairs for one and two variables.
    `parzen.KernelDensity` has more: bandwidths chosen by the data, other kernel functions, bounds, periods, quantiles.

    Parameters
    ----------
    dataset : array of shape (n,) or (d, n)
        The data, a *column* for each sample.
    bw_method : "scott", "silverman", float or callable, optional
        The factor: Scott's (the default) ``neff ** (-1 / (d + 4))``, Silverman's ``(neff (d + 2) / 4) ** (-1 / (d +
        4))``, a number, or a function of this object. Both rules are factors of the standard deviation: they
        oversmooth densities with several peaks or heavy tails, see `parzen.bandwidth`.
    weights : array of shape (n,), optional

    Attributes
    ----------
    dataset : array of shape (d, n)
    d, n : number of variables, and of samples
    neff : float
        Effective number of samples, ``(sum w)^2 / sum w^2``.
    weights : array of shape (n,), which sums to one
    factor : float
    covariance, inv_cov : arrays of shape (d, d)
        The bandwidth matrix, and its inverse.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import gaussian_kde
    >>> kde = gaussian_kde([0.0, 1.0, 5.0])
    >>> kde([0.0, 3.0]).round(4), round(kde.integrate_box_1d(-np.inf, 3.0), 4)
    (array([0.1226, 0.1035]), 0.6404)
    """

    _weights: Array

    def __init__(self, dataset: ArrayLike, bw_method: Any = None, weights: ArrayLike | None = None) -> None:
        self.dataset = np.atleast_2d(np.asarray(dataset))
        if self.dataset.size < 2:
            raise ValueError("dataset must have more than one element.")
        self.d, self.n = self.dataset.shape
        if weights is not None:
            self._weights = _shares(weights, self.n)
        if self.d > self.n:
            raise ValueError(
                f"Number of dimensions is greater than number of samples ({self.d} and {self.n}): the covariance is "
                "singular. A column of dataset is a sample; dataset.T may be meant."
            )
        self.set_bandwidth(bw_method)

    @property
    def weights(self) -> Array:
        """Weights of the samples, which sum to one."""
        if not hasattr(self, "_weights"):
            self._weights = np.full(self.n, 1.0 / self.n)
        return self._weights

    @property
    def neff(self) -> float:
        """Effective number of samples."""
        return float(1.0 / (self.weights @ self.weights))

    def scotts_factor(self) -> float:
        """Scott's factor, ``neff ** (-1 / (d + 4))``."""
        return float(self.neff ** (-1.0 / (self.d + 4)))

    def silverman_factor(self) -> float:
        """Silverman's factor, ``(neff (d + 2) / 4) ** (-1 / (d + 4))``."""
        return float((self.neff * (self.d + 2) / 4.0) ** (-1.0 / (self.d + 4)))

    #: The rule that gives `factor`: a subclass may have its own.
    covariance_factor: Callable[..., Any] = scotts_factor

    def set_bandwidth(self, bw_method: Any = None) -> None:
        """Choose the bandwidth anew; None keeps the rule.

        Parameters
        ----------
        bw_method : as of the class
        """
        if isinstance(bw_method, str) and bw_method in ("scott", "silverman"):
            self.covariance_factor = self.scotts_factor if bw_method == "scott" else self.silverman_factor
        elif np.isscalar(bw_method) and not isinstance(bw_method, str):
            self.covariance_factor = lambda: bw_method
        elif callable(bw_method):
            self.covariance_factor = lambda: bw_method(self)
        elif bw_method is not None:
            raise ValueError(f"bw_method must be 'scott', 'silverman', a number or a function, got {bw_method!r}.")
        self._compute_covariance()

    def _compute_covariance(self) -> None:
        """The bandwidth matrix of the current rule; SciPy's users call it after they have set `covariance_factor`."""
        factor = self.covariance_factor()
        scatter = np.atleast_2d(np.cov(self.dataset, aweights=self.weights))
        try:
            cholesky = np.linalg.cholesky(scatter.astype(np.float64))
        except LinAlgError:
            raise LinAlgError(
                "The data appears to lie in a lower-dimensional subspace: its covariance is singular. Leave out "
                "variables that follow from others, or take parzen.KernelDensity, whose bandwidths may be any."
            ) from None
        self.factor = factor
        self.covariance = scatter * factor**2
        windows = Windows(self._rows(self.dataset), self.weights, cholesky * float(factor))
        self._density = WindowDensity(kernel_function("gaussian"), (windows,), rtol=RTOL)

    @property
    def inv_cov(self) -> Array:
        """The inverse of `covariance`."""
        return np.asarray(np.linalg.inv(self.covariance.astype(np.float64)))

    @staticmethod
    def _rows(points: NDArray[Any]) -> Array:
        return np.ascontiguousarray(points.T, dtype=np.float64)

    def logpdf(self, x: ArrayLike) -> Array:
        """Log-density at points.

        Parameters
        ----------
        x : array of shape (d, m), or (d,) for one point

        Returns
        -------
        array of shape (m,)
        """
        points = np.atleast_2d(np.asarray(x))
        if points.shape[0] != self.d and points.shape == (1, self.d):
            points = points.T
        if points.shape[0] != self.d:
            raise ValueError(
                f"points have dimension {points.shape[0]}, dataset has dimension {self.d}; a column is a point."
            )
        rows = self._rows(points)
        logs = self._density.log_density(rows)[:, 0]
        logs[np.isnan(rows).any(axis=1)] = np.nan
        return logs.astype(np.result_type(self.covariance, points))

    def evaluate(self, points: ArrayLike) -> Array:
        """Density at points of shape (d, m), or (d,) for one point: an array of shape (m,)."""
        return np.exp(self.logpdf(points))

    __call__ = evaluate

    def pdf(self, x: ArrayLike) -> Array:
        """Density at points: the same as `evaluate`."""
        return self.evaluate(x)

    def integrate_gaussian(self, mean: ArrayLike, cov: ArrayLike) -> float:
        """Integral of the density times a Gaussian of this mean (d,) and covariance (d, d)."""
        centre, spread = np.atleast_1d(np.squeeze(mean)), np.atleast_2d(np.asarray(cov, dtype=np.float64))
        if centre.shape != (self.d,):
            raise ValueError(f"mean must have shape ({self.d},), got {centre.shape}.")
        if spread.shape != (self.d, self.d):
            raise ValueError(f"cov must have shape ({self.d}, {self.d}), got {spread.shape}.")
        return float(np.exp(self._widened(spread).log_density(self._rows(centre[:, None]))[0, 0]))

    def integrate_kde(self, other: "gaussian_kde") -> float:
        """Integral of the product of this density with another."""
        if other.d != self.d:
            raise ValueError(f"the other density must have {self.d} variables as this one, got {other.d}.")
        logs = self._widened(other.covariance).log_density(self._rows(other.dataset))[:, 0]
        return float(other.weights @ np.exp(logs))

    def _widened(self, by: Array) -> WindowDensity:
        """The density convolved with a Gaussian of covariance `by`."""
        factor = np.linalg.cholesky((self.covariance + by).astype(np.float64))
        windows = Windows(self._rows(self.dataset), self.weights, factor)
        return WindowDensity(self._density.kernel, (windows,), rtol=RTOL)

    def integrate_box_1d(self, low: float, high: float) -> float:
        """Probability of the interval from `low` to `high`, of one variable."""
        if self.d != 1:
            raise ValueError(f"integrate_box_1d takes densities of one variable, this one has {self.d}: integrate_box.")
        h, x = float(np.sqrt(self.covariance[0, 0])), self.dataset[0].astype(np.float64)
        ends = np.stack([(low - x) / h, (high - x) / h])
        # Of two values above the mean the upper tails are subtracted, which keep their digits.
        above = ends.sum(axis=0) > 0
        ends = np.where(above, -ends[::-1], ends)
        return float(self.weights @ (ndtr(ends[1]) - ndtr(ends[0])))

    def integrate_box(
        self, low_bounds: ArrayLike, high_bounds: ArrayLike, maxpts: int | None = None, *, rng: Any = None
    ) -> float:
        """Probability of a box.

        Parameters
        ----------
        low_bounds, high_bounds : arrays of shape (d,)
        maxpts : int, optional
            Most points of the numerical integration (`scipy.stats.multivariate_normal`), for each sample.
        rng : numpy.random.Generator, optional
            Of the numerical integration of three variables and more.
        """
        low, high = (np.atleast_1d(np.asarray(bounds, dtype=np.float64)) for bounds in (low_bounds, high_bounds))
        for name, bounds in (("low_bounds", low), ("high_bounds", high)):
            if bounds.shape != (self.d,):
                raise ValueError(f"{name} must have shape ({self.d},), got {bounds.shape}.")
        # A variable without bounds is marginalised.
        bounded = np.flatnonzero((low > -np.inf) | (high < np.inf))
        if len(bounded) == 0:
            return 1.0
        if len(bounded) < self.d:
            return self.marginal(bounded)._box(low[bounded], high[bounded], maxpts, rng)
        return self._box(low, high, maxpts, rng)

    def _box(self, low: Array, high: Array, maxpts: int | None, rng: Any) -> float:
        from scipy.stats import multivariate_normal

        if self.d == 1:
            return self.integrate_box_1d(low[0], high[0])
        X = self._rows(self.dataset)
        options = {} if rng is None else {"rng": rng}
        values = multivariate_normal.cdf(high - X, lower_limit=low - X, cov=self.covariance, maxpts=maxpts, **options)
        return float(self.weights @ np.atleast_1d(values))

    def resample(self, size: int | None = None, seed: Any = None) -> Array:
        """Draw samples, the same as SciPy's for the same seed.

        Parameters
        ----------
        size : int, optional
            How many; by default the effective number of samples.
        seed : None, int, numpy.random.RandomState or numpy.random.Generator

        Returns
        -------
        array of shape (d, size)
        """
        size = int(self.neff) if size is None else size
        rng = seed if isinstance(seed, np.random.Generator) else check_random_state(seed)
        noise = rng.multivariate_normal(np.zeros(self.d), self.covariance, size=size).T
        return np.asarray(self.dataset[:, rng.choice(self.n, size=size, p=self.weights)] + noise)

    def marginal(self, dimensions: ArrayLike) -> "gaussian_kde":
        """The density of some of the variables.

        Parameters
        ----------
        dimensions : int or array of int
            Which variables; negative ones count from the last.
        """
        wanted = np.atleast_1d(dimensions)
        if not np.issubdtype(wanted.dtype, np.integer):
            raise ValueError(f"Elements of `dimensions` must be integers, got {dimensions!r}.")
        kept = np.where(wanted < 0, wanted + self.d, wanted)
        wrong = (kept < 0) | (kept >= self.d)
        if wrong.any():
            raise ValueError(f"Dimensions {wanted[wrong]} are invalid for a distribution in {self.d} dimensions.")
        if len(np.unique(kept)) < len(kept):
            raise ValueError(f"All elements of `dimensions` must be unique, got {dimensions!r}.")
        return gaussian_kde(self.dataset[kept], bw_method=self.covariance_factor(), weights=self.weights)


def _shares(weights: ArrayLike, n: int) -> Array:
    w = np.atleast_1d(np.asarray(weights)).astype(np.float64)
    if w.ndim != 1:
        raise ValueError(f"`weights` input should be one-dimensional, got {w.ndim} dimensions.")
    if len(w) != n:
        raise ValueError(f"`weights` input should be of length n = {n}, got {len(w)}.")
    if not (w >= 0).all() or not 0 < w.sum() < np.inf:
        raise ValueError("weights must be finite, not negative, and not all zero.")
    return w / w.sum()
