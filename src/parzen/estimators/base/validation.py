"""Validation of input: tables, weights, seeds, counts. Input is checked once, here; refused input changes nothing."""

import numbers
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    _check_sample_weight,
    _get_feature_names,
    check_array,
    check_is_fitted,
)

from parzen.compute.arrays import Array, is_sparse, picked
from parzen.compute.device import is_device, routine
from parzen.statistics.batches import Batches
from parzen.tables.cells import frame_kind
from parzen.tables.sources.source import Source

#: Sums of weights and cells up to this have products of weights with squares of cells that are finite.
LARGE = 1e100

E = TypeVar("E")
P = ParamSpec("P")


class FittingMethod(Protocol[P]):
    """What type checkers know of a fitting method: it gives back the estimator it was called of, whatever its class."""

    def __get__(self, estimator: E, owner: Any = None) -> Callable[P, E]: ...

    def __call__(self, estimator: Any, /, *args: P.args, **kwargs: P.kwargs) -> Any: ...


def transactional(method: Callable[Concatenate[Any, P], Any]) -> FittingMethod[P]:
    """Make a fitting method change its estimator only when it succeeds: it works on a copy that is then adopted."""

    @wraps(method)
    def fitting(self: Any, *args: P.args, **kwargs: P.kwargs) -> Any:
        draft = object.__new__(type(self))
        vars(draft).update(vars(self))
        method(draft, *args, **kwargs)
        vars(self).clear()
        vars(self).update(vars(draft))
        return self

    return fitting  # type: ignore[return-value]


def check_fitted(estimator: Any, name: str) -> None:
    """Raise scikit-learn's error where a fitted attribute is not there; its own check takes as long as a prediction."""
    if not hasattr(estimator, name):
        check_is_fitted(estimator, name)


def table(estimator: Any, X: Any, *, reset: bool, sparse: bool, device: bool = False) -> Any:
    """X as a table with rows and columns: a pandas or polars frame as it is, else an array (or CSR matrix) of numbers,
    or an array of objects.

    Parameters
    ----------
    reset : whether the number and names of the columns are learnt (fitting) or compared with those that were
    sparse : whether a CSR matrix is accepted
    device : whether rows on a device are
    """
    return rows_and_columns(check_features(estimator, X, reset=reset), sparse, estimator, device)


def check_features(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X as it came, its number and names of columns learnt (`reset`) or compared with those that were learnt.

    By scikit-learn's own checks; an array that has no names to compare needs none of them, which take as long as a
    small table.
    """
    if hasattr(X, "collect"):
        raise TypeError(f"X must be a table in memory, got a {type(X).__name__}; call its collect() first.")
    if isinstance(X, Source):
        raise TypeError(
            f"this needs a table in memory, got a source (parzen.scan): {type(estimator).__name__} reads one batch by "
            "batch only in those methods whose documentation says so. Give a batch, or some rows: next(iter(source))."
        )
    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.float64), np.nan)
    if (type(X) is np.ndarray or is_device(X)) and X.ndim == 2 and not hasattr(estimator, "feature_names_in_"):
        if not reset and getattr(estimator, "n_features_in_", None) == X.shape[1]:
            return X
        if reset and X.shape[1]:
            estimator.n_features_in_ = X.shape[1]
            return X
    if is_device(X) and X.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {X.ndim}D array instead: X has shape {X.shape}; use X.reshape(-1, 1)."
        )
    if not frame_kind(X) and not is_sparse(X) and np.asarray(X).ndim < 2:
        check_array(X, dtype=None, ensure_all_finite=False)  # says how to reshape it
    _check_feature_names(estimator, _named(X), reset=reset)
    _check_n_features(estimator, X, reset=reset)
    return X


class _Names:
    """Names of columns, told as scikit-learn asks for them before 1.9: by a protocol that polars has left in 2.0."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def __dataframe__(self) -> Any:
        return self

    def column_names(self) -> list[str]:
        return self.names


def _named(X: Any) -> Any:
    return _Names(X.columns) if frame_kind(X) == "polars" and _get_feature_names(X) is None else X


def rows_and_columns(X: Any, sparse: bool, estimator: Any = None, device: bool = False) -> Any:
    """X as a frame, an array of numbers or objects, or a CSR matrix; or as it is where it lies on a `device`.

    Infinities are not looked for here: a pass over every cell costs as much as a fit does. They are looked for once,
    where a result is not finite (`finite`).
    """
    if is_device(X):
        if not device:
            raise X.stays_there()
        if not X.size:
            raise ValueError(f"Found array with 0 sample(s) or feature(s): X has shape {X.shape}.")
        return X if X.dtype.kind == "f" else X.astype(np.float64)
    if frame_kind(X):
        if not len(X):
            raise ValueError("Found array with 0 sample(s), while a minimum of 1 is required: X has no rows.")
        if not X.shape[1]:
            raise ValueError("Found array with 0 feature(s), while a minimum of 1 is required: X has no columns.")
        return X
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.size and X.dtype in (np.float32, np.float64, np.int64):
        return X  # nothing to convert
    array = X if is_sparse(X) else np.asarray(X)
    if not is_sparse(array) and array.dtype.kind in "OUSb" and not _numbers_inside(array):
        array = np.array(X, dtype=object) if array.dtype.kind in "US" else array
        return check_array(array, dtype=None, ensure_all_finite=False, input_name="X")
    if not is_sparse(array) and array.dtype.kind in "mM":
        raise ValueError("X holds dates; convert them to numbers first, such as days since one of them.")
    dtype = "numeric" if is_sparse(array) or array.dtype.kind != "O" else np.float64
    accept = "csr" if sparse else False
    return check_array(
        array, accept_sparse=accept, dtype=dtype, ensure_all_finite=False, input_name="X", estimator=estimator
    )


def weights(sample_weight: Any, X: Any, kept: bool = False) -> Array | None:
    """Sample weights as an array, or None where all rows weigh one; a copy, if they are to be `kept`."""
    if sample_weight is None:
        return None
    n = X.shape[0]
    w: Array = _check_sample_weight(sample_weight, np.empty((n, 1)), dtype=np.float64, ensure_non_negative=True)
    if not w.any():
        raise ValueError("sample_weight is zero for every row; at least one must weigh something.")
    with np.errstate(over="ignore"):
        total = float(w.sum())
    if not 1 / LARGE <= total <= LARGE:
        raise ValueError(
            f"sample_weight sums to {total:.3g}, but a sum between {1 / LARGE:g} and {LARGE:g} is needed, so that "
            "products with squares of cells don't overflow or vanish; give sample_weight / sample_weight.max()."
        )
    return np.array(w) if kept else np.ascontiguousarray(w)


def drop_zero_weight(X: Any, w: Array | None, *others: Any) -> tuple[Any, ...]:
    """X, w and others without the rows of weight zero, which count as absent."""
    if w is None or w.all():
        return X, w, *others
    keep = np.flatnonzero(w)
    X = X.iloc[keep] if frame_kind(X) == "pandas" else picked(X, keep)
    return X, w[keep], *(one[keep] for one in others)


def finite_rows(rows: Any, name: str = "X", missing: bool = False) -> Any:
    """Rows of finite numbers, float32 or float64, none missing unless that is allowed; or an error."""
    if isinstance(rows, Batches):
        rows.check(FiniteRows(name, missing))
        return rows
    if rows.shape[0] == 0:
        return rows  # of a batch whose rows all weigh nothing
    if is_device(rows):
        routine("finite")(rows)
        if rows.missing() and not missing:
            raise ValueError(f"Input {name} contains NaN; fill such cells, or leave out their rows.")
        return rows
    kept = rows.dtype if rows.dtype in (np.float32, np.float64) else np.float64
    if rows.dtype == kept and isinstance(rows, np.ndarray):
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(rows.sum()):
                return rows  # nothing else is to be found out
    rule = "allow-nan" if missing else True
    return check_array(rows, accept_sparse="csr", dtype=kept, ensure_all_finite=rule, input_name=name)


def finite(rows: Any) -> Any:
    """Rows as they are, or an error where a number is infinite (or a value of a CSR matrix is missing)."""
    if isinstance(rows, Batches):
        rows.check(Finite())
        return rows
    if rows.shape[0] == 0:
        return rows  # of a batch whose rows all weigh nothing
    if is_device(rows):
        routine("finite")(rows)
        return rows
    plain = type(rows) is np.ndarray and rows.ndim == 2 and rows.size
    if plain and (rows.dtype.kind in "iu" or (rows.dtype.kind == "f" and not np.isinf(rows).any())):
        return rows  # the check below says the same, and takes as long as a small table
    rule = True if is_sparse(rows) else "allow-nan"
    return check_array(rows, accept_sparse="csr", dtype="numeric", ensure_all_finite=rule, input_name="X")


def squarable(rows: Any) -> Any:
    """Rows as they are, or an error where a number is infinite or too large to be squared: distances would not be."""
    if isinstance(rows, Batches):
        return rows.mapped(Squarable())  # each batch when it is read
    rows = finite(rows)
    if is_device(rows):
        largest = routine("largest_cell")(rows)
        if largest > LARGE:
            raise ValueError(f"X holds {largest:.3g}, which is too large to be squared; rescale its columns.")
        return rows
    cells = rows.data if is_sparse(rows) else rows
    if cells.size and cells.dtype.kind == "f":
        largest = max(float(np.fmax.reduce(cells, axis=None)), -float(np.fmin.reduce(cells, axis=None)))
        if largest > LARGE:
            raise ValueError(f"X holds {largest:.3g}, which is too large to be squared; rescale its columns.")
    return rows


@dataclass(frozen=True)
class FiniteRows:
    """`finite_rows` of each batch."""

    name: str
    missing: bool

    def __call__(self, rows: Any) -> Any:
        """The rows of a batch, or an error."""
        return finite_rows(rows, self.name, self.missing)


@dataclass(frozen=True)
class Finite:
    """`finite` of each batch."""

    def __call__(self, rows: Any) -> Any:
        """The rows of a batch, or an error."""
        return finite(rows)


@dataclass(frozen=True)
class Squarable:
    """`squarable` of each batch."""

    def __call__(self, rows: Any) -> Any:
        """The rows of a batch, or an error."""
        return squarable(rows)


def _numbers_inside(array: Any) -> bool:
    """Whether an array of objects or booleans holds nothing but numbers."""
    if array.dtype.kind == "b":
        return True
    if array.dtype.kind != "O":
        return False
    return all(isinstance(cell, numbers.Number) for cell in array.flat)


def generator(random_state: Any) -> np.random.Generator:
    """NumPy's generator, seeded by scikit-learn's kind of random state."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if random_state is None or isinstance(random_state, int | np.integer):
        return np.random.default_rng(random_state)
    return np.random.default_rng(check_random_state(random_state).randint(2**31))


def row_count(n_samples: Any) -> int:
    """Number of rows to sample, or an error."""
    if not isinstance(n_samples, int | np.integer) or isinstance(n_samples, bool) or n_samples < 1:
        raise ValueError(f"n_samples must be at least 1, a whole number, got {n_samples!r}.")
    return int(n_samples)
