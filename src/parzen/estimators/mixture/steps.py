"""The steps of EM on their own: responsibilities, the maximisation given any of them, and the bound that both raise."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from parzen.compute.arrays import Array
from parzen.densities.mixture import MixtureDensity
from parzen.estimators.base.validation import check_fitted, drop_zero_weight, squarable, weights
from parzen.estimators.mixture.base import BaseMixture
from parzen.families.likelihood import expected_statistic
from parzen.families.mixture import Mixture
from parzen.families.mixture_statistic import mixture_statistic
from parzen.statistics.joint import Joint
from parzen.statistics.messages import NeedsDensity


class StepwiseMixture(BaseMixture):
    r"""A mixture that offers the two steps of EM and its objective, to be taken by hand.

    EM raises :math:`F(\theta, q) = \sum_n \sum_k q_{nk} (\log \pi_k p_k(x_n) - \log q_{nk})`, which by Jensen's
    inequality never exceeds the log-likelihood: `e_step` maximises it over q, `m_step` over the parameters.
    """

    def e_step(self, X: Any) -> Array:
        """Responsibilities (n, C): the posterior probability of each component, the q at which the bound is tight."""
        return self.predict_proba(X)

    def m_step(self, X: Any, responsibilities: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """A new estimator whose parameters maximise the expected complete-data log-likelihood.

        This one need not be fitted, and stays as it is. Where a full covariance has missing cells, it must be: they are
        replaced by their expectations under its density.

        Parameters
        ----------
        X : table of shape (n, d)
        responsibilities : array of shape (n, C), whose rows sum to 1
            From `e_step`, or any others: zeros and ones are a hard assignment, as of k-means.
        sample_weight : array of shape (n,), optional

        Returns
        -------
        a fitted estimator with the same parameters

        Examples
        --------
        >>> import numpy as np
        >>> from parzen import GaussianMixture
        >>> X = np.array([[0.0], [1.0], [4.0], [6.0]])
        >>> model = GaussianMixture(2, reg_covar=0).m_step(X, [[1, 0], [1, 0], [0, 1], [0, 1]])
        >>> model.means_.ravel(), model.covariances_.ravel()
        (array([0.5, 5. ]), array([0.25, 1.  ]))
        >>> better = model.m_step(X, model.e_step(X))
        >>> bool(better.score(X) >= model.lower_bound(X, model.e_step(X)))
        True
        """
        other: Any = clone(self)
        q = _shares(responsibilities)
        other._settle_components(self, q.shape[1])
        table = other._first_table(X)
        if table.shape[0] != len(q):
            raise ValueError(f"responsibilities have {len(q)} rows, but X has {table.shape[0]}.")
        table, w, q = drop_zero_weight(table, weights(sample_weight, table), q)
        rows = squarable(other._bind(table))
        family = other.family_
        assert isinstance(family, Mixture)
        if family.size() != q.shape[1]:
            raise ValueError(f"responsibilities are of {q.shape[1]} components, but the mixture has {family.size()}.")
        R = np.ascontiguousarray(q if w is None else q * w[:, None])
        at = self.density_.components if isinstance(getattr(self, "density_", None), MixtureDensity) else None
        try:
            inner = other._reading(rows, expected_statistic, family.components(), rows, R, at)
        except NeedsDensity:
            raise ValueError(
                "X has missing cells, and a full covariance expects them under a density: fit the model first, or use "
                "covariance_type='diag'."
            ) from None
        other.statistic_ = Joint((mixture_statistic(R.sum(axis=0), inner),))
        other.density_ = other._naming(family.maximise, other.statistic_)
        other.n_iter_, other.converged_, other.outcome_ = getattr(self, "n_iter_", 0) + 1, False, "stopped"
        other.lower_bounds_, other.lower_bound_, other.objective_ = [], -np.inf, None
        other.n_batches_, other.iterated_ = 1, True
        fitted: Self = other
        return fitted

    def _settle_components(self, before: Any, C: int) -> None:
        """Take over, from the estimator before the step, what it has chosen; there are C components."""

    def lower_bound(self, X: Any, responsibilities: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        r"""The evidence lower bound :math:`F(\theta, q)` of a row, for any responsibilities q.

        It is `score` where q are the responsibilities of `e_step`, and below for any other: by the mean
        Kullback-Leibler divergence of q from them.

        Parameters
        ----------
        X : table of shape (n, d)
        responsibilities : array of shape (n, C), whose rows sum to 1
        sample_weight : array of shape (n,), optional

        Examples
        --------
        >>> from parzen import GaussianMixture
        >>> model = GaussianMixture.from_parameters([0.5, 0.5], [[0.0], [3.0]], [1.0, 1.0], "spherical")
        >>> X = [[0.5], [2.0]]
        >>> round(model.score(X), 4), round(model.lower_bound(X, model.e_step(X)), 4)
        (-1.7996, -1.7996)
        >>> round(model.lower_bound(X, [[0.5, 0.5], [0.5, 0.5]]), 4)
        -2.5439
        """
        check_fitted(self, "density_")
        rows, q = self._later(X), _shares(responsibilities)
        if q.shape != (rows.shape[0], self.density_.size):
            raise ValueError(
                f"responsibilities must have shape {(rows.shape[0], self.density_.size)}, one row for each row of X "
                f"and one column for each component, got {q.shape}."
            )
        joint = self._reading(rows, self.density_.log_joint, rows)[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(q == 0, 0.0, q * (joint - np.log(q)))
        values, w = drop_zero_weight(terms.sum(axis=1), weights(sample_weight, rows))
        return float(np.average(values, weights=w))


def _shares(responsibilities: ArrayLike) -> Array:
    """Responsibilities as a matrix whose rows are checked to sum to one."""
    q = np.asarray(responsibilities, dtype=np.float64)
    if q.ndim != 2:
        raise ValueError(f"responsibilities must be a matrix (n, C), got shape {q.shape}.")
    if not (q >= 0).all() or not np.allclose(q.sum(axis=1), 1.0, atol=1e-4):
        raise ValueError("responsibilities must not be negative, and those of a row must sum to 1.")
    return q
