"""Plots of numbers with matplotlib, where it is installed (``pip install 'parzen[plot]'``)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

#: Colours that people with any colour vision can tell apart (Okabe and Ito 2008).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


def axes(ax: Any, size: tuple[float, float] = (6.4, 4.0)) -> Any:
    """The given axes, or new ones."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install 'parzen[plot]'.") from None
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def axes_beside(n: int, size: tuple[float, float] = (5.2, 3.8)) -> Any:
    """New axes side by side."""
    first = axes(None, (n * size[0], size[1]))
    figure = first.figure
    first.remove()
    return figure.subplots(1, n)


def axes_above(n: int, size: tuple[float, float] = (6.2, 2.4)) -> Any:
    """New axes, one above the other, with one x axis."""
    first = axes(None, (size[0], n * size[1]))
    figure = first.figure
    first.remove()
    return figure.subplots(n, 1, sharex=True)


def plain(text: Any) -> str:
    """Text from data with dollar signs escaped, so that matplotlib doesn't read it as mathematics."""
    text = str(text).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text  # or matplotlib leaves it out of a legend


def bars(names: Sequence[str], values: ArrayLike, title: str, label: str, ax: Any = None) -> Any:
    """Horizontal bar chart of signed values, the first on top."""
    values = np.nan_to_num(np.asarray(values, dtype=np.float64), posinf=np.inf, neginf=-np.inf)
    finite = values[np.isfinite(values)]
    widest = np.abs(finite).max(initial=0.0) or 1.0
    shown = np.clip(values, -1.5 * widest, 1.5 * widest)
    ax = axes(ax, (6.4, 0.9 + 0.32 * len(names)))
    rows = np.arange(len(names))[::-1]
    ax.barh(rows, shown, color=[COLOURS[0] if value >= 0 else COLOURS[1] for value in values], height=0.7)
    ax.set_yticks(rows, [plain(name) for name in names])
    ax.axvline(0, color="0.3", linewidth=0.8)
    for row, value, end in zip(rows, values, shown, strict=True):
        side = "left" if value >= 0 else "right"
        ax.annotate(f"{value:+.2f}", (end, row), (4 if value >= 0 else -4, 0), textcoords="offset points",
                    va="center", ha=side, fontsize=8)  # fmt: skip
    ax.set_xlim(min(shown.min(), 0) - 0.22 * widest, max(shown.max(), 0) + 0.22 * widest)
    ax.set_xlabel(plain(label))
    ax.set_title(plain(title), fontsize=10)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax


def graph(
    positions: Any,
    names: Sequence[str],
    edges: Sequence[tuple[int, int]],
    bends: Mapping[tuple[int, int], Any],
    notes: Sequence[str],
    ax: Any = None,
) -> Any:
    """Nodes as boxes with their names and notes, and arrows between them, by way of bends; y is minus the layer."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    lines = max([note.count("\n") + 1 for note in notes if note] or [0])
    wide, high = np.ptp(positions, axis=0)
    ax = axes(ax, (float(np.clip(1.6 + 0.8 * wide, 3.5, 22)), float(np.clip(1.2 + (0.8 + 0.15 * lines) * high, 2, 22))))
    boxes = []
    for (x, y), name, note in zip(positions, names, notes, strict=True):
        text = plain(name) + ("\n" + plain(note) if note else "")
        style = {"boxstyle": "round,pad=0.45", "facecolor": "#eef4fa", "edgecolor": COLOURS[0]}
        boxes.append(ax.text(x, y, text, ha="center", va="center", fontsize=8 if note else 9, bbox=style, zorder=2))
    across = np.concatenate([positions[:, 0], *(path[:, 0] for path in bends.values())])
    ax.set_xlim(across.min() - 1.3, across.max() + 1.3)
    ax.set_ylim(positions[:, 1].min() - 0.6, positions[:, 1].max() + 0.6)
    ax.axis("off")
    for parent, child in edges:
        arrow = {"arrowstyle": "-|>", "color": "0.35", "linewidth": 1.1, "shrinkA": 0, "shrinkB": 1,
                 "patchA": boxes[parent].get_bbox_patch(), "patchB": boxes[child].get_bbox_patch()}  # fmt: skip
        begin = positions[parent]
        if (parent, child) in bends:
            path = bends[parent, child]
            begin = 0.5 * (path[-1] + positions[child])
            ends = [*(0.5 * (path[1:] + path[:-1])), begin]
            points = [positions[parent], *(point for pair in zip(path, ends, strict=True) for point in pair)]
            curve = Path(points, [Path.MOVETO, *([Path.CURVE3] * (len(points) - 1))])
            ax.add_patch(PathPatch(curve, fill=False, edgecolor="0.35", linewidth=1.1, zorder=1))
            del arrow["patchA"]
        # After the boxes, which only then know how large they are: an arrow ends where its node's box begins.
        ax.annotate("", positions[child], begin, arrowprops=arrow, zorder=3)
    return ax


def ribbons(
    x: ArrayLike, lines: Sequence[tuple[str, ArrayLike, ArrayLike, ArrayLike]], label: str, title: str, ax: Any = None
) -> Any:
    """Lines (name, middle, low, high) with shaded intervals, over a logarithmic x."""
    ax = axes(ax)
    for colour, (name, middle, low, high) in zip(COLOURS, lines, strict=False):
        ax.plot(x, middle, color=colour, marker="o", markersize=3.5, linewidth=1.6, label=plain(name))
        ax.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
    ax.set_xscale("log")
    ax.set_xlabel("training rows")
    ax.set_ylabel(plain(label))
    ax.set_title(plain(title), fontsize=10)
    ax.legend(frameon=False, fontsize=9)
    return opened(ax)


def ellipses(
    X: Any, codes: ArrayLike, mean: Any, covariance: Any, weight: Any, names: Sequence[str], ax: Any = None
) -> Any:
    """Scatter plot of two columns in the colours of their groups, with covariance ellipses of each group."""
    ax = axes(ax, (5.6, 4.6))
    if X is not None:
        rows, own = np.asarray(X, dtype=np.float64), np.asarray(codes)
        for k in range(len(mean)):
            ax.plot(*rows[own == k].T, ".", color=COLOURS[k % len(COLOURS)], markersize=3, alpha=0.5)
    angle = np.linspace(0, 2 * np.pi, 100)
    circle = np.stack([np.cos(angle), np.sin(angle)])
    for k in range(len(mean)):
        colour = COLOURS[k % len(COLOURS)]
        values, vectors = np.linalg.eigh(covariance[k])
        round_ = (vectors * np.sqrt(np.maximum(values, 0.0))) @ circle
        for size, style in ((1, "-"), (2, "--")):
            ax.plot(*(mean[k][:, None] + size * round_), style, color=colour, linewidth=1.4)
        ax.plot(*mean[k], "+", color="black", markersize=8)
        ax.annotate(f"{k}: {weight[k]:.2f}", mean[k], (5, 5), textcoords="offset points", fontsize=8)
    ax.set_xlabel(plain(names[0]))
    ax.set_ylabel(plain(names[1]))
    ax.set_title("components: number and weight; one and two standard deviations", fontsize=10)
    return opened(ax)


def curves(
    x: ArrayLike, lines: Sequence[tuple[str, ArrayLike]], labels: tuple[str, str], title: str, ax: Any = None
) -> Any:
    """Lines (name, y) over a common x."""
    ax = axes(ax)
    for k, (name, y) in enumerate(lines):
        ax.plot(x, y, color=COLOURS[k % len(COLOURS)], marker="o", markersize=3, linewidth=1.4, label=plain(name))
    ax.set_xlabel(plain(labels[0]))
    ax.set_ylabel(plain(labels[1]))
    ax.set_title(plain(title), fontsize=10)
    ax.legend(frameon=False, fontsize=9)
    return opened(ax)


def mixture_density(X: Any, x: ArrayLike, density: ArrayLike, components: ArrayLike, name: str, ax: Any = None) -> Any:
    """A mixture density of one column, its weighted components, and a histogram of the rows."""
    ax = axes(ax)
    if X is not None:
        ax.hist(np.asarray(X, dtype=np.float64).ravel(), bins="fd", density=True, color="0.88")
    for k, component in enumerate(np.asarray(components).T):
        ax.plot(x, component, color=COLOURS[k % len(COLOURS)], linewidth=1.2, label=f"component {k}")
    ax.plot(x, density, color="0.35", linewidth=3.5, alpha=0.5, zorder=1.5, label="mixture")  # behind the components
    ax.set_xlabel(plain(name))
    ax.set_ylabel("density")
    ax.legend(frameon=False, fontsize=8)
    return opened(ax)


def opened(ax: Any) -> Any:
    """Axes without the top and right spines."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax
