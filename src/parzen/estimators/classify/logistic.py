"""Logistic regression: the discriminative counterpart, to compare with."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.compute.memberships import Labels
from parzen.estimators.base.progress import CallbackSupportMixin, with_callbacks
from parzen.estimators.base.sources import takes_sources
from parzen.estimators.base.validation import transactional
from parzen.estimators.classify.logistic_base import BaseLogistic, Training
from parzen.estimators.classify.logistic_options import (
    check_C,
    check_parameters,
    check_share,
    class_weights,
    read_kind,
    warn,
)
from parzen.estimators.classify.logistic_steps import told
from parzen.families.logistic.optimum import Optimum, maximise_likelihood
from parzen.families.logistic.penalty import Penalty
from parzen.families.logistic.separation import separation
from parzen.tables.sources.source import Source


class LogisticRegression(CallbackSupportMixin, BaseLogistic):
    """Logistic regression, with linear or quadratic terms: a drop-in for scikit-learn's.

    It minimises minus the weighted log-likelihood plus an elastic net of the weights,
    ``(l1_ratio |W| + (1 - l1_ratio) |W|^2 / 2) / C``, where ``|W|`` sums absolute values.

    Missing cells and categories need no preparation. A missing number is replaced by the column's mean and, where one
    was missing in training, has a weight of its own (an indicator). A category, that is text or a cell of a category
    type, has a weight for each level, missing cells among them where there were any. A category that was not seen, or
    a cell of categories that is missing for the first time, has weight zero; without a penalty, where the first level
    has none, the mean of the levels' weights. Booleans are numbers; dates are an error.

    Parameters
    ----------
    penalty : "l1", "l2", "elasticnet" or None
        An old spelling, for which scikit-learn and this class warn: give `l1_ratio`, and ``C=inf`` for no penalty.
    C : float
        Weight of the likelihood against the penalty; ``inf`` for no penalty.
    degree : 1 or 2
        2 models all squares and products of columns as well: what a quadratic discriminant analysis can say.
    standardise : bool
        Whether numbers are centred and divided by their standard deviations first, so that the penalty does not depend
        on their units: as after scikit-learn's ``StandardScaler``. Columns of a sparse matrix are only divided.
    l1_ratio : float
        Share of l1 in the penalty, from 0 (l2) to 1 (l1, which makes weights exactly zero).
    tol : float
        Stop when no derivative of the mean objective is above this, and the objective within this share of its least.
    fit_intercept : bool
        An intercept is free of the penalty, except as liblinear has it.
    class_weight : dict, "balanced" or None
        Weights of the classes, which multiply those of the rows.
    solver : "lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag" or "saga"
        One computation serves all. The name says which penalties may be asked for, as in scikit-learn: l1 goes with
        "liblinear" and "saga", both at once with "saga", several classes with all but "liblinear", whose objective
        penalises the intercept, too.
    intercept_scaling : float
        For "liblinear": the intercept is the weight of a column that is this everywhere.
    max_iter : int
        Most steps. With 0 the model is as it is before the first.
    verbose : int
        Above 0, print the objective after each step.
    warm_start : bool
        Begin where the last fit ended (not with "liblinear", as in scikit-learn).
    dual, random_state, n_jobs
        As of scikit-learn, for those who give them: they change nothing.

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
        Class prior: relative frequencies of the classes, by weight.
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression().fit(X, y)
    >>> round(model.score(X, y), 3)
    0.973
    >>> print(LogisticRegression(degree=2, tol=1e-8).fit(X[50:, 3:], y[50:]).decision_boundary())
    2.55033 x0^2 + 0.78786 x0 - 8.25696 = 0

    A table with a missing number, and cities:

    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [31.0, None, 52, 23], "city": ["Oslo", "Lund", "Oslo", "Lund"]})
    >>> model = LogisticRegression(standardise=True).fit(table, ["no", "yes", "yes", "yes"])
    >>> dict(zip(model.terms_, model.coef_[0].round(2).tolist()))
    {'age': 0.32, 'age missing': 0.16, 'city = Lund': 0.4, 'city = Oslo': -0.4}
    """

    def __init__(
        self,
        penalty: Any = "deprecated",
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

    @takes_sources
    @transactional
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> None:
        """Find the weights.

        Parameters
        ----------
        X : table of shape (n, d): array, CSR (with degree 1), pandas or polars; or a source, which every step reads
            anew: ``fit(source, target="y", weight="w")``, see `parzen.scan`
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        penalty = self._penalty()
        if isinstance(X, Source):
            if X.checkpoint is not None:
                raise TypeError(
                    "checkpoint keeps the EM of mixtures; Newton's method needs few passes and keeps nothing between "
                    "its steps: leave it out."
                )
            seen = self._read_source(X)
            self.class_prior_ = self._shares(seen)
        else:
            seen = self._read(X, y, sample_weight)
            seen = seen.weighted(class_weights(self.class_weight, self.classes_, seen.codes, seen.weights))
            self.class_prior_ = self._shares(seen)
            seen = seen.without_zero_weight()
        self.design_ = self._designed(seen, penalty != Penalty())
        labels = None if seen.codes is None else seen.labels(len(self.classes_))
        terms = self._terms(seen.rows, complete=seen.complete)
        start = self._start(terms.width(seen.rows.shape[1]))
        kept = partial(_attributes, dtype=self._dtype(seen.rows))
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        with told(self, {"X": X, "y": y, "metadata": metadata}, start, kept) as callback:
            found = maximise_likelihood(
                seen.rows,
                labels,
                terms=terms,
                penalty=penalty,
                intercept=self.fit_intercept,
                tol=self.tol,
                max_iter=self.max_iter,
                start=start,
                origin=self.design_.mean,
                callback=callback,
            )
            for name, value in kept(found.coef, found.intercept).items():
                setattr(self, name, value)
            self.objective_, self.n_iter_ = found.objective, np.array([found.n_iter], dtype=np.int32)
        self._warn(found, seen, labels, penalty)

    @property
    def _fits_there(self) -> bool:
        return self.degree == 1 and not self.standardise

    def _penalty(self) -> Penalty:
        """The penalty, or an error that says which parameter is wrong."""
        check_parameters(self)
        check_C("C", self.C)
        choose("warm_start", self.warm_start, (True, False))
        if self.l1_ratio is not None:
            check_share("l1_ratio", self.l1_ratio)
        if self.n_jobs is not None:
            warn(
                "'n_jobs' has no effect since scikit-learn 1.8, which will remove it in 1.10; leave it out.",
                FutureWarning,
            )
        return read_kind(self).penalty(self.C, self.l1_ratio)

    def _start(self, width: int) -> tuple[Array, Array]:
        """Where to begin: zero, or where the last fit ended."""
        free = 1 if len(self.classes_) == 2 else len(self.classes_)
        before = getattr(self, "coef_", None) if self.warm_start and self.solver != "liblinear" else None
        if before is not None and before.shape == (free, width):
            intercept = np.asarray(self.intercept_, dtype=np.float64) if self.fit_intercept else np.zeros(free)
            return self._dense_coef(), np.array(np.broadcast_to(intercept, free))
        return np.zeros((free, width)), np.zeros(free)

    def _dtype(self, rows: Any) -> type:
        """Of the weights: float32 for such rows, as scikit-learn's, where the terms are the columns as they are."""
        plain = self.degree == 1 and self.design_ is not None and self.design_.plain
        return np.float32 if rows.dtype == np.float32 and plain and self.solver != "liblinear" else np.float64

    def _warn(self, found: Optimum, seen: Training, labels: Labels | None, penalty: Penalty) -> None:
        """Warn where the weights are not those that were asked for."""
        if penalty == Penalty() and not found.finite and self._separated(seen, labels):
            return
        if not found.converged:
            warn(
                f"{self.solver} failed to converge after {found.n_iter} steps: the objective was still falling. "
                "Increase the number of iterations (max_iter), or tol if this is close enough.",
                ConvergenceWarning,
            )
        elif found.blurred:
            warn(
                "sample_weight differs by more than eight orders of magnitude: the objective has settled, but "
                "coefficients that only the lightest rows decide may not have; leave those rows out, or give weights "
                "that differ less.",
                ConvergenceWarning,
            )

    def _separated(self, seen: Training, labels: Labels | None) -> bool:
        """Warn where the classes can be separated, so that the likelihood has no maximum."""
        how = "possible" if labels is None else separation(self._scores(), seen.rows, labels)
        if how == "none":
            return False
        what = {
            "complete": "the classes can be separated without an error",
            "partial": "some rows can be separated without an error",
            "possible": "probabilities of 0 or 1 were fitted, so that some rows may be separated without an error",
        }[how]
        warn(
            f"{what}: the likelihood then has no maximum, and the weights would grow for ever: these are where the "
            "steps ended. Use a penalty, such as C=1.0.",
            ConvergenceWarning,
        )
        return True


def _attributes(coef: Array, intercept: Array, dtype: type) -> dict[str, Array]:
    return {"coef_": coef.astype(dtype, copy=False), "intercept_": intercept.astype(dtype, copy=False)}
