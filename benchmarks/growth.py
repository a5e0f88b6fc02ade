"""How the cost of each hot path grows with the rows, the columns, and the classes, components or states.

Each job is timed as it is, with ten times the rows, with twice the columns and with twice the groups: ratios of the
least times of the processor, on one thread. Beside them is the ratio of the numbers of operations. Small jobs grow
less, since every call has a cost of its own; and so do sums over columns or groups that fill a vector of the processor
only when there are more of them. Kernel densities are evaluated at their own rows, with one bandwidth: by cells, whose
number doesn't grow with the rows, or over pairs within reach of a kernel.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import parzen
from benchmarks.harness import Growth
from parzen import (
    ConditionalDensity,
    DensityOutlier,
    Gaussian,
    GaussianNB,
    Kernel,
    KernelDensity,
    Labels,
    Mixture,
    fit,
)
from parzen.compute.softmax import softmax, softmax_curvature
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.hmm import HMMDensity
from parzen.densities.mixture import MixtureDensity
from parzen.families.hmm import HMM
from parzen.families.lloyd import assigned
from parzen.statistics.accumulate import accumulate

#: Seconds for the repetitions of one measurement, and most of them.
SECONDS, REPEATS = 0.4, 15


class Size(NamedTuple):
    """Rows, columns, and groups."""

    n: int
    d: int
    K: int


class Job(NamedTuple):
    """A hot path: its name, its size, what to time for a size, and by which factors its operations grow."""

    name: str
    size: Size
    make: Callable[[Size], Callable[[], Any]]
    theory: dict[str, str]


LINEAR = {"n x 10": "10", "d x 2": "2", "K x 2": "2"}


def rows() -> Iterator[Growth]:
    for job in JOBS:
        with parzen.threads(1):
            found = measured(job)
        yield found


def measured(job: Job) -> Growth:
    """The times of a job, and of those in which one of its sizes is larger."""
    n, d, K = job.size
    base = least_ms(job.make(job.size))
    larger = {"n x 10": Size(10 * n, d, K), "d x 2": Size(n, 2 * d, K), "K x 2": Size(n, d, 2 * K)}
    ratios = {name: least_ms(job.make(larger[name])) / base for name in job.theory}
    return Growth(f"{job.name}, {_written(job)}", base, ratios, job.theory)


def _written(job: Job) -> str:
    n, d, K = job.size
    return f"{n:,} x {d}" + (f", K = {K}" if "K x 2" in job.theory else "")


def least_ms(function: Callable[[], Any]) -> float:
    """The least time of a function in ms, after a first call; of the processor, since others may use it, too."""
    function()
    spent: list[float] = []
    while len(spent) < REPEATS and sum(spent) < SECONDS:
        begin = time.process_time()
        function()
        spent.append(time.process_time() - begin)
    return 1e3 * min(spent)


def grouped(size: Size) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, their groups, and the means of these."""
    rng = np.random.default_rng(0)
    mean, y = 1.5 * rng.normal(size=(size.K, size.d)), rng.integers(0, size.K, size.n)
    return mean[y] + rng.normal(size=(size.n, size.d)), y, mean


def moments(covariance_type: str) -> Callable[[Size], Callable[[], Any]]:
    def make(size: Size) -> Callable[[], Any]:
        X, y, _ = grouped(size)
        return lambda: fit(Gaussian(covariance_type), X, Labels(y, groups=size.K))

    return make


def naive_fit(size: Size) -> Callable[[], Any]:
    X, y, _ = grouped(size)
    return lambda: GaussianNB().fit(X, y)


def naive_predict(size: Size) -> Callable[[], Any]:
    X, y, _ = grouped(size)
    model = GaussianNB().fit(X, y)
    return lambda: model.predict_proba(X)


def log_densities(size: Size) -> Callable[[], Any]:
    X, _, mean = grouped(size)
    density = GaussianDensity(mean, np.tile(np.eye(size.d), (size.K, 1, 1)))
    return lambda: density.log_density(X)


def em(covariance_type: str) -> Callable[[Size], Callable[[], Any]]:
    def make(size: Size) -> Callable[[], Any]:
        X, _, mean = grouped(size)
        family = Mixture(Gaussian(covariance_type), size.K)
        factor = np.ones((size.K, size.d)) if covariance_type == "diag" else np.tile(np.eye(size.d), (size.K, 1, 1))
        log_weight = np.full(size.K, -np.log(size.K))

        def step() -> Any:
            start = MixtureDensity(GaussianDensity(mean, factor), log_weight)
            return family.maximise(accumulate(family, X, at=start).statistic)

        return step

    return make


def kmeans(size: Size) -> Callable[[], Any]:
    X, _, mean = grouped(size)
    return lambda: assigned(X, None, mean)


def softmax_gradient(size: Size) -> Callable[[], Any]:
    X, y, mean = grouped(size)
    labels = Labels(y, groups=size.K)
    return lambda: softmax(X, labels, 0.1 * np.ascontiguousarray(mean.T), np.zeros(size.K))


def softmax_newton(size: Size) -> Callable[[], Any]:
    X, y, mean = grouped(size)
    labels = Labels(y, groups=size.K)
    return lambda: softmax_curvature(X, labels, 0.1 * np.ascontiguousarray(mean.T), np.zeros(size.K))


def baum_welch(size: Size) -> Callable[[], Any]:
    X, _, mean = grouped(size)
    lengths = np.array([size.n])
    start, transition = np.full(size.K, 1 / size.K), 0.9 * np.eye(size.K) + 0.1 / size.K
    family = HMM(Gaussian("diag", estimate="ml"), size.K, lengths)
    density = HMMDensity(GaussianDensity(mean, np.ones((size.K, size.d))), start, transition, lengths)
    return lambda: family.maximise(family.observe(X, None, density).statistic)


def windows(size: Size) -> Callable[[], Any]:
    X = np.random.default_rng(0).normal(size=(size.n, size.d))
    return lambda: KernelDensity(bandwidth=0.3, rtol=1e-4).fit(X).score_samples(X)


def quantiles(size: Size) -> Callable[[], Any]:
    X, levels = np.random.default_rng(0).normal(size=(size.n, 1)), np.linspace(0.01, 0.99, 99)
    return lambda: KernelDensity(kernel="epanechnikov", bandwidth=0.1).fit(X).quantile(levels)


def conditional_quantiles(size: Size) -> Callable[[], Any]:
    X = np.random.default_rng(0).normal(size=(size.n, size.d))
    model = ConditionalDensity(bandwidth=[0.3] * (size.d + 1)).fit(X, X.sum(axis=1))
    return lambda: model.quantile(X[:100], [0.05, 0.5, 0.95])


def outliers(size: Size) -> Callable[[], Any]:
    X = np.random.default_rng(0).normal(size=(size.n, size.d))
    return lambda: DensityOutlier(Kernel(1.0)).fit(X)


JOBS = (
    Job("means and variances of classes", Size(50_000, 10, 10), moments("diag"), LINEAR | {"K x 2": "1"}),
    Job(
        "means and covariances of classes", Size(20_000, 10, 10), moments("full"),
        LINEAR | {"d x 2": "4", "K x 2": "1"},
    ),
    Job("GaussianNB.fit", Size(50_000, 10, 10), naive_fit, LINEAR | {"K x 2": "1"}),
    Job("GaussianNB.predict_proba", Size(20_000, 10, 10), naive_predict, LINEAR),
    Job("Gaussian log-densities, full", Size(20_000, 10, 10), log_densities, LINEAR | {"d x 2": "4"}),
    Job("a step of EM, full", Size(10_000, 10, 10), em("full"), LINEAR | {"d x 2": "4"}),
    Job("a step of EM, diagonal", Size(10_000, 10, 10), em("diag"), LINEAR),
    Job("a step of k-means", Size(20_000, 10, 20), kmeans, LINEAR),
    Job("logistic regression, gradient", Size(20_000, 20, 5), softmax_gradient, LINEAR),
    Job(
        "logistic regression, sums of a Newton step", Size(10_000, 10, 4), softmax_newton,
        {"n x 10": "10", "d x 2": "4", "K x 2": "4.7"},
    ),
    Job("a step of Baum-Welch", Size(10_000, 4, 8), baum_welch, {"n x 10": "10", "d x 2": "1-2", "K x 2": "2-4"}),
    Job("kernel density, by cells", Size(20_000, 1, 1), windows, {"n x 10": "10"}),
    Job("kernel density, by cells", Size(20_000, 2, 1), windows, {"n x 10": "10"}),
    Job("kernel density, cells or pairs", Size(5_000, 3, 1), windows, {"n x 10": "10-100"}),
    Job("99 quantiles, epanechnikov (searches, and a sort)", Size(20_000, 1, 1), quantiles, {"n x 10": "1-11"}),
    Job(
        "conditional quantiles of 100 queries", Size(2_000, 2, 1), conditional_quantiles,
        {"n x 10": "10", "d x 2": "1-2"},
    ),
    Job("DensityOutlier, kernels, all pairs", Size(4_000, 8, 1), outliers, {"n x 10": "100", "d x 2": "1-2"}),
)  # fmt: skip
