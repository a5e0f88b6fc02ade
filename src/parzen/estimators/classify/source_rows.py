"""Rows of a source that are told apart by number: labels, training rows and held-out rows."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import wraps
from typing import Any, Concatenate, TypeVar

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.estimators.base.results import over_sources
from parzen.estimators.base.sources import fits_sources
from parzen.tables.sources.engines.engine import Engine
from parzen.tables.sources.pieces import column_at
from parzen.tables.sources.scan import scanned
from parzen.tables.sources.source import Source

E = TypeVar("E")


def targets_of(source: Source) -> tuple[NDArray[Any], Array | None]:
    """Target and weight of every row, those of weight zero among them: a pass over these columns alone."""
    if isinstance(source.reader, Engine):
        raise TypeError("rows on a cluster have no numbers to tell held-out ones by; scan files of them.")
    if source.target is None:
        raise ValueError("the target is needed, a column of the source: give target='y'.")
    alone = replace(source, weight=None)
    y = np.concatenate([batch.target for batch in alone.roles()] or [np.empty(0)])
    if source.weight is None:
        return y, None
    w = [column_at(batch.piece, 0) for batch in source.select([source.weight]).batches()]
    return y, np.concatenate(w or [np.empty(0)]).astype(np.float64)


def check_fits_sources(model: Any) -> None:
    """Raise where a model can't be fitted to a source."""
    if not fits_sources(model):
        raise TypeError(
            f"{type(model).__name__} takes no source in fit: give a classifier that does (naive Bayes, a discriminant, "
            "LogisticRegression, BayesClassifier), or a table in memory."
        )


def every_row(source: Source) -> Source:
    """The features of every row, those of weight zero among them."""
    return replace(source, target=None, weight=None)


def tables_of(source: Source) -> Iterator[Any]:
    """The features of every row, batch by batch."""
    return iter(every_row(source))


def decides_sources(method: Callable[Concatenate[E, Any, ...], Any]) -> Callable[Concatenate[E, Any, ...], Any]:
    """Let a method of the rows of a table take a source where each batch can be judged apart from the others."""
    reading = over_sources(method)

    @wraps(method)
    def judging(self: E, X: Any, *args: Any, **kwargs: Any) -> Any:
        X = scanned(X)
        if not isinstance(X, Source):
            return reading(self, X, *args, **kwargs)
        if isinstance(X.reader, Engine):
            raise TypeError(
                f"{method.__name__} of a {type(self).__name__} reads rows here, and those of a cluster stay there; "
                "its classifier's predict_proba takes them."
            )
        if isinstance(getattr(self, "class_prior", None), str):
            raise ValueError(
                "class_prior='estimate' is estimated from all rows to be decided, and a source is decided batch by "
                "batch; give the class probabilities, as estimate_class_priors finds them from a sample."
            )
        return reading(self, X, *args, **kwargs)

    return judging
