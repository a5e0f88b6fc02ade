"""python -m benchmarks.sequence_starts [seeds]: where GaussianHMM ends from its own start, against hmmlearn's.

On the series of `benchmarks.sequences` and on three real ones: daily temperatures at Toronto, deflections of a steel
beam (NIST's Lew) and yearly sunspots. Both have their defaults but for the number of states: ten steps at most.
"""

import logging
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from hmmlearn import hmm
from statsmodels.datasets import sunspots

import parzen
from parzen.datasets import load_nist_univariate, load_toronto_temperatures

#: Log-likelihoods of a row that differ by less are equal.
EQUAL = 1e-3


def series() -> Iterator[tuple[str, Any, int]]:
    """Names, rows in their order, numbers of states."""
    rng = np.random.default_rng(0)
    mean = 1.5 * rng.normal(size=(8, 4))
    yield (
        "as in the benchmark, 5,000 x 4",
        np.repeat(mean[rng.integers(0, 8, 250)], 20, axis=0) + rng.normal(size=(5000, 4)),
        8,
    )
    days = np.asarray(load_toronto_temperatures().data, dtype=np.float64)
    days = days[~np.isnan(days).any(axis=1)]
    yield f"Toronto, {days.shape[0]} x {days.shape[1]}", days, 4
    beam = np.asarray(load_nist_univariate("Lew").data, dtype=np.float64).reshape(-1, 1)
    yield f"Lew, {len(beam)} x 1", beam, 3
    spots = np.sqrt(sunspots.load_pandas().data[["SUNACTIVITY"]].to_numpy(dtype=np.float64))
    yield f"sunspots (roots), {len(spots)} x 1", spots, 3


def ends(X: Any, K: int, shape: str, seeds: int) -> Any:
    """Log-likelihoods of a row at the end, (seeds, 2): ours, hmmlearn's."""
    models = (parzen.GaussianHMM, hmm.GaussianHMM)
    found = [[model(K, shape, random_state=seed).fit(X).score(X) for model in models] for seed in range(seeds)]
    return np.array(found) / len(X)


def main() -> None:
    """Print the table."""
    logging.getLogger("hmmlearn").setLevel(logging.ERROR)
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    print("| series | states | at least as high | mean, ours | mean, hmmlearn | least, ours | least, hmmlearn |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for name, X, K in series():
        for shape in ("diag", "full"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = ends(X, K, shape, seeds)
            as_high = int((found[:, 0] >= found[:, 1] - EQUAL).sum())
            numbers = " | ".join(f"{value:.4f}" for value in (*found.mean(axis=0), *found.min(axis=0)))
            print(f"| {name} | {K} {shape} | {as_high} of {seeds} | {numbers} |", flush=True)


if __name__ == "__main__":
    main()
