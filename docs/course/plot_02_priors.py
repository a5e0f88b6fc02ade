r"""
2. Priors, MAP and the predictive
=================================

A prior :math:`p(\theta)` is a distribution of the parameter before the data; Bayes' rule updates it to the posterior.
Three answers follow from the posterior: its mode (MAP), its mean, and the predictive probability of the next row, in
which the parameter is integrated out. After two heads in two flips none of them needs to be 1, as maximum likelihood
was in lesson 1.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import t

from parzen import Bernoulli, Categorical, fit
from parzen.conjugate import Beta, Dirichlet, Gamma, NormalInverseGamma, NormalMean
from parzen.datasets import load_toronto_temperatures
from parzen.displays import PosteriorDisplay

# %%
# Bayes' rule
# -----------
# With :math:`D` for the rows, and :math:`p(D \mid \theta)` their likelihood,
#
# .. math::
#
#     p(\theta \mid D) &= \frac{p(D \mid \theta)\, p(\theta)}{p(D)}, \qquad
#         p(D) = \int p(D \mid \theta)\, p(\theta)\, d\theta, \\
#     \hat\theta_{\text{MAP}} &= \arg\max_\theta\, \bigl[\log p(D \mid \theta) + \log p(\theta)\bigr], \\
#     p(x \mid D) &= \int p(x \mid \theta)\, p(\theta \mid D)\, d\theta .
#
# A prior is conjugate to a likelihood if the posterior has the prior's form. Then Bayes' rule only adds numbers.
#
# The coin: Beta and Bernoulli
# ----------------------------
# The density of :math:`\mathrm{Beta}(a, b)` is proportional to :math:`\theta^{a-1} (1-\theta)^{b-1}`. After :math:`k`
# heads in :math:`n` flips
#
# .. math::
#
#     p(\theta \mid D) &\propto \theta^k (1-\theta)^{n-k} \cdot \theta^{a-1} (1-\theta)^{b-1}
#         \;\propto\; \mathrm{Beta}(\theta \mid a + k,\; b + n - k), \\
#     \hat\theta_{\text{ML}} &= \frac{k}{n}, \qquad
#     \hat\theta_{\text{MAP}} = \frac{a + k - 1}{a + b + n - 2}, \\
#     p(x = 1 \mid D) &= \int \theta\, p(\theta \mid D)\, d\theta
#         = \mathbb{E}[\theta \mid D] = \frac{a + k}{a + b + n} .
#
# So :math:`a` and :math:`b` count as heads and tails seen before. With the prior Beta(2, 2), which prefers
# probabilities near 1/2, and two heads in two flips:

a, b, k, n = 2, 2, 2, 2
before = Beta(a, b)
after = before.posterior([1, 1])
print(f"maximum likelihood: {before.maximum_likelihood([1, 1])}")
print(f"MAP:                {after.mode()}")
print(f"predictive:         {after.mean():.3f}")
print(f"95% credible interval of theta: {after.interval()[0]:.2f} to {after.interval()[1]:.2f}")
assert (after.a, after.b) == (a + k, b + n - k)
assert np.isclose(after.mode(), (a + k - 1) / (a + b + n - 2))
assert np.isclose(after.mean(), (a + k) / (a + b + n))

theta = np.linspace(0.001, 0.999, 999)
by_rule = k * np.log(theta) + (n - k) * np.log1p(-theta) + before.log_density(theta) - before.log_evidence([1, 1])
assert np.allclose(after.log_density(theta), by_rule)
PosteriorDisplay.from_prior(before, [1, 1])

# %%
# Families estimate in the same three ways. Without a prior of your own, `estimate="map"` uses Beta(2, 2) and
# `estimate="bayes"`, the default, the uniform prior Beta(1, 1): two different priors, and here the same number, 3/4.
# With one prior for both, MAP and the predictive differ, as above.

two = np.array([[1], [1]])
for prior in (None, Beta(2, 2)):
    found = {
        estimate: fit(Bernoulli(estimate=estimate, prior=prior), two).density.probability[0, 0]
        for estimate in ("map", "bayes")
    }
    print(f"prior {prior}: map {found['map']:.3f}, bayes {found['bayes']:.3f}")
    assert np.isclose(found["map"], found["bayes"]) == (prior is None)

# %%
# With the uniform prior the log-prior is constant, so that MAP is maximum likelihood:

assert Beta(1, 1).posterior(heads=3, tails=1).mode() == Beta(1, 1).maximum_likelihood(heads=3, tails=1) == 3 / 4

# %%
# More rows outweigh the prior
# ----------------------------
# The predictive is a weighted mean of the prior's mean and the observed frequency,
#
# .. math::
#
#     \frac{a + k}{a + b + n} = w\, \frac{a}{a + b} + (1 - w)\, \frac{k}{n}, \qquad w = \frac{a + b}{a + b + n},
#
# and the prior's weight :math:`w` goes to zero as :math:`1/n`. A weak prior is soon forgotten; Beta(20, 20), which
# counts as forty flips, still has a weight of 29% after a hundred.

rng = np.random.default_rng(0)
flips = (rng.random(100) < 0.3).astype(int)
priors = {"uniform, Beta(1, 1)": Beta(1, 1), "weak, Beta(2, 2)": Beta(2, 2), "strong, Beta(20, 20)": Beta(20, 20)}
figure, axes = plt.subplots(1, 3, figsize=(10, 3), layout="constrained")
for panel, size in zip(axes, (2, 10, 100), strict=True):
    for name, prior in priors.items():
        panel.plot(theta, np.exp(prior.posterior(flips[:size]).log_density(theta)), label=name)
    panel.set(title=f"posterior after {size} flips", xlabel="θ", ylim=(0, None))
axes[0].legend(fontsize=7, frameon=False)

frequency = flips.mean()
print(f"frequency of heads: {frequency:.3f}")
for name, prior in priors.items():
    weight = (prior.a + prior.b) / (prior.a + prior.b + 100)
    predictive = prior.posterior(flips).mean()
    print(f"{name:>20}: weight of the prior {weight:.2f}, predictive {predictive:.3f}")
    assert np.isclose(predictive, weight / 2 + (1 - weight) * frequency)
    assert (round(weight, 2) == 0.29) == (name == "strong, Beta(20, 20)")
    assert (abs(predictive - frequency) < 0.01) == (name != "strong, Beta(20, 20)")

# %%
# Categories: Dirichlet and multinomial
# -------------------------------------
# For :math:`K` categories the conjugate prior is
# :math:`\mathrm{Dirichlet}(\alpha) \propto \prod_k \theta_k^{\alpha_k - 1}`, and counts :math:`n_k` add to it:
#
# .. math::
#
#     p(\theta \mid D) &\propto \prod_{k=1}^K \theta_k^{n_k} \cdot \prod_{k=1}^K \theta_k^{\alpha_k - 1}
#         \;\propto\; \mathrm{Dirichlet}(\alpha + n), \\
#     p(x = k \mid D) &= \frac{\alpha_k + n_k}{\sum_j (\alpha_j + n_j)}, \qquad
#     \hat\theta_{k, \text{MAP}} = \frac{n_k + \alpha_k - 1}{n + \sum_j \alpha_j - K} .
#
# The predictive is the mean of the posterior, MAP its mode, by Lagrange's multiplier as in lesson 1: the exponents
# :math:`n_k + \alpha_k - 1` take the place of the counts.
#
# With :math:`\alpha_k = 1` this is Laplace's rule: add one to every count. A category that was never seen gets a small
# probability instead of zero.

counts = np.array([4, 3, 0])
posterior = Dirichlet([1, 1, 1]).posterior(counts=counts)
print("predictive:", posterior.mean().round(3), " MAP:", posterior.mode().round(3))
assert np.allclose(posterior.mean(), (counts + 1) / (counts + 1).sum())
assert np.allclose(posterior.mode(), counts / counts.sum())  # a uniform prior: maximum likelihood
alpha = np.array([2.0, 3, 5])
informed = Dirichlet(alpha).posterior(counts=counts)
assert np.allclose(informed.mode(), (counts + alpha - 1) / (counts.sum() + alpha.sum() - 3))
codes = np.repeat([0, 1, 2], counts)[:, None]
density = fit(Categorical(categories=[3], unseen="error"), codes).density
assert np.allclose(np.exp(density.log_density(np.arange(3.0)[:, None]))[:, 0], posterior.mean())

# %%
# The mean of a Gaussian of known variance
# ----------------------------------------
# Rows are :math:`\mathcal{N}(\mu, \sigma^2)` with :math:`\sigma` known, and the prior of the mean is
# :math:`\mathcal{N}(\mu_0, \tau_0^2)`. Complete the square in :math:`\mu`:
#
# .. math::
#
#     \log p(\mu \mid D) &= -\frac{(\mu - \mu_0)^2}{2\tau_0^2}
#         - \sum_{i=1}^n \frac{(x_i - \mu)^2}{2\sigma^2} + \text{const}
#         = -\frac{(\mu - \mu_n)^2}{2\tau_n^2} + \text{const}, \\
#     \frac{1}{\tau_n^2} &= \frac{1}{\tau_0^2} + \frac{n}{\sigma^2}, \qquad
#     \mu_n = \tau_n^2 \Bigl(\frac{\mu_0}{\tau_0^2} + \frac{n \bar x}{\sigma^2}\Bigr), \\
#     p(x \mid D) &= \mathcal{N}(x \mid \mu_n,\; \tau_n^2 + \sigma^2) .
#
# Precisions (inverses of variances) add, and the mean is weighted by precisions. How warm is July 2016 in Toronto, for
# someone who believes in 0 °C, give or take 10, and knows that days differ by 3 °C?

days = load_toronto_temperatures(as_frame=True).data["mean"]
july = days["2016-07"].dropna().to_numpy()
belief = NormalMean(location=0, deviation=10, noise=3)
grid = np.linspace(-25, 35, 1200)
figure, axis = plt.subplots(figsize=(7, 3.4), layout="constrained")
axis.plot(grid, np.exp(belief.log_density(grid)), "--", color="0.5", label="prior")
for size in (1, 7, len(july)):
    x = july[:size]
    found = belief.posterior(x)
    precision = 1 / 10**2 + size / 3**2
    mean = (0 / 10**2 + x.sum() / 3**2) / precision
    assert np.isclose(found.deviation, precision**-0.5)
    assert np.isclose(found.mean(), mean)
    assert 0 < found.mean() < x.mean()  # between the prior's mean and the mean of the rows
    print(f"after {size:2} days: rows {x.mean():.2f}, posterior {found.mean():.2f} ± {float(found.deviation):.2f}")
    axis.plot(grid, np.exp(found.log_density(grid)), label=f"posterior after {size} day{'s' * (size > 1)}")
predictive = belief.posterior(july).predictive()
axis.plot(grid, np.exp(predictive.log_density(grid[:, None])[:, 0]), ":", color="black", label="predictive of a day")
axis.set(xlabel="°C", ylabel="density", ylim=(0, None))
axis.legend(frameon=False, fontsize=8)

# %%
# The same after one day, with the likelihood: prior, likelihood, posterior and predictive on one axis.

PosteriorDisplay.from_prior(belief, july[:1], together=True)

# %%
# After one day the posterior is still drawn towards 0; after the month the prior hardly matters (the assertion: less
# than a fifth of a degree). The predictive of a day stays wide: more rows tell the mean, not the next day.

assert july[0] - belief.posterior(july[:1]).mean() > 1
assert july.mean() - belief.posterior(july).mean() < 0.2
assert np.isclose(predictive.covariance[0, 0, 0], 3**2 + float(belief.posterior(july).deviation) ** 2)

# %%
# Rates, and an unknown variance
# ------------------------------
# Other parameters have conjugate priors of their own. The rate of Poisson counts has
# :math:`\mathrm{Gamma}(\text{shape } a, \text{rate } b)`: the counts add to :math:`a`, their number to :math:`b`.
# Three calls in an hour, then five, then two: how many in the next?

calls = np.array([3, 5, 2])
rate = Gamma(2, 1).posterior(calls)
print(f"posterior mean of the rate: {rate.mean():.2f} (mean of the counts: {calls.mean():.2f})")
assert np.isclose(rate.mean(), (2 + calls.sum()) / (1 + len(calls)))
PosteriorDisplay.from_prior(Gamma(2, 1), calls)

# %%
# With an unknown mean *and* an unknown variance the predictive is Student's t, with
# :math:`2 a_n` degrees of freedom for the posterior's shape :math:`a_n`. With few rows its tails are much heavier than
# a Gaussian's: its interval for the next row is wider.

rows = july[:4]
updated = NormalInverseGamma(location=0, strength=0.01, shape=1, scale=1).posterior(rows)
scale = np.sqrt(updated.scale * (updated.strength + 1) / (updated.shape * updated.strength))
low, high = t(2 * updated.shape, updated.location, scale).interval(0.95)
plain = rows.mean() + 1.96 * rows.std() * np.array([-1, 1])
print(f"95% for the next day, by maximum likelihood: {plain[0]:.1f} to {plain[1]:.1f}")
print(f"by the predictive, {2 * float(updated.shape):.0f} degrees of freedom: {float(low):.1f} to {float(high):.1f}")
inside = np.linspace(float(low), float(high), 20_001)
mass = np.trapezoid(np.exp(updated.predictive().log_density(inside[:, None])[:, 0]), inside)
assert np.isclose(mass, 0.95, atol=1e-4)  # the library's predictive is that Student's t
assert high - low > plain[1] - plain[0]

# %%
# Exercises
# ---------
# **Exercise 1 (easy).** By hand: the prior is Beta(1, 1), and five flips gave one head. Give the posterior, the
# maximum likelihood estimate, MAP and the predictive probability of heads.
#
# **Hint.** Add heads to :math:`a` and tails to :math:`b`.
#
# **Solution.** Posterior Beta(2, 5); :math:`\hat\theta_{\text{ML}} = 1/5`; MAP :math:`= (2-1)/(2+5-2) = 1/5`, the
# same, as the prior is uniform; predictive :math:`= 2/7`.

one_head = Beta(1, 1).posterior(heads=1, tails=4)
print(one_head, one_head.mode(), round(one_head.mean(), 3))
assert (one_head.a, one_head.b) == (2, 5)
assert one_head.mode() == 1 / 5
assert np.isclose(one_head.mean(), 2 / 7)

# %%
# **Exercise 2 (easy).** By hand: the prior of a mean is :math:`\mathcal{N}(0, 1)`, rows have variance 1, and one row
# is :math:`x = 4`. Give the posterior and the predictive.
#
# **Hint.** Precisions add: :math:`1 + 1`.
#
# **Solution.** Precision 2, so variance 1/2; mean :math:`(0 + 4)/2 = 2`. The predictive is
# :math:`\mathcal{N}(2, 1/2 + 1)`.

found = NormalMean(0, 1, 1).posterior([4.0])
assert np.isclose(found.mean(), 2)
assert np.isclose(found.deviation**2, 1 / 2)
assert np.isclose(found.predictive().covariance[0, 0, 0], 3 / 2)

# %%
# **Exercise 3 (medium).** Does it matter whether flips come one by one or all at once?
#
# **Hint.** A posterior is a prior for what comes next.
#
# **Solution.** No: the likelihood is a product, :math:`p(\theta \mid D_1, D_2) \propto p(D_2 \mid \theta)\,
# p(D_1 \mid \theta)\, p(\theta)`. And the evidence factorises by the chain rule,
# :math:`p(D_1, D_2) = p(D_1)\, p(D_2 \mid D_1)`.

belief_now, log_evidence = Beta(2, 2), 0.0
for flip in flips[:20]:
    log_evidence += belief_now.log_evidence([flip])
    belief_now = belief_now.posterior([flip])
at_once = Beta(2, 2).posterior(flips[:20])
assert (belief_now.a, belief_now.b) == (at_once.a, at_once.b)
assert np.isclose(log_evidence, Beta(2, 2).log_evidence(flips[:20]))

# %%
# **Exercise 4 (medium).** Is the coin fair? Compare the evidence of two models of :math:`n` flips with :math:`k`
# heads: fair (:math:`\theta = 1/2`) and unknown (uniform prior). When do 10 heads in 14 flips speak for the unknown
# coin?
#
# **Hint.** :math:`p(D \mid \text{fair}) = 2^{-n}`;
# :math:`p(D \mid \text{unknown}) = \int \theta^k (1-\theta)^{n-k} d\theta`.
#
# **Solution.** The integral is the Beta function :math:`B(k + 1, n - k + 1)`. The ratio of the two is the Bayes
# factor: for 10 of 14 it is close to one, so that the flips hardly decide; for 40 of 56, the same frequency, it is
# far above.

factors = []
for heads, flipped in ((10, 14), (40, 56)):
    unknown = Beta(1, 1).log_evidence(heads=heads, tails=flipped - heads)
    factors.append(np.exp(unknown + flipped * np.log(2)))
    print(f"{heads} of {flipped}: Bayes factor {factors[-1]:.2f}")
assert 1 / 3 < factors[0] < 3
assert factors[1] > 10

# %%
# **Exercise 5 (medium).** Choose the estimator: maximum likelihood, MAP, the posterior mean or the whole posterior?
# (a) The next flip is to be predicted after three flips, and the loss is the log loss. (b) A single number is to be
# named for :math:`\theta`, and its squared error counts. (c) A million flips have been seen. (d) The probability that
# the coin prefers heads is wanted.
#
# **Hint.** Which of them can be 0 or 1? What minimises an expected squared error? What has the prior's weight become?
#
# **Solution.** (a) The predictive, which is the posterior mean: after three equal flips maximum likelihood is 0 or 1,
# and its log loss infinite as soon as the other side shows. (b) The posterior mean. (c) Any: they agree. (d) The whole
# posterior: :math:`P(\theta > 1/2 \mid D)` is an integral of it. With :math:`\theta` drawn from the uniform prior:

coins = rng.uniform(size=50_000)
heads = rng.binomial(3, coins)
with np.errstate(divide="ignore", invalid="ignore"):
    losses = {
        name: -np.mean(np.where(coins > 0, coins * np.log(q), 0) + (1 - coins) * np.log1p(-q))
        for name, q in (("ml", heads / 3), ("predictive", (heads + 1) / 5))
    }
errors = {name: np.mean((q - coins) ** 2) for name, q in (("ml, map", heads / 3), ("mean", (heads + 1) / 5))}
print("(a) log loss", {name: round(float(value), 3) for name, value in losses.items()})
print("(b) squared error", {name: round(float(value), 4) for name, value in errors.items()})
assert np.isposinf(losses["ml"])
assert np.isfinite(losses["predictive"])
assert errors["mean"] < errors["ml, map"]
million = Beta(1, 1).posterior(heads=300_000, tails=700_000)
assert abs(million.mean() - million.mode()) < 1e-6
seen = Beta(1, 1).posterior(heads=3, tails=1)
above = np.trapezoid(seen.density(theta[theta >= 0.5]), theta[theta >= 0.5])
print(f"(d) P(theta > 1/2) after 3 heads and 1 tail: {above:.3f}")
assert np.isclose(above, 13 / 16, atol=1e-3)

# %%
# **Exercise 6 (hard).** MAP depends on the parameter's scale, the predictive does not. Show it for
# :math:`\phi = \log\frac{\theta}{1-\theta}` and the posterior Beta(4, 2).
#
# **Hint.** The density of :math:`\phi` is that of :math:`\theta` times :math:`d\theta/d\phi = \theta(1-\theta)`.
#
# **Solution.** :math:`p(\phi) \propto \theta^{a-1}(1-\theta)^{b-1} \cdot \theta (1-\theta) = \theta^a (1-\theta)^b`,
# with its maximum at :math:`\theta = a/(a+b) = 2/3`, while the maximum over :math:`\theta` is at
# :math:`(a-1)/(a+b-2) = 3/4`. The predictive is an expectation of :math:`\theta`, on any scale: 2/3.

peaked = Beta(4, 2)
phi = np.log(theta / (1 - theta))
on_phi = peaked.log_density(theta) + np.log(theta * (1 - theta))
print(
    "MAP over theta:",
    peaked.mode(),
    " over phi:",
    theta[on_phi.argmax()].round(2),
    " at phi =",
    phi[on_phi.argmax()].round(2),
)
assert np.isclose(theta[on_phi.argmax()], 2 / 3, atol=1e-3)
assert peaked.mode() == 3 / 4

# %%
# Read on
# -------
# Bishop, *Pattern Recognition and Machine Learning*, sections 2.1 to 2.3; Murphy, *Probabilistic Machine Learning: An
# Introduction*, chapter 4.6. The next lesson estimates densities without a parametric family.
