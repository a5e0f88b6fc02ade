"""The page of a report: one HTML file that needs nothing else, drawn from a summary and from nothing else."""

import hashlib
import json
from base64 import b64encode
from html import escape
from pathlib import Path
from typing import Any

from parzen.report import page_table, page_target

FOLDER = Path(__file__).parent
#: The sections in their order: each is made from the summary, or is None where the summary has no such part.
SECTIONS = (*page_target.SECTIONS, *page_table.SECTIONS)


def page(summary: dict[str, Any]) -> str:
    """Make one self-contained HTML page: it opens from disk, loads nothing from the network, and can be printed.

    Parameters
    ----------
    summary : dict
        The result of `parzen.report.summarise`, or the same read from JSON.
    """
    script = (FOLDER / "page.js").read_text(encoding="utf-8")
    style = (FOLDER / "page.css").read_text(encoding="utf-8")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'"
    sections = [section for make in SECTIONS if (section := make(summary)) is not None]
    links = "".join(f'<a href="#{one.key}">{escape(one.title)}</a>' for one in sections)
    body = "".join(f'<section id="{one.key}"><h2>{escape(one.title)}</h2>{one.markup}</section>' for one in sections)
    title = _title(summary)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body><main><header><div>"
        f"<h1>{escape(title)}</h1><p class='soft'>{summary['rows']:,} rows, {summary['n_columns']:,} columns; parzen "
        f"{escape(str(summary['parzen']))}. Small grey numbers are 95% intervals.</p></div><button id='theme' "
        f"type='button'>dark</button></header><nav>{links}</nav>{_notes(summary)}{body}</main><div id='tip'></div>"
        f"<script type='application/json' id='data'>{_data(summary)}</script><script>{script}</script></body></html>\n"
    )


def _title(summary: dict[str, Any]) -> str:
    target = summary.get("target")
    return f"{summary['name']}: prediction of {target['name']}" if target else f"{summary['name']}: a summary"


def _data(summary: dict[str, Any]) -> str:
    """JSON that no HTML parser takes for markup."""
    text = json.dumps(summary, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _notes(summary: dict[str, Any]) -> str:
    if not summary["notes"]:
        return ""
    return "<div class='notes'><ul>" + "".join(f"<li>{escape(note)}</li>" for note in summary["notes"]) + "</ul></div>"
