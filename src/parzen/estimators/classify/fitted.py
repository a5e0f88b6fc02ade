"""Fitted attributes that are worked out from a density, and that may be set instead."""

from functools import cached_property
from typing import Any


class Fitted(cached_property[Any]):
    """A fitted attribute that is worked out when it is first read, and may be set.

    scikit-learn's fitted attributes are plain arrays: users change them, or build a model of nothing but them. What is
    set here stays (also in a saved file) until the next fit, and the model decides by it: its `_adopt` is called.
    """

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        given = {} if model is None else vars(model).get("_given_by_hand", {})
        return given[self.attrname] if self.attrname in given else super().__get__(model, owner)

    def __set__(self, model: Any, value: Any) -> None:
        before = dict(vars(model))
        vars(model).pop(self.attrname, None)
        vars(model)["_given_by_hand"] = {**before.get("_given_by_hand", {}), self.attrname: value}
        try:
            model._adopt()
        except Exception:
            vars(model).clear()
            vars(model).update(before)
            raise

    def __delete__(self, model: Any) -> None:
        vars(model).pop(self.attrname, None)


def forget_worked_out(model: Any) -> None:
    """Forget what was worked out of an earlier density, or given by hand."""
    vars(model).pop("_given_by_hand", None)
    for name in list(vars(model)):
        if isinstance(getattr(type(model), name, None), Fitted):
            del vars(model)[name]
