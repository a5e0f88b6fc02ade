"""Scores of rows under densities that were fitted to the other folds."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv

from parzen.compute.arrays import Array, is_sparse
from parzen.tables.cells import column_of, frame_kind, is_numeric
from parzen.tables.kinds import Column

Fold = tuple[NDArray[np.int64], NDArray[np.int64]]


def held_out_scores(model: Any, X: Any, w: Array | None, folds: list[Fold], scores: Array) -> Array:
    """Log-density of each row under the density of the other folds, (n,); where there are no folds, its score."""
    out = np.array(scores)
    for train, test in folds:
        one = clone(model).fit(_rows(X, train), **weight_option(None if w is None else w[train]))
        out[test] = one.score_samples(_rows(X, test))
    return out


def folds_of(cv: Any, X: Any, w: Array | None, random_state: Any) -> list[Fold]:
    """Positions of the rows to fit and of the held-out rows, for each fold; none where too few rows differ.

    Parameters
    ----------
    cv : int or splitter
        Of a number of folds, equal rows are in the same one. A splitter divides the rows as they were given.
    X : the rows of positive weight
    w : weights of all rows that were given, or None
    """
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        if cv < 2:
            raise ValueError(f"cv must be 2 folds or more, a splitter, or None to hold nothing out, got {cv!r}.")
        codes = _equal_rows(X)
        count = int(codes.max()) + 1
        folds = min(int(cv), count // 2)
        if folds < 2:
            return []
        seed = random_state if isinstance(random_state, int | np.integer) else 0
        fold = (np.random.default_rng(seed).permutation(count) % folds)[codes]
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(folds)]
    n = X.shape[0]
    position = np.arange(n) if w is None else np.where(w > 0, np.cumsum(w > 0) - 1, -1)  # of each given row, among X
    splits = check_cv(cv).split(np.zeros((len(position), 1)))
    parts = [(position[train], position[test]) for train, test in splits]
    parts = [(train[train >= 0], test[test >= 0]) for train, test in parts]
    if not np.array_equal(np.sort(np.concatenate([test for _, test in parts])), np.arange(n)):
        raise ValueError(f"cv must hold out every row once, but {cv!r} doesn't; use KFold, or a number.")
    return parts


def weight_option(w: Array | None) -> dict[str, Array]:
    """The option of `fit` that weights are, where there are any."""
    return {} if w is None else {"sample_weight": w}


def _rows(X: Any, positions: NDArray[np.int64]) -> Any:
    return X.iloc[positions] if frame_kind(X) == "pandas" else X[positions]


def _equal_rows(X: Any) -> NDArray[np.int64]:
    """A number for each row, the same for equal ones."""
    if is_numeric(X):
        return np.unique(X, axis=0, return_inverse=True)[1].reshape(-1)
    if is_sparse(X):
        return np.arange(X.shape[0])
    n = X.shape[0]
    rows, firsts = np.zeros(n, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for j in range(X.shape[1]):
        if len(firsts) == n:
            break  # all rows differ already
        codes = _equal_cells(Column(column_of(X, j)))
        firsts, rows = np.unique(rows * (int(codes.max()) + 2) + codes, return_index=True, return_inverse=True)[1:]
    # In the order in which they first appear, so that folds depend on the rows and not on how they sort.
    return np.argsort(np.argsort(firsts))[rows]


def _equal_cells(column: Column) -> NDArray[np.integer]:
    """A number for each cell, the same for equal ones."""
    if column.storage == "number":
        return np.unique(column.floats, return_inverse=True)[1]
    return column.levels.codes
