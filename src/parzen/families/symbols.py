"""Families of symbols: Bernoulli and categorical columns."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from parzen.conjugate import Beta, Dirichlet
from parzen.densities.symbols import BernoulliDensity, CategoricalDensity
from parzen.family import ESTIMATES, Family, Table, choose, total_or_collapse
from parzen.kernels.arrays import Array, as_csr, is_sparse
from parzen.kernels.codes import BadCode, as_codes, tally
from parzen.kernels.memberships import Memberships
from parzen.kernels.sparse import csr_sums
from parzen.statistic import Counts, Sums


@dataclass(eq=False, repr=False)
class Bernoulli(Family):
    r"""Columns of zeros and ones that stand alone: :math:`p(x) = \prod_j p_j^{x_j} (1 - p_j)^{1 - x_j}`.

    Its statistic is `Sums`: the weight of each column's cells and of its ones.

    Parameters
    ----------
    prior : Beta, optional
        By default Beta(1, 1) for "bayes" and Beta(2, 2) for "map", both of which give Laplace's rule.
    estimate : "bayes", "map" or "ml"
        The posterior predictive, the posterior's mode, or the likeliest probability (which may be 0 or 1).

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import Bernoulli, fit
    >>> heads = np.array([[1], [1]])
    >>> fit(Bernoulli(), heads).density.probability, fit(Bernoulli(estimate="ml"), heads).density.probability
    (array([[0.75]]), array([[1.]]))
    """

    prior: Beta | None = None
    estimate: str = "bayes"

    takes_sparse: ClassVar[bool] = True

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Sums:
        choose("estimate", self.estimate, ESTIMATES)
        if is_sparse(X):
            X = as_csr(X)
            if not np.isin(X.data, (0, 1)).all():
                raise ValueError("Bernoulli needs cells that are 0 or 1; binarise them, as in X > threshold.")
            weight, totals = csr_sums(X, R)
            return Sums(weight[:, None], totals)
        try:
            counts = tally(as_codes(X), R, (2,) * X.shape[1])
        except BadCode as bad:
            raise ValueError(
                f"Bernoulli needs cells that are 0, 1 or NaN, but column {bad.column} holds {bad.value!r}; "
                "binarise it, as in X > threshold, or use Categorical or Poisson."
            ) from None
        pairs = counts.reshape(len(counts), -1, 2)
        return Sums(pairs.sum(axis=2), np.ascontiguousarray(pairs[:, :, 1]))

    def maximise(self, statistic: Sums) -> BernoulliDensity:
        total_or_collapse(statistic.weight, "Bernoulli")
        weight = np.broadcast_to(statistic.weight, statistic.totals.shape)
        if self.estimate == "ml":
            ones, rows = _filled(statistic.totals, weight)
            with np.errstate(divide="ignore"):
                return BernoulliDensity(np.log((rows - ones) / rows), np.log(ones / rows))
        prior = self.prior or (Beta(2, 2) if self.estimate == "map" else Beta(1, 1))
        posterior = prior.update(Sums(weight, statistic.totals))
        if self.estimate == "bayes":
            return posterior.predictive()
        posterior.mode()  # raises at the border
        whole = np.log(posterior.a + posterior.b - 2)
        return BernoulliDensity(np.log(posterior.b - 1) - whole, np.log(posterior.a - 1) - whole)


@dataclass(eq=False, repr=False)
class Categorical(Family):
    r"""Columns of categories that stand alone, each with its own alphabet: :math:`p(x) = \prod_j p_{j, x_j}`.

    Its statistic is `Counts`. In an estimator cells may be of any kind and each column's alphabet is what the first
    table holds; on bare arrays they are codes 0, 1, ..., negative or NaN where missing.

    Parameters
    ----------
    prior : Dirichlet, optional
        Of one concentration for every category, or one for each (all columns then have as many). By default
        Dirichlet(1) for "bayes" and Dirichlet(2) for "map", both of which give Laplace's rule.
    estimate : "bayes", "map" or "ml"
    categories : list, optional
        Alphabet of each column, or its size: to declare categories that the first table may lack.
    unseen : "new", "missing" or "error"
        What a category beyond the alphabet is at prediction. "new": one more category, never met, that has its share
        of the prior (so that the alphabet's own probabilities sum to less than one); "missing": no information;
        "error": impossible, an alphabet is all there is.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import Categorical, fit
    >>> seen = np.array([[0], [0], [1]])
    >>> np.exp(fit(Categorical(), seen).density.log_density(np.array([[0], [1], [7]])))
    array([[0.5       ],
           [0.33333333],
           [0.16666667]])
    >>> np.exp(fit(Categorical(unseen="error"), seen).density.log_density(np.array([[0], [1]])))
    array([[0.6],
           [0.4]])
    """

    prior: Dirichlet | None = None
    estimate: str = "bayes"
    categories: Any = None
    unseen: str = "new"

    def bind(self, table: Table) -> Self:
        return replace(self, categories=table.alphabets(self.categories))

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Counts:
        choose("estimate", self.estimate, ESTIMATES)
        choose("unseen", self.unseen, ("new", "missing", "error"))
        X = as_codes(X)
        sizes = self._sizes(X)
        return Counts(tally(X, R, sizes), sizes)

    def maximise(self, statistic: Counts) -> CategoricalDensity:
        if self.categories is not None:
            statistic = statistic.resized(_given_sizes(self.categories, len(statistic.sizes)))
        elif (
            self.prior is not None and self.prior.concentration.shape[-1] > 1
        ):  # a concentration for each declares them
            declared = self.prior.concentration.shape[-1] - (self.unseen == "new")
            statistic = statistic.resized(tuple(max(size, declared) for size in statistic.sizes))
        columns = statistic.columns()
        total_or_collapse(np.stack([column.sum(axis=1) for column in columns], axis=1), "Categorical")
        logs = [self._log_probabilities(column) for column in columns]
        return CategoricalDensity(
            np.concatenate(logs, axis=1), tuple(part.shape[1] for part in logs), self.unseen != "error"
        )

    def _log_probabilities(self, counts: Array) -> Array:
        """Of the categories and, unless the alphabet is closed, of one slot for all others."""
        if self.unseen == "new":
            counts = np.pad(counts, [(0, 0), (0, 1)])
        if self.estimate == "ml":
            counts, whole = _filled(counts, counts.sum(axis=1, keepdims=True))
            with np.errstate(divide="ignore"):
                logs = np.log(counts / whole)
        else:
            posterior = self._prior(counts.shape[1]).update(Sums(counts, counts))
            if self.estimate == "map":
                posterior.mode()  # raises at the border
                weights = posterior.concentration - 1
            else:
                weights = posterior.concentration
            weights = np.broadcast_to(weights, counts.shape)
            logs = np.log(weights) - np.log(weights.sum(axis=1, keepdims=True))
        return np.pad(logs, [(0, 0), (0, 1)]) if self.unseen == "missing" else logs

    def _prior(self, size: int) -> Dirichlet:
        prior = self.prior or Dirichlet(2.0 if self.estimate == "map" else 1.0)
        given = prior.concentration.shape[-1]
        if given == 1:
            return Dirichlet(np.full(size, prior.concentration.flat[0]))
        known = size - (self.unseen == "new")
        if given != size:
            raise ValueError(
                f"prior has {given} concentrations, but a column has {known} categories"
                + (" and one more for unseen ones (unseen='error' takes that away)." if size != known else ".")
            )
        return prior

    def _sizes(self, X: NDArray[Any]) -> tuple[int, ...]:
        if self.categories is not None:
            return _given_sizes(self.categories, X.shape[1])
        if not len(X):
            return (1,) * X.shape[1]
        largest = np.fmax.reduce(X, axis=0)
        return tuple(int(top) + 1 if top >= 0 else 1 for top in largest)


def _given_sizes(categories: Any, d: int) -> tuple[int, ...]:
    given: list[Any] = [categories] * d if isinstance(categories, int) else list(categories)
    if len(given) != d:
        raise ValueError(f"categories has {len(given)} alphabets, but there are {d} columns; give one for each.")
    return tuple(int(part) if np.ndim(part) == 0 else len(part) for part in given)


def _filled(totals: Array, weight: Array) -> tuple[Array, Array]:
    """Totals and weights in which groups without weight have those of all rows together."""
    empty = weight == 0
    pooled = (np.broadcast_to(part.sum(axis=0, keepdims=True), part.shape) for part in (totals, weight))
    return tuple(np.where(empty, whole, part) for whole, part in zip(pooled, (totals, weight), strict=True))  # type: ignore[return-value]
