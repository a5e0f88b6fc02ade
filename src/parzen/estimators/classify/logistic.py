"""Logistic regression: the discriminative counterpart, to compare with."""

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array, is_sparse
from parzen.compute.checks import choose
from parzen.compute.memberships import Labels
from parzen.densities.boundary import Boundary
from parzen.densities.linear import Linear
from parzen.estimators.base.validation import drop_zero_weight, finite_rows, table, transactional, weights
from parzen.estimators.classify.class_priors import log_of, read_class_prior
from parzen.estimators.classify.classifier import BaseClassifier
from parzen.estimators.classify.labels import check_several, check_weights, class_counts, read_labels
from parzen.families.logistic.design import Design
from parzen.families.logistic.likelihood import Scores
from parzen.families.logistic.optimum import maximise_likelihood
from parzen.families.logistic.penalty import Penalty
from parzen.families.logistic.separation import separation
from parzen.families.logistic.terms import Terms
from parzen.statistics.messages import plain
from parzen.storage.files import SaveMixin
from parzen.tables.levels import schema_with_levels
from parzen.tables.schema import Schema

SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")


class LogisticRegression(SaveMixin, BaseClassifier):
    """Logistic regression, with linear or quadratic terms: a drop-in for scikit-learn's, with the l2 penalty or none.

    Missing cells and categories need no preparation. A missing number is replaced by the column's mean and, where one
    was missing in training, has a weight of its own (an indicator). A category, that is text or a cell of a category
    type, has a weight for each level, missing cells among them where there were any. A category that was not seen, or
    a cell of categories that is missing for the first time, has weight zero; without a penalty, where the first level
    has none, the mean of the levels' weights. Booleans are numbers; dates are an error.

    Parameters
    ----------
    penalty : "l2" or None
        None is the same as ``C=inf``.
    C : float
        Weight of the likelihood against half the sum of the squares of the weights.
    degree : 1 or 2
        2 models all squares and products of columns as well: what a quadratic discriminant analysis can say.
    standardise : bool
        Whether numbers are centred and divided by their standard deviations first, so that the penalty does not depend
        on their units: as after scikit-learn's ``StandardScaler``. Columns of a sparse matrix are only divided.
    tol : float
        Stop when no derivative of the mean objective, by the weight of a term of unit variance, is above this.
    fit_intercept : bool
    class_weight : dict, "balanced" or None
        Weights of the classes, which multiply those of the rows.
    max_iter : int
    verbose : int
        Above 0, print the objective after each step.
    warm_start : bool
        Begin where the last fit ended.
    solver, l1_ratio, dual, intercept_scaling, random_state, n_jobs
        As of scikit-learn, for those who give them: one computation serves all solvers, and l1 is not offered.

    Attributes
    ----------
    classes_ : array of shape (K,)
    coef_, intercept_ : arrays of shape (K, p) and (K,), or (1, p) and (1,) for two classes
        Weights of the terms: the columns and, for degree 2, ``x_1 x_1, x_1 x_2, ... x_d x_d`` (see `terms_`).
    terms_ : list of str
        Names of the terms, such as ``age``, ``age missing`` and ``city = Oslo``.
    design_ : Design
        How rows become the columns that the terms are made of: means, levels, centres and scales.
    degree_ : int
    objective_ : float
        Minus the weighted log-likelihood plus the penalty.
    n_iter_ : array of shape (1,)
    class_prior_ : array of shape (K,)
        Shares of the classes, by weight.
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression().fit(X, y)
    >>> round(model.score(X, y), 3)
    0.973
    >>> print(LogisticRegression(degree=2).fit(X[50:, 3:], y[50:]).decision_boundary())
    2.55034 x0^2 + 0.786611 x0 - 8.25497 = 0

    A table with a missing number, and cities:

    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [31.0, None, 52, 23], "city": ["Oslo", "Lund", "Oslo", "Lund"]})
    >>> model = LogisticRegression(standardise=True).fit(table, ["no", "yes", "yes", "yes"])
    >>> dict(zip(model.terms_, model.coef_[0].round(2).tolist()))
    {'age': 0.32, 'age missing': 0.16, 'city = Lund': 0.4, 'city = Oslo': -0.4}
    """

    coef_: Array
    intercept_: Array
    degree_: int
    schema_: Schema
    design_: Design | None = None  # of a model file from before there were designs

    def __init__(
        self,
        penalty: Any = "l2",
        *,
        C: float = 1.0,
        degree: int = 1,
        standardise: bool = False,
        l1_ratio: float | None = 0.0,
        dual: bool = False,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        random_state: Any = None,
        solver: str = "lbfgs",
        max_iter: int = 100,
        verbose: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.C = C
        self.degree = degree
        self.standardise = standardise
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    @transactional
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> None:
        """Find the weights.

        Parameters
        ----------
        X : table of shape (n, d): array, CSR (with degree 1), pandas or polars
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        penalty = self._check()
        X = table(self, X, reset=True, sparse=self.degree == 1)
        self.schema_, self.degree_ = schema_with_levels(X), self.degree
        rows = self._encoded(X)
        self.classes_, codes, _ = read_labels(y, rows.shape[0])
        K = len(check_several(self.classes_))
        if codes.min() < 0:
            raise ValueError("Input y contains NaN: logistic regression learns nothing from rows without a label.")
        w = weights(sample_weight, rows)
        check_weights(class_counts(codes, w, K), self.classes_)
        w = self._weights(w, codes)
        counts = class_counts(codes, w, K)
        check_weights(counts, self.classes_)
        rows, w, codes = drop_zero_weight(rows, w, codes)
        labels = Labels.sound(codes, w, K)
        self.design_ = self._designed(rows, w, penalty > 0)
        terms = self._terms(rows)
        found = maximise_likelihood(
            rows,
            labels,
            terms=terms,
            penalty=Penalty(l2=penalty),
            intercept=self.fit_intercept,
            tol=self.tol,
            max_iter=self.max_iter,
            start=self._start(K, terms.width(rows.shape[1])),
            callback=_say if self.verbose else None,
        )
        self.coef_, self.intercept_ = found.coef, found.intercept
        self.objective_, self.n_iter_ = found.objective, np.array([found.n_iter], dtype=np.int32)
        self.class_prior_ = counts / counts.sum()
        if not penalty and self._separated(rows, labels):
            return
        if not found.converged:
            warnings.warn(
                f"the likelihood was still rising after {found.n_iter} steps; raise max_iter, or tol if this is close "
                "enough.",
                ConvergenceWarning,
                stacklevel=3,
            )
        elif found.blurred:
            warnings.warn(
                "sample_weight differs by more than eight orders of magnitude: the objective has settled, but "
                "coefficients that only the lightest rows decide may not have; leave those rows out, or give weights "
                "that differ less.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _separated(self, rows: Any, labels: Any) -> bool:
        """Warn where the classes can be separated, so that the likelihood has no maximum."""
        how = separation(self._scores(), rows, labels)
        if how == "none":
            return False
        what = {
            "complete": "the classes can be separated without an error",
            "partial": "some rows can be separated without an error",
            "possible": "probabilities of 0 or 1 were fitted, so that some rows may be separated without an error",
        }[how]
        warnings.warn(
            f"{what}: the likelihood then has no maximum, and the weights would grow for ever: these are where the "
            "steps ended. Use a penalty, such as C=1.0.",
            ConvergenceWarning,
            stacklevel=4,
        )
        return True

    def _check(self) -> float:
        """The penalty, or an error that says which parameter is wrong."""
        choose("solver", self.solver, SOLVERS)
        choose("fit_intercept", self.fit_intercept, (True, False))
        choose("standardise", self.standardise, (True, False))
        if self.penalty is not None:
            choose("penalty", self.penalty, ("l2", "deprecated"))
        if self.l1_ratio:
            raise ValueError(f"l1_ratio must be 0 (the l2 penalty, or none), got {self.l1_ratio!r}; l1 is not offered.")
        if self.degree not in (1, 2):
            raise ValueError(f"degree must be 1 or 2, got {self.degree!r}.")
        if not isinstance(self.C, Real) or not self.C > 0:
            raise ValueError(f"C must be a number above 0 (inf for no penalty), got {self.C!r}.")
        if not isinstance(self.tol, Real) or not 0 < self.tol < np.inf:
            raise ValueError(f"tol must be a number above 0, got {self.tol!r}.")
        if not isinstance(self.max_iter, Integral) or self.max_iter < 1:
            raise ValueError(f"max_iter must be a whole number of steps, at least 1, got {self.max_iter!r}.")
        return 0.0 if self.penalty is None else 1.0 / float(self.C)

    def _weights(self, w: Array | None, codes: Any) -> Array | None:
        """Weights of rows, times those of their classes."""
        if self.class_weight is None:
            return w
        K = len(self.classes_)
        if isinstance(self.class_weight, dict):
            strange = set(self.class_weight) - set(self.classes_.tolist())
            if strange:
                raise ValueError(f"class_weight names {plain(strange)}, but the classes are {self.classes_.tolist()}.")
            by_class = np.array(
                [self.class_weight.get(label, 1.0) for label in self.classes_.tolist()], dtype=np.float64
            )
        else:
            choose("class_weight", self.class_weight, ("balanced",))
            counts = class_counts(codes, w, K)
            by_class = counts.sum() / (K * counts)
        if not (np.isfinite(by_class) & (by_class >= 0)).all():
            raise ValueError(f"class_weight must be finite and not negative, got {self.class_weight!r}.")
        return np.ascontiguousarray(by_class[codes] * (1.0 if w is None else w))

    def _start(self, K: int, width: int) -> tuple[Array, Array] | None:
        shape = (1 if K == 2 else K, width)
        if not self.warm_start or getattr(self, "coef_", np.empty(0)).shape != shape:
            return None
        return self.coef_, self.intercept_

    def _encoded(self, X: Any, missing: bool = True) -> Any:
        """Rows as a matrix of finite numbers and codes of categories; NaN where a cell is missing, if that may be."""
        rows = self.schema_.encode(X)
        return finite_rows(rows, missing=missing and not is_sparse(rows))

    def _later(self, X: Any) -> Any:
        # A model of an old file does not know the means that missing cells are replaced by.
        return self._encoded(table(self, X, reset=False, sparse=self.degree_ == 1), self.design_ is not None)

    def _designed(self, rows: Any, w: Array | None, penalised: bool) -> Design:
        categories = [alphabet is not None for alphabet in self.schema_.alphabets]
        options = {"standardise": self.standardise, "penalised": penalised, "intercept": self.fit_intercept}
        design = Design.of(rows, categories, w, **options)
        if not design.width:
            raise ValueError("X has nothing to learn from: no column has two different values.")
        return design

    def _terms(self, rows: Any) -> Terms:
        design = self.design_
        if design is not None and design.plain and (is_sparse(rows) or not np.isnan(rows.min())):
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

    def _linear(self) -> Linear:
        if len(self.coef_) > 1:
            return Linear(self.coef_, self.intercept_)
        return Linear(np.vstack([0 * self.coef_, self.coef_]), np.append(0.0, self.intercept_))

    def _scores(self) -> Scores:
        return Scores(Terms(self.degree_, design=self.design_), self._linear(), self.n_features_in_)

    def _log_prior(self) -> Array:
        return np.zeros(len(self.classes_))

    def _replaced(self, log_prior: Array) -> Array:
        return log_prior - log_of(self.class_prior_)

    def decision_function(self, X: Any, class_prior: Any = None) -> Array:
        """Affine scores of the classes, (n, K); for two classes the log-odds of the second, (n,)."""
        check_is_fitted(self, "coef_")
        rows = self._later(X)
        scores = self._linear().log_density(self._terms(rows).expand(rows))
        if class_prior is not None:
            scores = scores + self._replaced(log_of(read_class_prior(class_prior, self.classes_)))
        return scores if len(self.classes_) > 2 else scores[:, 1] - scores[:, 0]

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.degree == 1
        tags.input_tags.allow_nan = True
        return tags


def _say(step: int, objective: float) -> None:
    print(f"step {step}: objective {objective:.8g}")  # noqa: T201
