"""A kernel function of one column wrapped around a circle: the sum over all of its repetitions, in closed form.

``W(u) = sum_n k((u + n L) / h)`` for a period L. Of polynomial kernels it is Euler and Maclaurin's formula, which is
exact for them: with P = L / h, ``W = integral / P + e(1) - e(-1)``,
``e(v) = sum_j k^(j)(v) P^j B_(j+1)(s) / (j + 1)!``, B the Bernoulli polynomials and s the fraction of a period from
v to the first repetition beyond it.
"""

from functools import cache
from math import comb, factorial

import numpy as np
from numpy.polynomial import Polynomial

from parzen.compute.arrays import Array
from parzen.smoothing.kernel_functions import KernelFunction

QUARTER = 0.5 * np.pi
#: Bernoulli numbers.
BERNOULLI = (1.0, -1 / 2, 1 / 6, 0.0, -1 / 30, 0.0, 1 / 42, 0.0, -1 / 30)


def wraps(kernel: KernelFunction) -> bool:
    """Whether there is a closed form: for all named kernels but the Gaussian, which is uniform where it is wide."""
    return kernel.name in ("exponential", "triangular", "cosine") or (
        kernel.power is not None and kernel.power == int(kernel.power)
    )


def wrapped(kernel: KernelFunction, off: Array, period: float, h: Array | float) -> Array:
    """Sum of the kernel function, 1 at distance 0, over all repetitions of differences `off`."""
    P = period / h
    if kernel.name == "exponential":
        v = np.mod(off, period) / h
        return np.asarray((np.exp(-v) + np.exp(v - P)) / -np.expm1(-P))
    high, low = _fractions(off, period, h)
    if kernel.name == "cosine":
        turn = QUARTER * P
        ends = np.cos(turn * (high - 0.5)) + np.cos(turn * (low - 0.5))
        return np.asarray(0.5 * ends / np.sin(0.5 * turn))
    if kernel.power == 0:  # a point at the border does not count
        return np.asarray(np.round(2.0 / P + high - np.where(low == 0, 1.0, low)))
    uniform = np.exp(-kernel.log_constant(1)) / P
    if kernel.name == "triangular":
        edges = P * (_bernoulli(2, np.mod(off, period) / period) - 0.5 * (_bernoulli(2, high) + _bernoulli(2, low)))
        return np.asarray(uniform + edges)
    upper, lower = _derivatives(int(kernel.power or 0), False)
    return uniform + _edge(upper, P, high) - _edge(lower, P, low)


def wrapped_mass(kernel: KernelFunction, off: Array, period: float, h: Array | float) -> Array:
    """Integral of the wrapped kernel, which integrates to one over a period, from 0 to `off`."""
    P = period / h
    if kernel.name == "exponential":
        turns = np.floor(off / period)
        v = np.mod(off, period) / h
        back = np.where(P < 1, np.exp(-P) * np.expm1(np.minimum(v, 1.0)), np.exp(v - P) - np.exp(-P))
        return np.asarray(turns + 0.5 * (back - np.expm1(-v)) / -np.expm1(-P))
    zero = np.zeros_like(off)
    return np.asarray(off / period + _deviation(kernel, off, period, h) - _deviation(kernel, zero, period, h))


def _deviation(kernel: KernelFunction, off: Array, period: float, h: Array | float) -> Array:
    """What the integral of a compact kernel is beyond that of a uniform density, up to a constant."""
    P = period / h
    high, low = _fractions(off, period, h)
    if kernel.name == "cosine":
        turn = QUARTER * P
        edges = np.sin(turn * (high - 0.5)) + np.sin(turn * (low - 0.5))
        return np.asarray(0.25 * edges / np.sin(0.5 * turn) - 0.5 * (high + low))
    if kernel.name == "triangular":
        middle = _bernoulli(3, np.mod(off, period) / period)
        return np.asarray(P**2 / 6.0 * (2.0 * middle - _bernoulli(3, high) - _bernoulli(3, low)))
    upper, lower = _derivatives(int(kernel.power or 0), True)
    return np.exp(kernel.log_constant(1)) * (_edge(upper, P, high) - _edge(lower, P, low))


def _fractions(off: Array, period: float, h: Array | float) -> tuple[Array, Array]:
    """Fractions of a period from the kernel's ends, 1 and -1, to the first repetition beyond each."""
    return np.mod(off - h, period) / period, np.mod(off + h, period) / period


def _edge(derivatives: tuple[float, ...], P: Array | float, s: Array) -> Array:
    """Terms of Euler and Maclaurin's formula at one end of the kernel."""
    total = np.zeros(np.broadcast_shapes(np.shape(P), s.shape))
    for j, value in enumerate(derivatives):
        if value:
            total += value / factorial(j + 1) * P**j * _bernoulli(j + 1, s)
    return total


@cache
def _derivatives(power: int, integral: bool) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Derivatives of (1 - v^2)^power at 1 and -1, or those of its integral, without the value itself."""
    shape = Polynomial([1.0, 0.0, -1.0]) ** power
    shape = shape.integ() if integral else shape
    ends = [[float(shape.deriv(j)(at) if j else shape(at)) for j in range(shape.degree() + 1)] for at in (1.0, -1.0)]
    if integral:
        ends[0][0] = ends[1][0] = 0.0
    return tuple(ends[0]), tuple(ends[1])


def _bernoulli(n: int, s: Array) -> Array:
    """Bernoulli polynomial of degree n at s."""
    weights = [comb(n, k) * BERNOULLI[k] for k in range(n, -1, -1)]
    return np.asarray(np.polynomial.polynomial.polyval(s, weights))
