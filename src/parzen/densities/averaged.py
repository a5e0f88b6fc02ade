"""An average of densities of the same columns, for each of K groups."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array
from parzen.densities.density import Density


@dataclass(frozen=True)
class AveragedDensity(Density):
    r"""K averages of M densities each: :math:`p_k(x) = \sum_m w_{mk} p_{mk}(x)`.

    Attributes
    ----------
    members : tuple of M densities
        Each holds K densities over the same columns.
    log_weight : array of shape (M, K)

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.densities.gaussian import GaussianDensity
    >>> near, far = (GaussianDensity(np.array([[m]]), np.ones((1, 1))) for m in (0.0, 4.0))
    >>> np.exp(AveragedDensity((near, far), np.log([[0.5], [0.5]])).log_density(np.array([[0.0]]))).round(4)
    array([[0.1995]])
    """

    members: tuple[Density, ...]
    log_weight: Array

    @property
    def shape(self) -> tuple[int, int]:
        return self.members[0].shape

    def log_density(self, X: Any) -> Array:
        total = self.members[0].log_density(X) + self.log_weight[0]
        for member, log_weight in zip(self.members[1:], self.log_weight[1:], strict=True):
            np.logaddexp(total, member.log_density(X) + log_weight, out=total)
        return total

    def expectation(self) -> Array:
        weight = np.exp(self.log_weight)[:, :, None]
        return np.asarray((weight * np.array([member.expectation() for member in self.members])).sum(axis=0))

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        below = np.exp(self.log_weight).cumsum(axis=0)
        which = (rng.random(len(labels)) * below[-1, labels] >= below[:-1, labels]).sum(axis=0)
        out = np.empty((len(labels), self.shape[1]))
        for m in np.unique(which):
            out[which == m] = self.members[m].sample(labels[which == m], rng)
        return out

    def marginal(self, columns: Sequence[int]) -> "AveragedDensity":
        return AveragedDensity(tuple(member.marginal(columns) for member in self.members), self.log_weight)

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "AveragedDensity":
        given = np.asarray(values, dtype=np.float64)[None]
        seen = np.concatenate([member.marginal(columns).log_density(given) for member in self.members])
        joint = self.log_weight + seen
        total = np.logaddexp.reduce(joint, axis=0)
        if not np.isfinite(total).all():
            raise ValueError(f"density zero at {values!r}, so that no conditional follows; give other values.")
        return AveragedDensity(tuple(member.conditional(columns, values) for member in self.members), joint - total)
