"""The page of a report: one HTML file that needs nothing else, drawn from a summary and from nothing else."""

import hashlib
import json
from base64 import b64encode
from html import escape
from pathlib import Path
from typing import Any

from parzen.displays.explore import static
from parzen.report import page_regression, page_table, page_target
from parzen.report.advice import next_step
from parzen.report.markup import Section
from parzen.report.phrases import counted
from parzen.report.regression_advice import regression_step

FOLDER = Path(__file__).parent / "page_files"
#: Parts of the script that are the report's own, in their order; charts and axes are shared with `parzen explore`.
SCRIPTS = ("table_charts.js", "target_charts.js", "regression_charts.js", "start.js")
#: The sections in their order: each is made from the summary, or is None where the summary has no such part.
SECTIONS = (*page_target.SECTIONS, *page_regression.SECTIONS, *page_table.SECTIONS)


def page(summary: dict[str, Any]) -> str:
    """Make one self-contained HTML page: it opens from disk, loads nothing from the network, and can be printed.

    Parameters
    ----------
    summary : dict
        The result of `parzen.report.summarise`, or the same read from JSON.
    """
    script, style = _script(), (FOLDER / "page.css").read_text(encoding="utf-8")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'"
    sections = [_advised(section, summary) for make in SECTIONS if (section := make(summary)) is not None]
    links = "".join(f'<a href="#{one.key}">{escape(one.title)}</a>' for one in sections)
    title = _title(summary)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body><main><header><div>"
        f"<h1>{escape(title)}</h1><p class='soft'>{counted(summary['rows'], 'row')}, "
        f"{counted(summary['n_columns'], 'column')}; parzen {escape(str(summary['parzen']))}. Small grey numbers are "
        "95% intervals, where nothing else is said.</p></div><button id='theme' type='button'>dark</button></header>"
        f"{_verdict(summary)}{_notes(summary)}<nav>{links}<button id='everything' type='button'>unfold all</button>"
        "</nav><noscript><p class='soft'>Charts need scripts; the tables hold the same numbers.</p></noscript>"
        f"{''.join(_folded(one) for one in sections)}</main><div id='tip'></div>"
        f"<script type='application/json' id='data'>{_data(summary)}</script><script>{script}</script></body></html>\n"
    )


def _script() -> str:
    parts = [static.as_script("plot.js"), *((FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS)]
    return '"use strict";\n(() => {\n' + "".join(parts) + "})();\n"


def _advised(one: Section, summary: dict[str, Any]) -> Section:
    """A section with what to do next."""
    return one._replace(advice=(regression_step if "regression" in summary else next_step)(summary, one.key))


def _folded(one: Section) -> str:
    """A section that unfolds without a script; its anchor is inside, so that a link to it unfolds it, too."""
    finding = f"<span class='soft'>{escape(one.finding)}</span>" if one.finding and not one.is_open else ""
    advice = f"<p class='next'><strong>What to do next.</strong> {escape(one.advice)}</p>" if one.advice else ""
    return (
        f"<details{' open' if one.is_open else ''}><summary><h2>{escape(one.title)}</h2>{finding}</summary>"
        f'<section id="{one.key}">{one.markup}{advice}</section></details>'
    )


def _verdict(summary: dict[str, Any]) -> str:
    """The answer: what each sentence is about, and the sentence."""
    answer = summary.get("answer") or [{"about": "", "text": text} for text in summary.get("verdict", [])]
    items = "".join(f"<dt>{escape(one['about'])}</dt><dd>{escape(one['text'])}</dd>" for one in answer)
    return f"<section class='verdict'><h2>In short</h2><dl>{items}</dl></section>" if items else ""


def _title(summary: dict[str, Any]) -> str:
    target = summary.get("target")
    return f"{summary['name']}: prediction of {target['name']}" if target else f"{summary['name']}: a summary"


def _data(summary: dict[str, Any]) -> str:
    """JSON that no HTML parser takes for markup."""
    text = json.dumps(summary, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _notes(summary: dict[str, Any]) -> str:
    """What was left out or drawn at random."""
    if not summary["notes"]:
        return ""
    items = "".join(f"<li>{escape(note)}</li>" for note in summary["notes"])
    return f"<div class='notes'><ul>{items}</ul></div>"
