"""Decisions of any classifier, ours or theirs: calibrated probabilities, and the action that loses least."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_expit, logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import check_cv
from sklearn.utils import column_or_1d, get_tags, indexable
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, has_fit_parameter, validate_data

from parzen.calibration import METHODS, Calibrator, calibrate
from parzen.decision import Decision
from parzen.estimators.door import all_or_nothing
from parzen.estimators.naive import GaussianNB
from parzen.kernels.arrays import Array
from parzen.scores import expected_cost
from parzen.shift import estimated_shares, reweighted


class DecisionClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier that acts: on calibrated probabilities, by a loss.

    Parameters
    ----------
    estimator : classifier, optional
        By default ``GaussianNB()``. It needs `predict_log_proba`, `predict_proba` or `decision_function`.
    loss : array of shape (actions, classes) or str
        See `parzen.Decision`.
    actions : sequence, optional
        Names of the actions; by default the classes.
    abstain : float, optional
        Cost of abstaining, one more action, called `abstention`.
    abstention : what it is called
    calibration : "sigmoid", "isotonic", "temperature", "beta", "histogram" or "venn_abers", optional
        How log-odds are turned into probabilities; by default they are taken as they are. A temperature keeps the order
        of every row's classes; of two classes "sigmoid", "beta" and (but for ties) "isotonic" keep the order of rows.
    cv : int, splitter, iterable or "prefit"
        Folds whose rows are scored by a classifier that has not seen them, to calibrate by; the classifier that is
        kept has seen all. "prefit": the estimator is fitted already, and `fit` only calibrates it.
    priors : array of shape (K,) or "estimate", optional
        Shares of the classes where decisions are made, in the place of those it has learnt from; or by EM, from the
        rows to be decided (Saerens, Latinne & Decaestecker 2002).

    Attributes
    ----------
    estimator_ : the fitted classifier
    calibrator_ : Calibrator, where calibration is asked for
    classes_ : array of shape (K,)
    class_prior_ : array of shape (K,)
        Shares of the classes in the rows of `fit`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from parzen import DecisionClassifier, GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)                 # 0 is malignant: to miss it costs ten times as much
    >>> model = DecisionClassifier(GaussianNB(), loss=[[0, 1], [10, 0]], calibration="sigmoid").fit(X, y)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    >>> model.risk(X[:1]).shape
    (1, 2)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        loss: Any = "zero_one",
        actions: Any = None,
        abstain: float | None = None,
        abstention: Any = "abstain",
        calibration: str | None = None,
        cv: Any = 5,
        priors: Any = None,
    ) -> None:
        self.estimator = estimator
        self.loss = loss
        self.actions = actions
        self.abstain = abstain
        self.abstention = abstention
        self.calibration = calibration
        self.cv = cv
        self.priors = priors

    @all_or_nothing
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> None:
        """Fit the classifier, and learn to calibrate it.

        Parameters
        ----------
        X : rows, as the classifier takes them
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Given to the classifier where it takes weights, and to the calibration.

        Returns
        -------
        self
        """
        if y is None:
            raise ValueError("DecisionClassifier requires y to be passed, but the target y is None.")
        check_classification_targets(y)
        X, y = indexable(X, column_or_1d(y, warn=True))
        if not hasattr(X, "shape"):
            X = np.asarray(X)
        validate_data(self, X, skip_check_array=True)
        given = GaussianNB() if self.estimator is None else self.estimator
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        if self.calibration is not None and self.calibration not in METHODS:
            raise ValueError(
                f"calibration must be None or one of {', '.join(map(repr, METHODS))}, got {self.calibration!r}."
            )
        if isinstance(self.cv, str) and self.cv == "prefit":
            check_is_fitted(given)
            self.classes_, codes = given.classes_, np.searchsorted(given.classes_, np.asarray(y))
        if len(self.classes_) < 2:
            raise ValueError(f"there must be at least two classes, but y holds 1 class: {self.classes_.tolist()}.")
        w = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        share = np.bincount(codes, w, minlength=len(self.classes_))
        self.class_prior_ = share / share.sum()
        self._decision().named_actions(len(self.classes_)) if not self._free() else None
        if isinstance(self.cv, str) and self.cv == "prefit":
            self.estimator_ = given
            if self.calibration is not None:
                self.calibrator_ = calibrate(self.calibration, self._logs(given, X), codes, w)
            return
        if self.calibration is not None:
            self.calibrator_ = self._crossed(given, X, np.asarray(y), codes, w)
        self.estimator_ = _fitted(given, X, y, w)

    def _crossed(self, given: Any, X: Any, y: NDArray[Any], codes: NDArray[np.intp], w: Array | None) -> Calibrator:
        """Calibrate by rows that each classifier has not seen."""
        assert self.calibration is not None
        folds = check_cv(self.cv, y, classifier=True)
        fewest = int(np.bincount(codes).min())
        wanted = getattr(folds, "n_splits", 2)
        if fewest < wanted:
            raise ValueError(
                f"cv={self.cv!r} needs {wanted} rows of each class to calibrate by, but class "
                f"{self.classes_[np.bincount(codes).argmin()]!r} has {fewest}; use fewer folds."
            )
        logs = np.full((len(codes), len(self.classes_)), np.nan)
        for train, test in folds.split(X, y):
            rows, labels = _safe_split(given, X, y, train)
            model = _fitted(given, rows, labels, None if w is None else w[train])
            logs[test] = self._logs(model, _safe_split(given, X, y, test, train)[0])
        seen = ~np.isnan(logs).any(axis=1)
        return calibrate(self.calibration, logs[seen], codes[seen], None if w is None else w[seen])

    def _logs(self, model: Any, X: Any) -> Array:
        """Log-posteriors of a classifier, in the order of the classes."""
        if hasattr(model, "predict_log_proba"):
            with np.errstate(divide="ignore"):
                found = np.asarray(model.predict_log_proba(X), dtype=np.float64)
        elif hasattr(model, "decision_function"):
            score = np.asarray(model.decision_function(X), dtype=np.float64)
            if score.ndim == 1:
                found = np.column_stack([log_expit(-score), log_expit(score)])
            else:
                found = score - logsumexp(score, axis=1, keepdims=True)
        elif hasattr(model, "predict_proba"):
            with np.errstate(divide="ignore"):
                found = np.log(np.asarray(model.predict_proba(X), dtype=np.float64))
        else:
            raise TypeError(
                f"{type(model).__name__} has neither predict_log_proba, decision_function nor predict_proba; decisions "
                "need probabilities."
            )
        out = np.full((len(found), len(self.classes_)), -np.inf)
        out[:, np.searchsorted(self.classes_, model.classes_)] = found
        return out

    def predict_proba(self, X: Any) -> Array:
        """Calibrated probability of each class, (n, K), at the shares of classes that `priors` says."""
        check_is_fitted(self, "estimator_")
        logs = self._logs(self.estimator_, X)
        if hasattr(self, "calibrator_"):
            P = self.calibrator_(logs)
        else:
            P = np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
        if self.priors is None:
            return P
        named = isinstance(self.priors, str)
        if named and self.priors != "estimate":
            raise ValueError(f"priors must be shares of the classes or 'estimate', got {self.priors!r}.")
        return reweighted(P, self.class_prior_, estimated_shares(P, self.class_prior_) if named else self.priors)

    def predict_log_proba(self, X: Any) -> Array:
        """Logs of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The action that loses least in expectation, for each row."""
        check_is_fitted(self, "estimator_")
        return self._decision().act(self.predict_proba(X))

    def risk(self, X: Any) -> Array:
        """Expected loss of each action, (n, A)."""
        check_is_fitted(self, "estimator_")
        return self._decision().risk(self.predict_proba(X))

    def decide(self, X: Any, loss: Any, actions: Any = None, abstain: float | None = None) -> NDArray[Any]:
        """Actions by another loss, without fitting anew; of shape (n, A, K), each row has its own."""
        P = self.predict_proba(X)
        if np.ndim(loss) == 3:
            own = Decision(np.asarray(loss)[0], actions, self.classes_.tolist(), abstain, self.abstention)
            return own.act(P, loss)
        return Decision(loss, actions, self.classes_.tolist(), abstain, self.abstention).act(P)

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Minus the average loss of the decisions; the share of right ones where loss is "zero_one"."""
        decision = self._decision()
        cost = expected_cost(y, self.predict(X), decision, sample_weight)
        return 1.0 - cost if isinstance(self.loss, str) and self.abstain is None else -cost

    def _free(self) -> bool:
        return isinstance(self.loss, str) and self.loss != "zero_one"

    def _decision(self) -> Decision:
        return Decision(self.loss, self.actions, self.classes_.tolist(), self.abstain, self.abstention)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(GaussianNB() if self.estimator is None else self.estimator)
        tags.input_tags = inner.input_tags
        return tags


def _fitted(given: Any, X: Any, y: Any, w: Array | None) -> Any:
    model = clone(given)
    weighted = w is not None and has_fit_parameter(model, "sample_weight")
    return model.fit(X, y, sample_weight=w) if weighted else model.fit(X, y)


def cost_scorer(loss: Any, **options: Any) -> Callable[..., float]:
    """A scorer for scikit-learn's searches: minus the average loss of what a classifier's probabilities decide.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.datasets import load_breast_cancer
    >>> from parzen import GaussianNB, cost_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> round(float(cross_val_score(GaussianNB(), X, y, scoring=cost_scorer([[0, 1], [10, 0]])).mean()), 2)
    -0.38
    """

    def scorer(estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        decision = Decision(loss, classes=estimator.classes_.tolist(), **options)
        return -expected_cost(y, decision.act(estimator.predict_proba(X)), decision, sample_weight)

    return scorer
