"""python -m benchmarks.small_tables [names]: every drop-in and its original, fitted to small tables and asked.

Iris (150 x 4) and breast cancer (569 x 30): what teaching, tests and searches over parameters do all day. The time
there is that of Python around the computation. The two are called in turn; a time is the least of many, since all that
disturbs a call of a millisecond makes it longer.
"""

import logging
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import hmmlearn.hmm
import numpy as np
import scipy.stats
import sklearn.cluster
import sklearn.discriminant_analysis
import sklearn.linear_model
import sklearn.mixture
import sklearn.naive_bayes
import sklearn.neighbors
from sklearn.datasets import load_breast_cancer, load_iris

import parzen
from benchmarks.harness import Row

PROBABILITIES = ("predict", "predict_proba")


@dataclass(frozen=True)
class Case:
    """A drop-in, where its original lives, its options, what is asked of it after a fit, and what the cells must be."""

    name: str
    module: Any
    options: dict[str, Any] = field(default_factory=dict)
    asked: tuple[str, ...] = PROBABILITIES
    cells: str = "as they are"
    labels: bool = True

    @property
    def title(self) -> str:
        return f"{self.name}({', '.join(f'{name}={value!r}' for name, value in self.options.items())})"


def _discriminants() -> Iterator[Case]:
    module = sklearn.discriminant_analysis
    for solver in ("svd", "lsqr", "eigen"):
        asked = ("predict", "predict_proba", "decision_function")
        asked = asked if solver == "lsqr" else (*asked, "transform")
        yield Case("LinearDiscriminantAnalysis", module, {"solver": solver}, asked)
    # The default tol of the original refuses the second table, whose columns have small units.
    yield Case("QuadraticDiscriminantAnalysis", module, {"tol": 0.0}, ("predict", "predict_proba", "decision_function"))


def cases() -> Iterator[Case]:
    """Every drop-in that this version has."""
    seeded = {"random_state": 0}
    groups = {"n_components": 3, **seeded}
    sequence = {"asked": ("predict", "score"), "labels": False}
    for name in ("GaussianNB", "BernoulliNB", "MultinomialNB", "ComplementNB"):
        yield Case(name, sklearn.naive_bayes)
    yield Case("CategoricalNB", sklearn.naive_bayes, cells="codes")
    yield from _discriminants()
    yield Case("LogisticRegression", sklearn.linear_model, cells="standardised")
    yield Case("LogisticRegressionCV", sklearn.linear_model, {"Cs": 3, "cv": 3}, ("predict",), "standardised")
    yield Case("KernelDensity", sklearn.neighbors, {"bandwidth": 0.5}, ("score_samples",), labels=False)
    yield Case("KMeans", sklearn.cluster, {"n_clusters": 3, **seeded}, ("predict", "transform"), labels=False)
    yield Case("MiniBatchKMeans", sklearn.cluster, {"n_clusters": 3, **seeded}, ("predict",), labels=False)
    for shape in ("full", "diag"):
        options = {**groups, "covariance_type": shape}
        yield Case("GaussianMixture", sklearn.mixture, options, ("predict", "score_samples"), "standardised", False)
    yield Case("BayesianGaussianMixture", sklearn.mixture, groups, ("predict",), "standardised", labels=False)
    yield Case("GaussianHMM", hmmlearn.hmm, groups, **sequence)
    yield Case("GMMHMM", hmmlearn.hmm, {**groups, "n_mix": 2}, **sequence)
    yield Case("CategoricalHMM", hmmlearn.hmm, groups, cells="a column of codes", **sequence)
    yield Case("PoissonHMM", hmmlearn.hmm, groups, cells="codes", **sequence)
    yield Case("MultinomialHMM", hmmlearn.hmm, groups, cells="codes", **sequence)


def table_for(case: Case, X: Any) -> Any:
    """A table whose cells the model takes."""
    if case.cells == "standardised":
        return (X - X.mean(axis=0)) / X.std(axis=0)
    if case.cells == "as they are":
        return X
    codes = np.clip(np.round(X), 0, 20).astype(np.int64)
    return codes if case.cells == "codes" else codes[:, :1]


def least_times(functions: tuple[Callable[[], Any], ...], seconds: float = 0.4, most: int = 200) -> list[float]:
    """The least of many times of each function in ms, called in turn, warm."""
    for function in functions:
        function()
    least, end, calls = [np.inf] * len(functions), time.perf_counter() + seconds, 0
    while calls < 5 or (calls < most and time.perf_counter() < end):
        for i, function in enumerate(functions):
            begin = time.perf_counter()
            function()
            least[i] = min(least[i], 1e3 * (time.perf_counter() - begin))
        calls += 1
    return least


def measured(case: Case, X: Any, y: Any) -> Iterator[tuple[str, float, float]]:
    """What is asked of a model, our time and the original's: first of a fit, then of the fitted ones."""
    X = table_for(case, X)
    ours, theirs = (getattr(module, case.name)(**case.options) for module in (parzen, case.module))
    given = (X, y) if case.labels else (X,)
    mine, other = least_times((lambda: ours.fit(*given), lambda: theirs.fit(*given)))
    yield "fit", mine, other
    for method in case.asked:
        mine, other = least_times((lambda: getattr(ours, method)(X), lambda: getattr(theirs, method)(X)))  # noqa: B023
        yield method, mine, other


def gaussian_kde(X: Any) -> Iterator[tuple[str, float, float]]:
    """The same of SciPy's class, whose rows are columns and which is fitted when it is made."""
    points = X[:, :2].T
    ours, theirs = parzen.gaussian_kde(points), scipy.stats.gaussian_kde(points)
    yield "fit", *least_times((lambda: parzen.gaussian_kde(points), lambda: scipy.stats.gaussian_kde(points)))
    yield "evaluate", *least_times((lambda: ours(points), lambda: theirs(points)))


def results(names: tuple[str, ...] = ()) -> Iterator[tuple[str, str, str, float, float]]:
    """Model, table, what it does, our time, the original's."""
    logging.getLogger("hmmlearn").setLevel(logging.ERROR)  # which says at each fit that there was one before
    logging.getLogger("parzen").setLevel(logging.ERROR)
    tables = {"150 x 4": load_iris(return_X_y=True), "569 x 30": load_breast_cancer(return_X_y=True)}
    for case in cases():
        if (names and case.name not in names) or not hasattr(parzen, case.name):
            continue
        for table, (X, y) in tables.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for row in measured(case, X, y):
                    yield case.title, table, *row
    for table, (X, _) in tables.items() if not names or "gaussian_kde" in names else ():
        for row in gaussian_kde(X):
            yield "gaussian_kde()", table, *row


def rows() -> Iterator[Row]:
    """The same for `benchmarks.run`, one target for all: no slower than the original."""
    for title, table, what, ours, theirs in results():
        yield Row(f"{title}.{what}, {table}", "the original", ours, theirs, None, None, 1.0)


def main() -> None:
    """Print the table; what is slower than its original is marked."""
    print("| model | table | | ours, ms | original, ms | ratio |")
    print("| --- | --- | --- | ---: | ---: | ---: |")
    for title, table, what, ours, theirs in results(tuple(sys.argv[1:])):
        mark = " slower" if ours > theirs else ""
        print(f"| {title} | {table} | {what} | {ours:.3f} | {theirs:.3f} | {theirs / ours:.2f}x{mark} |", flush=True)


if __name__ == "__main__":
    main()
