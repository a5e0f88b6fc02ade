"""Naive Bayes over tables of mixed columns."""

from typing import Any, Self

from parzen.estimators.classify.classifier import LogOddsDecision
from parzen.estimators.classify.naive import NaiveClassifier
from parzen.families.auto_columns import AutoColumns
from parzen.families.family import Family
from parzen.families.product import apart, parts_of


class NaiveBayes(LogOddsDecision, NaiveClassifier):
    """Naive Bayes over a table of mixed columns: numbers, text, booleans, categories, counts, missing cells.

    Parameters
    ----------
    columns : "auto" or dict
        Families of columns, by name or position; of those that it doesn't name, chosen from what they hold (see
        `parzen.AutoColumns`).
    class_prior : sequence, dict or "uniform", optional
        By default the frequencies of the classes.
    unlabelled : optional
        What stands in y for a missing label, besides None and NaN.
    missing : "allow" or "error"
        Whether X may have missing cells.
    max_iter, tol : int, float
        Most steps, and least rise of the log-likelihood for each unit of weight, where labels are missing.

    Attributes
    ----------
    classes_, class_count_, class_prior_ : arrays of shape (K,)
    density_ : ProductDensity
    family_ : Product
        Which column has which family.

    Examples
    --------
    >>> import pandas as pd
    >>> from parzen import NaiveBayes
    >>> table = pd.DataFrame(
    ...     {"age": [31, 40, 52, None, 23, 64], "city": ["Oslo", "Lund", "Oslo", "Oslo", "Lund", "Graz"]}
    ... )
    >>> model = NaiveBayes().fit(table, ["no", "yes", "no", "no", "yes", "yes"])
    >>> model.predict(pd.DataFrame({"age": [30, None], "city": ["Lund", "Rome"]}))  # no training row is from Rome
    array(['yes', 'no'], dtype='<U3')
    >>> print(model.explain(table[:1]))
    log-odds of no against yes: +1.47
      prior        +0.00
      city = Oslo  +1.39
      age = 31     +0.08
    """

    _holds_families = True
    _fit_options = ("max_iter", "tol")

    def __init__(
        self,
        columns: Any = "auto",
        class_prior: Any = None,
        *,
        unlabelled: Any = None,
        missing: str = "allow",
        max_iter: int = 200,
        tol: float = 1e-7,
    ) -> None:
        self.columns = columns
        self.class_prior = class_prior
        self.unlabelled = unlabelled
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters; those of a column's family are named after it, as in ``income__bandwidth``."""
        return super().get_params(deep=False) | (parts_of(self.columns) if deep else {})

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a column's family by its name (``income=Kernel()``), its own as in ``income__bandwidth``."""
        params, whole = apart(self.columns, params)
        if whole:
            self.columns = {**self.columns, **whole}
        super().set_params(**params)
        return self

    def _family(self) -> Family:
        return AutoColumns(self.columns)
