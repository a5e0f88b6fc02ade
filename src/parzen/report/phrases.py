"""Numbers in sentences: percentages that never round to none or all, lists of names, plain figures."""

from collections.abc import Sequence


def share(count: float, total: float) -> str:
    """A part of a whole in percent, as "0%" or "100%" only where it is none or all of it.

    >>> share(1, 3), share(0, 9), share(3, 32561), share(32560, 32561)
    ('33.3%', '0%', 'under 0.1%', 'over 99.9%')
    """
    return fraction(count / total if total else 0.0)


def fraction(value: float) -> str:
    """A fraction in percent, as `share` gives it.

    >>> fraction(0.999), fraction(0.9996), fraction(0.0)
    ('99.9%', 'over 99.9%', '0%')
    """
    if value in (0.0, 1.0):
        return f"{value:.0%}"
    if value < 0.0005:
        return "under 0.1%"
    return "over 99.9%" if value > 0.9995 else f"{value:.1%}"


def figure(value: float | None) -> str:
    """A number as it is held: whole ones exactly, with commas from 10,000 on, so that years have none.

    >>> figure(99999.0), figure(2010), figure(0.25), figure(1.5e-7), figure(123456.75)
    ('99,999', '2010', '0.25', '1.5e-07', '123,456.75')
    """
    if value is None:
        return "–"
    size = abs(value)
    if size >= 1e15 or 0 < size < 1e-4:
        return f"{value:.6g}"
    comma = "," if size >= 10_000 else ""
    return f"{value:{comma}.0f}" if value == int(value) else f"{value:{comma}.15g}"


def brief(value: float | None) -> str:
    """A number to three digits, for sentences.

    >>> brief(0.20345), brief(12345.6)
    ('0.203', '12,300')
    """
    return figure(None if value is None else float(f"{value:.3g}"))


def listed(names: Sequence[str], most: int = 5) -> str:
    """Names in quotation marks, the first few of many.

    >>> listed(["a", "b"]), listed("abcdefgh", 3)
    ('“a” and “b”', '“a”, “b”, “c” and 5 others')
    """
    quoted = [f"“{name}”" for name in names[: most if len(names) > most else None]]
    if len(names) > most:
        return f"{', '.join(quoted)} and {len(names) - most:,} others"
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def counted(n: int, one: str, several: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "row is", "rows are"), counted(1200, "row")
    ('1 row is', '1,200 rows')
    """
    return f"{n:,} {one if n == 1 else several or one + 's'}"
