"""What naive Bayes over counts and categories shares: smoothing and class priors."""

import warnings
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.estimators.classify.class_priors import normalised
from parzen.estimators.classify.naive import NaiveClassifier
from parzen.statistics.messages import caller_stacklevel


class DiscreteNB(NaiveClassifier):
    """What naive Bayes over counts has in common: smoothing, and priors."""

    alpha: Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any

    _several_classes = False

    def _given_class_prior(self) -> Any:
        if self.class_prior is not None:
            return normalised(self.class_prior)
        return None if self.fit_prior else "uniform"

    def _smoothing(self) -> Array | float:
        """Alpha, one number or one for each column; zero where maximum likelihood is asked for."""
        try:
            alpha = np.asarray(self.alpha, dtype=np.float64)
        except (TypeError, ValueError):
            alpha = np.empty((0, 0))
        if alpha.ndim > 1 or not alpha.size or isinstance(self.alpha, str):
            raise ValueError(f"alpha must be a number, or one for each column, got {self.alpha!r}.")
        if not (np.isfinite(alpha) & (alpha >= 0)).all():
            raise ValueError(f"alpha must be at least 0 and finite, got {self.alpha!r}.")
        if alpha.min() < 1e-10 and not self.force_alpha:
            warnings.warn(
                "alpha too small will result in numeric errors, setting alpha = 1.0e-10; force_alpha=True keeps it.",
                stacklevel=caller_stacklevel(),
            )
            alpha = np.maximum(alpha, 1e-10)
        if alpha.any() and not alpha.all():
            raise ValueError("alpha must be above 0 in every column, or 0 for all: maximum likelihood.")
        columns = getattr(self, "n_features_in_", None)
        if alpha.ndim and columns is not None and len(alpha) != columns:
            raise ValueError(
                f"When alpha is an array, it must have n_features numbers: there are {columns} columns, but "
                f"{len(alpha)} numbers in alpha."
            )
        return alpha if alpha.ndim else float(alpha)

    @property
    def class_log_prior_(self) -> Array:
        """Logs of the priors, (K,)."""
        return self._log_prior()

    @class_log_prior_.setter
    def class_log_prior_(self, logs: Any) -> None:
        self.class_prior_ = np.exp(np.asarray(logs, dtype=np.float64))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


def log_table(name: str, values: Any) -> Array:
    """Logs of probabilities that were set, (K, d), minus infinity allowed; or an error that names them."""
    logs = np.ascontiguousarray(values, dtype=np.float64)
    if logs.ndim != 2 or not logs.size or not (logs < np.inf).all():
        raise ValueError(f"{name} must be logs of probabilities, one row for each class, got the shape {logs.shape}.")
    return logs
