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


def bundle(first: str) -> str:
    """A module of the page with all that it imports as one script without imports: for a frame that has no server."""
    order: list[str] = []
    _visit(first, order)
    parts = ["const modules = {};"]
    for name in order:
        script = text(name)
        exported = re.findall(r"^export const (\w+)", script, flags=re.MULTILINE)
        script = re.sub(r'^import \* as (\w+) from "/(.+)";$', r'const \1 = modules["\2"];', script, flags=re.MULTILINE)
        script = re.sub(r'^import (\{.+\}) from "/(.+)";$', r'const \1 = modules["\2"];', script, flags=re.MULTILINE)
        script = re.sub(r"^export ", "", script, flags=re.MULTILINE)
        parts.append(f"modules[{name!r}] = (() => {{\n{script}\nreturn {{ {', '.join(exported)} }};\n}})();")
    return "\n".join(parts)


def _visit(name: str, order: list[str]) -> None:
    """Modules in an order in which each comes after those that it imports."""
    for other in re.findall(r'^import .+ from "/(.+)";$', text(name), flags=re.MULTILINE):
        if other not in order:
            _visit(other, order)
    order.append(name)
