"""Rows that are outliers at a false discovery rate, and the columns that make them unlikely."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from parzen.estimators.outlier.density import DensityOutlier
from parzen.report.intervals import rounded
from parzen.report.phrases import counted
from parzen.report.rows import sample_rows
from parzen.tables.features import feature_table, learnable

#: Most rows and most columns.
ROWS, COLUMNS = 10_000, 40


def outliers(
    frame: Any, kinds: Mapping[str, str], rng: np.random.Generator, fdr: float = 0.05
) -> dict[str, Any] | None:
    """Rows of low density, with their p-values; None where there is too little data."""
    every = learnable(kinds)
    names = every[:COLUMNS]
    if not names or len(frame) < 20:
        return None
    some = sample_rows(frame, ROWS, rng)
    table = feature_table(some, names, kinds)
    model = DensityOutlier().fit(table)
    p = model.p_values()
    flags = model.flagged(fdr=fdr)
    many = int(flags.sum())
    worst = np.argsort(p, kind="stable")[: min(max(many, 5), 20)]
    contributions = model.explain(table.iloc[worst]).contributions
    return {
        "fdr": fdr,
        "flagged": many,
        "rows": len(some),
        "columns": [len(names), len(every)],
        "worst": [
            {
                "row": int(some.index[i]) if isinstance(some.index[i], int | np.integer) else str(some.index[i]),
                "p_value": rounded(p[i], 3),
                "flagged": bool(flags[i]),
                **explained(some.iloc[[i]], names, own),
            }
            for i, own in zip(worst, contributions, strict=True)
        ],
        "finding": (
            f"{many:,} of {counted(len(some), 'row')} {'is an outlier' if many == 1 else 'are outliers'} at a false "
            f"discovery rate of {fdr:.0%}."
            if many
            else f"No row is an outlier at a false discovery rate of {fdr:.0%}."
        ),
    }


def explained(row: Any, names: Sequence[str], contributions: Any) -> dict[str, Any]:
    """The three columns that contribute most to a row's low density, and its cells there."""
    order = [j for j in np.argsort(-contributions, kind="stable")[:3] if contributions[j] > 0]
    return {
        "contributions": [{"column": names[j], "value": rounded(contributions[j], 3)} for j in order],
        "cells": {names[j]: _cell(row[names[j]].iloc[0]) for j in order},
    }


def _cell(value: Any) -> Any:
    """A cell as it is in the table."""
    if isinstance(value, bool | np.bool_) or value is None or isinstance(value, str):
        return None if value is None else str(value)[:60]
    if isinstance(value, int | float | np.number):
        return rounded(value, 12)
    return str(value)[:60].removesuffix(" 00:00:00")
