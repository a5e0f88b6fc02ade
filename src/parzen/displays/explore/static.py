"""The files of the page: a fixed table, read from the package."""

import re
from pathlib import Path

FOLDER = Path(__file__).parent / "page"
_KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
#: Every file that the server gives away: its address and its kind.
FILES = {
    f"/{path.relative_to(FOLDER).as_posix()}": f"{_KINDS[path.suffix]}; charset=utf-8"
    for path in sorted(FOLDER.rglob("*"))
    if path.suffix in _KINDS
}


def text(name: str) -> str:
    """A file of the page, by its path within the folder."""
    return (FOLDER / name).read_text(encoding="utf-8")


def as_script(name: str) -> str:
    """A module of the page as lines of a larger script: without the word export."""
    return re.sub(r"^export ", "", text(name), flags=re.MULTILINE)
