"""How strongly the columns of a table depend on each other, two by two."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from parzen.compute.arrays import Array
from parzen.report.intervals import rounded
from parzen.report.rows import sample_rows
from parzen.tables.features import as_floats
from parzen.tables.kinds import LEARNABLE, NUMERIC

#: Most rows, most columns, pairs that are listed, and bootstrap samples for their intervals.
ROWS, COLUMNS, PAIRS, RESAMPLES = 5_000, 40, 10, 60


class Values(NamedTuple):
    """A column as numbers, NaN where missing, and whether their order means something."""

    numbers: Array
    ordered: bool

    def take(self, rows: Any) -> "Values":
        """Some of the rows."""
        return Values(self.numbers[rows], self.ordered)


def dependence(frame: Any, kinds: Mapping[str, str], rng: np.random.Generator) -> dict[str, Any] | None:
    """Strength of dependence between columns, from 0 to 1; the strongest pairs with intervals."""
    names = [name for name, kind in kinds.items() if kind in (*LEARNABLE, "date")][:COLUMNS]
    if len(names) < 2:
        return None
    some = sample_rows(frame, ROWS, rng)
    columns = [_values(some[name], kinds[name]) for name in names]
    d = len(names)
    matrix = np.eye(d)
    for i in range(d):
        for j in range(i):
            matrix[i, j] = matrix[j, i] = strength(columns[i], columns[j])
    order = sorted(((matrix[i, j], i, j) for i in range(d) for j in range(i)), reverse=True)[:PAIRS]
    pairs = []
    for value, i, j in order:
        low, high = _interval(columns[i], columns[j], rng)
        pairs.append(
            {"columns": [names[j], names[i]], "value": rounded(value), "low": rounded(low), "high": rounded(high)}
        )
    strongest, i, j = order[0]
    return {
        "names": names,
        "matrix": [[rounded(value, 3) for value in row] for row in matrix],
        "pairs": pairs,
        "rows": len(some),
        "finding": f"“{names[j]}” and “{names[i]}” depend on each other most (strength {strongest:.2f}).",
    }


def _values(column: Any, kind: str) -> Values:
    import pandas as pd

    if kind in (*NUMERIC, "date"):
        return Values(as_floats(column), True)
    codes = pd.factorize(column.astype(object).where(column.notna(), None))[0].astype(np.float64)
    return Values(np.where(codes < 0, np.nan, codes), False)


def strength(one: Values, other: Values) -> float:
    """Absolute rank correlation of numbers, Cramér's V of categories, correlation ratio of ranks for one of each."""
    both = ~np.isnan(one.numbers) & ~np.isnan(other.numbers)
    x, y = one.numbers[both], other.numbers[both]
    if len(x) < 3 or len(np.unique(x)) < 2 or len(np.unique(y)) < 2:
        return 0.0
    if one.ordered and other.ordered:
        return float(abs(np.corrcoef(rankdata(x), rankdata(y))[0, 1]))
    if not one.ordered and not other.ordered:
        return cramers_v(x.astype(np.intp), y.astype(np.intp))
    return correlation_ratio(rankdata(x), y) if one.ordered else correlation_ratio(rankdata(y), x)


def correlation_ratio(values: Array, groups: Array) -> float:
    """The root of the fraction of variance between groups, less what is expected by chance."""
    codes = np.unique(groups, return_inverse=True)[1]
    weight = np.bincount(codes)
    means = np.bincount(codes, values) / weight
    between = float(weight @ (means - values.mean()) ** 2)
    total = float(((values - values.mean()) ** 2).sum())
    n, k = len(values), len(weight)
    chance = (k - 1) * (total - between) / max(n - k, 1)
    return float(np.sqrt(max(between - chance, 0.0) / total))


def cramers_v(x: NDArray[np.intp], y: NDArray[np.intp]) -> float:
    """Cramér's V of two columns of codes, with Bergsma's correction of its bias."""
    _, x = np.unique(x, return_inverse=True)
    _, y = np.unique(y, return_inverse=True)
    r, c, n = int(x.max()) + 1, int(y.max()) + 1, len(x)
    table = np.bincount(x * c + y, minlength=r * c).reshape(r, c).astype(np.float64)
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / n
    phi = float(((table - expected) ** 2 / expected).sum()) / n
    phi = max(phi - (r - 1) * (c - 1) / max(n - 1, 1), 0.0)
    least = min(r - (r - 1) ** 2 / max(n - 1, 1), c - (c - 1) ** 2 / max(n - 1, 1)) - 1
    return float(min(np.sqrt(phi / least), 1.0)) if least > 0 else 0.0


def _interval(one: Values, other: Values, rng: np.random.Generator) -> tuple[float, float]:
    """A bootstrap interval: the middle 95% of the strengths of resampled rows."""
    n = len(one.numbers)
    values = []
    for _ in range(RESAMPLES):
        rows = rng.integers(0, n, n)
        values.append(strength(one.take(rows), other.take(rows)))
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)
