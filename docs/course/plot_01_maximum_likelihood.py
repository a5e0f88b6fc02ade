"""
1. Maximum likelihood, and its pitfall
======================================

A model is a family of densities; to fit it is to choose one of them. Maximum likelihood chooses the one under which
the observed rows have the highest density.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from parzen import Bernoulli, Gaussian, Labels, accumulate, fit

# %%
# **A coin.** Of ten flips seven were heads. The likelihood of a probability p of heads is :math:`p^7 (1 - p)^3`; its
# maximum is at 7/10, the observed frequency. For counts, maximum likelihood estimates are observed frequencies.

flips = np.array([1, 1, 0, 1, 1, 0, 1, 1, 1, 0])[:, None]
coin = fit(Bernoulli(estimate="ml"), flips).density
p = np.linspace(0.001, 0.999, 400)
plt.figure(figsize=(6, 3), layout="constrained")
plt.plot(p, p**7 * (1 - p) ** 3)
plt.axvline(coin.probability[0, 0], linestyle="--", color="0.5")
plt.xlabel("probability of heads")
plt.ylabel("likelihood")
print("maximum likelihood:", coin.probability[0, 0].round(3))

# %%
# **Sufficient statistics.** For many families a short statistic holds all that the rows tell about the parameters: for
# a coin the numbers of flips and of heads; for a Gaussian the number of rows, their mean and their scatter matrix.
# Statistics add, so that rows may come in batches.

rng = np.random.default_rng(0)
rows = rng.multivariate_normal([1.0, 2.0], [[1.0, 0.6], [0.6, 2.0]], 500)
whole = accumulate(Gaussian(), rows)
parts = accumulate(Gaussian(), rows[:200]) + accumulate(Gaussian(), rows[200:])
print("the same from two batches:", np.allclose(whole.scatter, parts.scatter))
print(fit(Gaussian(), rows).density.covariance[0].round(2))

# %%
# **The pitfall.** After two flips with two heads, the maximum likelihood estimate gives tails the probability zero.

print("after two heads:", fit(Bernoulli(estimate="ml"), flips[:2]).density.probability[0, 0])

# %%
# It is the same for densities. Three rows in three columns always lie in a plane, so that the maximum likelihood
# covariance is singular; parzen raises its variances to a floor, and warns.

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    fit(Gaussian(), rng.normal(size=(3, 3)))
print(str(caught[0].message)[:110], "...")

# %%
# Of several groups the smallest is overfitted most: here the variance of a class of three rows.

groups = Labels(np.repeat([0, 1], [497, 3]))
print(fit(Gaussian("diag"), rows, groups).density.covariance.diagonal(axis1=1, axis2=2).round(2))

# %%
# The next lesson adds a prior, with which two flips no longer give a probability of 0 or 1.
