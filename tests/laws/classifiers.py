"""The table of classifiers that laws are tested over, each with rows that suit it."""

import numpy as np
import pytest
from sklearn.base import clone

from parzen import (
    BayesClassifier,
    Bernoulli,
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    Gaussian,
    GaussianDiscriminant,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    Multinomial,
    MultinomialNB,
    NaiveBayes,
    Poisson,
    Product,
    QuadraticDiscriminantAnalysis,
)

N = 90


def numbers(rng, y):
    return rng.normal(size=(len(y), 3)) @ np.array([[1.0, 0.5, 0], [0, 1, 0.3], [0, 0, 2]]) + 0.9 * y[:, None]


def counts(rng, y):
    return rng.poisson(1.0 + np.stack([y, 2 - y, 1 + 0 * y], axis=1))


def codes(rng, y):
    return (rng.integers(0, 3, (len(y), 3)) + y[:, None]) % 4


def mixed(rng, y):
    return np.column_stack([numbers(rng, y)[:, :2], counts(rng, y)[:, 0], codes(rng, y)[:, 0] % 2])


PRODUCT = Product({(0, 1): Gaussian(), 2: Poisson(), 3: Bernoulli()})


GENERATIVE = {
    "gaussian": (BayesClassifier(), numbers),
    "gaussian map": (BayesClassifier(Gaussian(estimate="map")), numbers),
    "gaussian bayes": (BayesClassifier(Gaussian(estimate="bayes")), numbers),
    "product": (BayesClassifier(PRODUCT), mixed),
    "poisson": (BayesClassifier(Poisson()), counts),
    "multinomial bayes": (BayesClassifier(Multinomial()), counts),
    "each": (
        BayesClassifier({0: Gaussian(), 1: Gaussian("diag"), 2: Gaussian("spherical", estimate="map")}),
        numbers,
    ),
    "naive": (NaiveBayes(), mixed),
    "naive with families": (NaiveBayes({1: Gaussian(), 2: Poisson(estimate="map")}), mixed),
    "discriminant": (GaussianDiscriminant(shared=True), numbers),
    "spherical": (GaussianDiscriminant("spherical", class_prior="uniform"), numbers),
    "GaussianNB": (GaussianNB(), numbers),
    "GaussianNB with priors": (GaussianNB(priors=[0.2, 0.3, 0.5]), numbers),
    "BernoulliNB": (BernoulliNB(binarize=1.0), counts),
    "MultinomialNB": (MultinomialNB(), counts),
    "CategoricalNB": (CategoricalNB(), codes),
    "LDA": (LinearDiscriminantAnalysis(), numbers),
    "LDA shrunk": (LinearDiscriminantAnalysis("lsqr", shrinkage="auto"), numbers),
    "QDA": (QuadraticDiscriminantAnalysis(), numbers),
    "QDA shrunk": (QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto"), numbers),
}


OTHERS = {
    "ComplementNB": (ComplementNB(), counts),
    "logistic": (LogisticRegression(tol=1e-8, max_iter=2000), numbers),
    "logistic of degree 2": (LogisticRegression(degree=2, tol=1e-8, max_iter=2000), numbers),
}


def problem(name, seed=0):
    model, rows = (GENERATIVE | OTHERS)[name]
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(N) % 3)
    return clone(model), rows(rng, y), y, rng


generative = pytest.mark.parametrize("name", GENERATIVE)


every = pytest.mark.parametrize("name", GENERATIVE | OTHERS)
