"""The public names of parzen and where each comes from: for type checkers and for `__init__.py`."""

from parzen import conjugate as conjugate
from parzen import datasets as datasets
from parzen import displays as displays
from parzen import report as report
from parzen import statistics as statistics
from parzen.compute.memberships import Labels as Labels
from parzen.decisions.class_priors import adjust_class_priors as adjust_class_priors
from parzen.decisions.class_priors import estimate_class_priors as estimate_class_priors
from parzen.decisions.decision import Decision as Decision
from parzen.decisions.scores import expected_cost as expected_cost
from parzen.decisions.scores import risk_coverage as risk_coverage
from parzen.decisions.scores import score_probabilities as score_probabilities
from parzen.densities.density import Density as Density
from parzen.estimators.classify.bayes_classifier import BayesClassifier as BayesClassifier
from parzen.estimators.classify.bernoulli_nb import BernoulliNB as BernoulliNB
from parzen.estimators.classify.categorical_nb import CategoricalNB as CategoricalNB
from parzen.estimators.classify.comparison import compare_learning as compare_learning
from parzen.estimators.classify.complement_nb import ComplementNB as ComplementNB
from parzen.estimators.classify.cost_scorer import cost_scorer as cost_scorer
from parzen.estimators.classify.decision import DecisionClassifier as DecisionClassifier
from parzen.estimators.classify.gaussian_discriminant import GaussianDiscriminant as GaussianDiscriminant
from parzen.estimators.classify.gaussian_nb import GaussianNB as GaussianNB
from parzen.estimators.classify.linear_discriminant import LinearDiscriminantAnalysis as LinearDiscriminantAnalysis
from parzen.estimators.classify.logistic import LogisticRegression as LogisticRegression
from parzen.estimators.classify.logistic_cv import LogisticRegressionCV as LogisticRegressionCV
from parzen.estimators.classify.multinomial_nb import MultinomialNB as MultinomialNB
from parzen.estimators.classify.naive_bayes import NaiveBayes as NaiveBayes
from parzen.estimators.classify.quadratic_discriminant import (
    QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis,
)
from parzen.estimators.classify.text import TextClassifier as TextClassifier
from parzen.estimators.density.density import DensityEstimator as DensityEstimator
from parzen.estimators.density.gaussian_kde import gaussian_kde as gaussian_kde
from parzen.estimators.density.histogram import HistogramDensity as HistogramDensity
from parzen.estimators.density.kernel import KernelDensity as KernelDensity
from parzen.estimators.markov.categorical_hmm import CategoricalHMM as CategoricalHMM
from parzen.estimators.markov.gaussian_hmm import GaussianHMM as GaussianHMM
from parzen.estimators.markov.gmm_hmm import GMMHMM as GMMHMM
from parzen.estimators.markov.hidden_markov import HiddenMarkov as HiddenMarkov
from parzen.estimators.markov.markov_chain import MarkovChain as MarkovChain
from parzen.estimators.markov.multinomial_hmm import MultinomialHMM as MultinomialHMM
from parzen.estimators.markov.poisson_hmm import PoissonHMM as PoissonHMM
from parzen.estimators.markov.transition_counts import TransitionCounts as TransitionCounts
from parzen.estimators.mixture.bayesian import BayesianGaussianMixture as BayesianGaussianMixture
from parzen.estimators.mixture.gaussian import GaussianMixture as GaussianMixture
from parzen.estimators.mixture.kmeans import KMeans as KMeans
from parzen.estimators.mixture.mini_batch_kmeans import MiniBatchKMeans as MiniBatchKMeans
from parzen.estimators.mixture.mixture import MixtureModel as MixtureModel
from parzen.estimators.outlier.density import DensityOutlier as DensityOutlier
from parzen.estimators.outlier.local import LocalDensityFactor as LocalDensityFactor
from parzen.estimators.regress.conditional import ConditionalDensity as ConditionalDensity
from parzen.estimators.regress.regression import KernelRegressor as KernelRegressor
from parzen.families.auto_columns import AutoColumns as AutoColumns
from parzen.families.bernoulli import Bernoulli as Bernoulli
from parzen.families.categorical import Categorical as Categorical
from parzen.families.family import Family as Family
from parzen.families.fit import fit as fit
from parzen.families.gaussian import Gaussian as Gaussian
from parzen.families.histogram import Histogram as Histogram
from parzen.families.kernel import Kernel as Kernel
from parzen.families.likelihood import log_likelihood as log_likelihood
from parzen.families.markov import Markov as Markov
from parzen.families.mixture import Mixture as Mixture
from parzen.families.multinomial import Multinomial as Multinomial
from parzen.families.per_group import Fixed as Fixed
from parzen.families.per_group import PerGroup as PerGroup
from parzen.families.point_masses import PointMasses as PointMasses
from parzen.families.poisson import Poisson as Poisson
from parzen.families.product import Product as Product
from parzen.families.transformed import Transformed as Transformed
from parzen.families.uniform import Uniform as Uniform
from parzen.smoothing import bandwidth as bandwidth
from parzen.smoothing.bias_variance import bias_variance as bias_variance
from parzen.statistics.accumulate import accumulate as accumulate
from parzen.statistics.accumulate import evaluate as evaluate
from parzen.statistics.messages import Collapse as Collapse
from parzen.statistics.messages import FloorWarning as FloorWarning
from parzen.statistics.threads import thread_count as thread_count
from parzen.statistics.threads import threads as threads
from parzen.storage.errors import ModelFileError as ModelFileError
from parzen.storage.files import load as load
from parzen.storage.files import save as save

__version__: str
__all__: list[str]
