"""Local density factors: outliers relative to their nearest neighbours."""

import warnings
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.estimators.base.validation import finite_rows, table, transactional
from parzen.estimators.outlier.detector import BaseOutlierDetector, threshold
from parzen.estimators.outlier.neighbours import nearest_rows, neighbour_index
from parzen.statistics.messages import caller_stacklevel
from parzen.tables.schema import bare_schema


def _is_novelty(model: Any) -> bool:
    if not model.novelty:
        raise AttributeError(
            "new rows are scored with novelty=True only; for the rows of the fit use fit_predict, "
            "negative_outlier_factor_, p_values() and flagged()."
        )
    return True


def _is_transductive(model: Any) -> bool:
    if model.novelty:
        raise AttributeError("fit_predict needs novelty=False; with novelty=True use predict on new rows.")
    return True


class LocalDensityFactor(BaseOutlierDetector):
    r"""Outliers are rows whose density is low compared with that of their neighbours.

    The density at a row is estimated from its k nearest neighbours (Latecki, Lazarevic and Pokrajac 2007),
    :math:`LDE(x) = \frac{1}{k} \sum_y (h d_k(y))^{-d} \exp(-r(x, y)^2 / (2 h^2 d_k(y)^2))`, where :math:`d_k(y)` is the
    distance of y to its own k-th neighbour and :math:`r(x, y) = \max(|x - y|, d_k(y))`. The factor compares it with
    theirs: :math:`LDF(x) = \overline{LDE(y)} / (LDE(x) + c \overline{LDE(y)})`, which is 1 / (1 + c) where they are
    equal, and 1 / c at most.

    Parameters
    ----------
    n_neighbors : int
        k; at most the number of rows minus one.
    bandwidth : float
        h, in units of the neighbours' distances d_k.
    c : float
        The bound of the factor is 1 / c.
    contamination : "auto" or float
        See `parzen.DensityOutlier`.
    novelty : bool
        False: outliers among the rows of the fit, by `fit_predict`. True: outliers among new rows, by `predict`,
        `score_samples` and `decision_function`, as in scikit-learn's LocalOutlierFactor.
    n_jobs : int, optional
        For the search for neighbours.

    Attributes
    ----------
    negative_outlier_factor_ : array of shape (n,)
        -LDF of the rows of the fit.
    log_density_ : array of shape (n,)
        Logarithm of LDE, up to a constant.
    offset_ : float
        The score of an outlier is below it.
    n_neighbors_ : int
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import LocalDensityFactor
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(0, 0.1, (100, 2)), rng.normal(5, 2, (100, 2)), [[0.0, 1.5]]])
    >>> model = LocalDensityFactor().fit(X)
    >>> model.negative_outlier_factor_[[0, 150, 200]].round(2)
    array([ -0.85,  -1.14, -10.  ])
    >>> bool(model.p_values()[200] < 0.005)
    True
    """

    def __init__(
        self,
        n_neighbors: int = 20,
        *,
        bandwidth: float = 1.0,
        c: float = 0.1,
        contamination: str | float = "auto",
        novelty: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.bandwidth = bandwidth
        self.c = c
        self.contamination = contamination
        self.novelty = novelty
        self.n_jobs = n_jobs

    @transactional
    def fit(self, X: Any, y: Any = None) -> None:
        """Compare the density at each row with that at its nearest neighbours.

        Returns
        -------
        self
        """
        rows = self._read(X, reset=True)
        n = len(rows)
        if n < 2:
            raise ValueError(f"one row (n_samples = {n}) has no neighbours; give at least two rows.")
        self._check()
        if self.n_neighbors >= n:
            warnings.warn(
                f"n_neighbors ({self.n_neighbors}) is above the number of other rows; {n - 1} are used.",
                UserWarning,
                stacklevel=caller_stacklevel(),
            )
        self.n_neighbors_ = min(int(self.n_neighbors), n - 1)
        self.centre_ = np.median(rows, axis=0)
        self.rows_ = rows - self.centre_
        self.__dict__.pop("neighbours_", None)  # of an earlier fit
        distance, nearest = nearest_rows(self.neighbours_, self.rows_)
        farthest = distance[:, -1]
        positive = farthest[farthest > 0]
        # Where k rows are equal the distance is 0: the least positive one is used instead.
        self.reach_ = np.maximum(farthest, positive.min()) if len(positive) else np.ones(n)
        self.log_density_ = self._log_density(distance, nearest)
        self.log_ratio_ = self._log_ratio(self.log_density_, nearest)
        self.negative_outlier_factor_ = -self._factor(self.log_ratio_)
        self.null_, offset = threshold(self.contamination, self.log_ratio_, self.log_ratio_)
        self._find_tails(None, self.log_ratio_, None)
        self.offset_ = float(-self._factor(np.array([offset]))[0])

    @cached_property
    def neighbours_(self) -> NearestNeighbors:
        """The index of nearest neighbours."""
        return neighbour_index(self.rows_, self.n_neighbors_, self.n_jobs)

    def _check(self) -> None:
        k = self.n_neighbors
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise ValueError(f"n_neighbors must be a whole number, at least 1, got {k!r}.")
        for name in ("bandwidth", "c"):
            value = getattr(self, name)
            number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
            if not number or not (0 < value < np.inf):
                raise ValueError(f"{name} must be a number above 0, got {value!r}.")

    def _read(self, X: Any, reset: bool) -> Array:
        X = table(self, X, reset=reset, sparse=False)
        return np.asarray(finite_rows(bare_schema(X).encode(X)), dtype=np.float64)

    def _log_density(self, distance: Array, nearest: NDArray[np.int64]) -> Array:
        width = self.bandwidth * self.reach_[nearest]
        far = np.maximum(distance, self.reach_[nearest])
        terms = -self.rows_.shape[1] * np.log(width) - 0.5 * (far / width) ** 2
        return np.asarray(logsumexp(terms, axis=1) - np.log(terms.shape[1]))

    def _log_ratio(self, log_density: Array, nearest: NDArray[np.int64]) -> Array:
        """Log of the density of each row over the mean of its neighbours' densities."""
        k = nearest.shape[1]
        return np.asarray(log_density - (logsumexp(self.log_density_[nearest], axis=1) - np.log(k)))

    def _factor(self, log_ratio: Array) -> Array:
        with np.errstate(over="ignore"):
            return 1.0 / (np.exp(np.minimum(log_ratio, 700.0)) + self.c)

    def _held_out_scores(self) -> Array:
        return self.log_ratio_

    def _compared(self, X: Any) -> tuple[Any, Array]:
        _is_novelty(self)
        check_is_fitted(self, "log_density_")
        rows = self._read(X, reset=False) - self.centre_
        distance, nearest = nearest_rows(self.neighbours_, self.rows_, rows)
        return rows, self._log_ratio(self._log_density(distance, nearest), nearest)

    @available_if(_is_novelty)  # type: ignore[untyped-decorator]
    def score_samples(self, X: Any) -> Array:
        """-LDF of new rows, (n,): low for outliers."""
        return -self._factor(self._compared(X)[1])

    @available_if(_is_novelty)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Array:
        """Score of each new row minus `offset_`, (n,): negative for outliers."""
        return super().decision_function(X)

    @available_if(_is_novelty)  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> NDArray[np.int64]:
        """-1 for outliers among new rows, 1 for the others, (n,)."""
        return super().predict(X)

    @available_if(_is_transductive)  # type: ignore[untyped-decorator]
    def fit_predict(self, X: Any, y: Any = None) -> NDArray[np.int64]:
        """-1 for outliers among the rows of the fit, 1 for the others, (n,)."""
        self.fit(X)
        return np.where(self.negative_outlier_factor_ < self.offset_, -1, 1)
