"""The density estimator of any family, and all that follows from a fitted density."""

from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import DensityMixin
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array, all_finite, on_host
from parzen.densities.density import Density
from parzen.estimators.base.estimator import BaseFamilyEstimator
from parzen.estimators.base.results import log_likelihood_over, over_sources
from parzen.estimators.base.sources import SourceTable, takes_sources
from parzen.estimators.base.validation import (
    drop_zero_weight,
    finite,
    generator,
    row_count,
    transactional,
    weights,
)
from parzen.families.family import Family
from parzen.families.gaussian import Gaussian
from parzen.statistics.accumulate import evaluate
from parzen.tables.sources.scan import scanned
from parzen.tables.sources.source import Source


class BaseDensityEstimator(DensityMixin, BaseFamilyEstimator):
    """What every density estimator offers: it learns from rows, scores and draws them, and takes columns apart."""

    @takes_sources
    @transactional
    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> None:
        """Fit the density to rows.

        Parameters
        ----------
        X : table of shape (n, d): array, CSR where the family takes it, pandas or polars; or a source: ``fit(source,
            weight="w")``, see `parzen.scan`
        y : ignored
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        X = self._first_table(X)
        X, w = drop_zero_weight(X, weights(sample_weight, X))
        rows = self._bind(X, w)
        found = self._fit_family(self.family_, rows, w, **self._seeded())
        self._warn(found)
        self._keep(found.density, found.statistic, found)

    @takes_sources
    @transactional
    def partial_fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> None:
        """Learn from more rows; what was learnt before stays.

        The result equals `fit` on all rows together. Where a full Gaussian has missing cells, both are found by the
        same iteration of EM from the same start, here over moments by patterns of missing cells (`PatternMoments`):
        they agree to rounding, or to `tol` where rounding decides on a step. Two things don't add and are refused: more
        patterns than there is room for, and missing counts of a multinomial. A family that always iterates (a mixture)
        takes one step of incremental EM from the current density instead, which is not what `fit` finds.
        """
        begun = hasattr(self, "density_")
        if begun:
            self._check_fitted_to_rows()
            self._check_same_family()
        if begun and isinstance(X, Source):
            self._check_bounded()
            names = self.schema_.labels if self.schema_.names is None else self.schema_.names
            rows = SourceTable(X.select(names, X.weight)).encoded(partial(self._encoded, grow=True))
            self._add(rows, None, begun)
            return
        X = self._later_table(X) if begun else self._first_table(X)
        X, w = drop_zero_weight(X, weights(sample_weight, X))
        self._add(self._encoded(X, grow=True) if begun else self._bind(X, w), w, begun)

    def merge(self, other: Self) -> Self:
        """A new estimator, as if it had been fitted to the rows of both.

        Examples
        --------
        >>> import numpy as np
        >>> from parzen import DensityEstimator
        >>> X = np.random.default_rng(0).normal(size=(1000, 2))
        >>> shards = [DensityEstimator().fit(part) for part in np.split(X, 4)]
        >>> whole = shards[0].merge(shards[1]).merge(shards[2]).merge(shards[3])
        >>> bool(np.allclose(whole.density_.covariance, DensityEstimator().fit(X).density_.covariance, rtol=1e-12))
        True
        """
        return self._merged(other)

    @over_sources
    def score_samples(self, X: Any) -> Array:
        """Log-density of each row, (n,); missing values are marginalised."""
        check_is_fitted(self, "density_")
        rows = self._later(X)
        return self._scored(rows, self._reading(rows, evaluate, self.density_, rows)[:, 0])

    def leave_one_out(self, X: Any) -> Array:
        """Log-density of each row, (n,), leaving out of a kernel density the fitted row that equals it.

        Other densities do not keep their rows: theirs is `score_samples`.
        """
        check_is_fitted(self, "density_")
        if type(self.density_).leave_one_out is Density.leave_one_out:
            return self.score_samples(X)
        rows = self._later(X)
        return self._scored(rows, self._reading(rows, self.density_.leave_one_out, rows)[:, 0])

    def _scored(self, rows: Any, values: Array) -> Array:
        """Values of rows, or an error where they are not finite because a cell isn't."""
        if not all_finite(values):
            finite(rows)
        return values

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """Mean log-density of the rows, as in scikit-learn's GaussianMixture (`KernelDensity.score` is a sum).

        Of a source, by its weights if it has a role for them: ``scan(...).with_roles(weight="w")``; so `bic` and `aic`.
        """
        if isinstance(X := scanned(X), Source):
            total, n = self._likelihood(X, sample_weight)
            return total / n
        values = on_host(self.score_samples(X))
        values, w = drop_zero_weight(values, weights(sample_weight, values))
        return float(np.average(values, weights=w))

    def bic(self, X: Any, sample_weight: ArrayLike | None = None) -> float:
        """Bayesian information criterion: parameters times log n less twice the log-likelihood. Low is good."""
        total, n = self._likelihood(X, sample_weight)
        return self.n_parameters_ * float(np.log(n)) - 2.0 * total

    def aic(self, X: Any, sample_weight: ArrayLike | None = None) -> float:
        """Akaike's information criterion: twice the parameters less twice the log-likelihood. Low is good."""
        return 2.0 * self.n_parameters_ - 2.0 * self._likelihood(X, sample_weight)[0]

    @property
    def n_parameters_(self) -> int:
        """Free parameters of the density."""
        check_is_fitted(self, "density_")
        if not hasattr(self, "family_"):
            raise ValueError("a marginal or conditional density has no parameters of its own to count.")
        return self.family_.n_parameters(self.density_)

    def _likelihood(self, X: Any, sample_weight: ArrayLike | None) -> tuple[float, float]:
        """Log-likelihood of the rows, and their weight."""
        if isinstance(X := scanned(X), Source):
            if sample_weight is not None:
                raise TypeError("a source holds the weights of its rows: score(source.with_roles(weight='w')).")
            return log_likelihood_over(self, X)
        values = on_host(self.score_samples(X))
        values, w = drop_zero_weight(values, weights(sample_weight, values))
        return (float(values.sum()), float(len(values))) if w is None else (float(values @ w), float(w.sum()))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Any:
        """Draw rows from the density, as a table of the kind that it was fitted to."""
        check_is_fitted(self, "density_")
        labels = np.zeros(row_count(n_samples), dtype=np.intp)
        return self.schema_.decode(self.density_.sample(labels, generator(random_state)))

    def marginal(self, columns: Any) -> Self:
        """The density of some of the columns, by name or position: it can score and sample, but not learn."""
        check_is_fitted(self, "density_")
        positions = self.schema_.positions(columns)
        return self._copy(self.density_.marginal(positions), self.schema_.select(positions))

    def conditional(self, columns: Any, values: Any) -> Self:
        """The density of the other columns, given values of these, by name or position.

        Values come in the order of the columns, or as a mapping from them.
        """
        check_is_fitted(self, "density_")
        given = self.schema_.positions(columns)
        rest = [j for j in range(len(self.schema_.alphabets)) if j not in given]
        if hasattr(values, "keys"):
            values = [values[column] for column in ([columns] if np.ndim(columns) == 0 else columns)]
        values = list(values) if np.ndim(values) == 1 else [values]
        if len(values) != len(given) or not rest:
            raise ValueError(
                f"values must be {len(given)}, one for each given column, and leave a column, got {values!r}."
            )
        row = self.schema_.select(given).encode(np.array([values], dtype=object))[0]
        if not np.isfinite(row).all():
            raise ValueError(f"values must be known and finite, got {values!r}; leave a missing column out instead.")
        return self._copy(self.density_.conditional(given, row), self.schema_.select(rest))


class DensityEstimator(BaseDensityEstimator):
    """Density of any family, as a scikit-learn estimator.

    Parameters
    ----------
    family : Family, optional
        What kind of density; by default ``Gaussian()``.
    max_iter, tol : int, float
        Most steps, and least rise of the log-likelihood for each unit of weight, of families that iterate.
    random_state : int, RandomState instance or None
        For families whose start is random.

    Attributes
    ----------
    density_ : Density
        The fitted density, with K = 1.
    statistic_ : Statistic
        What is remembered of the rows: it adds (`partial_fit`, `merge`).
    given_ : Family
        The family that was fitted, as it was given.
    family_ : Family
        The same, bound to the table's columns and alphabets.
    schema_ : Schema
        How tables are read: names, and categories of columns.
    n_iter_ : int
    outcome_ : "converged", "too many steps" or "collapsed"
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import DensityEstimator, Gaussian
    >>> X = load_iris(as_frame=True).data
    >>> model = DensityEstimator(Gaussian(shrinkage="oas")).fit(X)
    >>> round(model.score(X), 3)
    -2.638
    >>> petal = model.conditional(["sepal length (cm)", "sepal width (cm)"], [5.0, 3.4])
    >>> petal.density_.mean.round(2)
    array([[1.89, 0.46]])
    """

    _holds_families = True
    _fit_options = ("max_iter", "tol")

    def __init__(
        self, family: Family | None = None, *, max_iter: int = 200, tol: float = 1e-7, random_state: Any = None
    ) -> None:
        self.family = family
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _family(self) -> Family:
        family = Gaussian() if self.family is None else self.family
        if not isinstance(family, Family):
            raise TypeError(f"family must be a family such as Gaussian(), got {type(family).__name__}.")
        return family
