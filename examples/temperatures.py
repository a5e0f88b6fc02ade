"""python examples/temperatures.py [month]: a month's mean temperature in Toronto, from 1, 7 and all of its days.

The standard deviation of the days is taken as known. The posterior of the month's mean narrows with every day; the
predictive density of the next day stays wider than the spread of the days. The picture is demo/temperatures.png.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from parzen.conjugate import NormalMean
from parzen.datasets import load_toronto_temperatures


def main(month=7):
    table = load_toronto_temperatures()
    known = ~np.isnan(table.data[:, 0])
    temperature = table.data[known, 0]
    days = temperature[table.date[known].astype("datetime64[M]").astype(int) % 12 == int(month) - 1]
    prior = NormalMean(location=temperature.mean(), deviation=temperature.std(ddof=1), noise=days.std())
    x = np.linspace(days.min() - 12, days.max() + 8, 800)[:, None]
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), sharey=True, layout="constrained")
    for panel, n in zip(axes, (1, 7, len(days)), strict=True):
        posterior = prior.posterior(days[:n])
        low, high = posterior.interval(0.95)
        predictive = posterior.predictive()
        deviation = predictive.covariance[0, 0, 0] ** 0.5
        print(
            f"{n:4d} days: mean {posterior.mean():6.2f}, 95% interval [{low:.2f}, {high:.2f}], "
            f"log-evidence {prior.log_evidence(days[:n]):9.2f}; next day {posterior.mean():.2f} ± {deviation:.2f}"
        )
        mean = NormalMean(posterior.location, posterior.deviation, 1e-9).predictive()
        height = np.exp(mean.log_density(x))
        panel.fill_between(
            x[:, 0], (height / height.max()).ravel(), color="#2a6f97", alpha=0.35, linewidth=0, label="the month's mean"
        )
        height = np.exp(predictive.log_density(x))
        panel.plot(x, height / height.max(), color="#e07a1f", label="the next day")
        panel.plot(days[:n], np.full(n, -0.04), "|", color="#22333b", markersize=7, alpha=0.6, label="observed")
        panel.set(title=f"{n} day{'s' if n > 1 else ''}", xlabel="°C")
    axes[0].set(ylabel="density (highest = 1)")
    axes[0].legend(frameon=False, loc="upper left")
    Path("demo").mkdir(exist_ok=True)
    figure.savefig("demo/temperatures.png", dpi=150)
    print("The picture is in demo/temperatures.png.")


if __name__ == "__main__":
    main(*sys.argv[1:])
