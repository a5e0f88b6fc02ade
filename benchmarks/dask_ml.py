"""The race against dask-ml: the same array of Dask, on its threads, by parzen and by dask-ml where that is installed.

Run ``python -m benchmarks.dask_ml [ROWS]`` (``pip install dask-ml`` first): ROWS x 20 float64 in ten blocks, and a
target of ten classes. Times are the better of three, in seconds: on the clock, and of processors; behind them a mean
of a class, and the inertia of a row (dask-ml's sums distances, not their squares).
"""

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import dask
import dask.array as da
import numpy as np

import parzen

COLUMNS, CLASSES, BLOCKS, STEPS = 20, 10, 10, 3


def table(n: int) -> tuple[Any, Any, np.ndarray]:
    """Rows about ten centres, their classes, and centres to begin from."""
    rng = np.random.default_rng(0)
    centre = rng.normal(0.0, 3.0, (CLASSES, COLUMNS))
    y = rng.integers(0, CLASSES, n)
    X = centre[y] + rng.standard_normal((n, COLUMNS))
    size = -(-n // BLOCKS)
    return da.from_array(X, chunks=(size, COLUMNS)), da.from_array(y, chunks=size), X[:CLASSES].copy()


def best(fit: Callable[[], Any], times: int = 3) -> tuple[float, float, Any]:
    """The better times of a few fits, and the last model."""
    wall, processor, model = np.inf, np.inf, None
    for _ in range(times):
        begun, used = time.perf_counter(), time.process_time()
        model = fit()
        wall, processor = min(wall, time.perf_counter() - begun), min(processor, time.process_time() - used)
    return wall, processor, model


def computed(model: Any) -> Any:
    """A naive Bayes of dask-ml, whose `fit` only plans, with the numbers that it planned."""
    model.theta_, model.sigma_, model.class_count_ = dask.compute(model.theta_, model.sigma_, model.class_count_)
    return model


def main() -> None:
    from dask_ml.cluster import KMeans
    from dask_ml.naive_bayes import GaussianNB

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="?", type=int, default=1_000_000)
    warnings.simplefilter("ignore")
    X, y, start = table(parser.parse_args().rows)
    labelled = da.concatenate([X, y[:, None].astype(np.float64)], axis=1)
    options: dict[str, Any] = {"init": start, "max_iter": STEPS, "tol": 0.0}
    jobs: dict[str, tuple[Callable[[], Any], Callable[[], Any], Callable[[Any], Any]]] = {
        "GaussianNB": (
            lambda: parzen.GaussianNB().fit(labelled, target=COLUMNS),
            lambda: computed(GaussianNB(classes=np.arange(CLASSES)).fit(X, y)),
            lambda model: np.asarray(model.theta_)[0, 0],
        ),
        "KMeans, three steps": (
            lambda: parzen.KMeans(CLASSES, n_init=1, **options).fit(X),
            lambda: KMeans(CLASSES, init_max_iter=1, **options).fit(X),
            lambda model: float(model.inertia_) / len(X),
        ),
    }
    for job, (ours, theirs, told) in jobs.items():
        (wall, processor, mine), (their_wall, theirs_processor, other) = best(ours), best(theirs)
        print(
            f"{job}: {wall:.3f} s (processors {processor:.3f}), dask-ml {their_wall:.3f} s ({theirs_processor:.3f}): "
            f"{their_wall / wall:.1f}x; {told(mine):.6f} and {told(other):.6f}"
        )


if __name__ == "__main__":
    main()
