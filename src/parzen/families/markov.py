"""Markov chains: the family of sequences in which a symbol depends on the few before it."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from parzen.compute.arrays import as_csr, as_floats, is_sparse
from parzen.compute.checks import choose
from parzen.compute.memberships import Memberships
from parzen.compute.moments import sums
from parzen.compute.sparse import csr_sums
from parzen.densities.markov import MarkovDensity, symbol_count
from parzen.families.checks import ESTIMATES
from parzen.families.family import Family
from parzen.statistics.counts import Counts


@dataclass(eq=False, repr=False)
class Markov(Family):
    r"""Chains of symbols: :math:`p(x) = \prod_t p(x_t | x_{t - r}, ..., x_{t - 1})`.

    A row is a sequence, as the counts that `parzen.TransitionCounts` makes of it; so a classifier over this family says
    which language, author or user produced it. Its statistic is `Counts`: how often each symbol followed each context.

    Parameters
    ----------
    order : int
        How many symbols the next one depends on.
    prior : float
        Concentration of a symmetric Dirichlet prior for what follows each context: 1 (by default) is Laplace's rule for
        "bayes", and so is 2 for "map".
    estimate : "bayes", "map" or "ml"
        The posterior predictive, the posterior's mode, or the observed frequency (where nothing was seen, that of all
        contexts together).

    Examples
    --------
    >>> from parzen import BayesClassifier, Markov, TransitionCounts
    >>> from sklearn.pipeline import make_pipeline
    >>> words = ["anna", "otto", "hannah", "bob", "tree", "moon", "street", "book"]
    >>> model = make_pipeline(TransitionCounts(), BayesClassifier(Markov()))
    >>> model.fit(words, ["name"] * 4 + ["thing"] * 4).predict(["hanna", "trees"])
    array(['name', 'thing'], dtype='<U5')
    """

    order: int = 1
    prior: float | None = None
    estimate: str = "bayes"

    takes_sparse: ClassVar[bool] = True
    takes_missing: ClassVar[bool] = False  # type: ignore[misc]
    takes_negative: ClassVar[bool] = False

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Counts:
        self.check()
        S = symbol_count(X.shape[1], self.order)
        totals = csr_sums(as_csr(X), R)[1] if is_sparse(X) else sums(as_floats(X), R)[1]
        if not (np.isfinite(totals).all() and (totals >= 0).all()):
            raise ValueError("counts of a chain must be finite and not negative.")
        return Counts(np.ascontiguousarray(totals), (S,) * (X.shape[1] // S))

    def check(self) -> None:
        """Raise where a parameter is wrong."""
        choose("estimate", self.estimate, ESTIMATES)
        if isinstance(self.order, bool) or not isinstance(self.order, int | np.integer) or not 0 <= self.order <= 16:
            raise ValueError(f"order must be a whole number from 0 to 16, got {self.order!r}.")
        prior, least = self.concentration, 1.0 if self.estimate == "map" else 0.0
        number = isinstance(prior, int | float | np.number) and not isinstance(prior, bool)
        if not number or not (least < prior < np.inf or (self.estimate == "map" and prior == 1)):
            raise ValueError(
                f"prior must be a number above {least:g}: the concentration of a Dirichlet prior, got {self.prior!r}."
            )

    @property
    def concentration(self) -> Any:
        """Of the prior."""
        return (2.0 if self.estimate == "map" else 1.0) if self.prior is None else self.prior

    def maximise(self, statistic: Counts) -> MarkovDensity:
        S, C = statistic.sizes[0], len(statistic.sizes)
        counts = statistic.counts.reshape(len(statistic.counts), C, S)
        if self.estimate == "bayes":
            counts = counts + self.concentration
        elif self.estimate == "map":
            counts = counts + (self.concentration - 1.0)
        whole = counts.sum(axis=2, keepdims=True)
        # After an unseen context: what follows any.
        anywhere = counts.sum(axis=1, keepdims=True)
        anywhere = np.where(anywhere.sum(axis=2, keepdims=True) > 0, anywhere, 1.0)
        counts = np.where(whole > 0, counts, anywhere)
        with np.errstate(divide="ignore"):
            return MarkovDensity(np.log(counts) - np.log(counts.sum(axis=2, keepdims=True)), int(self.order))

    def n_parameters(self, density: MarkovDensity) -> int:
        K, C, S = density.log_transition.shape
        return K * C * (S - 1)
