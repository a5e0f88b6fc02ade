"""Sources at the door: rows that are read batch by batch, in the place of a table."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, is_sparse
from parzen.compute.memberships import Labels, Memberships
from parzen.estimators.base.validation import LARGE, FittingMethod
from parzen.statistics.batches import Batches, Encoding, Reading
from parzen.statistics.kept import Kept
from parzen.tables.sources.engines.engine import Engine
from parzen.tables.sources.engines.work import ask, first_rows
from parzen.tables.sources.scan import scanned
from parzen.tables.sources.source import Source
from parzen.tables.sources.survey import SurveyedColumns

E = TypeVar("E")


def takes_sources(fit: FittingMethod[...]) -> FittingMethod[...]:
    """Let a fitting method take a source: ``fit(source, target="y", weight="w")``; see `parzen.scan`.

    With ``checkpoint=path``, a file keeps the statistic and the density of EM after each pass: the same fit, begun
    again after it was killed, goes on from there to the same answer. The file is removed when the fit ends.
    """

    @wraps(fit)
    def fitting(
        self: E, X: Any, *args: Any, target: Any = None, weight: Any = None, checkpoint: Any = None, **kwargs: Any
    ) -> E:
        X = scanned(X)
        if not isinstance(X, Source):
            if target is not None or weight is not None:
                raise TypeError("target and weight name columns of a source; with a table give y and sample_weight.")
            if checkpoint is not None:
                raise TypeError("checkpoint keeps how far the fit of a source has come; a table needs none.")
            return fit(self, X, *args, **kwargs)
        if any(one is not None for one in (*args, *kwargs.values())):
            raise TypeError(
                "a source holds targets and weights among its columns: fit(source, target='y', weight='w')."
            )
        roles = target is not None or weight is not None
        X = X.with_roles(target, weight) if roles else X
        return fit(self, X if checkpoint is None else replace(X, checkpoint=checkpoint), None)

    fitting.takes_sources = True  # type: ignore[attr-defined]
    return fitting  # type: ignore[return-value]


def fits_sources(estimator: Any) -> bool:
    """Whether its `fit` takes a source."""
    return bool(getattr(type(estimator).fit, "takes_sources", False))


def takes_sequences(fit: FittingMethod[...]) -> FittingMethod[...]:
    """Let a fitting method take a source of sequences: ``fit(source, sequence="name", weight="w")``.

    Rows that follow each other with the same name are a sequence; its weight is that of its first row.
    """

    @wraps(fit)
    def fitting(self: E, X: Any, *args: Any, sequence: Any = None, weight: Any = None, **kwargs: Any) -> E:
        X = scanned(X)
        if not isinstance(X, Source):
            if sequence is not None or weight is not None:
                raise TypeError("sequence and weight name columns of a source; with a table give lengths.")
            return fit(self, X, *args, **kwargs)
        if any(one is not None for one in (*args, *kwargs.values())):
            raise TypeError(
                "a source holds the names of its sequences and their weights among its columns: fit(source, "
                "sequence='name', weight='w')."
            )
        return fit(self, X.with_roles(sequence, weight))

    return fitting  # type: ignore[return-value]


class Tally(NamedTuple):
    """Rows of weight above zero, their weight, the least one, and where they have classes both of each."""

    rows: int
    weight: float
    least: float = 1.0
    counts: Array | None = None
    members: NDArray[np.int64] | None = None

    @property
    def groups(self) -> int:
        """How many classes there are."""
        return 1 if self.counts is None else len(self.counts)


def tally_of(source: Source) -> Tally:
    """Count rows and their weight: by a pass over the weights alone, if there are any."""
    if source.weight is None:
        n = int(first_rows(source)[-1]) if isinstance(source.reader, Engine) else len(source)
        return Tally(n, float(n))
    if isinstance(source.reader, Engine):
        parts = [Tally(*one) for one in ask(source.with_columns(source.columns[:1]), Weighed()) if one is not None]
        rows, weight = sum(one.rows for one in parts), sum(one.weight for one in parts)
        return Tally(rows, weight, min([one.least for one in parts], default=1.0))
    rows, weight, least = 0, 0.0, np.inf
    for batch in source.roles():
        assert batch.weight is not None
        rows, weight = rows + len(batch.weight), weight + float(batch.weight.sum())
        least = min(least, float(batch.weight.min(initial=np.inf)))
    return Tally(rows, weight, least)


@dataclass(frozen=True)
class Weighed:
    """Rows and weights of a partition."""

    def __call__(self, source: Source, partition: int) -> tuple[Any, ...]:
        """What is counted of it: the first fields of a `Tally`."""
        return tuple(tally_of(source)[:3])


class SourceTable:
    """A source as the table that is fitted.

    Parameters
    ----------
    source : Source
    tally : what a pass over the target and the weights has counted; by default the rows and their weight alone
    code : function that gives the class of each cell of the target, -1 where there is none
    """

    def __init__(
        self,
        source: Source,
        tally: Tally | None = None,
        code: Callable[[NDArray[Any]], NDArray[np.int32]] | None = None,
    ) -> None:
        self.source, self.code = source, code
        self.tally = tally_of(source) if tally is None else tally
        if not self.tally.rows:
            raise ValueError("Found array with 0 sample(s), while a minimum of 1 is required: the source has no rows.")
        if not 1 / LARGE <= self.tally.weight <= LARGE:
            raise ValueError(
                f"the weights sum to {self.tally.weight:.3g}, but a sum between {1 / LARGE:g} and {LARGE:g} is needed."
            )

    @property
    def shape(self) -> tuple[int, int]:
        """Rows of weight above zero, and columns."""
        return self.tally.rows, len(self.source.columns)

    def columns(self) -> SurveyedColumns:
        """The columns, of which one pass will tell what they hold, if a family asks."""
        return SurveyedColumns(self.source, self.tally.rows)

    def sampled_memberships(self, columns: SurveyedColumns) -> Memberships:
        """Memberships of the rows that a survey of the columns keeps."""
        found = columns.sampled_roles()
        weight = None if self.source.weight is None else np.concatenate([one.weight for one in found])
        if self.code is None:
            return weight
        codes = [self.code(one.target) for one in found if one.target is not None]
        return Labels.sound(np.concatenate(codes), weight, self.tally.groups)

    def _fits(self, head: Any) -> bool:
        """Whether the source may keep all rows once they are encoded as `head` is, with their weights and classes."""
        if is_sparse(head) or isinstance(self.source.reader, Engine):  # workers keep rows, not this process
            return False
        roles = 8 * (self.source.weight is not None) + 4 * (self.code is not None)
        return self.tally.rows * (head.shape[1] * head.itemsize + roles) <= self.source.memory

    def encoded(self, encode: Callable[[Any], Any]) -> Batches:
        """The rows as a function of pieces encodes them, with their memberships."""
        head = encode(self.source.empty())
        source, tally = self.source, self.tally
        known = (source.reader.mark(), source.columns, source.target, source.weight, tally.rows, repr(tally.weight))
        return Batches(
            Reading(source, Kept() if self._fits(head) else None),
            Encoding(encode, self.code, tally.groups),
            self.shape,
            head.dtype,
            *tally[1:],
            sparse=is_sparse(head),
            checkpoint=source.checkpoint,
            mark=repr(known),
        )
