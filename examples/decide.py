"""python examples/decide.py [messages.tsv.gz]: losses, thresholds, calibration, abstaining: demo/decide.png.

Calibration errors and costs of six calibration methods on the Spambase, Adult and South African heart disease data, and
on text messages where a file of them is given: one message a line, its label (ham or spam) and a tab before it, as in
the SMS Spam Collection (UCI 228).
"""

import gzip
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
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
from parzen.datasets import load_adult, load_heart_disease, load_spambase
from parzen.displays import CostConfusionDisplay, CostCurveDisplay, ReliabilityDisplay, RiskCoverageDisplay

METHODS = (None, "sigmoid", "isotonic", "temperature", "beta", "venn_abers")


def load_messages(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        pairs = [line.rstrip("\n").split("\t", 1) for line in file]
    words = CountVectorizer(min_df=2).fit_transform(text for _, text in pairs)
    return words.astype(np.float64), np.array([label == "spam" for label, _ in pairs]).astype(int)


def problems(messages=None):
    """Name, rows, labels, a classifier, and the loss[action, class]: class 1 is the rarer one."""
    lost, missed = [[0, 1], [20, 0]], [[0, 5], [1, 0]]  # a letter lost costs 20; a case missed 5
    options = {"return_X_y": True, "as_frame": True}
    if messages is not None:
        yield "text messages", *load_messages(messages), MultinomialNB(), lost
    yield "spambase", *load_spambase(**options), GaussianNB(), lost
    yield "adult", *load_adult(**options), NaiveBayes(), missed
    yield "heart disease", *load_heart_disease(**options), GaussianNB(), missed


def compared(name, X, y, model, loss):
    """Calibration error and cost of each method, on held-out rows."""
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
        print(f"| {method or 'none'} | {error.expected:.3f} ({error.low:.3f} to {error.high:.3f}) "
              f"| {found.mean_log_loss:.3f} | {cost:.4f} |")  # fmt: skip
    return fitted, test, b, decision


def pictures(fitted, X, y, decision, path):
    figure, axes = plt.subplots(2, 3, figsize=(14.5, 8.6), layout="constrained")
    before, after = fitted[None], fitted["isotonic"]
    for panel, model, name in ((axes[0, 0], before, "uncalibrated"), (axes[0, 1], after, "isotonic")):
        ReliabilityDisplay.from_predictions(y, model.predict_proba(X), name=name, ax=panel)
    for model, name in ((before, "uncalibrated"), (after, "isotonic")):
        P = model.predict_proba(X)
        CostCurveDisplay.from_predictions(y, P, decision.loss, name=name, ax=axes[0, 2])
        RiskCoverageDisplay.from_estimator(model, X, y, loss=decision.loss, ax=axes[1, 2])
        axes[1, 2].lines[-1].set_label(f"{name}: {axes[1, 2].lines[-1].get_label().split(': ')[1]}")
    axes[1, 2].legend(frameon=False, fontsize=9)
    for panel, model, name in ((axes[1, 0], before, "uncalibrated"), (axes[1, 1], after, "isotonic")):
        display = CostConfusionDisplay.from_predictions(y, decision.act(model.predict_proba(X)), decision, ax=panel)
        panel.set_title(f"{name}: expected cost {display.expected_cost:.4g}", fontsize=10)
    figure.savefig(path, dpi=110)
    print(f"\nThe picture is in {path}.")


def main(messages=None):
    folder = Path("demo")
    folder.mkdir(exist_ok=True)
    shown = None
    for one in problems(messages):
        found = compared(*one)
        shown = found if shown is None or one[0] == "spambase" else shown
    pictures(*shown, folder / "decide.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
