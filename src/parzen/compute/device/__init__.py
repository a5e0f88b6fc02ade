"""Rows on a GPU: arrays that stay there, and the routines that read them.

`parzen.compute` is the one room that knows where rows live. A routine that finds rows on a device hands them to its
namesake here; what comes back is small and NumPy's (a statistic), or as long as the rows and on their device (a
result). The routines are written in PyTorch, which is imported when the first tensor comes.
"""

from importlib import import_module
from typing import Any

from parzen.compute.device.array import DeviceArray, is_device

__all__ = ["DeviceArray", "is_device", "routine"]

#: Where each routine is, so that none is imported before it is needed.
_MODULES = {
    "moments": "moments",
    "sums": "moments",
    "gaussian_log_density": "gaussian",
    "missing_cells": "gaussian",
    "linear": "gaussian",
    "em_step": "em",
    "finite": "checks",
    "largest_cell": "checks",
    "distinct": "labels",
    "members": "labels",
    "largest": "posterior",
    "normalise": "posterior",
    "centre_step": "kmeans",
    "log_kernel_sums": "kernel_sums",
    "beside": "checks",
    "tally": "codes",
    "lookup": "codes",
    "bits": "codes",
    "alphabet_codes": "codes",
    "log_coefficient": "codes",
    "softmax_sums": "softmax",
    "box_codes": "boxes",
    "least_risk": "decisions",
    "box_heights": "boxes",
    "local_averages": "local_sums",
}


def routine(name: str) -> Any:
    """The routine of this name for rows on a device."""
    from parzen.compute.device.memory import shrinking

    return shrinking(name, getattr(import_module(f"parzen.compute.device.{_MODULES[name]}"), name))
