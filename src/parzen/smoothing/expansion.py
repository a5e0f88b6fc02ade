"""Chebyshev expansions of the Gaussian kernel between cells of a grid, with proven error bounds.

See docs/decisions/sums-to-a-stated-error.md.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import special

from parzen.compute.arrays import Array
from parzen.compute.lattice import cell_spread
from parzen.statistics.threads import for_each

#: Distance beyond which a Gaussian is 4e-19 of its height.
REACH = 9.2


@dataclass(frozen=True)
class Expansions:
    """Expansion tables between cells that are -R to R cells apart, and their proven errors.

    Attributes
    ----------
    width : of a cell, in bandwidths
    tables : array of shape (2 R + 1, p, p)
        Chebyshev coefficients of the kernel in both arguments.
    errors : array of shape (2 R + 1,)
        The remainder of interpolation in x, and in y times Lebesgue's constant.
    largest : array of shape (2 R + 1,)
        The kernel at the least distance between two such cells.
    beyond : float
        The kernel at the least distance that is left out.
    """

    width: float
    tables: Array
    errors: Array
    largest: Array
    beyond: float


@cache
def expansions(p: int, width: float, integral: bool = False) -> Expansions:
    """Tables of p polynomials, cells `width` wide, of the Gaussian (1 at 0) or of its distribution function."""
    farthest = int(np.ceil(REACH / width))
    offsets = np.arange(-farthest, farthest + 1)
    angles = np.pi * (np.arange(p) + 0.5) / p
    nodes = np.cos(angles)
    transform = 2.0 / p * np.cos(np.outer(np.arange(p), angles))
    transform[0] /= 2.0
    u = width * (offsets[:, None, None] + 0.5 * (nodes[:, None] - nodes))
    tables = transform @ (special.ndtr(u) if integral else np.exp(-0.5 * u**2)) @ transform.T
    # |f - its interpolant| <= max |f^(p)| (width / 2)^p / (2^(p - 1) p!), f^(p) = He_p(u) exp(-u^2 / 2) up to sign. The
    # largest value on a fine grid is raised by half a step times the largest slope, which Cramer's inequality bounds.
    step = 1e-3
    lebesgue = 2.0 / np.pi * np.log(p) + 0.9625
    slope = 1.0865 * np.sqrt(special.gamma(p + 2.0))
    errors = np.empty(len(offsets))
    for k, offset in enumerate(offsets):
        grid = np.arange(width * (offset - 1), width * (offset + 1) + step, step)
        top = np.abs(special.eval_hermitenorm(p, grid) * np.exp(-0.5 * grid**2)).max()
        near = max(abs(int(offset)) - 1, 0) * width
        top += 0.5 * step * slope * np.exp(-0.25 * near**2)
        errors[k] = (1 + lebesgue) * top * (0.5 * width) ** p / (2.0 ** (p - 1) * special.gamma(p + 1.0))
    least = np.maximum(np.abs(offsets) - 1, 0) * width
    return Expansions(width, tables, errors, np.exp(-0.5 * least**2), float(np.exp(-0.5 * (farthest * width) ** 2)))


def spread(moments: Array, tables: Array) -> Array:
    """Series of cells along the first axis of moments (B, ..., p): the last axis holds the column's polynomials."""
    rows = np.ascontiguousarray(moments).reshape(len(moments), -1, moments.shape[-1])
    by_moment = np.ascontiguousarray(tables.transpose(0, 2, 1))
    out = np.empty(rows.shape)
    step = max(1, -(-len(rows) // 8)) if rows.size > 2**16 else len(rows)

    def work(begin: int) -> None:
        cell_spread(rows, by_moment, begin, min(begin + step, len(rows)), out)

    for_each(work, iter(range(0, len(rows), step)))
    return out.reshape(moments.shape)
