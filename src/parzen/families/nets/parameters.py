"""Parameters of a Bayes net's nodes from counts and moments, by maximum likelihood, MAP or the posterior mean."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.conjugate import NormalInverseGamma
from parzen.families.nets.scores import sample_size
from parzen.statistics.messages import Collapse
from parzen.statistics.nets import NodeMoments

PRIORS = ("k2", "bdeu")
#: A residual variance is at least this share of the column's variance.
FLOOR = 1e-9


def concentrations(prior: Any, configurations: int, size: int, equivalent_sample_size: float) -> Array:
    """Dirichlet concentrations of a table, (C, size): 1 in each cell (K2), or a common sample shared by all (BDeu)."""
    if isinstance(prior, str) and prior == "bdeu":
        return np.full((configurations, size), sample_size(equivalent_sample_size) / (configurations * size))
    own = np.asarray(1.0 if prior is None or isinstance(prior, str) else prior, dtype=np.float64)
    try:
        found = np.broadcast_to(
            own.reshape(configurations, size) if own.size == configurations * size else own, (configurations, size)
        )
    except ValueError:
        raise ValueError(
            f"pseudo-counts of shape {own.shape} don't fit a table of {configurations} configurations of parents and "
            f"{size} states; give one number, one for each state, or the whole table."
        ) from None
    if not (np.isfinite(found).all() and (found > 0).all()):
        raise ValueError(f"pseudo-counts must be above 0 and finite, got {prior!r}.")
    return np.array(found)


def log_table(counts: Array, prior: Array, estimate: str) -> Array:
    """Log-probabilities (K, C, size) from counts (K, C, size) and concentrations (C, size).

    A configuration that was never seen has, by maximum likelihood, the table of all configurations together.
    """
    if estimate == "ml":
        whole = counts.sum(axis=1, keepdims=True)
        if not (whole.sum(axis=2) > 0).all():
            pooled = counts.sum(axis=(0, 1), keepdims=True)
            whole = np.where(whole.sum(axis=2, keepdims=True) > 0, whole, pooled)
        counts = np.where(counts.sum(axis=2, keepdims=True) > 0, counts, whole)
    else:
        counts = counts + prior - (1.0 if estimate == "map" else 0.0)
        if (counts < 0).any() or not (counts.sum(axis=2) > 0).all():
            raise Collapse(
                "the mode of a table lies at the border: pseudo-counts below 1 have no MAP estimate; use "
                "estimate='bayes', or pseudo-counts of at least 1 (2 gives Laplace's rule)."
            )
    total = counts.sum(axis=2, keepdims=True)
    if not (total > 0).all():
        raise Collapse("a node of the net has no value with any weight; leave it out, or give rows with weight.")
    with np.errstate(divide="ignore"):
        return np.log(counts) - np.log(total)


def lines(moments: NodeMoments, estimate: str, prior: NormalInverseGamma | None) -> Array:
    """Intercept, slopes and residual variance (K, C, p + 2) of a node, for each configuration of its discrete parents.

    Without a prior all estimates are that of maximum likelihood, and a configuration without weight has the line of its
    group's rows together; a group without weight that of all rows.
    """
    everything = moments.pooled().group(0).pooled()
    if not everything.weight[0] > 0 and prior is None:
        raise Collapse(
            "a Gaussian node of the net has no value with any weight; leave it out, or give rows with weight."
        )
    found = np.empty((*moments.weight.reshape(len(moments.weight), -1).shape, moments.mean.shape[-1] + 1))
    for k in range(len(found)):
        own = moments.group(k)
        whole = own.pooled()
        if not whole.weight[0] > 0:
            whole = everything
        spread = np.diagonal(whole.scatter[0]) / max(float(whole.weight[0]), 1e-300)
        for c in range(found.shape[1]):
            alone = prior is not None or own.weight[c] > 0
            part, at = (own, c) if alone else (whole, 0)
            n, mean, scatter = float(part.weight[at]), part.mean[at] + part.carry[at], part.scatter[at]
            found[k, c] = (
                _line(n, mean, scatter, spread) if prior is None else _posterior(n, mean, scatter, prior, estimate)
            )
    return found


def _line(n: float, mean: Array, scatter: Array, spread: Array) -> Array:
    """By maximum likelihood, least slopes where several fit; the variance is at least a share of the column's own."""
    p = len(mean) - 1
    scale = np.sqrt(np.where(spread > 0, spread, 1.0))
    unit = scatter / np.outer(scale, scale)
    slopes = np.linalg.lstsq(unit[:p, :p], unit[:p, p], rcond=1e-12)[0] if p else unit[:p, p]
    variance = max((unit[p, p] - slopes @ unit[:p, p]) / n, FLOOR)
    slopes = slopes * scale[p] / scale[:p]
    return np.concatenate([[mean[p] - slopes @ mean[:p]], slopes, [variance * scale[p] ** 2]])


def _posterior(n: float, mean: Array, scatter: Array, prior: NormalInverseGamma, estimate: str) -> Array:
    """Mode or mean of the posterior: intercept about the prior's mean, slopes about zero, of the prior's strength."""
    p = len(mean) - 1
    centre, strength, shape, scale = prior_numbers(prior)
    off = np.append(mean[:p], mean[p] - centre)
    grown = scatter + (strength * n / (n + strength)) * np.outer(off, off)
    across = grown[:p, p]
    slopes = np.linalg.solve(grown[:p, :p] + strength * np.eye(p), across) if p else across
    intercept = centre + n * (off[p] - slopes @ off[:p]) / (n + strength)
    rest = scale + 0.5 * (grown[p, p] - slopes @ across)
    weight = shape + 0.5 * n + (0.5 * (p + 1) + 1.0 if estimate == "map" else -1.0)
    if not weight > 0:
        raise Collapse("the posterior of a variance has no mean: raise the prior's shape above 1, or give more rows.")
    return np.concatenate([[intercept], slopes, [rest / weight]])


def log_line_prior(line: Array, prior: NormalInverseGamma, estimate: str) -> float:
    """Log-prior of lines (..., p + 2), up to a constant, for which these estimates are modes."""
    centre, strength, shape, scale = prior_numbers(prior)
    p = line.shape[-1] - 2
    variance = line[..., -1]
    off = (line[..., 0] - centre) ** 2 + (line[..., 1:-1] ** 2).sum(axis=-1)
    power = shape + (0.5 * (p + 1) + 1.0 if estimate == "map" else -1.0)
    return float((-power * np.log(variance) - (scale + 0.5 * strength * off) / variance).sum())


def prior_numbers(prior: NormalInverseGamma) -> tuple[float, float, float, float]:
    """Location, strength, shape and scale of a prior of lines: one number each."""
    found = tuple(np.asarray(getattr(prior, name)) for name in ("location", "strength", "shape", "scale"))
    if any(part.size != 1 for part in found):
        raise ValueError(f"the prior of Gaussian nodes has one number of each kind, got {prior!r}.")
    location, strength, shape, scale = (float(part.reshape(())) for part in found)
    return location, strength, shape, scale
