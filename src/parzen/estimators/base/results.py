"""Results of sources: batch by batch as they are read, or written to a file."""

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache, partial, wraps
from pathlib import Path
from typing import Any, Concatenate, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from parzen.statistics.threads import asked_threads, threads
from parzen.storage.files import dumped, loaded
from parzen.tables.cells import frame_kind
from parzen.tables.sources.ahead import read_ahead
from parzen.tables.sources.engines.engine import Engine, engine_of
from parzen.tables.sources.engines.work import ask
from parzen.tables.sources.errors import SourceError
from parzen.tables.sources.pieces import as_table, row_count
from parzen.tables.sources.source import Source

E = TypeVar("E")

#: What the column of a result is called in a file; of several, each is named by its class or component.
NAMES = {"predict": "predicted", "predict_proba": "p", "predict_log_proba": "log_p", "score_samples": "log_density"}
#: Methods whose result has several columns, and the type of numbers.
SEVERAL = ("predict_proba", "predict_log_proba")
CELLS = np.dtype(np.float64)

ALONE = "it has no options and writes no file here: give the table alone."


def classes_or_components(estimator: Any, *args: Any, **kwargs: Any) -> Iterable[Any]:
    """What the columns of probabilities are of."""
    return estimator.classes_ if hasattr(estimator, "classes_") else range(len(estimator.weights_))


def over_sources(
    method: Callable[Concatenate[E, Any, ...], Any], labels: Callable[..., Iterable[Any]] = classes_or_components
) -> Callable[Concatenate[E, Any, ...], Any]:
    """Let a method of the rows of a table take a source: it gives `Results`, or writes them to a file (`to`).

    Where a result has several columns, `labels` tells what each is of, given what the method is given but for the rows.
    """

    @wraps(method)
    def reading(self: E, X: Any, *args: Any, to: Any = None, **kwargs: Any) -> Any:
        engine = X.reader if isinstance(X, Source) and isinstance(X.reader, Engine) else engine_of(X)
        if engine is not None:
            if to is not None or args or kwargs:
                raise TypeError(f"{method.__name__} of a table on a cluster gives the table with new columns; {ALONE}")
            return with_results(self, method.__name__, engine)
        if not isinstance(X, Source):
            if to is not None:
                raise TypeError("to= writes the results of a source; those of a table are an array.")
            return method(self, X, *args, **kwargs)
        asked = partial(labels, self, *args, **kwargs)
        found = Results(self, method.__name__, lambda table: method(self, table, *args, **kwargs), X, asked)
        return found if to is None else found.write(to)

    return reading


class Results:
    """What a method gives for each batch of a source: computed when it is read, and anew each time.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import DensityEstimator, scan
    >>> rows = np.random.default_rng(0).normal(size=(1000, 2))
    >>> model = DensityEstimator().fit(rows)
    >>> found = model.score_samples(scan([rows[:600], rows[600:]]))
    >>> [len(batch) for batch in found]
    [600, 400]
    """

    def __init__(
        self,
        estimator: Any,
        name: str,
        function: Callable[[Any], Any],
        source: Source,
        labels: Callable[[], Iterable[Any]],
    ) -> None:
        self.name, self.function, self.labels = name, function, labels
        self.source = known_columns(estimator, source)

    def __iter__(self) -> Iterator[Any]:
        return self._computed()

    def _computed(self) -> Generator[Any, None, None]:
        with closing(read_ahead(as_table(batch.piece) for batch in self.source.batches())) as pieces:
            for piece in pieces:
                yield self.function(piece)

    def write(self, path: Any) -> Path:
        """Write a Parquet file of the results, one row for each row of the source; whole, or not at all."""
        target = Path(path)
        draft = target.with_name(f".parzen-{os.urandom(8).hex()}")
        try:
            self._write(draft)
            draft.replace(target)
        except OSError as error:
            raise SourceError(f"{str(target)!r} can't be written: {error.strerror or error}.") from error
        finally:
            draft.unlink(missing_ok=True)
        return target

    def _write(self, draft: Path) -> None:
        try:
            import pyarrow as pa
            from pyarrow import parquet
        except ImportError:
            raise ImportError("files of results are written with pyarrow: pip install 'parzen[cli]'.") from None
        writer: Any = None
        with draft.open("xb") as file, closing(self._computed()) as found:
            try:
                for values in found:
                    table = pa.table(self._named(values if frame_kind(values) else np.asarray(values)))
                    writer = writer or parquet.ParquetWriter(file, table.schema)
                    writer.write_table(table.cast(writer.schema))
            finally:
                if writer is not None:
                    writer.close()
        if writer is None:
            raise SourceError("the source has no rows, and so there are no results to write.")

    def _named(self, values: Any) -> dict[str, Any]:
        if frame_kind(values):
            return {str(label): values[label].to_numpy() for label in values.columns}
        names = _names(self.name, self.labels() if values.ndim > 1 else None)
        return dict(zip(names, _columns(values), strict=True))


def known_columns(estimator: Any, source: Source, weight: Any = None) -> Source:
    """The columns of a source that an estimator was fitted to, and weights, if any."""
    known = getattr(estimator, "feature_names_in_", None)
    # What a table may lack, a method knows: a net does without the column that it is asked for.
    there = None if known is None else [name for name in known.tolist() if name in source.reader.labels()]
    return source.select(there or source.columns, weight)


@dataclass(frozen=True)
class LikelihoodOf:
    """Log-likelihood of a partition under a fitted estimator, and the weight of its rows."""

    estimator: Any
    threads: int

    def __call__(self, source: Source, partition: int) -> tuple[float, float]:
        """Both sums."""
        with threads(self.threads):
            return log_likelihood_over(self.estimator, source)


def log_likelihood_over(estimator: Any, source: Source) -> tuple[float, float]:
    """Log-likelihood of the rows of a source, by their weights if it has any, and their weight."""
    if isinstance(source.reader, Engine):
        known = known_columns(estimator, source, source.weight)
        parts = [one for one in ask(known, LikelihoodOf(estimator, asked_threads() or 1)) if one is not None]
        return sum(one[0] for one in parts), sum(one[1] for one in parts)
    total = weight = 0.0
    with closing(read_ahead(known_columns(estimator, source, source.weight).batches())) as batches:
        for batch in batches:
            if not row_count(batch.piece):  # all weigh nothing
                continue
            values = estimator.score_samples(as_table(batch.piece))
            total += float(values.sum() if batch.weight is None else batch.weight @ values)
            weight += float(len(values) if batch.weight is None else batch.weight.sum())
    return total, weight


@dataclass(frozen=True)
class Extension:
    """Computes the results of a method for pieces of a table on a cluster; what is sent is a model file.

    Attributes
    ----------
    model : bytes of the fitted estimator
    name : of the method
    threads : how many of them a partition is given
    """

    model: bytes
    name: str
    threads: int

    def __call__(self, piece: Any) -> list[Any]:
        """An array for each new column."""
        with threads(self.threads):
            return _columns(np.asarray(getattr(_loaded(self.model), self.name)(as_table(piece))))


def with_results(estimator: Any, name: str, engine: Engine) -> Any:
    """A table on a cluster with the results of a method as new columns."""
    check_is_fitted(estimator)
    known = getattr(estimator, "feature_names_in_", None)
    columns = list(engine.labels()) if known is None else known.tolist()
    lacking = [one for one in columns if one not in engine.labels()]
    if lacking:
        raise SourceError(f"the table has no column {lacking[0]!r}: it has {list(engine.labels())}.")
    names = _names(name, classes_or_components(estimator) if name in SEVERAL else None)
    taken = [one for one in names if one in engine.labels()]
    if taken:
        raise SourceError(f"the table has a column {taken[0]!r} already; drop it or call it something else.")
    predicted = getattr(estimator, "actions_", getattr(estimator, "classes_", np.empty(0, np.int64)))
    kind = np.asarray(predicted).dtype if name == "predict" else CELLS
    extension = Extension(dumped(estimator), name, asked_threads() or 1)
    return engine.extend(extension, columns, dict.fromkeys(names, kind))


@lru_cache(maxsize=4)
def _loaded(model: bytes) -> Any:
    """A model that was sent: it is the same for all pieces of a partition."""
    return loaded(model)


def _names(method: str, labels: Iterable[Any] | None) -> list[str]:
    """Names of the columns of a result: one, or one for each label."""
    name = NAMES.get(method, method)
    return [name] if labels is None else [f"{name}({label})" for label in labels]


def _columns(values: Any) -> list[Any]:
    return [values] if values.ndim == 1 else [np.ascontiguousarray(column) for column in values.T]
