"""Decisions: from posterior probabilities and a loss to the action of least expected loss."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array, named
from parzen.compute.device import is_device, routine
from parzen.compute.device.array import arriving
from parzen.decisions.losses import NAMES, bayes_action, bayes_risk, loss_at
from parzen.decisions.probabilities import class_probabilities
from parzen.decisions.thresholds import bayes_threshold

#: Rows whose risks are in cache together.
ROWS = 16_384


@dataclass(frozen=True, eq=False)
class Decision:
    r"""The decision of least expected loss :math:`\sum_k L_{ak} p_k`, given probabilities of the classes.

    Parameters
    ----------
    loss : array of shape (actions, classes), or str
        ``loss[action, class]``; or by name: "zero_one" (the most probable class), "squared" (the posterior mean),
        "absolute" (the posterior median), "quantile" (the posterior quantile at `level`), of classes that are numbers;
        "log" (the probabilities themselves).
    actions : sequence, optional
        Names of the actions; by default the classes, where there are as many.
    classes : sequence, optional
        Names of the classes; by default 0, 1, ...
    abstain : float, optional
        Cost of one more action, which is to abstain: the same for every class.
    abstention : the name of that action
    level : float
        Of "quantile".

    Examples
    --------
    >>> import numpy as np
    >>> spam = Decision([[0, 1], [20, 0]], classes=["letter", "spam"])       # a letter lost is 20 times worse
    >>> round(spam.threshold(), 4)
    0.9524
    >>> spam.act([[0.1, 0.9], [0.01, 0.99]])
    array(['letter', 'spam'], dtype='<U6')
    >>> Decision("zero_one", abstain=0.3).act([[0.9, 0.1], [0.6, 0.4]])
    array([0, 'abstain'], dtype=object)
    """

    loss: Any = "zero_one"
    actions: Sequence[Any] | None = None
    classes: Any = None
    abstain: float | None = None
    abstention: Any = "abstain"
    level: float = 0.5

    def __post_init__(self) -> None:
        if isinstance(self.loss, str):
            if self.loss not in NAMES:
                raise ValueError(f"loss must be an array or one of {', '.join(map(repr, NAMES))}, got {self.loss!r}.")
        else:
            matrix = np.asarray(self.loss, dtype=np.float64)
            if matrix.ndim != 2 or not matrix.size:
                raise ValueError(f"loss must have two dimensions, loss[action, class], got shape {matrix.shape}.")
            if not np.isfinite(matrix).all():
                raise ValueError("loss must be finite, but it holds NaN or infinity; leave out forbidden actions.")
            object.__setattr__(self, "loss", matrix)
        if self.abstain is not None and not (isinstance(self.abstain, Real) and 0 <= self.abstain < np.inf):
            raise ValueError(f"abstain must be a cost, a finite number of at least 0, got {self.abstain!r}.")
        if self.abstain is not None and self.is_continuous:
            raise ValueError(f"abstain is for a finite list of actions, and those of loss={self.loss!r} are numbers.")
        if not isinstance(self.level, Real) or not 0 < self.level < 1:
            raise ValueError(f"level must lie between 0 and 1, got {self.level!r}.")

    @property
    def is_continuous(self) -> bool:
        """Whether an action is any number (or the probabilities), not one of a finite list."""
        return isinstance(self.loss, str) and self.loss != "zero_one"

    def n_classes(self) -> int:
        """Number of classes, or an error where they are not given."""
        if self.classes is None:
            raise ValueError("decision must know its classes: Decision(loss, classes=[...]).")
        return len(self.classes)

    def class_names(self, K: int) -> NDArray[Any]:
        """Names of K classes, or an error where others are given."""
        names = np.arange(K) if self.classes is None else as_names(self.classes)
        if len(names) != K:
            raise ValueError(f"there are {K} columns of probabilities, but {len(names)} classes {names.tolist()}.")
        return names

    def class_values(self, K: int) -> Array | None:
        """The K classes as numbers, which are what a continuous action is compared with; None with "log"."""
        if self.loss == "log":
            return None
        names = self.class_names(K)
        if names.dtype.kind not in "biuf":
            raise ValueError(f"loss={self.loss!r} is for classes that are numbers, got {names.tolist()}.")
        return names.astype(np.float64)

    def action_names(self, K: int) -> NDArray[Any]:
        """Names of the actions, in the order of `matrix`."""
        count = len(self.matrix(K)) - (self.abstain is not None)
        names: Any = self.actions
        if names is None:
            names = self.class_names(K) if count == K else np.arange(count)
        if len(names) != count:
            raise ValueError(f"loss has {count} rows, but there are {len(names)} actions {list(names)}; one row each.")
        names = as_names(names) if self.abstain is None else as_names([*as_names(names).tolist(), self.abstention])
        if len(set(names.tolist())) < len(names):
            raise ValueError(f"actions must have different names, got {names.tolist()}.")
        return names

    def matrix(self, K: int) -> Array:
        """The loss of every action and class, (A, K); where abstaining is allowed, it is the last action."""
        names = self.class_names(K)
        if self.is_continuous:
            raise ValueError(f"loss={self.loss!r} has no matrix: its action is a number.")
        loss = 1.0 - np.eye(K) if isinstance(self.loss, str) else self.loss
        if loss.shape[1] != K:
            raise ValueError(
                f"loss has {loss.shape[1]} columns, but there are {K} classes {names.tolist()}; give one column per "
                "class: loss[action, class]."
            )
        return loss if self.abstain is None else np.concatenate([loss, np.full((1, K), float(self.abstain))])

    def risk(self, posterior: ArrayLike, loss: ArrayLike | None = None) -> Array:
        """Expected loss of each action, (n, A); of the best one, (n,), where an action is a number.

        Parameters
        ----------
        posterior : array of shape (n, K)
        loss : array of shape (n, A, K), optional
            Losses of each row, in the place of the common ones.
        """
        P = class_probabilities(posterior)
        if self.is_continuous:
            self._refuse_row_losses(loss)
            return bayes_risk(self.loss, self.level, P, self.class_values(P.shape[1]))
        if loss is not None:
            return self._risk_by_row(P, loss)
        return P @ self.matrix(P.shape[1]).T

    def act(self, posterior: ArrayLike, loss: ArrayLike | None = None) -> NDArray[Any]:
        """The action of least expected loss for each row, the first of equals; parameters as in `risk`.

        Of probabilities that are a tensor, a tensor on their device.
        """
        rows, leaving = arriving(posterior)
        if is_device(rows):
            found = self._act_there(rows, loss)
            return found if leaving is None else leaving(found)
        P = class_probabilities(posterior)
        K = P.shape[1]
        if self.is_continuous:
            self._refuse_row_losses(loss)
            return bayes_action(self.loss, self.level, P, self.class_values(K))
        names = self.action_names(K)
        if loss is not None:
            return names[self._risk_by_row(P, loss).argmin(axis=1)]
        if isinstance(self.loss, str) and self.abstain is None:
            return names[P.argmax(axis=1)]
        table, best = self.matrix(K).T, np.empty(len(P), dtype=np.intp)
        for first in range(0, len(P), ROWS):
            (P[first : first + ROWS] @ table).argmin(axis=1, out=best[first : first + ROWS])
        return names[best]

    def _act_there(self, P: Any, loss: Any) -> Any:
        """Actions of a finite list, for probabilities on a device."""
        if self.is_continuous or loss is not None or P.ndim != 2:
            raise P.stays_there()
        plain = isinstance(self.loss, str) and self.abstain is None
        names = self.action_names(P.shape[1])
        return named(names, routine("least_risk")(P, None if plain else self.matrix(P.shape[1])))

    def threshold(self) -> Any:
        """With two classes, the probability of the second above which the second action is taken.

        With more actions (abstaining), the probabilities at which the best one changes, in order.
        """
        if self.is_continuous:
            raise ValueError(f"loss={self.loss!r} has no threshold: its action is a number.")
        return bayes_threshold(self.matrix(2))

    def cost(self, y: Array, action: Array) -> Array:
        """Loss of each action that is a number, where the class is y, (n,)."""
        return loss_at(self.loss, self.level, y, action)

    def _risk_by_row(self, P: Array, loss: ArrayLike) -> Array:
        L = np.asarray(loss, dtype=np.float64)
        wanted = (*P.shape[:1], len(self.matrix(P.shape[1])), P.shape[1])
        if self.abstain is not None and L.ndim == 3 and L.shape[1] == wanted[1] - 1:
            L = np.concatenate([L, np.full((len(L), 1, L.shape[2]), float(self.abstain))], axis=1)
        if L.shape != wanted:
            raise ValueError(f"losses of each row must have shape (rows, actions, classes) {wanted}, got {L.shape}.")
        if not np.isfinite(L).all():
            raise ValueError("losses of each row must be finite, but one is NaN or infinite.")
        return np.einsum("nak,nk->na", L, P)

    def _refuse_row_losses(self, loss: Any) -> None:
        if loss is not None:
            raise ValueError(f"losses of each row are for a loss that is a matrix, and this one is {self.loss!r}.")


def as_names(names: Any) -> NDArray[Any]:
    """Names as an array that keeps their types: text beside numbers stays text, and numbers stay numbers."""
    if isinstance(names, np.ndarray):
        return names
    listed = list(names)
    mixed = len({isinstance(name, str) for name in listed}) > 1 or len({isinstance(name, bool) for name in listed}) > 1
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array if mixed else np.asarray(listed)
