"""Parzen windows of some columns given the others."""

from dataclasses import replace

import numpy as np
from scipy.linalg import solve_triangular

from parzen.compute.arrays import Array
from parzen.compute.window_border import WindowBorder
from parzen.densities.factors import lower_triangle
from parzen.densities.folded import images as folded_images
from parzen.densities.folded import uniform_columns, without_columns
from parzen.densities.support import Support
from parzen.densities.windows import Windows
from parzen.smoothing.kernel_functions import KernelFunction


def conditional_window(
    window: Windows,
    kernel: KernelFunction,
    support: Support | None,
    given: list[int],
    rest: list[int],
    known: Array,
) -> Windows | None:
    """Windows over the columns `rest`, given the values `known` of others; None where no point is within reach.

    A point weighs as much as its kernel at the given values; a compact kernel is a narrower one there.
    """
    gone = set() if support is None else set(uniform_columns(window, kernel, support)) & set(given)
    if gone:  # a column that is uniform says nothing of the others
        known = known[[i for i, j in enumerate(given) if j not in gone]]
        given = [j for j in given if j not in gone]
        if not given:
            return without_columns(window, rest)
    images = [known[None]]
    if support is not None:
        part = support.take(given)
        images = folded_images(without_columns(window, given), kernel, part, part.fold(known[None]))
    p = len(given)
    triangle = lower_triangle(window.factor[None, given + rest])[0]
    points, weights, scales = [], [], []
    own = np.ones(len(window.points)) if window.scales is None else window.scales
    for image in images:
        white = solve_triangular(triangle[:p, :p], (image - window.points[:, given]).T, lower=True).T
        square = (_distances(window, given, image, white) / own) ** 2
        points.append(window.points[:, rest] + white @ triangle[p:, :p].T)
        with np.errstate(divide="ignore"):
            log_weight = np.log(window.w) - p * np.log(own)
            if kernel.power is None:
                weights.append(log_weight - 0.5 * square)
                scales.append(own)
            else:
                height = np.where(square < 1.0, 1.0 - square, 0.0)
                weights.append(log_weight + (kernel.power + 0.5 * len(rest)) * np.log(height))
                scales.append(own * np.sqrt(height))
    joined = np.concatenate(weights)
    near = np.flatnonzero(joined > -np.inf)
    if not len(near):
        return None
    joined -= joined.max()
    plain = window.scales is None and kernel.power is None
    return Windows(
        np.concatenate(points)[near],
        np.exp(joined[near]),
        np.ascontiguousarray(triangle[p:, p:]),
        None if plain else np.concatenate(scales)[near],
    )


def _distances(window: Windows, given: list[int], image: Array, white: Array) -> Array:
    """Distances of the given columns in units of the bandwidth, (n,); `white` are these columns in units of H."""
    if window.diagonal is None:
        return np.asarray(np.sqrt((white**2).sum(axis=1)))
    points = window.points[:, given]
    return WindowBorder.of(window.diagonal[given], np.abs(points).max(axis=0)).distances(image, points)[0]


def unconditional_window(window: Windows, given: list[int], rest: list[int]) -> Windows:
    """Windows of the same width over the columns `rest`, of all points whatever their other columns."""
    triangle = lower_triangle(window.factor[None, given + rest])[0]
    inner = np.ascontiguousarray(triangle[len(given) :, len(given) :])
    return replace(window, points=np.ascontiguousarray(window.points[:, rest]), factor=inner, ends=None)
