"""Kernel densities: bandwidth rules, boundary correction, regions of highest density: demo/densities.png."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

from parzen import HistogramDensity, KernelDensity, bias_variance

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]


def claw(n, rng):
    """Marron and Wand's claw: a hump with five narrow fingers."""
    fingers = rng.integers(0, 5, n) / 2 - 1
    return np.where(rng.random(n) < 0.5, rng.normal(size=n), fingers + 0.1 * rng.normal(size=n))[:, None]


def rules(axes):
    """Three bandwidth rules on the same rows: one smooths the fingers away, the others show all five."""
    X = claw(1000, np.random.default_rng(0))
    histogram = HistogramDensity(width=0.1).fit(X)
    edges = histogram.edges_[0]
    axes.stairs(histogram.probability_ / np.diff(edges), edges, fill=True, color="0.88", label="histogram")
    for rule, colour in zip(("silverman", "sj", "isj"), COLOURS, strict=False):
        model = KernelDensity(bandwidth=rule).fit(X)
        axes.plot(*model.grid(1000), color=colour, label=f"{rule}: {model.bandwidth_:.3f}")
        print(f"{rule}: bandwidth {model.bandwidth_:.4f}, leave-one-out {model.leave_one_out().mean():.4f}")
    axes.set(xlim=(-3, 3), title="1000 rows of the claw, by rule", ylabel="density")
    axes.legend(frameon=False, fontsize=8)


def ends(axes):
    """Waiting times can't be negative: boundary correction at 0, and the region that holds 80%."""
    X = np.random.default_rng(1).exponential(size=(500, 1))
    for bounds, style in ((None, "--"), ((0, None), "-")):
        model = KernelDensity(bandwidth="sj", bounds=bounds).fit(X)
        name = "without bounds" if bounds is None else "bounds=(0, None)"
        axes.plot(*model.grid(600), style, color=COLOURS[0] if bounds else "0.5", label=name)
    region = model.highest_density(0.8)
    print(f"80% of the waiting times: {region}")
    for low, high in region.intervals:
        x = np.linspace(low, high, 200)
        axes.fill_between(x, np.exp(model.score_samples(x[:, None])), color=COLOURS[0], alpha=0.15)
    axes.plot([], [], color=COLOURS[0], alpha=0.3, linewidth=8, label="80% of highest density")
    x = np.linspace(0, 6, 200)
    axes.plot(x, stats.expon.pdf(x), ":", color="black", label="truth")
    axes.set(xlim=(-0.8, 6), title="Boundary correction at 0", ylabel="density")
    axes.legend(frameon=False, fontsize=8)


def plane(axes):
    """Two columns, a full bandwidth matrix, and the regions that hold 50, 80 and 95%."""
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.multivariate_normal([0, 0], [[1, 0.85], [0.85, 1]], 400),
                        rng.multivariate_normal([3, -1], [[0.3, -0.2], [-0.2, 0.4]], 200)])  # fmt: skip
    model = KernelDensity(bandwidth="plug-in").fit(X)
    (x, y), density = model.grid(150)
    levels = [np.exp(model.highest_density(share, random_state=0).log_level) for share in (0.95, 0.8, 0.5)]
    blues = ["#d6e6f2", "#9ac4e0", "#4d96c9"]
    axes.contourf(x, y, density.T, levels=[*levels, density.max()], colors=blues)
    axes.plot(*X.T, ".", color="black", markersize=1.5)
    for share, height, colour in zip(("95%", "80%", "50%"), levels, blues, strict=True):
        axes.plot([], [], "s", color=colour, label=share)
        print(f"{share} lies where the density is above {height:.4f}")
    axes.set(title="plug-in H, regions of highest density", xlim=(-3.5, 5), ylim=(-3.5, 3.5))
    axes.legend(frameon=False, fontsize=8, title="holds", title_fontsize=8)


def costs(axes):
    """Bias and variance of the claw's estimate, over the bandwidth."""

    def truth(x):
        fingers = sum(stats.norm.pdf(x, centre, 0.1) for centre in (-1, -0.5, 0, 0.5, 1))
        return 0.5 * stats.norm.pdf(x) + 0.1 * fingers

    found = bias_variance(truth, np.geomspace(0.01, 1.0, 80), n=1000, bounds=(-7, 7))
    print(f"of the claw with 1000 rows: {found}")
    found.plot(axes)


def main():
    figure, axes = plt.subplots(2, 2, figsize=(11, 7.6), layout="constrained")
    for part, ax in zip((rules, ends, plane, costs), axes.flat, strict=True):
        part(ax)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    folder = Path("demo")
    folder.mkdir(exist_ok=True)
    figure.savefig(folder / "densities.png", dpi=110)
    print(f"\nThe picture is in {folder / 'densities.png'}.")


if __name__ == "__main__":
    main()
