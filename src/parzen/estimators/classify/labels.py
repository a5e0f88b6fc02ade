"""Class labels: which classes there are, the code of each row, class priors."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from parzen.compute.arrays import Array, on_host
from parzen.compute.codes import places
from parzen.compute.device import is_device, routine
from parzen.compute.memberships import group_counts
from parzen.estimators.base.sources import Tally
from parzen.tables.sources.engines.work import total
from parzen.tables.sources.source import Batch, Source

UNKNOWN = -1


def read_labels(y: Any, n: int, unlabelled: Any = None) -> tuple[NDArray[Any], NDArray[np.int32], Array]:
    """Classes in order, the code of each row's class, and how many rows each class has.

    A missing label (None, NaN, `unlabelled`) has code -1.
    """
    if is_device(y) and y.shape == (n,) and unlabelled is None:
        found: tuple[NDArray[Any], Any, Array] = routine("distinct")(y)
        return found
    y = _one_column(on_host(y), n)
    missing = _missing(y, unlabelled)
    known = y if missing is None else y[~missing]
    if not len(known):
        raise ValueError("y has no label at all; give at least one for each class.")
    classes, places_of, counts = _distinct(_plain(known))
    if missing is None:
        return classes, places_of, counts
    codes = np.full(n, UNKNOWN, dtype=np.int32)
    codes[~missing] = places_of
    return classes, codes, counts


def tally_labels(source: Source, unlabelled: Any = None) -> tuple[NDArray[Any], Tally]:
    """Classes in order of all rows of a source, and what is counted of them: a pass over target and weight."""
    found = total(source.with_columns(source.columns[:1]), LabelCounts(unlabelled))
    if found is None or not found.rows:
        raise ValueError("Found array with 0 sample(s), while a minimum of 1 is required: the source has no rows.")
    if not len(found.classes):
        raise ValueError("the target has no label at all; give at least one for each class.")
    return found.classes, Tally(found.rows, found.weight, found.least, found.counts, found.members)


@dataclass(frozen=True)
class LabelCounts:
    """What is counted of the labels of a partition."""

    unlabelled: Any

    def __call__(self, source: Source, partition: int) -> "LabelTally":
        """Its tally."""
        return LabelTally.of(source.roles(), self.unlabelled)


@dataclass(frozen=True, eq=False)
class LabelTally:
    """Classes in order, their weight and their rows; and rows and weight of all rows, and the least weight of one."""

    classes: NDArray[Any]
    counts: Array
    members: NDArray[np.int64]
    rows: int
    weight: float
    least: float

    @classmethod
    def of(cls, batches: Iterable[Batch], unlabelled: Any) -> "LabelTally":
        """The tally of batches."""
        nothing = np.empty(0), np.empty(0), np.empty(0, dtype=np.int64)
        parts: list[tuple[NDArray[Any], Array, NDArray[np.int64]]] = []
        rows, weight, least = 0, 0.0, 1.0
        for batch in batches:
            assert batch.target is not None
            n = len(batch.target)
            rows, weight = rows + n, weight + (float(n) if batch.weight is None else float(batch.weight.sum()))
            least = least if batch.weight is None else min(least, float(batch.weight.min(initial=least)))
            missing = _missing(batch.target, unlabelled)
            if n and (missing is None or not missing.all()):
                own, codes, often = read_labels(batch.target, n, unlabelled)
                counts = often if batch.weight is None else class_counts(codes, batch.weight, len(own))
                parts.append((own, counts, often.astype(np.int64)))
        classes, counts, members = _merged(parts) if parts else nothing
        return cls(classes, counts, members, rows, weight, least)

    def __add__(self, other: "LabelTally") -> "LabelTally":
        both = [(one.classes, one.counts, one.members) for one in (self, other) if len(one.classes)]
        merged = _merged(both) if both else (self.classes, self.counts, self.members)
        least = min(self.least, other.least)
        return LabelTally(*merged, self.rows + other.rows, self.weight + other.weight, least)


def _merged(
    parts: list[tuple[NDArray[Any], Array, NDArray[np.int64]]],
) -> tuple[NDArray[Any], Array, NDArray[np.int64]]:
    """Classes of several parts, in order, with the sums of their weights and rows."""
    try:
        every = np.unique(np.concatenate([classes for classes, _, _ in parts]))
    except TypeError:
        raise TypeError("labels must be of one kind, text or numbers, in all batches.") from None
    counts, rows_of = np.zeros(len(every)), np.zeros(len(every), dtype=np.int64)
    for classes, own, members in parts:
        at = np.searchsorted(every, classes)
        counts[at] += own
        rows_of[at] += members
    return every, counts, rows_of


@dataclass(frozen=True, eq=False)
class ClassCodes:
    """Code of each label of a batch among the classes of its source; -1 where it is missing."""

    classes: NDArray[Any]
    unlabelled: Any = None

    def __call__(self, y: NDArray[Any]) -> NDArray[np.int32]:
        """The codes of a batch."""
        missing = _missing(y, self.unlabelled)
        if missing is None:
            return codes_among(y, len(y), self.classes)
        codes = np.full(len(y), UNKNOWN, dtype=np.int32)
        if not missing.all():
            codes[~missing] = codes_among(y[~missing], int((~missing).sum()), self.classes)
        return codes


def codes_among(y: Any, n: int, classes: NDArray[Any], unlabelled: Any = None) -> NDArray[np.int32]:
    """Code of each row's label among known classes; another label, or none, is an error."""
    y = _one_column(on_host(y), n)
    missing = _missing(y, unlabelled)
    if missing is not None:
        raise ValueError("y lacks some labels; partial_fit needs all of them: leave such rows to fit.")
    present, codes, _ = _distinct(_plain(y))
    try:
        place = np.minimum(np.searchsorted(classes, present), len(classes) - 1)
        strange = present[classes[place] != present]
    except TypeError:  # kinds that don't compare
        strange = present
    if len(strange):
        raise ValueError(
            f"The target labels {strange.tolist()} in y do not exist in the initial classes {classes.tolist()}; name "
            "every class in partial_fit(X, y, classes=...) the first time."
        )
    return codes if len(present) == len(classes) else place.astype(np.int32)[codes]


def declared_classes(classes: Any, least: int = 2) -> NDArray[Any]:
    """The classes that the first partial_fit is told, at least so many, in order."""
    if isinstance(classes, str | set | frozenset) or np.ndim(classes) != 1:
        raise ValueError(f"classes must be a list of all classes, got {classes!r}.")
    found = _distinct(_plain(np.asarray(classes)))[0]
    if len(found) < least:
        raise ValueError(f"classes must be at least {'two' if least == 2 else least}, got {found.tolist()}.")
    return found


def check_several(classes: NDArray[Any]) -> NDArray[Any]:
    """Raise where there is one class only."""
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only, {classes.tolist()[0]!r}, and a classifier needs at least two; for the density of "
            "one class use DensityEstimator."
        )
    return classes


def check_weights(counts: Array, classes: NDArray[Any]) -> None:
    """Raise where a class has no weight."""
    empty = np.flatnonzero(counts == 0)
    if len(empty):
        raise ValueError(
            f"class {classes[empty].tolist()[0]!r} has no weight: the weights of all of its rows (sample_weight, "
            "class_weight) are zero; leave it out, or give one of its rows weight."
        )


def class_counts(codes: NDArray[np.int32], weights: Array | None, groups: int) -> Array:
    """Weight of the rows of each class."""
    if is_device(codes) and weights is None:
        found: Array = routine("members")(codes, groups).astype(np.float64)
        return found
    codes = on_host(codes)
    if codes.min(initial=0) < 0:
        inside = codes >= 0
        codes, weights = codes[inside], None if weights is None else weights[inside]
    return group_counts(codes, weights, groups)


def _one_column(y: Any, n: int) -> NDArray[Any]:
    if y is None:
        raise ValueError("this estimator requires y to be passed, but the target y is None; give labels.")
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        mask, y = np.ma.getmaskarray(y), y.data.astype(object)
        y[mask] = None
    if isinstance(y, list | tuple) and len({isinstance(one, str) for one in y}) > 1:  # NumPy makes text of a NaN
        y = np.array(y, dtype=object)
    plain = isinstance(y, np.ndarray) and y.ndim == 1
    array = y if plain else column_or_1d(y.to_numpy() if hasattr(y, "to_numpy") else y, warn=True)
    if len(array) != n:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {n} rows, but y has {len(array)} "
            "labels; give one label for each row."
        )
    return array


def _missing(y: NDArray[Any], unlabelled: Any) -> NDArray[np.bool_] | None:
    """Which labels are missing; None where none is."""
    if y.dtype.kind == "f":
        missing = np.isnan(y)
    elif y.dtype.kind == "O":
        missing = np.array([cell is None or type(cell).__name__ == "NAType" or cell != cell for cell in y], dtype=bool)
    else:
        missing = np.zeros(len(y), dtype=bool) if unlabelled is not None else None
    if unlabelled is not None:
        missing = missing | (y == unlabelled)
    return missing if missing is not None and missing.any() else None


def _plain(y: NDArray[Any]) -> NDArray[Any]:
    """Labels of one kind: whole numbers instead of objects or floats that hold them; an error for measurements."""
    if y.dtype.kind == "O":
        kinds = {type(cell) for cell in y.tolist()}
        if all(issubclass(kind, bool | np.bool_) for kind in kinds) or all(
            issubclass(kind, int | float | np.number) and not issubclass(kind, bool) for kind in kinds
        ):
            y = np.array(y.tolist())
        elif len(kinds) > 1 and not all(issubclass(kind, str) for kind in kinds):
            raise TypeError(f"labels must be of one kind, text or numbers, got {[kind.__name__ for kind in kinds]}.")
    if y.dtype.kind == "f":
        if not np.isfinite(y).all():
            raise ValueError("Input y contains infinity; labels must be text, whole numbers or booleans.")
        if (y != np.floor(y)).any():
            raise ValueError(
                "Unknown label type: continuous. y holds fractions, but a classifier needs classes: text, whole "
                "numbers or booleans."
            )
    if y.dtype.kind == "c":
        raise ValueError("Complex data not supported: labels must be text, whole numbers or booleans.")
    if y.dtype.kind not in "biufUSO":
        raise ValueError(f"Unknown label type: {y.dtype}; labels must be text, whole numbers or booleans.")
    return y


def _distinct(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32], Array]:
    """Distinct values in order, the place of each, and how often they come; without sorting where that is possible."""
    counted = places(y)
    if counted is None:
        values, inverse, often = np.unique(y, return_inverse=True, return_counts=True)
        return values, inverse.reshape(-1).astype(np.int32), often.astype(np.float64)
    low, counts, codes = counted
    seen = np.flatnonzero(counts)
    values = (seen + low).astype(y.dtype)
    if len(seen) < len(counts):
        rank = np.zeros(len(counts), dtype=np.int32)
        rank[seen] = np.arange(len(seen), dtype=np.int32)
        codes = rank[codes]
    return values, codes, counts[seen].astype(np.float64)
