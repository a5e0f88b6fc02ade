"""Naive Bayes of a table of mixed columns, Adult, as pandas and polars hold it; the conversion is part of the job.

The peer is what scikit-learn's users put together: numbers to `GaussianNB`, text through `OrdinalEncoder` to
`CategoricalNB`, both voting with their probabilities. It models less than `NaiveBayes` (a Gaussian for every number;
the two votes are averaged, where Bayes' rule multiplies). The error is the proportion of rows predicted wrongly.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import VotingClassifier
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder

from benchmarks.harness import Memory, Row, peak_memory, race
from parzen import NaiveBayes, datasets


def from_one(codes: np.ndarray) -> np.ndarray:
    """Codes from 0 on, 0 for categories that are missing or new."""
    return codes + 1


def usual(numbers: list[str], text: list[str]) -> VotingClassifier:
    """The usual pipeline for numbers and text."""
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-1)
    gaussian = make_pipeline(ColumnTransformer([("numbers", "passthrough", numbers)]), GaussianNB())
    categorical = make_pipeline(
        ColumnTransformer([("text", encoder, text)]), FunctionTransformer(from_one), CategoricalNB()
    )
    return VotingClassifier([("numbers", gaussian), ("text", categorical)], voting="soft")


def frames(X: pd.DataFrame, text: list[str]) -> dict[str, Any]:
    """The same table, with text as each library may hold it."""
    polars = pl.from_pandas(X)
    fixed = [pl.col(name).cast(pl.Enum(sorted(polars[name].drop_nulls().unique()))) for name in text]
    return {
        "pandas, text": X,
        "pandas, objects": X.astype(dict.fromkeys(text, object)),
        "pandas, categories": X.astype(dict.fromkeys(text, "category")),
        "polars, text": polars,
        "polars, Categorical": polars.with_columns(pl.col(text).cast(pl.Categorical)),
        "polars, Enum": polars.with_columns(fixed),
    }


def rows() -> Iterator[Row | Memory]:
    X, y = datasets.load_adult(return_X_y=True, as_frame=True)
    y = np.asarray(y)
    text = [name for name in X.columns if X[name].dtype.kind not in "iuf"]
    numbers = [name for name in X.columns if name not in text]

    def wrong(probabilities: np.ndarray) -> float:
        return float((probabilities.argmax(axis=1) != y).mean())

    for kind, frame in frames(X, text).items():
        what = f"Adult 32,561 x 14 ({kind})"
        ours, theirs = NaiveBayes().fit(frame, y), usual(numbers, text).fit(frame, y)
        yield race(
            f"NaiveBayes.fit, {what}", "scikit-learn's pipeline",
            lambda frame=frame: NaiveBayes().fit(frame, y),
            lambda frame=frame: usual(numbers, text).fit(frame, y),
            lambda model, frame=frame: wrong(model.predict_proba(frame)), target=10,
        )  # fmt: skip
        yield race(
            f"NaiveBayes.predict_proba, {what}", "scikit-learn's pipeline",
            lambda ours=ours, frame=frame: ours.predict_proba(frame),
            lambda theirs=theirs, frame=frame: theirs.predict_proba(frame), wrong, target=10,
        )  # fmt: skip
    yield Memory(f"NaiveBayes.fit, {what}", peak_memory(lambda: NaiveBayes().fit(frame, y)))
    yield Memory(f"NaiveBayes.predict_proba, {what}", peak_memory(lambda: ours.predict_proba(frame)))
