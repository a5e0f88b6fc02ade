"""Sections of a page about a target: models, decisions, calibration, and what columns tell about the class."""

from html import escape
from typing import Any

from parzen.report.markup import Section, chart, interval, number, pair, paragraph, percent, table
from parzen.report.page_table import reasons
from parzen.report.phrases import fraction, listed, share
from parzen.report.verdict import calibrated, informative, informed

#: Most classes in a table of classes, beside a chart, in a confusion matrix, and with words of their own.
CLASSES, BESIDE, CONFUSED, WORDED = 50, 6, 12, 12
#: Most columns of information.
COLUMNS = 20


def _models(summary: dict[str, Any]) -> Section | None:
    if "models" not in summary:
        return None
    target = summary["target"]
    loss = "the given loss" if target["loss_given"] else "a loss of 1 for each error"
    note = (
        f"Scores of held-out rows (five-fold cross-validation over {target['rows']:,} rows); the class prior is that "
        "of all of these rows. Log loss: mean negative logarithm of the predicted probability of the true class, in "
        "nats. Brier score: mean squared difference between predicted probabilities and the true class, from 0 to "
        f"{'1' if len(target['classes']) == 2 else '2'}. Expected calibration error: mean absolute difference between "
        "predicted probabilities and observed frequencies; it is above 0 by chance also for calibrated probabilities, "
        f"and its interval then begins at 0. Cost: mean cost of the decisions of least expected cost, with {loss}."
    )
    models = chart("models", "Blue: generative models. Orange: discriminative models. Lines are 95% intervals.")
    return Section(
        "models",
        "Comparison of models",
        paragraph(summary["models_finding"])
        + (pair(models, _classes(target)) if len(target["classes"]) <= BESIDE else models)
        + paragraph(note, soft=True)
        + _scores(summary),
        summary["models_finding"],
        is_open=True,
    )


def _classes(target: dict[str, Any]) -> str:
    """The classes of the table, with their counts; and those of the rows in the models, where they are fewer."""
    classes = target["classes"]
    sampled = any(one["rows"] != one["rows_in_models"] for one in classes)
    rows = [
        [
            escape(one["name"]),
            number(one["rows"]),
            *([number(one["rows_in_models"])] if sampled else []),
            interval(one["prior"], as_percent=True),
        ]
        for one in classes[:CLASSES]
    ]
    more = paragraph(f"The first {CLASSES} of {len(classes)} classes.", soft=True) if len(classes) > CLASSES else ""
    return table(["class", "rows", *(["rows in models"] if sampled else []), "class prior"], rows) + more


def _scores(summary: dict[str, Any]) -> str:
    head = ["model", "kind", "accuracy", "log loss", "Brier score", "expected calibration error", "cost per row",
            "fit time (s)"]  # fmt: skip
    rows = [
        [
            escape(one["name"]),
            escape(one["kind"]),
            interval(one["accuracy"], as_percent=True),
            *(interval(one[score]) for score in ("log_loss", "brier_score", "calibration_error", "cost")),
            number(one["fit_seconds"]),
        ]
        for one in summary["models"]
    ]
    best = next(i for i, one in enumerate(summary["models"]) if one["name"] == summary["best"])
    return table(head, rows, best, text=(1,))


def _confusion(summary: dict[str, Any]) -> Section | None:
    found = summary.get("confusion")
    if not found:
        return None
    names = found["classes"]
    many = _classes(summary["target"]) if len(names) > BESIDE else ""
    right, total = (sum(found["counts"][k][k] for k in range(len(names))), sum(map(sum, found["counts"])))
    finding = f"{right:,} of {total:,} decisions of “{found['model']}” are correct ({share(right, total)})."
    if len(names) > CONFUSED:
        return Section("confusion", "Classes", many, finding)
    rows = [[escape(name), *(number(n) for n in row)] for name, row in zip(names, found["counts"], strict=False)]
    text = (
        f"Confusion matrix of “{found['model']}” on held-out rows, with decisions that minimise the expected cost. "
        "Columns are true classes:"
    )
    markup = many + paragraph(text) + table(["decision", *names], rows, matrix=True)
    return Section("confusion", "Confusion matrix", markup, finding)


def _threshold(summary: dict[str, Any]) -> Section | None:
    found = summary.get("threshold")
    if not found:
        return None
    caption = (
        "Move the threshold, or change what errors cost. The curve is the mean cost per row on held-out rows, over the "
        f"threshold of the probability that “{summary['best']}” predicts."
    )
    best = found["best"]
    finding = (
        ""
        if best is None
        else f"By these costs, decide for “{found['classes'][1]}” where its posterior probability is {fraction(best)} "
        "or more."
    )
    return Section("threshold", "Decision threshold", chart("threshold", caption), finding)


def _calibration(summary: dict[str, Any]) -> Section | None:
    if "calibration" not in summary:
        return None
    rows = [
        [
            percent(one["predicted_probability"]),
            interval(one, "observed_frequency", as_percent=True),
            number(one["rows"]),
        ]
        for one in summary["calibration"][summary["best"]]
    ]
    classes = summary["target"]["classes"]
    whose = f"the class “{classes[1]['name']}”" if len(classes) == 2 else "the most probable class"
    caption = (
        f"Reliability diagram of {whose}. On the dashed line, predicted probabilities equal observed frequencies; "
        "below it they are too high, above it too low."
    )
    right = paragraph(f"“{summary['best']}”", soft=True) + table(
        ["predicted probability", "observed frequency", "rows"], rows
    )
    return Section("calibration", "Calibration", pair(chart("calibration", caption), right), calibrated(summary) or "")


def _information(summary: dict[str, Any]) -> Section | None:
    every = summary.get("information")
    if not every:
        return None
    found = [one for one in every if informative(one)]
    finding = informed(summary) or ""
    note = (
        "Information of a column alone: how far it lowers the log loss on held-out rows below that of the class prior, "
        "in nats (an estimate of its mutual information with the class). A column is shown where the interval lies "
        "above 0."
    )
    rest = [one["column"] for one in every if not informative(one)]
    others = paragraph(f"Not clearly informative alone: {listed(rest, 12)}.", soft=True) if rest else ""
    if not summary.get("regions"):
        text = "No decision regions are drawn: that takes two numeric columns that are clearly informative alone."
        others += paragraph(text, soft=True)
    if not found:
        markup = paragraph(finding)
    else:
        rows = [
            [escape(one["column"]), interval(one["information"]), escape(one["most_about"])] for one in found[:COLUMNS]
        ]
        more = f" The first {COLUMNS} of {len(found)} columns are shown." if len(found) > COLUMNS else ""
        markup = pair(
            chart("information", finding + more), table(["column", "information (nats)", "most about class"], rows)
        )
    title = "Mutual information of each column with the class"
    return Section("information", title, paragraph(note, soft=True) + markup + others, finding)


def _words(summary: dict[str, Any]) -> Section | None:
    found = summary.get("words")
    if not found:
        return None
    cards = []
    for index, one in enumerate(found[:WORDED]):
        clear = [word for word in one["words"] if word["low"] > 0]
        rows = [[escape(word["word"]), interval(word), number(word["rows"])] for word in clear]
        if rows:
            caption = (
                f"Words that are more frequent in “{one['class']}” than in the other classes, the most certain first."
            )
            inner = pair(chart("words", caption, index), table(["word", "log-odds ratio", "rows"], rows))
        else:
            inner = paragraph("No word is clearly more frequent in this class than in the others.")
        cards.append(f"<h3>{escape(one['class'])}</h3>{inner}")
    if len(found) > WORDED:
        cards.append(paragraph(f"The first {WORDED} of {len(found)} classes.", soft=True))
    return Section("words", "Words that indicate each class", "".join(cards))


def _regions(summary: dict[str, Any]) -> Section | None:
    found = summary.get("regions")
    if not found:
        return None
    rows = [
        [escape(one["column"]), interval(one["information"])]
        for one in summary["information"]
        if one["column"] in found["columns"]
    ]
    both = pair(chart("regions", found["finding"]), table(["column", "information (nats)"], rows))
    return Section("regions", "Decision regions", both, found["finding"])


def _learning_curves(summary: dict[str, Any]) -> Section | None:
    found = summary.get("learning_curves")
    if not found:
        return None
    rows = [
        [number(size), *(interval(line[i]) for measure in ("error", "log_loss") for line in found[measure])]
        for i, size in enumerate(found["sizes"])
    ]
    head = ["training rows", *(f"{measure}, {name}" for measure in ("error", "log loss") for name in found["names"])]
    caption = f"{found['finding']} Bands, and small numbers in the table, hold 80% of {found['repeats']} repetitions."
    return Section("learning", "Learning curves", chart("learning", caption) + table(head, rows), found["finding"])


def _class_outliers(summary: dict[str, Any]) -> Section | None:
    found = summary.get("class_outliers")
    if not found:
        return None
    rows = [
        [
            escape(str(one["row"])),
            escape(one["class"]),
            number(one["p_value"]),
            "yes" if one["flagged"] else "no",
            reasons(one),
        ]
        for one in found["worst"]
    ]
    more = found["flagged"] - sum(one["flagged"] for one in found["worst"])
    text = f"{found['finding']} Rows are numbered from 0." + (f" {more:,} more are not listed." if more else "")
    head = ["row", "class", "p-value", "outlier", "cells that make it unlikely"]
    markup = paragraph(text) + table(head, rows, text=(1, 4))
    return Section("class-outliers", "Rows unlikely in every class", markup, found["finding"])


SECTIONS = (
    _models,
    _confusion,
    _threshold,
    _calibration,
    _information,
    _words,
    _regions,
    _learning_curves,
    _class_outliers,
)
