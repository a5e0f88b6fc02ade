"""Checks of rows on a device."""

from typing import Any

import torch

from parzen.compute.arrays import Array
from parzen.compute.device.array import DeviceArray


def finite(X: DeviceArray) -> None:
    """Raise where a cell is infinite; missing ones (NaN) are another matter."""
    if X.dtype.kind == "f" and bool(torch.isinf(X.tensor).any()):
        raise ValueError("Input X contains infinity or a value too large for its type; mend or leave out such rows.")


def largest_cell(X: DeviceArray) -> float:
    """The largest absolute value of a cell, missing ones left out."""
    return float(torch.nan_to_num(X.tensor, nan=0.0).abs().max()) if X.size else 0.0


def beside(X: DeviceArray, values: Array) -> Any:
    """Numbers of the host, one for each row, as a tensor on the rows' device."""
    return torch.from_numpy(values).to(X.tensor.device)
