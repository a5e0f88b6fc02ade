"""
1. Maximum likelihood, and its pitfall
======================================

A model is a family of densities; learning from rows is choosing one of them. The oldest rule chooses the one under
which the rows that came are likeliest.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from parzen import Bernoulli, Gaussian, Labels, accumulate, fit

# %%
# **A coin.** Of ten flips seven were heads. The likelihood of each probability of heads is :math:`p^7 (1 - p)^3`; its
# top is at 7/10, the share that was seen. That is all there is to maximum likelihood for counts.

flips = np.array([1, 1, 0, 1, 1, 0, 1, 1, 1, 0])[:, None]
coin = fit(Bernoulli(estimate="ml"), flips).density
p = np.linspace(0.001, 0.999, 400)
plt.figure(figsize=(6, 3), layout="constrained")
plt.plot(p, p**7 * (1 - p) ** 3)
plt.axvline(coin.probability[0, 0], linestyle="--", color="0.5")
plt.xlabel("probability of heads")
plt.ylabel("likelihood")
print("the likeliest:", coin.probability[0, 0].round(3))

# %%
# **What is remembered.** Of many families a short statistic says all that rows say: for a coin how many flips there
# were and how many heads; for a Gaussian the weight, the mean and the scatter. Statistics add, so that rows may come
# in parts.

rng = np.random.default_rng(0)
rows = rng.multivariate_normal([1.0, 2.0], [[1.0, 0.6], [0.6, 2.0]], 500)
whole = accumulate(Gaussian(), rows)
parts = accumulate(Gaussian(), rows[:200]) + accumulate(Gaussian(), rows[200:])
print("the same from parts:", np.allclose(whole.scatter, parts.scatter))
print(fit(Gaussian(), rows).density.covariance[0].round(2))

# %%
# **The pitfall.** Two flips, two heads: the likeliest coin never shows tails. It would bet everything on it.

print("after two heads:", fit(Bernoulli(estimate="ml"), flips[:2]).density.probability[0, 0])

# %%
# It is the same for densities. Three rows in three columns always lie in a plane, so that the likeliest Gaussian is
# infinitely thin; parzen floors its variance, and says so.

with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    fit(Gaussian(), rng.normal(size=(3, 3)))
print(str(said[0].message)[:110], "...")

# %%
# And of several groups, the smallest is overfitted most: here the variance of a class of three rows.

groups = Labels(np.repeat([0, 1], [497, 3]))
print(fit(Gaussian("diag"), rows, groups).density.covariance.diagonal(axis1=1, axis2=2).round(2))

# %%
# The next lesson keeps what is good in this and mends the rest: probabilities that two flips can't drive to 0 or 1.
