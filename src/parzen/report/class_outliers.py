"""Rows that are unlikely in every class."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.decisions.p_values import NullDistribution, benjamini_hochberg
from parzen.estimators.classify.naive_bayes import NaiveBayes
from parzen.report.intervals import rounded


def class_outliers(
    X: Any, codes: NDArray[np.intp], rows: Sequence[int], classes: Sequence[str], fdr: float = 0.05
) -> dict[str, Any]:
    """Rows whose largest class-conditional density, by naive Bayes, is an outlier at a false discovery rate."""
    model = NaiveBayes().fit(X, codes)
    largest = model.density_.log_density(model.schema_.encode(X)).max(axis=1)
    p = NullDistribution.from_scores(largest).p_values(largest)
    flags = benjamini_hochberg(p, fdr)
    many = int(flags.sum())
    worst = np.argsort(p, kind="stable")[: min(max(many, 3), 15)]
    return {
        "fdr": fdr,
        "flagged": many,
        "rows": len(largest),
        "worst": [
            {"row": rows[i], "p_value": rounded(p[i], 3), "class": classes[codes[i]], "flagged": bool(flags[i])}
            for i in worst
        ],
        "finding": (
            f"{many} of {len(largest):,} rows are unlikely in every class, at a false discovery rate of {fdr:.0%}; "
            "check them before you rely on their predictions."
            if many
            else f"No row is unlikely in every class, at a false discovery rate of {fdr:.0%}."
        ),
    }
