"""Fitted attributes that are read from a model's density, and that may be set instead."""

from collections.abc import Callable
from functools import cached_property
from typing import Any


class Fitted:
    """A fitted attribute that is read from a model's density, and may be set.

    scikit-learn's fitted attributes are plain arrays: users change them, or build a model of nothing but them. A value
    that is set waits in the model's `_given_by_hand` and is what the attribute shows from then on, also of a saved
    model, until the next fit. The model then decides by it: its `_adopt` is called, which takes away a value that the
    new density gives back itself. Where `_adopt` refuses a value, nothing has changed.
    """

    def __init__(self, read: Callable[[Any], Any]) -> None:
        self._read = read
        self.__doc__ = read.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is None:
            return self
        given = vars(model).get("_given_by_hand", {})
        return given[self._name] if self._name in given else self._read(model)

    def __set__(self, model: Any, value: Any) -> None:
        before = dict(vars(model))
        model._given_by_hand = {**before.get("_given_by_hand", {}), self._name: value}
        try:
            model._adopt(self._name)
        except Exception:
            vars(model).clear()
            vars(model).update(before)
            raise


def forget(model: Any) -> None:
    """Forget what was set by hand, and what was worked out of an earlier density."""
    vars(model).pop("_given_by_hand", None)
    for name in list(vars(model)):
        if isinstance(getattr(type(model), name, None), cached_property):
            del vars(model)[name]
