"""Tensors at the door: what is given as a tensor is answered by one, on the same device.

Public methods are wrapped where a class is made, as scikit-learn's own ``set_output`` does: an estimator says nothing
of tensors. A tensor on the processor is read as NumPy's array without a copy; one on a GPU becomes a `DeviceArray`,
which only `parzen.compute` reads.
"""

from collections.abc import Callable
from functools import wraps
from inspect import isfunction
from typing import Any, ClassVar

import numpy as np

from parzen.compute.device.array import Leaving, arriving, is_device

#: Methods whose first argument is a table.
METHODS = (
    "fit", "partial_fit", "fit_predict", "fit_transform", "predict", "predict_proba", "predict_log_proba",
    "predict_joint_log_proba", "decision_function", "log_odds", "log_joint", "score_samples", "leave_one_out", "score",
    "transform", "bic", "aic", "icl",
)  # fmt: skip

#: Those after which draws are of the kind that was given.
FITTING = ("fit", "partial_fit", "fit_predict", "fit_transform")


class TensorMixin:
    """Estimators that take tensors: of PyTorch, or of any library that speaks DLPack."""

    _reads_tensors: ClassVar[bool] = True
    #: Library and device of the tensor that was fitted, if it was one: draws are such tensors, too.
    _fitted_on: tuple[str, str] | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        for name in METHODS:
            method = vars(cls).get(name)
            if isfunction(method) and not getattr(method, "__isabstractmethod__", False):
                setattr(cls, name, _reading_tensors(method))
        drawing = vars(cls).get("sample")
        if isfunction(drawing) and not getattr(drawing, "__isabstractmethod__", False):
            cls.sample = _drawing_tensors(drawing)  # type: ignore[attr-defined]
        super().__init_subclass__(**options)


def _reading_tensors(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def reading(self: Any, *given: Any, **options: Any) -> Any:
        X = given[0] if given else options.get("X")
        if type(X) is np.ndarray or not hasattr(X, "__dlpack__"):
            if self._fitted_on is not None and method.__name__ in FITTING and not is_device(X):
                self._fitted_on = None
            return method(self, *given, **options)
        rows, leaving = arriving(X)
        given = tuple(rows if value is X else _beside(rows, value) for value in given)
        options = {name: rows if value is X else _beside(rows, value) for name, value in options.items()}
        result = method(self, *given, **options)
        if leaving is not None and method.__name__ in FITTING:
            self._fitted_on = leaving.library, leaving.device
        return result if leaving is None or result is self else leaving(result)

    return reading


def _drawing_tensors(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def drawing(self: Any, *given: Any, **options: Any) -> Any:
        result = method(self, *given, **options)
        leaving = None if self._fitted_on is None else Leaving(*self._fitted_on)
        return leaving(result) if leaving is not None and leaving.there() else result

    return drawing


def _beside(rows: Any, value: Any) -> Any:
    """Labels or weights that come with rows: on the same device, or on the host."""
    if not hasattr(value, "__dlpack__"):
        return value
    beside, _ = arriving(value)
    if is_device(beside) and not is_device(rows):
        raise ValueError(
            f"X lies in the host's memory and another argument on {beside.tensor.device}; put both on one device."
        )
    if is_device(beside) and beside.tensor.device != rows.tensor.device:
        raise ValueError(
            f"X lies on {rows.tensor.device} and another argument on {beside.tensor.device}; put both on one device."
        )
    # Weights, and labels that are no whole numbers, are checked on the host.
    return beside.host() if is_device(beside) and beside.dtype.kind not in "iu" else beside
