"""Checks of parameters."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def choose(name: str, value: Any, options: Sequence[Any]) -> None:
    """Raise unless value is one of the options."""
    if not (isinstance(value, str | bool | np.bool_) and value in options):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {value!r}.")
