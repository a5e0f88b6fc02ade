"""The E-step of a mixture: expected statistics of the components, weighted by responsibilities."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, as_floats, is_sparse, row_block
from parzen.compute.em import em_step, em_step_missing, em_step_missing_diagonal
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.mixture import MixtureDensity
from parzen.densities.posterior import memberships
from parzen.families.family import Family
from parzen.families.gaussian import Gaussian
from parzen.families.likelihood import expected_statistic
from parzen.statistics.accumulate import EVALUATED
from parzen.statistics.joint import Joint
from parzen.statistics.moments import Moments
from parzen.statistics.sums import Sums


def gaussian_statistic(
    family: Family, X: Any, w: Array | None, at: MixtureDensity
) -> tuple[Moments, Array, float] | None:
    """Responsibilities and moments of Gaussians in one pass; None where family or rows need the general way."""
    if type(family) is not Gaussian or at.gaussians is None or is_sparse(X):
        return None
    if family.needs_fourth:
        return None
    if at.gaussians.kind == "shared" and not (family.shared is True and family._estimate == "ml"):
        return None
    if (at.gaussians.kind == "diagonal") != (family.covariance_type != "full"):
        return None
    rows = as_floats(X, at.shape[1])
    if not at.gaussians.takes(rows, w):
        rows = rows.astype(np.float64)
        if not at.gaussians.takes(rows):
            return None
    step = em_step(rows, w, at.gaussians)
    if step is None:
        return _with_gaps(rows, w, at)
    seen = Moments(*step[:4])
    return seen, seen.weight if seen.weight.ndim == 1 else np.ascontiguousarray(seen.weight[:, 0]), step[4]


def _with_gaps(X: Any, w: Array | None, at: MixtureDensity) -> tuple[Moments, Array, float] | None:
    gaussians = at.components
    assert isinstance(gaussians, GaussianDensity)
    assert at.gaussians is not None
    if at.gaussians.kind == "diagonal":
        alone = em_step_missing_diagonal(X, w, at.gaussians)
        return None if alone is None else (Moments(*alone[0]), alone[1], alone[2])
    if X.shape[1] == 1:
        return None
    step = em_step_missing(X, w, gaussians.mean, gaussians.factor, at.log_weight)
    if step is None:
        return None
    seen = Moments(*step[0], observed=Moments(*step[1]))
    return seen, seen.weight, step[2]


def by_responsibilities(
    family: Family, X: Any, w: Array | None, at: MixtureDensity, codes: NDArray[np.int32] | None = None
) -> tuple[Any, Array, float]:
    """Responsibilities of a few rows at a time, and the statistic that any family observes with them."""
    total: Any = None
    weight, likelihood = np.zeros(at.size), 0.0
    for first in range(0, max(X.shape[0], 1), EVALUATED):  # no more memberships at a time than stay in cache
        rows = slice(first, first + EVALUATED)
        block = row_block(X, first, first + EVALUATED)
        own, known = None if w is None else w[rows], None if codes is None else codes[rows]
        shares, part = memberships(at.components, at.log_weight, block, own, known)
        weight, likelihood = weight + shares.sum(axis=0), likelihood + part
        seen = expected_statistic(family, block, shares, at.components)
        total = seen if total is None else total + seen
    return total, weight, likelihood


def mixture_statistic(weight: Array, inner: Any) -> Joint:
    """The statistic of one mixture: its components' weights, and what their family has seen."""
    return Joint((Sums(weight[:, None], weight[:, None]), inner))
