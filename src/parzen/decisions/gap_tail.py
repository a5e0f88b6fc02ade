"""The lowest of many values, where a gap sets them apart from the tail of the others."""

from dataclasses import dataclass

import numpy as np

from parzen.compute.arrays import Array
from parzen.decisions.generalised_pareto import pareto_posterior, predicted

#: Most values that may lie beyond a gap: a proportion of all, and a multiple of the square root of their number.
MOST_BEYOND, MOST_ROOTS = 0.1, 1.5
#: How many values the tail is fitted to: a multiple of the square root of their number, but a proportion at most, and
#: so many at least.
TAIL_ROOTS, TAIL, LEAST = 3.0, 0.25, 20
#: Part of the error that is spent on gaps before a single value; the others share the rest.
SINGLE = 0.5
#: How many gaps are looked at closely: those that would be the least likely in an exponential tail.
TRIED = 8
#: Gaps that are as likely by chance are no evidence of anything.
CHANCE = 0.25


@dataclass(frozen=True, eq=False)
class GapTail:
    r"""The lowest of many values, a gap that sets them apart, and the tail of the others.

    The others have a generalised Pareto tail, of which the scale and the shape are only known up to their posterior
    distribution. That each of k ordinary values beyond the limit lies a distance g beyond it has the probability
    :math:`(1 + \xi g / \sigma)^{-k / \xi}`, in the posterior mean.

    Attributes
    ----------
    limit : float
        The lowest ordinary value.
    chance : float
        Probability that a gap as wide occurs anywhere in the tail of ordinary values.
    proportion : float
        Of the values that lie beyond the gap.
    count : float
        How many of these differ.
    allowed : float
        The part of the error that is spent on this number of values.
    scale, shape, weight : arrays of shape (m,)
        Of the tail beyond the limit: values of the posterior distribution, and their probabilities.
    """

    limit: float
    chance: float
    proportion: float
    count: float
    allowed: float
    scale: Array
    shape: Array
    weight: Array

    def p_values(self, values: Array) -> Array:
        """Proportion beyond the gap times the chance of a gap as wide; 1 for values that don't lie beyond the limit.

        All values beyond the gap have the same one: they are told from ordinary values together.
        """
        out = np.ones(len(values))
        far = np.flatnonzero(values < self.limit)
        with np.errstate(over="ignore"):
            distance = self.limit - np.maximum(values[far], np.finfo(np.float64).min)
        tail = self.scale, self.shape, self.weight
        chances = [predicted(one, self.count, *tail) / self.allowed for one in distance]
        out[far] = self.proportion * np.clip(chances, self.chance, 1.0)
        return out


def gap_tail(values: Array, share: float = 1.0, weights: Array | None = None) -> GapTail | None:
    r"""The tail of ordinary values and the gap beyond it; None where the lowest values may well be ordinary.

    For each number k of values, up to a tenth of all and up to 1.5 times the square root of n, the tail of the values
    inside of these k is fitted (only their number is used of the k), and predicts the gap between the k-th value and
    the next: in a generalised Pareto tail, all k are farther than g with probability
    :math:`(1 + \xi g / \sigma)^{-k / \xi}` (where many of the values that the tail is fitted to are equal, equal ones
    count once). Probabilities of error are added: half is spent on k = 1, and :math:`0.5 / (k (k - 1))` on k > 1. The
    gap that is least likely in this account is taken.

    Parameters
    ----------
    values : array of shape (n,)
        Low values are the unusual ones.
    share : float
        Part of the probability of error that may be spent on these values.
    weights : array of shape (n,), optional
        How often each value occurs.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.random.default_rng(0).normal(size=1000)
    >>> gap_tail(values) is None
    True
    >>> found = gap_tail(np.append(values, [-9.0, -8.0, -8.5]))
    >>> bool(found.limit == values.min()), bool(found.chance < 0.05), round(1003 * found.proportion)
    (True, True, 3)
    """
    finite = np.isfinite(values)
    if not finite.any():
        return None
    values = np.where(finite, values, values[finite].min())  # a density of zero doesn't say how far off a row is
    order = np.argsort(values, kind="stable")
    s, w = values[order], np.ones(len(values)) if weights is None else weights[order]
    at, beyond, top, allowed = _candidates(s, w)
    if not len(at):
        return None
    best: GapTail | None = None
    allowed *= share
    gap = s[at] - s[at - 1]
    different = np.cumsum(np.append(1.0, np.diff(s) > 1e-9 * np.abs(s[1:])))
    rounded = different[top] - different[at] < 0.9 * (top - at)  # equal values are one
    distinct = np.where(rounded, np.minimum(different[at - 1], beyond), beyond)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        known = np.append(0.0, np.cumsum(w))[np.searchsorted(s, s[top])] - beyond
        sums = np.append(0.0, np.cumsum(w * (s - s[-1])))
        excess = (s[top] - s[-1]) * (known + beyond) - (sums[np.searchsorted(s, s[top])] - sums[at])
        excess -= beyond * (s[at] - s[-1])
        likely = np.exp(-known * np.log1p(distinct * gap / excess)) / allowed  # of an exponential tail, the lightest
    likely[~(np.isfinite(gap) & (gap > 0) & (excess > 0) & (known >= LEAST / 2))] = np.inf
    for i in np.argsort(likely, kind="stable")[:TRIED]:
        least = CHANCE if best is None else best.chance
        if likely[i] >= least:
            break
        fitted = slice(at[i], int(np.searchsorted(s, s[top[i]])))
        tail = pareto_posterior(s[top[i]] - s[fitted], w[fitted], s[top[i]] - s[at[i]], beyond[i])
        chance = predicted(gap[i], distinct[i], *tail) / allowed[i]
        if chance < least:
            best = GapTail(float(s[at[i]]), chance, beyond[i] / w.sum(), distinct[i], allowed[i], *tail)
    return best


def _candidates(s: Array, w: Array) -> tuple[Array, Array, Array, Array]:
    """Positions of limits, the weight beyond them, positions of thresholds, and the error that is spent on each."""
    below = np.append(0.0, np.cumsum(w))
    n = below[-1]
    most = max(min(MOST_BEYOND * n, MOST_ROOTS * np.sqrt(n)), 1.0)
    at = np.flatnonzero((below[:-1] > 0) & (below[:-1] <= most))
    beyond = below[at]
    known = max(min(TAIL * n, TAIL_ROOTS * np.sqrt(n)), LEAST)
    top = np.searchsorted(below, beyond + known * (1 - 1e-12))
    inside = top < len(s)
    at, beyond, top = at[inside], beyond[inside], top[inside]
    several = (1.0 - SINGLE) / np.maximum(beyond * (beyond - 1.0), 1e-300)
    return at, beyond, top, np.where(beyond < 1.5, SINGLE, several)
