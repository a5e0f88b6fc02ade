"""What may stand in the tree of a model file, and nothing else."""

import dataclasses

#: Deepest that lists and objects may stand in each other.
DEEPEST = 100

#: Kinds of numbers in arrays and alone; pandas' and polars' own kinds of columns, by name.
WHOLE = ("nt8", "nt16", "nt32", "nt64")
NUMBERS = frozenset(["bool", "float32", "float64", *(f"{sign}{size}" for sign in ("i", "ui") for size in WHOLE)])
WIDE = frozenset(["Float32", "Float64", *(f"{sign}{size}" for sign in ("I", "UI") for size in WHOLE)])
BITS = ("PCG64", "PCG64DXSM", "MT19937")


def room(size: int) -> int:
    """Most bytes that arrays of text, ranges and empty arrays may take, which a file of a size names in a few of its
    own. All else that a file holds is as long in memory as in the file, but for a factor.
    """
    return 16 * 2**20 + 64 * size


def attributes(cls: type) -> tuple[str, ...] | None:
    """The attributes of a class of which all belong to a file; None for estimators, of which it depends."""
    if hasattr(cls, "_kept"):
        return tuple(cls._kept)
    return tuple(field.name for field in dataclasses.fields(cls)) if dataclasses.is_dataclass(cls) else None
