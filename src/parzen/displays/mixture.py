"""Components of a Gaussian mixture."""

from dataclasses import dataclass, field
from typing import Any, Self

from parzen.estimators.mixture.pictures import draw_components


@dataclass
class MixtureDisplay:
    """Components of a Gaussian mixture: ellipses over two columns, or curves over one.

    Attributes
    ----------
    model : the fitted mixture
    X : its rows, optional
    columns : one or two of them
    ax_ : matplotlib's axes

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import GaussianMixture
    >>> from parzen.displays import MixtureDisplay
    >>> X = np.random.default_rng(0).normal(size=(200, 2)) + np.repeat([[0.0], [6.0]], 100, axis=0)
    >>> display = MixtureDisplay.from_estimator(GaussianMixture(2, random_state=0).fit(X), X)
    >>> display.ax_.get_title()
    'components: number and weight; one and two standard deviations'
    """

    model: Any
    X: Any = field(default=None, repr=False)
    columns: Any = None
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, *, columns: Any = None, ax: Any = None) -> Self:
        """Draw a fitted `parzen.GaussianMixture`."""
        return cls(estimator, X, columns).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on axes that are given or new."""
        self.ax_ = draw_components(self.model, self.X, self.columns, ax)
        return self
