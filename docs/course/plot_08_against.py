"""
8. Generative against discriminative
====================================

Naive Bayes and logistic regression have the same kind of decision boundary. Naive Bayes models the distribution of
the columns and needs few rows; logistic regression models the boundary alone, and with many rows is better where the
model of the columns is wrong (Ng and Jordan 2002).
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from parzen import BernoulliNB, GaussianNB, LogisticRegression
from parzen.displays import LearningCurveDisplay

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 4000)


def answers(d):
    """Answers to d questions, conditionally independent given the class."""
    p = rng.beta(2, 2, (2, d)) * 0.5 + 0.25
    return (rng.random((len(y), d)) < p[y]).astype(int)


# %%
# **Where the assumption holds** (forty independent questions), naive Bayes is better at every size.

right = answers(40)
options = {"repeats": 10, "sizes": [10, 20, 40, 80, 160, 320, 640, 1280, 2560], "random_state": 0}
display = LearningCurveDisplay.from_estimators(BernoulliNB(), LogisticRegression(C=100), right, y, **options)
print(display.comparison)

# %%
# **Where it fails** (eight questions, each asked five times in other words), naive Bayes counts every answer five
# times. With few rows that hardly matters; with many, logistic regression learns that they are the same.

few = answers(8)
again = np.hstack([np.where(rng.random(few.shape) < 0.9, few, 1 - few) for _ in range(5)])
display = LearningCurveDisplay.from_estimators(BernoulliNB(), LogisticRegression(C=100), again, y, **options)
print("by log loss logistic regression is better from", display.comparison.crossing("log_loss"), "rows on")

# %%
# **What only a generative model can do**: detect rows that are unlikely in both classes, learn from unlabelled rows,
# marginalise missing values, and draw new rows.

X, kinds = load_breast_cancer(return_X_y=True)
print(GaussianNB().fit(X, kinds).sample(2, random_state=0)[0][:, :4].round(2))

# %%
# **Quadratic terms** are the discriminative counterpart of a covariance for each class.

for degree in (1, 2):
    pipe = make_pipeline(StandardScaler(), LogisticRegression(degree=degree))
    loss = -cross_val_score(pipe, X[:, :6], kinds, cv=5, scoring="neg_log_loss").mean()
    print(f"degree {degree}: log loss {loss:.3f}")
