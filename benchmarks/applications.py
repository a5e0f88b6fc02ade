"""Kernel regression, conditional densities and outliers, against statsmodels and PyOD at equal bandwidths.

Errors are those at 100 query points, against sums in extended precision: of predictions relative to the range of y, of
densities relative to the density. Peers that need minutes answer some of the queries, which cost them equally; their
time is then multiplied, and the job says so.
"""

from collections.abc import Callable, Iterator

import numpy as np
from scipy import special
from statsmodels.nonparametric.kernel_density import KDEMultivariateConditional
from statsmodels.nonparametric.kernel_regression import KernelReg

from benchmarks.harness import Memory, Row, peak_memory, race, within
from parzen import ConditionalDensity, DensityOutlier, Kernel, KernelDensity, KernelRegressor

N, SOME = 20_000, 100


def rows() -> Iterator[Row | Memory]:
    yield from regression()
    yield from search()
    yield from conditional()
    yield from compact()
    yield from outliers()


def problem(n: int, d: int) -> tuple[np.ndarray, np.ndarray, float]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, np.sin(2 * X[:, 0]) + 0.5 * X.sum(axis=1) + 0.5 * rng.normal(size=n), float(n ** (-1 / (d + 4)))


def judge(X: np.ndarray, y: np.ndarray, h: float, order: int) -> Callable[[np.ndarray], float]:
    """Error of the predictions at the first query points."""
    X, truth = X.astype(np.longdouble), []
    for q in X[:SOME]:
        u = (X - q) / h
        k = np.exp(-0.5 * (u**2).sum(axis=1))
        if order == 0:
            truth.append(float((k @ y) / k.sum()))
            continue
        root = np.sqrt(k).astype(float)[:, None]
        design = np.column_stack([np.ones(len(u)), u]).astype(float)
        truth.append(float(np.linalg.lstsq(root * design, root[:, 0] * y, rcond=None)[0][0]))
    return lambda found: float(np.abs(found[:SOME] - truth).max() / np.ptp(y))


def regression() -> Iterator[Row]:
    for d, order, name, part, target in (
        (1, 0, "lc", 100, 1000), (2, 0, "lc", 100, 100), (4, 0, "lc", 100, 100), (2, 1, "ll", 100, None),
    ):  # fmt: skip
        X, y, h = problem(N, d)
        kind = "Nadaraya-Watson" if order == 0 else "local linear regression"
        peer = KernelReg(y, X, "c" * d, reg_type=name, bw=[h] * d)
        error = judge(X, y, h, order)
        yield race(
            f"{kind}, 20,000 x 20,000, d = {d} (peer: {part} queries, times {N // part})",
            f"statsmodels KernelReg ({name})",
            lambda X=X, y=y, h=h, order=order: KernelRegressor(h, order=order).fit(X, y).predict(X),
            lambda peer=peer, X=X, part=part: peer.fit(X[:part])[0], error, error, target, 3, slow=N / part,
        )  # fmt: skip


def search() -> Iterator[Row | Memory]:
    X, y, _ = problem(N, 2)

    def off(found: np.ndarray) -> float:
        """How much lower the criterion is a little way off in any direction; 0 at a minimum."""
        rows = KernelRegressor(found).fit(X, y).fitted_.rows
        best = rows.squared_error(found)
        around = [found * 2.0 ** np.array(step) for step in ((0.1, 0), (-0.1, 0), (0, 0.1), (0, -0.1))]
        return max(0.0, max(best - rows.squared_error(one) for one in around) / best)

    yield within(
        "cross-validated bandwidths of a regression, 20,000 rows, d = 2 (error: gain of a further step of 7%)", 3.0,
        lambda: KernelRegressor().fit(X, y).bandwidth_, off, repeat=3,
    )  # fmt: skip
    yield Memory(
        "cross-validated bandwidths of a regression, 20,000 rows, d = 2",
        peak_memory(lambda: KernelRegressor().fit(X, y)),
    )


def conditional() -> Iterator[Row | Memory]:
    X, y, h = problem(N, 1)
    peer = KDEMultivariateConditional(y, X, "c", "c", bw=[h, h])
    model = ConditionalDensity(bandwidth=[h, h]).fit(X, y)
    Z, t = X[:, 0].astype(np.longdouble), y.astype(np.longdouble)
    truth = []
    for x, v in zip(Z[:SOME], t[:SOME], strict=True):
        k = np.exp(-0.5 * ((Z - x) / h) ** 2)
        truth.append(float((k @ np.exp(-0.5 * ((t - v) / h) ** 2)) / k.sum() / (np.sqrt(2 * np.pi) * h)))

    def error(found: np.ndarray) -> float:
        return float(np.abs(found[:SOME] / truth - 1).max())

    yield race(
        "conditional density, 20,000 x 20,000, d = 1 (peer: 100 queries, times 200)",
        "statsmodels KDEMultivariateConditional",
        lambda: model.pdf(X, y), lambda: peer.pdf(y[:SOME], X[:SOME]), error, error, None, 3, slow=N / SOME,
    )  # fmt: skip
    near, queries = np.clip(y[:SOME], -2.0, 2.0), X[:SOME]
    below = [
        float(
            np.exp(-0.5 * ((Z - x) / h) ** 2)
            @ special.ndtr(((v - t) / h).astype(float))
            / np.exp(-0.5 * ((Z - x) / h) ** 2).sum()
        )
        for x, v in zip(Z[:SOME], near, strict=True)
    ]
    yield race(
        "conditional distribution function, 100 queries of 20,000 rows, d = 1",
        "statsmodels KDEMultivariateConditional",
        lambda: model.cdf(queries, near), lambda: peer.cdf(near, queries),
        lambda found: float(np.abs(found - below).max()), target=None, repeat=3,
    )  # fmt: skip
    levels = np.array([0.05, 0.5, 0.95])
    yield within(
        "conditional quantiles at 3 levels, 2,000 queries of 20,000 rows, d = 1 (error: of their probabilities)", 20.0,
        lambda: model.quantile(X[:2000], levels),
        lambda found: max(float(np.abs(model.cdf(X[:2000], found[:, j]) - q).max()) for j, q in enumerate(levels)), 1,
    )  # fmt: skip
    yield Memory(
        "conditional quantiles, 2,000 queries of 20,000 rows", peak_memory(lambda: model.quantile(X[:2000], levels))
    )
    yield Memory(
        "conditional distribution function, 20,000 queries of 20,000 rows", peak_memory(lambda: model.cdf(X, y))
    )


def compact() -> Iterator[Row | Memory]:
    """Quantiles of a kernel of compact support, whose distribution function is a sum over rows within reach."""
    X = np.random.default_rng(0).normal(size=(20_000, 1))
    model = KernelDensity(kernel="epanechnikov", bandwidth=0.1).fit(X)
    levels = np.linspace(0.01, 0.99, 99)
    yield within(
        "99 quantiles of 20,000 rows, kernel epanechnikov (error: of their probabilities)", 1.0,
        lambda: model.quantile(levels),
        lambda found: float(np.abs(model.cdf(found[:, None]) - levels).max()), 3,
    )  # fmt: skip
    yield Memory("99 quantiles of 20,000 rows, kernel epanechnikov", peak_memory(lambda: model.quantile(levels)))


def outliers() -> Iterator[Row]:
    from pyod.models.kde import KDE

    n, d, part = 50_000, 6, 1000
    X = np.random.default_rng(0).normal(size=(n, d))
    peer = KDE(bandwidth=1.0).fit(X[:100])
    peer.kde_.fit(X)  # as its own fit does, which would then score all rows
    truth = []
    for q in X[:SOME].astype(np.longdouble):
        truth.append(float(np.exp(-0.5 * ((X - q) ** 2).sum(axis=1)).sum()))
    constant = (2 * np.pi) ** (-0.5 * d)

    def ours(scores: np.ndarray) -> float:
        return float(np.abs(np.exp(scores[:SOME]) / (constant * (np.array(truth) - 1) / (n - 1)) - 1).max())

    def theirs(scores: np.ndarray) -> float:
        return float(np.abs(np.exp(-scores[:SOME]) / (constant * np.array(truth) / n) - 1).max())

    yield race(
        "DensityOutlier with a kernel density, 50,000 x 6 (peer: 1,000 queries, times 50)", "PyOD KDE",
        lambda: DensityOutlier(Kernel(1.0)).fit(X).scores_, lambda: peer.decision_function(X[:part]),
        ours, theirs, 50, 3, slow=n / part,
    )  # fmt: skip
