"""The page of a report: one HTML file that needs nothing else, drawn from a summary and from nothing else."""

import hashlib
import json
from base64 import b64encode
from html import escape
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def page(summary: dict[str, Any]) -> str:
    """One self-contained page of HTML: it opens from disk, asks nothing of any network, and prints.

    Parameters
    ----------
    summary : dict
        What `parzen.report.summarise` has given; or the same, read from JSON.
    """
    script = (FOLDER / "page.js").read_text(encoding="utf-8")
    style = (FOLDER / "page.css").read_text(encoding="utf-8")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'"
    parts = [part for part in _sections(summary) if part]
    links = "".join(f'<a href="#{key}">{escape(title)}</a>' for key, title, _ in parts)
    body = "".join(f'<section id="{key}"><h2>{escape(title)}</h2>{inner}</section>' for key, title, inner in parts)
    target = summary.get("target")
    title = f"{summary['name']}: what predicts {target['name']}" if target else f"{summary['name']}: what it is made of"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body><main><header><div>"
        f"<h1>{escape(title)}</h1><p class='soft'>{summary['rows']:,} rows, {summary['width']:,} columns; parzen "
        f"{escape(str(summary['parzen']))}. Numbers stand with intervals of 95%.</p></div><button id='theme' "
        f"type='button'>dark</button></header><nav>{links}</nav>{_notes(summary)}{body}</main><div id='tip'></div>"
        f"<script type='application/json' id='data'>{_data(summary)}</script><script>{script}</script></body></html>\n"
    )


def _data(summary: dict[str, Any]) -> str:
    """JSON that no parser of HTML takes for markup."""
    text = json.dumps(summary, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _notes(summary: dict[str, Any]) -> str:
    if not summary["notes"]:
        return ""
    return "<div class='notes'><ul>" + "".join(f"<li>{escape(note)}</li>" for note in summary["notes"]) + "</ul></div>"


def _sections(summary: dict[str, Any]) -> list[tuple[str, str, str] | None]:
    makers = (_models, _threshold, _calibration, _telling, _words, _regions, _learning, _misfits)
    wholes = (_columns, _dependence, _mixture, _outliers)
    return [*(make(summary) for make in makers), *(make(summary) for make in wholes)]


# Pieces --------------------------------------------------------------------------------------------------------------


def _chart(kind: str, see: str, place: int | None = None) -> str:
    where = "" if place is None else f' data-place="{place}"'
    return f'<figure><div data-chart="{kind}"{where}></div><figcaption>{escape(see)}</figcaption></figure>'


def _pair(left: str, right: str) -> str:
    return f"<div class='pair'><div>{left}</div><div>{right}</div></div>"


def _table(head: list[str], rows: list[list[str]], best: int | None = None) -> str:
    """A table of cells that are markup already."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = (
        f"<tr{' class=best' if i == best else ''}>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>"
        for i, row in enumerate(rows)
    )
    inside = (f"<thead><tr>{top}</tr></thead>" if any(head) else "") + f"<tbody>{''.join(lines)}</tbody>"
    return f"<div class='scroll'><table>{inside}</table></div>"


def _number(value: Any, digits: int = 3) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return escape(str(value))
    if isinstance(value, int):
        return f"{value:,}"
    plain = 1e-4 <= abs(value) < 1e7 or value == 0
    return f"{float(f'{value:.{max(digits, 4)}g}'):,.10g}" if plain else f"{value:.{digits}g}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _ranged(found: dict[str, Any], percent: bool = False) -> str:
    """A number and its interval."""
    say = _percent if percent else _number
    if found["low"] is None:
        return say(found["value"])
    return f"{say(found['value'])}<span class='range'>{say(found['low'])} to {say(found['high'])}</span>"


def _bar(value: float | None) -> str:
    return f"<div class='bar'><i style='width:{100 * (value or 0):.1f}%'></i></div>"


# With a target -------------------------------------------------------------------------------------------------------


def _models(summary: dict[str, Any]) -> tuple[str, str, str] | None:
    if "models" not in summary:
        return None
    target = summary["target"]
    shares = _table(
        ["class", "rows", "share"],
        [
            [escape(one["name"]), _number(one["rows"]), _ranged(one["share"], percent=True)]
            for one in target["classes"][:30]
        ],
    )
    rows = [
        [
            escape(one["name"]), escape(one["kind"]), _ranged(one["accuracy"], percent=True), _ranged(one["log_loss"]),
            _ranged(one["brier"]), _ranged(one["calibration_error"]), _ranged(one["cost"]), _number(one["seconds"]),
        ]
        for one in summary["models"]
    ]  # fmt: skip
    head = ["model", "kind", "accuracy", "log loss", "Brier", "calibration error", "cost of a row", "seconds"]
    best = next(i for i, one in enumerate(summary["models"]) if one["name"] == summary["best"])
    said = "the loss that was given" if target["loss_given"] else "a loss of 1 for each error"
    note = (
        f"<p class='soft'>Each model was judged on rows that it had not seen (five folds over {target['rows']:,} "
        f"rows); the cost is that of its best decisions for {said}.</p>"
    )
    inner = f"<p>{escape(summary['models_see'])}</p>" + _pair(
        _chart("models", "Blue: generative. Orange: discriminative. Lines are intervals of 95%."), shares
    )
    return (
        "models",
        "Models side by side",
        f"{inner}{note}{_table(head, rows, best)}{_confusion(summary)}",
    )


def _confusion(summary: dict[str, Any]) -> str:
    found = summary["confusion"]
    names = found["classes"]
    if len(names) > 12:
        return ""
    rows = [[escape(name), *(_number(n) for n in row)] for name, row in zip(names, found["counts"], strict=False)]
    return (
        f"<p>The best decisions of “{escape(found['model'])}” for this loss, on rows that it had not seen:</p>"
        f"{_table(['decided', *(f'is {name}' for name in names)], rows)}"
    )


def _threshold(summary: dict[str, Any]) -> tuple[str, str, str] | None:
    found = summary.get("threshold")
    if not found:
        return None
    see = (
        "Move the threshold, or what errors cost: the curve is the average cost of a row, and its lowest place is the "
        "best threshold for these costs."
    )
    return "threshold", "Where to draw the line", _chart("threshold", f"{see} Probabilities of “{summary['best']}”.")


def _calibration(summary: dict[str, Any]) -> tuple[str, str, str] | None:
    if "calibration" not in summary:
        return None
    rows = [
        [
            _percent(one["said"]),
            f"{_percent(one['came'])}<span class='range'>{_percent(one['low'])} to {_percent(one['high'])}</span>",
            _number(one["rows"]),
        ]
        for one in summary["calibration"][summary["best"]]
    ]
    table = _table(["said", "came", "rows"], rows)
    see = "Where points lie on the broken line, probabilities mean what they say; below it they promise too much."
    return (
        "calibration", "Do probabilities mean what they say?",
        _pair(_chart("calibration", see), f"<p class='soft'>“{escape(summary['best'])}”</p>{table}"),
    )  # fmt: skip


def _telling(summary: dict[str, Any]) -> tuple[str, str, str] | None:
    found = summary.get("telling")
    if not found:
        return None
    rows = [[escape(one["column"]), _ranged(one["information"]), escape(one["most"])] for one in found[:20]]
    first = found[0]
    see = f"“{first['column']}” alone says most; of the class “{first['most']}” above all."
    return (
        "telling", "Which columns speak for which class",
        _pair(_chart("telling", see), _table(["column", "nats", "says most of"], rows)),
    )  # fmt: skip


def _words(summary: dict[str, Any]) -> tuple[str, str, str] | None:
    found = summary.get("words")
    if not found:
        return None
    cards = []
    for place, one in enumerate(found[:12]):
        rows = [[escape(word["word"]), _ranged(word), _number(word["rows"])] for word in one["words"]]
        see = f"Words that are commoner in “{one['class']}” than elsewhere, the surest first."
        pair = _pair(_chart("words", see, place), _table(["word", "log-odds", "rows"], rows))
        cards.append(f"<h3>{escape(one['class'])}</h3>{pair}")
    return "words", "Words that speak for each class", "".join(cards)


def _regions(summary: dict[str, Any]) -> tuple[str, str, str] | None:
    found = summary.get("regions")
    if not found:
        return None
    rows = [
        [escape(one["column"]), _ranged(one["information"])]
        for one in summary["telling"]
        if one["column"] in found["columns"]
    ]
    return "regions", "Decision regions", _pair(_chart("regions", found["see"]), _table(["column", "nats"], rows))


def _learning(summary: dict[str, Any]) -> tuple[str, str, str] | None:
    found = summary.get("learning")
    if not found:
        return None
    rows = []
    for i, size in enumerate(found["sizes"]):
        cells = [_number(size)]
        for measure in ("error", "log_loss"):
            cells += [_ranged(line[i]) for line in found[measure]]
        rows.append(cells)
    head = ["rows", *(f"{measure}, {name}" for measure in ("error", "log loss") for name in found["names"])]
    note = f"{found['see']} Bands hold 80% of {found['repeats']} repeats."
    return "learning", "What more rows would bring", _pair(_chart("learning", note), _table(head, rows))


def _misfits(summary: dict[str, Any]) -> tuple[str, str, str] | None:
    found = summary.get("misfits")
    if not found:
        return None
    rows = [
        [_number(one["row"]), escape(one["class"]), _number(one["p"]), "yes" if one["flagged"] else ""]
        for one in found["worst"]
    ]
    return (
        "misfits",
        "Rows that fit no class",
        f"<p>{escape(found['see'])}</p>{_table(['row', 'class', 'p', 'flagged'], rows)}",
    )


# Without one ---------------------------------------------------------------------------------------------------------


def _columns(summary: dict[str, Any]) -> tuple[str, str, str] | None:
    rows, cards = [], []
    for place, one in enumerate(summary["columns"]):
        rows.append(
            [
                escape(one["name"]),
                escape(one["kind"]),
                _number(one["distinct"]),
                _number(one["missing"]),
                _ranged(one["missing_share"], percent=True),
            ]
        )
        inner = ""
        if "density" in one:
            found = one["numbers"]
            facts = {
                "mean": _ranged(found["mean"]),
                "deviation": _number(found["deviation"]),
                "least": _number(found["least"]),
                "median": _number(found["quartiles"][1]),
                "greatest": _number(found["greatest"]),
            }
            inner = _chart("density", one["see"], place) + _table(["", ""], [list(pair) for pair in facts.items()])
        elif "shares" in one:
            lines = [
                [escape(s["category"]), _bar(s["share"]["value"]), _ranged(s["share"], percent=True)]
                for s in one["shares"]
            ]
            table = _table(["category", "", "share"], lines)
            inner = f"<figure>{table}<figcaption>{escape(one['see'])}</figcaption></figure>"
        if inner:
            cards.append(f"<div class='card'><h3>{escape(one['name'])}</h3>{inner}</div>")
    kinds = _table(["column", "kind", "distinct", "missing", "share missing"], rows[:200])
    return "columns", "AutoColumns", f"{kinds}<p></p><div class='cards'>{''.join(cards)}</div>"


def _dependence(summary: dict[str, Any]) -> tuple[str, str, str] | None:
    found = summary.get("dependence")
    if not found:
        return None
    rows = [[escape(one["columns"][0]), escape(one["columns"][1]), _ranged(one)] for one in found["pairs"]]
    note = (
        "<p class='soft'>Rank correlation of numbers, Cramér's V of categories, correlation ratio of both: 0 is none, "
        "1 is all.</p>"
    )
    return (
        "dependence", "Which columns depend on each other",
        note + _pair(_chart("dependence", found["see"]), _table(["column", "and", "strength"], rows)),
    )  # fmt: skip


def _mixture(summary: dict[str, Any]) -> tuple[str, str, str] | None:
    found = summary.get("mixture")
    if not found:
        return None
    shown = found["names"][:6]
    rows = [
        [
            str(k),
            _percent(one["weight"]),
            *(
                f"{_number(m)}<span class='range'>± {_number(s)}</span>"
                for m, s in zip(one["means"][:6], one["deviations"][:6], strict=True)
            ),
        ]
        for k, one in enumerate(found["components"])
    ]
    table = _table(["component", "share", *shown], rows)
    left = _chart("bic", found["see"])
    if found["picture"]:
        left += _chart(
            "mixture", "Ellipses of one and two deviations, over the two columns that tell components apart best."
        )
    note = "<p class='soft'>Means, and deviations within each component.</p>"
    return "mixture", "What the numbers are a mixture of", _pair(left, table + note)


def _outliers(summary: dict[str, Any]) -> tuple[str, str, str] | None:
    found = summary.get("outliers")
    if not found:
        return None
    rows = []
    for one in found["worst"]:
        why = ", ".join(f"{reason['column']} = {one['cells'].get(reason['column'], '…')}" for reason in one["why"])
        rows.append([_number(one["row"]), _number(one["p"]), "yes" if one["flagged"] else "", escape(why)])
    table = _table(["row", "p", "flagged", "what makes it unlikely"], rows)
    return (
        "outliers",
        "Rows that fit nothing",
        f"<p>{escape(found['see'])} Rows are numbered from 0.</p>{table}",
    )
