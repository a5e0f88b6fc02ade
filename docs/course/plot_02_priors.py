"""
2. Priors, MAP and the predictive
=================================

A prior is a distribution of the parameter before the data; Bayes' rule updates it to the posterior. Three answers
follow from the posterior: its mode (MAP), its mean, and the predictive probability of the next row, in which the
parameter is integrated out.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import beta

from parzen import Bernoulli, fit
from parzen.conjugate import Beta, Gamma, NormalInverseGamma
from parzen.displays import PosteriorDisplay

# %%
# **The coin again.** The prior Beta(2, 2) prefers probabilities near 1/2. After two heads the mode of the posterior
# is 3/4 and the predictive probability of heads is 2/3, not 1.

before = Beta(2, 2)
after = before.posterior([1, 1])
print("maximum likelihood:", before.maximum_likelihood([1, 1]))
print("MAP:", after.mode(), " predictive:", round(after.mean(), 3), " 95% in", np.round(after.interval(), 2))
PosteriorDisplay.from_prior(before, [1, 1])

# %%
# **More rows outweigh the prior.** After a hundred flips the prior hardly matters.

rng = np.random.default_rng(0)
flips = (rng.random(100) < 0.3).astype(int)
figure, axes = plt.subplots(1, 3, figsize=(11, 3), sharey=False, layout="constrained")
p = np.linspace(0.001, 0.999, 500)
for panel, n in zip(axes, (2, 10, 100), strict=True):
    for prior, name in ((Beta(1, 1), "flat"), (Beta(2, 2), "weak"), (Beta(20, 20), "strong")):
        found = prior.posterior(flips[:n])
        panel.plot(p, beta(found.a, found.b).pdf(p), label=name)
    panel.set_title(f"{n} flips")
axes[0].legend()

# %%
# **In families.** The default of every family of counts is the posterior predictive; `estimate="ml"` is maximum
# likelihood.

for estimate in ("ml", "map", "bayes"):
    print(f"{estimate:>5}:", fit(Bernoulli(estimate=estimate), np.array([[1], [1]])).density.probability[0, 0].round(3))

# %%
# **Rates and means** have conjugate priors of their own. Three calls in an hour, then five, then two: how many in the
# next?

PosteriorDisplay.from_prior(Gamma(2, 1), [3, 5, 2])

# %%
# With an unknown mean *and* an unknown variance the predictive is Student's t; with few rows its tails are much
# heavier than a Gaussian's.

rows = rng.normal(10, 2, 4)
predictive = NormalInverseGamma(0, 0.01, 1, 1).posterior(rows).predictive()
draws = predictive.sample(np.zeros(100_000, dtype=int), rng)[:, 0]
low, high = np.quantile(draws, [0.025, 0.975])
print(
    f"95% of the next rows, by maximum likelihood: {rows.mean() - 1.96 * rows.std():.1f} to "
    f"{rows.mean() + 1.96 * rows.std():.1f}; by the predictive: {low:.1f} to {high:.1f}"
)
