"""Columns of a table: what kind each is, what is missing, and how it is spread."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.estimators.density.kernel import KernelDensity
from parzen.report.numbers import interval_of_mean, rounded, share

#: Kinds that models learn from.
USED = ("number", "category", "flag")
#: Most categories of a column that models learn from.
MANY = 200
#: Rows that a density is estimated from, places where it is drawn, and by how much its bandwidth may be multiplied.
ROWS, PLACES = 20_000, 241
FACTORS = tuple(float(2.0 ** (k / 2)) for k in range(-6, 7))
#: Most columns whose densities are drawn.
DRAWN = 40


def kind_of(column: Any) -> str:
    """What a column holds: number, category, flag, date, text, identifier, constant, empty; extreme numbers."""
    import pandas as pd

    known = column.dropna()
    if not len(known):
        return "empty"
    distinct = known.nunique()
    if distinct == 1:
        return "constant"
    if pd.api.types.is_datetime64_any_dtype(column):
        return "date"
    if distinct == 2:
        return "flag"
    if pd.api.types.is_bool_dtype(column):
        return "flag"
    if pd.api.types.is_numeric_dtype(column):
        if np.nanmax(np.abs(as_numbers(known)), initial=0.0) > 1e100:
            return "extreme"
        whole = len(known) > 20 and distinct == len(known) and np.array_equal(known, np.floor(known))
        counted = whole and len(np.unique(np.diff(known.to_numpy(dtype=np.float64)))) == 1
        return "identifier" if counted else "number"
    if distinct == len(known) and len(known) > 20:
        return "text" if _words(known) > 3 else "identifier"
    if distinct > min(MANY, max(20, len(known) // 2)):
        return "text" if _words(known) > 3 else "identifier"
    return "category"


def _words(known: Any) -> float:
    return float(np.mean([len(str(cell).split()) for cell in known.iloc[:200]]))


def read_dates(frame: Any) -> Any:
    """The table, with columns of text that are dates as dates."""
    import pandas as pd

    out = frame
    for name in frame.columns:
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column) or pd.api.types.is_datetime64_any_dtype(column):
            continue
        some = column.dropna()
        if not len(some) or not all(_like_date(str(cell)) for cell in some.iloc[:50]):
            continue
        try:
            dates = pd.to_datetime(column, format="ISO8601", errors="coerce")
        except (TypeError, ValueError):
            continue
        if dates.notna().sum() >= 0.98 * len(some):
            out = out.assign(**{name: dates}) if isinstance(name, str) else out
    return out


def _like_date(cell: str) -> bool:
    return len(cell) >= 8 and cell[:4].isdigit() and cell[4] in "-/" and cell[5:7].isdigit()


def as_numbers(column: Any) -> Array:
    """A column of numbers or dates as numbers: of dates, days since the first."""
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(column):
        return ((column - column.min()) / pd.Timedelta(days=1)).to_numpy(dtype=np.float64, na_value=np.nan)
    out = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(np.isfinite(out), out, np.nan)


def as_text(column: Any) -> Any:
    """Cells as text, None where missing; whole numbers without a point, however they were read."""
    out = np.empty(len(column), dtype=object)
    for i, (cell, there) in enumerate(zip(column.tolist(), column.notna(), strict=True)):
        whole = isinstance(cell, float) and cell == np.floor(cell) and abs(cell) < 1e15
        out[i] = (str(int(cell)) if whole else str(cell)) if there else None
    return out


def describe(frame: Any, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Each column: its kind, what is missing, and its spread."""
    out = []
    drawn = 0
    for name in frame.columns:
        column = frame[name]
        kind = kind_of(column)
        missing = int(column.isna().sum())
        one: dict[str, Any] = {
            "name": str(name),
            "kind": kind,
            "missing": missing,
            "missing_share": share(missing, len(column)),
            "distinct": int(column.nunique()),
        }
        if kind in ("number", "date"):
            values = as_numbers(column)
            known = values[~np.isnan(values)]
            one["numbers"] = numbers(known)
            if len(known) and drawn < DRAWN:
                one["density"] = density(known, rng)
                drawn += 1
        elif kind in ("category", "flag"):
            one["shares"] = shares(column)
        elif kind == "constant":
            one["value"] = str(column.dropna().iloc[0])[:80]
        one["see"] = sentence(one)
        out.append(one)
    return out


def numbers(known: Array) -> dict[str, Any]:
    """Mean with its interval, deviation, and quantiles."""
    low, quarter, middle, most, high = np.quantile(known, [0, 0.25, 0.5, 0.75, 1])
    return {
        "mean": interval_of_mean(known),
        "deviation": rounded(known.std(ddof=1)) if len(known) > 1 else None,
        "least": rounded(low),
        "quartiles": [rounded(quarter), rounded(middle), rounded(most)],
        "greatest": rounded(high),
    }


def density(known: Array, rng: np.random.Generator) -> dict[str, Any]:
    """The density by the chosen bandwidth and by others, over a grid; and a histogram."""
    sample = known if len(known) <= ROWS else rng.choice(known, ROWS, replace=False)
    h, rule = _bandwidth(sample)
    low, high = np.quantile(sample, [0.0, 1.0])
    inner = np.quantile(sample, [0.005, 0.995])
    wide = max(inner[1] - inner[0], 1e-12)
    low, high = max(low, inner[0] - 0.5 * wide), min(high, inner[1] + 0.5 * wide)  # far outliers would flatten it
    distinct = np.unique(sample)
    if len(distinct) < min(0.3 * len(sample), 200):  # values that repeat: as wide as what lies between them
        gap = float(np.median(np.diff(distinct)))
        h, rule = (h, rule) if h >= 0.5 * gap else (0.5 * gap, "half a gap")
    step = (high - low + 6 * h) / (PLACES - 1)
    if h < 0.8 * step:
        h, rule = 0.8 * step, "finest shown"
    grid = np.linspace(low - 3 * h, high + 3 * h, PLACES)
    factors = [factor for factor in FACTORS if factor >= 1 or h * factor >= 0.8 * (grid[1] - grid[0])]
    curves = []
    for factor in factors:
        model = KernelDensity(bandwidth=h * factor).fit(sample[:, None])
        curves.append([rounded(value) for value in np.exp(model.score_samples(grid[:, None]))])
    counts, edges = np.histogram(sample, bins=np.linspace(low, high, 31))
    heights = counts / max(len(sample) * (edges[1] - edges[0]), 1e-300)
    return {
        "rule": rule,
        "bandwidth": rounded(h),
        "factors": [rounded(factor) for factor in factors],
        "grid": [rounded(value, 6) for value in grid],
        "curves": curves,
        "histogram": {"edges": [rounded(edge, 6) for edge in edges], "heights": [rounded(one) for one in heights]},
        "rows": len(sample),
    }


def _bandwidth(sample: Array) -> tuple[float, str]:
    """A bandwidth by Sheather and Jones, or where that fails by a rule of thumb."""
    for rule in ("sj", "silverman"):
        try:
            h = float(np.ravel(KernelDensity(bandwidth=rule).fit(sample[:, None]).bandwidth_)[0])
        except (ValueError, FloatingPointError):
            continue
        if np.isfinite(h) and h > 0:
            return h, rule
    return float(max(np.ptp(sample), abs(sample[0]), 1.0)) / 20, "a twentieth of the range"


def shares(column: Any, most: int = 15) -> list[dict[str, Any]]:
    """Categories with their shares, the commonest first; the rest together."""
    import pandas as pd

    counts = pd.Series(as_text(column.dropna())).value_counts()
    total = int(counts.sum())
    out = [
        {"category": str(name)[:80], "rows": int(n), "share": share(int(n), total)}
        for name, n in counts[: most if len(counts) > most + 1 else most + 1].items()
    ]
    if len(counts) > most + 1:
        rest = int(counts[most:].sum())
        out.append(
            {"category": f"{len(counts) - most} others", "rows": rest, "share": share(rest, total), "rest": True}
        )
    return out


def sentence(one: dict[str, Any]) -> str:
    """What to see in a column, in a sentence."""
    kind = one["kind"]
    gap = f" {one['missing_share']['value']:.1%} of its cells are missing." if one["missing"] else ""
    if kind == "empty":
        return "It holds nothing and is left out."
    if kind == "extreme":
        return f"Its numbers are too large to be squared, and it is left out; divide it by something.{gap}"
    if kind == "constant":
        return f"It holds one value only and is left out.{gap}"
    if kind == "identifier":
        return f"Its values hardly repeat: it names rows, and is left out.{gap}"
    if kind == "text":
        return f"It holds sentences; give it as the text column to learn from its words.{gap}"
    if kind in ("category", "flag"):
        first = one["shares"][0]
        common = f"The commonest of {one['distinct']} is “{first['category']}”"
        return f"{common}, in {first['share']['value']:.0%} of rows.{gap}"
    found = one["numbers"]
    q = found["quartiles"]
    tops = _peaks(one["density"]) if "density" in one else 1
    shape = f" It has {tops} peaks." if tops > 1 else ""
    return f"Half of the values lie between {q[0]:g} and {q[2]:g}.{shape}{gap}"


def _peaks(found: dict[str, Any]) -> int:
    """Peaks of the chosen density that are more than ripples."""
    y = np.array(found["curves"][found["factors"].index(1.0)], dtype=np.float64)
    tops = [i for i in range(1, len(y) - 1) if y[i] > y[i - 1] and y[i] >= y[i + 1] and y[i] > 0.1 * y.max()]
    kept = tops[:1]
    for top in tops[1:]:
        if y[kept[-1] : top].min() < 0.85 * min(y[kept[-1]], y[top]):
            kept.append(top)
        elif y[top] > y[kept[-1]]:
            kept[-1] = top
    return max(len(kept), 1)
