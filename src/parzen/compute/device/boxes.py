"""Boxes of histograms that rows on a device fall into, and the heights there."""

import numpy as np
import torch

from parzen.compute.arrays import Array
from parzen.compute.device.array import DeviceArray
from parzen.compute.device.memory import pieces


def box_codes(X: DeviceArray, edges: tuple[Array, ...]) -> DeviceArray | tuple[int, float]:
    """Number of the box of each row, (n, 1), -1 where its only cell is missing; or the first cell outside.

    The last bin includes its right edge. A cell that is outside comes as its column and its value.
    """
    rows = X.tensor
    out = torch.zeros(len(rows), 1, dtype=torch.int64, device=rows.device)
    for column, part in _cut(rows, edges):
        places = _places(rows[part, column], edges[column])
        wrong = (places < 0) & ~rows[part, column].isnan()
        if bool(wrong.any()):
            return column, float(rows[part, column][wrong][0])
        whole = out[part, 0] * (len(edges[column]) - 1) + places
        out[part, 0] = torch.where((places < 0) | (out[part, 0] < 0), -1, whole)
    return DeviceArray(out)


def box_heights(
    X: DeviceArray, edges: tuple[Array, ...], log_mass: Array, lengths: tuple[float, ...], out: DeviceArray
) -> None:
    """Write log-densities (n, K) of histograms with these masses, (K, ...), and mean lengths of their open bins."""
    if X.missing():
        raise ValueError("Input X contains NaN: on a device histograms need complete rows; give X.cpu().")
    rows, K = X.tensor, len(log_mass)
    mass = torch.tensor(np.ascontiguousarray(log_mass.reshape(K, -1).T), device=rows.device)
    for part in pieces(rows, 2 * (6 + K)):
        box = torch.zeros(part.stop - part.start, dtype=torch.int64, device=rows.device)
        height = torch.zeros(len(box), dtype=torch.float64, device=rows.device)
        outside = torch.zeros(len(box), dtype=torch.bool, device=rows.device)
        for column, (own, length) in enumerate(zip(edges, lengths, strict=True)):
            x = rows[part, column].double()
            places = _places(x, own)
            outside |= places < 0
            places = places.clamp(min=0)
            widths = np.diff(own)
            high = -np.log(np.where(np.isinf(widths), length, widths))
            height += torch.tensor(high, device=rows.device)[places]
            for place, inner in ((0, own[1]), (len(own) - 2, own[-2])):
                if np.isinf(widths[place]):
                    height -= torch.where(places == place, (x - float(inner)).abs() / length, 0.0)
            box = box * len(widths) + places
        out.tensor[part] = torch.where(outside[:, None], -torch.inf, mass[box] + height[:, None])


def _cut(rows: torch.Tensor, edges: tuple[Array, ...]) -> list[tuple[int, slice]]:
    """Columns, and the blocks of rows of each."""
    return [(column, part) for column in range(len(edges)) for part in pieces(rows, 12)]


def _places(x: torch.Tensor, edges: Array) -> torch.Tensor:
    """Bin of each value; -1 outside, or where it is missing."""
    x, ends = x.double().contiguous(), torch.tensor(edges, dtype=torch.float64, device=x.device)
    found = (torch.searchsorted(ends, x, right=True) - 1).clamp(max=len(edges) - 2)
    return torch.where((x >= ends[0]) & (x <= ends[-1]), found, -1)
