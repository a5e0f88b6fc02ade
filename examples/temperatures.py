"""python examples/temperatures.py [table.csv.gz] [month]: what 1, 7 and all days say about a month's mean temperature.

The table has the columns `date` and `mean` (daily mean temperatures). The deviation from day to day is taken as known;
the posterior of the month's mean narrows with every day, and the predictive of the next day stays wider than the days.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from parzen.conjugate import NormalMean

TABLE = Path(__file__).parents[2] / "shared" / "data" / "toronto_daily_2014_2018.csv.gz"


def main(path=TABLE, month=7):
    table = pd.read_csv(path, parse_dates=["date"]).dropna(subset=["mean"])
    days = table.loc[table["date"].dt.month == int(month), "mean"].to_numpy()
    prior = NormalMean(location=table["mean"].mean(), deviation=table["mean"].std(), noise=days.std())
    x = np.linspace(days.min() - 12, days.max() + 8, 800)[:, None]
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), sharey=True, layout="constrained")
    for panel, n in zip(axes, (1, 7, len(days)), strict=True):
        posterior = prior.posterior(days[:n])
        low, high = posterior.interval(0.95)
        predictive = posterior.predictive()
        wide = predictive.covariance[0, 0, 0] ** 0.5
        print(
            f"{n:4d} days: mean {posterior.mean():6.2f}, 95% in [{low:.2f}, {high:.2f}], "
            f"evidence {prior.log_evidence(days[:n]):9.2f}; the next day {posterior.mean():.2f} ± {wide:.2f}"
        )
        believed = NormalMean(posterior.location, posterior.deviation, 1e-9).predictive()
        height = np.exp(believed.log_density(x))
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
