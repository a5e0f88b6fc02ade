"""Densities that are known, and what a kernel density of samples from them is on average: its bias and its variance."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.displays.explore.data import Data
from parzen.displays.explore.request import Request
from parzen.estimators.density.kernel import KernelDensity
from parzen.estimators.mixture.gaussian import GaussianMixture
from parzen.smoothing import bandwidth
from parzen.smoothing.bias_variance import BiasVariance, bias_variance

#: Mixtures of Gaussians: weights, means, standard deviations. They are those of Marron & Wand (1992).
TRUTHS: dict[str, tuple[list[float], list[float], list[float]]] = {
    "claw": ([0.5, *[0.1] * 5], [0.0, -1.0, -0.5, 0.0, 0.5, 1.0], [1.0, *[0.1] * 5]),
    "bimodal": ([0.5, 0.5], [-1.0, 1.0], [2 / 3, 2 / 3]),
    "skewed": ([0.125] * 8, [3 * ((2 / 3) ** k - 1) for k in range(8)], [(2 / 3) ** k for k in range(8)]),
}
#: The interval that holds each of them, samples that are drawn as curves, bandwidths of the curves of errors.
BOUNDS, SAMPLES, WIDTHS = (-7.0, 7.0), 12, 32
RULES = ("silverman", "scott", "isj", "sj", "lcv")


def truth_of(name: str) -> GaussianMixture:
    """A known density as a mixture."""
    weights, means, deviations = TRUTHS[name]
    return GaussianMixture.from_parameters(weights, np.array(means)[:, None], np.square(deviations), "spherical")


def known_truth(data: Data, request: Request, name: str, rule: str, own: float | None) -> dict[str, Any]:
    """The truth, kernel densities of repeated samples, their mean and deviation, and errors over the bandwidth."""
    n, seed = request.whole("n", 10, 10_000, 200), request.whole("seed", 0, 1_000_000, 0)
    request.finish()
    truth = truth_of(name)
    grid = np.linspace(-3.5, 3.5, 351)
    samples = data.remember(("samples", name, n, seed), _samples, truth, n, seed)
    rules = data.remember(("rules", name, n, seed), _rules, samples[0])
    h = own if rule == "own" and own is not None else rules.get(rule, rules["silverman"])
    errors = data.remember(("errors", name, n), _errors, truth, n, request)
    here = data.remember(("here", name, n, h), _at, truth, h, n)
    curves = [np.exp(KernelDensity(bandwidth=h).fit(one).score_samples(grid[:, None])) for one in samples]
    weights, means, deviations = TRUTHS[name]
    given = f"{weights!r}, {[[one] for one in means]!r}, {np.square(deviations).tolist()!r}, 'spherical'"
    return {
        "name": name,
        "rows": n,
        "grid": grid,
        "truth": np.exp(truth.score_samples(grid[:, None])),
        "curves": curves,
        "mean": np.interp(grid, here.places, here.mean[0]),
        "deviation": np.interp(grid, here.places, here.deviation[0]),
        "bandwidth": h,
        "rules": rules,
        "bias": float(here.bias[0]),
        "variance": float(here.variance[0]),
        "errors": {"bandwidths": errors.bandwidths, "bias": errors.bias, "variance": errors.variance,
                   "error": errors.error, "best": errors.best},
        "python": f"bias_variance(GaussianMixture.from_parameters({given}), [{h!r}], {n}, bounds={BOUNDS!r})",
    }  # fmt: skip


def _samples(truth: GaussianMixture, n: int, seed: int) -> list[Array]:
    return [truth.sample(n, random_state=seed + k)[0] for k in range(SAMPLES)]


def _rules(sample: Array) -> dict[str, float]:
    return {rule: float(bandwidth.choose(rule, sample)[0, 0]) for rule in RULES}


def _errors(truth: GaussianMixture, n: int, request: Request) -> BiasVariance:
    request.progress(0.3)
    return bias_variance(truth, np.geomspace(0.02, 2, WIDTHS), n, bounds=BOUNDS)


def _at(truth: GaussianMixture, h: float, n: int) -> BiasVariance:
    return bias_variance(truth, [h], n, bounds=BOUNDS)
