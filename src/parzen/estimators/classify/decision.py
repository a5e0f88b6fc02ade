"""Decisions of any classifier, ours or theirs: calibrated probabilities, and the action that loses least."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import column_or_1d, get_tags, indexable
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, has_fit_parameter, validate_data

from parzen.compute.arrays import Array, on_host
from parzen.compute.device import is_device
from parzen.compute.posterior import normalise
from parzen.decisions.calibration import METHODS, Calibrator, calibrate
from parzen.decisions.class_priors import adjust_class_priors, check_class_prior, estimate_class_priors
from parzen.decisions.decision import Decision
from parzen.decisions.scores import expected_cost
from parzen.estimators.base.sources import takes_sources
from parzen.estimators.base.tensors import TensorMixin
from parzen.estimators.base.validation import transactional
from parzen.estimators.classify.classifier import BaseClassifier
from parzen.estimators.classify.gaussian_nb import GaussianNB
from parzen.estimators.classify.log_posteriors import log_posteriors
from parzen.estimators.classify.source_rows import check_fits_sources, decides_sources, every_row, targets_of
from parzen.storage.files import SaveMixin
from parzen.tables.sources.chosen import some_rows
from parzen.tables.sources.engines.engine import Engine
from parzen.tables.sources.source import Source


class DecisionClassifier(TensorMixin, SaveMixin, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
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
    class_prior : array of shape (K,) or "estimate", optional
        Class priors where decisions are made, in the place of those of the training rows; or by EM, from the
        rows to be decided (Saerens, Latinne & Decaestecker 2002).
    level : float
        Of the loss "quantile".

    Attributes
    ----------
    estimator_ : the fitted classifier
    calibrator_ : Calibrator, where calibration is asked for
    classes_ : array of shape (K,)
    actions_ : array of shape (A,)
        Names of the actions; of a loss without actions ("squared", "quantile"), the classes as numbers.
    class_prior_ : array of shape (K,)
        Class prior that the predicted probabilities assume: that of the rows of `fit` where they are calibrated, else
        that of the classifier's training rows.

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
        class_prior: Any = None,
        level: float = 0.5,
    ) -> None:
        self.estimator = estimator
        self.loss = loss
        self.actions = actions
        self.abstain = abstain
        self.abstention = abstention
        self.calibration = calibration
        self.cv = cv
        self.class_prior = class_prior
        self.level = level

    @takes_sources
    @transactional
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> None:
        """Fit the classifier, and learn to calibrate it.

        Of a source (`parzen.scan`), ``fit(source, target="y", weight="w")``, rows are read again for each fold and the
        folds are those of the same rows in memory; labels, fold numbers and log-posteriors of held-out rows are kept.

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
        if isinstance(X, Source):
            y, sample_weight = targets_of(X)
        if y is None:
            raise ValueError("DecisionClassifier requires y to be passed, but the target y is None.")
        y = on_host(y)
        if is_device(X) and (self.calibration is not None or self.class_prior is not None):
            raise X.stays_there()
        check_classification_targets(y)
        y = column_or_1d(y, warn=True)
        if not isinstance(X, Source):
            X, y = indexable(X, y)
            X = X if hasattr(X, "shape") else np.asarray(X)
        validate_data(self, X.head() if isinstance(X, Source) else X, skip_check_array=True)
        for name in ("calibrator_", "estimator_"):
            self.__dict__.pop(name, None)
        given = GaussianNB() if self.estimator is None else self.estimator
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        if self.calibration is not None and self.calibration not in METHODS:
            raise ValueError(
                f"calibration must be None or one of {', '.join(map(repr, METHODS))}, got {self.calibration!r}."
            )
        if isinstance(self.cv, str) and self.cv == "prefit":
            check_is_fitted(given)
            if not hasattr(given, "classes_"):
                raise TypeError(f"estimator must be a classifier, and {type(given).__name__} has no classes_.")
            self.classes_, codes = given.classes_, _known_codes(np.asarray(y), given.classes_)
        if len(self.classes_) < 2:
            raise ValueError(f"there must be at least two classes, but y holds 1 class: {self.classes_.tolist()}.")
        w = None
        if sample_weight is not None:
            w = _check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True)
        self._check(len(self.classes_))
        if isinstance(self.cv, str) and self.cv == "prefit":
            self.estimator_ = given
            if self.calibration is not None:
                self.calibrator_ = calibrate(self.calibration, self._logs(given, X), codes, w)
        else:
            if self.calibration is not None:
                self.calibrator_ = self._crossed(given, X, np.asarray(y), codes, w)
            self.estimator_ = _fitted(given, X, y, w)
        self.class_prior_ = self._training_prior(X, codes, w)

    def _check(self, K: int) -> None:
        """Raise where the loss, the actions or the priors don't suit the classes."""
        decision = self._decision()
        if not decision.is_continuous:
            decision.action_names(K)
        elif decision.loss != "log":
            decision.class_values(K)
        if isinstance(self.class_prior, str) and self.class_prior != "estimate":
            raise ValueError(f"class_prior must be class probabilities or 'estimate', got {self.class_prior!r}.")
        if self.class_prior is not None and not isinstance(self.class_prior, str):
            check_class_prior(self.class_prior, K, "class_prior")

    def _training_prior(self, X: Any, codes: NDArray[np.intp], w: Array | None) -> Array:
        """Class prior that the predicted probabilities assume.

        Calibrated probabilities are for the class priors of the calibration rows; others for those of the training
        rows: as the classifier has them, as the rows were weighted, or else the mean of its probabilities.
        """
        K = len(self.classes_)
        if self.calibration not in (None, "temperature"):
            share = np.bincount(codes, w, minlength=K)
            return np.asarray(share / share.sum())
        for name in ("class_prior_", "priors_"):
            told = getattr(self.estimator_, name, None)
            if told is not None and np.shape(told) == (K,):
                return np.asarray(told, dtype=np.float64)
        if isinstance(self.cv, str) and self.cv == "prefit":  # whatever it has learnt from
            return np.asarray(on_host(self._probabilities(X)).mean(axis=0))
        taken = w if has_fit_parameter(self.estimator_, "sample_weight") else None
        share = np.bincount(codes, taken, minlength=K).astype(np.float64)
        inner = getattr(self.estimator_, "class_weight", None)
        if inner is not None:
            share *= compute_class_weight(inner, classes=self.classes_, y=self.classes_[codes])
        return np.asarray(share / share.sum())

    def _crossed(self, given: Any, X: Any, y: NDArray[Any], codes: NDArray[np.intp], w: Array | None) -> Calibrator:
        """Calibrate by rows that each classifier has not seen."""
        assert self.calibration is not None
        folds = check_cv(self.cv, y, classifier=True)
        fewest = int(np.bincount(codes).min())
        wanted = folds.n_splits if isinstance(folds, StratifiedKFold) else 0
        if fewest < wanted:
            raise ValueError(
                f"cv={self.cv!r} needs {wanted} rows of each class to calibrate by, but class "
                f"{self.classes_.tolist()[np.bincount(codes).argmin()]!r} has {fewest}; use fewer folds."
            )
        logs = np.full((len(codes), len(self.classes_)), np.nan)
        for train, test in folds.split(np.empty((len(y), 1)) if isinstance(X, Source) else X, y):
            lacking = self.classes_[np.setdiff1d(np.arange(len(self.classes_)), codes[train])]
            if len(lacking):
                raise ValueError(
                    f"cv={self.cv!r} leaves no row of the classes {lacking.tolist()} to learn from in one of its "
                    "folds; use stratified folds, such as cv=5."
                )
            if isinstance(X, Source):
                model = _fitted(given, some_rows(X, train, len(y)), None, None)
                logs[np.sort(test)] = self._logs(model, some_rows(X, test, len(y)))
                continue
            rows, labels = _safe_split(given, X, y, train)
            model = _fitted(given, rows, labels, None if w is None else w[train])
            logs[test] = self._logs(model, _safe_split(given, X, y, test, train)[0])
        seen = ~np.isnan(logs).any(axis=1)
        return calibrate(self.calibration, logs[seen], codes[seen], None if w is None else w[seen])

    def _logs(self, model: Any, X: Any) -> Array:
        """Log-posteriors of a classifier, in the order of the classes."""
        return log_posteriors(model, X, self.classes_)

    def _probabilities_there(self, X: Any, form: str) -> Any:
        """Probabilities, or their logs, of rows on a device: the classifier's own, which is one of parzen's."""
        model = self.estimator_
        plain = self.class_prior is None and not hasattr(self, "calibrator_")
        if not plain or not isinstance(model, BaseClassifier) or not np.array_equal(model.classes_, self.classes_):
            raise X.stays_there()
        found: Any = model.predict_log_proba(X)
        normalise(found, np.zeros(len(self.classes_)), form)
        return found

    @decides_sources
    def predict_proba(self, X: Any) -> Array:
        """Calibrated probability of each class, (n, K), for the class priors that `class_prior` gives."""
        check_is_fitted(self, "estimator_")
        if is_device(X) and self.class_prior is not None:
            raise X.stays_there()
        P = self._probabilities(X)
        if self.class_prior is None:
            return P
        new = estimate_class_priors(P, self.class_prior_) if isinstance(self.class_prior, str) else self.class_prior
        return adjust_class_priors(P, self.class_prior_, new)

    def _probabilities(self, X: Any) -> Array:
        """Calibrated probabilities, for the class priors of the training rows."""
        if is_device(X):
            there: Array = self._probabilities_there(X, "plain")
            return there
        logs = self._logs(self.estimator_, X)
        if hasattr(self, "calibrator_"):
            return self.calibrator_(logs)
        return np.asarray(np.exp(logs - logsumexp(logs, axis=1, keepdims=True)))

    @decides_sources
    def predict_log_proba(self, X: Any) -> Array:
        """Logs of `predict_proba`; where nothing is calibrated, the classifier's own, however far apart."""
        check_is_fitted(self, "estimator_")
        if is_device(X):
            there: Array = self._probabilities_there(X, "log")
            return there
        if not hasattr(self, "calibrator_") and self.class_prior is None:
            logs = self._logs(self.estimator_, X)
            return np.asarray(logs - logsumexp(logs, axis=1, keepdims=True))
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @decides_sources
    def predict(self, X: Any) -> NDArray[Any]:
        """The action that loses least in expectation, for each row."""
        check_is_fitted(self, "estimator_")
        return self._decision().act(self.predict_proba(X))

    @decides_sources
    def risk(self, X: Any) -> Array:
        """Expected loss of each action, (n, A)."""
        check_is_fitted(self, "estimator_")
        return self._decision().risk(self.predict_proba(X))

    @decides_sources
    def decide(self, X: Any, loss: Any, actions: Any = None, abstain: float | None = None) -> NDArray[Any]:
        """Actions by another loss, without fitting anew; of shape (n, A, K), each row has its own."""
        P = self.predict_proba(X)
        if np.ndim(loss) == 3:
            own = Decision(np.nan_to_num(np.asarray(loss)[0]), actions, self.classes_, abstain, self.abstention)
            return own.act(P, loss)
        return Decision(loss, actions, self.classes_, abstain, self.abstention, self.level).act(P)

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """Minus the mean loss of the decisions; the accuracy, also a mean, where loss is "zero_one".

        Of a source, whose labels and weights are columns: ``score(source.with_roles(target="y", weight="w"))``.
        """
        check_is_fitted(self, "estimator_")
        if isinstance(X, Source) and isinstance(X.reader, Engine):
            raise TypeError("score reads predictions here, and those of a cluster stay there; predict gives a column.")
        decision, found = self._decision(), self.predict(every_row(X) if isinstance(X, Source) else X)
        if isinstance(X, Source):
            if y is not None or sample_weight is not None:
                raise TypeError("a source holds labels and weights: score(source.with_roles(target='y', weight='w')).")
            (y, sample_weight), found = targets_of(X), np.concatenate(list(found))
        cost = expected_cost(y, found, decision, sample_weight)
        right = isinstance(self.loss, str) and self.loss == "zero_one" and self.abstain is None
        return 1.0 - cost if right else -cost

    @property
    def actions_(self) -> NDArray[Any]:
        """Names of the actions."""
        check_is_fitted(self, "estimator_")
        decision, K = self._decision(), len(self.classes_)
        if self.loss == "log":
            raise ValueError("the action of loss='log' is the probabilities: take predict_proba.")
        values = decision.class_values(K) if decision.is_continuous else None
        return decision.action_names(K) if values is None else values

    def _decision(self) -> Decision:
        return Decision(self.loss, self.actions, self.classes_, self.abstain, self.abstention, self.level)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(GaussianNB() if self.estimator is None else self.estimator)
        tags.input_tags = inner.input_tags
        return tags


def _known_codes(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Place of each label among the classes, or an error that names one that is not there."""
    place = {name: k for k, name in enumerate(np.asarray(classes).tolist())}
    try:
        return np.array([place[label] for label in y.tolist()], dtype=np.intp)
    except KeyError as error:
        raise ValueError(
            f"y holds {error.args[0]!r}, which the fitted estimator does not know; its classes are {list(place)}."
        ) from None


def _fitted(given: Any, X: Any, y: Any, w: Array | None) -> Any:
    model = clone(given)
    if isinstance(X, Source):
        check_fits_sources(model)
        return model.fit(X)
    weighted = w is not None and has_fit_parameter(model, "sample_weight")
    return model.fit(X, y, sample_weight=w) if weighted else model.fit(X, y)
