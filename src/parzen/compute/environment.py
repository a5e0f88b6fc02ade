"""Environment variables: read when they are first needed; what can't be meant is an error."""

import os
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def setting(name: str, read: Callable[[str], T | None], expected: str) -> T | None:
    """The value of an environment variable; None where it is unset or empty, an error where it is none that can be.

    Parameters
    ----------
    name : str
    read : function of the text
        It returns None for what can't be meant.
    expected : str
        What can be meant, for the error.
    """
    text = os.environ.get(name, "").strip()
    if not text:
        return None
    value = read(text)
    if value is None:
        raise ValueError(f"the environment variable {name} must be {expected}, got {text!r}; correct it or unset it.")
    return value
