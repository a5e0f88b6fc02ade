"""The density estimator of any family, and all that follows from a fitted density."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, DensityMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from parzen.accumulate import accumulate, evaluate
from parzen.estimators.door import all_or_nothing, finite, table, weights
from parzen.families.gaussian import Gaussian
from parzen.family import Density, Family, NeedsDensity, same_parameters
from parzen.fit import fit
from parzen.kernels.arrays import Array, ColumnError
from parzen.schema import Schema, learn


class DensityEstimator(DensityMixin, BaseEstimator):
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

    def __init__(
        self, family: Family | None = None, *, max_iter: int = 200, tol: float = 1e-7, random_state: Any = None
    ) -> None:
        self.family = family
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    density_: Density
    schema_: Schema
    family_: Family

    @all_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> None:
        """Fit the density to rows.

        Parameters
        ----------
        X : table of shape (n, d): array, CSR where the family takes it, pandas or polars
        y : ignored
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        rows = self._first(X)
        found = _naming(
            self.schema_,
            fit,
            self.family_,
            rows,
            weights(sample_weight, rows),
            rng=_generator(self.random_state),
            max_iter=self.max_iter,
            tol=self.tol,
        )
        if found.outcome != "converged":
            warnings.warn(found.message, ConvergenceWarning, stacklevel=3)
        self.density_, self.statistic_ = found.density, found.statistic
        self.n_iter_, self.outcome_ = found.n_iter, found.outcome
        self.iterated_ = bool(found.log_likelihoods)

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> None:
        """Learn from more rows; what was learnt before stays.

        The result equals `fit` on all rows together, except for families that iterate (a full Gaussian with missing
        cells), for which each call takes one step from the current density: incremental EM.
        """
        begun = hasattr(self, "density_")
        if begun:
            self._check_learnt()
            if not same_parameters(self._family(), self.given_):
                raise ValueError(f"this estimator was fitted with the family {self.given_!r}; call fit to change it.")
        rows = self._later(X, grow=True) if begun else self._first(X)
        w = weights(sample_weight, rows)
        try:
            seen = _naming(self.schema_, accumulate, self.family_, rows, w)
        except NeedsDensity:
            rng = _generator(self.random_state)
            at = self.density_ if begun else _naming(self.schema_, self.family_.start, rows, w, rng)
            seen = accumulate(self.family_, rows, w, at=at).statistic
            self.iterated_ = True
        self.statistic_ = self.statistic_ + seen if begun else seen
        self.density_ = _naming(self.schema_, self.family_.maximise, self.statistic_)
        self.n_iter_, self.outcome_ = getattr(self, "n_iter_", 0) + 1, "converged"
        self.iterated_ = getattr(self, "iterated_", False)

    def merge(self, other: "DensityEstimator") -> "DensityEstimator":
        """A new estimator that has learnt from the rows of both: as if it had been fitted to all of them.

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
        for one in (self, other):
            check_is_fitted(one, "density_")
            one._check_learnt()
        if not same_parameters(self.given_, other.given_):
            raise ValueError(f"only estimators of one family merge, got {self.given_!r} and {other.given_!r}.")
        if not self.schema_.same_columns(other.schema_):
            raise ValueError(
                "the two estimators have met tables of different columns or categories; give both the same, by "
                "Categorical(categories=...) where a shard may lack some."
            )
        if self.iterated_ or other.iterated_:
            raise ValueError("statistics found by iteration (missing cells) don't add; fit on all rows together.")
        total = self.statistic_ + other.statistic_
        merged = self._copy(_naming(self.schema_, self.family_.maximise, total), self.schema_)
        merged.statistic_, merged.iterated_ = total, False
        merged.family_, merged.given_ = self.family_, self.given_
        merged.n_iter_, merged.outcome_ = 1, "converged"
        return merged

    def score_samples(self, X: Any) -> Array:
        """Log-density of each row, (n,); missing cells are integrated out."""
        check_is_fitted(self, "density_")
        return _naming(self.schema_, evaluate, self.density_, self._later(X))[:, 0]

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """Mean log-density of the rows (as in scikit-learn's GaussianMixture; its KernelDensity gives the sum)."""
        values = self.score_samples(X)
        return float(np.average(values, weights=weights(sample_weight, values)))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Any:
        """Draw rows from the density, as a table of the kind that it was fitted to."""
        check_is_fitted(self, "density_")
        if not isinstance(n_samples, int | np.integer) or n_samples < 1:
            raise ValueError(f"n_samples must be at least 1, a whole number, got {n_samples!r}.")
        labels = np.zeros(n_samples, dtype=np.intp)
        return self.schema_.decode(self.density_.sample(labels, _generator(random_state)))

    def marginal(self, columns: Any) -> "DensityEstimator":
        """The density of some of the columns, by name or position: it can score and sample, but not learn."""
        check_is_fitted(self, "density_")
        positions = self.schema_.positions(columns)
        return self._copy(self.density_.marginal(positions), self.schema_.select(positions))

    def conditional(self, columns: Any, values: Any) -> "DensityEstimator":
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        family = self.family if isinstance(self.family, Family) else Gaussian()
        tags.input_tags.sparse, tags.input_tags.allow_nan = family.takes_sparse, family.takes_missing
        tags.input_tags.positive_only = not family.takes_negative
        return tags

    def _check_learnt(self) -> None:
        if not hasattr(self, "statistic_"):
            raise ValueError(
                "a marginal or conditional density has no statistic to add to: take it when all is learnt."
            )

    def _family(self) -> Family:
        family = Gaussian() if self.family is None else self.family
        if not isinstance(family, Family):
            raise TypeError(f"family must be a family such as Gaussian(), got {type(family).__name__}.")
        return family

    def _first(self, X: Any) -> Any:
        """Rows to begin with: their columns, names and categories are learnt."""
        self.given_ = clone(self._family())
        X = table(self, X, reset=True, sparse=self.given_.takes_sparse)
        self.family_, self.schema_ = learn(self.given_, X)
        return finite_rows(self.schema_, X, grow=True)

    def _later(self, X: Any, grow: bool = False) -> Any:
        family = getattr(self, "given_", None) or self._family()
        X = table(self, X, reset=False, sparse=family.takes_sparse)
        return finite_rows(self.schema_, X, grow=grow)

    def _copy(self, density: Density, schema: Schema) -> Self:
        """An estimator with the same parameters and another density, over the columns of a schema."""
        other = clone(self)
        other.density_, other.schema_ = density, schema
        other.n_features_in_ = len(schema.alphabets)
        if schema.names is not None:
            other.feature_names_in_ = np.array(schema.names, dtype=object)
        return other


def _naming(schema: Schema, function: Any, *arguments: Any, **options: Any) -> Any:
    """Call a function; where it refuses a column by position, the error says the column's name."""
    try:
        return function(*arguments, **options)
    except ColumnError as error:
        raise error.renamed([repr(label) for label in schema.labels]) from None


def finite_rows(schema: Schema, X: Any, grow: bool) -> Any:
    """Rows of a checked table, as numbers; what the encoding made is checked for infinities too."""
    rows = schema.encode(X, grow=grow)
    return rows if rows is X else finite(rows)


def _generator(random_state: Any) -> np.random.Generator:
    """NumPy's new generator, seeded by scikit-learn's kind of random state."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if random_state is None or isinstance(random_state, int | np.integer):
        return np.random.default_rng(random_state)
    return np.random.default_rng(check_random_state(random_state).randint(2**31))
