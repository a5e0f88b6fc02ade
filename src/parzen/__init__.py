"""Density estimation and generative models.

A family observes weighted rows into a statistic; statistics add; a statistic is maximised into densities.
"""

from parzen import bandwidth, conjugate
from parzen.accumulate import accumulate, evaluate, thread_count, threads
from parzen.beliefs import PosteriorDisplay
from parzen.comparison import LearningComparison, compare_learning
from parzen.decision import Decision
from parzen.displays import CostConfusionDisplay, CostCurveDisplay, ReliabilityDisplay, RiskCoverageDisplay
from parzen.estimators.bayes import BayesClassifier, GaussianDiscriminant, NaiveBayes
from parzen.estimators.categorical_hmm import CategoricalHMM
from parzen.estimators.chain import MarkovChain
from parzen.estimators.conditional import ConditionalDensity
from parzen.estimators.decision import DecisionClassifier, cost_scorer
from parzen.estimators.density import DensityEstimator
from parzen.estimators.discriminant import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from parzen.estimators.following import Follower
from parzen.estimators.gaussian_hmm import GaussianHMM
from parzen.estimators.gaussian_mixture import GaussianMixture
from parzen.estimators.hidden import HiddenMarkov
from parzen.estimators.histogram import HistogramDensity
from parzen.estimators.kernel import KernelDensity
from parzen.estimators.kmeans import KMeans
from parzen.estimators.local_outlier import LocalDensityFactor
from parzen.estimators.logistic import LogisticRegression
from parzen.estimators.mixture import MixtureModel
from parzen.estimators.naive import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from parzen.estimators.outlier import DensityOutlier
from parzen.estimators.regression import KernelRegressor
from parzen.estimators.transitions import TransitionCounts
from parzen.explanation import Explanation, Surprise
from parzen.families.chain import Markov
from parzen.families.columns import Columns
from parzen.families.counts import Multinomial, Poisson
from parzen.families.each import Each, Known
from parzen.families.gaussian import Gaussian
from parzen.families.histogram import Histogram
from parzen.families.kernel import Kernel
from parzen.families.mixture import Mixture
from parzen.families.product import Product
from parzen.families.symbols import Bernoulli, Categorical
from parzen.families.uniform import Uniform
from parzen.family import Collapse, Density, Family, FloorWarning
from parzen.fit import Fit, fit, log_likelihood
from parzen.forms import Boundary, Softmax
from parzen.kernels.memberships import Labels
from parzen.nodes import ModelFileError
from parzen.scores import expected_cost, risk_coverage, verify
from parzen.shift import estimated_shares, reweighted
from parzen.smoothing import BiasVariance, bias_variance
from parzen.statistic import Counts, Expected, Extent, Joint, Moments, Sample, Statistic, Sums
from parzen.storage import load, save
from parzen.views import (
    BandwidthDisplay,
    DecisionRegionDisplay,
    DensityDisplay,
    LearningCurveDisplay,
    MixtureDisplay,
)

__version__ = "0.1.0.dev0"

__all__ = [
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
    "Columns",
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
    "Each",
    "Expected",
    "Explanation",
    "Extent",
    "Family",
    "Fit",
    "FloorWarning",
    "Follower",
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
    "Known",
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
    "Poisson",
    "PosteriorDisplay",
    "Product",
    "QuadraticDiscriminantAnalysis",
    "ReliabilityDisplay",
    "RiskCoverageDisplay",
    "Sample",
    "Softmax",
    "Statistic",
    "Sums",
    "Surprise",
    "TransitionCounts",
    "Uniform",
    "accumulate",
    "bandwidth",
    "bias_variance",
    "compare_learning",
    "conjugate",
    "cost_scorer",
    "estimated_shares",
    "evaluate",
    "expected_cost",
    "fit",
    "load",
    "log_likelihood",
    "reweighted",
    "risk_coverage",
    "save",
    "thread_count",
    "threads",
    "verify",
]
