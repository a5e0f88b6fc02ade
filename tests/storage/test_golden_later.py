"""Golden files of models that came after the others of their version, each with its own answers.

``python -m tests.storage.test_golden_later NAME`` writes those of one model, once; never again.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from parzen import LogisticRegression, TextClassifier, load

GOLDEN = Path(__file__).parents[1] / "golden" / "version2"
TABLE = pd.DataFrame(
    {
        "age": [31.5, 40, 52, np.nan, 23, 64, 45, 38],
        "city": ["Oslo", "Lund", "Oslo", "Oslo", "Lund", "Graz", None, "Lund"],
        "kind": pd.Categorical(list("abababab"), categories=["b", "a"]),
        "member": [True, False] * 4,
    }
)
TEXTS = ["win a prize", "a prize for you", "see you at home", "at seven", None, "ünlü home", "win", "you"]
Y = np.array(["no", "yes", "no", "no", "yes", "yes", "no", "yes"])
NEW = pd.DataFrame({"age": [np.nan, 35.0], "city": ["Rome", None], "kind": ["b", "a"], "member": [True, False]})
MODELS = {
    "logistic_table": (LogisticRegression(degree=2, standardise=True), TABLE, NEW),
    "text_classifier": (TextClassifier(), TEXTS, ["a prize", None, "new words at home"]),
}


@pytest.mark.parametrize("name", MODELS)
def test_they_answer_as_they_did(name):
    with np.load(GOLDEN / f"{name}.npz") as told:
        found = load(GOLDEN / f"{name}.parzen").predict_log_proba(MODELS[name][2])
        np.testing.assert_allclose(found, told["predict_log_proba"], rtol=1e-12, atol=1e-12)


def main(name):
    model, X, new = MODELS[name]
    model.fit(X, Y).save(GOLDEN / f"{name}.parzen")
    np.savez_compressed(GOLDEN / f"{name}.npz", predict_log_proba=model.predict_log_proba(new))


if __name__ == "__main__":
    main(sys.argv[1])
