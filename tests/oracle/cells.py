"""Regular grids of cells, each with Chebyshev moments of its points or a Chebyshev series, in one or two columns."""

import numpy as np
from numpy.polynomial.chebyshev import chebval, chebval2d, chebvander


def place(x, low, inverse, counts):
    """Cell of a point, the nearest one if it lies outside, and its coordinates there: from -1 to 1 within the cell."""
    u = (x - low) * inverse
    cell = np.clip(np.floor(u), 0, np.asarray(counts) - 1).astype(int)
    return tuple(cell), 2 * (u - cell) - 1


def cell_moments(X, weights, low, inverse, counts, terms):
    """Sums of w T_k(xi), of two columns w T_k(xi) T_l(eta), in each cell."""
    out = np.zeros((*counts, *(terms,) * len(counts)))
    for x, w in zip(X, weights, strict=True):
        cell, xi = place(x, low, inverse, counts)
        T = chebvander(xi, terms - 1)
        out[cell] += w * (T[0] if len(T) == 1 else np.outer(*T))
    return out


def cell_values(X, series, low, inverse, counts):
    """Value of its cell's series at each point, and the number of the cell; 0 and -1 outside the grid."""
    values, numbers = np.zeros(len(X)), np.full(len(X), -1)
    for i, x in enumerate(X):
        u = (x - low) * inverse
        if (u >= 0).all() and (u < counts).all():
            cell, xi = place(x, low, inverse, counts)
            values[i] = chebval(xi[0], series[cell]) if len(xi) == 1 else chebval2d(*xi, series[cell])
            numbers[i] = np.ravel_multi_index(cell, tuple(counts))
    return values, numbers


def cell_spread(moments, tables, begin, end):
    """Series (cells, inner, p) of the cells begin to end - 1 of a row: sum over cells of the moments times tables.

    Tables (2 R + 1, p, p) are by distance target - source from -R to R, moment, and term of the series.
    """
    cells, inner, terms = moments.shape
    reach = len(tables) // 2
    out = np.zeros(moments.shape)
    for target in range(begin, end):
        for source in range(max(0, target - reach), min(cells, target + reach + 1)):
            for r in range(inner):
                for k in range(terms):
                    out[target, r] += moments[source, r, k] * tables[target - source + reach, k]
    return out


def cell_select(X, chosen, low, inverse, counts):
    """Numbers of the points whose cell (the nearest, if they lie outside) is chosen."""
    chosen = np.reshape(chosen, tuple(counts))
    return [i for i, x in enumerate(X) if chosen[place(x, low, inverse, counts)[0]]]
