"""Families of symbols: Bernoulli and categorical columns."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.compute.codes import as_codes, tally
from parzen.compute.device import is_device
from parzen.compute.memberships import Memberships
from parzen.conjugate import Dirichlet
from parzen.densities.categorical import CategoricalDensity
from parzen.families.checks import ESTIMATES, filled, total_or_collapse
from parzen.families.family import Family
from parzen.statistics.counts import Counts
from parzen.statistics.sums import Sums
from parzen.tables.table import Table


@dataclass(eq=False, repr=False)
class Categorical(Family):
    r"""Columns of categories that are independent, each with its own alphabet: :math:`p(x) = \prod_j p_{j, x_j}`.

    Its statistic is `Counts`. In an estimator cells may be of any kind and each column's alphabet is what the first
    table holds; on bare arrays they are codes 0, 1, ..., and -1 or NaN where missing.

    Parameters
    ----------
    prior : Dirichlet, optional
        Of one concentration for every category, or one for each (all columns then have as many). By default
        Dirichlet(1) for "bayes" and Dirichlet(2) for "map", both of which give Laplace's rule.
    estimate : "bayes", "map" or "ml"
    categories : list or dict, optional
        Alphabet of each column, or its size: to declare categories that the first table may lack. In an estimator also
        a dict from some of the columns to their alphabets, or the alphabet itself where there is one column.
    least : int or sequence of int, optional
        How many categories every column (or each) has at least, on bare codes.
    unseen : "new", "missing" or "error"
        What a category beyond the alphabet is at prediction. "new": one more category, unseen, that has its share
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
    least: Any = None

    takes_device: ClassVar[bool] = True

    def bind(self, table: Table) -> Self:
        choose("unseen", self.unseen, ("new", "missing", "error"))
        return replace(self, categories=table.alphabets(self.categories, closed=self.unseen == "error"))

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Counts:
        choose("estimate", self.estimate, ESTIMATES)
        choose("unseen", self.unseen, ("new", "missing", "error"))
        X = as_codes(X)
        sizes = self._sizes(X)
        return Counts(tally(X, R, sizes), sizes)

    def log_prior(self, density: Any, statistic: Any) -> float:
        if self.estimate != "map":
            return 0.0
        concentration = 2.0 if self.prior is None else self.prior.concentration
        finite = (np.where(np.isfinite(logs), logs, 0.0) for logs in density.columns())
        return float(sum(((concentration - 1) * logs).sum() for logs in finite))

    def n_parameters(self, density: Any) -> int:
        return int(density.shape[0] * sum(size - 1 - (self.unseen != "error") for size in density.sizes))

    def maximise(self, statistic: Counts) -> CategoricalDensity:
        if self.categories is not None:
            statistic = statistic.resized(_given_sizes(self.categories, len(statistic.sizes)))
        elif (
            isinstance(self.prior, Dirichlet) and self.prior.concentration.shape[-1] > 1
        ):  # a concentration for each declares them
            declared = self.prior.concentration.shape[-1] - (self.unseen == "new")
            statistic = statistic.resized(tuple(max(size, declared) for size in statistic.sizes))
        if self.least is not None:
            least = _given_sizes(self.least, len(statistic.sizes))
            statistic = statistic.resized(tuple(map(max, statistic.sizes, least)))
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
            counts, whole = filled(counts, counts.sum(axis=1, keepdims=True))
            with np.errstate(divide="ignore"):
                logs = np.log(counts / whole)
        else:
            posterior = self._prior(counts.shape[1]).update(Sums(counts, counts))
            if self.estimate == "map":
                posterior.mode()  # raises where there is none
                weights = posterior.concentration - 1
            else:
                weights = posterior.concentration
            weights = np.broadcast_to(weights, counts.shape)
            with np.errstate(divide="ignore"):  # of a uniform prior, MAP is ML
                logs = np.log(weights) - np.log(weights.sum(axis=1, keepdims=True))
        return np.pad(logs, [(0, 0), (0, 1)]) if self.unseen == "missing" else logs

    def _prior(self, size: int) -> Dirichlet:
        if self.prior is not None and not isinstance(self.prior, Dirichlet):
            raise TypeError(f"prior of Categorical must be Dirichlet, such as Dirichlet(1), got {self.prior!r}.")
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

    def _sizes(self, X: Any) -> tuple[int, ...]:
        if self.categories is not None:
            return _given_sizes(self.categories, X.shape[1])
        if not len(X):
            return (1,) * X.shape[1]
        largest = X.largest() if is_device(X) else np.fmax.reduce(X, axis=0)
        return tuple(int(top) + 1 if 0 <= top < 2**31 else 1 for top in largest)  # what is no code, the tally refuses


def _given_sizes(categories: Any, d: int) -> tuple[int, ...]:
    given: list[Any] = [categories] * d if isinstance(categories, int | np.integer) else list(categories)
    if len(given) != d:
        raise ValueError(f"categories has {len(given)} alphabets, but there are {d} columns; give one for each.")
    return tuple(int(part) if isinstance(part, int | np.integer) else len(part) for part in given)
