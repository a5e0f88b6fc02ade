"""South African heart disease."""

from typing import Any

from parzen.datasets.table import classification

DESCR = """\
South African heart disease
===========================

462 men of a high-risk region of the Western Cape, about two controls for each case of coronary heart disease: a part of
the data of Rousseauw et al. (1983).

Samples: 462. Features: 9 numbers. Missing values: none. Classes: absent (302), present (160).

- sbp: systolic blood pressure
- tobacco: tobacco smoked in all, in kg
- ldl: low-density lipoprotein cholesterol
- adiposity
- famhist: 1 where there is a family history of heart disease, else 0
- typea: type-A behaviour
- obesity
- alcohol: current consumption
- age: age at onset

Source: the data of T. Hastie, R. Tibshirani and J. Friedman, The Elements of Statistical Learning, section 4.4.2,
where they are analysed by logistic regression. No licence is stated. Changes: famhist as 0 and 1.

J. Rousseauw, J. du Plessis, A. Benade, P. Jordaan, J. Kotze, P. Jooste and J. Ferreira (1983), Coronary risk factor
screening in three rural communities, South African Medical Journal 64, 430-436.
"""


def load_heart_disease(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the South African heart disease data: which risk factors go with coronary heart disease?

    462 men, 9 features, all of them numbers, without missing values.

    Parameters
    ----------
    return_X_y : bool
        Return ``(data, target)`` instead of a bunch.
    as_frame : bool
        Return pandas tables instead of arrays.

    Returns
    -------
    Bunch or tuple
        `data` of shape (462, 9); `target` of shape (462,), codes of `target_names`; `feature_names`; `frame`, data and
        target in one pandas table (None without `as_frame`); `DESCR`, the description with source; `filename`.

    Examples
    --------
    >>> from parzen import LogisticRegression
    >>> from parzen.datasets import load_heart_disease
    >>> table = load_heart_disease(as_frame=True)
    >>> X = table.data[["sbp", "tobacco", "ldl", "famhist", "obesity", "alcohol", "age"]]
    >>> LogisticRegression(C=float("inf"), tol=1e-8).fit(X, table.target).coef_[0, 1:4].round(2)  # ESL, table 4.2
    array([0.08, 0.18, 0.94])
    """
    classes = {0: "absent", 1: "present"}
    return classification(
        "saheart.csv.gz", DESCR, target="chd", classes=classes, return_X_y=return_X_y, as_frame=as_frame
    )
