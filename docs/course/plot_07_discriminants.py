"""
7. Discriminant analysis
========================

One Gaussian for each class. With a covariance matrix for each class the decision boundaries are quadrics; with one
for all they are linear; with diagonal ones the model is naive Bayes.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

from parzen import GaussianDiscriminant
from parzen.displays import DecisionRegionDisplay

data = load_iris(as_frame=True)
X, y = data.data[["sepal width (cm)", "petal width (cm)"]], data.target_names[data.target]

# %%
# **Four assumptions**, from many parameters to few.

figure, axes = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")
kinds = {
    "quadratic": GaussianDiscriminant(),
    "linear": GaussianDiscriminant(shared=True),
    "diag": GaussianDiscriminant("diag"),
    "spherical": GaussianDiscriminant("spherical", shared=True),
}
for panel, (name, model) in zip(axes.ravel(), kinds.items(), strict=True):
    DecisionRegionDisplay.from_estimator(model.fit(X, y), X, y, ax=panel)
    right = cross_val_score(model, data.data, y, cv=5).mean()
    panel.set_title(f"{name}: {right:.1%} accuracy with all four columns")

# %%
# **Few rows need few parameters.** Ten rows of each class, and thirty columns of noise added (means of twenty draws):
# a full covariance of 34 columns can't be estimated from thirty rows, and the model with the fewest parameters is
# best.

rng = np.random.default_rng(0)
wide = np.hstack([data.data.to_numpy(), rng.normal(size=(150, 30))])
draws = [np.concatenate([rng.permutation(np.flatnonzero(y == name))[:10] for name in np.unique(y)]) for _ in range(20)]
for name, model in {
    "quadratic": GaussianDiscriminant(),
    "linear": GaussianDiscriminant(shared=True),
    "linear, shrunk": GaussianDiscriminant(shared=True, shrinkage="ledoit_wolf"),
    "diag": GaussianDiscriminant("diag", shared=True),
}.items():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of covariances that are singular, which is what this is about
        scores = [model.fit(wide[rows], y[rows]).score(np.delete(wide, rows, 0), np.delete(y, rows)) for rows in draws]
    print(f"{name:>15}: {np.mean(scores):.2f}")
