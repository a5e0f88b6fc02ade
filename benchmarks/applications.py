"""Kernel regression, conditional densities and outliers, against statsmodels and PyOD at equal bandwidths.

Errors are those at 100 query points, against sums in extended precision: of predictions relative to the range of y, of
densities relative to the density. Peers that need minutes answer some of the queries, which cost them equally; their
time is then multiplied, and the job says so.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy import special
from statsmodels.nonparametric.kernel_density import KDEMultivariateConditional
from statsmodels.nonparametric.kernel_regression import KernelReg

from benchmarks.harness import Row, race, within
from parzen import ConditionalDensity, DensityOutlier, GaussianMixture, Kernel, KernelDensity, KernelRegressor
from parzen.report import summarise
from parzen.smoothing.kernel_functions import kernel_function

N, SOME = 20_000, 100


def rows() -> Iterator[Row]:
    yield from regression()
    yield from search()
    yield from conditional()
    yield from compact()
    yield from outliers()
    yield from mixed_outliers()
    yield from reports()


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


def search() -> Iterator[Row]:
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


def conditional() -> Iterator[Row]:
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
        "conditional distribution function, 2,000 queries of 20,000 rows, d = 1 (error: of 100)", 2.0,
        lambda: model.cdf(X[:2000], np.clip(y[:2000], -2.0, 2.0)),
        lambda found: float(np.abs(found[:SOME] - below).max()), 3,
    )  # fmt: skip
    levels = np.array([0.05, 0.5, 0.95])
    yield within(
        "conditional quantiles at 3 levels, 2,000 queries of 20,000 rows, d = 1 (error: of their probabilities)", 2.0,
        lambda: model.quantile(X[:2000], levels),
        lambda found: max(float(np.abs(model.cdf(X[:2000], found[:, j]) - q).max()) for j, q in enumerate(levels)), 3,
    )  # fmt: skip
    joint = ConditionalDensity(GaussianMixture(5, random_state=0)).fit(X, y)
    yield within(
        "quantiles of a mixture of 5 given x, 3 levels, 20,000 queries (error: of their probabilities)", 1.0,
        lambda: joint.quantile(X, levels),
        lambda found: max(float(np.abs(joint.cdf(X, found[:, j]) - q).max()) for j, q in enumerate(levels)), 3,
    )  # fmt: skip


def compact() -> Iterator[Row]:
    """Quantiles of kernels of compact support; their probabilities are judged by a sum over all rows."""
    levels = np.linspace(0.01, 0.99, 99)
    for n, kernel in ((20_000, "epanechnikov"), (1_000_000, "epanechnikov"), (1_000_000, "gaussian")):
        X = np.random.default_rng(0).normal(size=(n, 1))
        model = KernelDensity(kernel=kernel, bandwidth=0.1).fit(X)

        def error(found: np.ndarray, X: np.ndarray = X, kernel: str = kernel) -> float:
            one = kernel_function(kernel)
            truth = [one.cdf((value - X[:, 0]) / 0.1).mean() for value in found[::10]]
            return float(np.abs(np.array(truth) - levels[::10]).max())

        yield within(
            f"99 quantiles of {n:,} rows, kernel {kernel} (error: of 10 of their probabilities)", 1.0,
            lambda model=model: model.quantile(levels), error, 3,
        )  # fmt: skip


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


def mixed_table(n: int) -> pd.DataFrame:
    """20 columns: numbers of several shapes, counts, categories, some missing, and a target of three classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n)
    table: dict[str, np.ndarray] = {}
    for j in range(14):
        drawn = (
            rng.normal(0.5 * y * (j % 3), 1.0), np.exp(rng.normal(0.3 * y, 0.8)), rng.poisson(3 + y).astype(float),
            np.round(rng.normal(50 + 3 * y, 10)), rng.gamma(2 + y, 2.0),
        )[j % 5]  # fmt: skip
        table[f"x{j}"] = np.where(rng.random(n) < 0.05, np.nan, drawn) if j % 3 == 0 else drawn
    for j, size in enumerate((2, 5, 12, 30, 3, 8)):
        cells = np.array([f"v{k}" for k in range(size)], dtype=object)[(rng.integers(0, size, n) + y) % size]
        table[f"c{j}"] = np.where(rng.random(n) < 0.03, None, cells) if j % 2 else cells
    return pd.DataFrame(table | {"target": np.array(["low", "middle", "high"])[y]})


def mixed_outliers() -> Iterator[Row]:
    """One row in a hundred has a cell that is 20 deviations off; the error is the proportion that is missed."""
    mixed = [
        (f"a mixed table, {n:,} x 20, missing values", mixed_table(n).drop(columns="target"), seconds)
        for n, seconds in ((10_000, 5.0), (65_536, 10.0))
    ]
    numbers = pd.DataFrame(np.random.default_rng(0).normal(size=(65_536, 4))).add_prefix("x")
    for what, table, seconds in (*mixed, ("numbers, 65,536 x 4", numbers, 10.0)):
        off = len(table) // 100
        table.loc[: off - 1, "x0"] = 20.0
        yield within(
            f"DensityOutlier of {what} (error: planted outliers that are missed)", seconds,
            lambda table=table: DensityOutlier().fit(table),
            lambda model, off=off: float(1 - model.flagged()[:off].mean()), 3,
        )  # fmt: skip


def reports() -> Iterator[Row]:
    """A report of a large mixed table; no error, but every part must be there."""
    table = mixed_table(100_000)

    def absent(found: dict[str, Any]) -> float:
        parts = ("columns", "models", "information", "learning_curves", "dependence", "mixture", "outliers")
        return float(sum(not found[part] for part in parts))

    yield within(
        "report of 100,000 x 20 with a target, missing values (error: parts that are absent)", 15.0,
        lambda: summarise(table, "target"), absent, 1,
    )  # fmt: skip
