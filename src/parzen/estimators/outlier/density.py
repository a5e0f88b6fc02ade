"""Outlier detection by densities: any density of the library, scored by rows it has not seen."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OutlierMixin, clone
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array, is_sparse
from parzen.compute.checks import choose
from parzen.decisions.explanation import OutlierExplanation
from parzen.decisions.p_values import NullDistribution, false_discoveries
from parzen.estimators.base.validation import drop_zero_weight, finite, finite_rows, table, transactional, weights
from parzen.estimators.density.density import DensityEstimator
from parzen.estimators.outlier.contributions import any_missing, replaced, typical
from parzen.families.auto_columns import AutoColumns
from parzen.families.family import Family
from parzen.families.kernel import Kernel
from parzen.smoothing.sums import effective_rows
from parzen.storage.files import SaveMixin
from parzen.tables.cells import column_of, frame_kind, is_numeric, letter_of
from parzen.tables.schema import bare_schema

#: The p-value below which a row is predicted to be an outlier, where no share of outliers is given.
LEVEL = 0.01
#: How p-values may be found.
METHODS = ("tail", "ranks")


class BaseOutlierDetector(SaveMixin, OutlierMixin, BaseEstimator):
    """What follows from scores: decisions, p-values, and flags at a false discovery rate.

    A score is low where a row is unlikely; an outlier's decision is below zero and its prediction -1.
    """

    contamination: Any
    offset_: float
    null_: NullDistribution

    @abstractmethod
    def score_samples(self, X: Any) -> Array:
        """How ordinary each row is, (n,): the lower, the more of an outlier."""

    def _decide(self, scores: Array, left_out: Array, w: Array | None = None) -> None:
        """Learn where outliers begin, from scores of the rows and from those which they have when left out."""
        share = self.contamination
        w = None if w is None else w * (effective_rows(w, len(w)) / w.sum())
        self.null_ = NullDistribution.of(left_out, w)
        if isinstance(share, str) and share == "auto":
            self.offset_ = max(self.null_.score_at(LEVEL), self.null_.quantile(LEVEL))
            return
        if isinstance(share, bool) or not isinstance(share, int | float | np.number) or not 0 < share <= 0.5:
            raise ValueError(f"contamination must be 'auto', or a share above 0 and at most 0.5, got {share!r}.")
        self.offset_ = _percentile(_bounded(scores), w, float(share))

    def decision_function(self, X: Any) -> Array:
        """Score of each row less `offset_`: below zero it is an outlier."""
        with np.errstate(over="ignore"):
            return _bounded(self.score_samples(X)) - self.offset_

    def predict(self, X: Any) -> NDArray[np.int64]:
        """-1 for outliers, 1 for the others."""
        scores = self.score_samples(X)
        return np.where(_bounded(scores) < self.offset_, -1, 1)

    def p_values(self, X: Any = None, *, method: str = "tail") -> Array:
        """Probability that an ordinary row is as unlikely as each of these; without X, as those learnt from.

        Parameters
        ----------
        method : "tail" or "ranks"
            "tail": a generalised Pareto tail, fitted to the scores of rows that were left out so that outliers among
            them don't move it. "ranks": the share of those scores that are as low (conformal p-values), which assumes
            nothing but that they are of ordinary rows; it can't be below 1 / (n + 1), and finds no outliers among the
            very rows that it compares with.
        """
        check_is_fitted(self, "null_")
        choose("method", method, METHODS)
        scores = self._left_out() if X is None else self._new_scores(X)
        return self.null_.p_values(scores) if method == "tail" else self.null_.ranks(scores)

    def flagged(self, X: Any = None, *, fdr: float = 0.05, method: str = "tail") -> NDArray[np.bool_]:
        """Which rows are outliers at a false discovery rate (Benjamini and Hochberg); without X, of those learnt from.

        Parameters
        ----------
        fdr : share of the flags that may be false, on average
        """
        return false_discoveries(self.p_values(X, method=method), fdr)

    @abstractmethod
    def _left_out(self) -> Array:
        """Scores of the rows that were learnt from, each left out."""

    def _new_scores(self, X: Any) -> Array:
        """Scores that compare with those."""
        return self.score_samples(X)


class DensityOutlier(BaseOutlierDetector):
    """Outliers are rows of low density: any density of the library as a scikit-learn outlier detector.

    Parameters
    ----------
    density : Family or density estimator, optional
        What is fitted: ``Kernel()``, ``Gaussian()``, ``Mixture(Gaussian(), 3)``, ``Product({...})``,
        ``GaussianMixture(5)``, or scikit-learn's (whose kernel density does not leave out the rows that it has learnt
        from when they are scored; ours does). By default, of numbers without missing cells, a smooth kernel density
        (an exponential kernel whose bandwidth is each column's standard deviation); of other tables ``AutoColumns()``, in
        which each column has a density of its kind.
    contamination : "auto" or float
        The share of the rows that are outliers. "auto": those with a p-value below 0.01, and the least likely
        hundredth of the rows in any case, so that one in a hundred ordinary rows is taken for an outlier; `flagged` is
        stricter, and asks for a false discovery rate instead.
    cv : int, splitter or None
        How rows are left out to learn how they score (5 folds by default). Kernel densities leave out each row alone,
        whatever `cv` is. None: nothing is left out.
    random_state : int, RandomState instance or None
        Of the folds.

    Attributes
    ----------
    offset_ : float
        ``decision_function(X) = score_samples(X) - offset_``.
    scores_ : array of shape (n,)
        Log-densities of the rows that were learnt from, each left out.
    null_ : NullDistribution
        What log-densities of ordinary rows look like.
    estimator_ : density estimator
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    Notes
    -----
    A row that a kernel density has learnt from would find itself: `score_samples` asks all the others instead, where a
    row equals one that was learnt from. So rows that were learnt from and new ones can be compared.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import DensityOutlier
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(size=(300, 2)), [[6.0, 6.0], [-7.0, 5.0]]])
    >>> model = DensityOutlier().fit(X)
    >>> np.flatnonzero(model.flagged())
    array([300, 301])
    >>> model.predict([[0.0, 0.0], [9.0, 0.0]])
    array([ 1, -1])
    >>> print(model.explain([[0.0, 9.0]]))
    log-density -9.95, p = 1.6e-08
      column 1 = 9 (-0.0498 would be likely)  +6.92
      column 0 = 0                            +0.00
    """

    def __init__(
        self,
        density: Any = None,
        contamination: str | float = "auto",
        *,
        cv: Any = 5,
        random_state: Any = None,
    ) -> None:
        self.density = density
        self.contamination = contamination
        self.cv = cv
        self.random_state = random_state

    @transactional
    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> None:
        """Fit the density to rows, and learn how they score when they are left out.

        Parameters
        ----------
        X : table of shape (n, d)
        y : ignored
        sample_weight : array of shape (n,), optional
            How much a row counts in the density.

        Returns
        -------
        self
        """
        X = table(self, X, reset=True, sparse=self._takes_sparse())
        w = weights(sample_weight, X)
        kept = np.arange(X.shape[0]) if w is None else np.cumsum(w > 0) - np.where(w > 0, 1, X.shape[0] + 1)
        X, w = drop_zero_weight(X, w)
        model = self._model(X, w)
        self.estimator_ = clone(model).fit(X, **_weighing(w))
        scores = self._scores(X)
        self.scores_ = scores if self._keeps_rows or self.cv is None else self._crossed(model, X, w, scores, kept)
        self._decide(scores, self.scores_, w)
        self.typical_ = None if is_sparse(X) else typical(X)
        self.dtypes_ = [column_of(X, j).dtype for j in range(X.shape[1])] if frame_kind(X) else None

    def _model(self, X: Any, w: Array | None) -> Any:
        density = self.density
        if density is None:
            return DensityEstimator(_smooth(X, w))
        if isinstance(density, Family):
            return DensityEstimator(density, random_state=self.random_state)
        if not hasattr(density, "score_samples") or not hasattr(density, "fit"):
            raise TypeError(
                "density must be a family such as Gaussian(), or an estimator with fit and score_samples such as "
                f"KernelDensity(), got {type(density).__name__}."
            )
        return density

    @property
    def _keeps_rows(self) -> bool:
        density = getattr(self.estimator_, "density_", None)
        return bool(getattr(density, "keeps_rows", False))

    def _crossed(self, model: Any, X: Any, w: Array | None, scores: Array, kept: NDArray[np.int64]) -> Array:
        """Scores of rows under densities that were fitted to the other folds; `kept` is where each row given is now."""
        folds = self.cv
        if isinstance(folds, int | np.integer) and not isinstance(folds, bool):
            if folds < 2:
                raise ValueError(
                    f"cv must be 2 folds or more, a splitter, or None to leave nothing out, got {folds!r}."
                )
            codes = _same_rows(X)
            count = int(codes.max()) + 1
            folds = min(int(folds), count // 2)
            if folds < 2:
                return scores  # too few different rows to leave any out
            fold = (np.random.default_rng(_seed(self.random_state)).permutation(count) % folds)[codes]
            parts = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(int(folds))]
        else:
            splits = check_cv(folds).split(np.zeros((len(kept), 1)))
            parts = [tuple(kept[side][kept[side] >= 0] for side in split) for split in splits]
            if not np.array_equal(np.sort(np.concatenate([part for _, part in parts])), np.arange(X.shape[0])):
                raise ValueError(f"cv must leave out every row once, but {folds!r} doesn't; use KFold, or a number.")
        out = np.array(scores)
        for rest, part in parts:
            one = clone(model).fit(_rows(X, rest), **_weighing(None if w is None else w[rest]))
            out[part] = one.score_samples(_rows(X, part))
        return out

    def _scores(self, X: Any) -> Array:
        leave_one_out = getattr(self.estimator_, "leave_one_out", None)
        return np.asarray(
            self.estimator_.score_samples(X) if leave_one_out is None else leave_one_out(X), dtype=np.float64
        )

    def score_samples(self, X: Any) -> Array:
        """Log-density of each row, (n,): low for outliers. One that a kernel density learnt from is asked of others."""
        check_is_fitted(self, "estimator_")
        return self._scores(self._later(X))

    def _later(self, X: Any) -> Any:
        X = table(self, X, reset=False, sparse=self._takes_sparse())
        if self.density is None and isinstance(self.estimator_.family, Kernel) and any_missing(X):
            raise ValueError(
                "Input X contains NaN, but the rows learnt from had no missing cells, and the density that was taken "
                "for them can't leave cells out; give density=AutoColumns(), or Gaussian()."
            )
        return X if self._takes_missing() or not is_numeric(X) else finite_rows(X)

    def _left_out(self) -> Array:
        return self.scores_

    def explain(self, X: Any) -> OutlierExplanation:
        """Which columns make rows unlikely: how much likelier each were if a column held what goes with the others.

        Each cell is replaced by values that the column had among the rows learnt from, and the likeliest is taken. A
        missing cell explains nothing.

        Returns
        -------
        OutlierExplanation
            With `contributions` (n, d) in units of the log-density, `typical` values, `text(row)` and `plot(row)`.
        """
        check_is_fitted(self, "estimator_")
        if self.typical_ is None:
            raise TypeError("explain takes dense tables, but the density was fitted to a sparse matrix.")
        X = self._later(X)
        scores = self._scores(X)
        labels = list(X.columns) if frame_kind(X) else list(getattr(self, "feature_names_in_", []))
        labels = labels or [f"column {j}" for j in range(X.shape[1])]
        likeliest, typical = replaced(self._scores, X, self.typical_, scores, self.dtypes_)
        return OutlierExplanation(scores, self.null_.p_values(scores), likeliest, typical, labels, X)

    def _takes_sparse(self) -> bool:
        return bool(isinstance(self.density, Family) and self.density.takes_sparse)

    def _takes_missing(self) -> bool:
        if self.density is None:
            return True
        if isinstance(self.density, Family):
            return bool(self.density.takes_missing)
        try:
            return bool(get_tags(self.density).input_tags.allow_nan)
        except (AttributeError, TypeError):
            return False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_missing()
        tags.input_tags.sparse = self._takes_sparse()
        return tags


def _smooth(X: Any, w: Array | None) -> Family:
    """The density that is taken where none is given."""
    if frame_kind(X) and all(letter_of(column_of(X, j), j) == "c" for j in range(X.shape[1])):
        X = bare_schema(X).encode(X)
    if not is_numeric(X) or np.isnan(X.sum()):
        if is_numeric(X):
            finite(X)
        return AutoColumns()
    rows = np.asarray(finite(X), dtype=np.float64)
    off = rows - rows[0]
    spread = np.sqrt(np.average((off - np.average(off, axis=0, weights=w)) ** 2, axis=0, weights=w))
    return Kernel(np.where(spread > 0, spread, 1.0), "exponential")


def _rows(X: Any, places: NDArray[np.int64]) -> Any:
    return X.iloc[places] if frame_kind(X) == "pandas" else X[places]


def _same_rows(X: Any) -> NDArray[np.int64]:
    """Numbers of the rows, the same for equal ones: these are left out together."""
    if is_numeric(X):
        return np.unique(X, axis=0, return_inverse=True)[1].reshape(-1)
    if is_sparse(X):
        return np.arange(X.shape[0])
    seen: dict[str, int] = {}
    rows = X.to_numpy() if frame_kind(X) else X
    return np.array([seen.setdefault(repr(row), len(seen)) for row in rows.tolist()], dtype=np.int64)


def _bounded(scores: Array) -> Array:
    """Scores as numbers: rows of no density at all are equally unlikely."""
    return np.maximum(scores, np.finfo(np.float64).min)


def _percentile(scores: Array, w: Array | None, share: float) -> float:
    """The score below which a share of the rows lies: NumPy's percentile of rows that count as often as they weigh."""
    if w is None:
        return float(np.percentile(scores, 100.0 * share))
    order = np.argsort(scores, kind="stable")
    below = np.cumsum(w[order])
    place = share * max(below[-1] - 1.0, 0.0)
    left, right = (
        scores[order[min(int(np.searchsorted(below, at, side="right")), len(order) - 1)]]
        for at in (np.floor(place), np.floor(place) + 1.0)
    )
    return float(left + (place - np.floor(place)) * (right - left))


def _weighing(w: Array | None) -> dict[str, Array]:
    return {} if w is None else {"sample_weight": w}


def _seed(random_state: Any) -> Any:
    return random_state if isinstance(random_state, int | np.integer) else 0
