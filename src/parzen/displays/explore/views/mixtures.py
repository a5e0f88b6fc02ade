"""Mixtures: EM by hand. Each half step is computed by the library, from a start that is k-means, random or clicked."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.displays.explore.data import Data, drawn, lines
from parzen.displays.explore.request import Request, RequestError
from parzen.estimators.mixture.gaussian import GaussianMixture
from parzen.estimators.mixture.kmeans import KMeans
from parzen.statistics.messages import Collapse

SHAPES = ("full", "tied", "diag", "spherical")
STARTS = ("k-means", "random", "clicked")
#: Components, rows that EM sees, rows that are drawn, most steps of EM.
MOST, ROWS, POINTS, STEPS = 8, 4_000, 500, 100


@dataclass
class Path:
    """EM from its start to its end: the models, and the bound and the log-likelihood after each half step."""

    models: list[Any]
    bounds: list[float] = field(default_factory=list)
    heights: list[float] = field(default_factory=list)
    ended: str = "converged"
    sentence: str = ""


def answer(data: Data, request: Request) -> dict[str, Any]:
    """The mixture after some half steps of EM, responsibilities, the path of the bound, and k-means beside it."""
    names = request.two_columns(data, "Mixtures are drawn over two columns of numbers, and this table has one.")
    k, shape = request.whole("k", 1, MOST, 2), request.choice("covariance", SHAPES, "full")
    start, seed = request.choice("start", STARTS, "random"), request.whole("seed", 0, 10_000, 0)
    centres = request.points("centres", MOST)
    prior, floor = request.flag("prior"), request.flag("floor", True)
    half = request.whole("step", 0, 2 * STEPS + 1, 0)
    request.finish()
    complete = data.column(*names)
    rows = drawn(complete, ROWS)
    if len(rows) < 2 * k:
        raise RequestError(f"{k} components need at least {2 * k} rows without missing values; there are {len(rows)}.")
    if not (np.ptp(rows, axis=0) > 0).all():
        raise RequestError(f"{names[0]} and {names[1]} must each hold more than one value.")
    given = _centres(data, names, rows, k, start, seed, centres)
    options = {"reg_covar": 1e-6 if floor else 0.0, "prior": "auto" if prior else None}
    key = (names, k, shape, start, seed, tuple(map(tuple, centres)), prior, floor)
    path = data.remember(("em", key), _path, rows, given, shape, options, request)
    last = 2 * len(path.models) - 1
    half = min(half, last)
    model, about = path.models[half // 2], path.models[max((half + 1) // 2 - 1, 0)]
    points = drawn(rows, POINTS)
    return {
        "names": names,
        "rows": len(complete),
        "used": len(rows),
        "points": points,
        "responsibilities": about.e_step(points) if half else None,
        "step": half,
        "last": last,
        "ended": path.ended,
        "sentence": path.sentence,
        "components": _components(model),
        "bounds": path.bounds,
        "heights": path.heights,
        "kmeans": _hard(rows, points, given, half // 2),
        "start": given,
        "python": _python(data, names, len(rows), len(complete), given, shape, options, half, last, path),
    }


def _centres(
    data: Data, names: tuple[str, str], rows: Array, k: int, start: str, seed: int, clicked: list[list[float]]
) -> Array:
    """Where the means begin."""
    if start == "k-means":
        return data.remember(("centres", names, k, seed), _by_kmeans, rows, k, seed)
    at_random = rows[np.random.default_rng(seed).choice(len(rows), k, replace=False)]
    if start == "random":
        return at_random
    here = np.array(clicked, dtype=np.float64).reshape(-1, 2)[:k]
    return np.concatenate([here, at_random[len(here) :]])


def _by_kmeans(rows: Array, k: int, seed: int) -> Array:
    return np.asarray(KMeans(k, n_init=3, random_state=seed).fit(rows).cluster_centers_)


def started(rows: Array, centres: Array, shape: str, options: dict[str, Any]) -> GaussianMixture:
    """The mixture before the first step: equal weights, and half the deviations of all rows around each centre."""
    k, variance = len(centres), np.vectorize(_digits)(rows.var(axis=0) / 4)
    covariances: Any = {
        "full": [np.diag(variance)] * k, "tied": np.diag(variance), "diag": [variance] * k,
        "spherical": [_digits(variance.mean())] * k,
    }[shape]  # fmt: skip
    model = GaussianMixture.from_parameters(np.full(k, 1 / k), centres, covariances, shape)
    model.set_params(warm_start=True, accelerate=False, **options)
    return model


def _digits(value: float) -> float:
    """A variance in three digits, as the line of Python shows it."""
    return float(f"{value:.3g}")


def _path(rows: Array, centres: Array, shape: str, options: dict[str, Any], request: Request) -> Path:
    """All steps of EM until the mean log-likelihood rises by less than `tol`, as `fit` ends."""
    path = Path([started(rows, centres, shape, options)])
    steps = STEPS
    try:
        wanted = started(rows, centres, shape, options).fit(rows)
        steps, path.ended = wanted.n_iter_, "converged" if wanted.converged_ else "most steps"
    except Collapse as error:
        path.ended, path.sentence = "collapsed", " ".join(str(error).split())
    for step in range(steps + 1):
        model = path.models[-1]
        q = model.e_step(rows)
        path.bounds.append(float(model.lower_bound(rows, q)))
        path.heights.append(float(model.score(rows)))
        if step == steps:
            break
        request.progress(step / steps)
        try:
            model = model.m_step(rows, q)
            path.bounds.append(float(model.lower_bound(rows, q)))
            path.heights.append(float(model.score(rows)))
        except (Collapse, ValueError) as error:
            path.ended, path.sentence = "collapsed", " ".join(str(error).split())
            break
        path.models.append(model)
    return path


def _components(model: Any) -> list[dict[str, Any]]:
    """Weights, means, standard deviations and ellipses of one and two standard deviations."""
    angle = np.linspace(0, 2 * np.pi, 73)
    circle = np.stack([np.cos(angle), np.sin(angle)])
    found = []
    for k in range(model.n_components):
        covariance = _matrix(model, k)
        factor = np.linalg.cholesky(covariance)
        ellipses = [(model.means_[k][:, None] + s * factor @ circle).T for s in (1, 2)]
        found.append({
            "weight": model.weights_[k], "mean": model.means_[k], "covariance": covariance, "ellipses": ellipses,
        })  # fmt: skip
    return found


def _matrix(model: Any, k: int) -> Array:
    given = np.asarray(model.covariances_)
    shape = model.covariance_type
    if shape == "tied":
        return given
    return given[k] if shape == "full" else np.diag(np.broadcast_to(given[k], 2))


def _hard(rows: Array, points: Array, centres: Array, steps: int) -> dict[str, Any]:
    """k-means after as many steps from the same centres: its centres, and the cluster of each drawn row."""
    if steps == 0:
        distance = ((points[:, None] - centres) ** 2).sum(axis=2)
        return {"centres": centres, "labels": distance.argmin(axis=1), "inertia": None}
    model = KMeans(len(centres), init=centres, n_init=1, max_iter=steps).fit(rows)
    return {"centres": model.cluster_centers_, "labels": model.predict(points), "inertia": model.inertia_}


def _python(
    data: Data, names: tuple[str, str], used: int, n: int, centres: Array, shape: str, options: dict[str, Any],
    half: int, last: int, path: Path,
) -> str:  # fmt: skip
    k, spread = len(centres), np.vectorize(_digits)(path.models[0].covariances_).tolist()
    covariances = repr(spread) if shape == "tied" else f"[{spread[0]!r}] * {k}"
    given = f"[1 / {k}] * {k}, {centres.tolist()!r}, {covariances}, {shape!r}"
    said = ", ".join(f"{name}={value!r}" for name, value in options.items())
    begin = (
        f"X = {lines(data, list(names), used, n)}.to_numpy()\n"
        f"model = GaussianMixture.from_parameters({given})\n"
        f"model.set_params(warm_start=True, accelerate=False, {said})"
    )
    if half >= last - 1 and path.ended != "collapsed":
        return f"{begin}\nmodel.fit(X)"
    if half < 2:
        return begin
    return f"{begin}\nfor _ in range({half // 2}): model = model.m_step(X, model.e_step(X))"
