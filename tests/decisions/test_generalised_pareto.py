"""Tails of scores: the posterior mode of a generalised Pareto distribution."""

import numpy as np
import pytest

from parzen.decisions.generalised_pareto import SHAPE_DEVIATION, fit_generalised_pareto


def objective(y, w, limit, censored, scale, shape):
    """Minus the log-posterior, by its definition."""
    if shape < 1e-9:
        return w.sum() * np.log(scale) + (w @ y + censored * limit) / scale
    logs, last = np.log1p(shape * y / scale), np.log1p(shape * limit / scale)
    prior = 0.5 * (shape / SHAPE_DEVIATION) ** 2
    return w.sum() * np.log(scale) + (1 + 1 / shape) * (w @ logs) + censored * last / shape + prior


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e5])
@pytest.mark.parametrize("draw", ["exponential", "pareto", "bounded", "rounded", "few"])
def test_no_scale_and_shape_nearby_or_elsewhere_are_likelier(rng, draw, unit):
    x = unit * {
        "exponential": rng.exponential(size=800),
        "pareto": rng.pareto(1.5, size=800),
        "bounded": rng.random(800),
        "rounded": np.round(rng.exponential(3.0, size=800), 1),
        "few": rng.exponential(size=6),
    }[draw]  # fmt: skip
    limit = float(np.quantile(x, 0.9))
    y, censored = x[x <= limit], float((x > limit).sum())
    w = rng.random(len(y)) + 0.5
    scale, shape = fit_generalised_pareto(y, w, limit, censored)
    least = objective(y, w, limit, censored, scale, shape)
    assert 0 <= shape < 5
    for other in scale * np.geomspace(1e-2, 1e2, 41):
        for tail in (0.0, 1e-3, 0.03, 0.1, 0.3, 1.0, max(shape - 1e-3, 0.0), shape + 1e-3):
            assert least <= objective(y, w, limit, censored, other, tail) + 1e-9 * abs(least)
    for step in (0.999, 1.001):
        assert least < objective(y, w, limit, censored, scale * step, shape)
