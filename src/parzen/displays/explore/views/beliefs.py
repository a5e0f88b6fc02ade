"""Beliefs: a conjugate prior, the likelihood of some data, the posterior and the predictive distribution."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.conjugate import Beta, Gamma, NormalMean
from parzen.displays.explore.data import Data
from parzen.displays.explore.request import Request, RequestError

MODELS = ("coins", "counts", "normal mean")
#: Points of the curves, values that may be typed, and rows that may be taken from a column.
POINTS, TYPED, MOST = 401, 400, 100_000
TAILS = 1e-3


def answer(data: Data, request: Request) -> dict[str, Any]:
    """Prior, likelihood, posterior and predictive on one grid; ML, MAP and Bayes as numbers."""
    model = request.choice("model", MODELS, "normal mean")
    values, source = _values(data, request, model)
    prior, said = _prior(request, model, values)
    request.finish()
    observed = values[: _most(values)]
    posterior = prior.posterior(observed) if len(observed) else prior
    grid = _grid(model, prior, posterior, observed)
    density = np.asarray(posterior.density(grid))
    top = float(density[np.isfinite(density)].max())
    likelihood = None
    if len(observed):
        log_likelihood = np.asarray(prior.log_likelihood(grid, observed))
        likelihood = np.exp(log_likelihood - log_likelihood.max()) * top
    outcomes = _outcomes(model, grid, posterior)
    return {
        "model": model,
        "grid": grid,
        "prior": np.asarray(prior.density(grid)),
        "likelihood": likelihood,
        "posterior": density,
        "outcomes": outcomes,
        "predictive": np.exp(posterior.predictive().log_density(outcomes[:, None])[:, 0]),
        "discrete": model != "normal mean",
        "values": observed[-60:],
        "count": len(observed),
        "estimates": _estimates(prior, posterior, observed, model),
        "parameters": vars(prior),
        "python": f"{said}.posterior({source})" if len(observed) else said,
    }


def _values(data: Data, request: Request, model: str) -> tuple[Array, str]:
    """The data: typed values, or the first rows of a column; and Python's expression for them."""
    typed = request.numbers("typed", -1e12, 1e12, TYPED)
    column, count = request.column("x", data, optional=True), request.whole("count", 0, MOST, 1)
    if column is None:
        values, source = np.array(typed, dtype=np.float64), repr([_short(one) for one in typed])
    else:
        values = data.column(column)[:count, 0]
        source = f"{data.source}[{column!r}].dropna()[:{len(values)}]"
    if model == "coins" and not np.isin(values, (0, 1)).all():
        raise RequestError("Coins are zeros and ones; type some, or choose a column that holds nothing else.")
    if model == "counts" and not ((values >= 0) & (values == np.floor(values))).all():
        raise RequestError("Counts are 0, 1, 2, ...; type some, or choose a column that holds nothing else.")
    return values, source


def _short(value: float) -> float | int:
    return int(value) if value == int(value) and abs(value) < 1e15 else value


def _most(values: Array) -> int:
    return min(len(values), MOST)


def _prior(request: Request, model: str, values: Array) -> tuple[Any, str]:
    """The prior of the sliders, and Python's expression for it."""
    if model == "coins":
        given = {"a": request.number("a", 0.01, 1e4, 2.0), "b": request.number("b", 0.01, 1e4, 2.0)}
        return Beta(**given), f"Beta({given['a']!r}, {given['b']!r})"
    if model == "counts":
        given = {"shape": request.number("shape", 0.01, 1e5, 2.0), "rate": request.number("rate", 1e-4, 1e4, 1.0)}
        return Gamma(**given), f"Gamma({given['shape']!r}, {given['rate']!r})"
    given = {
        "location": request.number("location", -1e12, 1e12, 10.0),
        "deviation": request.number("deviation", 1e-9, 1e12, 5.0),
        "noise": request.number("noise", 1e-9, 1e12, 5.0),
    }
    said = ", ".join(f"{name}={value!r}" for name, value in given.items())
    return NormalMean(**given), f"NormalMean({said})"


def _grid(model: str, prior: Any, posterior: Any, observed: Array) -> Array:
    """Parameters at which curves are drawn; outcomes share their axis."""
    if model == "coins":
        return np.linspace(0, 1, POINTS + 2)[1:-1]
    ends = [*prior.interval(1 - TAILS), *posterior.interval(1 - TAILS), *observed.tolist()]
    if model == "counts":
        return np.linspace(0, max(ends) * 1.03, POINTS + 1)[1:]
    noise = 3 * float(prior.noise)
    low, high = min(*ends, posterior.mean() - noise), max(*ends, posterior.mean() + noise)
    return np.linspace(low, high, POINTS)


def _outcomes(model: str, grid: Array, posterior: Any) -> Array:
    if model == "coins":
        return np.array([0.0, 1.0])
    return np.arange(min(np.floor(grid[-1]), 2_000.0) + 1) if model == "counts" else grid


def _estimates(prior: Any, posterior: Any, observed: Array, model: str) -> dict[str, Any]:
    low, high = posterior.interval(0.95)
    try:
        mode = float(posterior.mode())
    except ValueError:  # a Beta below one has no mode inside
        mode = None
    return {
        "maximum likelihood": float(prior.maximum_likelihood(observed)) if len(observed) else None,
        "maximum a posteriori": mode,
        "Bayes (posterior mean)": float(posterior.mean()),
        "low": float(low),
        "high": float(high),
        "log evidence": float(prior.log_evidence(observed)) if len(observed) else None,
    }
