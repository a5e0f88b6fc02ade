"""Outliers among their neighbours: local density factors."""

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
from parzen.estimators.outlier.density import BaseOutlierDetector
from parzen.statistics.messages import caller_stacklevel
from parzen.tables.schema import bare_schema


def _is_novelty(model: Any) -> bool:
    if not model.novelty:
        raise AttributeError(
            "new rows are scored with novelty=True only; rows that were learnt from have fit_predict, "
            "negative_outlier_factor_, p_values() and flagged()."
        )
    return True


def _is_transductive(model: Any) -> bool:
    if model.novelty:
        raise AttributeError("fit_predict is of the rows learnt from; with novelty=True use predict on new rows.")
    return True


def _compact(rows: Array) -> bool:
    """Whether squares of coordinates tell neighbours apart: those of a sample are not too small beside them."""
    some = rows[:: max(1, len(rows) // 200)]
    apart = ((some[:, None] - some) ** 2).sum(axis=2)
    apart[apart == 0] = np.inf
    return bool((some**2).sum(axis=1).max() < 1e8 * np.median(apart.min(axis=1)))


class LocalDensityFactor(BaseOutlierDetector):
    r"""Outliers are rows whose neighbours lie in denser places than they do (Latecki, Lazarevic and Pokrajac 2007).

    The density around a row is estimated from its k nearest neighbours,
    :math:`LDE(x) = \frac{1}{k} \sum_y (h d_k(y))^{-d} \exp(-r(x, y)^2 / (2 h^2 d_k(y)^2))`, where :math:`d_k(y)` is the
    distance of y to its own k-th neighbour and :math:`r(x, y) = \max(|x - y|, d_k(y))`. The factor compares it with
    theirs: :math:`LDF(x) = \overline{LDE(y)} / (LDE(x) + c \overline{LDE(y)})`, 1 / (1 + c) among equals and 1 / c at
    most.

    Parameters
    ----------
    n_neighbors : int
        k; one less than the rows where there are no more.
    bandwidth : float
        h, in units of a neighbour's own distance.
    c : float
        What keeps the factor from growing without end.
    contamination : "auto" or float
        See `parzen.DensityOutlier`.
    novelty : bool
        False: the rows learnt from are judged, by `fit_predict`. True: new rows are, by `predict`, `score_samples` and
        `decision_function`, as in scikit-learn's LocalOutlierFactor.
    n_jobs : int, optional
        Of the search for neighbours.

    Attributes
    ----------
    negative_outlier_factor_ : array of shape (n,)
        -LDF of the rows learnt from.
    log_density_ : array of shape (n,)
        Logarithm of LDE, up to a constant.
    offset_ : float
        An outlier's score is below it.
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
    >>> bool(model.p_values()[200] < 1e-4)
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
        """Find the neighbours of every row, and compare their densities.

        Returns
        -------
        self
        """
        rows = self._read(X, reset=True)
        n = len(rows)
        if n < 2:
            raise ValueError(f"one row (n_samples = {n}) has no neighbours; give at least two.")
        self._check()
        if self.n_neighbors >= n:
            warnings.warn(
                f"n_neighbors ({self.n_neighbors}) is above the number of other rows; {n - 1} are taken.",
                UserWarning,
                stacklevel=caller_stacklevel(),
            )
        self.n_neighbors_ = min(int(self.n_neighbors), n - 1)
        self.centre_ = np.median(rows, axis=0)
        self.rows_ = rows - self.centre_
        self.__dict__.pop("neighbours_", None)  # of rows that were learnt before
        distance, nearest = self._nearest()
        farthest = distance[:, -1]
        positive = farthest[farthest > 0]
        # Where as many rows are equal there is no distance: the least of the others stands for it.
        self.reach_ = np.maximum(farthest, positive.min()) if len(positive) else np.ones(n)
        self.log_density_ = self._log_density(distance, nearest)
        ratio = self._log_ratio(self.log_density_, nearest)
        self.log_ratio_ = ratio
        self.negative_outlier_factor_ = -self._factor(ratio)
        self._decide(ratio, ratio)
        self.offset_ = float(-self._factor(np.array([self.offset_]))[0])

    @cached_property
    def neighbours_(self) -> NearestNeighbors:
        """What finds the nearest rows."""
        # In many columns scikit-learn compares squares, which knows too little of distances far from the origin.
        way = "auto" if _compact(self.rows_) else "kd_tree"
        return NearestNeighbors(n_neighbors=self.n_neighbors_, algorithm=way, n_jobs=self.n_jobs).fit(self.rows_)

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

    def _nearest(self, rows: Array | None = None) -> tuple[Array, NDArray[np.int64]]:
        """Distances and numbers of the nearest rows; distances from differences, which lose no digits far away."""
        own = self.rows_ if rows is None else rows
        nearest = self.neighbours_.kneighbors(rows, return_distance=False)
        distance = np.empty(nearest.shape)
        for k in range(nearest.shape[1]):
            distance[:, k] = np.sqrt(((own - self.rows_[nearest[:, k]]) ** 2).sum(axis=1))
        order = np.argsort(distance, axis=1, kind="stable")
        return np.take_along_axis(distance, order, axis=1), np.take_along_axis(nearest, order, axis=1)

    def _log_density(self, distance: Array, nearest: NDArray[np.int64]) -> Array:
        width = self.bandwidth * self.reach_[nearest]
        far = np.maximum(distance, self.reach_[nearest])
        terms = -self.rows_.shape[1] * np.log(width) - 0.5 * (far / width) ** 2
        return np.asarray(logsumexp(terms, axis=1) - np.log(terms.shape[1]))

    def _log_ratio(self, log_density: Array, nearest: NDArray[np.int64]) -> Array:
        """Logarithm of a row's density over the mean of its neighbours'."""
        k = nearest.shape[1]
        return np.asarray(log_density - (logsumexp(self.log_density_[nearest], axis=1) - np.log(k)))

    def _factor(self, log_ratio: Array) -> Array:
        with np.errstate(over="ignore"):
            return 1.0 / (np.exp(np.minimum(log_ratio, 700.0)) + self.c)

    def _left_out(self) -> Array:
        return self.log_ratio_

    def _new_scores(self, X: Any) -> Array:
        _is_novelty(self)
        check_is_fitted(self, "log_density_")
        distance, nearest = self._nearest(self._read(X, reset=False) - self.centre_)
        return self._log_ratio(self._log_density(distance, nearest), nearest)

    @available_if(_is_novelty)  # type: ignore[untyped-decorator]
    def score_samples(self, X: Any) -> Array:
        """-LDF of new rows, (n,): low for outliers."""
        return -self._factor(self._new_scores(X))

    @available_if(_is_novelty)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Array:
        """Score of each row less `offset_`: below zero it is an outlier."""
        return super().decision_function(X)

    @available_if(_is_novelty)  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> NDArray[np.int64]:
        """-1 for outliers among new rows, 1 for the others."""
        return super().predict(X)

    @available_if(_is_transductive)  # type: ignore[untyped-decorator]
    def fit_predict(self, X: Any, y: Any = None) -> NDArray[np.int64]:
        """-1 for outliers among the rows, 1 for the others."""
        self.fit(X)
        return np.where(self.negative_outlier_factor_ < self.offset_, -1, 1)
