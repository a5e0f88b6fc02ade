"""Generative against discriminative: how two models learn from few rows and from many (Ng and Jordan 2001)."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing

from parzen.compute.arrays import Array
from parzen.estimators.base.validation import generator
from parzen.estimators.classify.labels import read_labels
from parzen.estimators.classify.log_posteriors import posterior_batches
from parzen.estimators.classify.source_rows import check_fits_sources, targets_of
from parzen.plotting import axes_beside, ribbons
from parzen.statistics.messages import FloorWarning
from parzen.tables.sources.chosen import some_rows
from parzen.tables.sources.scan import scanned
from parzen.tables.sources.source import Source

MEASURES = {"error": "error rate on test rows", "log_loss": "log loss on test rows"}


@dataclass(frozen=True)
class LearningComparison:
    """Test errors of two models over growing numbers of rows.

    Attributes
    ----------
    sizes : array of shape (m,)
        Numbers of training rows.
    names : tuple of two str
    error, log_loss : arrays of shape (2, m, repeats)
        Of the test rows, for each model, size and repetition.
    """

    sizes: NDArray[np.int64]
    names: tuple[str, str]
    error: Array
    log_loss: Array

    def table(self) -> dict[str, NDArray[Any]]:
        """Means and standard deviations as columns: ``pandas.DataFrame(comparison.table())`` shows them."""
        columns: dict[str, NDArray[Any]] = {"rows": self.sizes}
        for measure in MEASURES:
            values = getattr(self, measure)
            for name, own in zip(self.names, values, strict=True):
                columns[f"{measure}, {name}"] = own.mean(axis=1)
                columns[f"{measure}, {name}, sd"] = own.std(axis=1)
        return columns

    def crossing(self, measure: str = "log_loss") -> int | None:
        """Fewest rows from which on the second model has the smaller mean.

        None where it never has, or where with most rows it is ahead by less than chance explains (two standard errors
        of the difference between the models, repetition by repetition).
        """
        if measure not in MEASURES:
            raise ValueError(f"measure must be one of {', '.join(map(repr, MEASURES))}, got {measure!r}.")
        if self.winner(measure) != self.names[1]:
            return None
        first, second = getattr(self, measure).mean(axis=2)
        behind = np.flatnonzero(second >= first)
        return int(self.sizes[behind[-1] + 1 if len(behind) else 0])

    def winner(self, measure: str = "log_loss") -> str | None:
        """Which model is better with most rows, by more than chance explains; None where neither is."""
        gaps = getattr(self, measure)[1, -1] - getattr(self, measure)[0, -1]
        noise = 2 * gaps.std(ddof=1) / np.sqrt(len(gaps)) if len(gaps) > 1 else 0.0
        return None if abs(gaps.mean()) <= noise else self.names[int(gaps.mean() < 0)]

    def __str__(self) -> str:
        width = max(len(name) for name in self.names) + 2
        head = f"{'rows':>8}" + "".join(f"  {name:>{width + 9}}" for name in self.names)
        lines = [f"error (sd)\n{head}"]
        for measure in MEASURES:
            if measure == "log_loss":
                lines.append(f"log loss (sd)\n{head}")
            values = getattr(self, measure)
            for i, n in enumerate(self.sizes):
                cells = (f"{own[i].mean():.4f} ({own[i].std():.4f})" for own in values)
                lines.append(f"{n:>8}" + "".join(f"  {cell:>{width + 9}}" for cell in cells))
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Curves of both measures with the spread of the middle 80% of repetitions. Returns matplotlib's axes.

        Parameters
        ----------
        ax : two of matplotlib's axes, optional
        """
        pair = axes_beside(2) if ax is None else ax
        if np.size(pair) != 2:
            raise ValueError("ax must be two axes, one for each measure: plt.subplots(1, 2)[1].")
        for one, (measure, label) in zip(pair, MEASURES.items(), strict=True):
            values = getattr(self, measure)
            lines = [
                (name, own.mean(axis=1), *np.quantile(own, [0.1, 0.9], axis=1))
                for name, own in zip(self.names, values, strict=True)
            ]
            at, best = self.crossing(measure), self.winner(measure)
            title = f"{best} is better in the end" if best else "no difference in the end"
            if at is not None and at > self.sizes[0]:
                title = f"{best} is better from {at} rows on"
            ribbons(self.sizes, lines, label, title, one)
            if measure == "log_loss":
                one.set_yscale("log")  # few rows can cost a hundred times what many do
        return pair


def compare_learning(
    generative: Any,
    discriminative: Any,
    X: Any,
    y: Any = None,
    *,
    target: Any = None,
    sizes: Sequence[int] | None = None,
    repeats: int = 20,
    test_size: float = 0.3,
    names: tuple[str, str] | None = None,
    random_state: Any = None,
    verbose: int = 0,
) -> LearningComparison:
    """Learn from ever more rows with two classifiers, and test both on the same others.

    Theory says that a generative model comes near its own best with fewer rows (about log d instead of d of them), and
    that where its assumption is wrong the discriminative one is better in the end: the curves cross.

    Parameters
    ----------
    generative, discriminative : classifiers with `predict_proba`
    X : table of shape (n, d), or a source (`parzen.scan`)
        A source is read again for each fit and each test, with the splits and the answer of the same rows in memory;
        labels and the order of a split are kept, and training rows up to 65,536 of them.
    y : labels of shape (n,); of a source they are its target
    target : which column of a source holds the labels
    sizes : numbers of rows to learn from, optional
        By default ten from a few of each class to all that are not for testing, evenly spaced in their logs.
    repeats : int
        Random splits. Each has its own test rows, and begins with two rows of each class.
    test_size : float
        Share of the rows that are for testing.
    names : what the two are called, by default by their classes
    random_state : int, RandomState instance or None
    verbose : int
        Above 0, say which repetition is at work.

    Returns
    -------
    LearningComparison
        `print` it for a table, ``.plot()`` for a picture, ``.crossing()`` for where the second overtakes.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from parzen import GaussianNB, LogisticRegression, compare_learning
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learning = compare_learning(GaussianNB(), LogisticRegression(), X, y, sizes=[10, 300], random_state=0)
    >>> learning.error.mean(axis=2).round(2)
    array([[0.14, 0.06],
           [0.12, 0.05]])
    """
    X = scanned(X)
    if isinstance(X, Source):
        X, y = _labelled(X, y, target, generative, discriminative)
    elif target is not None or y is None:
        raise TypeError("labels of a table are y, those of a source its target: give y, or scan(...) and target='y'.")
    n = len(y) if isinstance(X, Source) else X.shape[0] if hasattr(X, "shape") else len(X)
    classes, codes, _ = read_labels(y, n)
    if codes.min() < 0:
        raise ValueError("y lacks some labels; give the label of each row.")
    labels = classes[codes]
    if names is not None and (isinstance(names, str) or len(names) != 2):
        raise ValueError(f"names must be two, one for each classifier, got {names!r}.")
    tests = _checked(n, len(classes), np.bincount(codes), repeats, test_size)
    sizes = _sizes(sizes, 2 * len(classes), n - tests)
    seeds = generator(random_state)
    shape = (2, len(sizes), repeats)
    error, loss = np.empty(shape), np.empty(shape)
    for repeat in range(repeats):
        if verbose:
            print(f"repetition {repeat + 1} of {repeats}")  # noqa: T201
        test, order = _split(codes, tests, seeds)
        test = np.sort(test) if isinstance(X, Source) else test
        for i, size in enumerate(sizes):
            learnt, tested = _rows(X, order[:size], n), _rows(X, test, n)
            own = labels[order[:size]]
            for m, model in enumerate((generative, discriminative)):
                with warnings.catch_warnings():  # few rows of a class are what this is about
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    warnings.simplefilter("ignore", FloorWarning)
                    fitted = clone(model).fit(learnt, None if isinstance(X, Source) else own)
                error[m, i, repeat], loss[m, i, repeat] = _judged(fitted, tested, codes[test])
    called = names or _names(generative, discriminative)
    return LearningComparison(np.array(sizes, dtype=np.int64), (str(called[0]), str(called[1])), error, loss)


def _labelled(source: Source, y: Any, target: Any, *models: Any) -> tuple[Source, NDArray[Any]]:
    """The source with its target, and the labels of all rows, or an error."""
    if y is not None:
        raise TypeError("a source holds its labels among its columns: give target='y' in the place of y.")
    for model in models:
        check_fits_sources(model)
    source = source if target is None else source.with_roles(target, source.weight)
    if source.weight is not None:
        raise ValueError("compare_learning counts every row once; give a source without weights.")
    return source, targets_of(source)[0]


def _rows(X: Any, rows: NDArray[np.intp], n: int) -> Any:
    """The rows of these numbers; of a source in its own order."""
    return some_rows(X, rows, n) if isinstance(X, Source) else _safe_indexing(X, rows)


def _checked(n: int, groups: int, counts: Any, repeats: int, test_size: float) -> int:
    """How many rows are for testing, or an error."""
    if groups < 2:
        raise ValueError("y holds one class only; two classifiers need at least two to be compared.")
    if counts.min() < 3:
        raise ValueError("every class needs at least three rows: two to learn from and one to be tested with.")
    if not 0 < test_size < 1:
        raise ValueError(f"test_size must lie between 0 and 1, got {test_size!r}.")
    if not isinstance(repeats, Integral) or repeats < 1:
        raise ValueError(f"repeats must be a whole number, at least 1, got {repeats!r}.")
    return min(max(round(test_size * n), 1), n - 2 * groups)


def _sizes(given: Sequence[int] | None, least: int, most: int) -> list[int]:
    if given is None:
        spaced = np.unique(np.geomspace(max(least, 8) if most > 8 else least, most, 10).astype(int))
        return [int(size) for size in spaced]
    if isinstance(given, str) or np.ndim(given) != 1:
        raise ValueError(f"sizes must be a list of numbers of rows, got {given!r}.")
    sizes = sorted({int(size) for size in given})
    if not sizes or sizes[0] < least or sizes[-1] > most:
        raise ValueError(f"sizes must lie between {least} (two rows of each class) and {most}, got {list(given)!r}.")
    return sizes


def _split(codes: Any, tests: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Test rows, and the others in a random order that begins with two of each class."""
    order = rng.permutation(len(codes))
    first = np.concatenate([order[codes[order] == k][:2] for k in range(codes.max() + 1)])
    rest = order[~np.isin(order, first)]
    return rest[:tests], np.concatenate([first, rest[tests:]])


def _judged(model: Any, X: Any, codes: Any) -> tuple[float, float]:
    """Share of wrong decisions and mean log loss: sums over batches, which add."""
    wrong = loss = 0.0
    begin = 0
    for logs in (
        posterior_batches(model, X, model.classes_) if isinstance(X, Source) else [_log_probabilities(model, X)]
    ):
        own = codes[begin : begin + len(logs)]
        begin += len(logs)
        wrong += float((logs.argmax(axis=1) != own).sum())
        # A loss is finite where a model says that what happened can't: as if by a chance of one in 10^300.
        loss -= float(np.maximum(logs[np.arange(len(own)), own], np.log(1e-300)).sum())
    return wrong / len(codes), loss / len(codes)


def _log_probabilities(model: Any, X: Any) -> Array:
    """Logs of the probabilities that a model predicts."""
    if hasattr(model, "predict_log_proba"):
        return np.asarray(model.predict_log_proba(X))
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(model.predict_proba(X)))


def _names(first: Any, second: Any) -> tuple[str, str]:
    a, b = (type(model.steps[-1][1] if hasattr(model, "steps") else model).__name__ for model in (first, second))
    return (a, b) if a != b else (f"{a} (first)", f"{b} (second)")
