"""The models that a user asks for, by name."""

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

from parzen.report.errors import ReportError

T = TypeVar("T")


def chosen_models(models: Mapping[str, T], wanted: Sequence[str]) -> dict[str, T]:
    """Some of the models, by their names or by these in lower case with hyphens."""
    from difflib import get_close_matches

    names = {_plain(name): name for name in models}
    for one in wanted:
        if _plain(one) not in names:
            near = get_close_matches(_plain(one), names, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}."
            raise ReportError(f"there is no model {one!r} for this table; {hint}")
    asked = {_plain(one) for one in wanted}
    return {name: models[name] for plain, name in names.items() if plain in asked}


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
