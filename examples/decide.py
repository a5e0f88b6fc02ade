"""A posterior is not yet a decision: losses, thresholds, calibration, abstaining: demo/decide.png, and a table.

On the text messages, spambase, adult and heart disease sets of the folder that PARZEN_DATA names (by default
../shared/data); where it is absent, on scikit-learn's breast cancer set alone.
"""

import gzip
import os
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split

from parzen import (
    Decision,
    DecisionClassifier,
    GaussianNB,
    MultinomialNB,
    NaiveBayes,
    expected_cost,
    score_probabilities,
)
from parzen.displays import CostConfusionDisplay, CostCurveDisplay, ReliabilityDisplay, RiskCoverageDisplay

FOLDER = Path(os.environ.get("PARZEN_DATA", Path(__file__).parents[2] / "shared" / "data"))
METHODS = (None, "sigmoid", "isotonic", "temperature", "beta", "venn_abers")


def table(name, target, yes):
    import pandas as pd

    frame = pd.read_csv(FOLDER / name, na_values="?", skipinitialspace=True)
    return frame.drop(columns=target), (frame[target].astype(str).str.strip() == yes).to_numpy().astype(int)


def messages():
    with gzip.open(FOLDER / "sms_spam.tsv.gz", "rt", encoding="utf-8") as file:
        pairs = [line.rstrip("\n").split("\t", 1) for line in file]
    words = CountVectorizer(min_df=2).fit_transform(text for _, text in pairs)
    return words.astype(np.float64), np.array([label == "spam" for label, _ in pairs]).astype(int)


def sets():
    """Name, rows, labels, a classifier, and the loss: [action, class], the second class the rare one."""
    lost, missed = [[0, 1], [20, 0]], [[0, 10], [1, 0]]  # a letter lost; an ill one sent home
    if not FOLDER.exists():
        X, y = load_breast_cancer(return_X_y=True)
        yield "breast cancer", X, 1 - y, GaussianNB(), missed
        return
    yield "text messages", *messages(), MultinomialNB(), lost
    yield "spambase", *table("spambase.csv.gz", "result", "1"), GaussianNB(), lost
    yield "adult", *table("adult.csv.gz", "income", ">50K"), NaiveBayes(), [[0, 5], [1, 0]]
    yield "heart disease", *table("saheart.csv.gz", "chd", "1"), GaussianNB(), [[0, 5], [1, 0]]


def compared(name, X, y, model, loss):
    """Calibration error and cost of each method, on rows that none has seen."""
    train, test, a, b = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)
    decision = Decision(loss, classes=[0, 1])
    fitted = {}
    print(f"\n{name}: act on the second class above {decision.threshold():.3f}")
    print("| calibration | expected calibration error | log loss | expected cost |")
    print("|---|---:|---:|---:|")
    for method in METHODS:
        one = fitted[method] = DecisionClassifier(model, loss=loss, calibration=method).fit(train, a)
        P = one.predict_proba(test)
        found, cost = score_probabilities(b, P), expected_cost(b, decision.act(P), decision)
        error = found.calibration_error()
        print(f"| {method or 'as it is'} | {error.expected:.3f} ({error.low:.3f} to {error.high:.3f}) "
              f"| {found.mean_log_loss:.3f} | {cost:.4f} |")  # fmt: skip
    return fitted, test, b, decision


def pictures(fitted, X, y, decision, path):
    figure, axes = plt.subplots(2, 3, figsize=(14.5, 8.6), layout="constrained")
    before, after = fitted[None], fitted["isotonic"]
    for place, model, name in ((axes[0, 0], before, "as it is"), (axes[0, 1], after, "isotonic")):
        ReliabilityDisplay.from_predictions(y, model.predict_proba(X), name=name, ax=place)
    for model, name in ((before, "as it is"), (after, "isotonic")):
        P = model.predict_proba(X)
        CostCurveDisplay.from_predictions(y, P, decision.loss, name=name, ax=axes[0, 2])
        RiskCoverageDisplay.from_estimator(model, X, y, loss=decision.loss, ax=axes[1, 2])
        axes[1, 2].lines[-1].set_label(f"{name}: {axes[1, 2].lines[-1].get_label().split(': ')[1]}")
    axes[1, 2].legend(frameon=False, fontsize=9)
    for place, model, name in ((axes[1, 0], before, "as it is"), (axes[1, 1], after, "isotonic")):
        display = CostConfusionDisplay.from_predictions(y, decision.act(model.predict_proba(X)), decision, ax=place)
        place.set_title(f"{name}: cost {display.total:.4g} a row", fontsize=10)
    figure.savefig(path, dpi=110)
    print(f"\nThe picture is in {path}.")


def main():
    folder = Path("demo")
    folder.mkdir(exist_ok=True)
    shown = None
    for one in sets():
        found = compared(*one)
        shown = found if shown is None or one[0] == "spambase" else shown
    pictures(*shown, folder / "decide.png")


if __name__ == "__main__":
    main()
