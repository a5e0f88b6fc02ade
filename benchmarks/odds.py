"""python -m benchmarks.odds FOLDER: outlier detection on labelled data sets, by our detectors and by PyOD's.

FOLDER holds .npz files with X and y (1: outlier). Columns are standardised for all; of sets above 100,000 rows, 50,000
are drawn. Each detector has its default parameters and scores the rows that it was fitted to. Prints a table of ROC AUC
and average precision, in percent. PyOD's KDE needs half an hour for the largest sets; --skip-slow leaves it out above
20,000 rows, and its mean is then over the others.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from pyod.models.gmm import GMM
from pyod.models.hbos import HBOS
from pyod.models.kde import KDE
from pyod.models.lof import LOF
from sklearn.metrics import average_precision_score, roc_auc_score

from parzen import DensityOutlier, LocalDensityFactor

Detector = Callable[[np.ndarray], np.ndarray]
DETECTORS: dict[str, Detector] = {
    "DensityOutlier": lambda X: -DensityOutlier().fit(X).scores_,
    "LocalDensityFactor": lambda X: -LocalDensityFactor().fit(X).negative_outlier_factor_,
    "PyOD KDE": lambda X: KDE().fit(X).decision_scores_,
    "PyOD GMM": lambda X: GMM(random_state=0).fit(X).decision_scores_,
    "PyOD HBOS": lambda X: HBOS().fit(X).decision_scores_,
    "PyOD LOF": lambda X: LOF().fit(X).decision_scores_,
}


def read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    with np.load(path) as data:
        X, y = data["X"].astype(np.float64), data["y"].astype(int)
    if len(X) > 100_000:
        some = np.random.default_rng(0).choice(len(X), 50_000, replace=False)
        X, y = X[some], y[some]
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), y


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--skip-slow", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    results: dict[str, list[tuple[float, float, float] | None]] = {name: [] for name in DETECTORS}
    print("| set | rows x columns | " + " | ".join(DETECTORS) + " |\n|---|---|" + "---|" * len(DETECTORS))
    for path in sorted(asked.folder.glob("*.npz")):
        X, y = read(path)
        cells = []
        for name, detect in DETECTORS.items():
            if asked.skip_slow and name == "PyOD KDE" and len(X) > 20_000:
                results[name].append(None)
                cells.append("")
                continue
            begin = time.perf_counter()
            scores = np.nan_to_num(detect(X), nan=0.0, posinf=1e300)
            seconds = time.perf_counter() - begin
            found = 100 * roc_auc_score(y, scores), 100 * average_precision_score(y, scores), seconds
            results[name].append(found)
            cells.append(f"{found[0]:.1f} / {found[1]:.1f}")
        print(f"| {path.stem} | {X.shape[0]} x {X.shape[1]} | " + " | ".join(cells) + " |", flush=True)
    for title, pick in (("mean", slice(0, 2)), ("seconds", slice(2, 3))):
        cells = []
        for found in results.values():
            known = np.array([one[pick] for one in found if one is not None])
            numbers = known.mean(axis=0) if title == "mean" else known.sum(axis=0)
            cells.append(" / ".join(f"{number:.1f}" for number in numbers))
        print(f"| **{title}** | | " + " | ".join(f"**{cell}**" for cell in cells) + " |")


if __name__ == "__main__":
    main()
