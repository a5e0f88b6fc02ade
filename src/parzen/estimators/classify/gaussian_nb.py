"""Gaussian naive Bayes, as scikit-learn's."""

from numbers import Real
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels
from parzen.densities.gaussian import GaussianDensity
from parzen.estimators.base.fitted import Fitted
from parzen.estimators.classify.naive import NaiveClassifier
from parzen.families.family import Family
from parzen.families.gaussian import Gaussian
from parzen.statistics.moments import Moments


class GaussianNB(NaiveClassifier):
    """Gaussian naive Bayes: a drop-in for scikit-learn's `GaussianNB`.

    It takes missing cells (which weigh nothing), merges, samples, explains, and `partial_fit` equals `fit`: smoothing
    is of the variance of all rows so far, not of the last batch.

    Parameters
    ----------
    priors : sequence, dict or "uniform", optional
        By default the frequencies of the classes.
    var_smoothing : float
        Added to every variance, in units of the largest variance of a column.

    Attributes
    ----------
    classes_, class_count_, class_prior_ : arrays of shape (K,)
    theta_, var_ : arrays of shape (K, d)
        Means and variances (with `epsilon_`).
    epsilon_ : float
        What was added to the variances.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> GaussianNB().fit(X, y).score(X, y)
    0.96
    """

    density_: GaussianDensity
    statistic_: Moments

    _several_classes = False
    _made_of = ("theta_", "var_")

    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing

    def _given_class_prior(self) -> Any:
        return self.priors

    def _family(self) -> Family:
        if not isinstance(self.var_smoothing, Real) or not 0 <= self.var_smoothing < np.inf:
            raise ValueError(f"var_smoothing must be a number, at least 0, got {self.var_smoothing!r}.")
        return Gaussian("diag", smoothing=self.var_smoothing)

    def _finish(self, rows: Any = None, R: Labels | None = None) -> None:
        self.class_prior_ = self._shown(self.class_prior_)

    @Fitted
    def theta_(self) -> Array:
        """Means, (K, d)."""
        return self._shown(self.density_.mean)

    @Fitted
    def var_(self) -> Array:
        """Variances, (K, d)."""
        return self._shown(self.density_.factor**2)

    def _density_of(self, *parameters: Any) -> GaussianDensity:
        mean, variance = (np.ascontiguousarray(one, dtype=np.float64) for one in parameters)
        if mean.ndim != 2 or mean.shape != variance.shape or not (variance > 0).all():
            raise ValueError(
                f"theta_ and var_ must be of one shape (K, d), and var_ above 0, got {mean.shape} and {variance.shape}."
            )
        return GaussianDensity(mean, np.sqrt(variance))

    @Fitted
    def epsilon_(self) -> float:
        """What was added to the variances."""
        family: Any = self.given_
        return float(family.smoothing * self.statistic_.pooled().variances().max())
