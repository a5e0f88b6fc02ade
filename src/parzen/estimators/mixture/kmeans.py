"""k-means, scikit-learn's way and further."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from parzen.compute.arrays import on_host
from parzen.estimators.base.progress import CallbackSupportMixin, Watch, watching, with_callbacks
from parzen.estimators.base.sources import takes_sources
from parzen.estimators.base.validation import generator, transactional
from parzen.estimators.mixture.clusters import BaseKMeans, Look, tell
from parzen.families.kmeans import CentroidDensity
from parzen.families.lloyd import Assignment, Run, assigned, lloyd
from parzen.statistics.batches import Batches
from parzen.statistics.messages import caller_stacklevel


class KMeans(CallbackSupportMixin, BaseKMeans):
    """k-means: a drop-in for scikit-learn's, which takes missing cells and batches.

    It is a mixture of spherical Gaussians of equal weight and one variance, as that goes to zero. A missing cell adds
    nothing to a distance. Rows may be sparse (CSR): they are never made dense. Centres have the rows' precision; sums
    are of float64, whatever the rows are.

    Parameters
    ----------
    n_clusters : int
    init : "k-means++", "random", array of shape (n_clusters, d) or callable
        Where to begin; a callable is called with X, n_clusters and random_state.
    n_init : int or "auto"
        How many starts are tried: "auto" is 1 for "k-means++" and for an array, else 10.
    max_iter : int
    tol : float
        Stop when the sum of the squared moves of the centres is no larger than this times the average variance of a
        column; or when no row has changed its cluster.
    verbose : int
    random_state : int, RandomState instance or None
    copy_x : bool
        Accepted as in scikit-learn; X is never changed.
    algorithm : "lloyd" or "elkan"
        Accepted as in scikit-learn; the steps are the same.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, d), float32 or float64 as the rows
        May be set, or changed in place: `predict`, `transform` and `score` use what it is.
    labels_ : array of shape (n,), int32; not of a source
        The nearest centre of each row; after `partial_fit`, of the rows of the last batch.
    inertia_ : float
        Sum of the squared distances of the rows to their centres, times their weights.
    n_iter_ : int
    counts_ : array of shape (n_clusters,)
        Weight of the rows of each cluster.

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

    @takes_sources
    @with_callbacks
    @transactional
    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> None:
        """Find clusters of rows.

        Parameters
        ----------
        X : table of shape (n, d): array, CSR matrix, pandas or polars; or a source, whose rows every step reads anew:
            ``fit(source, weight="w")``, see `parzen.scan`. Of more than 10,000 rows (or 256 for each cluster) starts
            are then sought among so many that are drawn.
        y : ignored
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        self._check()
        every = self._first_table(X)
        look = self._look(every, sample_weight)
        self._check_enough(look)
        run = self._best(look)
        self._keep_run(run, run.found)
        if not isinstance(look.rows, Batches) and run.found.codes.shape[0] < every.shape[0]:
            self.labels_ = self.density_.nearest(self._encoded(every, grow=False))  # of rows that weigh nothing, too
        distinct = int((run.found.members() > 0).sum())
        if distinct < self.n_clusters:
            warnings.warn(
                f"Number of distinct clusters ({distinct}) found smaller than n_clusters ({self.n_clusters}). Possibly "
                "due to duplicate points in X.",
                ConvergenceWarning,
                stacklevel=caller_stacklevel(),
            )

    def _best(self, look: Look) -> Run:
        """The run of the least inertia; the first of those that find the same clusters."""
        count, rng = self._start_count(), generator(self.random_state)
        tol, dtype = self.tol * look.variance, look.rows.dtype
        best: Run | None = None
        with watching(self, look.rows, count * self.max_iter, look.weight(), silent=True) as told:
            for _ in range(count):
                start = self._start(look, rng)
                watch = self._watch(told)
                run = lloyd(look.rows, look.w, start, self.max_iter, tol, watch, dtype)
                if self.verbose:
                    _tell_end(run, tol)
                if best is None or (run.found.inertia < best.found.inertia and not _same(run.found, best.found)):
                    best = run
        assert best is not None
        return best

    def _watch(self, told: Watch) -> Watch:
        """What is called at each step: callbacks are told minus the inertia; `verbose` prints the inertia."""
        if not self.verbose:
            return lambda step, inertia: told(step, -inertia)
        tell("Initialization complete")

        def watch(step: int, inertia: float) -> bool:
            tell(f"Iteration {step}, inertia {inertia}.")
            return told(step, -inertia)

        return watch

    def _keep_run(self, run: Run, found: Assignment) -> None:
        self.density_, self.statistic_ = CentroidDensity(found.centre), found.sums()
        self.n_iter_, self.outcome_, self.iterated_ = run.n_iter, run.outcome, True
        self.labels_, self.inertia_ = on_host(found.codes), found.inertia
        if found.codes is None:
            del self.labels_  # as many as there are rows: predict(source) gives them in batches
        self.counts_ = self.statistic_.weight.max(axis=1)

    @transactional
    def partial_fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> None:
        """Learn from more rows: a centre moves to the mean of the rows that it has been nearest to (Sculley 2010)."""
        self._check()
        begun = "density_" in vars(self)
        if begun:
            self._check_same_family()
        X = self._later_table(X) if begun else self._first_table(X)
        look = self._look(X, sample_weight, begun)
        if not begun:
            self._check_enough(look)
            self._start_count()
            self.density_ = CentroidDensity(self._start(look, generator(self.random_state)).astype(look.rows.dtype))
        seen = assigned(look.rows, look.w, self.density_.centre).sums()
        total = seen + self.statistic_ if begun else seen
        lost = ~(total.weight > 0)
        centre = np.where(lost, self.density_.centre, self.family_.maximise(total).centre)  # type: ignore[attr-defined]
        self.density_ = CentroidDensity(centre.astype(self.density_.centre.dtype))
        self.statistic_, self.counts_ = total, total.weight.max(axis=1)
        self.n_iter_, self.outcome_, self.iterated_ = getattr(self, "n_iter_", 0) + 1, "converged", True
        now = assigned(look.rows, look.w, self.density_.centre)
        self.labels_, self.inertia_ = on_host(now.codes), now.inertia

    def _start_count(self) -> int:
        if self.algorithm == "elkan" and self.n_clusters == 1:
            warnings.warn(
                "algorithm='elkan' doesn't make sense for a single cluster. Using 'lloyd' instead.",
                RuntimeWarning,
                stacklevel=caller_stacklevel(),
            )
        return super()._start_count()

    def _check(self) -> None:
        super()._check()
        if self.algorithm not in ("lloyd", "elkan"):
            raise ValueError(f"algorithm must be 'lloyd' or 'elkan', got {self.algorithm!r}.")


def _tell_end(run: Run, tol: float) -> None:
    if run.shift == 0:
        tell(f"Converged at iteration {run.n_iter - 1}: strict convergence.")
    elif run.outcome == "converged":
        tell(f"Converged at iteration {run.n_iter - 1}: center shift {run.shift} within tolerance {tol}.")


def _same(one: Assignment, other: Assignment) -> bool:
    """Whether two runs have found the same clusters, by whatever names: rounding must not choose between them."""
    if not np.isclose(one.inertia, other.inertia, rtol=1e-6):
        return False
    if one.codes is None:
        nearest = CentroidDensity(one.centre).nearest(other.centre)
        return len(np.unique(nearest)) == len(nearest) and bool(
            np.allclose(one.centre[nearest], other.centre, rtol=1e-6, atol=1e-6 * np.abs(one.centre).max())
        )
    pairs = np.unique(one.codes.astype(np.int64) * len(other.centre) + other.codes)
    return len(pairs) == len(np.unique(one.codes)) == len(np.unique(other.codes))
