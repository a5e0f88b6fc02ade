"""Classes from words: models of bags of words, and the words that indicate each class."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer

from parzen.report.intervals import rounded
from parzen.report.models import TEXT_MODELS

#: Most words that are counted, and words that are listed for each class.
WORDS, LISTED = 20_000, 12


def word_models() -> dict[str, tuple[str, Any]]:
    """Models of bags of words: whether each is generative or discriminative, and the model, by name."""
    return {one.name: (one.kind, one.make([], [])) for one in TEXT_MODELS}


def _counter(**options: Any) -> Any:
    return CountVectorizer(max_features=WORDS, token_pattern=r"(?u)\b\w+\b", **options)


def class_words(texts: Any, codes: NDArray[np.intp], classes: list[str]) -> list[dict[str, Any]]:
    """The words that indicate each class: log-odds ratios against all other classes, with 95% intervals.

    Words are ordered by the lower end of the interval, so that rare words do not lead by chance.
    """
    counter = _counter(binary=True)
    bags = counter.fit_transform(texts)
    names = counter.get_feature_names_out()
    out = []
    for k, name in enumerate(classes):
        own = codes == k
        inside, outside = (np.asarray(bags[rows].sum(axis=0)).ravel() for rows in (own, ~own))
        a, b = inside + 0.5, own.sum() - inside + 0.5
        c, d = outside + 0.5, (~own).sum() - outside + 0.5
        ratio, error = np.log(a / b) - np.log(c / d), np.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
        low, high = ratio - 1.96 * error, ratio + 1.96 * error
        words = [
            {
                "word": str(names[j]),
                "value": rounded(ratio[j], 3),
                "low": rounded(low[j], 3),
                "high": rounded(high[j], 3),
                "rows": int(inside[j] + outside[j]),
            }
            for j in np.argsort(-low, kind="stable")[:LISTED]
        ]
        out.append({"class": name, "words": words})
    return out
