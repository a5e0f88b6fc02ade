"""A Gaussian mixture of the numeric columns, with the number of components chosen by BIC."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.estimators.mixture.gaussian import GaussianMixture
from parzen.report.intervals import rounded
from parzen.report.rows import sample_rows
from parzen.tables.features import as_floats
from parzen.tables.kinds import NUMERIC

#: Most rows, most columns, and rows that are drawn as points.
ROWS, COLUMNS, POINTS = 5_000, 40, 800


def mixture(frame: Any, kinds: Mapping[str, str], rng: np.random.Generator) -> dict[str, Any] | None:
    """The mixture that BIC chooses, and the criterion of all that were fitted; None where there is too little data."""
    some = sample_rows(frame, ROWS, rng)
    X, scale, names = _matrix(some, [name for name, kind in kinds.items() if kind in NUMERIC][:COLUMNS])
    if not names:
        return None
    centre = np.nanmean(X, axis=0)
    sizes = list(range(1, 7 if len(names) <= 12 else 5))
    shapes = ["diag", "full"] if len(names) > 1 else ["full"]
    model: Any = GaussianMixture(sizes, covariance_type=shapes, prior="auto", random_state=0).fit((X - centre) / scale)
    means = model.means_ * scale + centre
    deviations = np.sqrt(_variances(model)) * scale
    return {
        "names": names,
        "criterion": [
            {name: one[name] for name in ("covariance_type", "n_components")} | {"bic": rounded(one["bic"], 6)}
            for one in sorted(model.selection_, key=lambda one: (one["covariance_type"], one["n_components"]))
        ],
        "components": [
            {
                "weight": rounded(weight),
                "means": [rounded(value) for value in mean],
                "standard_deviations": [rounded(value) for value in deviation],
            }
            for weight, mean, deviation in zip(model.weights_, means, deviations, strict=True)
        ],
        "covariance_type": model.covariance_type_,
        "projection": _projection(model, X, centre, scale, names, rng) if len(names) > 1 else None,
        "rows": len(X),
        "finding": _finding(model),
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


def _finding(model: Any) -> str:
    C = model.n_components_
    failed = sum(not np.isfinite(one["bic"]) for one in model.selection_)
    more = f" {failed} of {len(model.selection_)} fits failed." if failed else ""
    if C == 1:
        return f"BIC chooses one component: no clusters are found.{more}"
    listed = ", ".join(f"{weight:.0%}" for weight in sorted(model.weights_, reverse=True))
    return f"BIC chooses {C} components, with weights {listed}.{more}"


def _projection(
    model: Any, X: Array, centre: Array, scale: Array, names: list[str], rng: np.random.Generator
) -> dict[str, Any]:
    """Components and rows over the two columns that separate the components best."""
    pair = _separating(model)
    unit = scale[pair]
    components = []
    for mean, covariance in zip(model.means_, model.density_.components.covariance, strict=True):
        block = covariance[np.ix_(pair, pair)] * np.outer(unit, unit)
        components.append(
            {"mean": [rounded(value, 6) for value in mean[pair] * unit + centre[pair]], "covariance": block.tolist()}
        )
    rows = np.sort(rng.choice(len(X), min(len(X), POINTS), replace=False))
    codes = model.predict((X[rows] - centre) / scale)
    points = [
        [rounded(a, 5), rounded(b, 5), int(k)]
        for (a, b), k in zip(X[rows][:, pair], codes, strict=True)
        if not (np.isnan(a) or np.isnan(b))
    ]
    return {"columns": [names[j] for j in pair], "components": components, "points": points}


def _separating(model: Any) -> list[int]:
    """The two columns with the largest ratios of variance between components to variance within them."""
    within = model.weights_ @ _variances(model)
    between = model.weights_ @ (model.means_ - model.weights_ @ model.means_) ** 2
    first, second = np.argsort(-between / within, kind="stable")[:2]
    return sorted((int(first), int(second)))
