"""Kernel densities of two columns: on a grid, with contours that hold given parts of the rows."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.displays.explore.data import Data, cells, drawn, lines
from parzen.displays.explore.request import Request
from parzen.estimators.density.kernel import KernelDensity
from parzen.smoothing import bandwidth

RULES = ("silverman", "scott", "lscv", "lcv", "plug-in", "scv")
#: Grid points in each direction, rows that are drawn, and rows that a density and the rules use at most.
CELLS, POINTS, ROWS, ADAPTIVE_ROWS, RULE_ROWS = 56, 600, 20_000, 2_000, 3_000
#: Parts of the rows that the contours hold.
HELD = (0.25, 0.5, 0.75, 0.95)


def two_columns(data: Data, request: Request, names: tuple[str, str], kernel: str, rule: str) -> dict[str, Any]:
    """A density on a grid, its contours' levels, and the factor by which the rule's bandwidth is multiplied."""
    times, adaptive = request.number("times", 0.05, 20.0, 1.0), request.flag("adaptive")
    request.finish()
    rule = rule if rule in RULES else "silverman"
    rows = data.column(*names)
    used = drawn(rows, ADAPTIVE_ROWS if adaptive else ROWS if kernel == "gaussian" else 5_000)
    plain = data.remember(("matrix", names, rule), _matrix, rule, rows)
    matrix = plain * times**2
    options = {"bandwidth": matrix.tolist(), "kernel": kernel, "adaptive": adaptive}
    key = (names, rule, times, kernel, adaptive)
    model = data.remember(("pair", key), KernelDensity(**options).fit, used)
    axes = [_axis(rows[:, j], 2 * float(np.sqrt(plain[j, j]))) for j in range(2)]
    density, at_rows = data.remember(("pair grid", key), _on_grid, model, axes, drawn(rows, 2_000))
    points = drawn(rows, POINTS)
    said = ", ".join(f"{key}={value!r}" for key, value in options.items() if value not in ("gaussian", False))
    return {
        "names": names,
        "rows": len(rows),
        "used": len(used),
        "axes": axes,
        "density": cells(density),
        "levels": [{"held": held, "level": float(np.quantile(at_rows, 1 - held))} for held in HELD],
        "points": points,
        "times": times,
        "rule": rule,
        "matrix": matrix,
        "leave_one_out": data.remember(("pair loo", key), _left_out, model, used),
        "rule_rows": min(len(rows), RULE_ROWS),
        "python": f"KernelDensity({said}).fit({lines(data, list(names), len(used), len(rows))})",
    }


def _matrix(rule: str, rows: Array) -> Array:
    """The bandwidth matrix H of a rule, scaled to all rows where it was computed from some, as n to the power -1/3."""
    some = drawn(rows, RULE_ROWS)
    factor = bandwidth.choose(rule, some) * (len(some) / len(rows)) ** (1 / 6)
    return np.asarray(factor @ factor.T)


def _on_grid(model: KernelDensity, axes: list[Array], rows: Array) -> tuple[Array, Array]:
    mesh = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    return np.exp(model.score_samples(mesh)).reshape(CELLS, CELLS), np.exp(model.score_samples(rows))


def _axis(values: Array, margin: float) -> Array:
    """Grid points: the same ones whatever the factor, so that the axes keep still while one drags."""
    low, high = float(values.min()), float(values.max())
    margin = max(margin, 0.08 * (high - low)) or 1.0
    return np.linspace(low - margin, high + margin, CELLS)


def _left_out(model: KernelDensity, used: Array) -> float:
    return float(np.mean(model.leave_one_out(drawn(used, 3_000))))
