"""Mixtures by EM: any family's densities, weighted and added."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, is_sparse
from parzen.compute.checks import choose
from parzen.compute.memberships import Labels, Memberships, group_count, only_group
from parzen.densities.density import Density
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.mixture import MixtureDensity
from parzen.densities.per_group import PerGroupDensity
from parzen.families.family import Family
from parzen.families.fit import fit
from parzen.families.gaussian import Gaussian
from parzen.families.gaussian_starts import STEPS, TOL, run_shape, short_run
from parzen.families.initialisation import INITS, alike, labels_to_try, rows_worth, starts_worth
from parzen.families.likelihood import initial_density
from parzen.families.mixture_statistic import by_responsibilities, gaussian_statistic, mixture_statistic
from parzen.families.per_group import PerGroup
from parzen.families.point_estimates import point_estimates
from parzen.families.uniform import Uniform
from parzen.statistics.accumulate import in_memory
from parzen.statistics.batches import Batches
from parzen.statistics.joint import ExpectedStatistic, Joint
from parzen.statistics.messages import Collapse, NeedsDensity, naming_groups, warn_floor, without_floor_warnings
from parzen.tables.table import Table

#: Two starts have led to the same optimum where the log-likelihoods of a row differ by less.
AGREED = 2e-3
#: Starts of a small table that are tried at least, whether or not two of them agree.
ENOUGH = 5


@dataclass(eq=False, repr=False)
class Mixture(Family):
    r"""Mixtures: :math:`p(x) = \sum_c \pi_c p_c(x)`, by EM. A family itself: a class or a block of columns can be one.

    Its statistic is, for each group, the `Joint` of the components' weights and their family's statistic, every row
    counted in every component by its posterior under the current density. Components are parameters, not predictives:
    ``estimate="bayes"`` becomes ``"map"``, with a prior whose mode is where the posterior's mean was.

    Parameters
    ----------
    family : Family or list of families
        What the components are; by default ``Gaussian()``. A list gives each its own kind, such as
        ``[Gaussian(), Gaussian(), Uniform()]``, where `Fixed(density)` is a component that stays as it is.
    n_components : int, optional
        By default 2, or the length of the list.
    weight_concentration : float
        Of a Dirichlet prior of the weights: 1 is none, more keeps components from dying, 0 to 1 lets them. The
        log-prior of the weights is that of the components which are alive: below 1, it falls where one dies.
    init : "auto", "kmeans", "k-means++", "random" or "random_from_data"
        Where EM begins. "auto" tries partitions of a sample by k-means, in the columns' own units and after whitening,
        and by merging small clusters, until two of them lead to the same objective, and keeps the best.
    n_init : int
        How many times more partitions are tried.
    held : pair (list of int, GaussianDensity), optional
        Components that stay as they are (though their weights are learnt), and what they are.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import Mixture, Poisson, fit
    >>> visits = np.array([[0], [1], [0], [2], [1], [14], [17], [15], [13]])
    >>> two = fit(Mixture(Poisson(estimate="ml"), 2), visits, rng=0).density
    >>> np.sort(two.components.rate.ravel()).round(2), np.sort(two.weight).round(2)
    (array([ 0.8 , 14.75]), array([0.44, 0.56]))
    """

    family: Any = None
    n_components: int | None = None
    weight_concentration: float = 1.0
    init: str = "auto"
    n_init: int = 1
    held: Any = None

    iterates: ClassVar[bool] = True

    @property
    def takes_missing(self) -> bool:  # type: ignore[override]
        """Whether the components may have missing cells."""
        return self.components().takes_missing

    @property
    def takes_sparse(self) -> bool:  # type: ignore[override]
        """Whether the components read CSR matrices."""
        family = self.components()
        return family.takes_sparse or (type(family) is Gaussian and family.covariance_type != "full")

    @property
    def takes_device(self) -> bool:  # type: ignore[override]
        """Whether rows may lie on a GPU: where the components are Gaussians."""
        return type(self.components()) is Gaussian and self.components().takes_device

    @property
    def takes_negative(self) -> bool:  # type: ignore[override]
        """Whether the components may have cells below zero."""
        return self.components().takes_negative

    def bind(self, table: Table) -> Self:
        bound = self.components().bind(table)
        return replace(self, family=bound.parts if isinstance(bound, PerGroup) else bound)

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> ExpectedStatistic:
        if at is None:
            raise NeedsDensity("a mixture must be found by EM: use parzen.fit or an estimator.")
        groups = at.parts if isinstance(at, PerGroupDensity) else (at,)
        if len(groups) != group_count(R):
            raise ValueError(f"there are {len(groups)} mixtures, but memberships in {group_count(R)} groups.")
        seen = [self._observe_one(*_own_rows(X, R, k), density) for k, density in enumerate(groups)]
        parts, weights, likelihoods = zip(*seen, strict=True)
        return ExpectedStatistic(Joint(tuple(parts)), np.array(weights), np.array(likelihoods))

    def _observe_one(self, X: Any, w: Array | None, at: MixtureDensity) -> tuple[Joint, float, float]:
        """Statistic, weight and log-likelihood of the rows of one mixture."""
        family = self.components()
        found = gaussian_statistic(family, X, w, at)
        inner, weight, likelihood = found if found is not None else by_responsibilities(family, X, w, at)
        total = float(X.shape[0] if w is None else w.sum())
        return mixture_statistic(weight, inner), total, likelihood

    def log_prior(self, density: Any, statistic: Any) -> float:
        groups: Any = density.parts if isinstance(density, PerGroupDensity) else (density,)
        family, total = self.components(), 0.0
        for one, seen in zip(groups, statistic.parts, strict=True):
            total += family.log_prior(one.components, seen.parts[1])
            if self.weight_concentration != 1:
                total += (self.weight_concentration - 1) * float(one.log_weight[np.isfinite(one.log_weight)].sum())
        return total

    def n_parameters(self, density: Any) -> int:
        groups: Any = density.parts if isinstance(density, PerGroupDensity) else (density,)
        family, held = self.components(), 0 if self.held is None else len(self.held[0])
        return sum(family.n_parameters(one.components) * (one.size - held) // one.size + one.size - 1 for one in groups)

    def maximise(self, statistic: Joint) -> Density:
        self._check()
        parts = tuple(self._maximise_one(part) for part in statistic.parts)
        return parts[0] if len(parts) == 1 else PerGroupDensity(parts)

    def _maximise_one(self, statistic: Any) -> MixtureDensity:
        counted, inner = statistic.parts
        weight = counted.weight[:, 0]
        if not weight.sum() > 0:
            raise Collapse("a mixture can't be fitted: no row has any weight; give rows with weight above 0.")
        raised = np.maximum(weight + (self.weight_concentration - 1.0), 0.0)
        raised = raised if raised.sum() > 0 else weight
        with naming_groups("components"):
            empty = np.flatnonzero(raised <= 1e-10 * raised.sum())
            if len(empty):
                warn_floor(
                    f"components {empty.tolist()} are empty: no row belongs to them. Ask for fewer components, or "
                    "start elsewhere (another random_state, a larger n_init)."
                )
            with without_floor_warnings() if len(empty) else nullcontext():
                found = self.components().maximise(inner)
        with np.errstate(divide="ignore"):
            log_weight = np.log(raised / raised.sum())
        return MixtureDensity(self._holding(found), log_weight)

    def start(self, X: Any, R: Memberships, rng: np.random.Generator) -> Density:
        self._check()
        groups = X.groups if isinstance(X, Batches) else group_count(R)
        if not in_memory(X) and not isinstance(X, Batches):
            X, R = _first_batch(X, R)
            groups = group_count(R)
        parts = tuple(self._start_one(*_own_rows(X, R, k), rng) for k in range(groups))
        return parts[0] if groups == 1 else PerGroupDensity(parts)

    def _start_one(self, X: Any, w: Array | None, rng: np.random.Generator) -> MixtureDensity:
        """The partition of a sample of the rows from which a few steps lead highest, after these steps."""
        family, C = self.components(), self.size()
        if X.shape[0] == 0:
            raise Collapse("a mixture can't be fitted: a group has no rows; give each class some.")
        counts = not isinstance(family, Gaussian)
        rows, own, tries = labels_to_try(X, w, C - len(self._noise()), self.init, self.n_init, rng, counts)
        # Of a step of EM: for every row and component, a squared distance and an exponential.
        full = isinstance(family, Gaussian) and family.covariance_type == "full"
        work = rows.shape[0] * C * ((X.shape[1] if full else 1) * X.shape[1] + 12)
        most = starts_worth(work, rows.shape[0], X.shape[0]) * self.n_init
        cheap, large = work < 30_000, work > 200_000
        total, many = float(rows.shape[0] if own is None else own.sum()), rows_worth(rows, own)
        noise = family.noise if isinstance(family, Gaussian) else 0.0
        # Where each part has so few rows, it may well be flat in some direction: that says nothing against it.
        least_rows = max(X.shape[1] if full else 1, 2) + 1
        few = many <= C * least_rows
        if self.init != "auto" and self.n_init == 1:
            codes = self._spared(next(iter(tries)))
            with without_floor_warnings(), naming_groups("components"):
                return self.mixed(initial_density(family, rows, self._first(codes, own), rng), codes, own)

        def fallen(density: MixtureDensity) -> int:
            """Components that have collapsed."""
            if few and density.weight.min() * many > 0.9 * least_rows:
                return 0
            return int(density.collapsed(many, noise).sum())

        contest = _Contest(AGREED * total, fallen)
        tried, failed, run = 0, "", self._runner(family, rows, own, rng)
        with without_floor_warnings(), naming_groups("components"):
            for codes in tries:
                if contest.knows(codes, C - len(self._noise())):
                    contest.agreed = True
                else:
                    least = contest.wanted if large else -np.inf
                    try:
                        contest.enter(codes, *run(codes, None if cheap else least))
                    except Collapse as reason:
                        failed = str(reason)
                        continue
                tried += 1
                if tried >= most or (contest.agreed and (tried >= ENOUGH or large)):
                    break
        if contest.best is None:
            raise Collapse(f"no start leads to a mixture: {failed}")
        return contest.best[2]

    def _runner(
        self, family: Family, rows: Any, w: Array | None, rng: np.random.Generator
    ) -> Callable[[NDArray[np.int32], float | None], tuple[MixtureDensity, float]]:
        """What takes a few steps of EM from a partition, fewer where they won't lead to an objective."""
        plain = self.held is None and not self._noise() and self.weight_concentration == 1
        shape = run_shape(family) if plain else None
        X = None if shape is None or is_sparse(rows) else np.ascontiguousarray(rows, dtype=np.float64)
        X = None if X is None or np.isnan(X).any() else X

        def run(codes: NDArray[np.int32], least: float | None) -> tuple[MixtureDensity, float]:
            quick = None if X is None or shape is None else short_run(family, shape, X, w, codes, self.size(), least)
            if quick is not None:
                return quick
            codes = self._spared(codes)
            start = self.mixed(initial_density(family, rows, self._first(codes, w), rng), codes, w)
            found = fit(self, rows, w, start=start, max_iter=STEPS, tol=TOL)
            return _mixture(found.density), found.objective[-1]

        return run

    def _noise(self) -> list[int]:
        """Components that are level everywhere: they are no cluster."""
        parts = self.family if isinstance(self.family, list | tuple) else ()
        return [k for k, part in enumerate(parts) if isinstance(part, Uniform)]

    def _spared(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Parts of a partition as components, those that are noise left out."""
        others = np.setdiff1d(np.arange(self.size()), self._noise())
        return (others if len(others) else np.arange(self.size()))[codes].astype(np.int32)

    def _first(self, codes: NDArray[np.int32], w: Array | None) -> Memberships:
        """Memberships of a partition; noise has a small share of every row."""
        R = Labels(codes, w, groups=self.size())
        if not self._noise():
            return R
        shares = R.dense()
        shares[:, self._noise()] = 0.05 * shares.sum(axis=1, keepdims=True)
        return shares

    def mixed(self, density: Density, codes: Any, w: Array | None) -> MixtureDensity:
        """The mixture of components that were fitted to the parts of a partition."""
        counts = np.bincount(codes, weights=w, minlength=self.size()) + 1e-3
        counts[self._noise()] = 0.05 * counts.sum()
        return MixtureDensity(self._holding(density), np.log(counts / counts.sum()))

    def components(self) -> Family:
        """The family of the components, by point estimates."""
        given = Gaussian() if self.family is None else self.family
        return (
            PerGroup([point_estimates(part) for part in given])
            if isinstance(given, list | tuple)
            else point_estimates(given)
        )

    def size(self) -> int:
        """How many components there are."""
        if isinstance(self.family, list | tuple):
            return len(self.family)
        return 2 if self.n_components is None else int(self.n_components)

    def _holding(self, found: Density) -> Density:
        if self.held is None:
            return found
        which, given = list(self.held[0]), self.held[1]
        assert isinstance(found, GaussianDensity)
        mean, factor = found.mean.copy(), found.factor.copy()
        mean[which], factor[which] = given.mean[which], given.factor[which]
        return GaussianDensity(mean, factor)

    def _check(self) -> None:
        choose("init", self.init, INITS)
        many = isinstance(self.family, list | tuple)
        if many and self.n_components not in (None, len(self.family)):
            raise ValueError(
                f"n_components is {self.n_components}, but there are {len(self.family)} families; leave it out."
            )
        if self.size() < 1 or not isinstance(self.n_components, Integral | None) or isinstance(self.n_components, bool):
            raise ValueError(f"n_components must be a whole number, at least 1, got {self.n_components!r}.")
        if not isinstance(self.weight_concentration, Real) or not 0 <= self.weight_concentration < np.inf:
            raise ValueError(f"weight_concentration must be a number, at least 0, got {self.weight_concentration!r}.")
        if not isinstance(self.n_init, Integral) or self.n_init < 1:
            raise ValueError(f"n_init must be a whole number, at least 1, got {self.n_init!r}.")


def _mixture(density: Any) -> MixtureDensity:
    assert isinstance(density, MixtureDensity)
    return density


def _own_rows(X: Any, R: Memberships, k: int) -> tuple[Any, Array | None]:
    """Rows with weight in a group, and their weights; batches bring theirs."""
    if isinstance(X, Batches):
        return X.only(k), None
    own = only_group(R, k)
    if own is None:
        return X, None
    if isinstance(own, Labels):
        rows = np.flatnonzero(own.codes >= 0)
        weights = None if own.weights is None else np.ascontiguousarray(own.weights[rows])
        return X[rows], weights
    rows = np.flatnonzero(own)
    return (X, own) if len(rows) == len(own) else (X[rows], np.ascontiguousarray(own[rows]))


def _first_batch(batches: Any, R: Any) -> tuple[Any, Any]:
    batch = next(iter(batches))
    return batch if isinstance(batch, tuple) else (batch, R)


class _Contest:
    """The best of several starts: fewest collapsed components first, then the highest objective.

    Attributes
    ----------
    best : its collapsed components (negative), objective, density and partition; None before the first
    agreed : whether another start has led to the same, so that there may be no better one
    """

    def __init__(self, near: float, fallen: Callable[[MixtureDensity], int]) -> None:
        self.near, self.fallen = near, fallen
        self.best: tuple[int, float, MixtureDensity, NDArray[np.int32]] | None = None
        self.agreed = False

    @property
    def wanted(self) -> float:
        """The objective that a start must reach to agree with the best, or to be better."""
        return self.best[1] - self.near if self.best is not None and self.best[0] == 0 else -np.inf

    def knows(self, codes: NDArray[np.int32], C: int) -> bool:
        """Whether a partition is like that of the best."""
        return self.best is not None and alike(self.best[3], codes, C)

    def enter(self, codes: NDArray[np.int32], density: MixtureDensity, objective: float) -> None:
        """Compare where a start has led with the best so far."""
        best = self.best
        if best is not None and best[0] == 0 and objective <= best[1]:
            self.agreed = self.agreed or objective >= self.wanted
            return
        worth = -self.fallen(density), objective
        if best is None or worth > best[:2]:
            self.agreed = best is not None and worth[0] == best[0] and abs(objective - best[1]) <= self.near
            self.best = (*worth, density, codes)
