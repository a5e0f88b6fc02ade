"""Families with point estimates of their parameters."""

from dataclasses import replace
from typing import Any

from parzen.families.family import Family
from parzen.families.per_group import PerGroup
from parzen.families.product import Product


def point_estimates(family: Any) -> Family:
    """The same family with point estimates instead of posterior predictives."""
    if not isinstance(family, Family):
        raise TypeError(f"family must be a family such as Gaussian(), or a list of them, got {family!r}.")
    if family.keeps_rows:
        raise ValueError(f"{family!r} keeps its rows, and can't be a component: EM would keep them once for each.")
    if isinstance(family, Product) and isinstance(family.blocks, dict):
        return replace(family, blocks={key: point_estimates(part) for key, part in family.blocks.items()})
    if isinstance(family, PerGroup):
        return replace(family, parts=[point_estimates(part) for part in family.parts])
    own = vars(family)
    if "estimate" not in own or (own["estimate"] or ("bayes" if own.get("prior") else "ml")) != "bayes":
        return family
    prior = own.get("prior")
    return replace(family, estimate="map", prior=None if prior is None else prior.raised())
