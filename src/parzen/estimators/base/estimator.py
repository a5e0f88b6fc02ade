"""What estimators over a family share: they read tables, fit the family, add batches, merge shards."""

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning

from parzen.compute.arrays import ColumnError, is_sparse
from parzen.compute.checks import choose
from parzen.compute.memberships import Memberships
from parzen.densities.density import Density
from parzen.estimators.base.sources import SourceTable
from parzen.estimators.base.tensors import TensorMixin
from parzen.estimators.base.validation import check_features, check_fitted, finite, generator, rows_and_columns, table
from parzen.families.checks import same_parameters
from parzen.families.family import Additive, Family
from parzen.families.fit import Fit, fit
from parzen.statistics.accumulate import accumulate
from parzen.statistics.joint import Joint
from parzen.statistics.messages import NeedsDensity, caller_stacklevel
from parzen.statistics.sample import Sample
from parzen.statistics.statistic import Statistic
from parzen.statistics.threads import for_each
from parzen.storage.files import SaveMixin
from parzen.tables.cells import frame_kind
from parzen.tables.first_table import learn
from parzen.tables.kinds import Columns
from parzen.tables.schema import Schema
from parzen.tables.sources.errors import SourceError
from parzen.tables.sources.pieces import encoded
from parzen.tables.sources.source import Source

#: What is known of the columns once a family is bound to them.
BOUND = ("given_", "family_", "schema_", "n_features_in_", "feature_names_in_")

#: Error of what was found by EM and kept no statistic that adds.
NOT_ADDITIVE = (
    "statistics found by EM (of mixtures, of rows without labels, of too many patterns of missing values) don't add; "
    "fit on all rows together."
)


@dataclass(frozen=True, eq=False)
class FirstRows:
    """Encodes pieces of the first table as an estimator reads them.

    Attributes
    ----------
    estimator : its parameters, and what it has learnt of its columns
    """

    estimator: Any

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """What an estimator needs for it, without what a fit has left."""
        kept = object.__new__(type(estimator))
        names = {*estimator.get_params(deep=False), *BOUND}
        vars(kept).update({name: value for name, value in vars(estimator).items() if name in names})
        return cls(kept)

    def __call__(self, piece: Any) -> Any:
        """The rows of a piece."""
        return self.estimator._encoded(piece, grow=True)


class BaseFamilyEstimator(TensorMixin, SaveMixin, BaseEstimator):
    """An estimator that fits a family. A concrete one gives the family that its parameters ask for: `_family`.

    Attributes
    ----------
    density_ : Density
        The fitted densities.
    statistic_ : Statistic
        The sufficient statistic of the rows: it adds (`partial_fit`, `merge`).
    given_ : Family
        The family that was fitted, as the parameters ask for it: built once for each fit.
    family_ : Family
        The same, bound to the table's columns and categories.
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
    #: Fitted attributes that were set (`Fitted`), and that the density does not give back.
    _given_by_hand: dict[str, Any]

    #: Whether families or arrays are among the parameters: they are the user's, who may change them after a fit.
    _holds_families: ClassVar[bool] = False
    #: Parameters that are options of `parzen.fit` by the same name.
    _fit_options: ClassVar[tuple[str, ...]] = ()
    #: Whether tables of categories alone are read as codes in a small type, -1 where missing.
    _compact: ClassVar[bool] = False
    #: Whether missing values are accepted where the family takes them.
    missing: str = "allow"
    random_state: Any = None

    @abstractmethod
    def _family(self) -> Family:
        """The family that the parameters ask for."""

    # Reading tables -------------------------------------------------------------------------------------------------

    def _first_table(self, X: Any) -> Any:
        """The table that is fitted; its columns are learnt, and the family is built, once."""
        source = X if isinstance(X, SourceTable) else SourceTable(X) if isinstance(X, Source) else None
        X = check_features(self, X if source is None else source.source.head(), reset=True)
        self.given_ = clone(self._family()) if self._holds_families else self._family()
        if source is not None:
            return source
        return rows_and_columns(X, self.given_.takes_sparse, self, self.given_.takes_device)

    def _bind(self, X: Any, R: Memberships = None) -> Any:
        """Rows of the first table; its names and categories are learnt, and what else depends on its cells."""
        if isinstance(X, SourceTable):
            self._learn(X.columns(), X.sampled_memberships)
            self._check_bounded()
            return X.encoded(FirstRows.of(self))
        columns = _columns(X)
        self._learn(columns, R)
        return self._encoded(columns, grow=True)

    def _learn(self, columns: Columns, R: Any) -> None:
        """Learn names and categories of the first table, and what else depends on its cells."""
        self.family_, self.schema_ = learn(self.given_, columns, R)

    def _check_bounded(self) -> None:
        """Raise where the family's statistic is the rows themselves, which a source has too many of."""
        try:
            seen = self.family_.observe(np.empty((0, len(self.schema_.labels))))
        except (NeedsDensity, ValueError):
            return
        if isinstance(seen, Sample) or (isinstance(seen, Joint) and any(isinstance(one, Sample) for one in seen.parts)):
            raise TypeError(
                f"{self.given_!r} keeps the rows themselves, and a source may have more than memory holds; give what "
                "makes its statistic small (the edges of a histogram's bins), or a table in memory."
            )

    def _later_table(self, X: Any) -> Any:
        """A later table, of the same columns."""
        check_fitted(self, "given_")
        return table(self, X, reset=False, sparse=self.given_.takes_sparse, device=self.given_.takes_device)

    def _later(self, X: Any) -> Any:
        """Rows of a later table, read as the first one was."""
        return self._encoded(self._later_table(X), grow=False)

    def _encoded(self, X: Any, grow: bool) -> Any:
        """Rows of a table as the family reads them; with `grow`, to be fitted."""
        choose("missing", self.missing, ("allow", "error"))
        rows = encoded(self.schema_, _columns(X) if frame_kind(X) else X, grow, self._compact)
        if self.missing == "error" and not is_sparse(rows) and rows.dtype.kind == "f" and np.isnan(rows).any():
            row, column = np.argwhere(np.isnan(rows))[0]
            raise ValueError(
                f"Input X contains NaN: column {self.schema_.labels[column]!r} is missing in row {row}, and missing is "
                "'error'; fill it, leave the row out, or use missing='allow', which marginalises it."
            )
        return rows

    # Fitting --------------------------------------------------------------------------------------------------------

    def _fit_family(self, family: Family, rows: Any, R: Memberships, **options: Any) -> Fit:
        """Fit a family to rows by the parameters' options and others; infinite values and columns are named."""
        own = {name: getattr(self, name) for name in self._fit_options}
        if own.get("tol", 0.0) is None:
            raise ValueError("tol must be a number, at least 0, got None.")
        found: Fit = self._reading(rows, fit, family, rows, R, **{**own, **options})
        self._check_statistic(found.statistic, rows)
        return found

    def _seeded(self) -> dict[str, Any]:
        """The option of `fit` that the random state is, where one was given."""
        return {} if self.random_state is None else {"rng": generator(self.random_state)}

    def _warn(self, found: Fit) -> None:
        if found.outcome in ("too many steps", "collapsed"):
            warnings.warn(found.message, ConvergenceWarning, stacklevel=caller_stacklevel())

    def _keep(self, density: Density, statistic: Statistic, found: Fit) -> None:
        additive = found.additive if statistic is found.statistic else None
        self.density_, self.statistic_ = density, statistic if additive is None else additive
        self.n_iter_, self.outcome_ = found.n_iter, found.outcome
        self.iterated_ = additive is None

    def _add(self, rows: Any, R: Memberships, begun: bool) -> None:
        """Add the statistic of rows to that of the rows before, and maximise."""
        if self.family_.iterates:
            self._add_expected(rows, R, begun)
            return
        if begun and self.iterated_:
            raise ValueError(NOT_ADDITIVE)
        try:
            seen = self._reading(rows, accumulate, Additive(self.family_), rows, R)
            self._check_statistic(seen, rows)
            self.statistic_ = self.statistic_ + seen if begun else seen
        except NeedsDensity as reason:
            if not self.family_.takes_missing:
                self._reading(rows, self.family_.start, rows, R, generator(self.random_state))  # says why not
            raise ValueError(f"batches don't add to what fit finds in all rows: {reason}") from None
        self._maximise_statistic()
        self.n_iter_, self.iterated_ = getattr(self, "n_iter_", 0) + 1, False

    def _add_expected(self, rows: Any, R: Memberships, begun: bool) -> None:
        """One step of incremental EM (Neal & Hinton 1998), for families whose statistic is always an expectation."""
        rng = generator(self.random_state)
        at = self.density_ if begun else self._reading(rows, self.family_.start, rows, R, rng)
        seen = self._reading(rows, accumulate, self.family_, rows, R, at=at).statistic
        self._check_statistic(seen, rows)
        self.statistic_ = self.statistic_ + seen if begun else seen
        self.density_ = self._naming(self.family_.maximise, self.statistic_)
        self.n_iter_, self.outcome_ = getattr(self, "n_iter_", 0) + 1, "converged"
        self.iterated_ = True

    def _maximise_statistic(self) -> None:
        """The density of the statistic: in closed form, or by EM over patterns of missing cells."""
        own = {name: getattr(self, name) for name in self._fit_options}
        found: Fit = self._naming(fit, self.family_, self.statistic_, **own)
        self._warn(found)
        self.density_, self.outcome_ = found.density, found.outcome

    def _merged(self, other: Any) -> Self:
        """A new estimator with the sum of both statistics."""
        if type(other) is not type(self):
            raise TypeError(f"only a {type(self).__name__} can be merged, got {type(other).__name__}.")
        for one in (self, other):
            check_fitted(one, "density_")
            one._check_fitted_to_rows()
        if not same_parameters(self.given_, other.given_):
            raise ValueError(f"only estimators of one family merge, got {self.given_!r} and {other.given_!r}.")
        if not self.schema_.same_columns(other.schema_):
            raise ValueError(
                "the two estimators were fitted to tables of different columns or categories; give both the same, by "
                "Categorical(categories=...) where a shard may lack some."
            )
        if not same_parameters(self.family_, other.family_):
            raise ValueError(
                f"the two estimators have learnt different families from their first tables, {self.family_!r} and "
                f"{other.family_!r}; give both the same, such as the family_ (or family_.blocks) of one of them."
            )
        if self.iterated_ or other.iterated_:
            raise ValueError(NOT_ADDITIVE)
        merged = self._copy(self.density_, self.schema_)
        try:
            merged.statistic_ = self.statistic_ + other.statistic_
        except NeedsDensity as reason:
            raise ValueError(f"the two don't merge into what fit finds in all rows: {reason}") from None
        merged.family_, merged.given_ = self.family_, self.given_
        merged._maximise_statistic()
        merged.n_iter_, merged.iterated_ = 1, False
        return merged

    def _copy(self, density: Density, schema: Schema) -> Self:
        """An estimator with the same parameters and another density, over the columns of a schema."""
        other = clone(self)
        other.density_, other.schema_, other.given_ = density, schema, self.given_
        other.n_features_in_ = len(schema.alphabets)
        if schema.names is not None:
            other.feature_names_in_ = np.array(schema.names, dtype=object)
        return other

    # Checks and messages --------------------------------------------------------------------------------------------

    def _check_same_family(self) -> None:
        """Raise where the parameters have been changed since the first batch."""
        if not same_parameters(self._family(), self.given_):
            raise ValueError(f"this estimator was fitted with the family {self.given_!r}; call fit to change it.")

    def _check_fitted_to_rows(self) -> None:
        if not hasattr(self, "statistic_"):
            raise ValueError(
                "this density was not fitted to rows (it is a marginal, a conditional, or given): it has no statistic "
                "to add to."
            )

    def _check_statistic(self, statistic: Statistic, rows: Any) -> None:
        """Raise where a statistic is not finite because a value is not."""
        if not statistic.is_finite():
            finite(rows)

    def _naming(self, function: Any, *arguments: Any, **options: Any) -> Any:
        """Call a function; where it refuses a column by position, the error has the column's name."""
        try:
            return function(*arguments, **options)
        except ColumnError as error:
            raise error.renamed([repr(label) for label in self.schema_.labels]) from None

    def _reading(self, rows: Any, function: Any, *arguments: Any, **options: Any) -> Any:
        """Call a function of rows; where it refuses them, an infinite value is named first."""
        try:
            return self._naming(function, *arguments, **options)
        except (NeedsDensity, SourceError):
            raise
        except ValueError:
            finite(rows)
            raise

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            family = self.given_ if hasattr(self, "given_") else self._family()
        except (TypeError, ValueError):
            return tags  # parameters that fit will refuse
        tags.input_tags.sparse = family.takes_sparse
        tags.input_tags.allow_nan = family.takes_missing and self.missing == "allow"
        tags.input_tags.positive_only = not family.takes_negative
        return tags


def _columns(X: Any) -> Columns:
    """The columns of a table; those of text are read on all threads."""
    return Columns(X).read_text(for_each) if frame_kind(X) else Columns(X)
