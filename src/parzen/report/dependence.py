"""How strongly the columns of a table depend on each other, two by two."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.report.intervals import Z, rounded
from parzen.report.phrases import brief
from parzen.report.rows import sample_rows
from parzen.report.tree import tree
from parzen.tables.features import as_floats
from parzen.tables.kinds import LEARNABLE, NUMERIC

#: Most rows, most columns, pairs that are listed, and bootstrap samples for their intervals.
ROWS, COLUMNS, PAIRS, RESAMPLES = 5_000, 40, 10, 60


class Values(NamedTuple):
    """A column as numbers, NaN where missing, and whether their order means something.

    Attributes
    ----------
    among : array of shape (n,), optional
        Positions of the numbers among the distinct ones, of which those of missing cells mean nothing: all that the
        strength of a dependence needs of a column, and what resampled rows have already.
    """

    numbers: Array
    ordered: bool
    among: NDArray[np.intp] | None = None

    def positions(self) -> NDArray[np.intp]:
        """Positions of the numbers among the distinct ones."""
        return np.unique(self.numbers, return_inverse=True)[1] if self.among is None else self.among

    def take(self, rows: Any) -> "Values":
        """Some of the rows."""
        return Values(self.numbers[rows], self.ordered, None if self.among is None else self.among[rows])


def dependence(
    frame: Any, kinds: Mapping[str, str], rng: np.random.Generator, root: str | None = None
) -> dict[str, Any] | None:
    """Strength of dependence between columns, from 0 to 1; the strongest pairs with intervals; a tree of columns.

    The edges of the tree lead away from the column `root`.
    """
    every = [name for name, kind in kinds.items() if kind in (*LEARNABLE, "date")]
    names = every[:COLUMNS]
    if len(names) < 2:
        return None
    some = sample_rows(frame, ROWS, rng)
    columns = [_values(some[name], kinds[name]) for name in names]
    columns = [one._replace(among=one.positions()) for one in columns]
    d = len(names)
    matrix = np.eye(d)
    for i in range(d):
        for j in range(i):
            matrix[i, j] = matrix[j, i] = strength(columns[i], columns[j])
    order = sorted(((matrix[i, j], i, j) for i in range(d) for j in range(i)), key=lambda one: -one[0])[:PAIRS]
    pairs = []
    for value, i, j in order:
        low, high = interval(columns[i], columns[j], rng)
        pairs.append(
            {
                "columns": [names[j], names[i]],
                "measure": _measure(columns[i], columns[j]),
                "value": rounded(value),
                "low": rounded(low),
                "high": rounded(high),
            }
        )
    _, i, j = order[0]
    p_value = min(no_dependence(columns[i], columns[j]) * d * (d - 1) / 2, 1.0)
    return {
        "names": names,
        "matrix": [[rounded(value, 3) for value in row] for row in matrix],
        "pairs": pairs,
        "tree": tree(some, kinds, names, root),
        "rows": len(some),
        "columns": [d, len(every)],
        "p_value": rounded(p_value, 3),
        "finding": _finding(pairs[0], d * (d - 1) // 2, p_value < 0.05),
    }


def _finding(most: dict[str, Any], pairs: int, clear: bool) -> str:
    """Which two columns depend on each other most, where that is more than the strongest of all pairs by chance."""
    first, second = most["columns"]
    value = "over 0.999" if 0.9995 <= most["value"] < 1 else brief(most["value"])
    value = f"{most['measure']} {value}, from 0 to 1"
    if clear:
        return f"“{first}” and “{second}” depend on each other most ({value})."
    if pairs == 1:
        return f"“{first}” and “{second}” do not clearly depend on each other ({value})."
    return (
        f"No two columns clearly depend on each other: the strongest of {pairs:,} pairs, “{first}” and “{second}” "
        f"({value}), is no stronger than chance allows."
    )


def _measure(one: Values, other: Values) -> str:
    """What the strength of a dependence is called."""
    if one.ordered and other.ordered:
        return "absolute rank correlation"
    return "correlation ratio of ranks" if one.ordered or other.ordered else "Cramér's V"


def _values(column: Any, kind: str) -> Values:
    import pandas as pd

    if kind in (*NUMERIC, "date"):
        return Values(as_floats(column), True)
    codes = pd.factorize(column.astype(object).where(column.notna(), None))[0].astype(np.float64)
    return Values(np.where(codes < 0, np.nan, codes), False)


def strength(one: Values, other: Values) -> float:
    """Absolute rank correlation of numbers, Cramér's V of categories, correlation ratio of ranks for one of each."""
    both = ~np.isnan(one.numbers) & ~np.isnan(other.numbers)
    x, y = one.positions()[both], other.positions()[both]
    counts = np.bincount(x), np.bincount(y)
    if len(x) < 3 or any((count > 0).sum() < 2 for count in counts):
        return 0.0
    if one.ordered and other.ordered:
        return min(float(abs(np.corrcoef(_ranks(x, counts[0]), _ranks(y, counts[1]))[0, 1])), 1.0)
    if not one.ordered and not other.ordered:
        return cramers_v(x, y)
    return correlation_ratio(_ranks(x, counts[0]), y) if one.ordered else correlation_ratio(_ranks(y, counts[1]), x)


def _ranks(positions: NDArray[np.intp], counts: NDArray[np.intp]) -> Array:
    """Ranks of values that are given as positions among the distinct ones, equal values sharing theirs."""
    return (np.cumsum(counts) - 0.5 * (counts - 1))[positions]


def correlation_ratio(values: Array, groups: NDArray[np.intp]) -> float:
    """The root of the fraction of variance between groups, less what is expected by chance."""
    weight = np.bincount(groups)
    means = np.bincount(groups, values) / np.maximum(weight, 1)
    between = float(weight @ (means - values.mean()) ** 2)
    total = float(((values - values.mean()) ** 2).sum())
    n, k = len(values), int((weight > 0).sum())
    chance = (k - 1) * (total - between) / max(n - k, 1)
    return min(float(np.sqrt(max(between - chance, 0.0) / total)), 1.0)


def cramers_v(x: NDArray[np.intp], y: NDArray[np.intp]) -> float:
    """Cramér's V of two columns of codes, with Bergsma's correction of its bias."""
    r, c, n = int(x.max()) + 1, int(y.max()) + 1, len(x)
    table = np.bincount(x * c + y, minlength=r * c).reshape(r, c).astype(np.float64)
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    r, c = table.shape
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / n
    phi = float(((table - expected) ** 2 / expected).sum()) / n
    phi = max(phi - (r - 1) * (c - 1) / max(n - 1, 1), 0.0)
    least = min(r - (r - 1) ** 2 / max(n - 1, 1), c - (c - 1) ** 2 / max(n - 1, 1)) - 1
    return float(min(np.sqrt(phi / least), 1.0)) if least > 0 else 0.0


def no_dependence(one: Values, other: Values) -> float:
    """P-value of no dependence: of Spearman's correlation, Pearson's chi-squared, or an F test of ranks."""
    from scipy.stats import chi2_contingency, kruskal, spearmanr

    both = ~np.isnan(one.numbers) & ~np.isnan(other.numbers)
    x, y = one.numbers[both], other.numbers[both]
    n, r, c = len(x), len(np.unique(x)), len(np.unique(y))
    if n < 4 or r < 2 or c < 2:
        return 1.0
    if one.ordered and other.ordered:
        return float(spearmanr(x, y).pvalue)
    if not one.ordered and not other.ordered:
        table = np.zeros((r, c))
        np.add.at(table, (np.unique(x, return_inverse=True)[1], np.unique(y, return_inverse=True)[1]), 1.0)
        return float(chi2_contingency(table, correction=False).pvalue)
    values, groups = (x, y) if one.ordered else (y, x)
    return float(kruskal(*(values[groups == group] for group in np.unique(groups))).pvalue)


def interval(one: Values, other: Values, rng: np.random.Generator) -> tuple[float, float]:
    """An interval of a strength, on the scale of Fisher's z, that holds the estimate and lies between 0 and 1.

    Of a rank correlation the error is known (Bonett & Wright 2000); of the others it is that of resampled rows, whose
    own quantiles would be too high: resampling adds chance to chance.
    """
    value = strength(one, other)
    both = int((~np.isnan(one.numbers) & ~np.isnan(other.numbers)).sum())
    if value >= 1 or both < 4:
        return value, value
    if one.ordered and other.ordered:
        error = float(np.sqrt((1 + value**2 / 2) / (both - 3)))
    else:
        error = _resampled_error(one, other, rng) / (1 - value**2)
    z = np.arctanh(value)
    return max(float(np.tanh(z - Z * error)), 0.0), float(np.tanh(z + Z * error))


def _resampled_error(one: Values, other: Values, rng: np.random.Generator) -> float:
    """The standard deviation of the strengths of resampled rows."""
    one, other = (values._replace(among=values.positions()) for values in (one, other))
    n = len(one.numbers)
    drawn = (rng.integers(0, n, n) for _ in range(RESAMPLES))
    return float(np.std([strength(one.take(rows), other.take(rows)) for rows in drawn], ddof=1))
