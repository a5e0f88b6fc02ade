"""What `KMeans` and `MiniBatchKMeans` share: parameters, where centres begin, distances to centres."""

import sys
import warnings
from abc import abstractmethod
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array, is_sparse
from parzen.compute.device import is_device
from parzen.compute.kmeans import nearest_squares, points_of
from parzen.compute.memberships import Labels, Memberships
from parzen.compute.moments import moments, sums
from parzen.compute.partitions import kmeans_partition
from parzen.compute.sparse import csr_moments, csr_sums
from parzen.estimators.base.estimator import BaseFamilyEstimator
from parzen.estimators.base.fitted import Fitted
from parzen.estimators.base.results import over_sources
from parzen.estimators.base.validation import LARGE, drop_zero_weight, finite, squarable, weights
from parzen.families.kmeans import CentroidDensity, Centroids, as_rows
from parzen.families.lloyd import assigned
from parzen.families.seeding import distinct_rows, each_once, filled_in, plus_plus, sampled
from parzen.statistics.accumulate import accumulate, map_blocks
from parzen.statistics.batches import Batches
from parzen.statistics.messages import caller_stacklevel
from parzen.statistics.moments import Moments
from parzen.statistics.sums import Sums

Centres = NDArray[np.floating]

#: Up to how many rows and cells k-means++ is begun so many times; k-means goes on from the best after so many steps.
FEW, CELLS, TIMES, STEPS = 10_000, 2**22, 3, 1
#: The same where these rows are drawn from many more, of which every step is a pass.
DRAWN_TIMES, DRAWN_STEPS = 8, 4


class BaseKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseFamilyEstimator):
    """Clusters about centres.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, d)
        May be set, or changed in place: `predict`, `transform` and `score` use what it is.
    """

    density_: CentroidDensity
    statistic_: Sums
    labels_: NDArray[np.int32]
    inertia_: float
    n_clusters: int
    init: Any
    n_init: Any
    max_iter: int
    tol: float
    verbose: Any

    #: How many starts "auto" tries, unless they are k-means++ or given.
    _starts_by_default: ClassVar[int] = 10
    #: Parameters that are whole numbers of at least 1.
    _counted: ClassVar[tuple[str, ...]] = ("n_clusters", "max_iter")

    @abstractmethod
    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find clusters of rows."""

    def _family(self) -> Centroids:
        return Centroids(self.n_clusters)

    # Fitted attributes ----------------------------------------------------------------------------------------------

    @Fitted
    def cluster_centers_(self) -> Centres:
        """Centres of the clusters, in the rows' precision."""
        if "density_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no cluster_centers_ before it is fitted; call fit.")
        return self.density_.centre

    def _adopt(self, name: str) -> None:
        found = np.asarray(self._given_by_hand[name])
        if found.ndim != 2 or found.dtype.kind not in "biuf":
            raise ValueError(f"cluster_centers_ must be numbers of shape (n_clusters, d), got shape {found.shape}.")
        del self._given_by_hand  # the density gives it back
        self.density_ = CentroidDensity(found if found.dtype.kind == "f" else found.astype(np.float64))

    @property
    def _n_features_out(self) -> int:
        return len(self.density_.centre)

    # Rows -----------------------------------------------------------------------------------------------------------

    def _look(self, X: Any, sample_weight: ArrayLike | None, begun: bool = False) -> "Look":
        """Rows of a table that weigh something, as k-means reads them."""
        X, w = drop_zero_weight(X, weights(sample_weight, X))
        rows = self._encoded(X, grow=True) if begun else self._bind(X)
        if is_sparse(rows):
            rows = as_rows(squarable(rows))
            return Look(rows, w, False, _sparse_variance(rows, w) if self.tol else 0.0)
        batches = isinstance(rows, Batches)
        if batches and rows.checkpoint is not None:
            raise TypeError(
                "checkpoint keeps the EM of mixtures; k-means keeps nothing between its steps: leave it out."
            )
        rows = rows.mapped(ClusterRows()) if batches else as_rows(rows)
        seen = accumulate(Spread(), rows, w)
        if not batches and (w is not None or not (seen.scatter.sum() <= LARGE and np.abs(seen.mean).max() <= LARGE)):
            squarable(rows)
        weight = seen.weight[0]
        if not begun and not weight.all():
            named = [self.schema_.labels[j] for j in np.flatnonzero(weight == 0).tolist()]
            raise ValueError(f"columns {named} have no value at all; leave them out.")
        gaps = not batches and bool(weight.min() < len(rows) if w is None else np.isnan(rows).any())
        return Look(rows, w, gaps, float((seen.scatter[0] / np.where(weight > 0, weight, 1.0)).mean()))

    def _check_enough(self, look: "Look") -> None:
        n = look.rows.shape[0]
        if n < self.n_clusters:
            raise ValueError(f"n_samples={n} should be >= n_clusters={self.n_clusters}; ask for fewer.")

    # Where centres begin --------------------------------------------------------------------------------------------

    def _start_count(self) -> int:
        """How many starts are tried; a warning where more were asked for than there are."""
        given = not (isinstance(self.init, str) or callable(self.init))
        alone = given or (isinstance(self.init, str) and self.init == "k-means++")
        count = (1 if alone else self._starts_by_default) if isinstance(self.n_init, str) else int(self.n_init)
        if given and count != 1:
            warnings.warn(
                f"Explicit initial center position passed: performing only one init in {type(self).__name__} instead "
                f"of n_init={count}.",
                RuntimeWarning,
                stacklevel=caller_stacklevel(),
            )
            return 1
        return count

    def _start(self, look: "Look", rng: np.random.Generator) -> Array:
        """Centres to begin from."""
        K, rows = self.n_clusters, look.rows
        if isinstance(self.init, str):
            points, own = look.points(K, rng)
            if self.init == "k-means++":
                drawn = isinstance(rows, Batches) and rows.shape[0] > _few(K)
                few = _best_of_few(points, own, K, rng, *((DRAWN_TIMES, DRAWN_STEPS) if drawn else (TIMES, STEPS)))
                return plus_plus(points, own, K, rng) if few is None else few
            some = np.resize(distinct_rows(points.shape[0], own, K, rng), K)  # equal rows are one: there may be fewer
            return np.asarray(points[some].toarray() if is_sparse(points) else points[some], dtype=np.float64)
        given = self.init
        if callable(given):
            given = given(rows, K, random_state=np.random.RandomState(rng.integers(2**31)))
        centre = np.array(given.toarray() if is_sparse(given) else given, dtype=np.float64, order="C")
        if centre.ndim != 2 or len(centre) != K:
            raise ValueError(
                f"The shape of the initial centers {centre.shape} does not match the number of clusters {K}; give an "
                f"array of shape {K, rows.shape[1]}."
            )
        if centre.shape[1] != rows.shape[1]:
            raise ValueError(
                f"The shape of the initial centers {centre.shape} does not match the number of features of the data "
                f"{rows.shape[1]}; give an array of shape {K, rows.shape[1]}."
            )
        if not np.isfinite(centre).all():
            raise ValueError("The initial centers contain NaN or infinity; give finite ones.")
        return centre

    # Distances to centres -------------------------------------------------------------------------------------------

    @over_sources
    def predict(self, X: Any) -> NDArray[np.int32]:
        """The nearest centre of each row, (n,)."""
        check_is_fitted(self, "density_")
        return self.density_.nearest(finite(self._later(X)))

    def fit_predict(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> NDArray[np.int32]:
        """Fit, then give the nearest centre of each row."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def transform(self, X: Any) -> Centres:
        """Distance of each row to each centre, (n, n_clusters); over the cells that are there."""
        check_is_fitted(self, "density_")
        rows = finite(self._later(X))
        single = rows.dtype == self.density_.centre.dtype == np.float32
        out = np.empty((rows.shape[0], self._n_features_out), dtype=np.float32 if single else np.float64)
        self.density_.distances(rows, out)
        return out

    def fit_transform(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Centres:
        """Fit, then give the distance of each row to each centre."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """Minus the inertia of the rows, a sum over them: high is good."""
        check_is_fitted(self, "density_")
        rows = as_rows(finite(self._later(X)))
        return -assigned(rows, weights(sample_weight, rows), self.density_.centre).inertia

    def merge(self, other: Self) -> Self:
        """Refuse: centres of clusters don't add."""
        return self._merged(other)

    def _check(self) -> None:
        for name in self._counted:
            value = getattr(self, name)
            if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} must be a whole number, at least 1, got {value!r}.")
        if isinstance(self.init, str) and self.init not in ("k-means++", "random"):
            raise ValueError(f"init must be 'k-means++', 'random', centres or a callable, got {self.init!r}.")
        auto = isinstance(self.n_init, str) and self.n_init == "auto"
        if not auto and (not isinstance(self.n_init, Integral) or self.n_init < 1):
            raise ValueError(f"n_init must be 'auto' or a whole number, at least 1, got {self.n_init!r}.")
        if not isinstance(self.tol, Real) or not 0 <= self.tol < np.inf:
            raise ValueError(f"tol must be a number, at least 0, got {self.tol!r}.")


def tell(text: str) -> None:
    """Print a line for a user who has asked for them: `verbose`."""
    sys.stdout.write(text + "\n")


@dataclass
class Look:
    """Rows that are to be fitted, and what is known of them.

    Attributes
    ----------
    rows : array or CSR matrix, float32 or float64
    w : weights of the rows, or None
    gaps : whether a cell is missing
    variance : average variance of a column; of sparse rows, where it is asked for
    """

    rows: Any
    w: Array | None
    gaps: bool
    variance: float
    _points: tuple[Any, Array | None] | None = None

    def points(self, K: int, rng: np.random.Generator) -> tuple[Any, Array | None]:
        """Rows without missing cells that K centres may begin from, and their weights.

        Few rows are put in an order of their own, equal ones once, so that what is drawn from them depends neither on
        their order nor on whether a row comes twice or weighs twice. Of batches with more rows than that, some are
        drawn.
        """
        few = _few(K)
        if isinstance(self.rows, Batches):
            some, own = self._drawn(few, rng)
            return Look(some, own, not is_sparse(some) and bool(np.isnan(some).any()), self.variance).points(K, rng)
        if self.gaps or is_device(self.rows):
            some, own = sampled(self.rows, self.w, few, rng)
            return filled_in(some, own), own
        if self._points is None:
            self._points = each_once(self.rows, self.w) if self.rows.shape[0] <= few else (self.rows, self.w)
        return self._points

    def _drawn(self, few: int, rng: np.random.Generator) -> tuple[Any, Array | None]:
        """So many rows of batches: all of them, read once, where there are no more."""
        n = self.rows.shape[0]
        if n > few:
            return sampled(self.rows, None, few, rng)
        if self._points is None:
            self._points = self.rows.take(np.arange(n))
        return self._points

    def weight(self) -> float:
        """Weight of all rows."""
        if isinstance(self.rows, Batches):
            return self.rows.weight
        return float(self.rows.shape[0] if self.w is None else self.w.sum())


def _few(K: int) -> int:
    """Rows up to which all are looked at for a start of K centres."""
    return max(256 * K, FEW)


@dataclass(frozen=True)
class ClusterRows:
    """Rows of a batch as k-means reads them, or an error where one is infinite or too large."""

    def __call__(self, rows: Any) -> Any:
        """The rows."""
        return as_rows(squarable(rows))


@dataclass(frozen=True)
class Spread:
    """What observes the moments of each column."""

    keeps_rows: ClassVar[bool] = False

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Moments:
        return Moments(*(csr_moments(X, R) if is_sparse(X) else moments(X, R, full=False)))


def _sparse_variance(rows: Any, w: Array | None) -> float:
    """Average variance of a column of sparse rows: their mean squared distance from the mean, by columns."""

    def add(begin: int, block: Any) -> tuple[Array, Array]:
        return csr_sums(block, None if w is None else w[begin : begin + block.shape[0]])[:2]

    parts = map_blocks(add, rows, 1)
    weight = sum(part[0] for part in parts)
    at = points_of(sum(part[1] for part in parts) / weight[:, None], True)

    def square(begin: int, block: Any) -> float:
        squares = nearest_squares(block, at)
        return float(squares.sum() if w is None else w[begin : begin + len(squares)] @ squares)

    return sum(map_blocks(square, rows)) / (float(weight[0]) * rows.shape[1])


def _best_of_few(
    points: Any, w: Array | None, K: int, rng: np.random.Generator, times: int, steps: int
) -> Array | None:
    """Centres (K, d) of the best of several starts by k-means++ after a few steps; None of many rows."""
    n, d = points.shape
    if K == 1 or n > FEW or n * d > CELLS:
        return None
    X = np.ascontiguousarray(points.toarray() if is_sparse(points) else points, dtype=np.float64)
    codes = kmeans_partition(X, w, K, rng.random((times, 1 + (K - 1) * (2 + int(np.log(K))))), steps)
    weight, totals = sums(X, Labels.sound(codes, w, K))
    return totals / weight if weight.min() > 0 else None
