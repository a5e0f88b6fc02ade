"""Cells of a grid over three columns that are in use: moments, sweeps, values and bounds, one record at a time."""

from itertools import product

import numpy as np
from numpy.polynomial.chebyshev import chebval3d, chebvander


def cube_moments(X, weights, low, inverse, corner, terms):
    """Sums of w T_a(xi) T_b(eta) T_c(zeta) over points X (n, 3) of one cube, given its number along each column."""
    out = np.zeros((terms,) * 3)
    for x, w in zip(X, weights, strict=True):
        xi = 2 * ((x - low) * inverse - corner) - 1
        first, second, third = chebvander(xi, terms - 1)
        out += w * first[:, None, None] * second[:, None] * third
    return out


def cube_values(X, series, low, inverse, corner):
    """Values of the series (p, p, p) of one cube at its rows."""
    return [float(chebval3d(*(2 * ((x - low) * inverse - corner) - 1), series)) for x in X]


def cube_sweep(records, links, tables):
    """Each table (moment, term) applied to the first axis of its record, which becomes the last; their sum."""
    out = np.zeros((len(links), *records.shape[1:]))
    for k, row in enumerate(links):
        for link, table in zip(row, tables, strict=True):
            if link >= 0:
                out[k] += np.einsum("abc,ae->bce", records[link], table)
    return out


def cube_bounds(targets, sources, mass, points, near, largest, errors):
    """For each target (m, 3): the bound on the error, mass times the largest kernel, mass within reach, near points.

    The error of a product of three expansions is at most that of each, times the others' largest values.
    """
    reach = len(largest) - 1
    out = np.zeros((len(targets), 4))
    for t, target in enumerate(targets):
        for source, w, many in zip(sources, mass, points, strict=True):
            apart = np.abs(target - source)
            if apart.max() > reach:
                continue
            K, e = largest[apart], errors[apart]
            # Signs of the three errors that make the difference of the products largest.
            worst = max(abs(np.prod(K) - np.prod(K + np.array(signs) * e)) for signs in product((-1, 1), repeat=3))
            out[t] += [w * worst, w * np.prod(K), w, many * (apart.max() <= near)]
    return out
