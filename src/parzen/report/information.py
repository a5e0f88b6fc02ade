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

#: Folds of cross-validation.
FOLDS = 3
#: Points of the grid of decision regions along each axis, and rows that are drawn.
GRID, POINTS = 56, 700


def information(X: Any, codes: NDArray[np.intp], names: Sequence[str], classes: Sequence[str]) -> list[dict[str, Any]]:
    """Information of each column about the class, in nats, the most informative column first.

    It is the mean log-ratio of the held-out predicted probability of the true class, by naive Bayes on the column
    alone, to the class prior.
    """
    K = len(classes)
    prior = np.bincount(codes, minlength=K) / len(codes)
    out = []
    for name, P in zip(names, held_out_by_column(X[list(names)], codes, K), strict=True):
        gain = np.log(np.maximum(P[np.arange(len(codes)), codes], 1e-300)) - np.log(prior[codes])
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


def held_out_by_column(X: Any, codes: NDArray[np.intp], K: int) -> Iterator[Array]:
    """Predicted probabilities of held-out rows by naive Bayes on each column alone, (n, K), column by column.

    Columns are independent given the class: one fit to all of them gives the density of each.
    """
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(np.zeros(len(codes)), codes)
    fitted = [(NaiveBayes().fit(X.iloc[train], codes[train]), test) for train, test in splits]
    folds = [(model, test, model.schema_.encode(X.iloc[test])) for model, test in fitted]
    for j in range(X.shape[1]):
        out = np.zeros((len(codes), K))
        for model, test, rows in folds:
            column = np.ascontiguousarray(rows[:, [j]])
            P, _ = posterior(model.density_.marginal([j]), np.log(model.class_prior_), column, log=False)
            out[np.ix_(test, model.classes_)] = P
        yield out


def dissimilar_pair(X: Any, ranked: Sequence[str]) -> list[str]:
    """The most informative column, and the next whose rank correlation with it is below 0.9."""
    ranks = X[list(ranked)].rank()
    near = ranks.corrwith(ranks[ranked[0]]).abs()
    return [ranked[0], next((name for name in ranked[1:] if not near[name] >= 0.9), ranked[1])]


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
