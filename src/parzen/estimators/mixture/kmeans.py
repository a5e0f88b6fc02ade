"""k-means, scikit-learn's way and further."""

import warnings
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.estimators.base.estimator import BaseFamilyEstimator
from parzen.estimators.base.progress import CallbackSupportMixin, Watch, watching, with_callbacks
from parzen.estimators.base.validation import drop_zero_weight, finite, generator, squarable, transactional, weights
from parzen.families.fit import Fit, fit
from parzen.families.gaussian import Gaussian
from parzen.families.kmeans import CentroidDensity, Centroids, seeded
from parzen.families.seeding import distinct_rows, filled_in, sampled
from parzen.statistics.accumulate import accumulate
from parzen.statistics.messages import caller_stacklevel
from parzen.statistics.sums import Sums


class KMeans(
    CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseFamilyEstimator
):
    """k-means: a drop-in for scikit-learn's, which takes missing cells and batches.

    It is a mixture of spherical Gaussians of equal weight and one variance, as that goes to zero. A missing cell adds
    nothing to a distance. Rows are dense; results are float64, whatever the rows are.

    Parameters
    ----------
    n_clusters : int
    init : "k-means++", "random", array of shape (n_clusters, d) or callable
        Where to begin; a callable is called with X, n_clusters and random_state.
    n_init : int or "auto"
        How many starts are tried: "auto" is 1 for "k-means++" and for an array, else 10.
    max_iter : int
    tol : float
        Stop when the inertia of a row falls by less, in units of the average variance of a column and a cluster.
    verbose : int
    random_state : int, RandomState instance or None
    copy_x : bool
        Accepted as in scikit-learn; X is never changed.
    algorithm : "lloyd" or "elkan"
        Accepted as in scikit-learn; the clusters are the same.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, d)
    labels_ : array of shape (n,)
        The nearest centre of each row; after `partial_fit`, of the rows of the last batch.
    inertia_ : float
        Sum of the squared distances of the rows to their centres, times their weights.
    n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import KMeans
    >>> X = np.array([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, np.nan], [10, 0]])
    >>> model = KMeans(n_clusters=2, random_state=0).fit(X)
    >>> model.cluster_centers_[model.predict([[0.0, 0.0], [12.0, 3.0]])]
    array([[ 1.,  2.],
           [10.,  1.]])
    """

    density_: CentroidDensity
    labels_: NDArray[np.int32]
    inertia_: float

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: Any = "auto",
        max_iter: int = 300,
        tol: float = 1e-4,
        verbose: int = 0,
        random_state: Any = None,
        copy_x: bool = True,
        algorithm: str = "lloyd",
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.copy_x = copy_x
        self.algorithm = algorithm

    def _family(self) -> Centroids:
        return Centroids(self.n_clusters)

    @with_callbacks
    @transactional
    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> None:
        """Find clusters of rows.

        Parameters
        ----------
        X : table of shape (n, d): array, pandas or polars
        y : ignored
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        self._check()
        every = X = self._first_table(X)
        X, w = drop_zero_weight(X, weights(sample_weight, X))
        rows = squarable(self._bind(X))
        if rows.shape[0] < self.n_clusters:
            raise ValueError(f"n_samples={rows.shape[0]} should be >= n_clusters={self.n_clusters}; ask for fewer.")
        if rows.dtype.kind == "f" and np.isnan(rows).all(axis=0).any():
            named = [self.schema_.labels[j] for j in np.flatnonzero(np.isnan(rows).all(axis=0)).tolist()]
            raise ValueError(f"columns {named} have no value at all; leave them out.")
        starts, weight = self._starts(rows, w), float(rows.shape[0] if w is None else w.sum())
        with watching(self, rows, len(starts) * self.max_iter, weight, "minus inertia per row") as callback:
            found = max((self._run(rows, w, one, callback) for one in starts), key=lambda run: run.log_likelihoods[-1])
        self._keep(found.density, found.statistic, found)
        whole = rows if every is X else self._encoded(every, grow=False)
        self.labels_ = self.density_.nearest(whole)
        self.inertia_ = self._inertia(rows, w)
        self.counts_ = found.statistic.weight.max(axis=1)  # type: ignore[attr-defined]
        distinct = len(np.unique(self.labels_))
        if distinct < self.n_clusters:
            warnings.warn(
                f"Number of distinct clusters ({distinct}) found smaller than n_clusters ({self.n_clusters}). Possibly "
                "due to duplicate points in X.",
                ConvergenceWarning,
                stacklevel=caller_stacklevel(),
            )

    def _inertia(self, rows: Any, w: Array | None) -> float:
        return abs(float(accumulate(self.family_, rows, w, at=self.density_).log_likelihood.sum()))

    def _starts(self, rows: Any, w: Array | None) -> list[Array]:
        rng = generator(self.random_state)
        drawn = isinstance(self.init, str) or callable(self.init)
        times = self.n_init if drawn else 1
        if times == "auto":
            times = 1 if isinstance(self.init, str) and self.init == "k-means++" else 10
        return [self._start(rows, w, rng) for _ in range(times)]

    def _start(self, rows: Any, w: Array | None, rng: np.random.Generator) -> Array:
        if isinstance(self.init, str):
            some, own = sampled(rows, w, max(256 * self.n_clusters, 10_000), rng)
            points = filled_in(some, own)
            if self.init == "k-means++":
                return seeded(points, own, self.n_clusters, rng)
            drawn = distinct_rows(len(points), own, self.n_clusters, rng)
            return points[np.resize(drawn, self.n_clusters)]  # equal rows are one: there may be fewer
        given = self.init
        if callable(given):
            given = given(rows, self.n_clusters, random_state=np.random.RandomState(rng.integers(2**31)))
        centre = np.ascontiguousarray(given, dtype=np.float64)
        if centre.shape != (self.n_clusters, rows.shape[1]) or not np.isfinite(centre).all():
            raise ValueError(
                f"The shape of the initial centers {centre.shape} does not match the number of clusters "
                f"{self.n_clusters} and of columns {rows.shape[1]}; give finite centres of that shape."
            )
        return centre

    def _run(self, rows: Any, w: Array | None, centre: Array, callback: Watch) -> Fit:
        """Lloyd's iteration; clusters without rows begin again where rows are farthest from their centres."""
        tol = self.tol * _variance(rows, w) / self.n_clusters
        steps, moved = 0, 0
        while True:
            found = fit(
                self.family_, rows, w, start=CentroidDensity(centre), max_iter=self.max_iter - steps, tol=tol,
                accelerate=False, callback=callback,
            )  # fmt: skip
            steps += found.n_iter
            assert isinstance(found.density, CentroidDensity)
            assert isinstance(found.statistic, Sums)
            empty = np.flatnonzero(~(found.statistic.weight > 0).any(axis=1))
            if not len(empty) or steps >= self.max_iter or moved >= 10:
                break
            far = -found.density.log_density(rows)[:, 0]
            if not far.any():
                break
            centre = found.density.centre.copy()
            new = rows[np.argsort(far)[::-1][: len(empty)]]
            centre[empty] = np.where(np.isnan(new), centre[empty], new)  # a missing cell: the mean of all rows
            moved += 1
        return Fit(found.density, found.statistic, found.log_likelihoods, found.outcome, found.message, steps)

    @transactional
    def partial_fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> None:
        """Learn from more rows: a centre moves to the mean of the rows that it has been nearest to (Sculley 2010)."""
        self._check()
        begun = hasattr(self, "density_")
        if begun:
            self._check_same_family()
        X = self._later_table(X) if begun else self._first_table(X)
        X, w = drop_zero_weight(X, weights(sample_weight, X))
        rows = squarable(self._encoded(X, grow=True) if begun else self._bind(X))
        if not begun:
            if rows.shape[0] < self.n_clusters:
                raise ValueError(f"n_samples={rows.shape[0]} should be >= n_clusters={self.n_clusters} at first.")
            self.density_ = CentroidDensity(self._starts(rows, w)[0])
        seen = accumulate(self.family_, rows, w, at=self.density_)
        total = seen.statistic + self.statistic_ if begun else seen.statistic
        lost = ~(total.weight > 0)
        self.density_ = CentroidDensity(np.where(lost, self.density_.centre, self.family_.maximise(total).centre))  # type: ignore[attr-defined]
        self.statistic_ = total
        self.counts_ = total.weight.max(axis=1)
        self.n_iter_, self.outcome_, self.iterated_ = getattr(self, "n_iter_", 0) + 1, "converged", True
        self.labels_ = self.density_.nearest(rows)
        self.inertia_ = self._inertia(rows, w)

    @property
    def cluster_centers_(self) -> Array:
        """Centres of the clusters."""
        check_is_fitted(self, "density_")
        return self.density_.centre

    @property
    def _n_features_out(self) -> int:
        return len(self.density_.centre)

    def predict(self, X: Any) -> NDArray[np.int32]:
        """The nearest centre of each row, (n,)."""
        check_is_fitted(self, "density_")
        return self.density_.nearest(finite(self._later(X)))

    def fit_predict(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> NDArray[np.int32]:
        """Fit, then give the nearest centre of each row."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def transform(self, X: Any) -> Array:
        """Distance of each row to each centre, (n, n_clusters); over the cells that are there."""
        check_is_fitted(self, "density_")
        rows = finite(self._later(X))
        out = np.empty((len(rows), self._n_features_out), dtype=rows.dtype if rows.dtype.kind == "f" else np.float64)
        for k, centre in enumerate(self.density_.centre):
            squares = (rows - centre) ** 2
            out[:, k] = np.sqrt(np.where(np.isnan(squares), 0.0, squares).sum(axis=1))
        return out

    def fit_transform(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Array:
        """Fit, then give the distance of each row to each centre."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """Minus the inertia of the rows, a sum over them: high is good."""
        check_is_fitted(self, "density_")
        rows = finite(self._later(X))
        return -self._inertia(rows, weights(sample_weight, rows))

    def merge(self, other: Self) -> Self:
        """Refuse: centres of clusters don't add."""
        return self._merged(other)

    def _check(self) -> None:
        for name in ("n_clusters", "max_iter"):
            value = getattr(self, name)
            if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} must be a whole number, at least 1, got {value!r}.")
        if isinstance(self.init, str) and self.init not in ("k-means++", "random"):
            raise ValueError(f"init must be 'k-means++', 'random', centres or a callable, got {self.init!r}.")
        if self.n_init != "auto" and (not isinstance(self.n_init, Integral) or self.n_init < 1):
            raise ValueError(f"n_init must be 'auto' or a whole number, at least 1, got {self.n_init!r}.")
        if not isinstance(self.tol, Real) or not 0 <= self.tol < np.inf:
            raise ValueError(f"tol must be a number, at least 0, got {self.tol!r}.")
        if self.algorithm not in ("lloyd", "elkan"):
            raise ValueError(f"algorithm must be 'lloyd' or 'elkan', got {self.algorithm!r}.")


def _variance(rows: Any, w: Array | None) -> float:
    """Average variance of a column."""
    found = accumulate(Gaussian("diag"), rows, w)
    return float(found.pooled().variances().mean())
