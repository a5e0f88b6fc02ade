"""Whole jobs on a GPU and on the CPU of the same machine: the same estimator, a tensor and an array.

    python -m benchmarks.gpu_jobs

The difference is the largest one of what the job gives, relative to the largest number of it, between a tensor on the
GPU and the same cells in float64 on the CPU. Where few queries stand for all on the CPU, its time is multiplied.
"""

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from parzen import (
    CategoricalNB,
    Decision,
    GaussianMixture,
    GaussianNB,
    HistogramDensity,
    KernelDensity,
    KernelRegressor,
    KMeans,
    LogisticRegression,
)

DEVICE = "cuda"


def seconds(function: Callable[[], Any]) -> float:
    torch.cuda.synchronize()
    begin = time.perf_counter()
    function()
    torch.cuda.synchronize()
    return time.perf_counter() - begin


def apart(one: Any, other: Any) -> float:
    """The largest difference, relative to the largest number."""
    one, other = (part.cpu().numpy() if isinstance(part, torch.Tensor) else np.asarray(part) for part in (one, other))
    return float(np.abs(one.astype(float) - other).max() / np.abs(other).max())


def job(name: str, run: Callable[..., Any], given: tuple[Any, ...], few: int | None = None) -> None:
    """Print a row: the time there, the time here (of the first few rows of the last argument), and the difference."""
    there = tuple(torch.from_numpy(part).to(DEVICE) for part in given)
    run(*there)
    took = float(np.median([seconds(lambda: run(*there)) for _ in range(3)]))
    found = run(*there)
    here = tuple(part.astype(np.float64) if part.dtype == np.float32 else part for part in given)
    times = 1.0
    if few is not None:
        times = len(here[-1]) / few
        here = (*here[:-1], here[-1][:few])
        found = found[:few]
    begin = time.perf_counter()
    expected = run(*here)
    there_, here_ = 1e3 * took, 1e3 * times * (time.perf_counter() - begin)
    print(f"| {name} | {there_:.3g} | {here_:.4g} | {here_ / there_:.3g}x | {apart(found, expected):.0e} |", flush=True)


def main() -> None:
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(250_000, 10)) + 4 * rng.normal(size=10) for _ in range(8)]).astype(np.float32)
    y = np.repeat(np.arange(8), 250_000)
    order = rng.permutation(len(X))
    X, y = X[order], y[order]
    slope = rng.normal(size=(3, 10))
    classes = (X[:, :10] @ slope.T / 4 + rng.gumbel(size=(len(X), 3))).argmax(axis=1)
    codes = rng.integers(0, 8, (len(X), 10))
    curve = (np.sin(X[:, 0]) + 0.1 * rng.normal(size=len(X))).astype(np.float32)
    P = rng.dirichlet(np.ones(8), len(X))
    loss = rng.random((8, 8))
    few = X[:50_000], X[50_000:150_000]
    density = KernelDensity(bandwidth=0.5, rtol=1e-2).fit(few[0])
    regressor = KernelRegressor([0.5, 0.5]).fit(few[0][:, :2], curve[:50_000])
    edges = np.linspace(-15, 15, 100).tolist()
    print("\n| job | GPU, ms | CPU, ms | ratio | difference |\n|---|---:|---:|---:|---:|")
    job(
        "GaussianMixture(8).fit, 2,000,000 x 10: means",
        lambda X: GaussianMixture(8, random_state=0).fit(X).means_,
        (X,),
    )
    job(
        "KMeans(8, n_init=1).fit, 2,000,000 x 10: inertia",
        lambda X: KMeans(8, n_init=1, random_state=0).fit(X).inertia_,
        (X,),
    )
    job("GaussianNB.fit, 2,000,000 x 10: variances", lambda X, y: GaussianNB().fit(X, y).var_, (X, y))
    model = GaussianNB().fit(X, y)
    job("GaussianNB.predict_proba, 2,000,000 x 10", model.predict_proba, (X,))
    job("CategoricalNB.fit and predict_log_proba, 2,000,000 x 10 of 8 values",
        lambda X, y: CategoricalNB().fit(X, y).predict_log_proba(X), (codes, y))  # fmt: skip
    job(
        "LogisticRegression().fit, 2,000,000 x 10, 3 classes",
        lambda X, y: LogisticRegression().fit(X, y).coef_,
        (X, classes),
    )
    job(
        "LogisticRegression().fit, 2,000,000 x 10, 2 classes",
        lambda X, y: LogisticRegression().fit(X, y).coef_,
        (X, classes % 2),
    )
    job("KernelDensity.score_samples, 50,000 x 100,000, d = 10, rtol 1e-2", density.score_samples, (few[1],), 1000)
    job("KernelRegressor.predict, 50,000 x 100,000, d = 2", regressor.predict, (few[1][:, :2].copy(),), 2000)
    job("HistogramDensity of 99 bins, fit and score_samples, 2,000,000",
        lambda X: HistogramDensity(edges).fit(X).score_samples(X), (X[:, :1].copy(),))  # fmt: skip
    job("Decision by a loss, 2,000,000 x 8", Decision(loss).act, (P,))


if __name__ == "__main__":
    main()
