"""Scores of probabilities and of decisions: how good they are, and whether they mean what they say. They add."""

from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from parzen.compute.arrays import Array
from parzen.decisions.decision import Decision, probabilities
from parzen.statistics.accumulate import block_rows
from parzen.statistics.statistic import Statistic


class Brier(NamedTuple):
    """The Brier score and its parts (Murphy 1973): score = reliability - resolution + uncertainty + within."""

    score: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float


class CalibrationError(NamedTuple):
    """How far probabilities lie from shares: on average, debiased, in the worst bin, and an interval of the average."""

    expected: float
    debiased: float
    maximum: float
    low: float
    high: float


class Reliability(NamedTuple):
    """Bins of probabilities: what was said, what came, its interval, the weight of rows and their effective number."""

    said: Array
    came: Array
    low: Array
    high: Array
    weight: Array
    rows: Array


@dataclass(frozen=True)
class Totals(Statistic):
    """Statistics all of whose arrays are sums; what is plain must be the same."""

    def __add__(self, other: Self) -> Self:
        for one in fields(self):
            mine, theirs = getattr(self, one.name), getattr(other, one.name)
            if mine != theirs if one.metadata.get("plain") else mine.shape != theirs.shape:
                raise ValueError(f"scores of different {one.name} don't add: of other classes, or of other bins.")
        return replace(self, **{name: getattr(self, name) + getattr(other, name) for name in self._sums()})

    def __rmul__(self, scale: float) -> Self:
        return replace(self, **{name: scale * getattr(self, name) for name in self._sums()})

    def pooled(self) -> Self:
        return self

    def _sums(self) -> list[str]:
        return [one.name for one in fields(self) if not one.metadata.get("plain")]


@dataclass(frozen=True)
class ProbabilityScores(Totals):
    """Labels against probabilities, remembered in sums: of all rows, and of bins of the probabilities of each class.

    Attributes
    ----------
    weight, log_loss, squares : arrays of shape (1,)
    bins, said, came, spread : arrays of shape (K + 1, B)
        Weight of the rows in each bin of a class's probability, what they say and what came there, and the squares of
        their weights; the last row is the likeliest class.
    classes : tuple
    """

    weight: Array
    log_loss: Array
    squares: Array
    bins: Array
    said: Array
    came: Array
    spread: Array
    classes: tuple[Any, ...] = field(metadata={"plain": True})

    @property
    def mean_log_loss(self) -> float:
        """Minus the average log of the probability that the label had."""
        return float(self.log_loss[0] / self.weight[0])

    def brier(self) -> Brier:
        """The Brier score: of two classes that of the second, of more the sum over them, as in scikit-learn."""
        K = len(self.classes)
        rows = slice(1, 2) if K == 2 else slice(0, K)
        weight, said, came = self.bins[rows], self.said[rows], self.came[rows]
        there = np.where(weight > 0, weight, 1.0)
        base = came.sum(axis=1, keepdims=True) / self.weight
        share, forecast = came / there, said / there
        reliability = float((weight * (forecast - share) ** 2).sum() / self.weight[0])
        resolution = float((weight * (share - base) ** 2).sum() / self.weight[0])
        uncertainty = float((base * (1 - base)).sum())
        score = float(self.squares[0] / self.weight[0]) * (0.5 if K == 2 else 1.0)
        return Brier(score, reliability, resolution, uncertainty, score - (reliability - resolution + uncertainty))

    def reliability(self, of: Any = None) -> Reliability:
        """Bins of the probabilities of a class (by default the second of two, or the likeliest) that have rows."""
        k = self._row(of)
        kept = self.bins[k] > 0
        weight, said, came = (part[k][kept] for part in (self.bins, self.said, self.came))
        share, count = came / weight, weight**2 / self.spread[k][kept]  # as many rows of one weight would say as much
        # Wilson's interval, in which no share is certain.
        z2 = norm.ppf(0.975) ** 2
        middle = (count * share + 0.5 * z2) / (count + z2)
        half = np.sqrt(z2 * (count * share * (1 - share) + 0.25 * z2)) / (count + z2)
        low, high = np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)
        return Reliability(said / weight, share, low, high, weight, count)

    def calibration_error(self, of: Any = None, level: float = 0.95) -> CalibrationError:
        """Expected and maximum calibration error; debiased by what the gaps of calibrated bins would be by chance."""
        found = self.reliability(of)
        share = found.weight / found.weight.sum()
        gap = found.said - found.came
        smoothed = (found.came * found.rows + 0.5) / (found.rows + 1.0)
        chance = np.sqrt(smoothed * (1 - smoothed) / found.rows)
        left = np.sqrt(np.maximum(gap**2 - chance**2, 0.0))  # chance adds its variance to the square of a gap
        noise = chance * np.random.default_rng(0).standard_normal((4000, len(gap)))
        expected, debiased = float(share @ np.abs(gap)), float(share @ left)
        draws = np.abs(left + noise) @ share
        low, high = np.quantile(draws, [0.5 * (1 - level), 0.5 * (1 + level)]) - draws.mean() + debiased
        if expected <= np.quantile(np.abs(noise) @ share, level):  # what calibrated probabilities would show
            low = 0.0
        ends = max(float(low), 0.0), max(float(high), expected)
        return CalibrationError(expected, debiased, float(np.abs(gap).max()), min(ends[0], expected), ends[1])

    def _row(self, of: Any) -> int:
        if of is None:
            return 1 if len(self.classes) == 2 else len(self.classes)
        if of not in self.classes:
            raise ValueError(f"of must be one of the classes {list(self.classes)}, got {of!r}.")
        return self.classes.index(of)


def score_probabilities(
    y: ArrayLike,
    posterior: ArrayLike,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    bins: int = 15,
) -> ProbabilityScores:
    """Score probabilities against labels.

    Parameters
    ----------
    y : array of shape (n,), labels
    posterior : array of shape (n, K), or (n,) of the second of two classes
    classes : array of shape (K,)
        Labels in the order of the columns; by default those of y, sorted.
    sample_weight : array of shape (n,), optional
    bins : int
        How many bins of equal width probabilities fall into.

    Examples
    --------
    >>> found = score_probabilities([0, 1, 1, 0], [0.2, 0.7, 0.9, 0.4])
    >>> round(found.mean_log_loss, 4), round(found.brier().score, 4)
    (0.299, 0.075)
    """
    labels, P = np.asarray(y), probabilities(posterior)
    names = np.unique(labels) if classes is None else np.asarray(classes)
    n, K = P.shape
    if len(names) != K:
        raise ValueError(
            f"posterior has {K} columns, but there are {len(names)} classes {names.tolist()}; give classes."
        )
    if labels.shape != (n,):
        raise ValueError(f"y must be {n} labels, one for each row of probabilities, got shape {labels.shape}.")
    order = np.argsort(names)
    place = np.minimum(np.searchsorted(names[order], labels), K - 1)
    codes = order[place]
    if not (names[codes] == labels).all():
        raise ValueError(
            f"y holds {labels[names[codes] != labels][0]!r}, which is none of the classes {names.tolist()}."
        )
    if not n:
        raise ValueError("there are no rows to score.")
    if not isinstance(bins, int | np.integer) or bins < 1:
        raise ValueError(f"bins must be a whole number, at least 1, got {bins!r}.")
    w = _weights(sample_weight, n)
    total: Any = None
    step = block_rows(P, 1)
    for first in range(0, n, step):
        rows = slice(first, first + step)
        part = _verify(codes[rows], P[rows], w[rows], tuple(names.tolist()), bins)
        total = part if total is None else total + part
    assert isinstance(total, ProbabilityScores)
    return total


def _weights(sample_weight: ArrayLike | None, n: int) -> Array:
    w = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if w.shape != (n,) or not (np.isfinite(w).all() and (w >= 0).all() and w.any()):
        raise ValueError(f"sample_weight must be {n} finite numbers, at least 0 and not all of them 0, got {w.shape}.")
    return w


def _verify(codes: NDArray[np.intp], P: Array, w: Array, classes: tuple[Any, ...], bins: int) -> ProbabilityScores:
    n, K = P.shape
    with np.errstate(divide="ignore"):
        logs = -np.log(P[np.arange(n), codes])
    hit = codes[:, None] == np.arange(K)
    loss = float(w @ np.where(w == 0, 0.0, logs))
    squares = float(w @ ((P - hit) ** 2).sum(axis=1))
    top = P.argmax(axis=1)
    forecasts = [*P.T, P[np.arange(n), top]]
    outcomes = [*hit.T, top == codes]
    parts = np.zeros((4, K + 1, bins))
    for k, (p, came) in enumerate(zip(forecasts, outcomes, strict=True)):
        place = np.minimum((p * bins).astype(np.intp), bins - 1)
        for part, weight in zip(parts, (w, w * p, w * came, w * w), strict=True):
            part[k] = np.bincount(place, weight, minlength=bins)
    weight, lost, squared = (np.array([value]) for value in (float(w.sum()), loss, squares))
    return ProbabilityScores(weight, lost, squared, parts[0], parts[1], parts[2], parts[3], classes)


def expected_cost(
    y: ArrayLike, actions: ArrayLike, decision: Decision, sample_weight: ArrayLike | None = None
) -> float:
    """Average loss of actions that were taken.

    Parameters
    ----------
    y : array of shape (n,), labels, among the decision's classes
    actions : array of shape (n,), among its actions
    decision : Decision, with classes

    Examples
    --------
    >>> spam = Decision([[0, 1], [20, 0]], classes=["letter", "spam"])
    >>> expected_cost(["letter", "spam"], ["spam", "spam"], spam)
    10.0
    """
    if decision.is_free:
        return _free_cost(y, actions, decision, sample_weight)
    costs = cost_table(y, actions, decision, sample_weight)
    return float((costs * decision.matrix(costs.shape[1])).sum() / costs.sum())


def _free_cost(y: ArrayLike, actions: ArrayLike, decision: Decision, sample_weight: ArrayLike | None) -> float:
    """Average loss where an action is a number, or the probabilities."""
    if decision.loss == "log":
        return score_probabilities(y, actions, decision.classes, sample_weight).mean_log_loss
    labels = np.asarray(y, dtype=np.float64)
    taken = np.asarray(actions, dtype=np.float64)
    if labels.shape != taken.shape or labels.ndim != 1:
        raise ValueError(f"there are labels of shape {labels.shape}, but actions of shape {taken.shape}; one each.")
    return float(np.average(decision.cost(labels, taken), weights=_weights(sample_weight, len(labels))))


def cost_table(y: ArrayLike, actions: ArrayLike, decision: Decision, sample_weight: ArrayLike | None = None) -> Array:
    """Weight of the rows of each class for which each action was taken, (actions, classes)."""
    if decision.classes is None:
        raise ValueError("decision must know its classes: Decision(loss, classes=[...]).")
    K = len(decision.classes)
    rows, columns = _codes(actions, decision.named_actions(K), "actions"), _codes(y, decision.named_classes(K), "y")
    if len(rows) != len(columns):
        raise ValueError(f"there are {len(columns)} labels, but {len(rows)} actions; one each.")
    w = _weights(sample_weight, len(rows))
    table = np.zeros((len(decision.matrix(K)), K))
    np.add.at(table, (rows, columns), w)
    return table


def _codes(values: ArrayLike, names: NDArray[Any], what: str) -> NDArray[np.intp]:
    known = {name: k for k, name in enumerate(names.tolist())}
    given = list(values) if isinstance(values, list | tuple) else np.asarray(values).tolist()
    try:
        return np.array([known[value] for value in given], dtype=np.intp)
    except KeyError as error:
        raise ValueError(f"{what} holds {error.args[0]!r}, which is none of {names.tolist()}.") from None


@dataclass(frozen=True)
class RiskCoverage(Totals):
    """What deciding only the surest rows would cost, remembered in bins of the expected loss of the best action.

    Attributes
    ----------
    weight, lost, expected : arrays of shape (1, B)
        Weight of the rows in each bin, what their actions have lost, and what they were expected to lose.
    """

    weight: Array
    lost: Array
    expected: Array

    @property
    def _kept(self) -> tuple[Array, Array]:
        there = self.weight[0] > 0
        return self.weight[0, there], self.lost[0, there]

    @property
    def coverage(self) -> Array:
        """Share of the rows that are decided, the surest first."""
        total = np.cumsum(self._kept[0])
        return np.asarray(total / total[-1])

    @property
    def risk(self) -> Array:
        """Average loss of these."""
        weight, lost = self._kept
        return np.asarray(np.cumsum(lost) / np.cumsum(weight))

    @property
    def area(self) -> float:
        """Area below the curve: low is good."""
        return float(np.average(self.risk, weights=self._kept[0]))


def risk_coverage(
    y: ArrayLike,
    posterior: ArrayLike,
    decision: Decision | None = None,
    sample_weight: ArrayLike | None = None,
    bins: int = 2000,
) -> RiskCoverage:
    """What deciding only the surest rows would cost: the rest are abstained from.

    Parameters
    ----------
    y : array of shape (n,), labels
    posterior : array of shape (n, K)
    decision : Decision, with classes; by default the likeliest class
    bins : int
        How finely rows are told apart by the expected loss of their best action: half of them by its logarithm, down to
        1e-300, as overconfident classifiers ask for.

    Examples
    --------
    >>> curve = risk_coverage([0, 1, 1, 0], [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.7, 0.3]])
    >>> curve.coverage, curve.risk
    (array([0.25, 0.5 , 0.75, 1.  ]), array([0.  , 0.  , 0.  , 0.25]))
    """
    P = probabilities(posterior)
    labels = np.asarray(y)
    decision = Decision(classes=np.unique(labels).tolist()) if decision is None else decision
    if decision.classes is None:
        raise ValueError("decision must know its classes: Decision(loss, classes=[...]).")
    n, K = P.shape
    codes = _codes(labels, decision.named_classes(K), "y")
    if len(codes) != n:
        raise ValueError(f"y must be {n} labels, one for each row of probabilities, got {len(codes)}.")
    loss = decision.matrix(K)
    risk = P @ loss.T
    action = risk.argmin(axis=1)
    sure = risk[np.arange(n), action]
    w = _weights(sample_weight, n)
    low, high = float(loss.min()), float(loss.max(axis=1).min())  # no best action is expected to lose more
    place = _sureness((sure - low) / (high - low if high > low else 1.0), bins)
    kept = (w, w * loss[action, codes], w * sure)
    return RiskCoverage(*(np.bincount(place, part, minlength=bins)[None].astype(np.float64) for part in kept))


def _sureness(share: Array, bins: int) -> NDArray[np.intp]:
    """Bin of each share of the largest risk, the surest first: logarithmic below one twentieth, even above."""
    half, turn, least = bins // 2, 0.05, 1e-300
    decades = np.log(np.clip(share, least, turn) / least) / np.log(turn / least)
    low = (decades * half).astype(np.intp).clip(0, max(half - 1, 0))
    high = half + ((share - turn) / (1 - turn) * (bins - half)).astype(np.intp).clip(0, bins - half - 1)
    return np.where(share < turn, low, high)
