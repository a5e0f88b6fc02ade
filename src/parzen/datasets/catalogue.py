"""The data sets by name."""

from collections.abc import Callable
from typing import Any

from parzen.datasets.adult import load_adult
from parzen.datasets.heart_disease import load_heart_disease
from parzen.datasets.house_votes import load_house_votes
from parzen.datasets.mushroom import load_mushroom
from parzen.datasets.nist_univariate import load_nist_univariate
from parzen.datasets.spambase import load_spambase
from parzen.datasets.toronto_temperatures import load_toronto_temperatures

#: Every data set: its file in the folder `data`, a module with its loader, and a line here.
LOADERS: dict[str, Callable[..., Any]] = {
    "adult": load_adult,
    "heart_disease": load_heart_disease,
    "house_votes": load_house_votes,
    "mushroom": load_mushroom,
    "nist_univariate": load_nist_univariate,
    "spambase": load_spambase,
    "toronto_temperatures": load_toronto_temperatures,
}


def names() -> list[str]:
    """Names of the data sets, in alphabetical order; ``load_NAME`` loads one.

    Examples
    --------
    >>> from parzen import datasets
    >>> datasets.names()
    ['adult', 'heart_disease', 'house_votes', 'mushroom', 'nist_univariate', 'spambase', 'toronto_temperatures']
    """
    return sorted(LOADERS)
