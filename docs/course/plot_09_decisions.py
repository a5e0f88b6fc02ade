r"""
9. Decisions and calibration
============================

A posterior probability is not yet a decision. The best action is the one of least expected loss, which depends on the
costs of errors; and it is the best only if predicted probabilities agree with observed frequencies. This lesson needs
the posterior probabilities of lesson 6.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.special import logit
from sklearn.model_selection import train_test_split

from parzen import (
    BernoulliNB,
    Decision,
    DecisionClassifier,
    LogisticRegression,
    expected_cost,
    risk_coverage,
    score_probabilities,
)
from parzen.datasets import load_spambase
from parzen.displays import CostCurveDisplay, ReliabilityDisplay, RiskCoverageDisplay

# %%
# The Bayes decision
# ------------------
# Action :math:`a` costs :math:`L_{ak}` where the class is :math:`k`. Given :math:`x`, its expected loss (risk) and the
# Bayes decision are
#
# .. math::
#
#     R(a \mid x) &= \sum_k L_{ak}\, p(y = k \mid x), \\
#     a^*(x) &= \arg\min_a R(a \mid x).
#
# No other rule has a smaller expected loss, because :math:`\mathbb{E}[L] = \int R(a(x) \mid x)\, p(x)\, dx` is
# smallest where the integrand is smallest at every :math:`x`.

posterior = np.array([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4]])
loss = np.array([[0, 1, 10], [1, 0, 4], [4, 4, 0]])
decision = Decision(loss)
risk = posterior @ loss.T
print(risk)
assert np.allclose(decision.risk(posterior), risk)
assert (decision.act(posterior) == risk.argmin(axis=1)).all()
assert (risk.argmin(axis=1) != posterior.argmax(axis=1)).all()  # in neither row the most probable class

# %%
# Losses and their best actions
# -----------------------------
# Where the unknown :math:`y` is a number (a rating, say), differentiate :math:`\mathbb{E}[L(y, a)]` by :math:`a`:
#
# - **0-1 loss**: :math:`R(a) = 1 - p(y = a)`, so the *most probable class* (the mode).
# - **Squared loss** :math:`(y - a)^2`: :math:`-2\, \mathbb{E}[y - a] = 0`, so the *posterior mean*.
# - **Absolute loss** :math:`|y - a|`: :math:`P(y < a) - P(y > a) = 0`, so the *posterior median*.
# - **Log loss** :math:`-\log q_y` of stated probabilities :math:`q`: :math:`-\sum_k p_k \log q_k` is least at
#   :math:`q = p`, since the difference to its value there is the Kullback-Leibler divergence, which is not negative.
# - **Asymmetric linear loss**, :math:`\tau (y - a)` where :math:`y > a` and :math:`(1 - \tau)(a - y)` elsewhere:
#   :math:`-\tau P(y > a) + (1 - \tau) P(y < a) = 0`, so the *quantile* at :math:`\tau` (exercise 4).

stars = np.array([1, 2, 3, 4, 5])
p = np.array([[0.37, 0.05, 0.10, 0.15, 0.33]])
best = {name: Decision(name, classes=stars).act(p)[0] for name in ("zero_one", "squared", "absolute")}
best["quantile 0.9"] = Decision("quantile", classes=stars, level=0.9).act(p)[0]
risks = [p[0] @ np.where(stars > a, 0.9 * (stars - a), 0.1 * (a - stars)) for a in stars]
assert best["quantile 0.9"] == stars[np.argmin(risks)]
print({name: float(np.round(value, 2)) for name, value in best.items()})
assert best["zero_one"] == stars[p[0].argmax()]
assert np.isclose(best["squared"], p[0] @ stars)
assert np.isclose(best["squared"], minimize_scalar(lambda a: p[0] @ (stars - a) ** 2).x)
assert best["absolute"] == stars[np.searchsorted(np.cumsum(p[0]), 0.5)]
others = np.random.default_rng(0).dirichlet(np.ones(5), 1000)
assert (-np.log(others) @ p[0] > -np.log(p[0]) @ p[0]).all()
assert np.allclose(Decision("log").act(p), p)

# %%
# Two classes: a threshold
# ------------------------
# In a spam filter a lost letter costs 20, a spam that gets through costs 1. With :math:`p = p(\text{spam} \mid x)`, to
# call it spam has the risk :math:`20 (1 - p)`, to let it through :math:`p`. They are equal at
#
# .. math::
#
#     p^* = \frac{L_{\text{spam}, \text{letter}}}{L_{\text{spam}, \text{letter}} + L_{\text{letter}, \text{spam}}}
#         = \frac{20}{20 + 1}.

costs = [[0, 1], [20, 0]]  # rows: actions letter, spam; columns: true classes
filter_ = Decision(costs, classes=["letter", "spam"])
print(f"spam from a probability of {filter_.threshold():.4f} on")
assert np.isclose(filter_.threshold(), 20 / 21)

# %%
# Calibration
# -----------
# A classifier is calibrated if among rows with the predicted probability :math:`q` a proportion :math:`q` is of the
# class: :math:`P(y = 1 \mid \hat p(x) = q) = q`. The reliability diagram draws observed frequencies over predicted
# probabilities in bins; the expected calibration error averages the gaps, :math:`\sum_b \tfrac{n_b}{n} |\bar y_b - \bar
# p_b|`. Naive Bayes counts words that come together more than once, and is overconfident on these letters:

spam = load_spambase(as_frame=True)
X, y = (spam.data.iloc[:, :54] > 0).astype(int), np.where(spam.target == 1, "spam", "letter")
train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
naive = BernoulliNB().fit(train, y_train)
calibrated = DecisionClassifier(BernoulliNB(), loss=costs, calibration="beta").fit(train, y_train)

P = naive.predict_proba(test)[:, 1]
bins = np.minimum((P * 15).astype(int), 14)
hit = y_test == "spam"
filled = np.unique(bins)
gaps = [abs(hit[bins == b].mean() - P[bins == b].mean()) * (bins == b).mean() for b in filled]
print(f"expected calibration error in 15 bins, by hand: {sum(gaps):.3f}")
extreme = (P < 0.01) | (P > 0.99)
print(f"rows with a probability below 0.01 or above 0.99: {extreme.mean():.0%}, wrong among them: ", end="")
print(f"{np.mean((P > 0.5)[extreme] != hit[extreme]):.1%}")
assert np.mean((P > 0.5)[extreme] != hit[extreme]) > 0.02  # more than the 1% at most that it predicts

figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
ReliabilityDisplay.from_estimator(naive, test, y_test, ax=axes[0])
ReliabilityDisplay.from_estimator(calibrated, test, y_test, ax=axes[1])
axes[0].set_title("naive Bayes")
axes[1].set_title("calibrated")

# %%
# Calibration maps predicted probabilities :math:`p` to better ones :math:`q`, by rows that the classifier has not seen.
# Beta calibration (Kull, Silva Filho and Flach 2017) is logistic regression (lesson 8) of the class on
# :math:`\log p` and :math:`-\log (1 - p)`; with :math:`a = b` it is Platt's sigmoid, and :math:`a = b = 1, c = 0`
# changes nothing:
#
# .. math::
#
#     \log\frac{q}{1 - q} = a \log p - b \log (1 - p) + c .
#
# Here for naive Bayes of one half of the training letters, calibrated by the other half:

own, rest, y_own, y_rest = train_test_split(train, y_train, test_size=0.5, random_state=0, stratify=y_train)
half = BernoulliNB().fit(own, y_own)
logs = {name: half.predict_log_proba(rows)[:, ::-1] * [1, -1] for name, rows in (("rest", rest), ("test", test))}
line = LogisticRegression(C=np.inf).fit(logs["rest"], y_rest)
mapped = DecisionClassifier(half, loss=costs, calibration="beta", cv="prefit").fit(rest, y_rest)
(a, b), c = line.coef_[0], line.intercept_[0]
print(f"a = {a:.2f}, b = {b:.2f}, c = {c:.2f}")
assert np.allclose(logit(mapped.predict_proba(test)[:, 1]), logs["test"] @ [a, b] + c, atol=1e-3)
assert 0 < max(a, b) < 1  # log-odds shrink: naive Bayes was too sure

# %%
# `DecisionClassifier(calibration="beta")` does so in folds, so that no rows are lost. The calibration error, the log
# loss and the cost fall.

table = pd.DataFrame(index=["calibration error", "log loss", "cost"])
for name, model in (("naive Bayes", naive), ("calibrated", calibrated)):
    Q = model.predict_proba(test)
    scores = score_probabilities(y_test, Q, model.classes_)
    cost = expected_cost(y_test, filter_.act(Q), filter_)
    table[name] = [scores.calibration_error().expected, scores.mean_log_loss, cost]
print(table.round(3))
assert np.isclose(table.loc["calibration error", "naive Bayes"], sum(gaps), atol=0.002)
assert (table["calibrated"] < table["naive Bayes"]).all()

# %%
# The threshold that theory gives
# -------------------------------
# The threshold 20/21 has the least *expected* loss if probabilities are calibrated. On a sample another threshold may
# cost less, for two reasons. Without calibration the probabilities are wrong, and the best threshold lies far away.
# With calibration, the threshold that costs least on these very rows was chosen by looking at them: it fits their
# chance as well, and the difference is small.

figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
excess = {}
for name, model in (("naive Bayes", naive), ("calibrated", calibrated)):
    curve = CostCurveDisplay.from_predictions(
        y_test, model.predict_proba(test), costs, classes=model.classes_, name=name, ax=ax
    )
    at = curve.thresholds[curve.cost.argmin()]
    excess[name] = table.loc["cost", name] - curve.cost.min()
    print(f"{name}: cost {table.loc['cost', name]:.3f} at 20/21, {curve.cost.min():.3f} at best (threshold {at:.5f})")
ax.set_ylim(0, 1.2)
assert all(value > 0 for value in excess.values())
assert excess["calibrated"] < 0.1 * excess["naive Bayes"]

# %%
# Abstaining
# ----------
# To ask a person is an action too, at a cost of, say, 0.3. It is best where both other risks exceed 0.3: where
# :math:`p > 0.3` and :math:`20 (1 - p) > 0.3`.

careful = Decision(costs, classes=["letter", "spam"], abstain=0.3, abstention="ask")
print("thresholds", careful.threshold().round(4))
assert np.allclose(careful.threshold(), [0.3, 1 - 0.3 / 20])
Q = calibrated.predict_proba(test)
acted = careful.act(Q)
print({action: int((acted == action).sum()) for action in ("letter", "ask", "spam")})
with_ask, without = expected_cost(y_test, acted, careful), expected_cost(y_test, filter_.act(Q), filter_)
print(f"cost of a letter: {without:.3f} without asking, {with_ask:.3f} with it")
assert with_ask < without
certain = risk_coverage(y_test, Q, Decision("zero_one", classes=["letter", "spam"]))
assert certain.risk[len(certain.risk) // 2] < certain.risk[-1]  # the more certain half has fewer errors
RiskCoverageDisplay(certain, "calibrated naive Bayes").plot()

# %%
# Exercises
# ---------
#
# **Exercise 1 (easy).** Prove that :math:`\mathbb{E}[K] = \theta` for a Bernoulli variable :math:`K`, and say what
# this has to do with the reliability diagram.
#
# **Hint.** Sum over the two values.
#
# **Solution.** :math:`\mathbb{E}[K] = 1 \cdot \theta + 0 \cdot (1 - \theta) = \theta`. The class indicator of a row
# in a bin is Bernoulli, so the observed frequency of a bin has the expectation of the mean of its rows'
# probabilities: for a calibrated classifier both axes agree, up to a standard deviation of
# :math:`\sqrt{q (1 - q) / n_b}`.

rng = np.random.default_rng(0)
theta, n = 0.3, 200_000
frequency = (rng.random(n) < theta).mean()
print(f"observed frequency {frequency:.4f}, standard deviation {np.sqrt(theta * (1 - theta) / n):.4f}")
assert abs(frequency - theta) < 4 * np.sqrt(theta * (1 - theta) / n)

# %%
# **Exercise 2 (easy).** To treat a healthy person costs 1, not to treat an ill one costs 9. From which probability of
# illness on does one treat? A test is positive, with a posterior of 0.15: what is done?
#
# **Hint.** Compare :math:`1 \cdot (1 - p)` with :math:`9 p`.
#
# **Solution.** From :math:`p^* = 1 / (1 + 9) = 0.1` on; at 0.15 one treats.

treat = Decision([[0, 9], [1, 0]], classes=["healthy", "ill"], actions=["wait", "treat"])
print(f"threshold {treat.threshold():.2f}:", treat.act([[0.85, 0.15]])[0])
assert np.isclose(treat.threshold(), 0.1)
assert treat.act([[0.85, 0.15]])[0] == "treat"

# %%
# **Exercise 3 (medium).** With 0-1 loss and abstaining at the cost :math:`c`, when is it best to abstain among
# :math:`K` classes? For which :math:`c` is it never?
#
# **Hint.** The risk of the most probable class is :math:`1 - \max_k p_k`.
#
# **Solution.** Where :math:`\max_k p_k < 1 - c` (Chow's rule). Since :math:`\max_k p_k \ge 1/K`, never for
# :math:`c \ge 1 - 1/K`.

rows = rng.dirichlet(np.ones(4), 1000)
found = Decision("zero_one", abstain=0.4).act(rows) == "abstain"
assert (found == (rows.max(axis=1) < 0.6)).all()
assert not (Decision("zero_one", abstain=0.75).act(rows) == "abstain").any()
print(f"abstained from {found.mean():.0%} of 1000 rows")

# %%
# **Exercise 4 (hard).** Show that the quantile at :math:`\tau` minimises the expected loss :math:`\tau (y - a)` for
# :math:`y > a` and :math:`(1 - \tau)(a - y)` for :math:`y \le a`. A baker earns 2 on a loaf sold and loses 1 on one
# left over: how many does he bake for a demand that is Poisson with mean 100?
#
# **Hint.** Differentiate
# :math:`\tau \int_a^\infty (y - a)\, p(y)\, dy + (1 - \tau) \int_{-\infty}^a (a - y)\, p(y)\, dy`.
#
# **Solution.** The derivative is :math:`-\tau (1 - F(a)) + (1 - \tau) F(a) = F(a) - \tau`: zero at the quantile. A
# loaf too few costs 2, one too many 1, so :math:`\tau = 2/3`.

demand = np.arange(300)
chance = rng.poisson(100, 400_000)
p = np.bincount(chance, minlength=300)[:300] / 400_000
bake = Decision("quantile", classes=demand, level=2 / 3).act(p[None])[0]
profit = [2 * np.minimum(demand, a) @ p - np.maximum(a - demand, 0) @ p for a in range(90, 121)]
print("loaves:", int(bake), "- most profitable:", 90 + int(np.argmax(profit)))
assert bake == 90 + int(np.argmax(profit))

# %%
# Read on
# -------
# Bishop, section 1.5; Berger, *Statistical Decision Theory and Bayesian Analysis*, chapter 1; Murphy, chapter 5. The
# guide on decisions compares six ways of calibration on four data sets. The next lesson uses densities for outliers and
# for regression.
