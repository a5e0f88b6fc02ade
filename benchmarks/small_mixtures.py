"""python -m benchmarks.small_mixtures [seeds]: GaussianMixture on small tables, seed by seed, against scikit-learn's.

A fit is as good as what it ends at: beside the times stand the number of seeds whose log-likelihood of a row ends at
least as high as scikit-learn's (to within its own tolerance, 1e-3), and both means. Both are called with their
defaults; the time is that of the processor, the least of three fits, averaged over the seeds.
"""

import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import sklearn.mixture
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_blobs

import parzen
from benchmarks.harness import Row

#: How often of a hundred seeds the log-likelihood should end at least as high, and what counts as equal.
OFTEN, EQUAL = 0.95, 1e-3
SHAPES = ("full", "diag", "tied", "spherical")


def tables() -> Iterator[tuple[str, Any, int]]:
    """Small tables with columns in units of their deviations, and how many components are asked for."""
    blobs = make_blobs(1000, 30, centers=5, cluster_std=4.0, random_state=0)[0]
    found = {"iris": load_iris().data, "wine": load_wine().data, "breast cancer": load_breast_cancer().data}
    for name, X in (found | {"blobs": blobs}).items():
        yield f"{name}, {len(X)} x {X.shape[1]}", (X - X.mean(axis=0)) / X.std(axis=0), 5 if name == "blobs" else 3


def race(X: Any, K: int, shape: str, seeds: int, repeat: int = 3) -> tuple[Any, Any]:
    """Log-likelihoods of a row at the end, (seeds, 2), and least times in ms, (seeds, 2): ours, scikit-learn's."""
    scores, times = np.empty((seeds, 2)), np.full((seeds, 2), np.inf)
    for seed in range(seeds):
        for _ in range(repeat):
            for i, module in enumerate((parzen, sklearn.mixture)):
                model = module.GaussianMixture(K, covariance_type=shape, random_state=seed)
                begin = time.process_time()
                model.fit(X)
                times[seed, i] = min(times[seed, i], 1e3 * (time.process_time() - begin))
                scores[seed, i] = model.score(X)
    return scores, times


def results(seeds: int) -> Iterator[tuple[str, Any, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, X, K in tables():
            for shape in SHAPES:
                yield f"{name}, {K} {shape}", *race(X, K, shape, seeds)


def rows(seeds: int = 20) -> Iterator[Row]:
    """The same for `benchmarks.run`; errors are the proportion of seeds whose log-likelihood ends lower."""
    for name, scores, times in results(seeds):
        ours, theirs = times.mean(axis=0)
        lower = float((scores[:, 0] < scores[:, 1] - EQUAL).mean())
        higher = float((scores[:, 1] < scores[:, 0] - EQUAL).mean())
        job = f"GaussianMixture.fit, {name}, {seeds} seeds"
        yield Row(job, "scikit-learn GaussianMixture", ours, theirs, lower, higher, 1.0)


def main() -> None:
    """Print the table; what is slower or ends lower too often is marked."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    print("| table | ours, ms | scikit-learn, ms | ratio | at least as high | mean, ours | mean, scikit-learn |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, scores, times in results(seeds):
        (ours, theirs), mean = times.mean(axis=0), scores.mean(axis=0)
        as_high = int((scores[:, 0] >= scores[:, 1] - EQUAL).sum())
        mark = (" slower" if ours > theirs else "") + (" lower" if as_high < OFTEN * seeds else "")
        print(
            f"| {name} | {ours:.2f} | {theirs:.2f} | {theirs / ours:.2f}x{mark} | {as_high} of {seeds} | "
            f"{mean[0]:.4f} | {mean[1]:.4f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
