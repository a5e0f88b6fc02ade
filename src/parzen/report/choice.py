"""The models that a user asks for, by name."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from parzen.report.errors import ReportError
from parzen.report.models import TABLE_MODELS, TEXT_MODELS, M, find_model, nearest_name

T = TypeVar("T")


def chosen_models(models: Mapping[str, T], wanted: Sequence[str]) -> dict[str, T]:
    """Some of the models of a table, by their names in a report or by their short ones."""
    asked = {one.name for one in asked_models([one for one in (*TABLE_MODELS, *TEXT_MODELS) if one.name in models],
                                              wanted)}  # fmt: skip
    return {name: model for name, model in models.items() if name in asked}


def asked_models(offered: Sequence[M], wanted: Sequence[str]) -> list[M]:
    """Those of the offered models that are asked for, in their order; an error with the nearest name for others."""
    asked = set()
    for name in wanted:
        found = find_model(name, offered)
        if found is None:
            near = nearest_name(name, [*(one.short for one in offered), *(one.name for one in offered)])
            hint = f"did you mean {near!r}?" if near else f"there are {', '.join(one.short for one in offered)}."
            raise ReportError(f"there is no model {name!r} for this table; {hint}")
        asked.add(found.name)
    return [one for one in offered if one.name in asked]
