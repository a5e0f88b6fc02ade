"""What predicts a column: generative and discriminative models side by side, out of fold, and what follows."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from parzen.compute.arrays import Array
from parzen.decisions.decision import Decision
from parzen.decisions.p_values import NullDistribution, benjamini_hochberg
from parzen.decisions.scores import brier_scores, score_probabilities
from parzen.estimators.classify.bayes import BayesClassifier, NaiveBayes
from parzen.estimators.classify.comparison import compare_learning
from parzen.estimators.classify.logistic import LogisticRegression
from parzen.families.categorical import Categorical
from parzen.families.gaussian import Gaussian
from parzen.families.kernel import Kernel
from parzen.families.mixture import Mixture
from parzen.families.product import Product
from parzen.report.numbers import interval_of_mean, rounded, share

#: Rows that models learn from, that kernels do, and that learning curves do, at most; folds.
ROWS, KERNELS, CURVES, FOLDS = 12_000, 5_000, 3_000, 5
#: Most columns of numbers of a joint kernel density, most terms of a logistic regression of degree 2.
KERNEL_WIDE, TERMS = 6, 700

Progress = Callable[[str], None]


def models(X: Any, numbers: list[str], categories: list[str], n: int) -> tuple[dict[str, Any], list[str]]:
    """The models that a table allows, by name; and why others are left out."""
    left: list[str] = []
    found: dict[str, Any] = {"naive Bayes": ("generative", NaiveBayes())}
    rest = {tuple(categories): Categorical()} if categories else {}

    def joint(family: Any) -> Any:
        return BayesClassifier(Product({tuple(numbers): family, **rest}) if rest else family, random_state=0)

    if numbers:
        found["linear discriminant"] = ("generative", joint(Gaussian(shared=True)))
        found["quadratic discriminant"] = ("generative", joint(Gaussian()))
        found["mixture discriminant"] = ("generative", joint(Mixture(Gaussian(), 2)))
        if len(numbers) > KERNEL_WIDE:
            left.append(f"Kernel Bayes is left out: {len(numbers)} columns of numbers are too many for joint kernels.")
        elif n > KERNELS:
            left.append(f"Kernel Bayes is left out: it keeps all rows, and {n:,} are more than {KERNELS:,}.")
        else:
            found["kernel Bayes"] = ("generative", filled(joint(Kernel()), numbers, categories))
    else:
        left.append("Discriminant analysis is left out: it needs columns of numbers.")
    wide = len(numbers) + sum(min(int(X[name].nunique()), 20) for name in categories)
    found["logistic, linear"] = ("discriminative", coded(LogisticRegression(), numbers, categories))
    if wide * (wide + 3) // 2 <= TERMS:
        found["logistic, quadratic"] = ("discriminative", coded(LogisticRegression(degree=2), numbers, categories))
    else:
        left.append(f"Quadratic logistic regression is left out: {wide} columns have too many products.")
    return found, left


def coded(model: Any, numbers: list[str], categories: list[str]) -> Any:
    """A model that reads numbers alone: gaps filled by the median, categories as columns of zeros and ones."""
    steps: list[Any] = []
    if numbers:
        steps.append(("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers))
    if categories:
        fill = SimpleImputer(strategy="constant", fill_value="(missing)", missing_values=None)
        hot = OneHotEncoder(handle_unknown="ignore", max_categories=20, sparse_output=False)
        steps.append(("categories", make_pipeline(fill, hot), categories))
    return make_pipeline(ColumnTransformer(steps), model)


def filled(model: Any, numbers: list[str], categories: list[str]) -> Any:
    """A model whose numbers must be there: gaps filled by the median."""
    fill = SimpleImputer(strategy="median").set_output(transform="pandas")
    steps: list[Any] = [("numbers", fill, numbers)]
    if categories:
        steps.append(("categories", "passthrough", categories))
    whole = ColumnTransformer(steps, verbose_feature_names_out=False).set_output(transform="pandas")
    return make_pipeline(whole, model)


def out_of_fold(model: Any, X: Any, codes: NDArray[np.intp], K: int, folds: Any) -> tuple[Array, float]:
    """Probabilities of rows by models that have not seen them, (n, K), and seconds of a fit."""
    P, seconds = np.zeros((len(codes), K)), 0.0
    for train, test in folds:
        fitted = clone(model)
        begun = time.perf_counter()
        fitted.fit(X.iloc[train] if hasattr(X, "iloc") else X[train], codes[train])
        seconds += time.perf_counter() - begun
        found = fitted.predict_proba(X.iloc[test] if hasattr(X, "iloc") else X[test])
        P[np.ix_(test, fitted.classes_)] = found
    return P, seconds / len(folds)


def judged(
    name: str, kind: str, P: Array, codes: NDArray[np.intp], decision: Decision, seconds: float
) -> dict[str, Any]:
    """Scores of out-of-fold probabilities, each with its interval."""
    n, K = P.shape
    own = P[np.arange(n), codes]
    error = score_probabilities(codes, P, np.arange(K)).calibration_error()
    cost = decision.matrix(K)[np.asarray(decision.risk(P).argmin(axis=1)), codes]
    return {
        "name": name,
        "kind": kind,
        "accuracy": share(int((P.argmax(axis=1) == codes).sum()), n),
        "log_loss": interval_of_mean(-np.log(np.maximum(own, 1e-300))),
        "brier": interval_of_mean(brier_scores(P, codes)),
        "calibration_error": {
            "value": rounded(error.expected if error.expected > 1e-9 else 0.0),
            "low": rounded(error.low),
            "high": rounded(error.high),
        },
        "cost": interval_of_mean(cost),
        "seconds": rounded(seconds, 3),
    }


def reliability(P: Array, codes: NDArray[np.intp], K: int) -> list[dict[str, Any]]:
    """What was said and what came, over all classes together."""
    found = score_probabilities(codes, P, np.arange(K), n_bins=10).reliability(1 if K == 2 else None)
    return [
        {"said": rounded(a), "came": rounded(b), "low": rounded(low), "high": rounded(high), "rows": int(rows)}
        for a, b, low, high, rows in zip(
            found.predicted, found.observed, found.low, found.high, found.effective_size, strict=True
        )
    ]


def thresholds(P: Array, codes: NDArray[np.intp], decision: Decision, names: list[str]) -> dict[str, Any] | None:
    """For two classes: how rows are decided at each threshold, for a slider."""
    if P.shape[1] != 2 or decision.matrix(2).shape != (2, 2):
        return None
    places = np.linspace(0, 1, 101)
    above = P[:, 1][:, None] >= places
    second = codes == 1
    loss = decision.matrix(2)
    best = decision.threshold()
    return {
        "thresholds": [rounded(place) for place in places],
        "caught": above[second].sum(axis=0).tolist(),
        "alarms": above[~second].sum(axis=0).tolist(),
        "rows": [int((~second).sum()), int(second.sum())],
        "loss": loss.tolist(),
        "classes": names,
        "best": rounded(best) if isinstance(best, float) and np.isfinite(best) else None,
    }


def telling(X: Any, codes: NDArray[np.intp], names: list[str], K: int, classes: list[str]) -> list[dict[str, Any]]:
    """How much each column alone says of the class, in nats, out of fold; and of which class most."""
    prior = np.bincount(codes, minlength=K) / len(codes)
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(np.zeros(len(codes)), codes))
    out = []
    for name in names:
        P, _ = out_of_fold(NaiveBayes(), X[[name]], codes, K, folds)
        gain = np.log(np.maximum(P[np.arange(len(codes)), codes], 1e-300)) - np.log(prior[codes])
        each = [float(gain[codes == k].mean()) for k in range(K)]
        out.append(
            {
                "column": name,
                "information": interval_of_mean(gain),
                "classes": [rounded(value, 3) for value in each],
                "most": classes[int(np.argmax(each))],
            }
        )
    return sorted(out, key=lambda one: -(one["information"]["value"] or 0.0))


def unlike(X: Any, ranked: list[str]) -> list[str]:
    """The most telling column, and the next that is not nearly the same (a rank correlation of 0.9 or more)."""
    ranks = X[ranked].rank()
    near = ranks.corrwith(ranks[ranked[0]]).abs()
    return [ranked[0], next((name for name in ranked[1:] if not near[name] >= 0.9), ranked[1])]


def regions(
    X: Any, codes: NDArray[np.intp], pair: list[str], classes: list[str], rng: np.random.Generator
) -> dict[str, Any]:
    """Which class is likeliest over two columns, by Gaussians of each class."""
    table = X[pair].dropna()
    own = codes[X[pair].notna().all(axis=1).to_numpy()]
    rows = table.to_numpy(dtype=np.float64)
    ends = np.quantile(rows, [0.005, 0.995], axis=0)
    margin = 0.08 * np.maximum(ends[1] - ends[0], 1e-12)
    axes = [np.linspace(ends[0, j] - margin[j], ends[1, j] + margin[j], 56) for j in range(2)]
    mesh = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
    model = BayesClassifier(Gaussian()).fit(rows, own)
    P = model.predict_proba(mesh)
    winner = model.classes_[P.argmax(axis=1)]
    inside = ((rows >= ends[0] - margin) & (rows <= ends[1] + margin)).all(axis=1)
    shown = np.flatnonzero(inside)
    shown = np.sort(rng.choice(shown, min(len(shown), 700), replace=False))
    return {
        "columns": pair,
        "grid": [[rounded(value, 5) for value in axis] for axis in axes],
        "winner": winner.reshape(56, 56).tolist(),
        "sure": [[rounded(value, 2) for value in row] for row in P.max(axis=1).reshape(56, 56)],
        "points": [[rounded(a, 5), rounded(b, 5), int(k)] for (a, b), k in zip(rows[shown], own[shown], strict=True)],
        "classes": classes,
        "see": f"Over “{pair[0]}” and “{pair[1]}”, telling columns of numbers that differ: a Gaussian for each class.",
    }


def misfits(
    X: Any, codes: NDArray[np.intp], labels: list[Any], classes: list[str], fdr: float = 0.05
) -> dict[str, Any]:
    """Rows that are unlikely in every class."""
    model = NaiveBayes().fit(X, codes)
    scores = model.density_.log_density(model.schema_.encode(X)).max(axis=1)
    p = NullDistribution.from_scores(scores).p_values(scores)
    flags = benjamini_hochberg(p, fdr)
    worst = np.argsort(p, kind="stable")[: min(max(int(flags.sum()), 3), 15)]
    many = int(flags.sum())
    return {
        "fdr": fdr,
        "flagged": many,
        "rows": len(scores),
        "worst": [
            {"row": labels[i], "p": rounded(p[i], 3), "class": classes[codes[i]], "flagged": bool(flags[i])}
            for i in worst
        ],
        "see": (
            f"{many} of {len(scores):,} rows are unlikely in every class; look before you trust what is said of them."
            if many
            else f"No row is so unlikely in every class that it stands out (at a false discovery rate of {fdr:.0%})."
        ),
    }


def learning(X: Any, y: Any, numbers: list[str], categories: list[str], repeats: int = 5) -> dict[str, Any] | None:
    """Error and log loss of naive Bayes and of logistic regression, over the rows that they learn from."""
    most = int(0.7 * len(y))
    K = len(np.unique(y))
    if most < max(4 * K, 20):
        return None
    sizes = np.unique(np.geomspace(max(4 * K, 20), most, 6).astype(int)).tolist()
    found = compare_learning(
        NaiveBayes(), coded(LogisticRegression(), numbers, categories), X, y, sizes=sizes, repeats=repeats,
        names=("naive Bayes", "logistic, linear"), random_state=0,
    )  # fmt: skip
    out: dict[str, Any] = {"sizes": found.sizes.tolist(), "names": list(found.names), "repeats": repeats}
    for measure in ("error", "log_loss"):
        values = getattr(found, measure)
        middle, (low, high) = values.mean(axis=2), np.quantile(values, [0.1, 0.9], axis=2)
        out[measure] = [
            [{"value": rounded(m), "low": rounded(a), "high": rounded(b)} for m, a, b in zip(*rows, strict=True)]
            for rows in zip(middle, low, high, strict=True)
        ]
    winner, at = found.winner(), found.crossing()
    out["see"] = (
        "With more rows neither is better than the other."
        if winner is None
        else f"{winner.capitalize()} has the lower log loss in the end"
        + (f", from {at} rows on." if at is not None and at > found.sizes[0] else ".")
    )
    return out
