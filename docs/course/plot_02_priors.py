"""
2. Priors, MAP and the predictive
=================================

A belief about the parameter before the rows came, updated by them: the posterior. From it three answers: its mode
(MAP), its mean, or the probability of the next row with the parameter averaged out (the predictive).
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import beta

from parzen import Bernoulli, fit
from parzen.conjugate import Beta, Gamma, NormalInverseGamma
from parzen.displays import PosteriorDisplay

# %%
# **The coin again.** Beta(2, 2) says that both sides are likely to come. After two heads it says 3/4 at its mode and
# 2/3 for the next flip, and not 1.

before = Beta(2, 2)
after = before.posterior([1, 1])
print("maximum likelihood:", before.maximum_likelihood([1, 1]))
print("MAP:", after.mode(), " predictive:", round(after.mean(), 3), " 95% in", np.round(after.interval(), 2))
PosteriorDisplay.from_prior(before, [1, 1])

# %%
# **More rows outweigh the prior.** After a hundred flips it hardly matters what one believed.

rng = np.random.default_rng(0)
flips = (rng.random(100) < 0.3).astype(int)
figure, axes = plt.subplots(1, 3, figsize=(11, 3), sharey=False, layout="constrained")
p = np.linspace(0.001, 0.999, 500)
for panel, n in zip(axes, (2, 10, 100), strict=True):
    for prior, name in ((Beta(1, 1), "flat"), (Beta(2, 2), "mild"), (Beta(20, 20), "stubborn")):
        found = prior.posterior(flips[:n])
        panel.plot(p, beta(found.a, found.b).pdf(p), label=name)
    panel.set_title(f"{n} flips")
axes[0].legend()

# %%
# **In families.** The default of every family of counts is the predictive; maximum likelihood is there for those who
# ask.

for estimate in ("ml", "map", "bayes"):
    print(f"{estimate:>5}:", fit(Bernoulli(estimate=estimate), np.array([[1], [1]])).density.probability[0, 0].round(3))

# %%
# **Rates and means** have priors of their own. Three calls in an hour, then five, then two: how many come next?

PosteriorDisplay.from_prior(Gamma(2, 1), [3, 5, 2])

# %%
# With an unknown mean *and* an unknown variance the predictive is a Student t, wider than any Gaussian with few rows.

rows = rng.normal(10, 2, 4)
predictive = NormalInverseGamma(0, 0.01, 1, 1).posterior(rows).predictive()
draws = predictive.sample(np.zeros(100_000, dtype=int), rng)[:, 0]
low, high = np.quantile(draws, [0.025, 0.975])
print(
    f"95% of the next rows, by the likeliest Gaussian: {rows.mean() - 1.96 * rows.std():.1f} to "
    f"{rows.mean() + 1.96 * rows.std():.1f}; by the predictive: {low:.1f} to {high:.1f}"
)
