"""What predicts a class from words: bags of words, and the words that speak for each class."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression as Linear
from sklearn.pipeline import make_pipeline

from parzen.estimators.classify.naive import BernoulliNB, ComplementNB, MultinomialNB
from parzen.report.numbers import rounded

#: Most words that are counted, and words that are shown for each class.
WORDS, SHOWN = 20_000, 12


def models() -> dict[str, Any]:
    """Models of bags of words, by name."""
    return {
        "multinomial naive Bayes": ("generative", _bag(MultinomialNB())),
        "Bernoulli naive Bayes": ("generative", _bag(BernoulliNB())),
        "complement naive Bayes": ("generative", _bag(ComplementNB())),
        "logistic, linear": ("discriminative", _bag(Linear(max_iter=300))),
    }


def _bag(model: Any) -> Any:
    return make_pipeline(CountVectorizer(max_features=WORDS, token_pattern=r"(?u)\b\w+\b"), model)


def speaking(texts: Any, codes: NDArray[np.intp], classes: list[str]) -> list[dict[str, Any]]:
    """The words that speak most for each class: log-odds against all others, with an interval of 95%."""
    counter = CountVectorizer(max_features=WORDS, token_pattern=r"(?u)\b\w+\b", binary=True)
    bags = counter.fit_transform(texts)
    names = counter.get_feature_names_out()
    out = []
    for k, name in enumerate(classes):
        own = codes == k
        inside, outside = (np.asarray(bags[rows].sum(axis=0)).ravel() for rows in (own, ~own))
        n, m = int(own.sum()), int((~own).sum())
        a, b, c, d = inside + 0.5, n - inside + 0.5, outside + 0.5, m - outside + 0.5
        odds, spread = np.log(a / b) - np.log(c / d), np.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
        order = np.argsort(-(odds - 1.96 * spread), kind="stable")[:SHOWN]  # surely speaking, not by chance
        out.append(
            {
                "class": name,
                "words": [
                    {
                        "word": str(names[j]),
                        "value": rounded(odds[j], 3),
                        "low": rounded(odds[j] - 1.96 * spread[j], 3),
                        "high": rounded(odds[j] + 1.96 * spread[j], 3),
                        "rows": int(inside[j] + outside[j]),
                    }
                    for j in order
                ],
            }
        )
    return out
