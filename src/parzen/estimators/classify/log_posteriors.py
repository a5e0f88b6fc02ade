"""Log-posteriors of any classifier, ours or theirs, from whatever it predicts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit, logsumexp

from parzen.compute.arrays import Array
from parzen.estimators.classify.source_rows import every_row, tables_of
from parzen.tables.sources.engines.engine import Engine
from parzen.tables.sources.engines.work import ask
from parzen.tables.sources.source import Source


@dataclass(frozen=True, eq=False)
class Posteriors:
    """Computes the log-posteriors of the rows of a partition, by a classifier of the library."""

    model: Any
    classes: NDArray[Any]

    def __call__(self, source: Source, partition: int) -> Array:
        """A column for each class."""
        return log_posteriors(self.model, source, self.classes)


def posterior_batches(model: Any, source: Source, classes: NDArray[Any]) -> Iterator[Array]:
    """Log-posteriors of every row of a source: of its batches, or of its partitions where it lies on a cluster."""
    if isinstance(source.reader, Engine):
        yield from (one for one in ask(every_row(source), Posteriors(model, classes)) if one is not None)
        return
    for table in tables_of(source):
        yield log_posteriors(model, table, classes)


def log_posteriors(model: Any, X: Any, classes: NDArray[Any]) -> Array:
    """Log-posteriors of a classifier, a column for each of the classes."""
    if isinstance(X, Source):
        return np.concatenate(list(posterior_batches(model, X, classes)))
    if hasattr(model, "predict_log_proba"):
        with np.errstate(divide="ignore"):
            found = np.asarray(model.predict_log_proba(X), dtype=np.float64)
    elif hasattr(model, "decision_function"):
        score = np.asarray(model.decision_function(X), dtype=np.float64)
        pairs = getattr(model, "decision_function_shape", "ovr") == "ovo" and len(model.classes_) > 2
        if pairs or (score.ndim == 2 and score.shape[1] != len(model.classes_)):
            raise ValueError(
                f"decision_function of {type(model).__name__} has no column for each class (pairs of classes?); "
                "use decision_function_shape='ovr', or a classifier with predict_proba."
            )
        if score.ndim == 1:
            found = np.column_stack([log_expit(-score), log_expit(score)])
        else:
            found = score - logsumexp(score, axis=1, keepdims=True)
    elif hasattr(model, "predict_proba"):
        with np.errstate(divide="ignore"):
            found = np.log(np.asarray(model.predict_proba(X), dtype=np.float64))
    else:
        raise TypeError(
            f"{type(model).__name__} has neither predict_log_proba, decision_function nor predict_proba; decisions "
            "need probabilities."
        )
    out = np.full((len(found), len(classes)), -np.inf)
    out[:, np.searchsorted(classes, model.classes_)] = found
    return out
