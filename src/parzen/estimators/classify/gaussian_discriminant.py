"""Gaussian discriminant analysis: quadratic or linear, full, diagonal or spherical."""

from typing import Any

from parzen.estimators.classify.classifier import LogOddsDecision
from parzen.estimators.classify.generative import GenerativeClassifier
from parzen.families.family import Family
from parzen.families.gaussian import Gaussian, Prior


class GaussianDiscriminant(LogOddsDecision, GenerativeClassifier):
    """Gaussian discriminant analysis: a Gaussian for each class, quadratic or (with `shared`) linear log-odds.

    Values that are missing at prediction are marginalised exactly; at fitting, a full covariance is found by EM.

    Parameters
    ----------
    covariance_type : "full", "diag" or "spherical"
        "diag" is Gaussian naive Bayes.
    shared : bool
        Whether the classes have one covariance: linear discriminant analysis.
    class_prior : sequence, dict or "uniform", optional
        By default the frequencies of the classes.
    shrinkage, floor, prior, estimate
        As of `parzen.Gaussian`: what keeps covariances of few rows sound.
    unlabelled : optional
        What stands in y for a missing label, besides None and NaN.
    missing : "allow" or "error"
        Whether X may have missing cells.
    max_iter, tol : int, float
        Most steps, and least rise of the log-likelihood for each unit of weight, where cells or labels are missing.

    Attributes
    ----------
    classes_, class_count_, class_prior_ : arrays of shape (K,)
    density_ : GaussianDensity
        Means and covariances of the classes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import GaussianDiscriminant
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GaussianDiscriminant(shared=True).fit(X[50:, 2:], y[50:])
    >>> print(model.decision_boundary())
    2.82099 x0 + 9.46944 x1 - 29.7106 = 0
    """

    _fit_options = ("max_iter", "tol")

    def __init__(
        self,
        covariance_type: str = "full",
        shared: bool = False,
        class_prior: Any = None,
        *,
        shrinkage: Any = 0.0,
        floor: float = 1e-12,
        prior: Prior | None = None,
        estimate: str | None = None,
        unlabelled: Any = None,
        missing: str = "allow",
        max_iter: int = 200,
        tol: float = 1e-7,
    ) -> None:
        self.covariance_type = covariance_type
        self.shared = shared
        self.class_prior = class_prior
        self.shrinkage = shrinkage
        self.floor = floor
        self.prior = prior
        self.estimate = estimate
        self.unlabelled = unlabelled
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol

    def _family(self) -> Family:
        return Gaussian(self.covariance_type, self.shared, self.floor, self.shrinkage, self.prior, self.estimate)
