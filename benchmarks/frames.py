"""Naive Bayes of a table of mixed columns, Adult, as pandas and polars hold it; the conversion is part of the job.

The peer is what scikit-learn's users put together: numbers to `GaussianNB`, text through `OrdinalEncoder` to
`CategoricalNB`, both voting with their probabilities. It models less than `NaiveBayes` (a Gaussian for every number;
the two votes are averaged, where Bayes' rule multiplies), and chooses no families: `NaiveBayes` is fitted as it is, and
with the peer's own families, Gaussian and categorical ones. The error is the proportion of rows predicted wrongly.
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
from parzen import Categorical, Gaussian, NaiveBayes, datasets


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
    for kind, frame in frames(X, text).items():
        yield from races(f"Adult 32,561 x 14 ({kind})", frame, y, text)
    yield Memory(f"NaiveBayes.fit, Adult ({kind})", peak_memory(lambda: NaiveBayes().fit(frame, y)))
    few = np.random.default_rng(0).choice(len(X), 1000, replace=False)
    yield from races("1,000 rows of Adult (pandas, text)", X.iloc[few].reset_index(drop=True), y[few], text)
    many = np.random.default_rng(0).integers(len(X), size=1_000_000)
    large = X.iloc[many].reset_index(drop=True)
    yield from races("1,000,000 rows drawn of Adult (pandas, text)", large, y[many], text, repeat=3)


def races(what: str, frame: Any, y: np.ndarray, text: list[str], repeat: int = 9) -> Iterator[Row]:
    """Fit and predict_proba of one frame."""
    numbers = [name for name in frame.columns if name not in text]
    given = {name: Gaussian("diag", estimate="bayes") for name in numbers} | {tuple(text): Categorical()}
    ours, theirs = NaiveBayes().fit(frame, y), usual(numbers, text).fit(frame, y)

    def wrong(probabilities: np.ndarray) -> float:
        return float((probabilities.argmax(axis=1) != y).mean())

    for name, columns in (("NaiveBayes", "auto"), ("NaiveBayes, families given", given)):
        yield race(
            f"{name}.fit, {what}", "scikit-learn's pipeline",
            lambda columns=columns: NaiveBayes(columns).fit(frame, y), lambda: usual(numbers, text).fit(frame, y),
            lambda model: wrong(model.predict_proba(frame)), target=10, repeat=repeat,
        )  # fmt: skip
    yield race(
        f"NaiveBayes.predict_proba, {what}", "scikit-learn's pipeline",
        lambda: ours.predict_proba(frame), lambda: theirs.predict_proba(frame), wrong, target=10, repeat=repeat,
    )  # fmt: skip
