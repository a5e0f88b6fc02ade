"""Logistic regression whose penalty is chosen by cross-validation."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv
from sklearn.utils import metadata_routing
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _raise_for_params,
    _routing_enabled,
    process_routing,
)
from sklearn.utils.parallel import Parallel, delayed

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.estimators.base.validation import table, transactional
from parzen.estimators.classify.logistic import LogisticRegression
from parzen.estimators.classify.logistic_base import BaseLogistic, Training
from parzen.estimators.classify.logistic_options import check_parameters, class_weights, warn
from parzen.estimators.classify.logistic_path import Grid, Paths, joined, read_grid
from parzen.estimators.classify.logistic_scores import HeldOut, read_scoring, routed
from parzen.families.logistic.design import Design
from parzen.families.logistic.optimum import Optimum, likelihood_path, maximise_likelihood


class LogisticRegressionCV(BaseLogistic):
    """Logistic regression with the penalty that predicts held-out rows best: a drop-in for scikit-learn's.

    Each fold follows the weights along the grid of `Cs`, from one value to the next, for each of `l1_ratios`. Missing
    cells, categories, `degree` and `standardise` are as of `LogisticRegression`; what replaces a missing number, and
    what standardises, is of the rows that a fold learns from.

    Parameters
    ----------
    Cs : int or sequence of float
        Weights of the likelihood against the penalty; a number is how many, from 1e-4 to 1e4 in equal ratios.
    l1_ratios : sequence of float
        Shares of l1 in the penalty, from 0 (l2) to 1 (l1). None is an old spelling of (0,).
    fit_intercept : bool
    cv : int, splitter, iterable of folds or None
        5 stratified folds by default.
    degree, standardise, dual, penalty, solver, tol, max_iter, class_weight, verbose, intercept_scaling, random_state
        As of `LogisticRegression`.
    scoring : str, callable or None
        What is largest for the best penalty, such as "neg_log_loss"; None for the accuracy.
    n_jobs : int or None
        How many folds are fitted at once.
    refit : bool
        Whether the best penalty is then fitted to all rows; if not, the weights (and penalties) that are best in each
        fold are averaged.
    use_legacy_attributes : bool
        Whether fitted attributes have the shapes that they had before scikit-learn 1.8.

    Attributes
    ----------
    classes_, coef_, intercept_, terms_, design_, degree_, class_prior_, n_features_in_, feature_names_in_
        As of `LogisticRegression`.
    Cs_, l1_ratios_ : arrays
        The grid.
    C_, l1_ratio_ : float
        The best of it; an array with a number for each row of `coef_` in the old shape.
    scores_ : array of shape (folds, l1_ratios, Cs)
        In the old shape a dict from classes, two of which share one, to arrays of shape (folds, Cs, l1_ratios).
    coefs_paths_ : array of shape (folds, l1_ratios, Cs, K or 1, p + 1)
        Weights, and the intercept last, if there is one; in the old shape a dict as well.
    n_iter_ : array of shape (folds, l1_ratios, Cs), or (1, folds, Cs, l1_ratios) in the old shape

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from parzen import LogisticRegressionCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogisticRegressionCV(
    ...     Cs=[0.01, 0.1, 1, 10], l1_ratios=(0, 1), solver="saga", standardise=True, scoring="neg_log_loss",
    ...     use_legacy_attributes=False)
    >>> model.fit(X, y).C_, model.l1_ratio_
    (1.0, 0.0)
    >>> model.scores_.mean(axis=0).round(3)
    array([[-0.18 , -0.098, -0.081, -0.132],
           [-0.421, -0.13 , -0.089, -0.208]])
    """

    C_: Any
    l1_ratio_: Any
    scores_: Any
    coefs_paths_: Any
    n_iter_: Any

    # As of scikit-learn's: `score` passes weights on to the scorer.
    __metadata_request__score = {"sample_weight": metadata_routing.UNUSED}  # noqa: RUF012

    def __init__(
        self,
        *,
        Cs: Any = 10,
        l1_ratios: Any = "warn",
        fit_intercept: bool = True,
        cv: Any = None,
        degree: int = 1,
        standardise: bool = False,
        dual: bool = False,
        penalty: Any = "deprecated",
        scoring: Any = "warn",
        solver: str = "lbfgs",
        tol: float = 1e-4,
        max_iter: int = 100,
        class_weight: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        refit: bool = True,
        intercept_scaling: float = 1.0,
        random_state: Any = None,
        use_legacy_attributes: Any = "warn",
    ) -> None:
        self.Cs = Cs
        self.l1_ratios = l1_ratios
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.degree = degree
        self.standardise = standardise
        self.dual = dual
        self.penalty = penalty
        self.scoring = scoring
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.refit = refit
        self.intercept_scaling = intercept_scaling
        self.random_state = random_state
        self.use_legacy_attributes = use_legacy_attributes

    @transactional  # type: ignore[arg-type]
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None, **params: Any) -> None:
        """Find the penalty and the weights.

        Parameters
        ----------
        X : table of shape (n, d): array, CSR (with degree 1), pandas or polars
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
        **params
            For the splitter and the scorer, where scikit-learn's metadata routing is enabled.

        Returns
        -------
        self
        """
        _raise_for_params(params, self, "fit")
        check_parameters(self)
        choose("refit", self.refit, (True, False))
        grid, scorer, legacy = read_grid(self), read_scoring(self.scoring), self._legacy()
        seen = self._read(X, y, sample_weight)
        for_splitter, for_scorer = routed(self, sample_weight, params)
        labels = self.classes_[seen.codes]
        folds = list(check_cv(self.cv, labels, classifier=True).split(seen.rows, labels, **for_splitter))
        X = table(self, X, reset=False, sparse=True)
        held_out = HeldOut(X, labels, self.classes_, seen.weights, scorer, for_scorer)
        seen = seen.weighted(self._class_weights(seen))
        self.class_prior_ = self._shares(seen)
        self.design_ = self._designed(seen, grid.penalised)
        fold = delayed(self._fold)
        found = Parallel(n_jobs=self.n_jobs, verbose=self.verbose, prefer="threads")(
            fold(seen.taken(train), test, grid, held_out) for train, test in folds
        )
        self._check_converged([one for paths in found for path in paths for one, _ in path])
        self._choose(Paths.of(found, self.fit_intercept), grid, seen, legacy)

    def _legacy(self) -> bool:
        if isinstance(self.use_legacy_attributes, str):
            choose("use_legacy_attributes", self.use_legacy_attributes, ("warn",))
            warn(
                "The default value of use_legacy_attributes will change from True to False in scikit-learn 1.10: "
                "scores_, coefs_paths_ and n_iter_ are then arrays, C_ and l1_ratio_ numbers. Give one of them now.",
                FutureWarning,
            )
            return True
        choose("use_legacy_attributes", self.use_legacy_attributes, (True, False))
        return bool(self.use_legacy_attributes)

    def _class_weights(self, seen: Training) -> Array | None:
        """Of all rows, so that they are the same in all folds."""
        if isinstance(self.class_weight, dict) and not set(self.class_weight) <= set(self.classes_.tolist()):
            raise ValueError(
                f"class_weight must name classes, {self.classes_.tolist()}, got {list(self.class_weight)}."
            )
        return class_weights(self.class_weight, self.classes_, seen.codes, seen.weights)

    def _fold(self, seen: Training, test: Any, grid: Grid, held_out: HeldOut) -> list[list[tuple[Optimum, float]]]:
        """What is found along the grid, and its scores."""
        seen = seen.without_zero_weight()
        design = self._fold_design(seen)
        model = self._model(design)
        labels, terms = seen.labels(len(self.classes_)), self._terms(seen.rows, design, seen.complete)
        found = []
        for ratio in grid.ratios:
            path = likelihood_path(
                seen.rows,
                labels,
                terms=terms,
                penalties=grid.penalties(ratio),
                intercept=self.fit_intercept,
                tol=self.tol,
                max_iter=self.max_iter,
                origin=design.mean,
            )
            scores = []
            for one in path:
                model.coef_, model.intercept_ = one.coef, one.intercept
                scores.append(held_out.score(model, test))
            found.append(list(zip(path, scores, strict=True)))
        return found

    def _fold_design(self, seen: Training) -> Design:
        """The columns of all rows, with means and scales of some."""
        whole = self.design_
        assert whole is not None
        if whole.plain:
            return whole
        own = self._designed(seen, penalised=not whole.dropped.any())
        return replace(whole, mean=own.mean, centre=own.centre, scale=own.scale)

    def _model(self, design: Design) -> LogisticRegression:
        """What a scorer is given: a logistic regression that lacks its weights."""
        model = LogisticRegression(solver=self.solver, degree=self.degree, standardise=self.standardise)
        for name in ("classes_", "schema_", "degree_", "class_prior_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(model, name, getattr(self, name))
        model.design_ = design
        return model

    def _check_converged(self, found: list[Optimum]) -> None:
        late = sum(not one.converged for one in found)
        if late:
            warn(
                f"{self.solver} failed to converge in {late} of {len(found)} fits (max_iter={self.max_iter}). Increase "
                "the number of iterations (max_iter), or tol if this is close enough.",
                ConvergenceWarning,
            )

    def _choose(self, paths: Paths, grid: Grid, seen: Training, legacy: bool) -> None:
        """Keep the best penalty and its weights."""
        ratios = [grid.kind.ratio(ratio) for ratio in grid.ratios]
        if self.refit:
            ratio, C = paths.best()
            weights = self._refitted(paths.coefs[:, ratio, C].mean(axis=0), grid, (ratio, C), seen)
            best_C, best_ratio = float(grid.Cs[C]), ratios[ratio]
        else:
            ratio_of, C_of = paths.best_of_folds()
            weights = paths.coefs[np.arange(len(C_of)), ratio_of, C_of].mean(axis=0)
            best_C, best_ratio = float(np.mean(grid.Cs[C_of])), float(np.mean(np.asarray(ratios)[ratio_of]))
        self.coef_, self.intercept_ = self._parted(weights)
        self.Cs_, self.l1_ratios_ = grid.Cs, np.asarray(grid.ratios)
        if legacy:
            rows = len(weights)
            self.C_, self.l1_ratio_ = np.full(rows, best_C), np.full(rows, best_ratio)
            old = paths.attributes(self.classes_, grid.given)
            self.scores_, self.coefs_paths_, self.n_iter_ = old["scores_"], old["coefs_paths_"], old["n_iter_"]
        else:
            self.C_, self.l1_ratio_ = best_C, best_ratio
            self.scores_, self.coefs_paths_, self.n_iter_ = paths.scores, paths.coefs, paths.n_iter

    def _refitted(self, start: Array, grid: Grid, best: tuple[int, int], seen: Training) -> Array:
        """Weights of all rows for one of the penalties, from the mean of those of the folds."""
        seen = seen.without_zero_weight()
        ratio, C = best
        found = maximise_likelihood(
            seen.rows,
            seen.labels(len(self.classes_)),
            terms=self._terms(seen.rows, complete=seen.complete),
            penalty=grid.penalties(grid.ratios[ratio])[C],
            intercept=self.fit_intercept,
            tol=self.tol,
            max_iter=self.max_iter,
            origin=None if self.design_ is None else self.design_.mean,
            start=None if self.solver == "liblinear" else self._parted(start),  # as in scikit-learn
        )
        self._check_converged([found])
        return joined(found.coef, found.intercept, self.fit_intercept)

    def _parted(self, weights: Array) -> tuple[Array, Array]:
        """Weights and intercepts, of which the latter may be the last column."""
        if self.fit_intercept:
            return np.ascontiguousarray(weights[:, :-1]), np.ascontiguousarray(weights[:, -1])
        return weights, np.zeros(len(weights))

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, **score_params: Any) -> float:
        """Score of predictions for rows, by the metric that `scoring` names.

        Parameters
        ----------
        X : table of shape (n, d)
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
        **score_params
            For the scorer, where scikit-learn's metadata routing is enabled.
        """
        _raise_for_params(score_params, self, "score")
        if sample_weight is not None:
            score_params["sample_weight"] = sample_weight
        if _routing_enabled():
            score_params = process_routing(self, "score", **score_params).scorer.score
        return float(self._get_scorer()(self, X, y, **score_params))

    def get_metadata_routing(self) -> Any:
        """Where scikit-learn's metadata routing passes metadata to: the splitter and the scorer."""
        scored = MethodMapping().add(caller="score", callee="score").add(caller="fit", callee="score")
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
            .add(scorer=self._get_scorer(), method_mapping=scored)
        )

    def _get_scorer(self) -> Any:
        default = self.scoring is None or (isinstance(self.scoring, str) and self.scoring == "warn")
        return get_scorer("accuracy" if default else self.scoring)
