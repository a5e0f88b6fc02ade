"""Plug-in bandwidths, of one and several columns."""

from typing import Any

import numpy as np
from scipy import special

from parzen.compute.arrays import Array
from parzen.smoothing.bandwidth.matrix import check_shape, factor_of, shaped
from parzen.smoothing.bandwidth.minimise import search
from parzen.smoothing.bandwidth.pair_means import log_peak, standard
from parzen.smoothing.bandwidth.points import Points, in_own_units
from parzen.smoothing.bandwidth.sheather_jones import sj


@in_own_units
def plug_in(X: Any, sample_weight: Any = None, *, covariance: str | None = None) -> Any:
    """Plug-in bandwidth: the least asymptotic error, with the density's curvature estimated by a pilot.

    One column: Sheather and Jones's direct two-stage plug-in. Several: Wand and Jones's (1994), with the fourth
    derivatives of a kernel density whose pilot bandwidth is the best for normal densities (Chacon and Duong 2010).

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import bandwidth
    >>> bandwidth.plug_in(np.random.default_rng(0).normal(size=(500, 2))).round(3) + 0.0
    array([[0.12 , 0.002],
           [0.002, 0.118]])
    """
    check_shape(covariance)
    points = Points.of(X, sample_weight)
    d, n = points.X.shape[1], points.n
    if d == 1:
        return sj(points, method="dpi")
    pilot = factor_of((2.0 / (n * (d + 4))) ** (2.0 / (d + 6)) * 2.0 * shaped(points, covariance))
    zero, second, fourth = _pair_moments(points, pilot)
    inverse = np.linalg.inv(pilot)

    def criterion(factor: Array) -> float:
        A = inverse @ factor
        A = A @ A.T
        curvature = np.einsum("ab,cd,abcd->", A, A, fourth) - 2.0 * np.trace(A) * np.sum(A * second)
        curvature += -4.0 * np.sum((A @ A) * second) + (np.trace(A) ** 2 + 2.0 * np.trace(A @ A)) * zero
        log_det = np.log(np.abs(np.diagonal(factor))).sum()
        return float(np.exp(-0.5 * d * np.log(4 * np.pi) - log_det) / n + 0.25 * curvature)

    return search(points, criterion, covariance or "full", "plug-in")


def _pair_moments(points: Points, factor: Array) -> tuple[float, Array, Array]:
    """Mean over pairs of the kernel times 1, z z' and z z' z z', z the difference in its units.

    Of at most 6,000 rows drawn at random, which estimate these functionals well enough.
    """
    z, w = standard(points, factor), points.share
    z = z - w @ z
    n, d = z.shape
    if n > 6_000:
        keep = np.sort(np.random.default_rng(0).choice(n, 6_000, replace=False))
        z, w, n = z[keep], w[keep] / w[keep].sum(), 6_000
    powers = _monomials(d, 4)
    columns = np.stack([np.prod(z**power, axis=1) for power in powers], axis=1)
    index = {tuple(power): i for i, power in enumerate(powers.tolist())}
    table = np.zeros((len(powers), len(powers)))
    rows = max(1, 2**21 // n)
    weighted = w[:, None] * columns
    for begin in range(0, n, rows):
        part = slice(begin, begin + rows)
        square = ((z[part, None, :] - z[None, :, :]) ** 2).sum(axis=2) if d <= 3 else _squares(z[part], z)
        table += weighted[part].T @ (np.exp(-0.5 * square) @ weighted)

    def moment(alpha: Array) -> float:
        total = 0.0
        for beta in np.ndindex(*(alpha + 1)):
            rest = alpha - np.array(beta)
            sign = (-1.0) ** rest.sum() * np.prod(special.comb(alpha, np.array(beta)))
            total += sign * table[index[beta], index[tuple(rest.tolist())]]
        return float(total)

    unit = np.eye(d, dtype=int)
    peak = np.exp(log_peak(factor))
    second = np.array([[moment(unit[a] + unit[b]) for b in range(d)] for a in range(d)])
    fourth = np.empty((d,) * 4)
    known: dict[tuple[int, ...], float] = {}
    for a, b, c, e in np.ndindex(*fourth.shape):
        alpha = unit[a] + unit[b] + unit[c] + unit[e]
        key = tuple(alpha.tolist())
        if key not in known:
            known[key] = moment(alpha)
        fourth[a, b, c, e] = known[key]
    return moment(np.zeros(d, dtype=int)) * peak, second * peak, fourth * peak


def _squares(a: Array, b: Array) -> Array:
    total = np.zeros((len(a), len(b)))
    for j in range(a.shape[1]):
        total += (a[:, j, None] - b[:, j]) ** 2
    return total


def _monomials(d: int, degree: int) -> Any:
    """Exponents of all products of d columns up to a degree."""
    found = [power for power in np.ndindex(*(degree + 1,) * d) if sum(power) <= degree]
    return np.array(found)
