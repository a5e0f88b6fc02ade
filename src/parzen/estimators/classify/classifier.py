"""What every classifier offers, once it can score classes: decisions, posteriors, and their logs."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from parzen.compute.arrays import Array, named
from parzen.decisions.log_odds import log_odds
from parzen.densities.posterior import decide, posterior
from parzen.estimators.base.results import over_sources
from parzen.estimators.base.tensors import TensorMixin
from parzen.estimators.base.validation import check_fitted, finite
from parzen.estimators.classify.class_priors import log_of, read_class_prior
from parzen.estimators.classify.source_rows import accuracy_over
from parzen.statistics.accumulate import Evaluated
from parzen.tables.sources.scan import scanned
from parzen.tables.sources.source import Source


class BaseClassifier(TensorMixin, ClassifierMixin, BaseEstimator):
    """Scores of classes, up to a constant of each row, and logs of their priors: the rest follows here.

    Attributes
    ----------
    classes_ : array of shape (K,)
    """

    classes_: NDArray[Any]

    @abstractmethod
    def _scores(self) -> Evaluated:
        """What is compared between the classes, priors apart."""

    @abstractmethod
    def _log_prior(self) -> Array:
        """Logs of the priors that the scores lack, (K,)."""

    @abstractmethod
    def _later(self, X: Any) -> Any:
        """Rows of a table, read as the one that was fitted."""

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy: the share of the rows whose class is predicted.

        Of a source, whose labels and weights are columns: ``score(source.with_roles(target="y", weight="w"))``.
        """
        if isinstance(X := scanned(X), Source):
            if y is not None or sample_weight is not None:
                raise TypeError("a source holds labels and weights: score(source.with_roles(target='y', weight='w')).")
            return accuracy_over(self, X)
        return float(super().score(X, y, sample_weight))

    @over_sources
    def predict(self, X: Any, class_prior: Any = None) -> NDArray[Any]:
        """The most probable class of each row.

        Parameters
        ----------
        X : table of shape (n, d)
        class_prior : sequence, dict or "uniform", optional
            Priors of the classes in the population that X comes from, in the place of those that were fitted.
        """
        codes, _ = self._compared(decide, X, class_prior)
        found: NDArray[Any] = named(self.classes_, codes)
        return found

    @over_sources
    def predict_proba(self, X: Any, class_prior: Any = None) -> Array:
        """Posterior of each class, (n, K); `class_prior` as in `predict`.

        A row that no class can explain (each has density zero there) keeps the priors.
        """
        values: Array = self._compared(posterior, X, class_prior, False)[0]
        return values

    @over_sources
    def predict_log_proba(self, X: Any, class_prior: Any = None) -> Array:
        """Logs of the posterior probabilities, (n, K), exact where these underflow; `class_prior` as in `predict`."""
        values: Array = self._compared(posterior, X, class_prior, True)[0]
        return values

    def log_odds(self, X: Any, class_prior: Any = None) -> Array:
        """Log-odds: of the second class, (n,), where there are two; else of each class against all others, (n, K).

        Ranks rows as the posteriors do; `class_prior` as in `predict`.
        """
        logs = self.predict_log_proba(X, class_prior)
        if len(self.classes_) == 2:
            return log_odds(logs, 1)
        return np.stack([log_odds(logs, k) for k in range(len(self.classes_))], axis=1)

    def _pair(self, first: Any, second: Any) -> tuple[int, int]:
        """Codes of two classes to compare: those that are named, or the two that there are."""
        if first is None and second is None:
            if len(self.classes_) != 2:
                raise ValueError(
                    f"there are {len(self.classes_)} classes {self.classes_.tolist()}; name the two to compare."
                )
            return 0, 1
        if first is None or second is None or first == second:
            raise ValueError(f"name two different classes to compare, got {first!r} and {second!r}.")
        return self._code(first), self._code(second)

    def _code(self, label: Any) -> int:
        """Code of a class that the user names."""
        classes = self.classes_.tolist()
        if np.ndim(label) or label not in classes:
            raise ValueError(f"there is no class {label!r}: the classes are {classes}.")
        return classes.index(label)

    def _compared(self, function: Any, X: Any, class_prior: Any, *options: Any) -> Any:
        check_fitted(self, "classes_")
        return self._compared_rows(function, self._later(X), class_prior, *options)

    def _compared_rows(self, function: Any, rows: Any, class_prior: Any, *options: Any) -> Any:
        given = None if class_prior is None else log_of(read_class_prior(class_prior, self.classes_))
        log_prior = self._prior_in_scores() if given is None else self._replaced(given)
        result = self._reading(rows, function, self._scores(), np.ascontiguousarray(log_prior), rows, *options)
        if result[1]:
            finite(rows)
        return result

    def _prior_in_scores(self) -> Array:
        """What is added to the scores, where no other priors are given."""
        return self._log_prior()

    def _replaced(self, log_prior: Array) -> Array:
        """What is added to the scores where the priors are replaced by others."""
        return log_prior

    def _reading(self, rows: Any, function: Any, *arguments: Any) -> Any:
        return function(*arguments)


class LogOddsDecision:
    """Log-odds under the name that scikit-learn's tools look for.

    Not for a classifier with a namesake in scikit-learn that has no `decision_function`: what looks for one first (to
    calibrate, to combine, to draw) would give other numbers than with scikit-learn's own.
    """

    def decision_function(self, X: Any, class_prior: Any = None) -> Array:
        """Log-odds, as `log_odds` has them."""
        values: Array = self.log_odds(X, class_prior)  # type: ignore[attr-defined]
        return values
