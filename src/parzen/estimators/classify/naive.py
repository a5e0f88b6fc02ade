"""Naive Bayes under the names that people know: drop-ins for scikit-learn's, with missing cells, weights and more."""

import warnings
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels
from parzen.conjugate import Beta, Dirichlet
from parzen.densities.categorical import BernoulliDensity, CategoricalDensity
from parzen.densities.counts import MultinomialDensity
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.linear import Linear
from parzen.estimators.classify.bayes import NaiveClassifier
from parzen.families.bernoulli import Bernoulli
from parzen.families.categorical import Categorical
from parzen.families.family import Family
from parzen.families.gaussian import Gaussian
from parzen.families.multinomial import Multinomial, complement_weights
from parzen.statistics.accumulate import Evaluated
from parzen.statistics.counts import Counts
from parzen.statistics.moments import Moments
from parzen.statistics.sums import Sums
from parzen.tables.cells import holds_codes
from parzen.tables.schema import bare_schema


class GaussianNB(NaiveClassifier):
    """Gaussian naive Bayes: a drop-in for scikit-learn's `GaussianNB`.

    It takes missing cells (which weigh nothing), merges, samples, explains, and `partial_fit` equals `fit`: smoothing
    is of the variance of all rows so far, not of the last batch.

    Parameters
    ----------
    priors : sequence, dict or "uniform", optional
        By default the frequencies of the classes.
    var_smoothing : float
        Added to every variance, in units of the largest variance of a column.

    Attributes
    ----------
    classes_, class_count_, class_prior_ : arrays of shape (K,)
    theta_, var_ : arrays of shape (K, d)
        Means and variances (with `epsilon_`).
    epsilon_ : float
        What was added to the variances.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> GaussianNB().fit(X, y).score(X, y)
    0.96
    """

    density_: GaussianDensity
    statistic_: Moments

    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing

    def _given_class_prior(self) -> Any:
        return self.priors

    def _family(self) -> Family:
        if not isinstance(self.var_smoothing, Real) or not 0 <= self.var_smoothing < np.inf:
            raise ValueError(f"var_smoothing must be a number, at least 0, got {self.var_smoothing!r}.")
        return Gaussian("diag", smoothing=self.var_smoothing)

    @property
    def theta_(self) -> Array:
        """Means, (K, d)."""
        return self.density_.mean

    @property
    def var_(self) -> Array:
        """Variances, (K, d)."""
        return self.density_.factor**2

    @property
    def epsilon_(self) -> float:
        """What was added to the variances."""
        family: Any = self.given_
        return float(family.smoothing * self.statistic_.pooled().variances().max())


class DiscreteNB(NaiveClassifier):
    """What naive Bayes over counts has in common: smoothing, and priors."""

    alpha: Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any

    _has_log_odds = False

    def _given_class_prior(self) -> Any:
        if self.class_prior is not None:
            return self.class_prior
        return None if self.fit_prior else "uniform"

    def _smoothing(self) -> Array | float:
        """Alpha, one number or one for each column; zero where maximum likelihood is asked for."""
        try:
            alpha = np.asarray(self.alpha, dtype=np.float64)
        except (TypeError, ValueError):
            alpha = np.empty((0, 0))
        if alpha.ndim > 1 or not alpha.size or isinstance(self.alpha, str):
            raise ValueError(f"alpha must be a number, or one for each column, got {self.alpha!r}.")
        if not (np.isfinite(alpha) & (alpha >= 0)).all():
            raise ValueError(f"alpha must be at least 0 and finite, got {self.alpha!r}.")
        if alpha.min() < 1e-10 and not self.force_alpha:
            warnings.warn("alpha is below 1e-10 and was raised to it; force_alpha=True keeps it.", stacklevel=2)
            alpha = np.maximum(alpha, 1e-10)
        if alpha.any() and not alpha.all():
            raise ValueError("alpha must be above 0 in every column, or 0 for all: maximum likelihood.")
        columns = getattr(self, "n_features_in_", None)
        if alpha.ndim and columns is not None and len(alpha) != columns:
            raise ValueError(
                f"When alpha is an array, it must have n_features numbers: there are {columns} columns, but "
                f"{len(alpha)} numbers in alpha."
            )
        return alpha if alpha.ndim else float(alpha)

    @property
    def class_log_prior_(self) -> Array:
        """Logs of the priors, (K,)."""
        return self._log_prior()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


class BernoulliNB(DiscreteNB):
    """Naive Bayes over columns of zeros and ones: a drop-in for scikit-learn's `BernoulliNB`. Dense or CSR.

    Parameters
    ----------
    alpha : float, or one for each column
        Smoothing: as if each column had been 0 in alpha more rows, and 1 in alpha more.
    force_alpha : bool
        Whether an alpha below 1e-10 is used as it is.
    binarize : float or None
        Cells above it are ones. None: cells are 0 and 1.
    fit_prior : bool
        Whether priors are learnt; else they are equal.
    class_prior : sequence, dict or "uniform", optional

    Attributes
    ----------
    classes_, class_count_, class_prior_, class_log_prior_ : arrays of shape (K,)
    feature_count_, feature_log_prob_ : arrays of shape (K, d)
        Weight of ones, and logs of their probabilities.

    Examples
    --------
    >>> from parzen import BernoulliNB
    >>> model = BernoulliNB().fit([[1, 0], [1, 1], [0, 1], [0, 1]], ["a", "a", "b", "b"])
    >>> model.predict_proba([[1, float("nan")]])        # the second column is not known
    array([[0.75, 0.25]])
    """

    density_: BernoulliDensity
    statistic_: Counts

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, binarize: float | None = 0.0, fit_prior: bool = True,
        class_prior: Any = None,
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _family(self) -> Family:
        alpha = self._smoothing()
        if self.binarize is not None and not (isinstance(self.binarize, Real) and np.isfinite(self.binarize)):
            raise ValueError(f"binarize must be a number, or None, got {self.binarize!r}.")
        if not np.any(alpha):
            return Bernoulli(estimate="ml", threshold=self.binarize)
        return Bernoulli(Beta(alpha, alpha), threshold=self.binarize)

    @property
    def feature_count_(self) -> Array:
        """Weight of the ones, (K, d)."""
        return self.statistic_.counts[:, 1::2]

    @property
    def feature_log_prob_(self) -> Array:
        """Logs of the probabilities of ones, (K, d)."""
        return self.density_.log_success


class CountsNB(DiscreteNB):
    """What naive Bayes over rows of counts has in common: a smoothed multinomial."""

    statistic_: Sums

    def _family(self) -> Family:
        alpha = self._smoothing()
        return Multinomial(Dirichlet(alpha), "mean") if np.any(alpha) else Multinomial(estimate="ml")

    @property
    def feature_count_(self) -> Array:
        """Weighted total of each column in each class, (K, d)."""
        return self.statistic_.totals


class MultinomialNB(CountsNB):
    """Naive Bayes over rows of counts, such as words: a drop-in for scikit-learn's `MultinomialNB`. Dense or CSR.

    A missing count leaves a multinomial of the others, given their total.

    Parameters
    ----------
    alpha : float, or one for each column
        Smoothing: as if alpha more of each column had been counted.
    force_alpha, fit_prior, class_prior : as of `BernoulliNB`

    Attributes
    ----------
    classes_, class_count_, class_prior_, class_log_prior_ : arrays of shape (K,)
    feature_count_, feature_log_prob_ : arrays of shape (K, d)

    Examples
    --------
    >>> from parzen import MultinomialNB
    >>> words = [[2, 1, 0, 0, 0, 0], [2, 0, 1, 0, 0, 0], [1, 0, 0, 1, 0, 0], [1, 0, 0, 0, 1, 1]]
    >>> model = MultinomialNB().fit(words, ["China", "China", "China", "Japan"])
    >>> model.predict_proba([[3, 0, 0, 0, 1, 1]]).round(4)        # Introduction to Information Retrieval, 13.1
    array([[0.6898, 0.3102]])
    """

    density_: MultinomialDensity

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    @property
    def feature_log_prob_(self) -> Array:
        """Logs of the probabilities of the columns, (K, d)."""
        return self.density_.log_probability


class ComplementNB(CountsNB):
    """Naive Bayes by the words of the other classes (Rennie et al. 2003): scikit-learn's `ComplementNB`. Dense or CSR.

    It scores a class by how badly the others explain a row, and ignores priors unless they are given at prediction.
    That is no density: `log_joint`, `score_samples` and `sample` are those of the multinomial of the same counts.

    Parameters
    ----------
    alpha, force_alpha, fit_prior, class_prior : as of `MultinomialNB`
    norm : bool
        Whether the weights of each class are divided by their sum.

    Attributes
    ----------
    classes_, class_count_, class_prior_, class_log_prior_ : arrays of shape (K,)
    feature_count_, feature_log_prob_ : arrays of shape (K, d)
        Counts, and the weights of the columns.
    feature_all_ : array of shape (d,)

    Examples
    --------
    >>> from parzen import ComplementNB
    >>> words = [[2, 1, 0, 0, 0, 0], [2, 0, 1, 0, 0, 0], [1, 0, 0, 1, 0, 0], [1, 0, 0, 0, 1, 1]]
    >>> ComplementNB().fit(words, ["China", "China", "China", "Japan"]).predict([[3, 0, 0, 0, 1, 1]])
    array(['Japan'], dtype='<U5')
    """

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None,
        norm: bool = False,
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm

    def _finish(self, rows: Any = None, R: Labels | None = None) -> None:
        self.feature_log_prob_ = complement_weights(self.statistic_.totals, self._smoothing(), self.norm)

    def _scores(self) -> Evaluated:
        return Linear(self.feature_log_prob_, np.zeros(len(self.classes_)), skips_missing=True)

    def _prior_in_scores(self) -> Array:
        return np.zeros(len(self.classes_))

    @property
    def feature_all_(self) -> Array:
        """Weighted total of each column, (d,)."""
        return self.statistic_.totals.sum(axis=0)


class CategoricalNB(DiscreteNB):
    """Naive Bayes over columns of categories: a drop-in for scikit-learn's `CategoricalNB`.

    Cells are codes 0, 1, ... (NaN where missing) and a column has as many categories as its largest code says; or they
    are text or anything else, and a column has the categories that it holds. An unseen category adds
    nothing at prediction.

    Parameters
    ----------
    alpha : float
        Smoothing: as if each category of each column had been seen alpha times more.
    force_alpha, fit_prior, class_prior : as of `BernoulliNB`
    min_categories : int or sequence of int, optional
        How many categories every column (or each) has at least, where cells are codes.

    Attributes
    ----------
    classes_, class_count_, class_prior_, class_log_prior_ : arrays of shape (K,)
    category_count_, feature_log_prob_ : lists of d arrays of shape (K, categories)
    n_categories_ : array of shape (d,)

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import CategoricalNB
    >>> model = CategoricalNB().fit([[0, 1], [0, 2], [1, 0], [1, 2]], ["a", "a", "b", "b"])
    >>> model.predict_proba([[0, 2], [7, np.nan]]).round(3)
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    >>> CategoricalNB().fit([["red"], ["blue"]], ["stop", "go"]).predict([["red"]])
    array(['stop'], dtype='<U4')
    """

    density_: CategoricalDensity
    statistic_: Counts

    def __init__(
        self, *, alpha: float = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None,
        min_categories: Any = None,
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories

    def _family(self) -> Family:
        alpha = self._smoothing()
        if np.ndim(alpha):
            raise ValueError(f"alpha must be one number for all categories, got {self.alpha!r}.")
        least: Any = None
        if self.min_categories is not None:
            given = np.asarray(self.min_categories)
            if given.dtype.kind not in "iu" or given.ndim > 1 or (given < 1).any():
                raise ValueError(
                    f"'min_categories' should have integral type, at least 1, got {self.min_categories!r}."
                )
            least = int(given) if given.ndim == 0 else given.tolist()
            columns = getattr(self, "n_features_in_", given.size)
            if given.ndim and given.size != columns:
                raise ValueError(f"'min_categories' should have shape ({columns},), one for each column, got {least}.")
        if not alpha:
            return Categorical(estimate="ml", unseen="missing", least=least)
        return Categorical(Dirichlet(alpha), unseen="missing", least=least)

    def _bind(self, X: Any) -> Any:
        if not holds_codes(X):
            if isinstance(X, np.ndarray) and X.dtype.kind == "f":
                self._refuse_negative(X)
            return super()._bind(X)
        self.family_, self.schema_ = self.given_, bare_schema(X)
        return self._encoded(X, grow=True)

    def _encoded(self, X: Any, grow: bool) -> Any:
        rows = super()._encoded(X, grow)
        if grow:
            self._refuse_negative(rows)
        return rows

    def _refuse_negative(self, rows: Any) -> None:
        least = np.min if rows.dtype.kind in "biu" else np.fmin.reduce
        if least(rows, axis=None) < 0:
            raise ValueError(
                f"Negative values in data passed to CategoricalNB: X holds {np.nanmin(rows):g}, but codes are 0, 1, "
                "..., and a missing cell is NaN."
            )

    @property
    def n_categories_(self) -> NDArray[np.int64]:
        """How many categories each column has, (d,)."""
        return np.array([size - self.density_.open_ended for size in self.density_.sizes], dtype=np.int64)

    @property
    def category_count_(self) -> list[Array]:
        """Weight of each category of each column."""
        sizes = tuple(int(size) for size in self.n_categories_)
        return self.statistic_.resized(sizes).columns()

    @property
    def feature_log_prob_(self) -> list[Array]:
        """Logs of the probabilities of the categories of each column."""
        return [column[:, :size] for column, size in zip(self.density_.columns(), self.n_categories_, strict=True)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical, tags.input_tags.positive_only = True, True
        return tags
