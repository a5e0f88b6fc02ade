"""The README's picture: a density, a classifier and a conditional density, in docs/pictures/overview.png.

python docs/pictures/overview.py [file]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from parzen import ConditionalDensity, GaussianDiscriminant, GaussianMixture, KernelDensity
from parzen.datasets import load_toronto_temperatures
from parzen.displays import DecisionRegionDisplay


def density(panel, temperature):
    """A kernel density and a mixture of two Gaussians, of one column."""
    x = np.linspace(-28, 36, 500)[:, None]
    rows = temperature[:, None]
    kernel = KernelDensity(bandwidth="isj").fit(rows)
    mixture = GaussianMixture(2, random_state=0).fit(rows)
    panel.hist(temperature, bins=48, density=True, color="0.88")
    panel.plot(x, np.exp(kernel.score_samples(x)), linewidth=1.8, label=f"kernel density, h = {kernel.bandwidth_:.1f}")
    panel.plot(x, np.exp(mixture.score_samples(x)), "--", linewidth=1.6, label="mixture of 2 Gaussians")
    panel.set(xlabel="mean temperature of a day, °C", ylabel="density", ylim=(0, 0.055), title="Densities")
    panel.legend(frameon=False, fontsize=8, loc="upper left")


def classes(panel):
    """Decision regions of quadratic discriminant analysis."""
    iris = load_iris(as_frame=True)
    X, y = iris.data[["sepal width (cm)", "petal width (cm)"]], iris.target_names[iris.target]
    DecisionRegionDisplay.from_estimator(GaussianDiscriminant().fit(X, y), X, y, grid_resolution=300, ax=panel)
    panel.set_title("Classifiers")


def conditional(panel, day, temperature):
    """Quantiles of p(temperature | day of the year). Days in a row are alike: cross-validation would be too narrow."""
    model = ConditionalDensity(bandwidth=[10, 1.5]).fit(day[:, None], temperature)
    at = np.arange(1, 366)[:, None]
    low, middle, high = model.quantile(at, [0.05, 0.5, 0.95]).T
    panel.plot(day, temperature, ".", color="0.6", markersize=1.5, alpha=0.6)
    panel.fill_between(at[:, 0], low, high, alpha=0.25, linewidth=0, label="5% to 95%")
    panel.plot(at, middle, linewidth=1.8, label="median")
    panel.set(xlabel="day of the year", ylabel="mean temperature, °C", title="Conditional densities")
    panel.legend(frameon=False, fontsize=8, loc="lower center")


def main(path):
    toronto = load_toronto_temperatures()
    temperature = toronto.data[:, 0]
    known = ~np.isnan(temperature)
    day = (toronto.date - toronto.date.astype("datetime64[Y]")).astype(float) + 1
    plt.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    plt.rcParams["axes.prop_cycle"] = plt.cycler(color=["#0072B2", "#D55E00"])
    figure, panels = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    density(panels[0], temperature[known])
    classes(panels[1])
    conditional(panels[2], day[known], temperature[known])
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_suffix(".png"))
