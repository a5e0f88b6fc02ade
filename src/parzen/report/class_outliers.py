"""Rows that are unlikely in every class, and the columns that make them so."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.decisions.p_values import NullDistribution, below_ranks, benjamini_hochberg
from parzen.estimators.classify.naive_bayes import NaiveBayes
from parzen.estimators.outlier.explanation import contributions, typical_values
from parzen.estimators.outlier.score_tail import score_tail
from parzen.report.intervals import rounded
from parzen.report.outliers import explained
from parzen.report.phrases import counted


def class_outliers(
    frame: Any, X: Any, codes: NDArray[np.intp], rows: Sequence[int], classes: Sequence[str], fdr: float = 0.05
) -> dict[str, Any]:
    """Rows whose largest class-conditional density, by naive Bayes, is an outlier at a false discovery rate.

    A column's contribution is that of an outlier: the rise of the largest class-conditional log-density with the most
    likely of the column's typical values. The cells that are shown are those of `frame`, where `rows` counts.
    """
    model = NaiveBayes().fit(X, codes)
    encoded = model.schema_.encode(X)

    def largest(matrix: Array) -> Array:
        return np.asarray(model.density_.log_density(matrix).max(axis=1))

    scores = largest(encoded)
    found = score_tail(scores, None)
    ranks = NullDistribution.from_scores(scores).conformal_p_values(scores)
    p = ranks if found is None else below_ranks(ranks, found[1])
    flags = benjamini_hochberg(p, fdr)
    many = int(flags.sum())
    worst = np.argsort(p, kind="stable")[: min(max(many, 3), 15)]
    gains, _ = contributions(largest, encoded[worst], typical_values(encoded), scores[worst], None)
    names = [str(name) for name in X.columns]
    return {
        "fdr": fdr,
        "flagged": many,
        "rows": len(scores),
        "worst": [
            {
                "row": rows[i],
                "p_value": rounded(p[i], 3),
                "class": classes[codes[i]],
                "flagged": bool(flags[i]),
                **explained(frame.iloc[[rows[i]]], names, own),
            }
            for i, own in zip(worst, gains, strict=True)
        ],
        "finding": (
            f"{many:,} of {counted(len(scores), 'row')} {'is' if many == 1 else 'are'} unlikely in every class, at a "
            f"false discovery rate of {fdr:.0%}; look at such rows before you rely on their predictions."
            if many
            else f"No row is unlikely in every class, at a false discovery rate of {fdr:.0%}."
        ),
    }
