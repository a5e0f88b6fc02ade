"""python -m benchmarks.false_discovery: how often rows of clean tables are flagged as outliers.

Tables without outliers are drawn from sixteen distributions, in several forms: numbers alone, with categories, with
rare categories, with missing cells. At a false discovery rate of 10% at most one clean table in ten may have flags:
every flag in it is a false one. Prints the percentage of tables with flags for each distribution and form, and exits
with 1 where one is above the rate by more than three standard errors.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from parzen import DensityOutlier

Draw = Callable[[np.random.Generator, int], np.ndarray]


def _correlated(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(size=n)  # correlated by `numbers`


def _bimodal(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(size=n) + 8.0 * (rng.random(n) < 0.3)


def _zero_inflated(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.where(rng.random(n) < 0.6, 0.0, rng.gamma(2.0, 1.0, n))


LAWS: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "correlated normal": _correlated,
    "uniform": lambda rng, n: rng.random(n),
    "bimodal": _bimodal,
    "exponential": lambda rng, n: rng.exponential(size=n),
    "gamma (shape 1/2)": lambda rng, n: rng.gamma(0.5, 1.0, n),
    "lognormal": lambda rng, n: rng.lognormal(size=n),
    "lognormal (sigma 2)": lambda rng, n: rng.lognormal(0.0, 2.0, n),
    "t, 3 degrees": lambda rng, n: rng.standard_t(3, n),
    "Laplace": lambda rng, n: rng.laplace(size=n),
    "Pareto (1.5)": lambda rng, n: rng.pareto(1.5, n),
    "Cauchy": lambda rng, n: rng.standard_cauchy(n),
    "Poisson counts": lambda rng, n: rng.poisson(3.0, n).astype(float),
    "negative binomial": lambda rng, n: rng.negative_binomial(1, 0.1, n).astype(float),
    "integers": lambda rng, n: rng.integers(0, 100, n).astype(float),
    "zero-inflated": _zero_inflated,
}


def numbers(law: str, rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Some columns of one law; independent, unless they are correlated normals."""
    X = np.column_stack([LAWS[law](rng, n) for _ in range(d)])
    return X + 1.5 * rng.normal(size=(n, 1)) if law == "correlated normal" else X


def category(rng: np.random.Generator, n: int, rare: bool) -> np.ndarray:
    """A column of text; with rare categories, some occur once or twice."""
    p = 1.0 / np.arange(1, 41) ** 2 if rare else np.array([0.5, 0.3, 0.2])
    return rng.choice([f"c{k}" for k in range(len(p))], n, p=p / p.sum())


def one_number(law: str, rng: np.random.Generator, n: int) -> Any:
    return numbers(law, rng, n, 1)


def several_numbers(law: str, rng: np.random.Generator, n: int) -> Any:
    return numbers(law, rng, n, int(rng.integers(2, 9)))


def number_and_category(law: str, rng: np.random.Generator, n: int) -> Any:
    return pd.DataFrame({"x": numbers(law, rng, n, 1)[:, 0], "kind": category(rng, n, False)})


def rare_categories(law: str, rng: np.random.Generator, n: int) -> Any:
    frame = pd.DataFrame(numbers(law, rng, n, int(rng.integers(1, 5)))).add_prefix("x")
    return frame.assign(kind=category(rng, n, True), other=category(rng, n, True))


def missing_cells(law: str, rng: np.random.Generator, n: int) -> Any:
    X = numbers(law, rng, n, int(rng.integers(2, 9)))
    return np.where(rng.random(X.shape) < 0.1, np.nan, X)


def mixed(law: str, rng: np.random.Generator, n: int) -> Any:
    """Numbers of this law and of others, categories that depend on them, and missing cells."""
    X = numbers(law, rng, n, int(rng.integers(1, 4)))
    frame = pd.DataFrame(np.where(rng.random(X.shape) < 0.05, np.nan, X)).add_prefix("x")
    for k, name in enumerate(rng.choice(list(LAWS), int(rng.integers(1, 4)))):
        frame[f"y{k}"] = numbers(name, rng, n, 1)[:, 0]
    above = np.where(X[:, 0] > np.median(X[:, 0]), "high", "low")
    return frame.assign(kind=np.where(rng.random(n) < 0.8, above, "other"), rare=category(rng, n, True))


FORMS: dict[str, Callable[[str, np.random.Generator, int], Any]] = {
    "one number": one_number,
    "2 to 8 numbers": several_numbers,
    "number and category": number_and_category,
    "rare categories": rare_categories,
    "missing cells": missing_cells,
    "mixed": mixed,
}


def tables(law: str, form: str, n: int, count: int) -> Iterator[Any]:
    """Clean tables, the same ones at every call."""
    for seed in range(count):
        yield FORMS[form](law, np.random.default_rng([list(LAWS).index(law), list(FORMS).index(form), n, seed]), n)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=100, help="of each distribution and form (default: 100)")
    parser.add_argument("--rows", type=int, nargs="+", default=[200, 1000])
    parser.add_argument("--fdr", type=float, default=0.1)
    asked = parser.parse_args()
    begin, failed, of_all = time.perf_counter(), [], []
    limit = 100 * (asked.fdr + 3 * np.sqrt(asked.fdr * (1 - asked.fdr) / asked.tables))
    for n in asked.rows:
        print(f"\n{n} rows: percentage of {asked.tables} clean tables with flags at a rate of {asked.fdr:.0%}\n")
        print("| distribution | " + " | ".join(FORMS) + " |\n|---|" + "---|" * len(FORMS))
        for law in LAWS:
            cells = []
            for form in FORMS:
                clean = tables(law, form, n, asked.tables)
                cells.append(
                    100 * float(np.mean([DensityOutlier().fit(X).flagged(fdr=asked.fdr).any() for X in clean]))
                )
                if cells[-1] > limit:
                    failed.append(f"{law}, {form}, {n} rows: {cells[-1]:.0f}%")
            of_all += cells
            print(f"| {law} | " + " | ".join(f"{cell:.0f}" for cell in cells) + " |", flush=True)
    print(f"\nall tables: {np.mean(of_all):.1f}%, {time.perf_counter() - begin:.0f} seconds")
    if failed:
        sys.exit(f"above {limit:.0f}%, the rate and three standard errors:\n  " + "\n  ".join(failed))


if __name__ == "__main__":
    main()
