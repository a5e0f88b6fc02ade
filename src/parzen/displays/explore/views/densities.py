"""Densities: a histogram and a kernel density of a column, or of two; bandwidths of all rules; a known truth."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.displays.explore.data import Data, drawn, lines
from parzen.displays.explore.request import Request, RequestError
from parzen.displays.explore.views.pairs import two_columns
from parzen.displays.explore.views.truth import TRUTHS, known_truth
from parzen.estimators.density.density import DensityEstimator
from parzen.estimators.density.histogram import HistogramDensity
from parzen.estimators.density.kernel import KernelDensity
from parzen.estimators.mixture.gaussian import GaussianMixture
from parzen.families.gaussian import Gaussian
from parzen.smoothing import bandwidth

KERNELS = ("gaussian", "epanechnikov", "tophat", "exponential", "linear", "cosine")
RULES = ("silverman", "scott", "isj", "sj", "lscv", "lcv", "plug-in", "scv")
COMPARED = ("nothing", "gaussian", "mixture", *RULES)
#: Points of a curve; rows from which the slower rules are computed, and marks below the curve.
POINTS, RULE_ROWS, MARKS = 400, 20_000, 300
#: Rows that a kernel density uses at most: a Gaussian one; between bounds; where each bandwidth is its own; with
#: another kernel.
ROWS, BOUNDED_ROWS, ADAPTIVE_ROWS, COMPACT_ROWS = 100_000, 10_000, 2_000, 50_000


def answer(data: Data, request: Request) -> dict[str, Any]:
    """Curves on one grid, the bandwidth in use, those of all rules, and the leave-one-out log-likelihood."""
    name = request.column("x", data)
    kernel = request.choice("kernel", KERNELS, "gaussian")
    rule = request.choice("rule", (*RULES, "own"), "silverman")
    own = request.maybe("bandwidth", 1e-300)
    truth = request.choice("truth", ("table", *TRUTHS), "table")
    if truth != "table":
        return {"kind": "truth", **known_truth(data, request, truth, rule, own)}
    second = request.column("y", data, optional=True)
    if second is not None and second != name and name is not None:
        return {"kind": "pair", **two_columns(data, request, (name, second), kernel, rule)}
    low, high = request.maybe("low"), request.maybe("high")
    adaptive = request.flag("adaptive")
    compared = request.choice("compare", COMPARED, "nothing")
    at = request.maybe("at")
    request.finish()
    assert name is not None
    rows = data.column(name)
    first, last = data.remember(("ends", name), _ends, rows)
    if first == last:
        raise RequestError("x must be a column that holds more than one value.")
    if (low is not None and low > first) or (high is not None and high < last):
        raise RequestError(f"bounds must hold all values, which are from {first:g} to {last:g}.")
    rules = data.remember(("rules", name), _rules, rows, request)
    h = own if rule == "own" and own is not None else rules["silverman" if rule == "own" else rule]
    bounds = None if low is None and high is None else [low, high]
    options = {"bandwidth": h, "kernel": kernel, "adaptive": adaptive, "bounds": bounds}
    most = ADAPTIVE_ROWS if adaptive else BOUNDED_ROWS if bounds else ROWS if kernel == "gaussian" else COMPACT_ROWS
    used = drawn(rows, most)
    key = (name, h, kernel, adaptive, low, high)
    model = data.remember(("kde", *key), _fitted, options, used)
    grid = _grid(first, last, rules["silverman"], low, high)
    histogram = data.remember(("histogram", name), HistogramDensity().fit, rows)
    edges = np.asarray(histogram.density_.edges[0], dtype=float).ravel()
    centres = (edges[1:] + edges[:-1]) / 2
    return {
        "kind": "column",
        "name": name,
        "rows": len(rows),
        "used": len(used),
        "range": [first, last],
        "grid": grid,
        "density": data.remember(("curve", *key), _curve, model, grid),
        "edges": edges,
        "heights": np.exp(histogram.score_samples(centres[:, None])),
        "bandwidth": h,
        "rules": rules,
        "rule_rows": min(len(rows), RULE_ROWS),
        "leave_one_out": data.remember(("loo", *key), _leave_one_out, model),
        "marks": drawn(rows, MARKS)[:, 0],
        "compared": data.remember(
            ("second", compared, *key), _compared, data, compared, name, used, grid, options, rules
        ),
        "contribution": _contribution(at, data.remember(("sorted", name), np.sort, used[:, 0]), grid, options),
        "python": _python(data, name, options, len(used), len(rows)),
    }


def _rules(rows: Array, request: Request) -> dict[str, float]:
    """The bandwidth of each rule, scaled to all rows where it was computed from some, as n to the power -1/5."""
    some = drawn(rows, RULE_ROWS)
    scale = (len(some) / len(rows)) ** 0.2
    found = {}
    for k, rule in enumerate(RULES):
        if len(rows) > RULE_ROWS:
            request.progress(k / len(RULES))
        found[rule] = float(bandwidth.choose(rule, some)[0, 0]) * scale
    return found


def _ends(rows: Array) -> tuple[float, float]:
    return float(rows.min()), float(rows.max())


def _fitted(options: dict[str, Any], rows: Array) -> Any:
    return KernelDensity(**options).fit(rows)


def _curve(model: Any, grid: Array) -> Array:
    return np.asarray(np.exp(model.score_samples(grid[:, None])))


def _leave_one_out(model: Any) -> float:
    return float(np.mean(model.leave_one_out()))


def _grid(first: float, last: float, h: float, low: float | None, high: float | None) -> Array:
    """Points of the curves: the same ones whatever the bandwidth, so that the axis keeps still while one drags."""
    margin = max(3 * h, 0.05 * (last - first))
    return np.linspace(first - margin if low is None else low, last + margin if high is None else high, POINTS)


def _compared(
    data: Data, what: str, name: str, used: Array, grid: Array, options: dict[str, Any], rules: dict[str, float]
) -> dict[str, Any] | None:
    """The second curve."""
    if what == "nothing":
        return None
    label = f"{what}, h = {rules[what]:.4g}" if what in rules else what
    if what == "gaussian":
        model = data.remember(("gaussian", name), DensityEstimator(Gaussian()).fit, data.column(name))
    elif what == "mixture":
        label = "mixture, components by BIC"
        mixture = GaussianMixture("auto", random_state=0)
        model = data.remember(("mixture", name), mixture.fit, drawn(data.column(name), RULE_ROWS))
    else:
        model = _fitted({**options, "bandwidth": rules[what]}, used)
    return {"label": label, "density": np.exp(model.score_samples(grid[:, None]))}


def _contribution(at: float | None, ordered: Array, grid: Array, options: dict[str, Any]) -> dict[str, Any] | None:
    """What the row nearest to a point adds to the density: its own kernel, divided by the number of rows."""
    if at is None or options["adaptive"]:
        return None
    k = int(np.searchsorted(ordered, at))
    around = ordered[max(k - 1, 0) : k + 1]
    nearest = around[[int(np.argmin(np.abs(around - at)))]]
    alone = KernelDensity(**options).fit(nearest[:, None])
    return {"x": nearest[0], "density": np.exp(alone.score_samples(grid[:, None])) / len(ordered)}


def _python(data: Data, name: str, options: dict[str, Any], used: int, rows: int) -> str:
    defaults = {"kernel": "gaussian", "adaptive": False, "bounds": None}
    said = ", ".join(f"{key}={value!r}" for key, value in options.items() if value != defaults.get(key, "none"))
    return f"KernelDensity({said}).fit({lines(data, [name], used, rows)})"
