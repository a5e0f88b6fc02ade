"""What a model file may hold: every class of the library that can be saved, by a name that never changes.

A file names a class by its tag alone, so that modules and classes may move. A new class is one line in `CLASSES`; a
class or parameter that is renamed keeps its tag, or gets a line in `FIRST_NAMES` or `FIRST_PARAMETERS`, which read
files of version 1; a parameter that is added later gets one in `LATER_PARAMETERS`. The classes are imported when a file
first asks for them: this table is the one place that names modules above its own room.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from parzen.compute.importing import imported

#: Tags by the module that holds their classes. A tag is the class's name, or "tag: Class" where another has that name.
CLASSES: dict[str, tuple[str, ...]] = {
    "statistics.sums": ("Sums",),
    "statistics.counts": ("Counts",),
    "statistics.moments": ("Moments",),
    "statistics.pattern_moments": ("PatternMoments",),
    "statistics.sample": ("Sample",),
    "statistics.cell_moments": ("CellMoments",),
    "statistics.range": ("Range",),
    "statistics.nets": ("NodeCounts", "NodeMoments"),
    "statistics.joint": ("Joint", "ExpectedStatistic"),
    "statistics.accumulate": ("Summed",),
    "statistics.batches": ("Batches", "Checked", "Encoding", "OfGroup", "Reweighted", "Sizes", "Taken", "Then"),
    "tables.kinds": ("NumberFacts",),
    "tables.schema": ("Schema",),
    "tables.sources.engines.work": ("Counted",),
    "tables.sources.pieces": ("Stream",),
    "tables.sources.whole": ("OuterNames",),
    "tables.sources.survey": ("Facts", "Survey", "Surveyed", "SurveyedRows"),
    "tables.alphabet": ("Alphabet",),
    "tables.sequences": ("Symbols",),
    "tables.words": ("Vocabulary",),
    "compute.memberships": ("Labels",),
    "smoothing.categories": ("Category",),
    "smoothing.kernel_functions": ("KernelFunction",),
    "smoothing.local": ("LocalSum",),
    "smoothing.regression": ("Regression",),
    "smoothing.conditional": ("ConditionalWindows",),
    "smoothing.conditional_rows": ("Pairs",),
    "smoothing.bias_variance": ("BiasVariance",),
    "densities.gaussian": ("GaussianDensity",),
    "densities.frozen": ("FrozenDensity",),
    "densities.student": ("StudentDensity",),
    "densities.bernoulli": ("BernoulliDensity",),
    "densities.categorical": ("CategoricalDensity",),
    "densities.poisson": ("PoissonDensity",),
    "densities.negative_binomial": ("NegativeBinomialDensity",),
    "densities.multinomial": ("MultinomialDensity",),
    "densities.dirichlet_multinomial": ("DirichletMultinomialDensity",),
    "densities.histogram": ("BinDensity",),
    "densities.kernel": ("WindowDensity",),
    "densities.metric": ("MetricDensity",),
    "densities.summed_kernels": ("SummedKernelDensity",),
    "densities.windows": ("Windows",),
    "densities.support": ("Support",),
    "densities.uniform": ("UniformDensity",),
    "densities.product": ("ProductDensity",),
    "densities.point_masses": ("PointMassDensity",),
    "densities.power_transform": ("PowerTransform",),
    "densities.transformed": ("TransformedDensity",),
    "densities.per_group": ("PerGroupDensity",),
    "densities.mixture": ("MixtureDensity",),
    "densities.averaged": ("AveragedDensity",),
    "densities.markov": ("MarkovDensity",),
    "densities.hmm": ("HMMDensity",),
    "densities.nets.bins": ("Bins",),
    "densities.nets.bayes_net": ("BayesNetDensity",),
    "densities.linear": ("Linear",),
    "densities.boundary": ("Boundary",),
    "densities.softmax": ("Softmax",),
    "conjugate.beta": ("Beta",),
    "conjugate.dirichlet": ("Dirichlet",),
    "conjugate.gamma": ("Gamma",),
    "conjugate.normal_mean": ("NormalMean",),
    "conjugate.normal_inverse_gamma": ("NormalInverseGamma",),
    "conjugate.normal_inverse_wishart": ("NormalInverseWishart",),
    "families.family": ("Additive",),
    "families.likelihood": ("LogLikelihood",),
    "families.gaussian": ("Gaussian",),
    "families.bernoulli": ("Bernoulli",),
    "families.categorical": ("Categorical",),
    "families.multinomial": ("Multinomial",),
    "families.poisson": ("Poisson",),
    "families.kernel": ("Kernel",),
    "families.histogram": ("Histogram",),
    "families.uniform": ("Uniform",),
    "families.product": ("Product", "SomeColumns"),
    "families.point_masses": ("PointMasses",),
    "families.transformed": ("Forward", "Transformed"),
    "families.chosen": ("Chosen",),
    "families.auto_columns": ("AutoColumns",),
    "families.uninformative": ("Uninformative", "UninformativeDensity"),
    "families.per_group": ("PerGroup", "Fixed"),
    "families.variational": ("VariationalGaussians",),
    "families.mixture": ("Mixture",),
    "families.kmeans": ("Centroids", "CentroidDensity"),
    "families.semi_supervised": ("SemiSupervised", "SemiSupervisedDensity"),
    "families.lloyd_batches": ("Farthest", "Searching", "Step", "Stepping"),
    "families.streamed_points": ("Binned", "BinsOfRows", "Ends", "EndsOfRows"),
    "families.logistic.design": ("Design", "Observed", "Seen"),
    "families.logistic.likelihood": ("At", "Likelihood"),
    "families.logistic.problem": ("ExpandedMoments",),
    "families.logistic.terms": ("Terms",),
    "families.nets.bayes_net": ("BayesNet",),
    "families.nets.one_dependence": ("OneDependence",),
    "families.nets.pairs": ("PairSums",),
    "families.markov": ("Markov",),
    "families.hmm": ("HMM",),
    "families.hmm_batches": ("FirstSequences", "MarkedHMM", "MarkedRows"),
    "decisions.decision": ("Decision",),
    "decisions.calibration": ("BetaCalibrator", "Calibrator", "IsotonicCalibrator", "SigmoidCalibrator", "VennAbers"),
    "decisions.scores": ("ProbabilityScores", "RiskCoverage"),
    "decisions.p_values": ("NullDistribution",),
    "decisions.explanation": ("Explanation",),
    "decisions.outlier_explanation": ("OutlierExplanation",),
    "estimators.base.estimator": ("FirstRows",),
    "estimators.base.results": ("LikelihoodOf",),
    "estimators.base.sources": ("Weighed",),
    "estimators.base.validation": ("Finite", "FiniteRows", "Squarable"),
    "estimators.classify.labels": ("ClassCodes", "LabelCounts", "LabelTally"),
    "estimators.classify.source_rows": ("Cells", "RoleCells"),
    "estimators.classify.log_posteriors": ("Posteriors",),
    "estimators.density.density": ("DensityEstimator",),
    "estimators.density.kernel": ("KernelDensity",),
    "estimators.density.histogram": ("HistogramDensity",),
    "estimators.mixture.mixture": ("MixtureModel",),
    "estimators.mixture.bayesian": ("BayesianGaussianMixture",),
    "estimators.mixture.clusters": ("ClusterRows", "Spread"),
    "estimators.mixture.criteria": ("Uncertainty",),
    "estimators.mixture.gaussian": ("GaussianMixture",),
    "estimators.mixture.kmeans": ("KMeans",),
    "estimators.mixture.mini_batch_kmeans": ("MiniBatchKMeans",),
    "estimators.classify.bayes_classifier": ("BayesClassifier",),
    "estimators.classify.gaussian_discriminant": ("GaussianDiscriminant",),
    "estimators.classify.naive_bayes": ("NaiveBayes",),
    "estimators.classify.gaussian_nb": ("GaussianNB",),
    "estimators.classify.bernoulli_nb": ("BernoulliNB",),
    "estimators.classify.multinomial_nb": ("MultinomialNB",),
    "estimators.classify.complement_nb": ("ComplementNB",),
    "estimators.classify.categorical_nb": ("CategoricalNB",),
    "estimators.classify.linear_discriminant": ("LinearDiscriminantAnalysis",),
    "estimators.classify.quadratic_discriminant": ("QuadraticDiscriminantAnalysis",),
    "estimators.classify.logistic": ("LogisticRegression",),
    "estimators.classify.logistic_base": ("LinearRows",),
    "estimators.classify.logistic_cv": ("LogisticRegressionCV",),
    "estimators.classify.text": ("TextClassifier",),
    "estimators.classify.decision": ("DecisionClassifier",),
    "estimators.classify.comparison": ("LearningComparison",),
    "estimators.regress.columns": ("Inputs", "Kinds"),
    "estimators.regress.regression": ("Fitted", "KernelRegressor"),
    "estimators.regress.joint": ("JointConditional",),
    "estimators.regress.conditional": ("ConditionalDensity",),
    "estimators.outlier.number_tails": ("NumberTails",),
    "estimators.outlier.score_tail": ("ScoreTail",),
    "estimators.outlier.density": ("DensityOutlier",),
    "estimators.outlier.local": ("LocalDensityFactor",),
    "estimators.classify.aode": ("AODE",),
    "estimators.classify.tree_augmented_nb": ("TreeAugmentedNB",),
    "estimators.nets.bayes_network": ("BayesNetwork",),
    "estimators.markov.markov_chain": ("MarkovChain",),
    "estimators.markov.transition_counts": ("TransitionCounts",),
    "estimators.markov.hidden_markov": ("FiniteFirstRows", "HiddenMarkov"),
    "estimators.markov.source_symbols": ("KnownSymbols", "SequenceCounts", "SymbolCounts", "SymbolSurvey"),
    "estimators.markov.monitor": ("Monitor",),
    "estimators.markov.gaussian_hmm": ("GaussianHMM",),
    "estimators.markov.categorical_hmm": ("CategoricalHMM",),
    "estimators.markov.poisson_hmm": ("PoissonHMM",),
    "estimators.markov.multinomial_hmm": ("MultinomialHMM",),
    "estimators.markov.gmm_hmm": ("GMMHMM",),
}

#: What files of version 1 call classes that have another tag now.
FIRST_NAMES = {
    "Centres": "Centroids",
    "CentreDensity": "CentroidDensity",
    "Each": "PerGroup",
    "EachDensity": "PerGroupDensity",
    "Expected": "ExpectedStatistic",
    "Extent": "Range",
    "Hidden": "HMM",
    "HiddenDensity": "HMMDensity",
    "Known": "Fixed",
    "Labelled": "SemiSupervised",
    "LabelledDensity": "SemiSupervisedDensity",
    "Null": "NullDistribution",
    "Profile": "KernelFunction",
    "Sigmoid": "SigmoidCalibrator",
    "Silent": "Uninformative",
    "SilentDensity": "UninformativeDensity",
    "Steps": "IsotonicCalibrator",
    "Surprise": "OutlierExplanation",
    "Verification": "ProbabilityScores",
    "calibration.Beta": "BetaCalibrator",
    "conjugate.Beta": "Beta",
    "estimators.Joint": "JointConditional",
    "families.Columns": "AutoColumns",
    "statistic.Joint": "Joint",
}

#: Attributes of version 1 that have another name now, by tag.
FIRST_PARAMETERS: dict[str, dict[str, str]] = {
    "BayesClassifier": {"priors": "class_prior"},
    "CategoricalHMM": {"_left": "_from_fit"},
    "Calibrator": {"maps": "calibrators", "power": "inverse_temperature", "least": "log_zero"},
    "DecisionClassifier": {"priors": "class_prior"},
    "Gaussian": {"covariance": "covariance_type"},
    "GaussianDiscriminant": {"covariance": "covariance_type", "priors": "class_prior"},
    "GaussianHMM": {"_left": "_from_fit"},
    "HMM": {"n_states": "n_components", "starts": "n_init"},
    "HiddenMarkov": {"n_states": "n_components"},
    "IsotonicCalibrator": {"at": "log_odds", "value": "probability", "lines": "interpolate"},
    "Kinds": {"asked": "given"},
    "LocalSum": {"profile": "kernel"},
    "Mixture": {"concentration": "weight_concentration", "starts": "n_init"},
    "MixtureModel": {"concentration": "weight_concentration"},
    "NaiveBayes": {"priors": "class_prior"},
    "NullDistribution": {"below": "cumulative_weight"},
    "ProbabilityScores": {
        "squares": "squared_error",
        "bins": "bin_weight",
        "said": "predicted",
        "came": "observed",
        "spread": "squared_weight",
    },
    "Regression": {"profile": "kernel"},
    "RiskCoverage": {"lost": "loss", "expected": "expected_loss"},
    "VennAbers": {"at": "log_odds"},
    "WindowDensity": {"profile": "kernel"},
}

#: Parameters that came later, by tag, with the values that earlier files stand for: as JSON holds them.
LATER_PARAMETERS: dict[str, dict[str, Any]] = {
    "Gaussian": {"fixed_covariance": None},
    "GaussianMixture": {"fixed_covariance": None},
    "Kernel": {
        "incomplete": "error",
        "metric": "euclidean",
        "metric_params": None,
        "normalization": "euclidean",
        "summed": False,
    },
    "KernelDensity": {"normalization": "euclidean"},
    "LogisticRegression": {"standardise": False},
}


#: Modules by the tags of their classes.
MODULES = {tag: module for module, tags in CLASSES.items() for tag in tags}


@cache
def class_of(tag: str) -> type | None:
    """The class whose objects a file may hold by a tag; only its module is imported. None where there is none."""
    return getattr(imported(f"parzen.{MODULES[tag]}"), tag) if tag in MODULES else None


def tag_of(cls: type) -> str | None:
    """The tag of a class; None where a file may not hold its objects."""
    return cls.__name__ if class_of(cls.__name__) is cls else None


def classes() -> dict[str, type]:
    """All classes whose objects a file may hold, by their tags."""
    return {tag: cls for tag in MODULES if (cls := class_of(tag)) is not None}


def _short_diagonal(state: dict[str, Any]) -> dict[str, Any]:
    """The shape of a matrix that was called diagonal is "diag" now."""
    shapes = {name: "diag" for name in ("covariance_type", "covariance") if state.get(name) == "diagonal"}
    return {**state, **shapes}


#: What else has changed since version 1, by tag: a function of the attributes as they stand in the file.
FIRST_VALUES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "Gaussian": _short_diagonal,
    "GaussianDiscriminant": _short_diagonal,
    "Kernel": _short_diagonal,
    "KernelDensity": _short_diagonal,
}


def upgraded(tag: str, state: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The tag and the attributes that a class of version 1 has now."""
    tag = FIRST_NAMES.get(tag, tag)
    names = FIRST_PARAMETERS.get(tag, {})
    now = {names.get(name, name): value for name, value in state.items()}
    return tag, FIRST_VALUES[tag](now) if tag in FIRST_VALUES else now
