"""Rows of counts given their total: multinomial, with a Dirichlet prior."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, as_csr, as_floats, canonical, is_sparse
from parzen.compute.checks import choose
from parzen.compute.device import is_device
from parzen.compute.memberships import Memberships, group_count, only_group
from parzen.compute.moments import sums
from parzen.compute.sparse import csr_sums
from parzen.conjugate import Dirichlet
from parzen.densities.dirichlet_multinomial import DirichletMultinomialDensity
from parzen.densities.multinomial import MultinomialDensity
from parzen.families.checks import ESTIMATES, check_prior, filled, powers, total_or_collapse
from parzen.families.family import Family
from parzen.families.likelihood import LogLikelihood
from parzen.statistics.accumulate import accumulate, map_rows
from parzen.statistics.joint import ExpectedStatistic
from parzen.statistics.messages import Collapse, NeedsDensity
from parzen.statistics.sums import Sums


@dataclass(eq=False, repr=False)
class Multinomial(Family):
    r"""Rows of counts, given their total N: :math:`p(x) = N! \prod_j p_j^{x_j} / x_j!`. Dense or CSR.

    Its statistic is `Sums`: the weight of the rows and the total of each column. Counts may be fractions (weights of
    words); their total is then no whole number and the coefficient is that of the Gamma function. A missing count
    leaves a multinomial of the others, given their total; fitting then iterates (EM).

    Parameters
    ----------
    prior : Dirichlet, optional
        Of one concentration for every column, or one for each. By default Dirichlet(1) for "bayes" and Dirichlet(2)
        for "map", whose probabilities are those of Laplace's rule.
    estimate : "bayes", "mean", "map" or "ml"
        The posterior predictive (Dirichlet-multinomial), the posterior's mean in the place of the probabilities (what
        multinomial naive Bayes calls smoothing), its mode, or the maximum likelihood probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import Multinomial, fit
    >>> words = np.array([[2, 0, 1], [1, 0, 0]])
    >>> np.exp(fit(Multinomial(estimate="map"), words).density.log_probability).round(3)
    array([[0.571, 0.143, 0.286]])
    """

    prior: Dirichlet | None = None
    estimate: str = "bayes"

    takes_sparse: ClassVar[bool] = True
    takes_negative: ClassVar[bool] = False

    @property
    def takes_device(self) -> bool:  # type: ignore[override]
        """Whether rows may lie on a GPU: where densities are multinomials."""
        return self.estimate != "bayes"

    @property
    def takes_missing(self) -> bool:  # type: ignore[override]
        """Whether a count may be NaN: not where its predictive has no exact form then."""
        return self.estimate != "bayes"

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Sums | ExpectedStatistic:
        choose("estimate", self.estimate, (*ESTIMATES, "mean"))
        check_prior(self.prior, Dirichlet, "Multinomial", (group_count(R), X.shape[1]))
        if is_sparse(X):
            X = as_csr(X)
            weight, totals, negative = csr_sums(X, R)
            if negative:
                self._refuse(canonical(X).data)  # a cell may be stored in parts
            if not np.isfinite(totals).all():
                raise ValueError("a sparse matrix of counts must hold finite numbers, but a cell is NaN or infinite.")
            return Sums(weight[:, None], totals)
        X = as_floats(X)
        if is_device(X):
            return self._observe_there(X, R)
        self._refuse(X)
        missing = np.isnan(X)
        if not missing.any():
            return self._sums(X, R)
        if at is None or self.estimate == "bayes":
            raise NeedsDensity(
                "X has missing counts, and their multinomial must then be found by EM: use parzen.fit or an "
                "estimator over rows that can be read again, and estimate='mean', 'map' or 'ml'."
            )
        return self._expected(X, R, missing, at)

    def _observe_there(self, X: Any, R: Memberships) -> Sums:
        if X.missing():
            raise ValueError("Input X contains NaN: on a device counts must be complete; give X.cpu(), or fill them.")
        if X.min() < 0:
            self._refuse(np.array([X.min()]))
        return self._sums(X, R)

    def _sums(self, X: Any, R: Memberships) -> Sums:
        weight, totals = sums(X, R)
        return Sums(np.ascontiguousarray(weight[:, :1]), totals)

    def _expected(
        self, X: Any, R: Memberships, missing: NDArray[np.bool_], at: MultinomialDensity
    ) -> ExpectedStatistic:
        """Given the counts that are there, with total N, a missing one is N p / (share of those that are there)."""
        seen, present = np.where(missing, 0.0, X), (~missing).astype(np.float64)
        groups = []
        for k, probability in enumerate(np.exp(at.log_probability)):
            share = present @ probability
            scale = np.divide(seen.sum(axis=1), share, out=np.zeros(len(X)), where=share > 0)
            groups.append(self._sums(np.where(missing, scale[:, None] * probability, seen), only_group(R, k)))
        weight, totals = (np.concatenate([getattr(one, name) for one in groups]) for name in ("weight", "totals"))
        score = LogLikelihood(at).observe(X, R)
        return ExpectedStatistic(Sums(weight, totals), score.weight, score.log_likelihood)

    def start(self, X: Any, R: Memberships, rng: np.random.Generator) -> MultinomialDensity:
        if self.estimate == "bayes":
            raise ValueError(
                "estimate='bayes' has no exact form where counts are missing; use estimate='mean', 'map' or 'ml'."
            )
        begun = self.maximise(accumulate(self, map_rows(np.nan_to_num, X), R))
        assert isinstance(begun, MultinomialDensity)
        return begun

    def _refuse(self, cells: Any) -> None:
        if cells.size and np.fmin.reduce(cells, axis=None) < 0:
            raise ValueError(
                f"Negative values in data: Multinomial needs counts that are not negative, but X holds "
                f"{np.nanmin(cells):g}; use Gaussian for measurements."
            )

    def log_prior(self, density: Any, statistic: Any) -> float:
        if self.estimate not in ("map", "mean"):
            return 0.0
        prior = self.prior or Dirichlet(2.0 if self.estimate == "map" else 1.0)
        return powers(prior.concentration - (self.estimate == "map"), density.log_probability)

    def n_parameters(self, density: Any) -> int:
        K, d = density.shape
        return int(K * (d - 1))

    def maximise(self, statistic: Sums) -> MultinomialDensity | DirichletMultinomialDensity:
        total_or_collapse(statistic.weight, "Multinomial")
        totals, weight = filled(statistic.totals, statistic.weight)
        length = totals.sum(axis=1) / weight[:, 0]
        if self.estimate == "ml":
            return MultinomialDensity(self._likeliest(statistic), length)
        posterior = (self.prior or Dirichlet(2.0 if self.estimate == "map" else 1.0)).update(statistic)
        concentration = np.broadcast_to(posterior.concentration, statistic.totals.shape)
        if self.estimate == "bayes":
            return DirichletMultinomialDensity(concentration, length)
        if self.estimate == "map":
            posterior.mode()  # raises where there is none
            concentration = concentration - 1
        with np.errstate(divide="ignore"):  # of a uniform prior, MAP is ML
            logs = np.log(concentration) - np.log(concentration.sum(axis=1, keepdims=True))
        return MultinomialDensity(logs, length)

    def _likeliest(self, statistic: Sums) -> Any:
        totals, whole = filled(statistic.totals, statistic.totals.sum(axis=1, keepdims=True))
        if not whole.any():
            raise Collapse("Multinomial can't be fitted by ML: all counts are zero; use estimate='bayes'.")
        with np.errstate(divide="ignore"):
            return np.log(totals / whole)


def complement_weights(totals: Array, alpha: Any, norm: bool) -> Array:
    """Weights of columns by the counts of the other groups (Rennie, Shih, Teevan & Karger 2003), (K, d)."""
    others = totals.sum(axis=0) + alpha - totals
    with np.errstate(divide="ignore"):
        logs = np.log(others / others.sum(axis=1, keepdims=True))
    return logs / logs.sum(axis=1, keepdims=True) if norm else -logs
