"""What large weights cost: an elastic net."""

from dataclasses import dataclass

import numpy as np

from parzen.compute.arrays import Array


@dataclass(frozen=True)
class Penalty:
    """An elastic net, added to minus the log-likelihood: ``l1 |w| + l2 w^2 / 2`` for each weight of a term.

    scikit-learn's ``C`` and ``l1_ratio`` are ``l1 = l1_ratio / C`` and ``l2 = (1 - l1_ratio) / C``.

    Attributes
    ----------
    l1, l2 : float
        Of the weights of terms; both 0 for none.
    intercept_l1, intercept_l2 : float
        Of intercepts, which are free as a rule. liblinear's are not: with ``intercept_scaling`` s they are ``l1 / s``
        and ``l2 / s**2``.

    Examples
    --------
    >>> import numpy as np
    >>> Penalty(l1=1.0, l2=0.5).value(np.array([[2.0, -1.0]]), np.array([7.0]))
    4.25
    """

    l1: float = 0.0
    l2: float = 0.0
    intercept_l1: float = 0.0
    intercept_l2: float = 0.0

    def value(self, coef: Array, intercept: Array) -> float:
        """The penalty of weights and intercepts."""
        total = 0.5 * self.l2 * float(np.vdot(coef, coef)) if self.l2 else 0.0
        total += self.l1 * float(np.abs(coef).sum()) if self.l1 else 0.0
        if not self.free_intercept:
            total += self.intercept_l1 * float(np.abs(intercept).sum()) + 0.5 * self.intercept_l2 * float(
                intercept @ intercept
            )
        return total

    @property
    def smooth(self) -> bool:
        """Whether it has a slope everywhere."""
        return self.l1 == 0.0 and self.intercept_l1 == 0.0

    @property
    def free_intercept(self) -> bool:
        """Whether intercepts cost nothing."""
        return self.intercept_l1 == 0.0 and self.intercept_l2 == 0.0
