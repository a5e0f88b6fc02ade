"""A Gaussian mixture of the numeric columns, with the number of components chosen by BIC."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.estimators.mixture.gaussian import GaussianMixture
from parzen.report.intervals import rounded, rounded_within
from parzen.report.phrases import fraction
from parzen.report.rows import sample_rows
from parzen.tables.features import as_floats
from parzen.tables.kinds import NUMERIC

#: Most rows and most columns; fewer where values are missing, since each pattern of them has a covariance matrix of its
#: own; and rows that are drawn as points.
ROWS, COLUMNS = 5_000, 40
ROWS_WITH_GAPS, COLUMNS_WITH_GAPS = 1_000, 15
POINTS = 800


def mixture(frame: Any, kinds: Mapping[str, str], rng: np.random.Generator) -> dict[str, Any] | None:
    """The mixture that BIC chooses, and the criterion of all that were fitted; None where there is too little data."""
    every = [name for name, kind in kinds.items() if kind in NUMERIC]
    gaps = any(np.isnan(as_floats(frame[name])).any() for name in every[:COLUMNS])
    some = sample_rows(frame, ROWS_WITH_GAPS if gaps else ROWS, rng)
    used = every[: COLUMNS_WITH_GAPS if gaps else COLUMNS]
    X, scale, names = _matrix(some, used)
    if not names:
        return None
    centre = np.nanmean(X, axis=0)
    sizes = list(range(1, 7 if len(names) <= 12 else 5))
    shapes = ["diag", "full"] if len(names) > 1 else ["full"]
    model: Any = GaussianMixture(sizes, covariance_type=shapes, prior="auto", random_state=0).fit((X - centre) / scale)
    order = np.argsort(-model.weights_, kind="stable")
    means = model.means_[order] * scale + centre
    deviations = np.sqrt(_variances(model)[order]) * scale
    return {
        "names": names,
        "criterion": [
            {name: one[name] for name in ("covariance_type", "n_components")} | {"bic": rounded(one["bic"], 6)}
            for one in sorted(model.selection_, key=lambda one: (one["covariance_type"], one["n_components"]))
        ],
        "components": [
            {
                "weight": round(float(weight), 4),
                "means": [rounded_within(value, width, 4) for value, width in zip(mean, scale, strict=True)],
                "standard_deviations": [rounded(value) for value in deviation],
            }
            for weight, mean, deviation in zip(model.weights_[order], means, deviations, strict=True)
        ],
        "covariance_type": model.covariance_type_,
        "projection": _projection(model, order, X, centre, scale, names, rng) if len(names) > 1 else None,
        "rows": len(X),
        "drawn": len(some),
        "columns": [len(used), len(every)],
        "most_tried": sizes[-1],
        "finding": _finding(model, sizes[-1]),
    }


def _matrix(some: Any, names: list[str]) -> tuple[Array, Array, list[str]]:
    """Columns that vary, their standard deviations and names; no names where there are too few rows with values."""
    if not names:
        return np.empty((len(some), 0)), np.empty(0), []
    X = np.column_stack([as_floats(some[name]) for name in names])
    X = X[~np.isnan(X).all(axis=1)]
    scale = np.nanstd(X, axis=0)
    kept = np.flatnonzero((scale > 0) & np.isfinite(scale)) if len(X) >= 20 else np.empty(0, dtype=np.intp)
    return X[:, kept], scale[kept], [names[j] for j in kept]


def _variances(model: Any) -> Array:
    return np.array([np.diag(one) for one in model.density_.components.covariance])


def _finding(model: Any, most: int) -> str:
    chosen = model.n_components_
    failed = sum(not np.isfinite(one["bic"]) for one in model.selection_)
    more = f" {failed} of {len(model.selection_)} fits failed." if failed else ""
    if chosen == 1:
        return f"BIC chooses one component: no clusters are found.{more}"
    weights = ", ".join(fraction(round(weight, 4)) for weight in sorted(model.weights_, reverse=True))
    if chosen == most:
        more = f" More than {most} were not tried, and may fit better.{more}"
    return f"BIC chooses {chosen} components, with weights {weights}.{more}"


def _projection(
    model: Any, order: Any, X: Array, centre: Array, scale: Array, names: list[str], rng: np.random.Generator
) -> dict[str, Any]:
    """Components, the heaviest first, and rows over the two columns that separate the components best."""
    pair = _separating(model)
    unit = scale[pair]
    components = []
    for mean, covariance in zip(model.means_[order], model.density_.components.covariance[order], strict=True):
        block = covariance[np.ix_(pair, pair)] * np.outer(unit, unit)
        components.append({"mean": (mean[pair] * unit + centre[pair]).tolist(), "covariance": block.tolist()})
    known = np.flatnonzero(~np.isnan(X[:, pair]).any(axis=1))
    rows = np.sort(rng.choice(known, min(len(known), POINTS), replace=False))
    codes = np.argsort(order)[model.predict((X[rows] - centre) / scale)]
    points = [
        [rounded_within(a, unit[0]), rounded_within(b, unit[1]), int(k)]
        for (a, b), k in zip(X[rows][:, pair], codes, strict=True)
    ]
    return {
        "columns": [names[j] for j in pair],
        "components": components,
        "points": points,
        "range": [_shown(X[known][:, j], components, axis) for axis, j in enumerate(pair)],
    }


def _shown(values: Array, components: list[dict[str, Any]], axis: int) -> list[float | None]:
    """The range of a picture's axis: of all values but a hundredth at either end, and of the components' middles."""
    low, high = np.quantile(values, [0.01, 0.99]) if len(values) else (np.inf, -np.inf)
    for one in components:
        half = float(np.sqrt(one["covariance"][axis][axis]))
        low, high = min(low, one["mean"][axis] - half), max(high, one["mean"][axis] + half)
    room = 0.06 * (high - low)
    ends = max(low - room, values.min(initial=high) - room), min(high + room, values.max(initial=low) + room)
    return [rounded_within(end, high - low) for end in ends]


def _separating(model: Any) -> list[int]:
    """The two columns with the largest ratios of variance between components to variance within them."""
    within = model.weights_ @ _variances(model)
    between = model.weights_ @ (model.means_ - model.weights_ @ model.means_) ** 2
    first, second = np.argsort(-between / within, kind="stable")[:2]
    return sorted((int(first), int(second)))
