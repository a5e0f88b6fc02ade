"""Decisions: from posteriors and a loss to the action that loses least."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array

NAMED = ("zero_one", "squared", "absolute", "log", "quantile")

#: Rows whose risks are in cache together.
ROWS = 16_384


@dataclass(frozen=True, eq=False)
class Decision:
    r"""What to do, given probabilities: the action whose expected loss :math:`\sum_k L_{ak} p_k` is least.

    Parameters
    ----------
    loss : array of shape (actions, classes), or str
        ``loss[action, class]``; or by name: "zero_one" (the likeliest class), "squared" (the posterior's mean),
        "absolute" (its median), "quantile" (its quantile at `level`), of classes that are numbers; "log" (the
        probabilities themselves).
    actions : sequence, optional
        Names of the actions; by default the classes, where there are as many.
    classes : sequence, optional
        Names of the classes; by default 0, 1, ...
    abstain : float, optional
        Cost of one more action, which is to abstain: the same for every class.
    abstention : what that action is called
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
            if self.loss not in NAMED:
                raise ValueError(f"loss must be an array or one of {', '.join(map(repr, NAMED))}, got {self.loss!r}.")
        else:
            matrix = np.asarray(self.loss, dtype=np.float64)
            if matrix.ndim != 2 or not matrix.size:
                raise ValueError(f"loss must have two dimensions, loss[action, class], got shape {matrix.shape}.")
            if not np.isfinite(matrix).all():
                raise ValueError("loss must be finite, but it holds NaN or infinity; leave out what must not be done.")
            object.__setattr__(self, "loss", matrix)
        if self.abstain is not None and not (isinstance(self.abstain, Real) and 0 <= self.abstain < np.inf):
            raise ValueError(f"abstain must be a cost, a finite number of at least 0, got {self.abstain!r}.")
        if self.abstain is not None and self.is_free:
            raise ValueError(f"abstain is an action beside others, and loss={self.loss!r} has a number for an action.")
        if not isinstance(self.level, Real) or not 0 < self.level < 1:
            raise ValueError(f"level must lie between 0 and 1, got {self.level!r}.")

    @property
    def is_free(self) -> bool:
        """Whether an action is any number (or the probabilities), not one of a list."""
        return isinstance(self.loss, str) and self.loss != "zero_one"

    def named_classes(self, K: int) -> NDArray[Any]:
        """Names of K classes, or an error where there are others."""
        names = np.arange(K) if self.classes is None else named(self.classes)
        if len(names) != K:
            raise ValueError(f"there are {K} columns of probabilities, but {len(names)} classes {names.tolist()}.")
        return names

    def matrix(self, K: int) -> Array:
        """The loss of every action and class, (A, K), the last action to abstain where that is one."""
        names = self.named_classes(K)
        if self.is_free:
            raise ValueError(f"loss={self.loss!r} has no matrix: its action is a number.")
        loss = 1.0 - np.eye(K) if isinstance(self.loss, str) else self.loss
        if loss.shape[1] != K:
            raise ValueError(
                f"loss has {loss.shape[1]} columns, but there are {K} classes {names.tolist()}; give one column per "
                "class: loss[action, class]."
            )
        return loss if self.abstain is None else np.concatenate([loss, np.full((1, K), float(self.abstain))])

    def named_actions(self, K: int) -> NDArray[Any]:
        """Names of the actions, in the order of `matrix`."""
        count = len(self.matrix(K)) - (self.abstain is not None)
        names: Any = self.actions
        if names is None:
            names = self.named_classes(K) if count == K else np.arange(count)
        if len(names) != count:
            raise ValueError(f"loss has {count} rows, but there are {len(names)} actions {list(names)}; one row each.")
        every = named(names) if self.abstain is None else named([*named(names).tolist(), self.abstention])
        if len(set(every.tolist())) < len(every):
            raise ValueError(f"actions must have different names, got {every.tolist()}.")
        return every

    def risk(self, posterior: ArrayLike, loss: ArrayLike | None = None) -> Array:
        """Expected loss of each action, (n, A); of the best one, (n,), where an action is a number.

        Parameters
        ----------
        posterior : array of shape (n, K)
        loss : array of shape (n, A, K), optional
            Losses of each row, in the place of the common ones.
        """
        P = probabilities(posterior)
        if self.is_free:
            self._refuse_own(loss)
            return self._free_risk(P)
        if loss is not None:
            return self._own(P, loss)
        return P @ self.matrix(P.shape[1]).T

    def act(self, posterior: ArrayLike, loss: ArrayLike | None = None) -> NDArray[Any]:
        """The action that loses least in expectation, for each row; the first of equals."""
        P = probabilities(posterior)
        K = P.shape[1]
        if self.is_free:
            self._refuse_own(loss)
            return self._free_action(P)
        names = self.named_actions(K)
        if loss is not None:
            return names[self._own(P, loss).argmin(axis=1)]
        if isinstance(self.loss, str) and self.abstain is None:
            return names[P.argmax(axis=1)]
        table, best = self.matrix(K).T, np.empty(len(P), dtype=np.intp)
        for first in range(0, len(P), ROWS):
            (P[first : first + ROWS] @ table).argmin(axis=1, out=best[first : first + ROWS])
        return names[best]

    def threshold(self) -> Any:
        """Where the action changes, with two classes: the probability of the second above which the second is taken.

        With more actions (abstaining), the probabilities at which the best one changes, in order.
        """
        if self.is_free:
            raise ValueError(f"loss={self.loss!r} has no threshold: its action is a number.")
        loss = self.matrix(2)
        cuts = _cuts(loss)
        if len(loss) == 2:
            if cuts and cuts[0][1] == 1:
                raise ValueError(
                    "the second action is the better one where the second class is unlikely: there is no threshold "
                    "above which it is taken; give the rows of loss in the order of the classes."
                )
            return float(cuts[0][0]) if cuts else (np.inf if loss[0].sum() <= loss[1].sum() else -np.inf)
        return np.array([place for place, _, _ in cuts])

    def _own(self, P: Array, loss: ArrayLike) -> Array:
        L = np.asarray(loss, dtype=np.float64)
        wanted = (*P.shape[:1], len(self.matrix(P.shape[1])), P.shape[1])
        if self.abstain is not None and L.ndim == 3 and L.shape[1] == wanted[1] - 1:
            L = np.concatenate([L, np.full((len(L), 1, L.shape[2]), float(self.abstain))], axis=1)
        if L.shape != wanted:
            raise ValueError(f"losses of each row must have shape (rows, actions, classes) {wanted}, got {L.shape}.")
        if not np.isfinite(L).all():
            raise ValueError("losses of each row must be finite, but one is NaN or infinite.")
        return np.einsum("nak,nk->na", L, P)

    def _refuse_own(self, loss: Any) -> None:
        if loss is not None:
            raise ValueError(f"losses of each row are for a loss that is a matrix, and this one is {self.loss!r}.")

    def cost(self, y: Array, action: Array) -> Array:
        """Loss of each action that is a number, where y came: (n,)."""
        off = y - action
        if self.loss == "squared":
            return off**2
        level = 0.5 if self.loss == "absolute" else self.level
        scale = 2.0 if self.loss == "absolute" else 1.0
        return np.asarray(scale * np.where(off > 0, level * off, (level - 1) * off))

    def values(self, K: int) -> Array:
        names = self.named_classes(K)
        if names.dtype.kind not in "biuf":
            raise ValueError(f"loss={self.loss!r} is for classes that are numbers, got {names.tolist()}.")
        return names.astype(np.float64)

    def _free_action(self, P: Array) -> Array:
        if self.loss == "log":
            return P
        values = self.values(P.shape[1])
        if self.loss == "squared":
            return P @ values
        order = np.argsort(values)
        level = 0.5 if self.loss == "absolute" else self.level
        mass = np.cumsum(P[:, order], axis=1)
        place = (mass < level * (1 - 1e-12)).sum(axis=1)
        return values[order][np.minimum(place, len(values) - 1)]

    def _free_risk(self, P: Array) -> Array:
        if self.loss == "log":
            with np.errstate(divide="ignore", invalid="ignore"):
                return -np.where(P > 0, P * np.log(P), 0.0).sum(axis=1)
        values, action = self.values(P.shape[1]), self._free_action(P)
        return (P * self.cost(values[None], action[:, None])).sum(axis=1)


def named(names: Any) -> NDArray[Any]:
    """Names as an array that keeps their types: text beside numbers stays what it is."""
    if isinstance(names, np.ndarray):
        return names
    listed = list(names)
    mixed = len({isinstance(name, str) for name in listed}) > 1 or len({isinstance(name, bool) for name in listed}) > 1
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array if mixed else np.asarray(listed)


def probabilities(posterior: ArrayLike, name: str = "posterior") -> Array:
    """Rows of probabilities, (n, K), or an error: one column is the probability of the second of two classes."""
    P = np.asarray(posterior, dtype=np.float64)
    if P.ndim == 1 and P.size:
        P = np.column_stack([1.0 - P, P])
    if P.ndim != 2 or P.shape[1] < 2:
        raise ValueError(f"{name} must have shape (rows, classes), with at least 2 classes, got {P.shape}.")
    total = P @ np.ones(P.shape[1])
    off = np.abs(total - 1.0).max(initial=0.0)
    if off <= 1e-6 and P.min(initial=0.0) >= 0.0:
        return P
    bad = np.flatnonzero(~(np.abs(total - 1.0) <= 1e-6) | ~(P.min(axis=1, initial=0.0) >= 0.0))
    if len(bad):
        raise ValueError(
            f"{name} must be probabilities that sum to 1 in each row, but row {bad[0]} is {P[bad[0]].tolist()}."
        )
    return P


def _cuts(loss: Array) -> list[tuple[float, int, int]]:
    """Probabilities of the second of two classes at which the best action changes, with that before and after."""
    slope, base = loss[:, 1] - loss[:, 0], loss[:, 0]
    at, now = 0.0, int(np.lexsort((slope, base))[0])
    cuts: list[tuple[float, int, int]] = []
    while True:
        with np.errstate(divide="ignore", invalid="ignore"):
            meet = np.where(slope < slope[now], (base - base[now]) / (slope[now] - slope), np.inf)
        ahead = float(meet.min())
        if not at <= ahead <= 1:
            return cuts
        best = np.flatnonzero(meet == ahead)
        after = int(best[slope[best].argmin()])
        cuts.append((ahead, now, after))
        at, now = ahead, after
