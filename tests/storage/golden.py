"""python -m tests.storage.golden FOLDER: golden files of the models, families and statistics, with their answers.

Written once for each version of the format, by the library of that version; never again.
"""

import sys
import warnings
from pathlib import Path

import numpy as np

from parzen import save
from tests.storage.models import FAMILIES, MODELS, STATISTICS, answers, few, fitted, numbers_of


def main(folder: Path) -> None:
    folder.mkdir(parents=True)
    told = {}
    for name in MODELS:
        model, rows = fitted(name)
        save(model, folder / f"{name.replace(' ', '_')}.parzen")
        told |= {
            f"{name.replace(' ', '_')}/{method}": array
            for method, found in answers(model, few(rows))
            if not isinstance(found, type) and (array := numbers_of(found)) is not None
        }
    for name, (family, _) in FAMILIES.items():
        save(family, folder / f"family_{name}.parzen")
    for name, statistic in STATISTICS.items():
        save(statistic, folder / f"statistic_{name}.parzen")
    np.savez_compressed(folder / "answers.npz", **told)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(Path(sys.argv[1]))
