"""k-means over small random batches of rows, scikit-learn's way."""

import math
import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array
from parzen.estimators.base.sources import takes_sources
from parzen.estimators.base.validation import generator, transactional
from parzen.estimators.mixture.clusters import BaseKMeans, Look, tell
from parzen.estimators.mixture.mini_batches import Draw, Progress, in_order, some_of
from parzen.families.kmeans import CentroidDensity
from parzen.families.lloyd import assigned, lloyd
from parzen.families.mini_batch import Batches
from parzen.statistics.batches import Batches as Rows
from parzen.statistics.messages import caller_stacklevel
from parzen.tables.sources.engines.engine import Engine
from parzen.tables.sources.source import Source

#: Steps of k-means after which several starts are compared.
REFINED = 5

#: A pass over a source that lowers the inertia by less than this part of it is the last one.
LESS = 1e-4


class MiniBatchKMeans(BaseKMeans):
    """k-means over small batches: a drop-in for scikit-learn's, which takes missing cells.

    Each step draws a batch of rows, by their weights, and moves a centre to the mean of all rows that it has been
    nearest to (Sculley 2010). Centres of little weight begin again at rows of the batch. `partial_fit` is one step,
    over the rows that it is given: a model of rows that come one batch after another. Rows may be sparse (CSR): they
    are never made dense.

    Parameters
    ----------
    n_clusters : int
    init : "k-means++", "random", array of shape (n_clusters, d) or callable
        Where to begin; a callable is called with X, n_clusters and random_state.
    max_iter : int
        Most passes over the rows: so many batches as hold the rows so many times.
    batch_size : int
    verbose : int
    compute_labels : bool
        Whether `labels_` and the inertia of all rows are computed at the end.
    random_state : int, RandomState instance or None
    tol : float
        Stop when the sum of the squared moves of the centres is no larger than this times the average variance of a
        column; 0: never for that reason.
    max_no_improvement : int or None
        Stop when so many batches in turn have not lowered the smoothed inertia, or a pass over a source has lowered the
        inertia by less than 1e-4 of it; None: never for that reason.
    init_size : int or None
        How many rows a start is chosen from; None: 3 batches, or 3 rows for each cluster if that is more.
    n_init : int or "auto"
        How many starts are compared: "auto" is 1 for "k-means++" and for an array, else 3. Each is improved by a few
        steps of k-means on `init_size` rows; the batches begin from the best.
    reassignment_ratio : float
        A centre begins again where its weight is less than this part of the heaviest one's.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, d), float32 or float64 as the rows
        May be set, or changed in place: `predict`, `transform`, `score` and `partial_fit` use what it is.
    labels_ : array of shape (n,), int32
        The nearest centre of each row; after `partial_fit`, of the rows of the last batch.
    inertia_ : float
        Sum of the squared distances of the rows to their centres, times their weights; without `compute_labels` an
        estimate by the last batches.
    n_iter_ : int
        Passes over the rows that were begun.
    n_steps_ : int
        Batches.
    counts_ : array of shape (n_clusters,)
        Weight of the rows that each centre is the mean of.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import MiniBatchKMeans
    >>> X = np.array([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> model = MiniBatchKMeans(2, init=X[[0, 3]], random_state=0)
    >>> model.partial_fit(X[:4]).partial_fit(X[4:]).cluster_centers_
    array([[ 1.,  2.],
           [10.,  2.]])
    >>> model.predict([[0.0, 0.0], [12.0, 3.0]])
    array([0, 1], dtype=int32)
    """

    _starts_by_default: ClassVar[int] = 3
    _counted: ClassVar[tuple[str, ...]] = ("n_clusters", "max_iter", "batch_size")

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        max_iter: int = 100,
        batch_size: int = 1024,
        verbose: int = 0,
        compute_labels: bool = True,
        random_state: Any = None,
        tol: float = 0.0,
        max_no_improvement: int | None = 10,
        init_size: int | None = None,
        n_init: Any = "auto",
        reassignment_ratio: float = 0.01,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.verbose = verbose
        self.compute_labels = compute_labels
        self.random_state = random_state
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.init_size = init_size
        self.n_init = n_init
        self.reassignment_ratio = reassignment_ratio

    @takes_sources
    @transactional
    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> None:
        """Find clusters of rows, batch by batch.

        Parameters
        ----------
        X : table of shape (n, d): array, CSR matrix, pandas or polars; or a source, whose rows make batches in their
            order, none drawn: ``fit(source, weight="w")``, see `parzen.scan`. Sorted rows make poor batches.
        y : ignored
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        if isinstance(X, Source) and isinstance(X.reader, Engine):
            raise TypeError("small batches follow each other, and those of a cluster don't; scan files of its rows.")
        self._check()
        every = self._first_table(X)
        look = self._look(every, sample_weight)
        self._check_enough(look)
        self._rng = generator(self.random_state)
        if isinstance(look.rows, Rows):
            self._fit_source(look)
            return
        n, size = look.rows.shape[0], min(self.batch_size, look.rows.shape[0])
        batches = self._begun(self._best_start(look), look)
        steps = max(self.max_iter * n // size, 1)
        smoothed, done = self._run(look, batches, steps, size)
        self.n_steps_, self.n_iter_ = done, math.ceil(done * size / n)
        self.outcome_ = "converged" if done < steps else "too many steps"
        self._keep_batches(batches, look.rows.dtype)
        if self.compute_labels:
            self._label(every, look)
        else:
            self.__dict__.pop("labels_", None)
            self.inertia_ = smoothed * look.weight()

    def _fit_source(self, look: Look) -> None:
        """Step by batches of a source in their order, from centres that are sought among rows that are drawn."""
        n, size = look.rows.shape[0], min(self.batch_size, look.rows.shape[0])
        points, own = look.points(self.n_clusters, self._rng)
        batches = self._begun(self._best_start(Look(points, own, False, look.variance)), look)
        progress = Progress(self, look, self.max_iter * -(-n // size), size)
        self.outcome_, self.n_steps_, seen, passed, last = "too many steps", 0, 0, 0.0, math.inf
        for rows, w in in_order(look.rows, size, self.max_iter):
            before = batches.centre
            inertia = self._step(batches, rows, w)
            self.n_steps_, seen, passed = self.n_steps_ + 1, seen + rows.shape[0], passed + inertia
            off = (batches.centre - before).ravel()
            ended = progress.ended(self.n_steps_, inertia / (rows.shape[0] if w is None else w.sum()), float(off @ off))
            if seen % n == 0:  # batches come again in the same order: a pass tells what batches in turn don't
                ended = ended or (self.max_no_improvement is not None and passed > (1 - LESS) * last)
                passed, last = 0.0, passed
            if ended:
                self.outcome_ = "converged"
                break
        self.n_iter_ = -(-seen // n)
        self._keep_batches(batches, look.rows.dtype)
        self.__dict__.pop("labels_", None)  # as many as there are rows: predict(source) gives them in batches
        found = assigned(look.rows, None, self.density_.centre).inertia if self.compute_labels else None
        self.inertia_ = progress.smoothed * look.weight() if found is None else found

    def _run(self, look: Look, batches: Batches, steps: int, size: int) -> tuple[float, int]:
        """Step until convergence; the smoothed inertia of a row, and how many steps there were."""
        draw = Draw(look, size, self._rng)
        progress = Progress(self, look, steps, size)
        for step in range(steps):
            rows = draw.batch()
            before = batches.centre
            inertia = self._step(batches, rows, None)
            off = (batches.centre - before).ravel() if self.tol > 0 else np.zeros(1)
            if progress.ended(step + 1, inertia / size, float(off @ off)):
                break
        return progress.smoothed, step + 1

    def _step(self, batches: Batches, rows: Any, w: Array | None) -> float:
        inertia = batches.step(rows, w)
        if batches.due(rows.shape[0]):
            moved = batches.reassign(rows, self.reassignment_ratio, self._rng)
            if moved and self.verbose:
                tell(f"[MiniBatchKMeans] Reassigning {moved} cluster centers.")
        return inertia

    @transactional
    def partial_fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> None:
        """Learn from one batch of rows: one step.

        Parameters
        ----------
        X : table of shape (n, d): array, CSR matrix, pandas or polars
        y : ignored
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        if isinstance(X, Source):
            raise TypeError("partial_fit takes one batch of rows; give fit(source), or each batch of the source.")
        self._check()
        begun = "density_" in vars(self)
        if begun:
            self._check_same_family()
        every = self._later_table(X) if begun else self._first_table(X)
        look = self._look(every, sample_weight, begun)
        if begun:
            batches = Batches(self.density_.centre.astype(np.float64), self.statistic_.weight.copy(), self._since)
            dtype = self.density_.centre.dtype
        else:
            self._check_enough(look)
            self._rng, dtype = generator(self.random_state), look.rows.dtype
            batches = self._begun(self._best_start(look), look)
        self._step(batches, look.rows, look.w)
        self.n_steps_, self.outcome_ = getattr(self, "n_steps_", 0) + 1, "converged"
        self._keep_batches(batches, dtype)
        if self.compute_labels:
            self._label(every, look)

    # Where batches begin and what is kept ---------------------------------------------------------------------------

    def _start_size(self, look: Look) -> int:
        """How many rows a start is chosen from."""
        n = look.rows.shape[0]
        size = 3 * min(self.batch_size, n) if self.init_size is None else int(self.init_size)
        if size < self.n_clusters:
            if self.init_size is not None:
                warnings.warn(
                    f"init_size={size} should be larger than n_clusters={self.n_clusters}. Setting it to "
                    "min(3*n_clusters, n_samples)",
                    RuntimeWarning,
                    stacklevel=caller_stacklevel(),
                )
            size = 3 * self.n_clusters
        return min(size, n)

    def _best_start(self, look: Look) -> Array:
        """Of several starts, each from rows of its own and a few steps of k-means there, the best for other rows."""
        count, size = self._start_count(), self._start_size(look)
        if count == 1:
            return self._start(some_of(look, size, self._rng), self._rng)
        judges = some_of(look, size, self._rng, always=True)
        found: list[tuple[float, Array]] = []
        for i in range(count):
            some = some_of(look, size, self._rng)
            run = lloyd(some.rows, some.w, self._start(some, self._rng), REFINED)
            centre = np.asarray(run.found.centre, dtype=np.float64)
            found.append((assigned(judges.rows, judges.w, centre).inertia, centre))
            if self.verbose:
                tell(f"Inertia for init {i + 1}/{count}: {found[-1][0]}")
        return min(found, key=lambda one: one[0])[1]

    def _begun(self, centre: Array, look: Look) -> Batches:
        return Batches(centre, np.zeros((len(centre), look.rows.shape[1] if look.gaps else 1)))

    def _keep_batches(self, batches: Batches, dtype: Any) -> None:
        self.density_, self.statistic_ = CentroidDensity(batches.centre.astype(dtype)), batches.sums()
        self.counts_, self._since, self.iterated_ = batches.counts.max(axis=1), batches.since, True

    def _label(self, every: Any, look: Look) -> None:
        """Clusters of all rows, also of those that weigh nothing."""
        found = assigned(look.rows, look.w, self.density_.centre)
        all_weigh = look.rows.shape[0] == every.shape[0]
        self.labels_ = found.codes if all_weigh else self.density_.nearest(self._encoded(every, grow=False))
        self.inertia_ = found.inertia

    def _check(self) -> None:
        super()._check()
        for name, least in (("max_no_improvement", 0), ("init_size", 1)):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, Integral) or value < least):
                raise ValueError(f"{name} must be None or a whole number, at least {least}, got {value!r}.")
        ratio = self.reassignment_ratio
        if not isinstance(ratio, Real) or not 0 <= ratio < np.inf:
            raise ValueError(f"reassignment_ratio must be a number, at least 0, got {ratio!r}.")
        if not isinstance(self.compute_labels, bool | np.bool_):
            raise ValueError(f"compute_labels must be True or False, got {self.compute_labels!r}.")
