"""Prior and posterior of a parameter, and the posterior predictive distribution."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array
from parzen.conjugate import Beta, Gamma, NormalInverseGamma, NormalMean
from parzen.plotting import COLOURS, axes, axes_beside, opened

#: The parameter whose distribution is drawn, by its conjugate prior.
PARAMETERS: dict[Any, str] = {
    Beta: "probability of a one",
    Gamma: "rate",
    NormalMean: "mean",
    NormalInverseGamma: "mean (of unknown variance)",
}


@dataclass
class PosteriorDisplay:
    """Prior, likelihood and posterior of a parameter, and the posterior predictive distribution.

    The predictive distribution has an axis of its own, or, with ``together=True``, that of the parameter, whose units
    are the same: it is a density, a point for each count, or a line at the probability of a one.

    Attributes
    ----------
    grid : array, of the parameter
    prior, likelihood, posterior : arrays over the grid
        The likelihood is scaled to the posterior's maximum.
    interval : the central 95% credible interval of the posterior
    outcomes, predictive : arrays
        Values of the next observation, and their predictive probability or density.
    parameter : its name
    ax_ : two of matplotlib's axes, or one with ``together=True``

    Examples
    --------
    >>> from parzen.displays import PosteriorDisplay
    >>> from parzen.conjugate import Beta
    >>> display = PosteriorDisplay.from_prior(Beta(2, 2), [1, 1])          # two heads, no tail
    >>> display.predictive.round(3)
    array([0.333, 0.667])
    """

    grid: Array
    prior: Array
    likelihood: Array
    posterior: Array
    interval: tuple[float, float]
    outcomes: Array
    predictive: Array
    parameter: str
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_prior(cls, prior: Any, data: ArrayLike, *, together: bool = False, ax: Any = None) -> Self:
        """Draw a prior of `parzen.conjugate` and its posterior: Beta, Gamma, NormalMean, NormalInverseGamma.

        Parameters
        ----------
        together : whether all four curves are drawn on one axis
        ax : two of matplotlib's axes, or one with ``together=True``
        """
        updated = prior.posterior(data)
        before, after = _distribution(prior), _distribution(updated)
        low, high = _parameter_range(before, after)
        grid = np.linspace(low, high, 801)[1:-1] if isinstance(prior, Beta) else np.linspace(low, high, 800)
        log_prior, log_posterior = before.logpdf(grid), after.logpdf(grid)
        with np.errstate(invalid="ignore"):
            ratio = log_posterior - log_prior
        likelihood = np.exp(ratio - np.nanmax(ratio[np.isfinite(ratio)])) * np.exp(log_posterior.max())
        outcomes = _outcomes(updated)
        predictive = np.exp(updated.predictive().log_density(outcomes[:, None])[:, 0])
        interval = (float(after.ppf(0.025)), float(after.ppf(0.975)))
        curves = (np.exp(log_prior), likelihood, np.exp(log_posterior))
        return cls(grid, *curves, interval, outcomes, predictive, PARAMETERS[type(prior)]).plot(ax, together=together)

    def plot(self, ax: Any = None, *, together: bool = False) -> Self:
        """Draw, on two axes that are given or new; with `together` on one."""
        if together:
            self.ax_ = opened(self._together(self._parameter(axes(ax))))
            return self
        pair = axes_beside(2) if ax is None else ax
        if np.size(pair) != 2:
            raise ValueError(
                "ax must be two axes, of the parameter and of the next observation: plt.subplots(1, 2)[1]."
            )
        self.ax_ = np.array([opened(self._parameter(pair[0])), opened(self._predictive(pair[1]))])
        return self

    def _parameter(self, ax: Any) -> Any:
        inside = (self.grid >= self.interval[0]) & (self.grid <= self.interval[1])
        ax.fill_between(self.grid[inside], self.posterior[inside], color=COLOURS[0], alpha=0.15, linewidth=0)
        for values, style, colour, label in (
            (self.prior, "--", "0.45", "prior"),
            (self.likelihood, ":", COLOURS[1], "likelihood (scaled)"),
            (self.posterior, "-", COLOURS[0], "posterior, 95% interval shaded"),
        ):
            ax.plot(self.grid, values, style, color=colour, linewidth=1.6, label=label)
        ax.set(xlabel=self.parameter, ylabel="density", ylim=(0, 1.15 * self.posterior.max()))
        ax.legend(frameon=False, fontsize=8)
        return ax

    def _together(self, ax: Any) -> Any:
        """The predictive distribution over the parameter."""
        label, colour = "posterior predictive", COLOURS[2]
        if self.parameter == PARAMETERS[Beta]:
            ax.axvline(self.predictive[1], color=colour, linewidth=1.4, label=f"{label} probability of a one")
        elif self.parameter == PARAMETERS[Gamma]:
            ax.plot(self.outcomes, self.predictive, "o", color=colour, markersize=3.5, label=f"{label} of a count")
        else:
            ax.plot(self.outcomes, self.predictive, color=colour, linewidth=1.6, label=label)
        ax.set_xlabel(f"{self.parameter}, and the next observation")
        ax.legend(frameon=False, fontsize=8)
        return ax

    def _predictive(self, ax: Any) -> Any:
        discrete = len(self.outcomes) < 200 and bool((self.outcomes == np.floor(self.outcomes)).all())
        if discrete:
            ax.bar(self.outcomes, self.predictive, color=COLOURS[2], width=0.8)
            ax.set(xlabel="next observation", ylabel="probability")
            if len(self.outcomes) <= 12:
                ax.set_xticks(self.outcomes)
        else:
            ax.plot(self.outcomes, self.predictive, color=COLOURS[2], linewidth=1.6)
            ax.set(xlabel="next observation", ylabel="density", ylim=(0, None))
        ax.set_title("posterior predictive", fontsize=10)
        return ax


def _distribution(prior: Any) -> Any:
    """The distribution of the parameter under a prior or a posterior."""
    from scipy import stats

    values = {name: np.asarray(value, dtype=np.float64) for name, value in vars(prior).items()}
    if any(value.size != 1 for value in values.values()) or type(prior) not in PARAMETERS:
        raise TypeError(
            f"prior must be of one parameter: Beta, Gamma, NormalMean or NormalInverseGamma of numbers, got {prior!r}."
        )
    v = {name: float(value.ravel()[0]) for name, value in values.items()}
    if isinstance(prior, Beta):
        return stats.beta(v["a"], v["b"])
    if isinstance(prior, Gamma):
        return stats.gamma(v["shape"], scale=1 / v["rate"])
    if isinstance(prior, NormalMean):
        return stats.norm(v["location"], v["deviation"])
    return stats.t(2 * v["shape"], v["location"], np.sqrt(v["scale"] / (v["shape"] * v["strength"])))


def _parameter_range(before: Any, after: Any) -> tuple[float, float]:
    """What holds nearly all of a posterior, and of the prior as far as the posterior stays visible."""
    low, high = float(after.ppf(0.0005)), float(after.ppf(0.9995))
    most = 20 * (high - low)
    return max(min(float(before.ppf(0.005)), low), low - most), min(max(float(before.ppf(0.995)), high), high + most)


def _outcomes(posterior: Any) -> Array:
    """Values that the next observation may have: between quantiles of the posterior predictive."""
    from scipy import stats

    if isinstance(posterior, Beta):
        return np.array([0.0, 1.0])
    ahead: Any = posterior.predictive()
    if isinstance(posterior, Gamma):
        shape, rate = float(np.ravel(posterior.shape)[0]), float(np.ravel(posterior.rate)[0])
        return np.arange(float(stats.nbinom.ppf(0.999, shape, rate / (1 + rate))) + 1)
    spread, tail = float(ahead.factor[0, 0]), np.array([0.001, 0.999])
    if isinstance(posterior, NormalMean):
        low, high = stats.norm.ppf(tail, float(ahead.mean[0, 0]), spread)
    else:
        low, high = stats.t.ppf(tail, float(ahead.dof[0, 0]), float(ahead.location[0, 0]), spread)
    return np.linspace(low, high, 400)
