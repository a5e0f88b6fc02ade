"""The design matrix: rows with missing cells and categories as columns that a linear function takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from parzen.compute.arrays import Array, as_csr, as_floats, is_sparse
from parzen.compute.device import is_device
from parzen.compute.memberships import Labels, Memberships
from parzen.compute.moments import sums
from parzen.compute.sparse import csr_sums
from parzen.families.gaussian import Gaussian
from parzen.statistics.accumulate import accumulate, map_blocks
from parzen.statistics.batches import Batches
from parzen.statistics.moments import Moments

#: A design of more columns than this, of which most are zero, is a sparse matrix.
DENSE = 400
#: Stands for the column of a level that has none: of a category that was not seen, and of the first level.
UNSEEN, FIRST = -1, -2


@dataclass(frozen=True, eq=False)
class Design:
    """Columns of encoded rows (see `parzen.tables.schema`) as columns of a design matrix, in the same order.

    A column of numbers is one column, its missing cells replaced by the mean of the others; where a cell was missing in
    training, a second column indicates it (1 where missing). A column of categories is one column of zeros and ones for
    each of its levels, the categories of the training rows; missing cells are a level of their own where one was
    missing in training.

    A cell of no level (a category that was not seen, a cell that is missing for the first time) is zero in the columns
    of all levels: it gets the weight zero, as a penalty gives it to a level without rows. Without a penalty the first
    level has no column, and such a cell has an equal share of each level, whose score is the mean of theirs.

    Attributes
    ----------
    mean : array of shape (d,)
        Of the cells that are not missing; zero for categories.
    centre, scale : arrays of shape (d,)
        Numbers are taken as (x - centre) / scale; zeros and ones where they are taken as they are.
    missing : array of bool, of shape (d,)
        Where a cell was missing in training.
    levels : tuple, one for each column
        Codes of the categories of the training rows; None for a column of numbers.
    dropped : array of bool, of shape (d,)
        Where the first level has no column.
    """

    mean: Array
    centre: Array
    scale: Array
    missing: NDArray[np.bool_]
    levels: tuple[NDArray[np.int64] | None, ...]
    dropped: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        rows: Any,
        categories: Sequence[bool],
        weights: Array | None,
        *,
        standardise: bool = False,
        penalised: bool = True,
        intercept: bool = True,
        complete: bool = False,
    ) -> "Design":
        """The design of training rows.

        Parameters
        ----------
        rows : encoded rows, or CSR of numbers; or batches of encoded rows
        categories : whether each column holds codes of categories
        weights : of the rows, or None
        standardise : whether numbers are to have mean 0 and standard deviation 1; those of CSR rows are only divided
        penalised : whether a penalty determines the weights of all levels
        intercept : whether there is an intercept; without one the first categorical column keeps all levels
        complete : whether it is known that no cell is missing
        """
        d = len(categories)
        is_category = np.asarray(categories, dtype=bool)
        if isinstance(rows, Batches):
            seen = accumulate(Observed(is_category), rows)
            (mean, deviation), levels, missing = seen.numbers(is_category), seen.levels, seen.lacking & seen.known
        else:
            lacking = np.zeros((1, d), dtype=bool) if complete or is_sparse(rows) else np.isnan(rows)
            if complete and not standardise and not is_category.any() and not (is_sparse(rows) or is_device(rows)):
                mean, deviation = _mean(rows, weights), np.ones(d)
            else:
                mean, deviation = _moments(rows, ~is_category, weights, standardise)
            levels = tuple(_levels(rows[:, j]) if is_category[j] else None for j in range(d))
            missing = np.asarray(lacking.any(axis=0) & ~lacking.all(axis=0), dtype=bool)
        dropped = is_category & (not penalised) & np.array([one is not None and len(one) > 0 for one in levels])
        if dropped.any() and not intercept:
            dropped[np.argmax(dropped)] = False
        centre = mean if standardise and not is_sparse(rows) else np.zeros(d)
        scale = deviation if standardise else np.ones(d)
        return cls(mean, centre, scale, missing, levels, dropped)

    @property
    def width(self) -> int:
        """How many columns the design matrix has."""
        return int(self._begin[-1])

    @cached_property
    def sparse(self) -> bool:
        """Whether the design matrix of dense rows is sparse: it has many columns, most of them zero in a row."""
        return bool(self.width > max(DENSE, 4 * len(self.levels)) and not self.dropped.any())

    @cached_property
    def plain(self) -> bool:
        """Whether rows without a missing cell are the design matrix as they are."""
        return bool(
            self.numeric.all() and not self.missing.any() and not self.centre.any() and (self.scale == 1.0).all()
        )

    @cached_property
    def numeric(self) -> NDArray[np.bool_]:
        """Which columns of the rows hold numbers."""
        return np.array([one is None for one in self.levels], dtype=bool)

    @property
    def places(self) -> NDArray[np.intp]:
        """Where the columns of numbers are in the design matrix."""
        return self._begin[:-1][self.numeric]

    @property
    def origins(self) -> NDArray[np.intp]:
        """Which column of the rows each column of the design matrix is made of."""
        return np.repeat(np.arange(len(self.levels)), np.diff(self._begin))

    def names(self, columns: Sequence[str], alphabets: Sequence[Any]) -> list[str]:
        """What the columns are called, by those of the table and their categories."""
        out: list[str] = []
        for j, (name, alphabet, levels) in enumerate(zip(columns, alphabets, self.levels, strict=True)):
            own = (
                [name] if levels is None else [f"{name} = {alphabet[code]}" for code in levels][int(self.dropped[j]) :]
            )
            out += [*own, f"{name} missing"] if self.missing[j] else own
        return out

    def expand(self, X: Any, dense: bool = False) -> Any:
        """The design matrix of encoded rows, or of CSR ones: CSR where it is `sparse`, unless it must be dense."""
        if is_sparse(X):
            X = as_csr(X)
            return type(X)((X.data / self.scale[X.indices], X.indices, X.indptr), shape=X.shape)
        if is_device(X):
            return X  # complete rows, of which a plain design is made
        if self.plain and not np.isnan(X.min(initial=0.0)):
            return X
        lacking = np.isnan(X)
        if self.sparse and not dense:
            return self._csr(X, lacking)
        out = np.zeros((len(X), self.width))
        out[:, self.places] = self._numbers(X, lacking)
        for j in np.flatnonzero(self.missing & self.numeric):
            out[:, self._begin[j] + 1] = lacking[:, j]
        for j in np.flatnonzero(~self.numeric):
            at = self._columns(X[:, j], lacking[:, j], j)
            inside = np.flatnonzero(at >= 0)
            out[inside, at[inside]] = 1.0
            if self.dropped[j]:
                begin, end = self._begin[j : j + 2]
                out[at == UNSEEN, begin:end] = 1.0 / (end - begin + 1)
        return out

    @cached_property
    def _begin(self) -> NDArray[np.intp]:
        """Where the columns that each column becomes begin, and the end of all."""
        own = np.array([1 if one is None else len(one) for one in self.levels], dtype=np.intp)
        return np.concatenate([[0], np.cumsum(own - self.dropped + self.missing)]).astype(np.intp)

    def _numbers(self, X: Array, lacking: NDArray[np.bool_]) -> Array:
        own = self.numeric
        filled: Array = np.where(lacking[:, own], self.mean[own], X[:, own])
        return (filled - self.centre[own]) / self.scale[own]

    def _columns(self, codes: Array, lacking: NDArray[np.bool_], j: Any) -> NDArray[np.intp]:
        """For each cell of a column of categories the column of the design matrix that is 1 there, or why none is."""
        levels, begin = self.levels[j], self._begin[j]
        assert levels is not None
        whole = np.where(lacking, 0.0, codes).astype(np.intp)
        column_of = np.full(max(levels.max(initial=0), whole.max(initial=0)) + 1, UNSEEN, dtype=np.intp)
        column_of[levels] = begin - int(self.dropped[j]) + np.arange(len(levels))
        if self.dropped[j]:
            column_of[levels[0]] = FIRST
        out: NDArray[np.intp] = column_of[whole]
        out[lacking] = self._begin[j + 1] - 1 if self.missing[j] else UNSEEN
        return out

    def _csr(self, X: Array, lacking: NDArray[np.bool_]) -> Any:
        """The design matrix as CSR."""
        n = len(X)
        columns, values = [np.broadcast_to(self.places, (n, len(self.places)))], [self._numbers(X, lacking)]
        for j in np.flatnonzero(self.missing & self.numeric):
            columns.append(np.full((n, 1), self._begin[j] + 1))
            values.append(lacking[:, [j]].astype(np.float64))
        for j in np.flatnonzero(~self.numeric):
            at = self._columns(X[:, j], lacking[:, j], j)[:, None]
            columns.append(np.maximum(at, 0))
            values.append((at >= 0).astype(np.float64))
        where, cells = np.concatenate(columns, axis=1), np.concatenate(values, axis=1)
        kept = cells != 0.0
        ends = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
        out = sparse.csr_matrix((cells[kept], where[kept].astype(np.int64), ends), shape=(n, self.width))
        out.sort_indices()
        return out


@dataclass(frozen=True)
class Seen:
    """What a design is made of: it adds.

    Attributes
    ----------
    moments : of the columns of numbers, of one group
    lacking, known : arrays of bool, of shape (d,)
        Whether a cell is missing, and whether one is not.
    levels : tuple, one for each column
    """

    moments: Moments | None
    lacking: NDArray[np.bool_]
    known: NDArray[np.bool_]
    levels: tuple[NDArray[np.int64] | None, ...]

    def __add__(self, other: "Seen") -> "Seen":
        moments = None if self.moments is None or other.moments is None else self.moments + other.moments
        pairs = zip(self.levels, other.levels, strict=True)
        levels = tuple(None if one is None or two is None else np.union1d(one, two) for one, two in pairs)
        return Seen(moments, self.lacking | other.lacking, self.known | other.known, levels)

    def numbers(self, categories: NDArray[np.bool_]) -> tuple[Array, Array]:
        """Means and deviations, as `_moments` gives them."""
        mean, variance = np.zeros(len(categories)), np.ones(len(categories))
        if self.moments is not None:
            mean[~categories], variance[~categories] = _mean_and_variance(self.moments)
        return mean, np.sqrt(np.where(variance > 0, variance, 1.0))


@dataclass(frozen=True)
class Observed:
    """What observes encoded rows, whatever their labels, into `Seen`."""

    categories: NDArray[np.bool_]

    keeps_rows: ClassVar[bool] = False

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Any:
        """Of a block of rows."""
        numbers = ~self.categories
        own = X if numbers.all() else np.ascontiguousarray(X[:, numbers])
        w = R.weights if isinstance(R, Labels) else R
        moments = Gaussian("diag").observe(own, w) if numbers.any() else None
        assert moments is None or isinstance(moments, Moments)
        lacking = np.isnan(X)
        levels = tuple(_levels(X[:, j]) if one else None for j, one in enumerate(self.categories))
        return Seen(moments, lacking.any(axis=0), ~lacking.all(axis=0), levels)


def _levels(codes: Array) -> NDArray[np.int64]:
    """The categories of a column, by their codes."""
    return np.unique(codes[~np.isnan(codes)]).astype(np.int64)


def _mean(rows: Any, weights: Array | None) -> Array:
    """Means of the columns of dense rows, of which no cell is missing."""

    def part(begin: int, block: Any) -> Array:
        weight, totals = sums(as_floats(block), None if weights is None else weights[begin : begin + len(block)])
        return np.stack([weight[0], totals[0]])

    whole, totals = sum(map_blocks(part, rows))
    mean: Array = totals / np.where(whole > 0, whole, 1.0)
    return mean


def _moments(rows: Any, numbers: NDArray[np.bool_], weights: Array | None, deviations: bool) -> tuple[Array, Array]:
    """Means and deviations of the known cells of columns of numbers; 0 and 1 for other columns.

    The deviation of a constant column is 1, as are those of sparse rows where they are not wanted.
    """
    mean, variance = np.zeros(len(numbers)), np.ones(len(numbers))
    if is_sparse(rows):
        X = as_csr(rows)
        X = X if X.dtype.kind == "f" else X.astype(np.float64)
        whole = float(X.shape[0] if weights is None else weights.sum())
        mean = csr_sums(X, weights)[1][0] / whole
        if not deviations:
            return mean, variance
        squares = type(X)((X.data.astype(np.float64) ** 2, X.indices, X.indptr), shape=X.shape)
        variance = csr_sums(squares, weights)[1][0] / whole - mean**2
        variance[variance < 1e-14 * mean**2] = 0.0  # a constant column, to rounding
    elif numbers.any():
        seen = accumulate(Gaussian("diag"), rows if numbers.all() else rows[:, numbers], weights)
        mean[numbers], variance[numbers] = _mean_and_variance(seen)
    return mean, np.sqrt(np.where(variance > 0, variance, 1.0))


def _mean_and_variance(seen: Moments) -> tuple[Array, Array]:
    """Of each column; zero where no cell is known."""
    weight = np.where(seen.weight[0] > 0, seen.weight[0], 1.0)
    return np.where(seen.weight[0] > 0, seen.mean[0], 0.0), seen.scatter[0] / weight
