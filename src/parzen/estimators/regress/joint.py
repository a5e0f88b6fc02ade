"""Conditional densities from a joint density of x and y."""

from typing import Any

import numpy as np
from sklearn.base import clone

from parzen.compute.arrays import Array
from parzen.densities.density import Density
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.mixture import MixtureDensity
from parzen.estimators.density.density import BaseDensityEstimator, DensityEstimator
from parzen.estimators.density.univariate import inverse
from parzen.estimators.regress.columns import Inputs
from parzen.families.family import Family
from parzen.smoothing.gaussian_lines import GaussianLines
from parzen.smoothing.regression import Codes
from parzen.tables.cells import column_of, frame_kind

#: Log-density of x below which log p(y | x) is not a difference of two log-densities, which would be rounding error.
FAR = -1e5


class JointConditional:
    """The conditional density of y given x, p(y | x) = p(x, y) / p(x), by a fitted joint density.

    Attributes
    ----------
    joint : density estimator of the columns of X, then of y
    inputs : Inputs
        How X is read.
    width : int
        Number of columns of X.
    names : list of str
        Names of the columns of y.
    marginal : density estimator of the columns of X
    """

    _kept = ("joint", "inputs", "width", "names", "marginal")

    def __init__(self, density: Any, X: Any, values: Any, w: Array | None, inputs: Inputs) -> None:
        if not isinstance(density, Family | BaseDensityEstimator):
            raise TypeError(
                "density must be None, a family such as Gaussian(), or a density estimator of parzen such as "
                f"GaussianMixture(), got {type(density).__name__}."
            )
        self.joint = DensityEstimator(density) if isinstance(density, Family) else clone(density)
        self.inputs, self.width = inputs, X.shape[1]
        self.names = _names(X, values)
        self.joint.fit(beside(X, values, self.names), sample_weight=w)
        self.marginal = self.joint.marginal(list(range(self.width)))

    def log_density(self, X: Any, values: Any, Q: Array, codes: Codes) -> Array:
        below = self.marginal.score_samples(X)
        with np.errstate(invalid="ignore"):
            out = np.asarray(self.joint.score_samples(beside(X, values, self.names)) - below)
        far = np.flatnonzero(~(below > FAR))  # a difference of two large numbers would be rounding error
        if len(far):
            rows = self.joint.schema_.encode(beside(X, values, self.names))[far][:, self.width :]
            some = self._each(Q[far], None if codes is None else codes[far])
            out[far] = [one.log_density(row[None])[0, 0] for one, row in zip(some, rows, strict=True)]
        return out

    def _each(self, Q: Array, codes: Codes) -> Any:
        rows = self.inputs.in_table(Q, codes)
        return (self.joint.density_.conditional(list(range(self.width)), row) for row in rows)

    def mean(self, Q: Array, codes: Codes) -> Array:
        parts = self._gaussians()
        if parts is None:
            return np.concatenate([one.expectation() for one in self._each(Q, codes)])
        rows, R = self._responsibilities(Q)
        return parts.completed(rows, R)[:, self.width :]

    def cdf(self, Q: Array, codes: Codes, y: Array, upper: bool = False) -> Array:
        parts = self._gaussians()
        if parts is not None:
            return self._line(parts, Q).cdf(y, upper)
        pairs = zip(self._each(Q, codes), y, strict=True)
        return np.array([one.cdf(np.array([[at]]), upper)[0, 0] for one, at in pairs])

    def quantile(self, Q: Array, codes: Codes, levels: Array) -> Array:
        parts = self._gaussians()
        if parts is not None:
            return self._line(parts, Q).quantiles(levels)
        return np.array([[_quantile(one, float(level)) for level in levels] for one in self._each(Q, codes)])

    def _gaussians(self) -> GaussianDensity | None:
        """The joint density as Gaussian components, where it is a Gaussian or a mixture of them."""
        density = self.joint.density_
        parts = density.components if isinstance(density, MixtureDensity) else density
        return parts if isinstance(parts, GaussianDensity) else None

    def _responsibilities(self, Q: Array) -> tuple[Array, Array]:
        """Rows whose y is missing, and the posterior probabilities of their components, (m, C)."""
        density = self.joint.density_
        rows = np.full((len(Q), density.shape[1]), np.nan)
        rows[:, : self.width] = Q
        return rows, density.posterior(rows) if isinstance(density, MixtureDensity) else np.ones((len(rows), 1))

    def _line(self, parts: GaussianDensity, Q: Array) -> GaussianLines:
        """p(y | x) of every query, a mixture of Gaussians on a line."""
        rows, R = self._responsibilities(Q)
        C = R.shape[1]
        mean = np.empty((len(Q), C))
        for k in range(C):
            own = np.zeros((len(Q), C))
            own[:, k] = 1.0
            mean[:, k] = parts.completed(rows, own)[:, self.width]
        given = list(range(self.width))  # the deviations of y are the same whatever x is
        deviation = parts.conditional(given, parts.mean[0, : self.width]).factor.reshape(-1)
        return GaussianLines(R, mean, np.broadcast_to(deviation, (C,)))

    def sample(self, Q: Array, codes: Codes, rng: np.random.Generator) -> Array:
        one = np.zeros(1, dtype=np.intp)
        return np.concatenate([given.sample(one, rng) for given in self._each(Q, codes)])


def _quantile(density: Density, level: float) -> float:
    """Quantile of a density of one column."""
    if level in (0.0, 1.0):
        return -np.inf if level == 0 else np.inf

    upper = level > 0.5  # by the tail in which it is the smaller number
    sign, target = -1.0 if upper else 1.0, float(np.log1p(-level) if upper else np.log(level))

    def below(x: Array) -> Array:
        return density.log_cdf(sign * x[:, None], upper)[:, 0]

    centre, width = sign * float(density.expectation()[0, 0]), 1.0
    while not (below(np.array([centre - width]))[0] <= target <= below(np.array([centre + width]))[0]):
        width *= 2.0
        if not np.isfinite(width):
            raise ValueError(f"the density reaches no probability of {level!r}.")
    return sign * float(inverse(below, np.array([target]), centre - width, centre + width)[0])


def _names(X: Any, values: Any) -> list[str]:
    """Names of the columns of y that differ from those of X."""
    taken = set(map(str, X.columns)) if frame_kind(X) else set()
    known = list(map(str, values.columns)) if frame_kind(values) else []
    d = values.shape[1]
    found = known or (["y"] if d == 1 else [f"y{j}" for j in range(d)])
    while any(name in taken for name in found):
        found = [f"({name})" for name in found]
    return found


def beside(X: Any, values: Any, names: list[str]) -> Any:
    """A table with the columns of y after those of X; they have these names, where the table has names."""
    kind = frame_kind(X)
    if kind == "pandas" and all(isinstance(name, str) for name in X.columns):
        import pandas

        columns = [column_of(values, j) for j in range(len(names))]
        series = [one.set_axis(X.index) if hasattr(one, "set_axis") else pandas.Series(one, X.index) for one in columns]
        return pandas.concat([X, pandas.concat(series, axis=1).set_axis(names, axis=1)], axis=1)
    if kind == "polars":
        import polars

        return X.hstack([polars.Series(name, _plain(column_of(values, j))) for j, name in enumerate(names)])
    left, right = (_plain(part) for part in (X, values))
    if left.dtype.kind in "biuf" and right.dtype.kind in "biuf":
        return np.column_stack([left, right])
    return np.column_stack([left.astype(object), right.astype(object)])


def _plain(part: Any) -> Any:
    return part.to_numpy() if hasattr(part, "to_numpy") else np.asarray(part)
