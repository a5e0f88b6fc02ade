"""Classifiers whose classes have Bayes nets."""

from typing import Any

from parzen.estimators.classify.classifier import LogOddsDecision
from parzen.estimators.classify.naive import NaiveClassifier


class NetClassifier(LogOddsDecision, NaiveClassifier):
    """A classifier in which columns depend on the class and on each other; what its nets are, `_family` says."""

    _holds_families = True
    _fit_options = ("max_iter", "tol")

    def __init__(
        self,
        *,
        bins: Any = "auto",
        estimate: str = "bayes",
        prior: Any = None,
        equivalent_sample_size: float = 10.0,
        line_prior: Any = None,
        numbers: Any = None,
        categories: Any = None,
        class_prior: Any = None,
        unlabelled: Any = None,
        missing: str = "allow",
        max_iter: int = 200,
        tol: float = 1e-7,
    ) -> None:
        self.bins = bins
        self.estimate = estimate
        self.prior = prior
        self.equivalent_sample_size = equivalent_sample_size
        self.line_prior = line_prior
        self.numbers = numbers
        self.categories = categories
        self.class_prior = class_prior
        self.unlabelled = unlabelled
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol

    def _net_options(self) -> dict[str, Any]:
        """What the parameters say of the nets' tables and lines."""
        names = ("estimate", "prior", "equivalent_sample_size", "line_prior", "numbers", "bins", "categories")
        return {name: getattr(self, name) for name in names}
