"""What a fitted logistic regression can do: read rows, score classes, name its terms and its boundary."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array, is_sparse, on_host
from parzen.compute.device import is_device, routine
from parzen.compute.memberships import Labels
from parzen.densities.boundary import Boundary
from parzen.densities.linear import Linear
from parzen.estimators.base.sources import SourceTable
from parzen.estimators.base.validation import (
    check_features,
    drop_zero_weight,
    finite_rows,
    rows_and_columns,
    table,
    weights,
)
from parzen.estimators.classify.class_priors import log_of, read_class_prior
from parzen.estimators.classify.classifier import BaseClassifier
from parzen.estimators.classify.labels import ClassCodes, check_several, class_counts, read_labels, tally_labels
from parzen.estimators.classify.logistic_options import check_classes, class_weights
from parzen.families.logistic.design import Design
from parzen.families.logistic.likelihood import Scores
from parzen.families.logistic.terms import Terms
from parzen.statistics.batches import Batches
from parzen.storage.files import SaveMixin
from parzen.tables.levels import schema_with_levels
from parzen.tables.schema import Schema
from parzen.tables.sources.pieces import encoded
from parzen.tables.sources.source import Source

#: Squares of squares of cells up to this are finite: the curvature of quadratic terms.
LARGEST = 1e75


@dataclass(frozen=True)
class Training:
    """Rows to learn from: encoded, with the codes of their classes and their weights (None where all weigh one).

    They are `complete` where it is known that no cell is missing. Batches bring their codes and weights.
    """

    rows: Any
    codes: Any
    weights: Array | None
    complete: bool = False

    def weighted(self, by_class: Array | None) -> "Training":
        """The same rows, their weights times those of their classes."""
        if by_class is None:
            return self
        w = by_class[on_host(self.codes)] * (1.0 if self.weights is None else self.weights)
        return replace(self, weights=np.ascontiguousarray(w))

    def taken(self, index: Any) -> "Training":
        """Some of the rows."""
        own = None if self.weights is None else self.weights[index]
        return Training(self.rows[index], self.codes[index], own, self.complete)

    def without_zero_weight(self) -> "Training":
        """The rows that weigh something."""
        rows, w, codes = drop_zero_weight(self.rows, self.weights, self.codes)
        if w is not None and not len(w):
            raise ValueError(
                "sample_weight times class_weight is zero for every row; at least one must weigh something."
            )
        return Training(rows, codes, w, self.complete)

    def labels(self, K: int) -> Labels:
        """Memberships of the rows among K classes, some of which may have none."""
        return Labels.sound(self.codes, self.weights, K)


def is_sound(rows: Any) -> bool:
    """Whether one pass over cells that lie together tells that all are finite and known, and none is too large."""
    if is_device(rows):
        return False
    cells = rows.data if is_sparse(rows) else rows
    if cells.dtype not in (np.float32, np.float64) or not (cells.flags.c_contiguous or cells.flags.f_contiguous):
        return False
    flat = cells.ravel(order="K")
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.vdot(flat, flat) <= LARGEST**2)


def check_size(rows: Any) -> None:
    """Raise where a cell is so large that powers of it would not be finite."""
    cells = rows.data if is_sparse(rows) else rows
    if cells.size:
        largest = (
            routine("largest_cell")(rows)
            if is_device(rows)
            else max(float(np.fmax.reduce(cells, axis=None)), -float(np.fmin.reduce(cells, axis=None)))
        )
        if largest > LARGEST:
            raise ValueError(f"X holds {largest:.3g}, but numbers up to {LARGEST:g} are taken; rescale its columns.")


def _complete(rows: Any) -> Any:
    """Rows on a device, of which no cell is missing or infinite; or an error."""
    if rows.missing():
        raise ValueError("Input X contains NaN: on a device logistic regression needs complete rows; give X.cpu().")
    return finite_rows(rows)


@dataclass(frozen=True, eq=False)
class LinearRows:
    """Encodes pieces of a source: dense numbers, or an error where one is infinite or too large."""

    schema: Schema

    def __call__(self, piece: Any) -> Any:
        """The rows of a piece."""
        rows = encoded(self.schema, piece, grow=True)
        rows = rows.toarray() if is_sparse(rows) else rows
        if rows.dtype not in (np.float32, np.float64):
            rows = rows.astype(np.float64)
        if not is_sound(rows):
            check_size(finite_rows(rows, missing=True))
        return rows


class BaseLogistic(SaveMixin, BaseClassifier):
    """Weights of terms, and how a row becomes terms: what scikit-learn's own linear classifiers do with theirs.

    A model can also be made by hand, of `coef_`, `intercept_` and `classes_` alone.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (K, p) and (K,), or (1, p) and (1,) for two classes
    degree_ : int
    design_ : Design
    schema_ : Schema
    class_prior_ : array of shape (K,)
    """

    coef_: Any
    intercept_: Array
    degree_: int = 1
    schema_: Schema
    design_: Design | None = None  # of a model file from before there were designs, or of a model made by hand
    degree: int
    standardise: bool
    fit_intercept: bool
    solver: str
    class_weight: Any = None

    @property
    def _fits_there(self) -> bool:
        """Whether it is fitted to rows on a device: to those that are the design matrix as they are."""
        return False

    def _read(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Training:
        """Learn columns and classes of a table and its labels."""
        X = table(self, X, reset=True, sparse=self.degree == 1, device=self._fits_there)
        self.schema_, self.degree_ = schema_with_levels(X), self.degree
        rows = self.schema_.encode(X)
        complete = is_sound(rows)
        if is_device(rows):
            check_size(_complete(rows))
            complete = True
        elif not complete:
            rows = finite_rows(rows, missing=not is_sparse(rows))
            check_size(rows)
        self.classes_, codes, _ = read_labels(y, rows.shape[0])
        check_classes(self.solver, check_several(self.classes_))
        if codes.min() < 0:
            raise ValueError("Input y contains NaN: logistic regression learns nothing from rows without a label.")
        return Training(rows, codes, weights(sample_weight, rows), complete)

    def _read_source(self, source: Source) -> Training:
        """Learn columns and classes of a source: the classes by a pass over the target alone."""
        if source.target is None:
            raise ValueError(f"{type(self).__name__} requires a target: fit(source, target='the column to predict').")
        check_features(self, source.head(), reset=True)
        self.classes_, tally = tally_labels(source)
        assert tally.counts is not None
        assert tally.members is not None
        check_classes(self.solver, check_several(self.classes_))
        if tally.members.sum() < tally.rows:
            raise ValueError("Input y contains NaN: logistic regression learns nothing from rows without a label.")
        by_class = class_weights(
            self.class_weight, self.classes_, np.arange(len(self.classes_), dtype=np.int32), tally.counts
        )
        table = SourceTable(source, tally, ClassCodes(self.classes_))
        self.schema_, self.degree_ = schema_with_levels(table.columns()), self.degree
        rows = table.encoded(LinearRows(self.schema_))
        return Training(rows if by_class is None else rows.reweighted(by_class), None, None)

    def _shares(self, seen: Training) -> Array:
        batches = isinstance(seen.rows, Batches)
        counts = seen.rows.counts if batches else class_counts(seen.codes, seen.weights, len(self.classes_))
        return counts / counts.sum()

    def _designed(self, seen: Training, penalised: bool) -> Design:
        categories = [alphabet is not None for alphabet in self.schema_.alphabets]
        design = Design.of(
            seen.rows,
            categories,
            seen.weights,
            standardise=self.standardise,
            penalised=penalised,
            intercept=self.fit_intercept,
            complete=seen.complete,
        )
        if not design.width:
            raise ValueError("X has nothing to learn from: no column has two different values.")
        return design

    def _encoded(self, X: Any, missing: bool = True) -> Any:
        """Rows as a matrix of finite numbers and codes of categories; NaN where a cell is missing, if that may be."""
        rows = self.schema_.encode(X)
        if is_device(rows):
            return _complete(rows)
        return finite_rows(rows, missing=missing and not is_sparse(rows))

    def _later(self, X: Any) -> Any:
        if not hasattr(self, "schema_"):
            return finite_rows(rows_and_columns(X, sparse=True, estimator=self))
        # A model of an old file does not know the means that missing cells are replaced by.
        plain = self.degree_ == 1 and self.design_ is not None and self.design_.plain
        X = table(self, X, reset=False, sparse=self.degree_ == 1, device=plain)
        return self._encoded(X, self.design_ is not None)

    def _terms(self, rows: Any, design: Design | None = None, complete: bool = False) -> Terms:
        design = self.design_ if design is None else design
        known = (
            complete or is_sparse(rows) or is_device(rows) or isinstance(rows, Batches)
        )  # a plain design is of complete batches
        if design is not None and design.plain and (known or not np.isnan(rows.min())):
            design = None
        return Terms(self.degree_, design=design)

    @property
    def terms_(self) -> list[str]:
        """What the terms are called that the weights belong to."""
        check_is_fitted(self, "coef_")
        columns = [str(label) if isinstance(label, str) else f"x{label}" for label in self.schema_.labels]
        if self.design_ is not None:
            columns = self.design_.names(columns, self.schema_.alphabets)
        return Terms(self.degree_, design=self.design_).names(columns)

    def _dense_coef(self) -> Array:
        coef = self.coef_.toarray() if is_sparse(self.coef_) else self.coef_
        return np.asarray(coef, dtype=np.float64)

    def _linear(self) -> Linear:
        coef, intercept = self._dense_coef(), np.asarray(self.intercept_, dtype=np.float64).reshape(-1)
        if len(coef) > 1:
            return Linear(coef, np.array(np.broadcast_to(intercept, len(coef))))
        return Linear(np.concatenate([np.zeros_like(coef), coef]), np.append(0.0, intercept))

    def _scores(self) -> Scores:
        linear = self._linear()
        columns = self.n_features_in_ if hasattr(self, "n_features_in_") else linear.shape[1]
        return Scores(Terms(self.degree_, design=self.design_), linear, columns)

    def _log_prior(self) -> Array:
        return np.zeros(len(self.classes_))

    def _replaced(self, log_prior: Array) -> Array:
        # A class that no row had weight in stays as improbable as it is.
        return log_prior - log_of(np.where(self.class_prior_ > 0, self.class_prior_, 1.0))

    def _reading(self, rows: Any, function: Any, *arguments: Any) -> Any:
        values, odd = function(*arguments)
        return (self._as_scores(values, rows) if values.dtype.kind == "f" else values), odd

    def _as_scores(self, values: Array, rows: Any) -> Array:
        """Scores or probabilities in the precision of rows and weights: as those of scikit-learn's product of both."""
        single = rows.dtype == np.float32 and self.coef_.dtype == np.float32
        return values.astype(np.float32) if single else values

    def decision_function(self, X: Any, class_prior: Any = None) -> Array:
        """Affine scores of the classes, (n, K); for two classes the log-odds of the second, (n,)."""
        check_is_fitted(self, "coef_")
        rows = self._later(X)
        linear = self._linear()
        if class_prior is not None:
            given = self._replaced(log_of(read_class_prior(class_prior, self.classes_)))
            linear = Linear(linear.coef, linear.intercept + given)
        if len(self.classes_) > 2:
            return self._as_scores(linear.log_density(self._terms(rows).expand(rows)), rows)
        odds = Linear(np.diff(linear.coef, axis=0), np.diff(linear.intercept))
        return self._as_scores(odds.log_density(self._terms(rows).expand(rows))[:, 0], rows)

    def sparsify(self) -> Any:
        """Keep `coef_` as a CSR matrix, which is smaller where l1 has made most weights zero; gives self."""
        check_is_fitted(self, "coef_")
        self.coef_ = sparse.csr_matrix(self.coef_)
        return self

    def densify(self) -> Any:
        """Keep `coef_` as an array again; gives self."""
        check_is_fitted(self, "coef_")
        if is_sparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self

    def decision_boundary(self, first: Any = None, second: Any = None) -> Boundary:
        """Where two classes are equally likely: x'Ax + b'x + c, above zero where `second` is likelier.

        For columns of numbers, and rows without a missing cell.
        """
        check_is_fitted(self, "coef_")
        a, b = self._pair(first, second)
        linear, d, design = self._linear(), self.n_features_in_, self.design_
        if design is not None and not design.numeric.all():
            column = self.schema_.labels[int(np.argmin(design.numeric))]
            raise ValueError(f"a boundary is a polynomial of numbers, and {column!r} holds categories; leave it out.")
        weights, c = linear.coef[b] - linear.coef[a], linear.intercept[b] - linear.intercept[a]
        terms = Terms(self.degree_, design=design)
        p = terms.columns(d)
        numbers, centre, scale = np.arange(d), np.zeros(d), np.ones(d)
        if design is not None:
            numbers, centre, scale = design.places, design.centre, design.scale
        A = None
        if self.degree_ == 2:
            A = np.zeros((p, p))
            A[terms.pairs(p)] = weights[p:]
            A = ((A + A.T) / 2)[np.ix_(numbers, numbers)] / np.outer(scale, scale)
        names = None if self.schema_.names is None else tuple(self.schema_.names)
        return Boundary(A, weights[numbers] / scale, float(c), centre, names)

    @property
    def n_parameters_(self) -> int:
        """Free coefficients and intercepts: of K classes, those of K - 1, since only differences matter."""
        check_is_fitted(self, "coef_")
        return max(len(self.classes_) - 1, 1) * (self.coef_.shape[1] + bool(self.fit_intercept))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.degree == 1
        tags.input_tags.allow_nan = True
        tags.classifier_tags.multi_class = self.solver != "liblinear"
        return tags
