"""A table as a whole: which columns depend on each other, what it is a mixture of, and which rows fit nothing."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from parzen.compute.arrays import Array
from parzen.estimators.mixture.gaussian import GaussianMixture
from parzen.estimators.outlier.density import DensityOutlier
from parzen.report.columns import as_numbers, as_text
from parzen.report.numbers import rounded

#: Rows that each part looks at, at most.
PAIRS, MIXED, OUTLIERS = 5_000, 5_000, 10_000
#: Most columns of a matrix of dependence, and of a mixture.
WIDE = 40


def chosen(frame: Any, most: int, rng: np.random.Generator) -> Any:
    """Some rows of a table, in their order."""
    if len(frame) <= most:
        return frame
    return frame.iloc[np.sort(rng.choice(len(frame), most, replace=False))]


# Dependence ----------------------------------------------------------------------------------------------------------


def dependence(frame: Any, kinds: dict[str, str], rng: np.random.Generator) -> dict[str, Any] | None:
    """How strongly columns depend on each other, two by two, from 0 to 1; the strongest with intervals."""
    names = [name for name, kind in kinds.items() if kind in ("number", "date", "category", "flag")][:WIDE]
    if len(names) < 2:
        return None
    some = chosen(frame, PAIRS, rng)
    codes = [_read(some[name], kinds[name]) for name in names]
    d = len(names)
    matrix = np.eye(d)
    for i in range(d):
        for j in range(i):
            matrix[i, j] = matrix[j, i] = _strength(codes[i], codes[j])
    order = sorted(((matrix[i, j], i, j) for i in range(d) for j in range(i)), reverse=True)[:10]
    pairs = []
    for value, i, j in order:
        low, high = _interval(codes[i], codes[j], rng)
        pairs.append(
            {"columns": [names[j], names[i]], "value": rounded(value), "low": rounded(low), "high": rounded(high)}
        )
    strongest, i, j = order[0]
    see = f"“{names[j]}” and “{names[i]}” depend on each other most ({strongest:.2f} of 1)."
    return {
        "names": names,
        "matrix": [[rounded(value, 3) for value in row] for row in matrix],
        "pairs": pairs,
        "rows": len(some),
        "see": see,
    }


def _read(column: Any, kind: str) -> tuple[Array, bool]:
    """A column as numbers, and whether they are in an order; NaN where missing."""
    import pandas as pd

    if kind in ("number", "date"):
        return as_numbers(column), True
    codes = pd.factorize(column.astype(object).where(column.notna(), None))[0].astype(np.float64)
    return np.where(codes < 0, np.nan, codes), False


def _strength(one: tuple[Array, bool], other: tuple[Array, bool]) -> float:
    """Rank correlation of numbers, Cramér's V of categories, the correlation ratio of both (ranks): all from 0 to 1."""
    both = ~np.isnan(one[0]) & ~np.isnan(other[0])
    x, y = one[0][both], other[0][both]
    if len(x) < 3 or len(np.unique(x)) < 2 or len(np.unique(y)) < 2:
        return 0.0
    if one[1] and other[1]:
        return float(abs(np.corrcoef(rankdata(x), rankdata(y))[0, 1]))
    if not one[1] and not other[1]:
        return _cramer(x.astype(np.intp), y.astype(np.intp))
    ranks, groups = (rankdata(x), y) if one[1] else (rankdata(y), x)
    codes = np.unique(groups, return_inverse=True)[1]
    weight = np.bincount(codes)
    means = np.bincount(codes, ranks) / weight
    between = float(weight @ (means - ranks.mean()) ** 2)
    total = float(((ranks - ranks.mean()) ** 2).sum())
    n, k = len(ranks), len(weight)
    noise = (k - 1) * (total - between) / max(n - k, 1)  # what chance alone would give
    return float(np.sqrt(max(between - noise, 0.0) / total))


def _cramer(x: NDArray[np.intp], y: NDArray[np.intp]) -> float:
    _, x = np.unique(x, return_inverse=True)
    _, y = np.unique(y, return_inverse=True)
    r, c, n = int(x.max()) + 1, int(y.max()) + 1, len(x)
    table = np.bincount(x * c + y, minlength=r * c).reshape(r, c).astype(np.float64)
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / n
    phi = float(((table - expected) ** 2 / expected).sum()) / n
    phi = max(phi - (r - 1) * (c - 1) / max(n - 1, 1), 0.0)  # Bergsma's correction
    least = min(r - (r - 1) ** 2 / max(n - 1, 1), c - (c - 1) ** 2 / max(n - 1, 1)) - 1
    return float(min(np.sqrt(phi / least), 1.0)) if least > 0 else 0.0


def _interval(one: tuple[Array, bool], other: tuple[Array, bool], rng: np.random.Generator) -> tuple[float, float]:
    """The middle 95% of 60 resamples."""
    n = len(one[0])
    values = []
    for _ in range(60):
        rows = rng.integers(0, n, n)
        values.append(_strength((one[0][rows], one[1]), (other[0][rows], other[1])))
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


# Mixture -------------------------------------------------------------------------------------------------------------


def mixture(frame: Any, kinds: dict[str, str], rng: np.random.Generator) -> dict[str, Any] | None:
    """What the columns of numbers are a mixture of, by BIC."""
    names = [name for name, kind in kinds.items() if kind == "number"][:WIDE]
    some = chosen(frame, MIXED, rng)
    X = np.column_stack([as_numbers(some[name]) for name in names]) if names else np.empty((len(some), 0))
    X = X[~np.isnan(X).all(axis=1)] if names else X
    if not names or len(X) < 20:
        return None
    scale = np.nanstd(X, axis=0)
    kept = np.flatnonzero((scale > 0) & np.isfinite(scale))
    X, names = X[:, kept], [names[j] for j in kept]
    if not names:
        return None
    centre, scale = np.nanmean(X, axis=0), scale[kept]
    sizes = list(range(1, 7 if len(names) <= 12 else 5))
    shapes = ["diag", "full"] if len(names) > 1 else ["full"]
    model: Any = GaussianMixture(sizes, covariance_type=shapes, prior="auto", random_state=0).fit((X - centre) / scale)
    means = model.means_ * scale + centre
    deviations = np.sqrt(np.array([np.diag(one) for one in model.density_.components.covariance])) * scale
    pair = _telling(model, names)
    return {
        "names": names,
        "criterion": [
            {"shape": one["covariance_type"], "components": one["n_components"], "bic": rounded(one["bic"], 6)}
            for one in sorted(model.selection_, key=lambda one: (one["covariance_type"], one["n_components"]))
        ],
        "components": [
            {
                "weight": rounded(weight),
                "means": [rounded(value) for value in mean],
                "deviations": [rounded(value) for value in deviation],
            }
            for weight, mean, deviation in zip(model.weights_, means, deviations, strict=True)
        ],
        "shape": model.covariance_type_,
        "picture": None if pair is None else _ellipses(model, X, centre, scale, pair, names, rng),
        "rows": len(X),
        "see": _seen(model),
    }


def _seen(model: Any) -> str:
    C = model.n_components_
    failed = sum(not np.isfinite(one["bic"]) for one in model.selection_)
    more = f" ({failed} of {len(model.selection_)} fits failed.)" if failed else ""
    if C == 1:
        return f"BIC sees one cloud of rows, not several.{more}"
    listed = ", ".join(f"{weight:.0%}" for weight in sorted(model.weights_, reverse=True))
    return f"BIC sees {C} clouds of rows, which hold {listed} of them.{more}"


def _telling(model: Any, names: list[str]) -> tuple[int, int] | None:
    """The two columns in which components lie farthest apart, in deviations within."""
    if len(names) < 2:
        return None
    covariance = np.array([np.diag(one) for one in model.density_.components.covariance])
    within = model.weights_ @ covariance
    between = model.weights_ @ (model.means_ - model.weights_ @ model.means_) ** 2
    first, second = np.argsort(-between / within, kind="stable")[:2]
    return int(min(first, second)), int(max(first, second))


def _ellipses(
    model: Any, X: Array, centre: Array, scale: Array, pair: tuple[int, int], names: list[str], rng: np.random.Generator
) -> dict[str, Any]:
    own, unit = list(pair), scale[list(pair)]
    components = []
    for mean, covariance in zip(model.means_, model.density_.components.covariance, strict=True):
        block = covariance[np.ix_(own, own)] * np.outer(unit, unit)
        components.append(
            {"mean": [rounded(value, 6) for value in mean[own] * unit + centre[own]], "covariance": block.tolist()}
        )
    rows = np.sort(rng.choice(len(X), min(len(X), 800), replace=False))
    codes = model.predict((X[rows] - centre) / scale)
    points = [
        [rounded(a, 5), rounded(b, 5), int(k)]
        for (a, b), k in zip(X[rows][:, own], codes, strict=True)
        if not (np.isnan(a) or np.isnan(b))
    ]
    return {"columns": [names[own[0]], names[own[1]]], "components": components, "points": points}


# Outliers ------------------------------------------------------------------------------------------------------------


def outliers(frame: Any, kinds: dict[str, str], rng: np.random.Generator, fdr: float = 0.05) -> dict[str, Any] | None:
    """Rows that fit nothing, at a false discovery rate, and why."""
    names = [name for name, kind in kinds.items() if kind in ("number", "category", "flag")][:WIDE]
    if not names or len(frame) < 20:
        return None
    some = chosen(frame, OUTLIERS, rng)
    table = ready(some, names, kinds)
    model = DensityOutlier().fit(table)
    p = model.p_values()
    flags = model.flagged(fdr=fdr)
    worst = np.argsort(p, kind="stable")[: min(max(int(flags.sum()), 5), 20)]
    reasons = model.explain(table.iloc[worst])
    rows = []
    for place, i in enumerate(worst):
        order = np.argsort(-reasons.contributions[place], kind="stable")[:3]
        rows.append(
            {
                "row": int(some.index[i]) if isinstance(some.index[i], int | np.integer) else str(some.index[i]),
                "p": rounded(p[i], 3),
                "flagged": bool(flags[i]),
                "why": [
                    {"column": names[j], "rise": rounded(reasons.contributions[place, j], 3)}
                    for j in order
                    if reasons.contributions[place, j] > 0
                ],
                "cells": {names[j]: _cell(some[names[j]].iloc[i]) for j in order},
            }
        )
    many = int(flags.sum())
    see = (
        f"{many} of {len(some):,} rows fit nothing, with at most {fdr:.0%} of them expected to be ordinary."
        if many
        else "No row stands out by more than chance explains."
    )
    return {"fdr": fdr, "flagged": many, "rows": len(some), "worst": rows, "see": see}


def ready(frame: Any, names: list[str], kinds: dict[str, str]) -> Any:
    """Columns as models read them: numbers, or categories as text with gaps."""
    import pandas as pd

    out = {}
    for name in names:
        column = frame[name]
        if kinds[name] in ("number", "date") or (
            kinds[name] == "flag" and pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
        ):
            out[name] = as_numbers(column)
        else:
            out[name] = as_text(column)
    return pd.DataFrame(out, index=frame.index)


def _cell(value: Any) -> Any:
    if isinstance(value, float | np.floating):
        return rounded(value, 5)
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    return None if value is None else str(value)[:60]
