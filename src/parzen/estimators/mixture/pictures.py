"""Pictures of a fitted Gaussian mixture: numbers for `parzen.plotting` to draw."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from parzen.densities.gaussian import GaussianDensity
from parzen.densities.posterior import decide
from parzen.plotting import axes, curves, ellipses, mixture_density


def draw_components(model: Any, X: Any, columns: Any, ax: Any) -> Any:
    """Components as curves of one column, or as ellipses of two."""
    check_is_fitted(model, "density_")
    names = model.schema_.labels
    positions = model.schema_.positions(columns) if columns is not None else list(range(min(len(names), 2)))
    if len(positions) not in (1, 2):
        raise ValueError(f"columns must be one or two, got {columns!r}.")
    part = model.density_.marginal(positions)
    rows = None if X is None else model._later(X)
    seen = None if rows is None else np.asarray(rows, dtype=np.float64)[:, positions]
    own = part.components
    assert isinstance(own, GaussianDensity)
    if len(positions) == 2:
        codes: Any = [] if rows is None else decide(model.density_.components, model.density_.log_weight, rows)[0]
        labels = [str(names[j]) for j in positions]
        return ellipses(seen, codes, own.mean, own.covariance, model.weights_, labels, ax)
    deviation = np.sqrt(own.covariance[:, 0, 0])
    low, high = (own.mean[:, 0] - 4 * deviation).min(), (own.mean[:, 0] + 4 * deviation).max()
    x = np.linspace(low, high, 600)
    sums, joint = part.log_joint(x[:, None])
    known = None if seen is None else seen[~np.isnan(seen)]
    return mixture_density(known, x, np.exp(sums), np.exp(joint), str(names[positions[0]]), ax)


def draw_selection(model: Any, known_shapes: tuple[str, ...], ax: Any) -> Any:
    """The criterion over numbers of components, a line for each shape."""
    check_is_fitted(model, "selection_")
    sizes = sorted({one["n_components"] for one in model.selection_})
    value = {(one["covariance_type"], one["n_components"]): one[model.criterion] for one in model.selection_}
    shapes = [shape for shape in known_shapes if any(key[0] == shape for key in value)]
    lines = [(shape, [value.get((shape, C), np.nan) for C in sizes]) for shape in shapes]
    finite = [(shape, [y if np.isfinite(y) else np.nan for y in ys]) for shape, ys in lines]
    ax = axes(ax)
    known = np.sort([y for _, ys in finite for y in ys if np.isfinite(y)])
    top = known[-max(len(known) // 4, 1)]  # the worst would flatten what is near the best
    if top > known[0]:
        ax.set_ylim(known[0] - 0.04 * (top - known[0]), top)
    title = f"{model.criterion.upper()}: {model.covariance_type_}, {model.n_components_} components"
    return curves(sizes, finite, ("components", model.criterion.upper()), title, ax)


def draw_trace(model: Any, ax: Any) -> Any:
    """The log-likelihood, and the lower bound after each step: between the log-likelihoods before and after it."""
    check_is_fitted(model, "trace_")
    likelihood, bound = np.array(model.trace_).T
    lines = [
        ("log-likelihood at each E-step", np.append(likelihood, np.nan)),
        ("lower bound after the M-step", np.append(np.nan, bound)),
    ]
    labels = ("steps taken", "log-likelihood of a row")
    return curves(np.arange(len(bound) + 1), lines, labels, "log-likelihood and evidence lower bound", ax)
