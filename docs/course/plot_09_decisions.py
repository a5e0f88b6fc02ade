"""
9. Decisions and calibration
============================

A posterior probability is not yet a decision. The best action depends on the costs of errors, and on whether
predicted probabilities agree with observed frequencies.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from parzen import Decision, DecisionClassifier, GaussianNB, expected_cost, score_probabilities
from parzen.displays import CostCurveDisplay, ReliabilityDisplay

X, y = load_breast_cancer(return_X_y=True)
y = np.where(y == 0, "malignant", "benign")
train, test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)

# %%
# **A loss.** To miss a tumour costs 20, a false alarm 1. Rows are actions, columns true classes. The best action is
# the one of least expected loss: with two of them, a threshold far from one half.

loss = [[0, 20], [1, 0]]
decision = Decision(loss, classes=["benign", "malignant"])
print("call it malignant from a probability of", round(decision.threshold(), 3))

# %%
# **Naive Bayes is overconfident**, so that its thresholds are wrong.

model = GaussianNB().fit(train, y_train)
ReliabilityDisplay.from_estimator(model, test, y_test)
CostCurveDisplay.from_estimator(model, test, y_test, loss)

# %%
# **Calibrated** on held-out rows (in folds), predicted probabilities agree better with observed frequencies, and the
# theoretical threshold costs less.

better = DecisionClassifier(GaussianNB(), loss=loss, calibration="beta").fit(train, y_train)
for name, one in (("naive Bayes", model), ("calibrated", better)):
    posterior = one.predict_proba(test)
    cost = expected_cost(y_test, decision.act(posterior), decision)
    error = score_probabilities(y_test, posterior, one.classes_).calibration_error().expected
    print(f"{name:>11}: calibration error {error:.3f}, cost {cost:.3f}")
ReliabilityDisplay.from_estimator(better, test, y_test)

# %%
# **Abstaining** is an action too: a second opinion costs 0.5, and is asked for where neither class is certain.

actions = ["benign", "malignant", "ask"]
careful = DecisionClassifier(GaussianNB(), loss=[[0, 20], [1, 0], [0.5, 0.5]], actions=actions, calibration="beta")
acted = careful.fit(train, y_train).predict(test)
print({action: int((acted == action).sum()) for action in actions})
