"""Outlier detection by densities: any density of the library, with scores of held-out rows."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array, is_sparse
from parzen.decisions.outlier_explanation import OutlierExplanation
from parzen.estimators.base.validation import drop_zero_weight, finite_rows, table, transactional, weights
from parzen.estimators.density.density import DensityEstimator
from parzen.estimators.outlier.default_density import default_family
from parzen.estimators.outlier.detector import BaseOutlierDetector, threshold
from parzen.estimators.outlier.explanation import any_missing, contributions, typical_values
from parzen.estimators.outlier.held_out import folds_of, held_out_scores, weight_option
from parzen.families.family import Family
from parzen.families.kernel import Kernel
from parzen.tables.cells import column_of, frame_kind, is_numeric


class DensityOutlier(BaseOutlierDetector):
    """Outliers are rows of low density: any density of the library as a scikit-learn outlier detector.

    Parameters
    ----------
    density : Family or density estimator, optional
        ``Kernel()``, ``Gaussian()``, ``Mixture(Gaussian(), 3)``, ``Product({...})``, ``GaussianMixture(5)``, or an
        estimator of scikit-learn (whose kernel density has no leave-one-out scores; ours has). By default, for numbers
        without missing values, a smooth kernel density (an exponential kernel whose bandwidth is each column's standard
        deviation); for other tables ``AutoColumns()``, in which each column has a density of its kind.
    contamination : "auto" or float
        The proportion of outliers. "auto": rows with a p-value below 0.01 are outliers, and the least likely hundredth
        of the rows in any case, so that one in a hundred rows that are no outliers is taken for one; `flagged` is
        stricter, and controls the false discovery rate instead.
    cv : int, splitter or None
        The folds by which scores of held-out rows are found (5 by default). Kernel densities use leave-one-out scores,
        whatever `cv` is. None: nothing is held out.
    random_state : int, RandomState instance or None
        Of the folds.

    Attributes
    ----------
    offset_ : float
        ``decision_function(X) = score_samples(X) - offset_``.
    scores_ : array of shape (n,)
        Log-densities of the rows of the fit, each held out.
    null_ : NullDistribution
        The distribution of log-densities of rows that are no outliers.
    tails_ : NumberTails or ScoreTail, or None
        The tail of the rows of the fit (see `p_values`): of their numbers, or of the scores of a given density.
    tail_p_values_ : array of shape (n,), or None
        P-values of the rows of the fit by it.
    estimator_ : density estimator
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    Notes
    -----
    A kernel density is too high at the rows of its fit. So `score_samples` gives the leave-one-out log-density of a row
    that equals one of them, and scores of fitted rows and of new ones can be compared.

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
    log-density -9.95, p = 2.1e-06
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
        """Fit the density to rows, and the null distribution to their held-out scores.

        Parameters
        ----------
        X : table of shape (n, d)
        y : ignored
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        X = table(self, X, reset=True, sparse=self._takes_sparse())
        given = weights(sample_weight, X)
        X, w = drop_zero_weight(X, given)
        model = self._model(X, w)
        self.estimator_ = clone(model).fit(X, **weight_option(w))
        scores = self.scores_ = self._scores(X)
        if not self._leaves_one_out() and self.cv is not None:
            self.scores_ = held_out_scores(model, X, w, folds_of(self.cv, X, given, self.random_state), scores)
        self.null_, self.offset_ = threshold(self.contamination, scores, self.scores_, w)
        self._find_tails(X if self.density is None else None, self.scores_, w)
        self.typical_ = None if is_sparse(X) else typical_values(X)
        self.dtypes_ = [column_of(X, j).dtype for j in range(X.shape[1])] if frame_kind(X) else None

    def _model(self, X: Any, w: Array | None) -> Any:
        """The density estimator, not fitted."""
        density = self.density
        if density is None:
            return DensityEstimator(default_family(X, w))
        if isinstance(density, Family):
            return DensityEstimator(density, random_state=self.random_state)
        if not hasattr(density, "score_samples") or not hasattr(density, "fit"):
            raise TypeError(
                "density must be a family such as Gaussian(), or an estimator with fit and score_samples such as "
                f"KernelDensity(), got {type(density).__name__}."
            )
        return density

    def _leaves_one_out(self) -> bool:
        """Whether the density keeps its rows, so that their scores are leave-one-out scores already."""
        density = getattr(self.estimator_, "density_", None)
        return bool(getattr(density, "keeps_rows", False))

    def _scores(self, X: Any) -> Array:
        """Log-densities of the rows of a checked table; leave-one-out where the density keeps its rows."""
        score = getattr(self.estimator_, "leave_one_out", self.estimator_.score_samples)
        return np.asarray(score(X), dtype=np.float64)

    def score_samples(self, X: Any) -> Array:
        """Log-density of each row, (n,), low for outliers; leave-one-out for a row of a kernel density's fit."""
        return self._scores(self._later(X))

    def _later(self, X: Any) -> Any:
        """A later table; missing values are looked for here, where the density doesn't take them."""
        check_is_fitted(self, "estimator_")
        X = table(self, X, reset=False, sparse=self._takes_sparse())
        if self.density is None and isinstance(self.estimator_.family, Kernel) and any_missing(X):
            raise ValueError(
                "Input X contains NaN, but the rows of the fit had no missing values, and the kernel density that was "
                "chosen for them doesn't take any; give density=AutoColumns(), or Gaussian()."
            )
        return X if self._takes_missing() or not is_numeric(X) else finite_rows(X)

    def _held_out_scores(self) -> Array:
        return self.scores_

    def _compared(self, X: Any) -> tuple[Any, Array]:
        X = self._later(X)
        return X, self._scores(X)

    def explain(self, X: Any) -> OutlierExplanation:
        """Contribution of each column to the low log-density of each row.

        Each value is replaced by typical values of its column among the rows of the fit; the contribution is the rise
        of the log-density with the most likely of them. A missing value contributes nothing.

        Returns
        -------
        OutlierExplanation
            With `contributions` (n, d) in units of the log-density, `typical` values, `text(row)` and `plot(row)`.
        """
        X = self._later(X)
        if self.typical_ is None:
            raise TypeError("explain needs a dense table, but the density was fitted to a sparse matrix.")
        scores = self._scores(X)
        labels = list(X.columns) if frame_kind(X) else list(getattr(self, "feature_names_in_", []))
        labels = labels or [f"column {j}" for j in range(X.shape[1])]
        gains, likely = contributions(self._scores, X, self.typical_, scores, self.dtypes_)
        p = self._p_values(scores, self._tail_p_values(X, scores))
        return OutlierExplanation(scores, p, gains, likely, labels, X)

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
