"""The contracts: a family observes rows into a statistic and maximises a statistic into densities.

Always K densities over one space, on a leading axis: a classifier has one for each class, a mixture one for each
component, a plain density has K = 1.
"""

import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from parzen.accumulate import EVALUATED, accumulate
from parzen.kernels.arrays import Array, ColumnError
from parzen.kernels.memberships import Memberships
from parzen.statistic import Statistic


class Collapse(ColumnError):
    """A statistic that no density of the family fits: no rows, or too few distinct ones. It says what to do."""


class NeedsDensity(ValueError):
    """A statistic that is an expectation under a current density was asked for without one: the family must iterate."""


class FloorWarning(UserWarning):
    """A variance was zero or nearly so, and was raised to the family's floor: usable, but worth a look."""


_quiet: ContextVar[bool] = ContextVar("parzen_quiet", default=False)


@contextmanager
def quietly() -> Iterator[None]:
    """Say nothing of floors for a while, in this thread: an iteration speaks when it has ended."""
    token = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(token)


_called: ContextVar[tuple[str, Sequence[Any] | None]] = ContextVar("parzen_called", default=("groups", None))


@contextmanager
def calling(what: str, names: Sequence[Any] | None = None) -> Iterator[None]:
    """Call groups what they are ("classes", "components") and by their names in messages, in this thread."""
    token = _called.set((what, names))
    try:
        yield
    finally:
        _called.reset(token)


def groups_called(groups: Iterable[int]) -> str:
    """Groups as a message names them: by their numbers, or by their names."""
    what, names = _called.get()
    numbers = [int(group) for group in groups]
    return f"{what} {numbers if names is None else [names[k] for k in numbers]}"


def say(message: str) -> None:
    """Warn that an estimate is usable but worth a look."""
    if not _quiet.get():
        warnings.warn(message, FloorWarning, stacklevel=outside())


def outside() -> int:
    """How many frames up the code lies that called the library: where a warning points."""
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("parzen", "sklearn"):
        frame, depth = frame.f_back, depth + 1
    return depth


class Density(ABC):
    """K densities over the same d columns."""

    #: Most rows that are evaluated at once: as many as stay in cache.
    rows_at_once: ClassVar[int] = EVALUATED

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """K and d."""

    @abstractmethod
    def log_density(self, X: Any) -> Array:
        """Log-density of each row under each density, (n, d) -> (n, K); a missing cell (NaN) is integrated out.

        Where that has no meaning (rows of multinomial counts, whose total would be unknown) it is an error.
        """

    @property
    def columns_stand_alone(self) -> bool:
        """Whether the columns are independent, so that each has a density of its own (`marginal`)."""
        return False

    def write(self, X: Any, out: Array) -> None:
        """Write `log_density` of a block of rows where it belongs, into a C-contiguous (n, K) array."""
        out[...] = self.log_density(X)

    def compare(self, X: Any, out: Array) -> None:
        """The same up to a term of the row alone, which cancels in a posterior: cheaper where that term is dear."""
        self.write(X, out)

    def bound(self, X: Any, at: "Density") -> Array:
        """Lower bound of `log_density` that EM climbs, taken at another density; equal where nothing is hidden."""
        return self.log_density(X)

    @property
    def keeps_rows(self) -> bool:
        """Whether `held_out` leaves out rows that the density was learnt from, in every column."""
        return False

    def held_out(self, X: Any) -> Array:
        """The same, but a row that is among those which the density keeps is asked of all the others, (n, K)."""
        return self.log_density(X)

    def cdf(self, X: Any) -> Array:
        """Probability of values up to those given, of one column, (n, K)."""
        raise TypeError(f"the distribution function of a {type(self).__name__} is not offered.")

    def expectation(self) -> Array:
        """Means of the columns, (K, d)."""
        raise TypeError(f"the mean of a {type(self).__name__} is not offered.")

    @abstractmethod
    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        """One row from density ``labels[i]`` for each i, (n,) -> (n, d)."""

    @abstractmethod
    def marginal(self, columns: Sequence[int]) -> "Density":
        """Densities of some of the columns, in the order given."""

    @abstractmethod
    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "Density":
        """Densities of the other columns, given the values of these."""


class Table(Protocol):
    """What a family may ask of the table before the first row: see `Family.bind`."""

    def positions(self, columns: Any) -> list[int]:
        """Positions of columns that are given by name or by position."""

    def names(self) -> list[Any]:
        """Names of the columns, or positions where they have none."""

    def select(self, positions: list[int]) -> "Table":
        """The table of some of the columns."""

    def kind(self, position: int) -> str:
        """What a column holds: "number", "count", "bit", "symbol" or "nothing"."""

    def alphabets(self, given: Any, closed: bool) -> tuple[NDArray[Any], ...]:
        """Categories of every column, learnt from it unless given; from now on its cells arrive as codes.

        With `closed` set, a later category that is none of them is an error.
        """


class Family(BaseEstimator, ABC):
    """Hyperparameters and how to use them. Never changed by fitting; `get_params`, `set_params` and `clone` work.

    Attributes
    ----------
    keeps_rows : bool
        Whether its statistic is the rows themselves, or rows must be seen all at once.
    in_order : bool
        Whether the order of the rows matters.
    takes_sparse : bool
        Whether `observe` and its densities read CSR matrices.
    takes_missing : bool
        Whether a cell may be NaN.
    takes_negative : bool
        Whether a cell may be below zero.
    """

    keeps_rows: ClassVar[bool] = False
    in_order: ClassVar[bool] = False
    takes_sparse: ClassVar[bool] = False
    takes_missing: bool = True
    takes_negative: ClassVar[bool] = True

    @abstractmethod
    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Statistic:
        """Statistic of a block of rows.

        Parameters
        ----------
        X : array of shape (n, d)
        R : memberships of the rows in K groups (see `parzen.Labels`); None: all rows in one
        at : the current density, for families whose statistic is an expectation under it; without one they raise
            `NeedsDensity`, and with one they give an `Expected` statistic
        """

    @abstractmethod
    def maximise(self, statistic: Any) -> Density:
        """The K densities that fit the statistic best, in the sense of the family's estimate."""

    def start(self, X: Any, R: Memberships, rng: np.random.Generator) -> Density:
        """Density to iterate from; where one look at the rows is enough, the one that it gives."""
        return self.maximise(accumulate(self, X, R))

    def log_belief(self, density: Any, statistic: Any) -> float:
        """Log of the prior at a density, up to a constant: what iterations by MAP climb beside the likelihood."""
        return 0.0

    def n_parameters(self, density: Any) -> int:
        """How many parameters were free when a density of this family was found: what BIC and AIC charge for."""
        raise TypeError(f"{self!r} has no number of parameters, and so no BIC; compare by the score of new rows.")

    def bind(self, table: Table) -> Self:
        """The same family, told what it must know before the first row: positions of names, alphabets of columns."""
        return self


def choose(name: str, value: Any, options: Sequence[Any]) -> None:
    """Raise unless value is one of the options."""
    if not (isinstance(value, str | bool | np.bool_) and value in options):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {value!r}.")


ESTIMATES = ("ml", "map", "bayes")


def filled(totals: Array, weight: Array) -> tuple[Array, Array]:
    """Totals and weights in which groups (or cells) without weight have those of all rows together."""
    empty = weight == 0
    whole, heavy = (part.sum(axis=0, keepdims=True) for part in (totals, weight))
    return np.where(empty, whole, totals), np.where(empty, heavy, weight)


def total_or_collapse(weight: Array, what: str) -> None:
    """Raise where a column has no weight in any group together."""
    empty = np.flatnonzero(~(weight.sum(axis=0) > 0))
    if len(empty):
        raise Collapse(
            f"{what} can't be fitted: column {{column}} has no value with any weight; leave such columns out, or give "
            "rows with weight above 0.",
            int(empty[0]),
        )


def check_prior(prior: Any, kind: type, family: str, shape: tuple[int, ...]) -> None:
    """Raise unless a family's prior is None or of its kind, with parameters that broadcast to a shape."""
    if prior is None:
        return
    if not isinstance(prior, kind):
        raise TypeError(f"prior of {family} must be {kind.__name__}, such as {kind.__name__}(...), got {prior!r}.")
    for name, value in vars(prior).items():
        pairs = zip(value.shape[::-1], shape[::-1], strict=False)
        if value.ndim > len(shape) or any(a not in (1, b) for a, b in pairs):
            raise ValueError(
                f"{name} of the prior has shape {value.shape}, but there are {shape[-1]} columns in {shape[0]} groups; "
                "give one number, or one for each column."
            )


def same_parameters(a: Any, b: Any) -> bool:
    """Whether two families (or priors, or other parameters) say the same."""
    if isinstance(a, Family):
        return type(a) is type(b) and same_parameters(a.get_params(deep=False), b.get_params(deep=False))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same_parameters(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return isinstance(b, list | tuple) and len(a) == len(b) and all(map(same_parameters, a, b))
    if hasattr(a, "__dataclass_fields__"):
        return type(a) is type(b) and same_parameters(vars(a), vars(b))
    return bool(np.array_equal(np.asarray(a, dtype=object), np.asarray(b, dtype=object)))


def chosen(d: int, columns: Sequence[int]) -> list[int]:
    """Positions of columns, from 0 on; an error where one is not there, or there twice."""
    given = [int(column) % d if -d <= column < d else d for column in columns]
    if d in given or len(set(given)) < len(given):
        raise ValueError(f"columns must be different positions among {d} columns, got {list(columns)}.")
    return given


def others(d: int, columns: Sequence[int], values: Any = None) -> list[int]:
    """Positions that are not among the columns, of which as many values are given."""
    given = chosen(d, columns)
    if values is not None and len(values) != len(given):
        raise ValueError(f"values must be {len(given)}, one for each given column, got {len(values)}.")
    return [j for j in range(d) if j not in given]
