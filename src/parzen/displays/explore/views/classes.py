"""Classes: class-conditional densities of one or two columns, the boundary between classes, posterior probabilities."""

from dataclasses import replace
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.displays.explore.data import Data, cells, drawn, lines
from parzen.displays.explore.request import Request, RequestError
from parzen.estimators.classify.bayes_classifier import BayesClassifier
from parzen.estimators.classify.gaussian_discriminant import GaussianDiscriminant
from parzen.estimators.classify.logistic import LogisticRegression
from parzen.estimators.classify.naive_bayes import NaiveBayes
from parzen.families.gaussian import Gaussian
from parzen.families.kernel import Kernel
from parzen.families.mixture import Mixture

#: Models by the words of the page: what makes them, and Python's expression without the prior.
MODELS: dict[str, tuple[Any, str]] = {
    "Gaussian, quadratic": (lambda: GaussianDiscriminant(), "GaussianDiscriminant("),
    "Gaussian, linear": (lambda: GaussianDiscriminant(shared=True), "GaussianDiscriminant(shared=True, "),
    "Gaussian, diagonal": (lambda: GaussianDiscriminant("diag"), "GaussianDiscriminant('diag', "),
    "Gaussian, spherical": (lambda: GaussianDiscriminant("spherical"), "GaussianDiscriminant('spherical', "),
    "kernel": (lambda: BayesClassifier(Kernel("silverman")), "BayesClassifier(Kernel('silverman'), "),
    "mixture": (
        lambda: BayesClassifier(Mixture(Gaussian(), 2), random_state=0),
        "BayesClassifier(Mixture(Gaussian(), 2), random_state=0, ",
    ),
    "naive Bayes": (lambda: NaiveBayes(), "NaiveBayes("),
}
SLOWER = ("kernel", "mixture")
OVERLAYS = {"nothing": 0, "logistic, degree 1": 1, "logistic, degree 2": 2}
#: Grid points in each direction, points of a line, rows that models see and that are drawn.
CELLS, POINTS, ROWS, MARKS = 60, 241, 20_000, 500
#: Parts of a class's rows that its contours hold; the range of the log-odds that a boundary is drawn from.
HELD, CLIP = (0.5, 0.9), 12.0


def answer(data: Data, request: Request) -> dict[str, Any]:
    """Densities of the classes, the boundary, posterior probabilities along a line, and errors counted."""
    target = request.classes("target", data)
    first, second = request.column("x", data), request.column("y", data, optional=True)
    assert first is not None
    names = (first,) if second is None or second == first else (first, second)
    kind = request.choice("model", tuple(MODELS), "Gaussian, quadratic")
    overlay = request.choice("over", tuple(OVERLAYS), "nothing")
    weights = request.numbers("priors", 0, 1e6, 20)
    missing = request.choice("missing", ("nothing", "x", "y"), "nothing")
    line, pair = request.maybe("line"), request.numbers("pair", 0, 19, 2)
    request.finish()
    rows, labels = data.labelled(names, target, ROWS)
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) < 2:
        raise RequestError(f"target must have two classes among the rows where {' and '.join(names)} are known.")
    prior = _prior(weights, counts)
    absent = {"x": 0, "y": 1}.get(missing) if len(names) == 2 else None
    key = (names, target, kind, tuple(prior))
    model = data.remember(("classifier", key), _fitted, kind, prior, rows, labels, request)
    over = _overlay(data, overlay, names, target, rows, labels) if absent is None else None
    one, two = _pair(pair, counts)
    grid = [_axis(rows[:, j], CELLS if len(names) == 2 else POINTS) for j in range(len(names))]
    if len(names) == 2:
        picture = _pair_picture(data, (*key, absent), model, over, grid, rows, labels, absent, line)
    else:
        picture = _line_picture(model, over, grid)
    shown = drawn(np.arange(len(rows)), MARKS)
    return {
        "names": names,
        "target": target,
        "classes": classes,
        "counts": counts,
        "used": len(rows),
        "priors": prior,
        "pair": [one, two],
        "points": rows[shown],
        "codes": np.searchsorted(classes, labels[shown]),
        "boundary": _boundary(model, classes[[one, two]], names) if absent is None else None,
        "over": None if over is None else {
            "name": overlay, "boundary": _boundary(over, classes[[one, two]], names),
            "errors": _errors(data, ("over", overlay, names, target), over, rows, labels, None),
        },
        "errors": _errors(data, (*key, absent), model, rows, labels, absent),
        **picture,
        "python": _python(data, kind, names, target, prior, len(rows)),
    }  # fmt: skip


def _prior(weights: list[float], counts: Any) -> list[float]:
    """Class priors of the sliders; the frequencies of the classes where none, or not as many, are given."""
    if len(weights) != len(counts) or sum(weights) <= 0:
        return [float(one) for one in counts / counts.sum()]
    return [one / sum(weights) for one in weights]


def _fitted(kind: str, prior: list[float], rows: Array, labels: Any, request: Request) -> Any:
    if kind in SLOWER:
        request.progress(0.1)
    return MODELS[kind][0]().set_params(class_prior=prior).fit(rows, labels)


def _overlay(data: Data, overlay: str, names: tuple[str, ...], target: str, rows: Array, labels: Any) -> Any:
    degree = OVERLAYS[overlay]
    if not degree:
        return None
    model = LogisticRegression(degree=degree, standardise=True, max_iter=1000)
    return data.remember(("logistic", degree, names, target), model.fit, rows, labels)


def _pair(pair: list[float], counts: Any) -> tuple[int, int]:
    """The two classes whose boundary is described: as asked, or the two most frequent."""
    asked = [int(one) for one in pair]
    if len(asked) == 2 and asked[0] != asked[1] and max(asked) < len(counts):
        return asked[0], asked[1]
    largest = np.sort(np.argsort(-counts, kind="stable")[:2])
    return int(largest[0]), int(largest[1])


def _axis(values: Array, count: int) -> Array:
    low, high = float(values.min()), float(values.max())
    margin = 0.08 * (high - low) or 1.0
    return np.linspace(low - margin, high + margin, count)


def _boundary(model: Any, pair: Any, names: tuple[str, ...]) -> dict[str, Any] | None:
    """The boundary of two classes in words, with its equation; its points in one column. None where it is no conic."""
    try:
        found = model.decision_boundary(*pair)
    except ValueError:
        return None
    named = replace(found, names=("x", "y")[: len(names)])
    return {"words": named.describe(), "kind": found.kind, "roots": found.roots() if len(names) == 1 else None}


def _errors(data: Data, key: Any, model: Any, rows: Array, labels: Any, absent: int | None) -> int:
    def count() -> int:
        return int((model.predict(_without(rows, absent)) != labels).sum())

    return data.remember(("mistakes", key), count)


def _without(rows: Array, absent: int | None) -> Array:
    """Rows in which a column is missing."""
    if absent is None:
        return rows
    rows = rows.copy()
    rows[:, absent] = np.nan
    return rows


def _densities(model: Any, rows: Array) -> Array:
    """Class-conditional densities, (n, K): those of rows and classes, less the priors."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.exp(model.log_joint(rows) - np.log(model.class_prior_))
    return np.asarray(np.nan_to_num(found))


def log_odds(model: Any, rows: Array) -> Array:
    """Log of each class's posterior probability against the likeliest other's, within a range, (n, K)."""
    log_posterior = np.maximum(model.predict_log_proba(rows), -1e300)
    order = np.sort(log_posterior, axis=1)
    best, next_best = order[:, -1:], order[:, -2:-1]
    other = np.where(log_posterior == best, next_best, best)
    return np.asarray(np.clip(log_posterior - other, -CLIP, CLIP))


def _pair_picture(
    data: Data, key: Any, model: Any, over: Any, grid: list[Array], rows: Array, labels: Any, absent: int | None,
    line: float | None,
) -> dict[str, Any]:  # fmt: skip
    at = float(np.median(rows[:, 1])) if line is None else line
    along = np.linspace(grid[0][0], grid[0][-1], POINTS)
    path = np.column_stack([along, np.full(POINTS, at)])
    return {
        "axes": grid,
        **data.remember(("areas", key), _areas, model, grid, rows, labels, absent),
        "over_odds": None if over is None else [cells(one) for one in _on_grid(log_odds(over, _mesh(grid)))],
        "line": at,
        "along": along,
        "posterior": model.predict_proba(_without(path, absent)).T,
        "over_posterior": None if over is None else over.predict_proba(path).T,
    }


def _areas(model: Any, grid: list[Array], rows: Array, labels: Any, absent: int | None) -> dict[str, Any]:
    """What does not depend on the line: the predicted class, log-odds, densities and the levels of their contours."""
    mesh = _mesh(grid)
    seen = _without(mesh, absent)
    posterior = model.predict_proba(seen)
    levels = []
    for k, name in enumerate(model.classes_):
        own = _densities(model, drawn(rows[labels == name], 1_000))[:, k]
        levels.append([{"held": held, "level": float(np.quantile(own, 1 - held))} for held in HELD])
    return {
        "predicted": posterior.argmax(axis=1).reshape(CELLS, CELLS),
        "probability": cells(posterior.max(axis=1).reshape(CELLS, CELLS)),
        "odds": [cells(one) for one in _on_grid(log_odds(model, seen))],
        "densities": [cells(one) for one in _on_grid(_densities(model, mesh))],
        "levels": levels,
    }


def _mesh(grid: list[Array]) -> Array:
    return np.stack(np.meshgrid(*grid), axis=-1).reshape(-1, 2)


def _on_grid(values: Array) -> Array:
    """Values (n, K) of the points of the grid as K pictures."""
    return values.T.reshape(-1, CELLS, CELLS)


def _line_picture(model: Any, over: Any, grid: list[Array]) -> dict[str, Any]:
    column = grid[0][:, None]
    return {
        "axes": grid,
        "along": grid[0],
        "joint": (_densities(model, column) * model.class_prior_).T,
        "posterior": model.predict_proba(column).T,
        "over_posterior": None if over is None else over.predict_proba(column).T,
    }


def _python(data: Data, kind: str, names: tuple[str, ...], target: str, prior: list[float], used: int) -> str:
    known = len(data.labelled(names, target, 2**62)[0])
    return (
        f"rows = {lines(data, list(names), used, known, target)}\n"
        f"model = {MODELS[kind][1]}class_prior={prior!r}).fit(rows[{list(names)!r}].astype(float), "
        f"rows[{target!r}].astype(str))"
    )
