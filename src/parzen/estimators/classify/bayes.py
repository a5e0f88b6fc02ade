"""Classifiers over any family, over mixed columns, and over Gaussians."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array, is_sparse
from parzen.decisions.contributions import block_scores
from parzen.decisions.explanation import Explanation
from parzen.densities.density import Density
from parzen.estimators.base.validation import finite
from parzen.estimators.classify.generative import GenerativeClassifier
from parzen.families.auto_columns import AutoColumns
from parzen.families.family import Family
from parzen.families.gaussian import Gaussian, Prior
from parzen.families.per_group import Fixed, PerGroup
from parzen.families.product import apart, parts_of


class BayesClassifier(GenerativeClassifier):
    """Classify by Bayes' rule, with a density of any family for each class.

    Parameters
    ----------
    family : Family, Density or dict, optional
        The family of every class; by default ``Gaussian()``. Or densities that are known (one for each class, in their
        order), so that only the priors are learnt. Or a dict from each class to its own family or density.
    class_prior : sequence, dict or "uniform", optional
        Priors of the classes in the order of `classes_`, or a dict from classes. By default their frequencies.
    unlabelled : optional
        What stands in y for a missing label, besides None and NaN; scikit-learn's semi-supervised models use -1.
    missing : "allow" or "error"
        Whether X may have missing cells.
    max_iter, tol : int, float
        Most steps, and least rise of the log-likelihood for each unit of weight, where labels or cells are missing.
    random_state : int, RandomState instance or None
        For families whose start is random.

    Attributes
    ----------
    classes_, class_count_, class_prior_ : arrays of shape (K,)
    density_ : Density
        The K densities of the classes.
    statistic_, family_, schema_, n_iter_, outcome_ : as of `DensityEstimator`
    log_likelihoods_ : tuple of float
        Where labels are missing: of all rows, at each step. Maximum likelihood never lets it fall.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import BayesClassifier, Gaussian
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BayesClassifier(Gaussian(shared=True)).fit(X, y)
    >>> int((model.predict(X) != y).sum())
    3
    >>> model.predict_proba(X[70:71]).round(3)
    array([[0.   , 0.249, 0.751]])
    >>> model.predict_proba(X[70:71], class_prior=[0.1, 0.8, 0.1]).round(3)  # a population with few of the third kind
    array([[0.   , 0.726, 0.274]])
    """

    _holds_families = True
    _fit_options = ("max_iter", "tol")

    def __init__(
        self,
        family: Any = None,
        class_prior: Any = None,
        *,
        unlabelled: Any = None,
        missing: str = "allow",
        max_iter: int = 200,
        tol: float = 1e-7,
        random_state: Any = None,
    ) -> None:
        self.family = family
        self.class_prior = class_prior
        self.unlabelled = unlabelled
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _family(self) -> Family:
        if not isinstance(self.family, dict):
            return _as_family(self.family)
        parts = {label: _as_family(part) for label, part in self.family.items()}
        classes = getattr(self, "classes_", None)
        if classes is None:
            return PerGroup(list(parts.values()))
        if set(parts) != set(classes.tolist()):
            raise ValueError(f"family names {list(parts)}, but the classes are {classes.tolist()}; give each its own.")
        return PerGroup([parts[label] for label in classes.tolist()])


def _as_family(given: Any) -> Family:
    if given is None:
        return Gaussian()
    if isinstance(given, Density):
        return Fixed(given)
    if not isinstance(given, Family):
        hint = f"; give an instance: {given.__name__}()" if isinstance(given, type) else ""
        raise TypeError(f"family must be a family such as Gaussian(), or a density, got {given!r}{hint}.")
    return given


class GaussianDiscriminant(GenerativeClassifier):
    """Gaussian discriminant analysis: a Gaussian for each class, quadratic or (with `shared`) linear log-odds.

    Values that are missing at prediction are marginalised exactly; at fitting, a full covariance is found by EM.

    Parameters
    ----------
    covariance_type : "full", "diag" or "spherical"
        "diag" is Gaussian naive Bayes.
    shared : bool
        Whether the classes have one covariance: linear discriminant analysis.
    class_prior : sequence, dict or "uniform", optional
        By default the frequencies of the classes.
    shrinkage, floor, prior, estimate
        As of `parzen.Gaussian`: what keeps covariances of few rows sound.
    unlabelled : optional
        What stands in y for a missing label, besides None and NaN.
    missing : "allow" or "error"
        Whether X may have missing cells.
    max_iter, tol : int, float
        Most steps, and least rise of the log-likelihood for each unit of weight, where cells or labels are missing.

    Attributes
    ----------
    classes_, class_count_, class_prior_ : arrays of shape (K,)
    density_ : GaussianDensity
        Means and covariances of the classes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import GaussianDiscriminant
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GaussianDiscriminant(shared=True).fit(X[50:, 2:], y[50:])
    >>> print(model.decision_boundary())
    2.82099 x0 + 9.46944 x1 - 29.7106 = 0
    """

    _fit_options = ("max_iter", "tol")

    def __init__(
        self,
        covariance_type: str = "full",
        shared: bool = False,
        class_prior: Any = None,
        *,
        shrinkage: Any = 0.0,
        floor: float = 1e-12,
        prior: Prior | None = None,
        estimate: str | None = None,
        unlabelled: Any = None,
        missing: str = "allow",
        max_iter: int = 200,
        tol: float = 1e-7,
    ) -> None:
        self.covariance_type = covariance_type
        self.shared = shared
        self.class_prior = class_prior
        self.shrinkage = shrinkage
        self.floor = floor
        self.prior = prior
        self.estimate = estimate
        self.unlabelled = unlabelled
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol

    def _family(self) -> Family:
        return Gaussian(self.covariance_type, self.shared, self.floor, self.shrinkage, self.prior, self.estimate)


class NaiveClassifier(GenerativeClassifier):
    """A generative classifier whose columns are conditionally independent given the class."""

    def explain(self, X: Any, label: Any = None, against: Any = None, names: Any = None) -> Explanation:
        """What each column adds to the log-odds of one class against another.

        Parameters
        ----------
        X : table of shape (n, d)
        label, against : classes, optional
            By default the most probable class of each row, and the most probable of the others.
        names : sequence of str, optional
            What the columns are called, where the table doesn't say: the words of a bag of words.

        Returns
        -------
        Explanation
            `print` it for the first row, ``.table()`` for all, ``.plot(row)`` for a picture.
        """
        check_is_fitted(self, "density_")
        X = self._later_table(X)
        rows = self._encoded(X, grow=False)
        rows = rows.toarray() if is_sparse(rows) else rows
        names = self.schema_.labels if names is None else list(names)
        if len(names) != rows.shape[1]:
            raise ValueError(f"names must be {rows.shape[1]}, one for each column, got {len(names)}.")
        compared: Any = self._scores()
        scores = block_scores(compared, rows)
        if not np.isfinite(scores.total).all():
            finite(rows)
        first, second = self._compared_classes(scores.total, label, against)
        log_prior = self._prior_in_scores()
        with np.errstate(invalid="ignore"):
            prior = log_prior[first] - log_prior[second]
        odds = scores.log_odds(first, second)
        return Explanation(self.classes_[first], self.classes_[second], prior, odds, scores.blocks, names, X)

    def _compared_classes(self, total: Array, label: Any, against: Any) -> tuple[Any, Any]:
        """Codes of the two classes that are compared for each row: those named, or the most probable ones."""
        if label is not None and label == against:
            raise ValueError(f"label and against are both {label!r}; compare two different classes.")
        first, second = (None if one is None else np.full(len(total), self._code(one)) for one in (label, against))
        first = most_probable(total, self._prior_in_scores(), second) if first is None else first
        return first, most_probable(total, self._prior_in_scores(), first) if second is None else second


def most_probable(scores: Array, log_prior: Array, other_than: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Code of the most probable class of each row, other than one that is given for each.

    Classes that no row has come from yet (all others have prior zero) are compared by their scores; rows that no class
    explains, by the priors.
    """
    with np.errstate(invalid="ignore"):
        joint, fallback = scores + log_prior, np.tile(log_prior, (len(scores), 1))
    if other_than is not None:
        rows = np.arange(len(scores))
        for k in np.unique(other_than):
            if np.isneginf(np.delete(log_prior, k)).all():
                joint[other_than == k], fallback[other_than == k] = scores[other_than == k], 0.0
        joint[rows, other_than] = fallback[rows, other_than] = -np.inf
    unexplained = ~(joint > -np.inf).any(axis=1)
    return np.where(unexplained, fallback.argmax(axis=1), np.nan_to_num(joint, nan=-np.inf).argmax(axis=1))


class NaiveBayes(NaiveClassifier):
    """Naive Bayes over a table of mixed columns: numbers, text, booleans, categories, counts, missing cells.

    Parameters
    ----------
    columns : "auto" or dict
        Families of columns, by name or position; of those that it doesn't name, chosen from what they hold (see
        `parzen.AutoColumns`).
    class_prior : sequence, dict or "uniform", optional
        By default the frequencies of the classes.
    unlabelled : optional
        What stands in y for a missing label, besides None and NaN.
    missing : "allow" or "error"
        Whether X may have missing cells.
    max_iter, tol : int, float
        Most steps, and least rise of the log-likelihood for each unit of weight, where labels are missing.

    Attributes
    ----------
    classes_, class_count_, class_prior_ : arrays of shape (K,)
    density_ : ProductDensity
    family_ : Product
        Which column has which family.

    Examples
    --------
    >>> import pandas as pd
    >>> from parzen import NaiveBayes
    >>> table = pd.DataFrame(
    ...     {"age": [31, 40, 52, None, 23, 64], "city": ["Oslo", "Lund", "Oslo", "Oslo", "Lund", "Graz"]}
    ... )
    >>> model = NaiveBayes().fit(table, ["no", "yes", "no", "no", "yes", "yes"])
    >>> model.predict(pd.DataFrame({"age": [30, None], "city": ["Lund", "Rome"]}))  # no training row is from Rome
    array(['yes', 'no'], dtype='<U3')
    >>> print(model.explain(table[:1]))
    log-odds of no against yes: +1.47
      prior        +0.00
      city = Oslo  +1.39
      age = 31     +0.08
    """

    _holds_families = True
    _fit_options = ("max_iter", "tol")

    def __init__(
        self,
        columns: Any = "auto",
        class_prior: Any = None,
        *,
        unlabelled: Any = None,
        missing: str = "allow",
        max_iter: int = 200,
        tol: float = 1e-7,
    ) -> None:
        self.columns = columns
        self.class_prior = class_prior
        self.unlabelled = unlabelled
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters; those of a column's family are named after it, as in ``income__bandwidth``."""
        return super().get_params(deep=False) | (parts_of(self.columns) if deep else {})

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a column's family by its name (``income=Kernel()``), its own as in ``income__bandwidth``."""
        params, whole = apart(self.columns, params)
        if whole:
            self.columns = {**self.columns, **whole}
        super().set_params(**params)
        return self

    def _family(self) -> Family:
        return AutoColumns(self.columns)
