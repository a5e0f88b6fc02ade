"""Votes of the United States House of Representatives in 1984."""

from typing import Any

from parzen.datasets.table import classification

DESCR = """\
Congressional voting records of 1984
====================================

435 members of the United States House of Representatives and 16 key votes of the Congressional Quarterly Almanac (98th
Congress, second session): "y" for, "n" against, missing where the position is unknown.

Samples: 435. Features: 16 categories. Missing values: 392. Classes: democrat (267), republican (168).

Source: Congressional Voting Records (1987), UCI Machine Learning Repository, https://doi.org/10.24432/C5C01P; donated
by J. Schlimmer. Licence: Creative Commons Attribution 4.0 International (CC BY 4.0). Changes: a header line.
"""


def load_house_votes(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the congressional voting records of 1984: which party does a member belong to?

    435 members, 16 votes: categories with missing values.

    Parameters
    ----------
    return_X_y : bool
        Return ``(data, target)`` instead of a bunch.
    as_frame : bool
        Return pandas tables instead of arrays.

    Returns
    -------
    Bunch or tuple
        `data` of shape (435, 16), objects: "y", "n", NaN where missing; `target` of shape (435,), codes of
        `target_names`; `feature_names`; `frame`, data and target in one pandas table (None without `as_frame`);
        `DESCR`, the description with source and licence; `filename`.

    Examples
    --------
    >>> from parzen import CategoricalNB
    >>> from parzen.datasets import load_house_votes
    >>> votes = load_house_votes()
    >>> print(votes.data[0, :4], votes.target_names[votes.target[0]])
    ['n' 'y' 'n' 'y'] republican
    >>> CategoricalNB().fit(votes.data[:300], votes.target[:300]).score(votes.data[300:], votes.target[300:]) > 0.85
    True
    """
    classes = {"democrat": "democrat", "republican": "republican"}
    return classification(
        "house_votes_84.csv.gz", DESCR, target="class", classes=classes, return_X_y=return_X_y, as_frame=as_frame
    )
