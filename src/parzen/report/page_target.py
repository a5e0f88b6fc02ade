"""Sections of a page about a target: models, decisions, calibration, and what columns tell about the class."""

from html import escape
from typing import Any

from parzen.report.markup import Section, chart, interval, number, pair, paragraph, percent, table

#: Most classes in a table of classes, in a confusion matrix, and with words of their own; most columns of information.
CLASSES, CONFUSED, WORDED, COLUMNS = 30, 12, 12, 20


def _models(summary: dict[str, Any]) -> Section | None:
    if "models" not in summary:
        return None
    target = summary["target"]
    priors = table(
        ["class", "rows", "class prior"],
        [
            [escape(one["name"]), number(one["rows"]), interval(one["prior"], as_percent=True)]
            for one in target["classes"][:CLASSES]
        ],
    )
    loss = "the given loss" if target["loss_given"] else "a loss of 1 for each error"
    note = (
        f"All scores are of held-out rows (five-fold cross-validation over {target['rows']:,} rows). The cost is the "
        f"mean cost of the decisions that minimise the expected cost, with {loss}."
    )
    caption = "Blue: generative models. Orange: discriminative models. Lines are 95% intervals."
    return Section(
        "models",
        "Comparison of models",
        paragraph(summary["models_finding"])
        + pair(chart("models", caption), priors)
        + paragraph(note, soft=True)
        + _scores(summary)
        + _confusion(summary),
    )


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
    return table(head, rows, best)


def _confusion(summary: dict[str, Any]) -> str:
    found = summary["confusion"]
    names = found["classes"]
    if len(names) > CONFUSED:
        return ""
    rows = [[escape(name), *(number(n) for n in row)] for name, row in zip(names, found["counts"], strict=False)]
    text = f"Confusion matrix of “{found['model']}” on held-out rows, with decisions that minimise the expected cost:"
    return paragraph(text) + table(["decision", *(f"true class: {name}" for name in names)], rows)


def _threshold(summary: dict[str, Any]) -> Section | None:
    found = summary.get("threshold")
    if not found:
        return None
    caption = (
        "Move the threshold, or change what errors cost. The curve is the mean cost of a row over the threshold; its "
        f"minimum is the best threshold for these costs. Predicted probabilities of “{summary['best']}”."
    )
    return Section("threshold", "Decision threshold", chart("threshold", caption))


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
    return Section("calibration", "Calibration", pair(chart("calibration", caption), right))


def _information(summary: dict[str, Any]) -> Section | None:
    found = summary.get("information")
    if not found:
        return None
    rows = [[escape(one["column"]), interval(one["information"]), escape(one["most_about"])] for one in found[:COLUMNS]]
    first = found[0]
    caption = f"“{first['column']}” alone is the most informative column, above all about “{first['most_about']}”."
    note = (
        "How much a column alone raises the mean log probability of the true class above the class prior, on held-out "
        "rows, by naive Bayes."
    )
    return Section(
        "information",
        "Information of each column about the class",
        paragraph(note, soft=True)
        + pair(chart("information", caption), table(["column", "nats", "most about class"], rows)),
    )


def _words(summary: dict[str, Any]) -> Section | None:
    found = summary.get("words")
    if not found:
        return None
    cards = []
    for index, one in enumerate(found[:WORDED]):
        rows = [[escape(word["word"]), interval(word), number(word["rows"])] for word in one["words"]]
        caption = f"Words that are more frequent in “{one['class']}” than in the other classes, the most certain first."
        both = pair(chart("words", caption, index), table(["word", "log-odds ratio", "rows"], rows))
        cards.append(f"<h3>{escape(one['class'])}</h3>{both}")
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
    return Section("regions", "Decision regions", both)


def _learning_curves(summary: dict[str, Any]) -> Section | None:
    found = summary.get("learning_curves")
    if not found:
        return None
    rows = [
        [number(size), *(interval(line[i]) for measure in ("error", "log_loss") for line in found[measure])]
        for i, size in enumerate(found["sizes"])
    ]
    head = ["training rows", *(f"{measure}, {name}" for measure in ("error", "log loss") for name in found["names"])]
    caption = f"{found['finding']} Bands hold 80% of {found['repeats']} repetitions."
    return Section("learning", "Learning curves", pair(chart("learning", caption), table(head, rows)))


def _class_outliers(summary: dict[str, Any]) -> Section | None:
    found = summary.get("class_outliers")
    if not found:
        return None
    rows = [
        [number(one["row"]), escape(one["class"]), number(one["p_value"]), "yes" if one["flagged"] else ""]
        for one in found["worst"]
    ]
    text = f"{found['finding']} Rows are numbered from 0."
    return Section(
        "class-outliers",
        "Rows unlikely in every class",
        paragraph(text) + table(["row", "class", "p-value", "outlier"], rows),
    )


SECTIONS = (
    _models,
    _threshold,
    _calibration,
    _information,
    _words,
    _regions,
    _learning_curves,
    _class_outliers,
)
