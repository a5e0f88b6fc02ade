"""What every estimator over a family does: it reads tables, fits a density, adds batches and merges shards."""

import warnings
from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import ColumnError
from parzen.compute.memberships import Memberships
from parzen.densities.density import Density
from parzen.estimators.base.validation import finite, table
from parzen.families.checks import same_parameters
from parzen.families.family import Family
from parzen.families.fit import Fit, fit
from parzen.statistics.accumulate import accumulate
from parzen.statistics.messages import NeedsDensity, caller_stacklevel
from parzen.statistics.statistic import Statistic
from parzen.storage.files import SaveMixin
from parzen.tables.schema import Schema, learn


class BaseFamilyEstimator(SaveMixin, BaseEstimator):
    """An estimator whose knowledge is a statistic, from which its density follows.

    Attributes
    ----------
    density_ : Density
        The fitted densities.
    statistic_ : Statistic
        What is remembered of the rows: it adds (`partial_fit`, `merge`).
    given_ : Family
        The family that was fitted, as it was given.
    family_ : Family
        The same, bound to the table's columns and alphabets.
    schema_ : Schema
        How tables are read: names, and categories of columns.
    n_iter_ : int
    outcome_ : "converged", "too many steps", "collapsed" or "stopped"
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names
    """

    density_: Density
    statistic_: Statistic
    given_: Family
    family_: Family
    schema_: Schema
    n_iter_: int
    outcome_: str
    iterated_: bool

    #: Whether families are among the parameters: they are the user's, who may change them after a fit.
    _holds_families = False
    #: Parameters that are options of `parzen.fit` by the same name.
    _steps: tuple[str, ...] = ()
    random_state: Any = None

    @abstractmethod
    def _family(self) -> Family:
        """The family that the parameters ask for."""

    def _bind(self, X: Any) -> Any:
        """Rows of the first table: its columns, names and categories are learnt."""
        self.given_ = clone(self._family()) if self._holds_families else self._family()
        self.family_, self.schema_ = learn(self.given_, X)
        return self._encoded(X, grow=True)

    def _takes_sparse(self) -> bool:
        return self._family().takes_sparse

    def _later(self, X: Any, grow: bool = False) -> Any:
        """Rows of a later table, read as the first one was; with `grow`, to be learnt from."""
        check_is_fitted(self, "given_")
        X = table(self, X, reset=False, sparse=self.given_.takes_sparse)
        return self._encoded(X, grow=grow)

    def _encoded(self, X: Any, grow: bool) -> Any:
        rows = self.schema_.encode(X, grow=grow)
        return rows if rows is X else finite(rows)

    def _learn(self, family: Family, rows: Any, R: Memberships) -> Fit:
        """Fit a family to rows; the result is not kept yet."""
        rng = None if self.random_state is None else generator(self.random_state)
        options = {name: getattr(self, name) for name in self._steps}
        found: Fit = self._reading(rows, fit, family, rows, R, rng=rng, **options)
        self._check_statistic(found.statistic, rows)
        self._warn(found)
        return found

    def _warn(self, found: Fit) -> None:
        if found.outcome in ("too many steps", "collapsed"):
            warnings.warn(found.message, ConvergenceWarning, stacklevel=caller_stacklevel())

    def _keep(self, density: Density, statistic: Statistic, found: Fit) -> None:
        self.density_, self.statistic_ = density, statistic
        self.n_iter_, self.outcome_ = found.n_iter, found.outcome
        self.iterated_ = bool(found.log_likelihoods)

    def _learn_more(self, rows: Any, R: Memberships, begun: bool) -> None:
        """Add the statistic of rows to what is known, and maximise."""
        try:
            seen = self._reading(rows, accumulate, self.family_, rows, R)
        except NeedsDensity:
            rng = generator(self.random_state)
            at = self.density_ if begun else self._reading(rows, self.family_.start, rows, R, rng)
            seen = accumulate(self.family_, rows, R, at=at).statistic
            self.iterated_ = True
        self._check_statistic(seen, rows)
        self.statistic_ = self.statistic_ + seen if begun else seen
        self.density_ = self._naming(self.family_.maximise, self.statistic_)
        self.n_iter_, self.outcome_ = getattr(self, "n_iter_", 0) + 1, "converged"
        self.iterated_ = getattr(self, "iterated_", False)

    def _check_same_family(self) -> None:
        """Raise where the parameters have been changed since the first batch."""
        if not same_parameters(self._family(), self.given_):
            raise ValueError(f"this estimator was fitted with the family {self.given_!r}; call fit to change it.")

    def _merged(self, other: Any) -> Self:
        """A new estimator with the sum of both statistics."""
        if type(other) is not type(self):
            raise TypeError(f"only a {type(self).__name__} can be merged, got {type(other).__name__}.")
        for one in (self, other):
            check_is_fitted(one, "density_")
            one._check_learnt()
        if not same_parameters(self.given_, other.given_):
            raise ValueError(f"only estimators of one family merge, got {self.given_!r} and {other.given_!r}.")
        if not self.schema_.same_columns(other.schema_):
            raise ValueError(
                "the two estimators have met tables of different columns or categories; give both the same, by "
                "Categorical(categories=...) where a shard may lack some."
            )
        if self.iterated_ or other.iterated_:
            raise ValueError(
                "statistics found by iteration (missing cells or labels) don't add; fit on all rows together."
            )
        total = self.statistic_ + other.statistic_
        merged = self._copy(self._naming(self.family_.maximise, total), self.schema_)
        merged.statistic_, merged.iterated_ = total, False
        merged.family_, merged.given_ = self.family_, self.given_
        merged.n_iter_, merged.outcome_ = 1, "converged"
        return merged

    def _check_learnt(self) -> None:
        if not hasattr(self, "statistic_"):
            raise ValueError(
                "this density was not learnt from rows (it is a marginal, a conditional, or given): it has no "
                "statistic to add to."
            )

    def _copy(self, density: Density, schema: Schema) -> Self:
        """An estimator with the same parameters and another density, over the columns of a schema."""
        other = clone(self)
        other.density_, other.schema_, other.given_ = density, schema, self.given_
        other.n_features_in_ = len(schema.alphabets)
        if schema.names is not None:
            other.feature_names_in_ = np.array(schema.names, dtype=object)
        return other

    def _naming(self, function: Any, *arguments: Any, **options: Any) -> Any:
        """Call a function; where it refuses a column by position, the error says the column's name."""
        try:
            return function(*arguments, **options)
        except ColumnError as error:
            raise error.renamed([repr(label) for label in self.schema_.labels]) from None

    def _reading(self, rows: Any, function: Any, *arguments: Any, **options: Any) -> Any:
        """Call a function of rows; where it refuses them, an infinite cell is named first."""
        try:
            return self._naming(function, *arguments, **options)
        except NeedsDensity:
            raise
        except ValueError:
            finite(rows)
            raise

    def _check_statistic(self, statistic: Statistic, rows: Any) -> None:
        """Raise where a statistic is not finite because a cell is not."""
        if not statistic.is_finite():
            finite(rows)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            family = self._family()
        except (TypeError, ValueError):
            return tags  # parameters that fit will refuse
        tags.input_tags.sparse, tags.input_tags.allow_nan = family.takes_sparse, family.takes_missing
        tags.input_tags.positive_only = not family.takes_negative
        return tags


def generator(random_state: Any) -> np.random.Generator:
    """NumPy's new generator, seeded by scikit-learn's kind of random state."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if random_state is None or isinstance(random_state, int | np.integer):
        return np.random.default_rng(random_state)
    return np.random.default_rng(check_random_state(random_state).randint(2**31))


def row_count(n_samples: Any) -> int:
    """Number of rows to draw, or an error."""
    if not isinstance(n_samples, int | np.integer) or isinstance(n_samples, bool) or n_samples < 1:
        raise ValueError(f"n_samples must be at least 1, a whole number, got {n_samples!r}.")
    return int(n_samples)
