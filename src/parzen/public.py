"""The public names of the package: `parzen` imports them all when one of them is first used."""

from typing import TYPE_CHECKING

from parzen import conjugate, statistics
from parzen.compute.memberships import Labels
from parzen.decisions.class_priors import adjust_class_priors, estimate_class_priors
from parzen.decisions.decision import Decision
from parzen.decisions.scores import expected_cost, risk_coverage, score_probabilities
from parzen.densities.density import Density
from parzen.estimators.classify.bayes_classifier import BayesClassifier
from parzen.estimators.classify.bernoulli_nb import BernoulliNB
from parzen.estimators.classify.categorical_nb import CategoricalNB
from parzen.estimators.classify.comparison import compare_learning
from parzen.estimators.classify.complement_nb import ComplementNB
from parzen.estimators.classify.cost_scorer import cost_scorer
from parzen.estimators.classify.decision import DecisionClassifier
from parzen.estimators.classify.gaussian_discriminant import GaussianDiscriminant
from parzen.estimators.classify.gaussian_nb import GaussianNB
from parzen.estimators.classify.linear_discriminant import LinearDiscriminantAnalysis
from parzen.estimators.classify.logistic import LogisticRegression
from parzen.estimators.classify.multinomial_nb import MultinomialNB
from parzen.estimators.classify.naive_bayes import NaiveBayes
from parzen.estimators.classify.quadratic_discriminant import QuadraticDiscriminantAnalysis
from parzen.estimators.classify.text import TextClassifier
from parzen.estimators.density.density import DensityEstimator
from parzen.estimators.density.gaussian_kde import gaussian_kde
from parzen.estimators.density.histogram import HistogramDensity
from parzen.estimators.density.kernel import KernelDensity
from parzen.estimators.markov.categorical_hmm import CategoricalHMM
from parzen.estimators.markov.gaussian_hmm import GaussianHMM
from parzen.estimators.markov.gmm_hmm import GMMHMM
from parzen.estimators.markov.hidden_markov import HiddenMarkov
from parzen.estimators.markov.markov_chain import MarkovChain
from parzen.estimators.markov.multinomial_hmm import MultinomialHMM
from parzen.estimators.markov.poisson_hmm import PoissonHMM
from parzen.estimators.markov.transition_counts import TransitionCounts
from parzen.estimators.mixture.bayesian import BayesianGaussianMixture
from parzen.estimators.mixture.gaussian import GaussianMixture
from parzen.estimators.mixture.kmeans import KMeans
from parzen.estimators.mixture.mixture import MixtureModel
from parzen.estimators.outlier.density import DensityOutlier
from parzen.estimators.outlier.local import LocalDensityFactor
from parzen.estimators.regress.conditional import ConditionalDensity
from parzen.estimators.regress.regression import KernelRegressor
from parzen.families.auto_columns import AutoColumns
from parzen.families.bernoulli import Bernoulli
from parzen.families.categorical import Categorical
from parzen.families.family import Family
from parzen.families.fit import fit
from parzen.families.gaussian import Gaussian
from parzen.families.histogram import Histogram
from parzen.families.kernel import Kernel
from parzen.families.likelihood import log_likelihood
from parzen.families.markov import Markov
from parzen.families.mixture import Mixture
from parzen.families.multinomial import Multinomial
from parzen.families.per_group import Fixed, PerGroup
from parzen.families.point_masses import PointMasses
from parzen.families.poisson import Poisson
from parzen.families.product import Product
from parzen.families.transformed import Transformed
from parzen.families.uniform import Uniform
from parzen.smoothing import bandwidth
from parzen.smoothing.bias_variance import bias_variance
from parzen.statistics.accumulate import accumulate, evaluate
from parzen.statistics.messages import Collapse, FloorWarning
from parzen.statistics.threads import thread_count, threads
from parzen.storage.errors import ModelFileError
from parzen.storage.files import load, save

if TYPE_CHECKING:
    from parzen import datasets, displays, report

__all__ = [
    "GMMHMM",
    "AutoColumns",
    "BayesClassifier",
    "BayesianGaussianMixture",
    "Bernoulli",
    "BernoulliNB",
    "Categorical",
    "CategoricalHMM",
    "CategoricalNB",
    "Collapse",
    "ComplementNB",
    "ConditionalDensity",
    "Decision",
    "DecisionClassifier",
    "Density",
    "DensityEstimator",
    "DensityOutlier",
    "Family",
    "Fixed",
    "FloorWarning",
    "Gaussian",
    "GaussianDiscriminant",
    "GaussianHMM",
    "GaussianMixture",
    "GaussianNB",
    "HiddenMarkov",
    "Histogram",
    "HistogramDensity",
    "KMeans",
    "Kernel",
    "KernelDensity",
    "KernelRegressor",
    "Labels",
    "LinearDiscriminantAnalysis",
    "LocalDensityFactor",
    "LogisticRegression",
    "Markov",
    "MarkovChain",
    "Mixture",
    "MixtureModel",
    "ModelFileError",
    "Multinomial",
    "MultinomialHMM",
    "MultinomialNB",
    "NaiveBayes",
    "PerGroup",
    "PointMasses",
    "Poisson",
    "PoissonHMM",
    "Product",
    "QuadraticDiscriminantAnalysis",
    "TextClassifier",
    "Transformed",
    "TransitionCounts",
    "Uniform",
    "accumulate",
    "adjust_class_priors",
    "bandwidth",
    "bias_variance",
    "compare_learning",
    "conjugate",
    "cost_scorer",
    "datasets",
    "displays",
    "estimate_class_priors",
    "evaluate",
    "expected_cost",
    "fit",
    "gaussian_kde",
    "load",
    "log_likelihood",
    "report",
    "risk_coverage",
    "save",
    "score_probabilities",
    "statistics",
    "thread_count",
    "threads",
]
