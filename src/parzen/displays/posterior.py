"""Pictures of beliefs: a parameter before and after data, and what is predicted next."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array
from parzen.conjugate import Beta, Gamma, NormalInverseGamma, NormalMean
from parzen.plotting import COLOURS, axes_beside, opened


@dataclass
class PosteriorDisplay:
    """A belief before and after data: prior, likelihood and posterior of a parameter, and what is predicted next.

    Attributes
    ----------
    grid : array, of the parameter
    prior, likelihood, posterior : arrays over the grid
        The likelihood is scaled to the posterior's height.
    interval : the middle 95% of the posterior
    places, predictive : arrays
        What may come next, and its probability or density.
    name : what the parameter is
    ax_ : two of matplotlib's axes

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
    places: Array
    predictive: Array
    name: str
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_prior(cls, prior: Any, data: ArrayLike, *, ax: Any = None) -> Self:
        """Draw what data make of a prior of `parzen.conjugate`: Beta, Gamma, NormalMean, NormalInverseGamma."""
        after = prior.posterior(data)
        name, before, then = _KINDS.get(type(prior), ""), _belief(prior), _belief(after)
        low, high = min(before.ppf(0.005), then.ppf(0.0005)), max(before.ppf(0.995), then.ppf(0.9995))
        grid = np.linspace(low, high, 801)[1:-1] if isinstance(prior, Beta) else np.linspace(low, high, 800)
        first, last = before.logpdf(grid), then.logpdf(grid)
        with np.errstate(invalid="ignore"):
            ratio = last - first
        likelihood = np.exp(ratio - np.nanmax(ratio[np.isfinite(ratio)])) * np.exp(last.max())
        places = _outcomes(prior, np.asarray(data, dtype=np.float64))
        predictive = np.exp(after.predictive().log_density(places[:, None])[:, 0])
        ends = (float(then.ppf(0.025)), float(then.ppf(0.975)))
        return cls(grid, np.exp(first), likelihood, np.exp(last), ends, places, predictive, name).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on two axes that are given or new."""
        pair = axes_beside(2) if ax is None else ax
        if np.size(pair) != 2:
            raise ValueError("ax must be two axes, of the parameter and of what comes next: plt.subplots(1, 2)[1].")
        left, right = pair
        inside = (self.grid >= self.interval[0]) & (self.grid <= self.interval[1])
        left.fill_between(self.grid[inside], self.posterior[inside], color=COLOURS[0], alpha=0.15, linewidth=0)
        for values, style, colour, label in (
            (self.prior, "--", "0.45", "prior"),
            (self.likelihood, ":", COLOURS[1], "likelihood (scaled)"),
            (self.posterior, "-", COLOURS[0], "posterior, its middle 95% shaded"),
        ):
            left.plot(self.grid, values, style, color=colour, linewidth=1.6, label=label)
        left.set(xlabel=self.name, ylabel="density", ylim=(0, 1.15 * self.posterior.max()))
        left.legend(frameon=False, fontsize=8)
        whole = len(self.places) < 200 and bool((self.places == np.floor(self.places)).all())
        if whole:
            right.bar(self.places, self.predictive, color=COLOURS[2], width=0.8)
            right.set(xlabel="next", ylabel="probability")
            if len(self.places) <= 12:
                right.set_xticks(self.places)
        else:
            right.plot(self.places, self.predictive, color=COLOURS[2], linewidth=1.6)
            right.set(xlabel="next", ylabel="density", ylim=(0, None))
        right.set_title("what is predicted", fontsize=10)
        self.ax_ = np.array([opened(left), opened(right)])
        return self


_KINDS: dict[Any, str] = {
    Beta: "probability of a one",
    Gamma: "rate",
    NormalMean: "mean",
    NormalInverseGamma: "mean (its deviation unknown)",
}


def _belief(prior: Any) -> Any:
    """The distribution of the parameter that is drawn."""
    from scipy import stats

    values = {name: np.asarray(value, dtype=np.float64) for name, value in vars(prior).items()}
    if any(value.size != 1 for value in values.values()) or type(prior) not in _KINDS:
        raise TypeError(
            "a belief is drawn of one parameter: Beta, Gamma, NormalMean or NormalInverseGamma of numbers, got "
            f"{prior!r}."
        )
    v = {name: float(value.ravel()[0]) for name, value in values.items()}
    if isinstance(prior, Beta):
        return stats.beta(v["a"], v["b"])
    if isinstance(prior, Gamma):
        return stats.gamma(v["shape"], scale=1 / v["rate"])
    if isinstance(prior, NormalMean):
        return stats.norm(v["location"], v["deviation"])
    return stats.t(2 * v["shape"], v["location"], np.sqrt(v["scale"] / (v["shape"] * v["strength"])))


def _outcomes(prior: Any, data: Array) -> Array:
    """What may come next."""
    if isinstance(prior, Beta):
        return np.array([0.0, 1.0])
    if isinstance(prior, Gamma):
        return np.arange(float(max(np.nanmax(data, initial=0.0) * 2, 10)) + 1)
    known = data[~np.isnan(data)] if data.size else np.ravel(prior.location)
    low, high = float(known.min()), float(known.max())
    wide = 1.5 * (high - low) or 1.0
    return np.linspace(low - wide, high + wide, 400)
