"""Bandwidths of the columns of a table: given by the user, by a rule, or by a search."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from parzen.compute.arrays import Array
from parzen.estimators.regress.columns import Inputs
from parzen.smoothing import bandwidth as bandwidths
from parzen.smoothing.bandwidth.regression import FEW, search
from parzen.smoothing.bandwidth.regression_columns import RegressionColumns
from parzen.smoothing.categories import Category
from parzen.smoothing.kernel_functions import KERNEL_FUNCTIONS, KernelFunction
from parzen.smoothing.row_weights import effective_rows

GAUSSIAN = KERNEL_FUNCTIONS["gaussian"]
Rows = TypeVar("Rows")


def searched_bandwidths(rows: Rows, columns: RegressionColumns, criterion: Callable[[Rows, Array], float]) -> Array:
    """The bandwidths that minimise a criterion of rows; among many rows, the search starts with some of them."""
    whole: Any = rows
    n = len(whole.X)
    if n <= 4 * FEW:
        return search(columns, whole.effective, lambda h: criterion(rows, h))
    some = np.sort(np.random.default_rng(0).choice(n, FEW, replace=False))
    parts = {one.name: getattr(rows, one.name) for one in fields(whole)}
    few: Any = replace(whole, **{name: part[some] for name, part in parts.items() if isinstance(part, np.ndarray)})
    return search(columns, whole.effective, lambda h: criterion(rows, h), lambda h: criterion(few, h), few.effective)


def given_bandwidths(
    inputs: Inputs,
    given: Any,
    criteria: tuple[str, ...],
    X: Array,
    w: Array | None = None,
    kernel: KernelFunction = GAUSSIAN,
) -> Array:
    """Bandwidths of numbers, then of categories, that are given or follow from a rule.

    Parameters
    ----------
    given : a rule of `parzen.bandwidth`, a number, one for each column, or a dict from columns to numbers
    criteria : other names that are possible, for the error message
    X : array of shape (n, d)
        Columns of numbers.
    """
    if given is None or (isinstance(given, str) and given not in bandwidths.RULES):
        names = ", ".join(map(repr, (*criteria, *bandwidths.RULES)))
        raise ValueError(f"bandwidth must be a number, an array, a dict, or one of {names}, got {given!r}.")
    numbers = {} if isinstance(given, str) else _by_position(inputs, given)
    out = np.empty(len(inputs.letters))
    if len(numbers) < len(out):
        columns = RegressionColumns.of(X, inputs.categories, w, kernel.canonical(max(1, X.shape[1])))
        out[inputs.order] = columns.thumb(effective_rows(w, len(X)))
        free = np.flatnonzero(columns.free[: inputs.numeric])
        if isinstance(given, str) and len(free):
            factor = bandwidths.choose(given, X[:, free], w, "diag" if len(free) > 1 else None)
            out[inputs.order[free]] = np.diagonal(factor) * columns.widen
    for position, number in numbers.items():
        out[position] = _checked(inputs, position, number)
    return out[inputs.order]


def _by_position(inputs: Inputs, given: Any) -> dict[int, Any]:
    """Bandwidths that are given, by the position of their column."""
    d = len(inputs.letters)
    if hasattr(given, "keys"):
        return {inputs.schema.positions(column)[0]: given[column] for column in given.keys()}  # noqa: SIM118
    if np.ndim(given) == 0:
        number = given.item() if isinstance(given, np.ndarray) else given
        return {j: number for j in range(d) if inputs.letters[j] == "c" or not inputs.numeric}
    if np.ndim(given) != 1 or len(given) != d:
        raise ValueError(
            f"bandwidth must be a number, {d} numbers (one for each column), a dict, or the name of a rule, got "
            f"{given!r}."
        )
    return dict(enumerate(given))


def _checked(inputs: Inputs, position: int, number: Any) -> float:
    name = inputs.schema.labels[position]
    if isinstance(number, bool) or not isinstance(number, int | float | np.number) or not np.isfinite(number):
        raise ValueError(f"bandwidth must be finite numbers, got {number!r} for column {name!r}.")
    if inputs.letters[position] == "c":
        if not number > 0:
            raise ValueError(f"bandwidth must be above 0, got {number!r} for column {name!r}.")
        return float(number)
    kind = Category(inputs.kinds.sizes[position], inputs.letters[position] == "o")
    if not 0 <= number <= kind.most * (1 + 1e-12):
        raise ValueError(
            f"bandwidth of the {kind.size} categories of column {name!r} must be from 0 (other categories have no "
            f"weight) to {kind.most:.6g} (all have equal weight), got {number!r}."
        )
    return min(float(number), kind.most)
