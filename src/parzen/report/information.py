"""What each column alone tells about the class, and the decision regions of two informative columns."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from parzen.compute.arrays import Array
from parzen.densities.posterior import posterior
from parzen.estimators.classify.bayes_classifier import BayesClassifier
from parzen.estimators.classify.naive_bayes import NaiveBayes
from parzen.families.gaussian import Gaussian
from parzen.report.intervals import mean_interval, rounded
from parzen.report.scores import Fold
from parzen.report.task import FOLDS

#: What log-odds of a column may be multiplied by.
SHARES = np.linspace(0.0, 1.0, 21)
#: Points of the grid of decision regions along each axis, and rows that are drawn.
GRID, POINTS = 56, 700


def information(
    X: Any,
    codes: NDArray[np.intp],
    names: Sequence[str],
    classes: Sequence[str],
    folds: Sequence[Fold] | None = None,
) -> list[dict[str, Any]]:
    """Information of each column about the class, in nats, the most informative column first.

    It is the mean log-ratio of the held-out predicted probability of the true class, by naive Bayes on the column
    alone, to the class prior; with its interval, over the rows. A column whose interval holds 0 (or lies below it) is
    not known to tell anything. The log-odds of a column are multiplied by a number between 0 and 1 that is found on the
    other folds, so that those of a column that tells nothing shrink to nothing instead of misleading.

    `folds` are naive Bayes classifiers of these columns that were fitted already.
    """
    K = len(classes)
    prior = np.bincount(codes, minlength=K) / len(codes)
    X = X[list(names)]
    folds = naive_folds(X, codes) if folds is None else folds
    fold_of = np.empty(len(codes), dtype=np.intp)
    for number, fold in enumerate(folds):
        fold_of[fold.test] = number
    out = []
    for name, P in zip(names, held_out_by_column(X, K, folds), strict=True):
        gain = _shrunken_gains(P, codes, prior, fold_of)
        each = np.bincount(codes, gain, minlength=K) / np.bincount(codes, minlength=K)
        out.append(
            {
                "column": name,
                "information": mean_interval(gain),
                "by_class": [rounded(value, 3) for value in each],
                "most_about": classes[int(np.argmax(each))],
            }
        )
    return sorted(out, key=lambda one: -(one["information"]["value"] or 0.0))


def _shrunken_gains(P: Array, codes: NDArray[np.intp], prior: Array, fold_of: NDArray[np.intp]) -> Array:
    """Log-ratio of each row's probability of its class to the prior, log-odds shrunk as the other folds ask for."""
    odds = np.maximum(np.log(np.maximum(P, 1e-300)) - np.log(prior), -50.0)
    own = odds[np.arange(len(codes)), codes]
    # Of a share s the predicted probabilities are prior * exp(s * odds), normalised; odds are at most those of a
    # certain class, so that the powers stay within bounds.
    step, ratio = np.exp(odds / (len(SHARES) - 1)), np.ones_like(odds)
    tried = np.zeros((len(SHARES), len(codes)))
    for share, gains in zip(SHARES[1:], tried[1:], strict=True):
        ratio *= step
        gains[:] = share * own - np.log(ratio @ prior)
    totals = np.stack([np.bincount(fold_of, gains) for gains in tried])
    rows = len(codes) - np.bincount(fold_of)
    best = np.argmax((totals.sum(axis=1, keepdims=True) - totals) / rows, axis=0)
    return tried[best[fold_of], np.arange(len(codes))]


def naive_folds(X: Any, codes: NDArray[np.intp], count: int = FOLDS) -> list[Fold]:
    """Naive Bayes, fitted to the other rows of each fold."""
    splits = StratifiedKFold(count, shuffle=True, random_state=0).split(np.zeros(len(codes)), codes)
    return [Fold(test, NaiveBayes().fit(X.iloc[train], codes[train])) for train, test in splits]


def held_out_by_column(X: Any, K: int, folds: Sequence[Fold]) -> Iterator[Array]:
    """Posterior probabilities of each held-out row, (n, K), by naive Bayes on each column alone, column by column.

    Columns are independent given the class: one fit to all of them gives the density of each.
    """
    encoded = [fold.model.schema_.encode(X.iloc[fold.test]) for fold in folds]
    for j in range(X.shape[1]):
        out = np.zeros((len(X), K))
        for (test, model), rows in zip(folds, encoded, strict=True):
            column = np.ascontiguousarray(rows[:, [j]])
            P, _ = posterior(model.density_.marginal([j]), np.log(model.class_prior_), column, log=False)
            out[np.ix_(test, model.classes_)] = P
        yield out


def dissimilar_pair(X: Any, ranked: Sequence[str]) -> list[str] | None:
    """The most informative column, and the next whose rank correlation with it is below 0.9, where there is one."""
    if len(ranked) < 2:
        return None
    ranks = X[list(ranked)].rank()
    near = ranks.corrwith(ranks[ranked[0]]).abs()
    other = next((name for name in ranked[1:] if not near[name] >= 0.9), None)
    return None if other is None else [ranked[0], other]


def decision_regions(
    X: Any, codes: NDArray[np.intp], pair: list[str], classes: Sequence[str], rng: np.random.Generator
) -> dict[str, Any]:
    """The most probable class over two columns, with a Gaussian class-conditional density for each class."""
    rows = X[pair].dropna().to_numpy(dtype=np.float64)
    own = codes[X[pair].notna().all(axis=1).to_numpy()]
    ends = np.quantile(rows, [0.005, 0.995], axis=0)
    margin = 0.08 * np.maximum(ends[1] - ends[0], 1e-12)
    low, high = ends[0] - margin, ends[1] + margin
    axes = [np.linspace(low[j], high[j], GRID) for j in range(2)]
    mesh = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
    model = BayesClassifier(Gaussian()).fit(rows, own)
    P = model.predict_proba(mesh)
    shown = np.flatnonzero(((rows >= low) & (rows <= high)).all(axis=1))
    shown = np.sort(rng.choice(shown, min(len(shown), POINTS), replace=False))
    return {
        "columns": pair,
        "grid": [[rounded(value, 5) for value in axis] for axis in axes],
        "predicted_class": model.classes_[P.argmax(axis=1)].reshape(GRID, GRID).tolist(),
        "probability": [[rounded(value, 2) for value in row] for row in P.max(axis=1).reshape(GRID, GRID)],
        "points": [[rounded(a, 5), rounded(b, 5), int(k)] for (a, b), k in zip(rows[shown], own[shown], strict=True)],
        "classes": list(classes),
        "finding": (
            f"The most probable class over “{pair[0]}” and “{pair[1]}”, two informative columns that are not nearly "
            "the same; each class has a Gaussian density."
        ),
    }
