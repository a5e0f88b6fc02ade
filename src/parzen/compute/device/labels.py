"""Labels on a device."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.device.array import DeviceArray
from parzen.compute.device.sums import along_rows, readable

#: Labels that are whole numbers in so small a range are counted, not sorted.
COUNTED = 4096
#: Most labels that each row is compared with, and rows of a program.
COMPARED, ROWS = 64, 2048


def distinct(y: DeviceArray) -> tuple[NDArray[Any], DeviceArray, Array]:
    """Distinct labels in order, the place of each row's, and how often they come."""
    tensor = y.tensor.contiguous()
    if y.dtype.kind in "iu":
        low, high = (int(end) for end in torch.aminmax(tensor))
        if high - low < COUNTED:
            place, counts = _counted(tensor, low, high - low + 1)
            seen = np.flatnonzero(counts)
            codes = DeviceArray(place)
            if len(seen) < len(counts):
                rank = np.zeros(len(counts), dtype=np.int32)
                rank[seen] = np.arange(len(seen), dtype=np.int32)
                codes = codes.looked_up(rank)
            return (seen + low).astype(y.dtype), codes, counts[seen].astype(np.float64)
    values, place, counted = torch.unique(tensor, return_inverse=True, return_counts=True)
    return values.cpu().numpy(), DeviceArray(place.to(torch.int32)), counted.cpu().numpy().astype(np.float64)


def _counted(y: torch.Tensor, low: int, groups: int) -> tuple[torch.Tensor, NDArray[np.int64]]:
    """Places of labels in a range of whole numbers, and how often each comes."""
    if groups <= COMPARED and readable(y[:, None], y.dtype):
        place = torch.empty(len(y), dtype=torch.int32, device=y.device)
        out = torch.empty(-(-len(y) // ROWS), groups, dtype=torch.int32, device=y.device)
        along_rows().place_rows[(len(out),)](y, place, out, len(y), low, groups, BM=ROWS)
        return place, out.sum(0).cpu().numpy()
    place = (y - low).to(torch.int32)
    return place, torch.bincount(place, minlength=groups).cpu().numpy()


def members(codes: DeviceArray, groups: int) -> NDArray[np.int64]:
    """How many rows have each code; a negative one counts nowhere."""
    found: NDArray[np.int64] = torch.bincount(codes.tensor + 1, minlength=groups + 1)[1:].cpu().numpy()
    return found
