"""Rows of a source that are told apart by number: labels, training rows and held-out rows."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Concatenate, TypeVar

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.estimators.base.results import NAMES, known_columns, over_sources
from parzen.estimators.base.sources import fits_sources
from parzen.tables.sources.ahead import read_ahead
from parzen.tables.sources.engines.engine import Engine
from parzen.tables.sources.engines.work import total
from parzen.tables.sources.pieces import as_table, column_at, row_count
from parzen.tables.sources.scan import scanned
from parzen.tables.sources.source import Source

E = TypeVar("E")


def targets_of(source: Source) -> tuple[NDArray[Any], Array | None]:
    """Target and weight of every row, those of weight zero among them: a pass over these columns alone."""
    if source.target is None:
        raise ValueError("the target is needed, a column of the source: give target='y'.")
    roles = [source.target] if source.weight is None else [source.target, source.weight]
    found = total(source.select(roles), RoleCells())
    y, *w = (np.empty(0),) * len(roles) if found is None else found.joined()
    return y, np.asarray(w[0], dtype=np.float64) if w else None


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of some columns, in parts that follow each other."""

    parts: tuple[tuple[NDArray[Any], ...], ...]

    def __add__(self, other: "Cells") -> "Cells":
        return Cells(self.parts + other.parts)

    def joined(self) -> list[NDArray[Any]]:
        """All cells of each column."""
        return [np.concatenate(column) for column in zip(*self.parts, strict=True)]


@dataclass(frozen=True)
class RoleCells:
    """What finds the cells of all columns of a source."""

    def __call__(self, source: Source, partition: int) -> Cells | None:
        """Those of a partition."""
        d = len(source.columns)
        parts = tuple(tuple(column_at(batch.piece, j) for j in range(d)) for batch in source.batches())
        return Cells(parts) if parts else None


def accuracy_over(model: Any, source: Source) -> float:
    """Share of the rows of a source, by their weights if it has any, whose target a model predicts."""
    from sklearn.metrics import accuracy_score

    if isinstance(source.reader, Engine):
        raise TypeError("score reads predictions here, and those of a cluster stay there; predict gives a column.")
    if source.target is None:
        raise ValueError("the target is needed, a column of the source: score(source.with_roles(target='y')).")
    right = weight = 0.0
    known = replace(known_columns(model, source, source.weight), target=source.target)
    with closing(read_ahead(known.batches())) as batches:
        for batch in batches:
            if not row_count(batch.piece):  # all weigh nothing
                continue
            found = model.predict(as_table(batch.piece))
            right += accuracy_score(batch.target, found, sample_weight=batch.weight, normalize=False)
            weight += float(len(found) if batch.weight is None else batch.weight.sum())
    if not weight:
        raise ValueError("the source has no rows of weight above zero; give at least one.")
    return float(right) / weight


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
        if isinstance(X.reader, Engine) and method.__name__ not in NAMES:
            raise TypeError(
                f"{method.__name__} of a table on a cluster would have no names for its columns; take predict, or "
                "predict_proba."
            )
        if isinstance(getattr(self, "class_prior", None), str):
            raise ValueError(
                "class_prior='estimate' is estimated from all rows to be decided, and a source is decided batch by "
                "batch; give the class probabilities, as estimate_class_priors finds them from a sample."
            )
        return reading(self, X, *args, **kwargs)

    return judging
