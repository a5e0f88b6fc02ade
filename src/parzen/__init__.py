"""Density estimation and generative models.

A family observes weighted rows into a statistic; statistics add; a statistic is maximised into densities.
"""

from parzen import conjugate
from parzen.accumulate import accumulate, evaluate, thread_count, threads
from parzen.estimators.bayes import BayesClassifier, GaussianDiscriminant, NaiveBayes
from parzen.estimators.density import DensityEstimator
from parzen.estimators.discriminant import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from parzen.estimators.logistic import LogisticRegression
from parzen.estimators.naive import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from parzen.families.columns import Columns
from parzen.families.counts import Multinomial, Poisson
from parzen.families.each import Each, Known
from parzen.families.gaussian import Gaussian
from parzen.families.product import Product
from parzen.families.symbols import Bernoulli, Categorical
from parzen.family import Collapse, Density, Family, FloorWarning
from parzen.fit import Fit, fit, log_likelihood
from parzen.kernels.memberships import Labels
from parzen.statistic import Counts, Expected, Joint, Moments, Statistic, Sums

__version__ = "0.1.0.dev0"

__all__ = [
    "BayesClassifier",
    "Bernoulli",
    "BernoulliNB",
    "Categorical",
    "CategoricalNB",
    "Collapse",
    "Columns",
    "ComplementNB",
    "Counts",
    "Density",
    "DensityEstimator",
    "Each",
    "Expected",
    "Family",
    "Fit",
    "FloorWarning",
    "Gaussian",
    "GaussianDiscriminant",
    "GaussianNB",
    "Joint",
    "Known",
    "Labels",
    "LinearDiscriminantAnalysis",
    "LogisticRegression",
    "Moments",
    "Multinomial",
    "MultinomialNB",
    "NaiveBayes",
    "Poisson",
    "Product",
    "QuadraticDiscriminantAnalysis",
    "Statistic",
    "Sums",
    "accumulate",
    "conjugate",
    "evaluate",
    "fit",
    "log_likelihood",
    "thread_count",
    "threads",
]
