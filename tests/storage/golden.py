"""python -m tests.storage.golden FOLDER [MODEL ...]: golden files of models, families, statistics, with answers.

Written once for each version of the format, by the library of that version; never again. Models and families
that came later are named: their files and answers are added.
"""

import sys
import warnings
from pathlib import Path

import numpy as np

from parzen import save
from tests.storage.models import FAMILIES, MODELS, STATISTICS, answers, few, fitted, numbers_of


def written(folder: Path, name: str) -> dict[str, np.ndarray]:
    """The answers of a model whose file has been written."""
    model, rows = fitted(name)
    save(model, folder / f"{name.replace(' ', '_')}.parzen")
    return {
        f"{name.replace(' ', '_')}/{method}": array
        for method, found in answers(model, few(rows))
        if not isinstance(found, type) and (array := numbers_of(found)) is not None
    }


def add(folder: Path, names: list[str]) -> None:
    for name in names:
        if name in FAMILIES:
            assert not (folder / f"family_{name}.parzen").exists(), name
            save(FAMILIES[name][0], folder / f"family_{name}.parzen")
            continue
        assert not (folder / f"{name.replace(' ', '_')}.parzen").exists(), name
        np.savez_compressed(folder / f"{name.replace(' ', '_')}.npz", **written(folder, name))


def main(folder: Path) -> None:
    folder.mkdir(parents=True)
    told = {}
    for name in MODELS:
        told |= written(folder, name)
    for name, (family, _) in FAMILIES.items():
        save(family, folder / f"family_{name}.parzen")
    for name, statistic in STATISTICS.items():
        save(statistic, folder / f"statistic_{name}.parzen")
    np.savez_compressed(folder / "answers.npz", **told)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[2:]:
        add(Path(sys.argv[1]), sys.argv[2:])
    else:
        main(Path(sys.argv[1]))
