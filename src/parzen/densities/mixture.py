"""A mixture: the sum of weighted densities of components."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array
from parzen.compute.em import Components, components
from parzen.densities.columns import chosen
from parzen.densities.density import Density
from parzen.densities.factors import least_variances
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.posterior import log_joint, posterior


@dataclass(frozen=True)
class MixtureDensity(Density):
    r"""One mixture: :math:`p(x) = \sum_c \pi_c p_c(x)`. It is one density (K = 1), however many components it has.

    Attributes
    ----------
    components : Density
        The components, C densities over the same columns.
    log_weight : array of shape (C,)

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.densities.gaussian import GaussianDensity
    >>> two = MixtureDensity(GaussianDensity(np.array([[0.0], [4.0]]), np.ones((2, 1))), np.log([0.75, 0.25]))
    >>> two.log_density(np.array([[0.0]])).round(4), two.posterior(np.array([[2.0]])).round(2)
    (array([[-1.2065]]), array([[0.75, 0.25]]))
    """

    components: Density
    log_weight: Array

    @property
    def shape(self) -> tuple[int, int]:
        return 1, self.components.shape[1]

    @property
    def weight(self) -> Array:
        """Weights of the components, (C,)."""
        return np.exp(self.log_weight)

    @property
    def size(self) -> int:
        """Number of components."""
        return len(self.log_weight)

    @cached_property
    def gaussians(self) -> Components | None:
        """The components prepared for the compiled E-step, where they are Gaussians."""
        if not isinstance(self.components, GaussianDensity):
            return None
        return components(self.components.mean, self.components.factor, self.log_weight)

    def log_density(self, X: Any) -> Array:
        return self.log_joint(X)[0][:, None]

    def log_joint(self, X: Any) -> tuple[Array, Array]:
        """Log-density of each row, (n,), and the log of weight times density of each component, (n, C)."""
        return log_joint(self.components, self.log_weight, X)

    def posterior(self, X: Any) -> Array:
        """Responsibilities: the posterior probability of each component, (n, C); the weights, where all are zero."""
        return posterior(self.components, self.log_weight, X, log=False)[0]

    def elbo(self, X: Any, at: Density) -> Array:
        """ELBO with the responsibilities of another mixture; equal to the log-density at the same mixture."""
        assert isinstance(at, MixtureDensity)
        sums, joint = at.log_joint(X)
        with np.errstate(invalid="ignore"):
            log_share = np.where(np.isneginf(joint), -np.inf, joint - sums[:, None])
            share = np.exp(log_share)
            terms = np.where(share == 0, 0.0, share * (self.log_joint(X)[1] - log_share))
        return terms.sum(axis=1, keepdims=True)

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return self.components.sample(rng.choice(self.size, size=len(labels), p=self._share), rng)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, NDArray[np.int64]]:
        """Rows and the components that they come from: those of the first component first, and so on."""
        labels = np.repeat(np.arange(self.size), rng.multinomial(n, self._share))
        return self.components.sample(labels, rng), labels

    def marginal(self, columns: Sequence[int]) -> "MixtureDensity":
        return MixtureDensity(self.components.marginal(columns), self.log_weight)

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "MixtureDensity":
        given = self.components.marginal(chosen(self.shape[1], columns))
        sums, joint = MixtureDensity(given, self.log_weight).log_joint(np.asarray(values, dtype=np.float64)[None])
        if not np.isfinite(sums[0]):
            raise ValueError(
                f"every component has density zero at {values!r}, so that no conditional follows; give other values."
            )
        return MixtureDensity(self.components.conditional(columns, values), joint[0] - sums[0])

    def cdf(self, X: Any, upper: bool = False) -> Array:
        return self.components.cdf(X, upper) @ self._share[:, None]

    def expectation(self) -> Array:
        return self._share[None] @ self.components.expectation()

    @property
    def _share(self) -> Array:
        return self.weight / self.weight.sum()

    def collapsed(self, n: float, noise: float = 0.0) -> NDArray[np.bool_]:
        """Which components have no weight or have shrunk to nearly a point or a plane, (C,).

        The likelihood of such a degenerate solution is unbounded and means nothing.

        Parameters
        ----------
        n : how many rows the mixture was fitted to
        noise : variance that was added to every column
        """
        dead: NDArray[np.bool_] = self.weight < 1e-8
        if not isinstance(self.components, GaussianDensity):
            return dead
        mean, factor, share = self.components.mean, self.components.factor, self.weight[:, None]
        K, d = mean.shape
        variances = factor**2 if factor.ndim == 2 else (factor**2).sum(axis=2)
        centre = (share * mean).sum(axis=0)
        whole = (share * (variances + (mean - centre) ** 2)).sum(axis=0)  # variance of each column over all rows
        tiny = 1e-10 * whole.min()
        least = least_variances(factor, max(tiny, 1.5 * noise))
        thin = least < tiny
        if noise < 1e-3 * whole.min() or (K > 1 and whole.max() <= 2 * noise):
            thin |= least <= 1.5 * noise  # nothing but the added variance
        wanted = d if factor.ndim == 3 else 1
        few = self.weight * n < wanted * (1 + 1e-9) if 1 < K == len(factor) else np.zeros(K, dtype=bool)
        found: NDArray[np.bool_] = dead | thin | few
        return found
