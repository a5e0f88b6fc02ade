"""Bayes classifiers over any family, or over densities that are given."""

from typing import Any, Self, cast

import numpy as np

from parzen.densities.density import Density
from parzen.densities.frozen import known_density
from parzen.densities.per_group import PerGroupDensity
from parzen.estimators.classify.classifier import LogOddsDecision
from parzen.estimators.classify.generative import GenerativeClassifier
from parzen.families.family import Family
from parzen.families.gaussian import Gaussian
from parzen.families.per_group import Fixed, PerGroup
from parzen.statistics.messages import plain


class BayesClassifier(LogOddsDecision, GenerativeClassifier):
    """Classify by Bayes' rule, with a density of any family for each class.

    Parameters
    ----------
    family : Family, Density, list or dict, optional
        The family of every class; by default ``Gaussian()``. Or densities that are known (one for each class, in their
        order), so that only the priors are learnt. Or a dict from each class to its own family or density, or a list in
        the order of `classes_`. A known density is ours (`Gaussian.from_parameters`) or a frozen distribution of SciPy.
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

    @classmethod
    def from_densities(cls, densities: dict[Any, Any], class_prior: Any = None) -> Self:
        """A classifier whose class-conditional densities are all known: it needs no rows.

        Parameters
        ----------
        densities : dict from each class to its density: ours, or a frozen distribution of SciPy
        class_prior : as of the estimator; by default "uniform"

        Examples
        --------
        >>> from scipy.stats import norm
        >>> from parzen import BayesClassifier, Gaussian
        >>> model = BayesClassifier.from_densities({"a": norm(0, 1), "b": Gaussian.from_parameters(2, 1)}, [0.8, 0.2])
        >>> model.decision_boundary().roots().round(4), model.predict([[1.5], [2.0]]).tolist()
        (array([1.6931]), ['a', 'b'])
        """
        known = {label: known_density(one) for label, one in densities.items()}
        wrong = [label for label, one in known.items() if one is None or one.shape[0] != 1]
        if wrong or len(known) < 2:
            raise TypeError(
                "densities must be a dict from two or more classes to one density each, ours or a frozen distribution "
                f"of SciPy, got {densities!r}."
            )
        model = cls(dict(densities), "uniform" if class_prior is None else class_prior)
        model.classes_ = np.unique(list(known))
        model._settle(np.zeros(len(known)))
        model.density_ = PerGroupDensity(tuple(cast(Density, known[label]) for label in model.classes_.tolist()))
        model._read_numbers(model.density_.shape[1])
        return model

    def _family(self) -> Family:
        if isinstance(self.family, list | tuple):
            return PerGroup([_as_family(part) for part in self.family])
        if not isinstance(self.family, dict):
            return _as_family(self.family)
        parts = {label: _as_family(part) for label, part in self.family.items()}
        classes = getattr(self, "classes_", None)
        if classes is None:
            return PerGroup(list(parts.values()))
        if set(parts) != set(classes.tolist()):
            raise ValueError(f"family names {plain(parts)}, but the classes are {classes.tolist()}; give each its own.")
        return PerGroup([parts[label] for label in classes.tolist()])


def _as_family(given: Any) -> Family:
    if given is None:
        return Gaussian()
    known = known_density(given)
    if known is not None:
        return Fixed(known)
    if not isinstance(given, Family):
        hint = f"; give an instance: {given.__name__}()" if isinstance(given, type) else ""
        raise TypeError(f"family must be a family such as Gaussian(), or a density, got {given!r}{hint}.")
    return given
