"""Models of every kind for model files: fitted estimators, families, statistics and priors, and what they answer."""

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone

from parzen import (
    AODE,
    GMMHMM,
    AutoColumns,
    BayesClassifier,
    BayesianGaussianMixture,
    BayesNet,
    BayesNetwork,
    Bernoulli,
    BernoulliNB,
    Categorical,
    CategoricalHMM,
    CategoricalNB,
    ComplementNB,
    ConditionalDensity,
    DecisionClassifier,
    DensityEstimator,
    DensityOutlier,
    Fixed,
    Gaussian,
    GaussianDiscriminant,
    GaussianHMM,
    GaussianMixture,
    GaussianNB,
    HiddenMarkov,
    Histogram,
    HistogramDensity,
    Kernel,
    KernelDensity,
    KernelRegressor,
    KMeans,
    LinearDiscriminantAnalysis,
    LocalDensityFactor,
    LogisticRegression,
    LogisticRegressionCV,
    Markov,
    MarkovChain,
    MiniBatchKMeans,
    Mixture,
    MixtureModel,
    Multinomial,
    MultinomialHMM,
    MultinomialNB,
    NaiveBayes,
    PerGroup,
    PointMasses,
    Poisson,
    PoissonHMM,
    Product,
    QuadraticDiscriminantAnalysis,
    Transformed,
    TransitionCounts,
    TreeAugmentedNB,
    Uniform,
    accumulate,
    fit,
)
from parzen.conjugate import NormalInverseWishart
from parzen.families.family import Additive
from tests.libraries import polars as pl

rng = np.random.default_rng(7)
X = np.concatenate([rng.normal(0, 1, (60, 3)), rng.normal(4, 1, (60, 3))])
X[3, 1] = np.nan
WHOLE = np.where(np.isnan(X), 0.0, X)
COUNTS = rng.poisson(2.0, (120, 3))
CODES = rng.integers(0, 3, (120, 3))
Y = np.repeat(["a", "b"], 60)
FRAME = pd.DataFrame(
    {
        "x": WHOLE[:, 0],
        "n": COUNTS[:, 0],
        "kind": pd.Categorical(np.where(CODES[:, 0] == 0, "red", "blue")),
        "word": np.where(CODES[:, 1] == 0, "<b>", "ü"),
        "flag": CODES[:, 2] > 0,
    }
)
MIXED = Product({"x": Gaussian(), "n": Poisson(), ("kind", "word"): Categorical(), "flag": Bernoulli()})

MODELS = {
    "gaussian": (DensityEstimator(Gaussian()), X, None),
    "bayes": (DensityEstimator(Gaussian(prior=NormalInverseWishart(np.zeros(3), 1.0, 5.0, np.eye(3)))), WHOLE, None),
    "product": (DensityEstimator(MIXED), FRAME, None),
    "polars": (DensityEstimator(MIXED), pl.from_pandas(FRAME.assign(kind=FRAME.kind.astype(str))), None),
    "poisson": (DensityEstimator(Poisson()), COUNTS, None),
    "histogram family": (DensityEstimator(Histogram()), WHOLE[:, :1], None),
    "uniform": (DensityEstimator(Uniform()), WHOLE, None),
    "multinomial": (DensityEstimator(Multinomial()), COUNTS, None),
    "mixture": (DensityEstimator(Mixture(Gaussian(), 2)), WHOLE, None),
    "kernel": (KernelDensity(bandwidth="sj"), WHOLE[:, :1], None),
    "kernels": (KernelDensity(bandwidth="scott", kernel="epanechnikov"), WHOLE, None),
    "adaptive": (KernelDensity(bandwidth=0.5, adaptive=True), WHOLE[:, :1], None),
    "sphere": (KernelDensity(bandwidth=0.5, metric="haversine", normalization="metric"), WHOLE[:, :2], None),
    "mahalanobis": (
        KernelDensity(kernel="tophat", metric="mahalanobis", metric_params={"V": np.eye(3) + 0.5}),
        WHOLE,
        None,
    ),
    "histogram": (HistogramDensity(), WHOLE[:, :1], None),
    "BayesClassifier": (BayesClassifier(Kernel()), WHOLE, Y),
    "NaiveBayes": (NaiveBayes(), FRAME, Y),
    "GaussianDiscriminant": (GaussianDiscriminant("diag"), X, Y),
    "GaussianNB": (GaussianNB(), WHOLE, Y),
    "BernoulliNB": (BernoulliNB(), CODES > 1, Y),
    "MultinomialNB": (MultinomialNB(), COUNTS, Y),
    "ComplementNB": (ComplementNB(), COUNTS, Y),
    "CategoricalNB": (CategoricalNB(), CODES, Y),
    "LDA": (LinearDiscriminantAnalysis(), WHOLE, Y),
    "QDA": (QuadraticDiscriminantAnalysis(), WHOLE, Y),
    "logistic": (LogisticRegression(degree=2), WHOLE, Y),
    "logistic cv": (
        LogisticRegressionCV(Cs=2, cv=2, l1_ratios=(0, 1), solver="saga", scoring=None, use_legacy_attributes=False),
        WHOLE,
        Y,
    ),
    "GaussianMixture": (GaussianMixture(2, random_state=0), X, None),
    "MixtureModel": (MixtureModel(MIXED, 2, random_state=np.random.RandomState(3)), FRAME, None),
    "KMeans": (KMeans(2, random_state=0), WHOLE, None),
    "MiniBatchKMeans": (MiniBatchKMeans(2, random_state=0), WHOLE, None),
    "outlier": (DensityOutlier(), FRAME[["x", "n", "kind"]], None),
    "outliers of a mixture": (DensityOutlier(GaussianMixture(2, random_state=0)), WHOLE, None),
    "local": (LocalDensityFactor(), WHOLE, None),
    "regressor": (KernelRegressor(order=1), WHOLE[:, :2], WHOLE[:, 2]),
    "mixed regressor": (KernelRegressor(), FRAME[["x", "kind"]], WHOLE[:, 2]),
    "conditional": (ConditionalDensity(), WHOLE[:, :2], WHOLE[:, 2]),
    "conditional joint": (ConditionalDensity(GaussianMixture(2, random_state=0)), WHOLE[:, :2], WHOLE[:, 2]),
    "decision": (DecisionClassifier(GaussianNB(), loss=[[0, 1], [5, 0]], calibration="beta"), WHOLE, Y),
    "isotonic": (DecisionClassifier(NaiveBayes(), calibration="isotonic"), WHOLE, Y),
    "hidden": (HiddenMarkov(Gaussian(), 2, random_state=0), X, None),
    "GaussianHMM": (GaussianHMM(2, random_state=0), WHOLE, None),
    "CategoricalHMM": (CategoricalHMM(2, random_state=0), CODES[:, :1], None),
    "PoissonHMM": (PoissonHMM(2, random_state=0), CODES[:, :1], None),
    "MultinomialHMM": (MultinomialHMM(2, random_state=0), np.column_stack([CODES[:, :1], 9 - CODES[:, :1]]), None),
    "GMMHMM": (GMMHMM(2, 2, random_state=0), WHOLE, None),
    "BayesianGaussianMixture": (BayesianGaussianMixture(n_components=3, random_state=0), WHOLE, None),
    "chain": (MarkovChain(2), ["abracadabra", "barba"], None),
    "words": (MarkovChain(estimate="ml"), [["sun", ("a", 1)], [3, "sun"]], None),
    "TreeAugmentedNB": (TreeAugmentedNB(bins=4), FRAME, Y),
    "AODE": (AODE(bins=4), FRAME, Y),
    "BayesNetwork": (BayesNetwork("kind -> x", bins={"n": 3}), FRAME, None),
    "transitions": (TransitionCounts(), ["ab", "ba"], None),
}


def answers(model, X):
    """What a model says of rows, by every method that has an answer without being told more."""
    for name in (
        "score_samples", "predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "log_prob",
        "perplexity", "p_values",
    ):  # fmt: skip
        method = getattr(model, name, None)
        if method is None and name == "decision_function":  # what the first golden files call log-odds
            method = getattr(model, "log_odds", None)
        if method is None:
            continue
        try:
            found = method(X)
        except (TypeError, ValueError, AttributeError) as error:
            yield name, type(error)
        else:
            yield name, found


def fitted(name):
    """A model of the table, fitted, and its rows."""
    model, rows, y = MODELS[name]
    model = clone(model)
    return (model.fit(rows) if y is None else model.fit(rows, y)), rows


FAMILIES = {
    "AutoColumns": (AutoColumns({0: Gaussian()}), None),
    "BayesNet": (BayesNet([(0, 1)]), CODES),
    "Bernoulli": (Bernoulli(), CODES > 0),
    "Categorical": (Categorical(), CODES),
    "Fixed": (Fixed(fit(Gaussian(), WHOLE).density), WHOLE),
    "Gaussian": (Gaussian("diag", shared=True, estimate="map"), WHOLE),
    "Histogram": (Histogram(5), WHOLE[:, :1]),
    "Kernel": (Kernel(0.5), WHOLE),
    "Markov": (Markov(), None),
    "Mixture": (Mixture(Gaussian("diag"), 2, weight_concentration=2.0, n_init=2), WHOLE),
    "Multinomial": (Multinomial(), COUNTS),
    "PerGroup": (PerGroup([Gaussian(), Gaussian("diag")]), None),
    "PointMasses": (PointMasses(Gaussian("diag"), at=[0.0, 4.0]), WHOLE[:, :1]),
    "Poisson": (Poisson(), COUNTS),
    "Product": (Product({(0,): Gaussian(), (1, 2): Gaussian("spherical")}), WHOLE),
    "Transformed": (Transformed(Gaussian(), power=[0.0, 0.5, 2.0], location=0.0, scale=[1.0, 2.0, 3.0]), WHOLE),
    "Uniform": (Uniform(), WHOLE),
}

STATISTICS = {
    "Counts": accumulate(Categorical(), CODES),
    "ExpectedStatistic": accumulate(Gaussian(), X, at=fit(Gaussian(), WHOLE).density),
    "Joint": accumulate(FAMILIES["Product"][0], WHOLE),
    "Moments": accumulate(Gaussian(), WHOLE),
    "PatternMoments": accumulate(Additive(Gaussian()), X),
    "Range": accumulate(Uniform(), WHOLE),
    "Sample": accumulate(Kernel(0.5), WHOLE[:10]),
    "Sums": accumulate(Poisson(), COUNTS),
}


def few(rows):
    """The first rows."""
    return rows.head(6) if hasattr(rows, "head") else rows[:6]


def numbers_of(found):
    """What a model answers as an array that a file can keep; None where it is none."""
    try:
        array = np.asarray(found[-1] if isinstance(found, tuple) else found)
    except ValueError:  # of different lengths
        return None
    if array.dtype == object and any(np.ndim(cell) for cell in array.ravel()):
        return None
    return (
        None
        if array.dtype == object and sparse.issparse(array.item() if array.ndim == 0 else None)
        else (array.astype("U") if array.dtype.kind in "OU" else array)
    )
