"""Metrics by their names and parameters, as scikit-learn's trees take them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.smoothing.metrics import Metric, Norm, OtherMetric, Sphere

#: Names of one metric.
ALIASES = {"l2": "euclidean", "p": "minkowski", "l1": "manhattan", "cityblock": "manhattan", "infinity": "chebyshev"}
#: Parameters of each metric that has some; of those that must be given, the first.
PARAMETERS = {
    "minkowski": ("p", "w"),
    "seuclidean": ("V",),
    "mahalanobis": ("V", "VI"),
    "pyfunc": ("func",),
}
#: Metrics that scikit-learn's k-d tree takes, and those that only its ball tree takes.
OF_KD_TREE = ("euclidean", "l2", "minkowski", "p", "manhattan", "cityblock", "l1", "chebyshev", "infinity")
OF_BALL_TREE = (
    "seuclidean", "mahalanobis", "haversine", "hamming", "canberra", "braycurtis", "jaccard", "dice", "rogerstanimoto",
    "russellrao", "sokalmichener", "sokalsneath", "pyfunc",
)  # fmt: skip


def check_metric(metric: Any, parameters: Any) -> None:
    """Raise unless a metric is one of scikit-learn's trees, or a function, with parameters in a dict."""
    if parameters is not None and not isinstance(parameters, dict):
        raise ValueError(f"metric_params must be a dict or None, got {parameters!r}.")
    if not callable(metric) and metric not in (*OF_KD_TREE, *OF_BALL_TREE):
        names = ", ".join(map(repr, (*OF_KD_TREE, *OF_BALL_TREE)))
        raise ValueError(f"metric must be one of {names}, or a function of two rows, got {metric!r}.")


def metric_of(metric: Any, parameters: dict[str, Any] | None, d: int) -> Metric | None:
    """The metric of rows of d columns; None where it is the Euclidean distance.

    Parameters
    ----------
    metric : str or callable
    parameters : dict, optional
        `p` and `w` of "minkowski", `V` of "seuclidean", `V` or `VI` of "mahalanobis", further arguments of a function.
    """
    check_metric(metric, parameters)
    given = dict(parameters or {})
    if metric == "pyfunc":
        if not callable(given.get("func")):
            raise TypeError("metric 'pyfunc' needs its function: metric_params={'func': ...}.")
        metric = given.pop("func")
    if callable(metric):
        return _function(metric, given)
    name = ALIASES.get(metric, metric)
    unknown = [key for key in given if key not in PARAMETERS.get(name, ())]
    if unknown:
        known = ", ".join(map(repr, PARAMETERS.get(name, ()))) or "none"
        raise TypeError(f"metric {metric!r} has no parameter {unknown[0]!r} in metric_params; it takes {known}.")
    if name == "haversine" and d != 2:
        raise ValueError(f"metric 'haversine' takes two columns, latitude and longitude in radians, but there are {d}.")
    if name in ("euclidean", "manhattan", "chebyshev", "minkowski"):
        return _minkowski(name, given, d)
    if name == "seuclidean":
        return _scaled(given, d)
    if name == "mahalanobis":
        return _mahalanobis(given, d)
    return Sphere() if name == "haversine" else OtherMetric(name, None, {})


def _function(function: Callable[..., float], parameters: dict[str, Any]) -> Metric:
    return OtherMetric(getattr(function, "__name__", type(function).__name__), function, parameters)


def _minkowski(name: str, given: dict[str, Any], d: int) -> Metric | None:
    p = {"euclidean": 2.0, "manhattan": 1.0, "chebyshev": np.inf}.get(name, given.get("p", 2.0))
    if not isinstance(p, int | float | np.number) or isinstance(p, bool):
        raise TypeError(f"p of the metric 'minkowski' must be a number above 0, got {p!r}.")
    if not p > 0:
        raise ValueError(f"p of the metric 'minkowski' must be above 0, got {p!r}.")
    w = given.get("w")
    if w is None:
        # In one column all of them are the same.
        return None if p == 2 or d == 1 else Norm(name, float(p))
    if np.isinf(p):
        raise ValueError("w of the metric 'minkowski' needs a finite p; scale the columns for p=inf instead.")
    return Norm(name, float(p), _numbers(w, d, "w", "minkowski", zero=True) ** (1.0 / p))


def _scaled(given: dict[str, Any], d: int) -> Metric:
    if "V" not in given:
        raise TypeError("metric 'seuclidean' needs the variances of the columns: metric_params={'V': ...}.")
    return Norm("seuclidean", 2.0, 1.0 / np.sqrt(_numbers(given["V"], d, "V", "seuclidean", zero=False)))


def _numbers(given: Any, d: int, what: str, name: str, zero: bool) -> Array:
    """One number for each column, above zero, or also zero."""
    numbers = np.asarray(given, dtype=np.float64)
    if numbers.shape != (d,):
        raise ValueError(
            f"{what} of the metric {name!r} must be {d} numbers, one for each column, got shape {numbers.shape}."
        )
    if not np.isfinite(numbers).all() or (numbers < 0).any() or not (numbers.any() if zero else numbers.all()):
        least = "at least 0 and not all 0" if zero else "above 0"
        raise ValueError(f"{what} of the metric {name!r} must be finite and {least}, got {numbers.tolist()}.")
    return numbers


def _mahalanobis(given: dict[str, Any], d: int) -> Metric:
    if given.get("V") is None and given.get("VI") is None:
        raise ValueError("metric 'mahalanobis' needs the covariance, or its inverse: metric_params={'V': ...} or 'VI'.")
    what = "V" if given.get("VI") is None else "VI"
    square = np.asarray(given[what], dtype=np.float64)
    if square.shape != (d, d) or not np.isfinite(square).all():
        raise ValueError(
            f"{what} of the metric 'mahalanobis' must be a matrix of shape ({d}, {d}) of finite numbers, got shape "
            f"{square.shape}."
        )
    return Norm("mahalanobis", 2.0, matrix=_root(square) if what == "VI" else _inverse_root(square))


def _inverse_root(V: Array) -> Array:
    """A with A'A the inverse of V, of which only the symmetric part matters."""
    try:
        if np.allclose(V, V.T, rtol=1e-10, atol=0.0):
            return np.asarray(np.linalg.inv(np.linalg.cholesky(V)))
        return _root(np.asarray(np.linalg.inv(V), dtype=np.float64))
    except np.linalg.LinAlgError:
        least = float(np.linalg.eigvalsh(0.5 * (V + V.T))[0])
        raise np.linalg.LinAlgError(
            f"V of the metric 'mahalanobis' must be positive definite, but its least eigenvalue is {least:.3g}; leave "
            "out columns that follow from others, or give VI."
        ) from None


def _root(VI: Array) -> Array:
    """A with A'A the symmetric part of VI; fewer rows than columns where VI is singular."""
    symmetric = 0.5 * (VI + VI.T)
    diagonal = np.diagonal(symmetric)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))  # so that columns of any units have eigenvalues near 1
    values, vectors = np.linalg.eigh(symmetric / (scale * scale[:, None]))
    if values[0] < -1e-12 or not values[-1] > 0:
        raise ValueError(
            "VI of the metric 'mahalanobis' must have no eigenvalue below 0, and one above, but its least is "
            f"{np.linalg.eigvalsh(symmetric)[0]:.3g}; give the inverse of a covariance."
        )
    kept = values > 1e-12
    return np.asarray(np.sqrt(values[kept])[:, None] * vectors[:, kept].T * scale)
