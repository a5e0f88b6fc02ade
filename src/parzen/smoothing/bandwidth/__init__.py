"""Choosing the bandwidth: rules of thumb, plug-in and cross-validation, each equivariant to shift and scale.

Every rule takes rows (n,) or (n, d) and weights, and gives the standard deviation h of a Gaussian kernel for one
column, the bandwidth matrix H (in squared units, as a covariance) for several. Whole weights count rows; other weights
say how much a row matters, and their effective number is Kish's, (sum w)^2 / sum w^2.

In one column all sums over pairs are sums over frequencies: with Phi(k) = sum_j w_j exp(i k x_j),
``sum_ij w_i w_j g(x_i - x_j) = 1/(2 pi) integral |Phi(k)|^2 G(k) dk`` for a kernel g with transform G. Phi is computed
once, exactly to rounding, from Chebyshev moments of cells; after that a bandwidth costs a few thousand products.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.smoothing.bandwidth.botev import isj
from parzen.smoothing.bandwidth.least_squares import lscv
from parzen.smoothing.bandwidth.likelihood import lcv, leave_one_out
from parzen.smoothing.bandwidth.matrix import Dependent, check_shape, factor_of
from parzen.smoothing.bandwidth.plugin import plug_in
from parzen.smoothing.bandwidth.points import BandwidthWarning, Points, warn
from parzen.smoothing.bandwidth.sheather_jones import sj
from parzen.smoothing.bandwidth.smoothed import scv
from parzen.smoothing.bandwidth.thumb import scott, silverman

__all__ = [
    "BandwidthWarning",
    "choose",
    "isj",
    "lcv",
    "leave_one_out",
    "lscv",
    "plug_in",
    "scott",
    "scv",
    "silverman",
    "sj",
]

#: The rules by name.
RULES: dict[str, Callable[..., Any]] = {
    "scott": scott,
    "silverman": silverman,
    "isj": isj,
    "sj": sj,
    "lscv": lscv,
    "lcv": lcv,
    "plug-in": plug_in,
    "scv": scv,
}
#: Rules of one column alone, which have no bandwidth matrix.
OF_ONE_COLUMN = ("isj", "sj")


def choose(rule: str, X: Any, sample_weight: Any = None, covariance: str | None = None) -> Array:
    """Lower triangular factor F of the bandwidth matrix H = F F' that a rule chooses.

    Parameters
    ----------
    rule : one of `RULES`
    X : rows (n,) or (n, d)
    sample_weight : weights (n,)
    covariance : "scaled", "diag" or "full"
        How H is shaped where there are several columns: the covariance of the rows times a number; a number for each
        column; any matrix. By default the rule's own.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import bandwidth
    >>> x = np.random.default_rng(0).normal(size=500)
    >>> bandwidth.choose("sj", x).round(3)
    array([[0.309]])
    """
    check_rule(rule, covariance)
    points = Points.of(X, sample_weight).in_own_units()
    assert points.exponents is not None
    return np.ldexp(_chosen(rule, points, covariance), points.exponents[:, None])


def _chosen(rule: str, points: Points, covariance: str | None) -> Array:
    """The factor of H that a rule chooses, in the units of the points."""
    try:
        found = RULES[rule](points) if rule in OF_ONE_COLUMN else RULES[rule](points, covariance=covariance)
        return np.atleast_2d(found) if np.ndim(found) == 0 else factor_of(found)
    except Dependent:
        if covariance is not None:
            raise
        warn(
            "the columns are linearly dependent, so no full bandwidth matrix follows from them; one bandwidth for each "
            "column was used. Leave a column out, or ask for covariance='diag'."
        )
        return factor_of(RULES[rule](points, covariance="diag"))


def check_rule(rule: str, covariance: str | None) -> None:
    """Raise unless there is such a rule and such a shape."""
    if not isinstance(rule, str) or rule not in RULES:
        raise ValueError(
            f"bandwidth must be a number, an array, or one of {', '.join(map(repr, RULES))}, got {rule!r}."
        )
    check_shape(covariance)
