"""Categorical naive Bayes, as scikit-learn's."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.device import is_device
from parzen.conjugate import Dirichlet
from parzen.densities.categorical import CategoricalDensity
from parzen.estimators.base.fitted import Fitted
from parzen.estimators.classify.discrete_nb import DiscreteNB, log_table
from parzen.families.categorical import Categorical
from parzen.families.family import Family
from parzen.statistics.counts import Counts
from parzen.tables.kinds import Columns
from parzen.tables.schema import bare_schema


class CategoricalNB(DiscreteNB):
    """Naive Bayes over columns of categories: a drop-in for scikit-learn's `CategoricalNB`.

    Cells are codes 0, 1, ... (NaN where missing; of a fraction, the whole part) and a column has as many categories as
    its largest code says; or they are text or anything else, and a column has the categories that it holds. An unseen
    category adds nothing at prediction.

    Parameters
    ----------
    alpha : float
        Smoothing: as if each category of each column had been seen alpha times more.
    force_alpha, fit_prior, class_prior : as of `BernoulliNB`
    min_categories : int or sequence of int, optional
        How many categories every column (or each) has at least, where cells are codes.

    Attributes
    ----------
    classes_, class_count_, class_prior_, class_log_prior_ : arrays of shape (K,)
    category_count_, feature_log_prob_ : lists of d arrays of shape (K, categories)
    n_categories_ : array of shape (d,)

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import CategoricalNB
    >>> model = CategoricalNB().fit([[0, 1], [0, 2], [1, 0], [1, 2]], ["a", "a", "b", "b"])
    >>> model.predict_proba([[0, 2], [7, np.nan]]).round(3)
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    >>> CategoricalNB().fit([["red"], ["blue"]], ["stop", "go"]).predict([["red"]])
    array(['stop'], dtype='<U4')
    """

    _made_of = ("feature_log_prob_",)
    density_: CategoricalDensity
    family_: Categorical
    statistic_: Counts

    def __init__(
        self, *, alpha: float = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None,
        min_categories: Any = None,
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories

    def _family(self) -> Family:
        alpha = self._smoothing()
        if np.ndim(alpha):
            raise ValueError(f"alpha must be one number for all categories, got {self.alpha!r}.")
        least: Any = None
        if self.min_categories is not None:
            given = np.asarray(self.min_categories)
            columns = getattr(self, "n_features_in_", given.size)
            if given.ndim > 1:
                raise ValueError(
                    f"'min_categories' should have shape ({columns},), one for each column, got {given.shape}."
                )
            if given.dtype.kind not in "iu" or (given < 1).any():
                raise ValueError(
                    f"'min_categories' should have integral type, at least 1, got {self.min_categories!r}."
                )
            least = int(given) if given.ndim == 0 else given.tolist()
            if given.ndim and given.size != columns:
                raise ValueError(f"'min_categories' should have shape ({columns},), one for each column, got {least}.")
        if not alpha:
            return Categorical(estimate="ml", unseen="missing", least=least)
        return Categorical(Dirichlet(alpha), unseen="missing", least=least)

    def _learn(self, columns: Columns, R: Any) -> None:
        if not columns.hold_numbers():
            super()._learn(columns, R)
        else:
            self.family_, self.schema_ = self.given_, bare_schema(columns.X)

    def _encoded(self, X: Any, grow: bool) -> Any:
        rows = super()._encoded(X, grow)
        return rows if self.family_.categories is not None else self._codes(rows)

    def _codes(self, rows: Any) -> Any:
        """Codes of a table of numbers: fractions are cut off, as scikit-learn does, and none may be negative."""
        if not rows.size:
            return rows
        if is_device(rows):
            rows = rows.trunc() if rows.dtype.kind == "f" else rows
            least = rows.min()
        else:
            rows = np.trunc(rows) if rows.dtype.kind == "f" else rows
            least = (np.min if rows.dtype.kind in "biu" else np.fmin.reduce)(rows, axis=None)
        if least < 0:
            raise ValueError(
                f"Negative values in data passed to CategoricalNB (input X): X holds {least:g}, but codes are 0, 1, "
                "..., and a missing cell is NaN."
            )
        return rows

    @property
    def n_categories_(self) -> NDArray[np.int64]:
        """How many categories each column has, (d,)."""
        return np.array([size - self.density_.open_ended for size in self.density_.sizes], dtype=np.int64)

    @property
    def category_count_(self) -> list[Array]:
        """Weight of each category of each column."""
        sizes = tuple(int(size) for size in self.n_categories_)
        return self.statistic_.resized(sizes).columns()

    @Fitted
    def feature_log_prob_(self) -> list[Array]:
        """Logs of the probabilities of the categories of each column."""
        return [column[:, :size] for column, size in zip(self.density_.columns(), self.n_categories_, strict=True)]

    def _density_of(self, *parameters: Any) -> CategoricalDensity:
        logs = [np.pad(log_table("feature_log_prob_", one), [(0, 0), (0, 1)]) for one in parameters[0]]
        return CategoricalDensity(np.concatenate(logs, axis=1), tuple(one.shape[1] for one in logs), True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical, tags.input_tags.positive_only = True, True
        return tags
