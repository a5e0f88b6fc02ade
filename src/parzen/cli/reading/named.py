"""Names of columns that are all different."""

from collections.abc import Sequence


def new_name(name: str, taken: set[str]) -> str:
    """A name that no column has: the given one, with a number where it is taken."""
    count, new = 1, name
    while new in taken:
        new, count = f"{name}.{count}", count + 1
    return new


def unique_names(names: Sequence[str], notes: list[str]) -> list[str]:
    """Names without spaces around them, new ones for those that are empty or repeated; what changed is noted."""
    out: list[str] = []
    taken = {name.strip() for name in names}
    for j, name in enumerate(names):
        called = name.strip()
        if not called:
            called = new_name(f"column {j + 1}", taken)
            notes.append(f"Column {j + 1} has no name; it is called {called!r}.")
        elif called in out:
            called = new_name(called, taken)
            notes.append(f"Two columns are called {name.strip()!r}; the later one is called {called!r}.")
        taken.add(called)
        out.append(called)
    return out
