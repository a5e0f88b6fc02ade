"""Which density a column has, by cross-validation within its classes: every row by itself."""

import numpy as np
from scipy import stats

from tests.oracle.columns import bin_lookup, likeliest_power, power_forward
from tests.oracle.posterior import normalise


def known_rows(x, codes):
    """Rows of finite cells that have a class."""
    return [i for i in range(len(x)) if np.isfinite(x[i]) and codes[i] >= 0]


def held_cells(x, codes, some, order, parts, masses):
    """Value, class and fold of rows, class by class, and how many of them are no point masses by each rule."""
    known = known_rows(x, codes)
    by_value = sorted((x[known[i]], codes[known[i]]) for i in some)
    rows = sorted((by_value[i] for i in order), key=lambda row: row[1])  # a stable order
    count = np.unique([value for value, _ in rows], return_counts=True)[1]
    others = [int(count[(count < share * len(rows)) | (count < least)].sum()) for share, least in masses]
    return [(value, code, t % parts) for t, (value, code) in enumerate(rows)], others


def held_choice(x, codes, folds, groups, parts, usual, drawn, rules):
    """Candidates, each as level, density, and means of the scores; the best, and its gain with the standard error."""
    gaps = np.diff(np.unique(x))
    gaps = gaps[gaps > 1e-12 * np.abs(x).max()]
    unit = np.log(gaps.min()) if len(gaps) else 0.0
    found = [] if usual is None else [(0, -1, usual)]
    found += [(0, *one) for one in held_densities(x, codes, folds, groups, parts, unit, drawn[0], rules)]
    tried = [0]
    for level, (share, least) in enumerate(rules.masses, 1):
        values, count = np.unique(x, return_counts=True)
        at = values[(count >= share * len(x)) & (count >= least)]
        if len(at) in tried:
            continue
        tried.append(len(at))
        slots = np.where(np.isin(x, at), np.searchsorted(at, x), len(at))
        shares = held_shares(codes, folds, groups, parts, slots, len(at) + 1, rules.strength)
        rest = slots == len(at)
        if not rest.any():
            found.append((level, 0, shares))
            continue
        own = x[rest], codes[rest], folds[rest]
        for density, logs in held_densities(*own, groups, parts, unit, drawn[level], rules):
            joint = shares.copy()
            joint[rest] += logs
            found.append((level, density, joint))
    each = np.arange(len(x))
    scores = np.array([np.minimum(logs[each, codes], 0.0) for _, _, logs in found])
    with np.errstate(divide="ignore"):  # a class that does not occur
        prior = np.log(np.bincount(codes, minlength=groups) / len(codes))
    posteriors = np.array([normalise(logs, prior)[1][each, codes] for _, _, logs in found])
    best = near_best(scores, near_best(posteriors, range(len(found))))[0]
    above = scores[best] - scores[0]
    table = [(level, density, scores[c].mean(), posteriors[c].mean()) for c, (level, density, _) in enumerate(found)]
    return table, best, above.mean(), above.std() / np.sqrt(len(x))


def near_best(scores, among):
    """Those candidates whose mean score is within a standard error of the best one's, or equal but for rounding."""
    known = [c for c in among if np.isfinite(scores[c].mean())]
    best = max(known, key=lambda c: scores[c].mean())
    below = {c: scores[best] - scores[c] for c in known}
    tied = 1e-12 * abs(scores[best].mean())
    return [c for c in known if below[c].mean() <= max(below[c].std() / np.sqrt(len(below[c])), tied)]


def held_densities(x, codes, folds, groups, parts, unit, drawn, rules):
    """Densities that rows might have, each with its log-densities (n, K)."""
    found = [(0, held_gaussian(x, codes, folds, groups, parts) + unit)]
    if np.ptp(x) == 0 or len(x) < rules.least_rows:
        return found
    given, ones = np.full(3, np.nan), np.ones(len(drawn))
    if np.ptp(x[drawn]) > 0:
        power = likeliest_power(
            x[drawn], codes[drawn], ones, groups, given, rules.scales, rules.largest, rules.tolerance
        )
    else:
        power = (1.0, x[drawn][0], 1.0)
    y, slopes = power_forward(x, *power, rules.largest)
    found.append((1, held_gaussian(y, codes, folds, groups, parts) + slopes[:, None] + unit))
    counts = [int(count) for count in rules.bins if 3 * count <= len(x)]
    logs = held_bins(x, codes, folds, groups, parts, counts, rules.strength) if counts else []
    return found + [(count, one + unit) for count, one in zip(counts, logs, strict=True)]


def held_gaussian(x, codes, folds, groups, parts):
    """Predictive density of each cell, a Gaussian with an almost flat prior being fitted to the other folds."""
    out = np.empty((len(x), groups))
    unit = x.var() / groups**2  # of the prior: three degrees of freedom, a mean that weighs 0.01 cells
    for fold in range(parts):
        for k in range(groups):
            train = x[(folds != fold) & (codes == k)]
            n = len(train)
            mean = train.mean() if n else x.mean()
            scale = np.sqrt((((train - mean) ** 2).sum() + unit) / (n + 3) * (1 + 1 / (n + 0.01)))
            out[folds == fold, k] = stats.t.logpdf(x[folds == fold], n + 3, mean, scale)
    return out


def held_shares(codes, folds, groups, parts, slots, size, strength):
    """Log-probability of each cell's slot, by the counts of the other folds."""
    out = np.empty((len(slots), groups))
    for fold in range(parts):
        for k in range(groups):
            counts = np.bincount(slots[(folds != fold) & (codes == k)], minlength=size) + strength
            out[folds == fold, k] = np.log(counts / counts.sum())[slots[folds == fold]]
    return out


def held_bins(x, codes, folds, groups, parts, counts, strength):
    """Log-density by histograms of bins of about equal counts of the other folds, for each number of bins."""
    out = np.empty((len(counts), len(x), groups))
    for fold in range(parts):
        train = np.sort(x[folds != fold])
        own = folds == fold
        for at, count in enumerate(counts):
            inner = np.array([])
            while len(inner) < 2:
                inner = np.unique(train[np.arange(1, count) * len(train) // count])
                if len(inner) < 2 and count >= counts[-1]:
                    inner = np.unique([train[0], *inner, train[-1]])
                count *= 2
            edges = np.array([-np.inf, *inner, np.inf])
            bins = np.searchsorted(inner, x, side="right")
            log_mass = held_shares(codes, folds, groups, parts, bins, len(inner) + 1, strength)
            heights = bin_lookup(x[own], edges, np.zeros((1, len(inner) + 1)))
            out[at, own] = log_mass[own] + heights
    return out
