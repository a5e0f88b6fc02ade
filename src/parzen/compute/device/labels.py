"""Labels on a device."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.device.array import DeviceArray

#: Labels that are whole numbers in so small a range are counted, not sorted.
COUNTED = 4096


def distinct(y: DeviceArray) -> tuple[NDArray[Any], DeviceArray, Array]:
    """Distinct labels in order, the place of each row's, and how often they come."""
    tensor = y.tensor
    if y.dtype.kind in "iu":
        low, high = int(tensor.min()), int(tensor.max())
        if high - low < COUNTED:
            place = (tensor - low).to(torch.int32)
            counts = torch.bincount(place, minlength=high - low + 1).cpu().numpy()
            seen = np.flatnonzero(counts)
            codes = DeviceArray(place)
            if len(seen) < len(counts):
                rank = np.zeros(len(counts), dtype=np.int32)
                rank[seen] = np.arange(len(seen), dtype=np.int32)
                codes = codes.looked_up(rank)
            return (seen + low).astype(y.dtype), codes, counts[seen].astype(np.float64)
    values, place, counted = torch.unique(tensor, return_inverse=True, return_counts=True)
    return values.cpu().numpy(), DeviceArray(place.to(torch.int32)), counted.cpu().numpy().astype(np.float64)
