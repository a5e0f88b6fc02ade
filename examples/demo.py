"""make demo: three small jobs, their answers in words, and one picture of them in demo/parzen.png."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from parzen import DensityEstimator, Gaussian, Labels, evaluate, fit
from parzen.conjugate import Beta

COLOURS = ["#2a6f97", "#e07a1f", "#3a7d44"]
INK = "#22333b"


def flowers(axes):
    """Three species, each one Gaussian, from measurements of which a fifth is missing."""
    data = load_iris()
    X, y = data.data[:, 2:].copy(), data.target
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    found = fit(Gaussian(), X, Labels(y))
    print(f"Iris: {np.isnan(X).sum()} of {X.size} cells are missing. {found.message}")
    grid_x, grid_y = np.meshgrid(np.linspace(0.5, 7.5, 300), np.linspace(-0.2, 2.9, 300))
    grid = np.column_stack([grid_x.ravel(), grid_y.ravel()])
    densities = np.exp(evaluate(found.density, grid))
    for k, name in enumerate(data.target_names):
        height = densities[:, k].reshape(grid_x.shape)
        peak = height.max()
        axes.contourf(
            grid_x, grid_y, height, levels=peak * np.array([0.011, 0.135, 0.607, 1]), colors=COLOURS[k], alpha=0.25
        )
        rows = (y == k) & ~np.isnan(X).any(axis=1)
        axes.plot(*X[rows].T, "o", color=COLOURS[k], markersize=3, label=name)
    axes.set(xlabel="petal length (cm)", ylabel="petal width (cm)")
    axes.set_title("Class-conditional densities:\none Gaussian per species, 20% of the cells missing")
    axes.legend(frameon=False, loc="upper left")
    return found.density


def coins(axes):
    """Two heads are no certainty: three estimates from the same counts."""
    flips = np.random.default_rng(6).random(200) < 0.6
    flips[:2] = True
    counts = np.arange(1, len(flips) + 1)
    posteriors = [Beta(2, 2).posterior(flips[:n].astype(float)) for n in counts]
    low, high = np.array([posterior.interval(0.95) for posterior in posteriors]).T
    axes.fill_between(counts, low, high, color=COLOURS[0], alpha=0.15, linewidth=0, label="95% interval")
    axes.plot(counts, flips.cumsum() / counts, color=COLOURS[1], label="maximum likelihood")
    axes.plot(counts, [posterior.mode() for posterior in posteriors], color=COLOURS[2], linestyle="--", label="MAP")
    axes.plot(counts, [posterior.mean() for posterior in posteriors], color=COLOURS[0], label="posterior predictive")
    axes.axhline(0.6, color=INK, linewidth=0.8, linestyle=":")
    axes.annotate("truth", (200, 0.6), xytext=(4, 0), textcoords="offset points", va="center", annotation_clip=False)
    axes.set(xscale="log", xlabel="coins flipped", ylabel="probability of heads", ylim=(0, 1.03), xlim=(1, 200))
    axes.set_title("Two heads are no certainty:\nthree estimates from the same counts")
    axes.legend(frameon=False, loc="lower right")
    two = posteriors[1]
    print(f"Coins: after two heads, ML says 1, MAP {two.mode():.3f}, the predictive {two.mean():.3f}.")


def widths(axes):
    """The density of one feature given another."""
    table = load_iris(as_frame=True).data
    model = DensityEstimator(Gaussian()).fit(table)
    x = np.linspace(-0.5, 3.2, 400)[:, None]
    whole = model.marginal("petal width (cm)")
    axes.fill_between(x[:, 0], np.exp(score(whole, x)), color=INK, alpha=0.12, linewidth=0, label="marginal")
    for length, colour in ((1.5, COLOURS[0]), (4.0, COLOURS[1]), (6.0, COLOURS[2])):
        given = model.conditional("petal length (cm)", length).marginal("petal width (cm)")
        axes.plot(x[:, 0], np.exp(score(given, x)), color=colour, label=f"petal length {length} cm")
        spread = given.density_.covariance[0, 0, 0] ** 0.5
        print(f"Petals {length} cm long are {given.density_.mean[0, 0]:.2f} ± {spread:.2f} cm wide.")
    axes.set(xlabel="petal width (cm)", ylabel="density", ylim=(0, 2.7), xlim=(-0.5, 3.2))
    axes.set_title("Petal width given petal length:\nconditional densities")
    axes.legend(frameon=False, loc="upper center", ncols=2)


def score(model, x):
    return model.density_.log_density(x)[:, 0]


def main():
    plt.rcParams.update(
        {
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlesize": 10,
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "text.color": INK,
            "axes.labelcolor": INK,
            "font.size": 9,
        }
    )
    figure, axes = plt.subplots(1, 3, figsize=(14, 4.4), layout="constrained")
    flowers(axes[0])
    coins(axes[1])
    widths(axes[2])
    folder = Path("demo")
    folder.mkdir(exist_ok=True)
    figure.savefig(folder / "parzen.png", dpi=150)
    print(f"\nThe picture is in {folder / 'parzen.png'}.")
    print("To move the bandwidth and the prior yourself: parzen explore --example faithful")


if __name__ == "__main__":
    main()
