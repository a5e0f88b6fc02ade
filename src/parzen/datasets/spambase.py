"""Spambase: frequencies of words in electronic mail."""

from typing import Any

from parzen.datasets.table import classification

DESCR = """\
Spambase
========

4,601 letters that came to one office of Hewlett-Packard: 48 frequencies of words and 6 of characters (percent of all),
and the average, longest and total length of runs of capitals. Predict whether a letter is spam.

Samples: 4,601. Features: 57 numbers. Missing values: none. Classes: not spam (2,788), spam (1,813).

Source: M. Hopkins, E. Reeber, G. Forman and J. Suermondt (1999), Spambase, UCI Machine Learning Repository,
https://doi.org/10.24432/C53G6X. Licence: Creative Commons Attribution 4.0 International (CC BY 4.0). Changes: a header
line.
"""


def load_spambase(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the Spambase data: is a letter spam?

    4,601 letters, 57 features, all of them numbers, without missing values.

    Parameters
    ----------
    return_X_y : bool
        Return ``(data, target)`` instead of a bunch.
    as_frame : bool
        Return pandas tables instead of arrays.

    Returns
    -------
    Bunch or tuple
        `data` of shape (4601, 57); `target` of shape (4601,), codes of `target_names`; `feature_names`; `frame`, data
        and target in one pandas table (None without `as_frame`); `DESCR`, the description with source and licence;
        `filename`.

    Examples
    --------
    >>> from parzen import LinearDiscriminantAnalysis
    >>> from parzen.datasets import load_spambase
    >>> X, y = load_spambase(return_X_y=True)
    >>> LinearDiscriminantAnalysis().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.85
    True
    """
    classes = {0: "not spam", 1: "spam"}
    return classification(
        "spambase.csv.bz2", DESCR, target="spam", classes=classes, return_X_y=return_X_y, as_frame=as_frame
    )
