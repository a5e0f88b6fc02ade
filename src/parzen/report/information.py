"""What each column alone tells about the class, and the decision regions of two informative columns."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.model_selection import StratifiedKFold

from parzen.compute.arrays import Array
from parzen.densities.posterior import posterior
from parzen.estimators.classify.bayes_classifier import BayesClassifier
from parzen.estimators.classify.naive_bayes import NaiveBayes
from parzen.families.gaussian import Gaussian
from parzen.report.intervals import mean_interval, rounded

#: Folds of the cross-validation, and what log-odds of a column may be multiplied by.
FOLDS, SHARES = 3, np.linspace(0.0, 1.0, 21)
#: Points of the grid of decision regions along each axis, and rows that are drawn.
GRID, POINTS = 56, 700


def information(X: Any, codes: NDArray[np.intp], names: Sequence[str], classes: Sequence[str]) -> list[dict[str, Any]]:
    """Information of each column about the class, in nats, the most informative column first.

    It is the mean log-ratio of the held-out predicted probability of the true class, by naive Bayes on the column
    alone, to the class prior; with its interval, over the rows. A column whose interval holds 0 (or lies below it) is
    not known to tell anything. The log-odds of a column are multiplied by a number between 0 and 1 that is found on the
    other folds, so that those of a column that tells nothing shrink to nothing instead of misleading.
    """
    K = len(classes)
    prior = np.bincount(codes, minlength=K) / len(codes)
    out = []
    for name, P in zip(names, held_out_by_column(X[list(names)], codes, K), strict=True):
        gain = _shrunken_gains(P, codes, prior)
        each = [float(gain[codes == k].mean()) for k in range(K)]
        out.append(
            {
                "column": name,
                "information": mean_interval(gain),
                "by_class": [rounded(value, 3) for value in each],
                "most_about": classes[int(np.argmax(each))],
            }
        )
    return sorted(out, key=lambda one: -(one["information"]["value"] or 0.0))


def _shrunken_gains(P: Array, codes: NDArray[np.intp], prior: Array) -> Array:
    """Log-ratio of each row's probability of its class to the prior, log-odds shrunk as the other folds ask for."""
    log_prior = np.log(prior)
    odds = np.maximum(np.log(np.maximum(P, 1e-300)) - log_prior, -50.0)
    rows = np.arange(len(codes))

    def gains(share: float) -> Array:
        scores = share * odds
        return np.asarray(scores[rows, codes] - special.logsumexp(scores, axis=1, b=prior))

    tried = [gains(share) for share in SHARES]
    out = np.empty(len(codes))
    for train, test in _folds(codes):
        best = int(np.argmax([values[train].mean() for values in tried]))
        out[test] = tried[best][test]
    return out


def held_out_by_column(X: Any, codes: NDArray[np.intp], K: int) -> Iterator[Array]:
    """Posterior probabilities of each held-out row, (n, K), by naive Bayes on each column alone, column by column.

    Columns are independent given the class: one fit to all of them gives the density of each.
    """
    fitted = []
    for train, test in _folds(codes):
        model = NaiveBayes().fit(X.iloc[train], codes[train])
        fitted.append((test, model, model.schema_.encode(X.iloc[test])))
    for j in range(X.shape[1]):
        out = np.zeros((len(codes), K))
        for test, model, rows in fitted:
            column = np.ascontiguousarray(rows[:, [j]])
            P, _ = posterior(model.density_.marginal([j]), np.log(model.class_prior_), column, log=False)
            out[np.ix_(test, model.classes_)] = P
        yield out


def _folds(codes: NDArray[np.intp]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    return iter(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(np.zeros(len(codes)), codes))


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
