"""Regression and outliers: two kernel regressions and their weights, p(y | x), outliers at a false discovery rate."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.displays.explore.data import Data, cells, drawn, lines
from parzen.displays.explore.request import Request, RequestError
from parzen.estimators.outlier.density import DensityOutlier
from parzen.estimators.regress.conditional import ConditionalDensity
from parzen.estimators.regress.regression import KernelRegressor

#: Rows that the regressions see, rows from which bandwidths are chosen, points of a curve, cells of the strip.
ROWS, CHOSEN, WIDTHS, POINTS, CELLS, ACROSS = 2_000, 600, 300, 161, 60, 80
KINDS = {"Nadaraya-Watson": 0, "local lines": 1}


def answer(data: Data, request: Request) -> dict[str, Any]:
    """Both regressions at one bandwidth, weights and p(y | x) at a point, and the outliers at a rate."""
    first, second = request.two_columns(data, "A regression needs two columns of numbers, and this table has one.")
    own, at = request.maybe("bandwidth", 1e-300), request.maybe("at")
    shown = request.choice("weights", tuple(KINDS), "Nadaraya-Watson")
    rate = request.number("fdr", 1e-6, 0.5, 0.05)
    request.finish()
    complete = data.column(first, second)
    rows = drawn(complete, ROWS)
    x, y = np.ascontiguousarray(rows[:, :1]), np.ascontiguousarray(rows[:, 1])
    if len(rows) < 3 or x.min() == x.max() or y.min() == y.max():
        raise RequestError(f"{first} and {second} must hold more than one value, in three rows at least.")
    key = (first, second)
    chosen = data.remember(("bandwidths", key), _bandwidths, rows, request)
    h = chosen["cv"] if own is None else own
    grid = np.linspace(x.min(), x.max(), POINTS)
    models = {
        name: data.remember(("regressor", key, h, order), KernelRegressor(h, order=order).fit, x, y)
        for name, order in KINDS.items()
    }
    point = float(np.median(x)) if at is None else min(max(at, float(grid[0])), float(grid[-1]))
    conditional = ConditionalDensity(bandwidth=[h, chosen["y"]]).fit(x, y)
    outliers = data.remember(("outliers", key), _outliers, rows)
    flagged = outliers.flagged(fdr=rate)
    said = lines(data, list(key), len(rows), len(complete))
    return {
        "names": key,
        "rows": len(complete),
        "used": len(rows),
        "points": rows,
        "grid": grid,
        "bandwidth": h,
        "chosen": chosen,
        "curves": {name: model.predict(grid[:, None]) for name, model in models.items()},
        "errors": {name: float(np.mean((y - model.leave_one_out()) ** 2)) for name, model in models.items()},
        "at": point,
        "weights": models[shown].weights([[point]])[0],
        "predicted": {name: float(model.predict([[point]])[0]) for name, model in models.items()},
        **_strip(conditional, x, y, point),
        "flagged": np.flatnonzero(flagged),
        "p_values": outliers.p_values(),
        "python": (
            f"rows = {said}\nX, y = rows[[{first!r}]], rows[{second!r}]\n"
            f"model = KernelRegressor({h!r}, order={KINDS[shown]}).fit(X, y)\n"
            f"density = ConditionalDensity(bandwidth={[h, chosen['y']]!r}).fit(X, y)\n"
            f"outliers = DensityOutlier().fit(rows).flagged(fdr={rate!r})"
        ),
    }


def _bandwidths(rows: Array, request: Request) -> dict[str, float]:
    """Bandwidths of x by leave-one-out errors and by a rule of thumb; that of y in p(y | x) by likelihood."""
    some = drawn(rows, CHOSEN)
    x, y = np.ascontiguousarray(some[:, :1]), np.ascontiguousarray(some[:, 1])
    found = {}
    for k, rule in enumerate(("silverman", "aicc", "cv")):
        request.progress(k / 4)
        found[rule] = float(KernelRegressor(rule).fit(x, y).bandwidth_[0])
    request.progress(0.75)
    found["y"] = float(ConditionalDensity().fit(x[:WIDTHS], y[:WIDTHS]).bandwidth_[1])
    return found


def _outliers(rows: Array) -> DensityOutlier:
    return DensityOutlier().fit(np.ascontiguousarray(rows))


def _strip(model: ConditionalDensity, x: Array, y: Array, point: float) -> dict[str, Any]:
    """p(y | x): at a point as a curve with its quantiles, and everywhere as cells."""
    margin = 0.08 * float(y.max() - y.min())
    across = np.linspace(y.min() - margin, y.max() + margin, ACROSS)
    along = np.linspace(x.min(), x.max(), CELLS)
    mesh = np.stack(np.meshgrid(along, across), axis=-1).reshape(-1, 2)
    density = model.pdf(mesh[:, :1], mesh[:, 1]).reshape(ACROSS, CELLS)
    return {
        "along": along,
        "across": across,
        "strip": cells(density),
        "density": model.pdf(np.full((ACROSS, 1), point), across),
        "quantiles": model.quantile([[point]], [0.05, 0.5, 0.95])[0],
    }
