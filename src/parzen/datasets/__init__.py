"""Small real tables that come with the library, loaded in scikit-learn's manner.

Each loader returns a `sklearn.utils.Bunch` with the data, the target, their names and a description (`DESCR`) that
states source and licence. Categories are text and missing values are NaN. Arrays need nothing but NumPy;
``as_frame=True`` returns pandas tables.
"""

from parzen.datasets.adult import load_adult
from parzen.datasets.catalogue import names
from parzen.datasets.heart_disease import load_heart_disease
from parzen.datasets.house_votes import load_house_votes
from parzen.datasets.mushroom import load_mushroom
from parzen.datasets.nist_univariate import load_nist_univariate
from parzen.datasets.spambase import load_spambase
from parzen.datasets.toronto_temperatures import load_toronto_temperatures

__all__ = [
    "load_adult",
    "load_heart_disease",
    "load_house_votes",
    "load_mushroom",
    "load_nist_univariate",
    "load_spambase",
    "load_toronto_temperatures",
    "names",
]
