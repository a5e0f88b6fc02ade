"""What mixtures share: EM with its options, components of rows, information criteria, batches."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels
from parzen.densities.density import Density
from parzen.densities.mixture import MixtureDensity
from parzen.densities.posterior import decide, posterior
from parzen.estimators.base.progress import CallbackSupportMixin, Watch
from parzen.estimators.base.results import over_sources
from parzen.estimators.base.sources import takes_sources
from parzen.estimators.base.validation import (
    drop_zero_weight,
    finite,
    generator,
    row_count,
    squarable,
    transactional,
    weights,
)
from parzen.estimators.density.density import BaseDensityEstimator
from parzen.estimators.mixture.criteria import assignment_uncertainty
from parzen.families.family import Family
from parzen.families.fit import Fit
from parzen.families.mixture import Mixture
from parzen.families.semi_supervised_mixture import SemiSupervisedMixture
from parzen.statistics.accumulate import accumulate
from parzen.statistics.batches import Batches


class BaseMixture(CallbackSupportMixin, BaseDensityEstimator):
    """A density estimator whose density is a mixture: it knows its components, and which of them a row comes from.

    Attributes
    ----------
    weights_ : array of shape (C,)
    converged_ : bool
    lower_bound_ : float
        Mean log-likelihood of a row at the last E-step.
    objective_ : float or None
        What EM maximises, of a row at the last E-step: the log-likelihood, plus the log-prior if there is one. With
        ``warm_start`` the next fit goes on from it.
    lower_bounds_ : list of float
        The lower bound at each E-step. Without priors this is what EM maximises, and it never falls; with a prior (of a
        family by MAP, or of the weights) EM maximises the log-posterior, and the log-likelihood alone may fall.
    trace_ : list of (float, float)
        With ``trace=True``: the mean log-likelihood of a row at each E-step, and the evidence lower bound after the
        M-step; both without the log-prior.
    """

    density_: MixtureDensity
    lower_bounds_: list[float]
    max_iter: int
    tol: float
    warm_start: bool = False
    trace: bool = False
    accelerate: bool = True
    forgetting: Any = None

    @takes_sources
    @abstractmethod
    def fit(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, labels: ArrayLike | None = None
    ) -> Self:
        """Fit the mixture to rows by EM."""

    def _first_rows(
        self, X: Any, sample_weight: ArrayLike | None, codes: NDArray[np.int32] | None
    ) -> tuple[Any, Array | None, NDArray[np.int32] | None]:
        """Rows of the first table, their weights and known components, without rows of weight zero."""
        X, w, *kept = drop_zero_weight(X, weights(sample_weight, X), *([] if codes is None else [codes]))
        return squarable(self._bind(X)), w, kept[0] if kept else None

    def _em(
        self,
        family: Mixture,
        rows: Any,
        w: Array | None,
        codes: NDArray[np.int32] | None,
        start: Density | None,
        rng: np.random.Generator,
        callback: Watch,
    ) -> Fit:
        """EM from a density, or from the family's own start; with the components of some rows known."""
        C = family.size()
        if rows.shape[0] < C:
            raise ValueError(
                f"Expected n_samples >= n_components but got n_components = {C}, n_samples = {rows.shape[0]}; ask for "
                "fewer components."
            )
        if codes is not None and self.trace:
            raise ValueError(
                "trace=True keeps the lower bound of rows whose component is not known; leave out labels or trace."
            )
        if self.forgetting is not None and not 0 <= self.forgetting < 1:
            raise ValueError(f"forgetting must lie in [0, 1), got {self.forgetting!r}.")
        whole: Family = family if codes is None else SemiSupervisedMixture(family)
        R = w if codes is None else Labels(codes, w, groups=C)
        options: dict[str, Any] = {name: getattr(self, name) for name in ("max_iter", "tol", "trace", "accelerate")}
        goes_on = start is not None and start is vars(self).get("density_")
        reached = vars(self).get("objective_") if goes_on else None
        return self._fit_family(whole, rows, R, start=start, rng=rng, callback=callback, reached=reached, **options)

    def _before(self, d: int, C: int) -> MixtureDensity | None:
        """The density of the last fit, where EM shall go on from it and it has these columns and components."""
        density = getattr(self, "density_", None) if self.warm_start else None
        same = isinstance(density, MixtureDensity) and (density.shape[1], density.size) == (d, C)
        return density if same else None

    def _keep_mixture(self, found: Fit, weight: float) -> None:
        self._warn(found)
        self._keep(found.density, found.statistic, found)
        scores = [score / weight for score in found.log_likelihoods]
        self.lower_bounds_ = scores[: len(scores) - self.trace] if found.n_iter else []
        self.lower_bound_ = self.lower_bounds_[-1] if self.lower_bounds_ else -np.inf
        self.objective_ = found.objective[-1] / weight if found.objective else None
        self.converged_ = found.outcome == "converged"
        if self.trace:
            self.trace_ = [(low, elbo / weight) for low, elbo in zip(scores, found.elbos, strict=False)]
        self.n_batches_ = 1

    @transactional
    def partial_fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> None:
        """Learn from more rows by stepwise EM (Cappé & Moulines 2009).

        The first batch is fitted. Of each later one, the expected statistic under the current density replaces a part
        of the old one: by default ``t ** -0.7`` of it at batch t (of batches of its size), which forgets early
        batches, when little was known; or the part that `forgetting` says.
        """
        if not hasattr(self, "density_"):
            self.fit(X, sample_weight=sample_weight)
            return
        self._check_fitted_to_rows()
        self._check_same_family()
        X = self._later_table(X)
        X, w = drop_zero_weight(X, weights(sample_weight, X))
        rows = squarable(self._encoded(X, grow=True))
        expected = self._reading(rows, accumulate, self.family_, rows, w, at=self.density_)
        self.statistic_ = self._stepped(expected.statistic, float(expected.weight.sum()))
        self.density_ = self._naming(self.family_.maximise, self.statistic_)
        self.n_batches_ += 1
        self.n_iter_ += 1
        self.lower_bounds_ = [*self.lower_bounds_, float(expected.log_likelihood.sum() / expected.weight.sum())]
        self.lower_bound_ = self.lower_bounds_[-1]
        if hasattr(self, "labels_"):
            self.labels_ = self._components(rows)

    def _stepped(self, new: Any, weight: float) -> Any:
        if self.forgetting is not None:
            return (1.0 - self.forgetting) * self.statistic_ + new
        old = float(sum(part.parts[0].weight.sum() for part in self.statistic_.parts))  # type: ignore[attr-defined]
        total = old + weight
        step = (total / weight) ** -0.7
        return ((1 - step) * total / old) * self.statistic_ + (step * total / weight) * new

    @property
    def weights_(self) -> Array:
        """Weights of the components."""
        check_is_fitted(self, "density_")
        return self.density_.weight

    @over_sources
    def predict(self, X: Any) -> NDArray[np.int64]:
        """The component with the largest responsibility for each row, (n,)."""
        return self._components(self._later(X))

    def _components(self, rows: Any) -> NDArray[np.int64]:
        codes, odd = self._reading(rows, decide, self.density_.components, self.density_.log_weight, rows)
        if odd:
            finite(rows)
        found: NDArray[np.int64] = codes
        return found

    @over_sources
    def predict_proba(self, X: Any) -> Array:
        """Responsibility of each component for each row, (n, C): its posterior probability."""
        rows = self._later(X)
        values, odd = self._reading(rows, posterior, self.density_.components, self.density_.log_weight, rows, False)
        if odd:
            finite(rows)
        return values.astype(self._result_dtype(rows), copy=False)

    def _scored(self, rows: Any, values: Array) -> Array:
        return super()._scored(rows, values).astype(self._result_dtype(rows), copy=False)

    def _parameter_dtype(self) -> Any:
        """The type of fitted parameters."""
        return np.float64

    def _result_dtype(self, rows: Any) -> Any:
        """The type of what is computed of rows: float32 where these and the parameters are, else float64."""
        return self._parameter_dtype() if rows.dtype == np.float32 else np.float64

    def fit_predict(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, labels: ArrayLike | None = None
    ) -> NDArray[np.int64]:
        """Fit, then give the component of each row as `predict` does."""
        return self.fit(X, sample_weight=sample_weight, labels=labels).predict(X)

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Any:
        """Draw rows from the mixture: a table of the kind that it was fitted to, and the component of each row."""
        check_is_fitted(self, "density_")
        rng = generator(self.random_state if random_state is None else random_state)
        rows, labels = self.density_.draw(row_count(n_samples), rng)
        return self.schema_.decode(rows), labels

    def icl(self, X: Any, sample_weight: ArrayLike | None = None) -> float:
        """Integrated completed likelihood: BIC where each row's most probable component is known. Low is good.

        It asks for clusters that keep apart, where BIC asks for a density (Biernacki, Celeux & Govaert 2000).
        """
        rows = self._later(X)
        return self.bic(X, sample_weight) + assignment_uncertainty(self.density_, rows, weights(sample_weight, rows))


def component_codes(labels: Any, n: int, C: int) -> NDArray[np.int32] | None:
    """The known component of each of n rows, 0 to C - 1, or -1; None where none is given."""
    if labels is None:
        return None
    codes = np.asarray(labels)
    if codes.shape != (n,) or codes.dtype.kind not in "biuf" or not np.array_equal(codes, np.floor(codes)):
        raise ValueError(
            f"labels must be {n} whole numbers, the component of each row or -1, got shape {codes.shape} of "
            f"{codes.dtype}."
        )
    codes = codes.astype(np.int64)
    if codes.max(initial=-1) >= C or codes.min(initial=0) < -1:
        raise ValueError(
            f"labels must lie between -1 and {C - 1}, for {C} components, got {codes.min()} to {codes.max()}."
        )
    return codes.astype(np.int32)


def total_weight(rows: Any, w: Array | None) -> float:
    """The weight of all rows: their number, where they have no weights."""
    if isinstance(rows, Batches):
        return rows.weight
    return float(rows.shape[0] if w is None else w.sum())
