"""python -m benchmarks.naive_columns [FOLDER]: naive Bayes with Gaussians, and with densities that fit.

Both are `NaiveBayes`, on tables that come along with parzen and scikit-learn, and on those of FOLDER: .csv.gz files
that `TABLES` names, and .npz files in FOLDER/odds with X and y. Prints the accuracy and the log loss (nats) of held-out
rows, in five folds, and the difference of the log losses with a 95% interval over the rows.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn.datasets
from sklearn.model_selection import StratifiedKFold

from parzen import Family, NaiveBayes, datasets
from parzen.families.auto_columns import FAMILIES
from parzen.tables.kinds import NUMERIC, Column, family_kind

#: Tables of FOLDER: the file, its target, and columns that are left out.
TABLES = {
    "banknote": ("mclust_banknote.csv.gz", "Status", ()),
    "nsl-kdd (normal or not)": ("nsl_kdd_test21.csv.gz", "label", ("#correctly_predicted",)),
}
ODDS = (
    "annthyroid", "breastw", "cardio", "glass", "ionosphere", "mammography", "pima", "shuttle", "thyroid", "vertebral",
)  # fmt: skip


def tables(folder: Path | None) -> Iterator[tuple[str, pd.DataFrame, np.ndarray]]:
    """Names, columns and classes of the tables."""
    for name in ("adult", "spambase", "heart_disease"):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True, as_frame=True)
        yield name, X, np.asarray(y)
    for name in ("breast_cancer", "digits", "iris", "wine"):
        found = getattr(sklearn.datasets, f"load_{name}")()
        yield name, pd.DataFrame(found.data), found.target
    for name, (file, target, left_out) in TABLES.items() if folder else ():
        table = pd.read_csv(folder / file).drop(columns=list(left_out))
        y = table.pop(target).to_numpy()
        yield name, table, np.where(y == "normal", "normal", "attack") if "normal or not" in name else y
    for name in ODDS if folder else ():
        with np.load(folder / "odds" / f"{name}.npz") as data:
            yield name, pd.DataFrame(data["X"].astype(np.float64)), data["y"].astype(int)


def usual_families(X: pd.DataFrame) -> dict[int, Family]:
    """A Gaussian for every number, and Poisson for counts."""
    kinds = {j: family_kind(Column(X.iloc[:, j]), name) for j, name in enumerate(X.columns)}
    return {j: FAMILIES[kind] for j, kind in kinds.items() if kind in NUMERIC}


def held_out(columns: Any, X: pd.DataFrame, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whether each held-out row was predicted right, and its log loss; `columns` is a parameter or makes one."""
    right, loss = np.zeros(len(codes)), np.zeros(len(codes))
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, codes):
        given = columns(X.iloc[train]) if callable(columns) else columns
        logs = NaiveBayes(given).fit(X.iloc[train], codes[train]).predict_log_proba(X.iloc[test])
        right[test] = logs.argmax(axis=1) == codes[test]
        loss[test] = -np.maximum(logs[np.arange(len(test)), codes[test]], -50.0)
    return right, loss


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    asked = parser.parse_args()
    print("| table | rows x columns | accuracy, Gaussian | accuracy | log loss, Gaussian | log loss | difference |")
    print("|---|---|---|---|---|---|---|")
    for name, X, y in tables(asked.folder):
        codes = np.unique(y, return_inverse=True)[1]
        (before, loss), (after, lower) = held_out(usual_families, X, codes), held_out("auto", X, codes)
        difference = lower - loss
        error = 1.96 * difference.std() / np.sqrt(len(codes))
        print(
            f"| {name} | {X.shape[0]} x {X.shape[1]} | {before.mean():.3f} | {after.mean():.3f} | {loss.mean():.3f} | "
            f"{lower.mean():.3f} | {difference.mean():+.3f} ± {error:.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
