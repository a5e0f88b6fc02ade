"""Known densities: ours, and SciPy's frozen distributions."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array
from parzen.densities.density import Density
from parzen.densities.gaussian import GaussianDensity


@dataclass(frozen=True)
class FrozenDensity(Density):
    """One distribution of SciPy over one column, with parameters that are known.

    Attributes
    ----------
    name : of the distribution in `scipy.stats`
    arguments : tuple of float
    keywords : dict from names to float

    Examples
    --------
    >>> import numpy as np
    >>> FrozenDensity("expon", (), {"scale": 2.0}).log_density(np.array([[0.0], [2.0]])).round(4)
    array([[-0.6931],
           [-1.6931]])
    """

    name: str
    arguments: tuple[float, ...]
    keywords: dict[str, float]

    @property
    def shape(self) -> tuple[int, int]:
        return 1, 1

    @cached_property
    def _distribution(self) -> Any:
        from scipy import stats

        found = getattr(stats, self.name, None)
        if not isinstance(found, stats.rv_continuous | stats.rv_discrete):
            raise ValueError(f"scipy.stats has no distribution {self.name!r} of one column.")
        return found(*self.arguments, **self.keywords)

    def log_density(self, X: Any) -> Array:
        x = np.asarray(X, dtype=np.float64)[:, :1]
        frozen = self._distribution
        log = frozen.logpdf if hasattr(frozen.dist, "logpdf") else frozen.logpmf
        with np.errstate(divide="ignore"):
            return np.where(np.isnan(x), 0.0, log(np.nan_to_num(x)))

    def cdf(self, X: Any, upper: bool = False) -> Array:
        x = np.asarray(X, dtype=np.float64)[:, :1]
        return np.asarray(self._distribution.sf(x) if upper else self._distribution.cdf(x))

    def expectation(self) -> Array:
        return np.array([[float(self._distribution.mean())]])

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return np.asarray(self._distribution.rvs(size=(len(labels), 1), random_state=rng), dtype=np.float64)

    def marginal(self, columns: Sequence[int]) -> "FrozenDensity":
        return self

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "FrozenDensity":
        raise ValueError("a density of one column has no conditional given another.")


def known_density(given: Any) -> Density | None:
    """A density that is given, as ours or as SciPy's frozen distribution; None where it is neither.

    Normal distributions become Gaussians, whose boundaries are polynomials.
    """
    if isinstance(given, Density):
        return given
    frozen = getattr(given, "dist", None)
    name = getattr(frozen, "name", None)
    if isinstance(name, str) and hasattr(given, "args"):
        if name == "norm":
            return GaussianDensity(np.array([[float(given.mean())]]), np.array([[float(given.std())]]))
        keywords = {key: float(value) for key, value in given.kwds.items()}
        return FrozenDensity(name, tuple(float(value) for value in given.args), keywords)
    if type(given).__name__ == "multivariate_normal_frozen":
        mean = np.atleast_1d(np.asarray(given.mean, dtype=np.float64))
        covariance = np.asarray(given.cov, dtype=np.float64).reshape(len(mean), len(mean))
        return GaussianDensity(mean[None], np.asarray(np.linalg.cholesky(covariance)[None], dtype=np.float64))
    return None
