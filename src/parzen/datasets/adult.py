"""Adult: incomes of the census of 1994."""

from typing import Any

from parzen.datasets.table import classification

DESCR = """\
Adult (Census Income)
=====================

32,561 people of the United States census of 1994: the training part of the set. Predict whether a person earns more
than 50,000 dollars a year.

Samples: 32,561. Features: 14, of which 6 numbers and 8 categories. Missing values: workclass 1,836, occupation 1,843,
native-country 583. Classes: <=50K (24,720), >50K (7,841).

`fnlwgt` is the number of people whom the census takes a person to represent; `education-num` is `education` in order.

Source: B. Becker and R. Kohavi (1996), Adult, UCI Machine Learning Repository, https://doi.org/10.24432/C5XW20.
Licence: Creative Commons Attribution 4.0 International (CC BY 4.0). Changes: a header line, "?" marks missing values.

R. Kohavi (1996), Scaling up the accuracy of naive-Bayes classifiers: a decision-tree hybrid, KDD-96, 202-207.
"""


def load_adult(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the Adult census data: does a person earn more than 50,000 dollars a year?

    32,561 people, 14 features: numbers and categories, with missing values.

    Parameters
    ----------
    return_X_y : bool
        Return ``(data, target)`` instead of a bunch.
    as_frame : bool
        Return pandas tables instead of arrays.

    Returns
    -------
    Bunch or tuple
        `data` of shape (32561, 14), objects: numbers and text, NaN where missing; `target` of shape (32561,), codes of
        `target_names`; `feature_names`; `frame`, data and target in one pandas table (None without `as_frame`);
        `DESCR`, the description with source and licence; `filename`.

    Examples
    --------
    >>> from parzen import NaiveBayes
    >>> from parzen.datasets import load_adult
    >>> X, y = load_adult(return_X_y=True, as_frame=True)
    >>> NaiveBayes().fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) > 0.8
    True
    """
    classes = {"<=50K": "<=50K", ">50K": ">50K"}
    return classification(
        "adult.csv.bz2", DESCR, target="income", classes=classes, return_X_y=return_X_y, as_frame=as_frame
    )
