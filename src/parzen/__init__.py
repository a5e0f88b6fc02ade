"""Density estimation and generative models.

A family observes weighted rows into a statistic; statistics add; a statistic is maximised into densities.
"""

from parzen import conjugate
from parzen.compute.memberships import Labels
from parzen.decisions.class_priors import adjust_class_priors, estimate_class_priors
from parzen.decisions.decision import Decision
from parzen.decisions.explanation import Explanation, OutlierExplanation
from parzen.decisions.scores import expected_cost, risk_coverage, score_probabilities
from parzen.densities.boundary import Boundary, Softmax
from parzen.densities.density import Density
from parzen.displays.decisions import CostConfusionDisplay, CostCurveDisplay, ReliabilityDisplay, RiskCoverageDisplay
from parzen.displays.posterior import PosteriorDisplay
from parzen.displays.views import (
    BandwidthDisplay,
    DecisionRegionDisplay,
    DensityDisplay,
    LearningCurveDisplay,
    MixtureDisplay,
)
from parzen.estimators.classify.bayes import BayesClassifier, GaussianDiscriminant, NaiveBayes
from parzen.estimators.classify.comparison import LearningComparison, compare_learning
from parzen.estimators.classify.decision import DecisionClassifier, cost_scorer
from parzen.estimators.classify.discriminant import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from parzen.estimators.classify.logistic import LogisticRegression
from parzen.estimators.classify.naive import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from parzen.estimators.density.density import DensityEstimator
from parzen.estimators.density.histogram import HistogramDensity
from parzen.estimators.density.kernel import KernelDensity
from parzen.estimators.markov.categorical_hmm import CategoricalHMM
from parzen.estimators.markov.chain import MarkovChain
from parzen.estimators.markov.gaussian_hmm import GaussianHMM
from parzen.estimators.markov.hidden import HiddenMarkov
from parzen.estimators.markov.online import OnlineFilter
from parzen.estimators.markov.transitions import TransitionCounts
from parzen.estimators.mixture.gaussian import GaussianMixture
from parzen.estimators.mixture.kmeans import KMeans
from parzen.estimators.mixture.mixture import MixtureModel
from parzen.estimators.outlier.density import DensityOutlier
from parzen.estimators.outlier.local import LocalDensityFactor
from parzen.estimators.regress.conditional import ConditionalDensity
from parzen.estimators.regress.regression import KernelRegressor
from parzen.families.auto_columns import AutoColumns
from parzen.families.categorical import Bernoulli, Categorical
from parzen.families.counts import Multinomial, Poisson
from parzen.families.family import Family
from parzen.families.fit import Fit, fit
from parzen.families.gaussian import Gaussian
from parzen.families.histogram import Histogram
from parzen.families.kernel import Kernel
from parzen.families.likelihood import log_likelihood
from parzen.families.markov import Markov
from parzen.families.mixture import Mixture
from parzen.families.per_group import Fixed, PerGroup
from parzen.families.product import Product
from parzen.families.uniform import Uniform
from parzen.smoothing import bandwidth
from parzen.smoothing.bias_variance import BiasVariance, bias_variance
from parzen.statistics.accumulate import accumulate, evaluate
from parzen.statistics.counts import Counts
from parzen.statistics.joint import ExpectedStatistic, Joint
from parzen.statistics.messages import Collapse, FloorWarning
from parzen.statistics.moments import Moments
from parzen.statistics.range import Range
from parzen.statistics.sample import Sample
from parzen.statistics.statistic import Statistic
from parzen.statistics.sums import Sums
from parzen.statistics.threads import thread_count, threads
from parzen.storage.errors import ModelFileError
from parzen.storage.files import load, save

__version__ = "0.1.0.dev0"

__all__ = [
    "AutoColumns",
    "BandwidthDisplay",
    "BayesClassifier",
    "Bernoulli",
    "BernoulliNB",
    "BiasVariance",
    "Boundary",
    "Categorical",
    "CategoricalHMM",
    "CategoricalNB",
    "Collapse",
    "ComplementNB",
    "ConditionalDensity",
    "CostConfusionDisplay",
    "CostCurveDisplay",
    "Counts",
    "Decision",
    "DecisionClassifier",
    "DecisionRegionDisplay",
    "Density",
    "DensityDisplay",
    "DensityEstimator",
    "DensityOutlier",
    "ExpectedStatistic",
    "Explanation",
    "Family",
    "Fit",
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
    "Joint",
    "KMeans",
    "Kernel",
    "KernelDensity",
    "KernelRegressor",
    "Labels",
    "LearningComparison",
    "LearningCurveDisplay",
    "LinearDiscriminantAnalysis",
    "LocalDensityFactor",
    "LogisticRegression",
    "Markov",
    "MarkovChain",
    "Mixture",
    "MixtureDisplay",
    "MixtureModel",
    "ModelFileError",
    "Moments",
    "Multinomial",
    "MultinomialNB",
    "NaiveBayes",
    "OnlineFilter",
    "OutlierExplanation",
    "PerGroup",
    "Poisson",
    "PosteriorDisplay",
    "Product",
    "QuadraticDiscriminantAnalysis",
    "Range",
    "ReliabilityDisplay",
    "RiskCoverageDisplay",
    "Sample",
    "Softmax",
    "Statistic",
    "Sums",
    "TransitionCounts",
    "Uniform",
    "accumulate",
    "adjust_class_priors",
    "bandwidth",
    "bias_variance",
    "compare_learning",
    "conjugate",
    "cost_scorer",
    "estimate_class_priors",
    "evaluate",
    "expected_cost",
    "fit",
    "load",
    "log_likelihood",
    "risk_coverage",
    "save",
    "score_probabilities",
    "thread_count",
    "threads",
]
