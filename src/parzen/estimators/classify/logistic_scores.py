"""Scores of held-out rows, and what scikit-learn's metadata routing passes to splitters and scorers."""

import inspect
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray
from sklearn.metrics import get_scorer, make_scorer
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import _routing_enabled, process_routing
from sklearn.utils.validation import _check_method_params

from parzen.compute.arrays import Array
from parzen.estimators.classify.logistic_options import warn


@dataclass(frozen=True)
class HeldOut:
    """Scores a model by rows of a table.

    Attributes
    ----------
    X : table
    y : array of shape (n,)
    classes : array of shape (K,)
        All of them: a fold may lack some.
    weights : array of shape (n,), or None
    scorer : callable, or None for the accuracy
    params : what else the scorer is given
    """

    X: Any
    y: NDArray[Any]
    classes: NDArray[Any]
    weights: Array | None
    scorer: Any
    params: dict[str, Any]

    def score(self, model: Any, test: Any) -> float:
        """Of some of the rows."""
        X, y = _safe_indexing(self.X, test), self.y[test]
        if self.scorer is None:
            return float(model.score(X, y, sample_weight=None if self.weights is None else self.weights[test]))
        params = _check_method_params(self.X, params=self.params, indices=test)
        return float(told_of_classes(self.scorer, self.classes)(model, X, y, **params))


def told_of_classes(scorer: Any, classes: NDArray[Any]) -> Any:
    """The scorer, told of all classes where its metric asks for them: held-out rows may not have each."""
    metric = getattr(scorer, "_score_func", None)
    asked = {} if metric is None else inspect.signature(metric).parameters
    if "labels" not in asked:
        return scorer
    positive = {"pos_label": classes[-1]} if len(classes) == 2 and "pos_label" in asked else {}
    return make_scorer(
        metric,
        greater_is_better=scorer._sign == 1,
        response_method=scorer._response_method,
        **{"labels": classes, **positive, **scorer._kwargs},
    )


def read_scoring(scoring: Any) -> Any:
    """The scorer that a parameter names, or None for the accuracy, with scikit-learn's warning of its default."""
    if isinstance(scoring, str) and scoring == "warn":
        warn(
            "The default value of the parameter 'scoring' will change from None, the accuracy, to 'neg_log_loss' in "
            "scikit-learn 1.11; give one of them now.",
            FutureWarning,
        )
        return None
    return get_scorer(scoring)


def routed(estimator: Any, sample_weight: Any, params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a splitter and a scorer are given while fitting."""
    if _routing_enabled():
        found = process_routing(estimator, "fit", sample_weight=sample_weight, **params)
        return dict(found.splitter.split), dict(found.scorer.score)
    return {}, dict(params) if sample_weight is None else {**params, "sample_weight": sample_weight}
