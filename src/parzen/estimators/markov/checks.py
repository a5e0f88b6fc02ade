"""Checks of the parameters of hidden Markov models."""

from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.tables.sources.source import Source


def refuse_source(model: Any, X: Any) -> None:
    """Raise where rows are a source and the model reads a table."""
    if isinstance(X, Source):
        raise TypeError(
            f"{type(model).__name__} takes no source, as hmmlearn's classes take arrays; for one use "
            "HiddenMarkov(...).fit(source, sequence='name')."
        )


def whole_number(name: str, value: Any, least: int) -> int:
    """A whole number that is large enough, or an error that names it."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name} must be a whole number, at least {least}, got {value!r}.")
    return int(value)


def broadcast(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """A parameter as an array of a shape, or an error that names it."""
    try:
        return np.broadcast_to(np.asarray(value, dtype=np.float64), shape)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, or an array of shape {shape}, got {value!r}.") from None


def not_negative(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """A parameter as an array of a shape, finite and not negative, or an error that names it."""
    found = broadcast(name, value, shape)
    if not (found >= 0).all() or not np.isfinite(found).all():
        raise ValueError(f"{name} must be finite and not negative, got {value!r}.")
    return found


def check_hmmlearn(model: Any, letters: Iterable[str]) -> None:
    """Raise where a parameter that all of hmmlearn's models have is wrong.

    Parameters
    ----------
    letters : the letters that `params` and `init_params` may hold
    """
    whole_number("n_components", model.n_components, 1)
    whole_number("n_iter", model.n_iter, 0)
    choose("algorithm", model.algorithm, ("viterbi", "map"))
    known = "".join(sorted(letters))
    for name in ("params", "init_params"):
        given = getattr(model, name)
        if not isinstance(given, str) or set(given) - set(known):
            raise ValueError(f"{name} must be a string of the letters {known!r}, got {given!r}.")
    if isinstance(model.tol, bool) or not isinstance(model.tol, Real) or np.isnan(float(model.tol)):
        raise ValueError(f"tol must be a number, got {model.tol!r}.")


def known_states(labels: Any, n: int, K: int) -> NDArray[np.int64] | None:
    """States of n rows where they are known, -1 where they are not; None without labels; or an error."""
    if labels is None:
        return None
    states = np.asarray(labels)
    expected = f"labels must be {n} states from 0 to {K - 1}, with -1 or NaN where a state is not known"
    if states.shape != (n,):
        raise ValueError(f"{expected}, got the shape {states.shape}.")
    try:
        numbers = states.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{expected}, got {states.tolist()[0]!r}.") from None
    numbers = np.where(np.isnan(numbers), -1.0, numbers)
    wrong = (numbers != np.floor(numbers)) | (numbers < -1) | (numbers >= K)
    if wrong.any():
        raise ValueError(f"{expected}, got {states[wrong].tolist()[0]!r}.")
    return numbers.astype(np.int64)


def refuse_lengths_as_y(y: Any, n: int) -> None:
    """Raise where y is not one for each of n rows: hmmlearn's second argument is `lengths`, but ours is y, ignored."""
    if y is not None and np.shape(y) != (n,):
        raise ValueError(
            f"y is ignored and must be None or {n} values, got the shape {np.shape(y)}; give the lengths of sequences "
            "by name: lengths=."
        )


def row_weights(sample_weight: Any, lengths: NDArray[np.int64]) -> Array | None:
    """Weights of sequences, repeated for each of their rows; None where all weigh one; or an error."""
    if sample_weight is None:
        return None
    w = np.asarray(sample_weight, dtype=np.float64)
    if w.shape != lengths.shape or not (np.isfinite(w).all() and (w > 0).all()):
        raise ValueError(f"sample_weight must be {len(lengths)} numbers above 0, one for each sequence.")
    return np.repeat(w, lengths)
