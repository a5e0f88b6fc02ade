"""`n_features` of hmmlearn's models: the columns of a parameter, which may also be said beforehand."""

from typing import Any

import numpy as np


class ColumnCount:
    """Number of columns of the rows that a model's states emit: those of a parameter, where it is there.

    hmmlearn's users set it on a model that they build by hand. Before the parameter is there it says what a fit
    expects; afterwards it can only be what it is.

    Parameters
    ----------
    parameter : name of the attribute whose last axis has the columns
    """

    def __init__(self, parameter: str) -> None:
        self.parameter = parameter

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is None:
            return self
        if self.parameter in vars(model):
            return int(np.shape(getattr(model, self.parameter))[-1])
        if "_n_features" in vars(model):
            return vars(model)["_n_features"]
        raise AttributeError(f"this {type(model).__name__} has no n_features yet: fit it, or set {self.parameter}.")

    def __set__(self, model: Any, number: int) -> None:
        if self.parameter in vars(model) and number != self.__get__(model):
            raise ValueError(
                f"n_features must be {self.__get__(model)}, the columns of {self.parameter}, got {number!r}."
            )
        vars(model)["_n_features"] = number

    @staticmethod
    def check(model: Any, columns: int) -> None:
        """Raise where rows to fit to have other columns than were said before there were parameters."""
        said = vars(model).get("_n_features", columns)
        if columns != said:
            raise ValueError(f"X has {columns} columns, but n_features was set to {said}.")
