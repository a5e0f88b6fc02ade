"""The grid of penalties of a cross-validated logistic regression, and what was found along it."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.estimators.classify.logistic_options import Kind, check_C, check_share, name_of, warn
from parzen.families.logistic.optimum import Optimum
from parzen.families.logistic.penalty import Penalty


@dataclass(frozen=True)
class Grid:
    """Penalties to choose among.

    Attributes
    ----------
    kind : Kind
    Cs : array
    ratios : sequence of float, or [None] where none were given
    given : bool
        Whether ratios were given: if not, attributes in the old shape have no axis for them.
    """

    kind: Kind
    Cs: Array
    ratios: Sequence[Any]
    given: bool

    def penalties(self, ratio: float | None) -> list[Penalty]:
        """Along the Cs, for one of the ratios."""
        return [self.kind.penalty(float(C), ratio) for C in self.Cs]

    @property
    def penalised(self) -> bool:
        """Whether there is a penalty everywhere, which determines the weights of all levels of a category."""
        return bool(np.isfinite(self.Cs).all())


@dataclass(frozen=True)
class Paths:
    """What was found for each fold, ratio and C.

    Attributes
    ----------
    coefs : array of shape (folds, ratios, Cs, rows of coef_, p or p + 1)
        The intercept last, where there is one.
    scores, n_iter : arrays of shape (folds, ratios, Cs)
    """

    coefs: Array
    scores: Array
    n_iter: NDArray[np.int32]

    @classmethod
    def of(cls, found: Sequence[Sequence[Sequence[tuple[Optimum, float]]]], intercept: bool) -> "Paths":
        """Put together optima and their scores: for each fold, ratio and C."""
        coefs = [[[joined(one.coef, one.intercept, intercept) for one, _ in path] for path in fold] for fold in found]
        scores = [[[score for _, score in path] for path in fold] for fold in found]
        n_iter = [[[one.n_iter for one, _ in path] for path in fold] for fold in found]
        return cls(np.array(coefs), np.array(scores, dtype=np.float64), np.array(n_iter, dtype=np.int32))

    def best(self) -> tuple[int, int]:
        """The ratio and the C with the largest sum of scores; of equals the first C, then the first ratio."""
        sums = self.scores.sum(axis=0).T
        C, ratio = np.unravel_index(np.argmax(sums), sums.shape)
        return int(ratio), int(C)

    def best_of_folds(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The same for each fold on its own."""
        scores = self.scores.swapaxes(1, 2)
        at = np.argmax(scores.reshape(len(scores), -1), axis=1)
        C, ratio = np.unravel_index(at, scores.shape[1:])
        return ratio, C

    def attributes(self, classes: NDArray[Any], given: bool) -> dict[str, Any]:
        """Scores, weights and steps in the shapes that they had before scikit-learn 1.8."""
        last = slice(None) if given else 0
        coefs = np.moveaxis(self.coefs, 3, 0).swapaxes(2, 3)[:, :, :, last]
        scores, n_iter = self.scores.swapaxes(1, 2)[..., last], self.n_iter.swapaxes(1, 2)[..., last]
        named = classes[1:] if len(classes) == 2 else classes
        return {
            "scores_": {label: scores.copy() for label in named},
            "coefs_paths_": dict(zip(named, coefs, strict=True)),
            "n_iter_": n_iter[None],
        }


def joined(coef: Array, intercept: Array, has_intercept: bool) -> Array:
    """Weights, with the intercepts as a last column where there are any."""
    return np.column_stack([coef, intercept]) if has_intercept else coef


def read_grid(estimator: Any) -> Grid:
    """The grid that `Cs`, `l1_ratios` and `penalty` name, with scikit-learn's warnings of old spellings."""
    if estimator.penalty is None:
        raise ValueError("penalty must be one of 'l1', 'l2', 'elasticnet', got None; for no penalty give Cs=[inf].")
    ratios, given = _ratios(estimator)
    name = name_of(ratios if given else None) if estimator.penalty == "deprecated" else estimator.penalty
    kind = Kind.of(estimator, name)
    if name == "elasticnet" and not given:
        raise ValueError("l1_ratios must be numbers from 0 to 1 where penalty is 'elasticnet', got None.")
    if name != "elasticnet" and given and estimator.penalty != "deprecated":
        warn(f"l1_ratios parameter is only used when penalty is 'elasticnet'. Got (penalty={name})")
    if isinstance(estimator.Cs, Integral):
        if estimator.Cs < 1:
            raise ValueError(f"Cs must be a number of values, at least 1, or the values, got {estimator.Cs!r}.")
        return Grid(kind, np.logspace(-4, 4, int(estimator.Cs)), ratios, given)
    Cs = np.asarray(estimator.Cs)
    if Cs.ndim != 1 or not len(Cs):
        raise ValueError(f"Cs must be a number of values or a list of them, got {estimator.Cs!r}.")
    for C in Cs.tolist():
        check_C("each of Cs", C)
    return Grid(kind, Cs, ratios, given)


def _ratios(estimator: Any) -> tuple[Sequence[Any], bool]:
    """Shares of l1, and whether they were given."""
    ratios = estimator.l1_ratios
    old = estimator.penalty != "deprecated"
    if old:
        warn(
            "'penalty' was deprecated in scikit-learn 1.8, which will remove it in 1.10; leave it out and give "
            "l1_ratios: (0,) for 'l2', (1,) for 'l1', shares between them for 'elasticnet'.",
            FutureWarning,
        )
    if isinstance(ratios, str):
        choose("l1_ratios", ratios, ("warn",))
        warn(
            "The default value for l1_ratios will change from None to (0.0,) in scikit-learn 1.10: the l2 penalty, as "
            "now, in attributes with an axis for it. Give l1_ratios=(0,) now.",
            FutureWarning,
        )
        return [None], False
    if ratios is None:
        if not old:
            warn("'l1_ratios=None' was deprecated in scikit-learn 1.8; give shares from 0 to 1.", FutureWarning)
        return [None], False
    if np.ndim(ratios) != 1 or not len(ratios):
        raise ValueError(f"l1_ratios must be a list of numbers from 0 to 1, got {ratios!r}.")
    for ratio in ratios:
        check_share("each of l1_ratios", ratio)
    return ratios, True
