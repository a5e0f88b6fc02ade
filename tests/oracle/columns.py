"""Densities of one column: Student's t, histograms, point masses, and what they are chosen and fitted by."""

import numpy as np
from scipy import optimize, stats


def student(X, location, scale, dof):
    """Sum over the known cells of the log-densities of Student's t, (n, K)."""
    cells = stats.t.logpdf(X[:, None, :], dof, location, scale)
    return np.where(np.isnan(X)[:, None, :], 0.0, cells).sum(axis=2)


def bin_lookup(x, edges, log_mass):
    """Log-density of histograms, log_mass of shape (K, m): in open outer bins it falls off exponentially."""
    bounded = edges[np.isfinite(edges)]
    length = bounded[-1] - bounded[0]
    out = np.zeros((len(x), len(log_mass)))
    for i, value in enumerate(x):
        if np.isnan(value):
            continue
        if not edges[0] <= value <= edges[-1]:
            out[i] = -np.inf
            continue
        b = max(b for b in range(len(edges) - 1) if edges[b] <= value)
        low, high = edges[b], edges[b + 1]
        if np.isfinite(high - low):
            out[i] = log_mass[:, b] - np.log(high - low)
        else:
            out[i] = log_mass[:, b] - np.log(length) - abs(value - (high if np.isinf(low) else low)) / length
    return out


def mass_lookup(x, at, masses, rest):
    """Log-density with point masses: masses[a] at value a, the log-density of the rest and masses[-1] elsewhere."""
    found = [np.flatnonzero(at == value) for value in x]
    rows = [masses[a[0]] if len(a) else masses[-1] + own for a, own in zip(found, rest, strict=True)]
    return np.where(np.isnan(x)[:, None], 0.0, np.array(rows).reshape(rest.shape))


def power_log_likelihood(x, codes, w, groups, power, location, scale, largest):
    """Log-likelihood of John and Draper's transform, each group Gaussian with its own mean and variance."""
    z = (x - location) / scale
    logs = np.log1p(np.abs(z))
    y = np.sign(z) * (np.expm1(np.minimum(power * logs, largest)) / power if power else logs)
    value = (power - 1) * (w @ logs) - w.sum() * np.log(scale)
    for k in range(groups):
        own = codes == k
        weight = w[own].sum()
        if weight:
            mean = np.average(y[own], weights=w[own])
            variance = (w[own] @ (y[own] - mean) ** 2 + y.var() / groups**2) / (weight + 3)
            value -= 0.5 * weight * np.log(variance)
    return value


def power_forward(x, power, location, scale, largest):
    """John and Draper's transform of a column, and the logarithm of its slope (0 where a cell is missing)."""
    with np.errstate(over="ignore"):
        z = (x - location) / scale
    z = np.where(np.isinf(z) & np.isfinite(x), np.copysign(1e300, z), z)
    logs = np.log1p(np.abs(z))
    size = np.where(np.isinf(z), np.inf, np.expm1(np.minimum(power * logs, largest)) / power) if power else logs
    slopes = np.where(np.isinf(z) & (power == 1), np.nan, (power - 1) * np.where(power == 1, 1.0, logs))
    return np.copysign(size, z), np.where(np.isnan(z), 0.0, slopes - np.log(scale))


def bin_places(x, edges):
    """Bin of each value, of which none is outside; the last bin has its right edge, and -1 is a missing value's."""
    return [-1 if np.isnan(one) else max(b for b, edge in enumerate(edges[:-1]) if edge <= one) for one in x]


def mass_places(x, at):
    """Place of each value among some (their number where it is none, -1 where it is missing), and the others."""
    place = {value: a for a, value in enumerate(at.tolist())}
    places = [-1 if np.isnan(one) else place.get(one, len(at)) for one in x.tolist()]
    return places, np.where(np.isin(x, at), np.nan, x)


def different(x):
    """Rows of the different values of a column, and the place of each cell among them: numbers by bits, by identity."""
    keys = [id(one) if x.dtype == object else "nan" if np.isnan(one) else float(one).hex() for one in x]
    order = list(dict.fromkeys(keys))
    return [keys.index(key) for key in order], [order.index(key) for key in keys]


def add_places(table, places, out):
    """Rows of a table added to other rows."""
    return out + table[places]


def likeliest_power(x, codes, w, groups, given, scales, largest, tolerance):
    """The likeliest transform: a grid of what is not given (NaN), whose power is improved by Brent's method."""

    def at(power, location, scale):
        return power_log_likelihood(x, codes, w, groups, power, location, scale, largest)

    means = np.array([np.average(x[codes == k], weights=w[codes == k]) if (codes == k).any() else 0.0
                      for k in range(groups)])  # fmt: skip
    short_end = x.max() if w @ (x - means[codes]) ** 3 < 0 else x.min()
    powers, locations = ([(0.0, 0.5), (short_end, np.median(x))][j] if np.isnan(given[j]) else given[j : j + 1]
                         for j in (0, 1))  # fmt: skip
    tried = []
    for center in locations:
        unit = np.median(np.abs(x - center)) or np.abs(x - center).mean()
        units = unit * np.asarray(scales) if np.isnan(given[2]) else given[2:]
        tried += [(power, center, one) for one in units for power in powers]
    power, location, scale = max(tried, key=lambda one: at(*one))
    if not np.isnan(given[0]):
        return power, location, scale
    near = optimize.minimize_scalar(
        lambda one: -at(one, location, scale),
        bounds=(max(0.0, power - 0.5), min(1.0, power + 0.5)),
        method="bounded",
        options={"xatol": tolerance},
    )
    return max((power, near.x, 1.0), key=lambda one: at(one, location, scale)), location, scale


def text_codes(texts):
    """Codes of texts in the order in which they first appear, -1 for None, and the text of each code."""
    order = list(dict.fromkeys(text for text in texts if text is not None))
    return [-1 if text is None else order.index(text) for text in texts], order


def side_by_side(columns, dtype):
    """Columns of numbers, None where one is missing, as the rows of a matrix."""
    return np.array([[np.nan if cell is None else cell for cell in row] for row in zip(*columns, strict=True)], dtype)
