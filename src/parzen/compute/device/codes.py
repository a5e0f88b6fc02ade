"""Tallies of categories, and sums of table entries by codes, of rows on a device; see `parzen.compute.codes`.

Counts are whole numbers, which may be added in any order; weights are added by products of matrices, in a fixed one.
"""

from typing import Any

import numpy as np
import torch

from parzen.compute.arrays import Array
from parzen.compute.device.array import DeviceArray
from parzen.compute.device.memory import pieces
from parzen.compute.device.moments import memberships_of, on
from parzen.compute.memberships import Labels, Memberships, group_count

#: A cell that no column may hold: its row, its column and its value.
Wrong = tuple[int, int, Any]


def tally(X: DeviceArray, R: Memberships, sizes: tuple[int, ...]) -> Array | Wrong:
    """Weight of each category of each column in each group, (K, sum(sizes)); or the first cell that is no code."""
    rows, K, total = X.tensor, group_count(R), sum(sizes)
    counts = torch.zeros(K, total, dtype=torch.float64, device=rows.device)
    plain = R is None or (isinstance(R, Labels) and R.weights is None)
    for part in pieces(rows, 4 * len(sizes) + (2 if plain else total + 2 * K)):
        slots = _slots(rows[part], sizes, False)
        if isinstance(slots, tuple):
            return slots[0] + part.start, *slots[1:]
        if plain:
            group = torch.zeros(len(slots), 1, dtype=torch.int64, device=rows.device)
            if isinstance(R, Labels):
                group = on(R.codes, rows, part).long()[:, None]
            known = (slots < total) & (group >= 0)
            counts += torch.bincount((group * total + slots)[known], minlength=K * total).reshape(K, total)
        else:
            members = memberships_of(R, part, rows)
            assert members is not None
            ones = torch.zeros(len(slots), total + 1, dtype=torch.float64, device=rows.device)
            counts += members.T @ ones.scatter_(1, slots, 1.0)[:, :total]
    return counts.cpu().numpy()


def lookup(
    X: DeviceArray, table: Array, sizes: tuple[int, ...], open_ended: bool, out: DeviceArray
) -> DeviceArray | Wrong:
    """Sum over the columns of ``table[slot of the cell]``, (n, K); or the first cell that is no code."""
    rows = X.tensor
    entries = torch.from_numpy(np.concatenate([table, np.zeros((1, table.shape[1]))])).to(rows.device)
    for part in pieces(rows, 4 * len(sizes) + 2 * table.shape[1]):
        slots = _slots(rows[part], sizes, open_ended)
        if isinstance(slots, tuple):
            return slots[0] + part.start, *slots[1:]
        found = torch.zeros(len(slots), table.shape[1], dtype=torch.float64, device=rows.device)
        for column in range(len(sizes)):
            found += entries[slots[:, column]]
        out.tensor[part] = found
    return out


def _slots(cells: torch.Tensor, sizes: tuple[int, ...], open_ended: bool) -> torch.Tensor | Wrong:
    """Slot of each cell in the common table, the one behind the last where it is missing."""
    size = torch.tensor(sizes, dtype=torch.int64, device=cells.device)
    begin = torch.cumsum(size, 0) - size
    floating = cells.is_floating_point()
    known = ~torch.isnan(cells) if floating else torch.ones_like(cells, dtype=torch.bool)
    # What is beyond int64, or infinite, is no code of a closed alphabet, and the last one of an open one.
    codes = torch.nan_to_num(cells, nan=0.0, posinf=2.0**53, neginf=-1.5).clamp(-1.5, 2.0**53) if floating else cells
    whole = codes.long()
    wrong = known & ~(whole < size) if not open_ended else torch.zeros_like(known)
    if floating:
        wrong |= known & ((codes != whole) | torch.isinf(cells))
    if bool(wrong.any()):
        row, column = (int(place) for place in torch.nonzero(wrong)[0])
        return row, column, cells[row, column].item()
    last = torch.minimum(whole, size - 1) if open_ended else whole
    return torch.where(known & (whole >= 0), last + begin, int(size.sum()))


def bits(X: DeviceArray, threshold: float | None) -> tuple[DeviceArray, Wrong | None]:
    """Cells as codes 0 and 1, NaN where missing; and the first that is neither."""
    cells = X.tensor
    if threshold is None:
        wrong = (cells != 0) & (cells != 1) & (cells == cells)
        codes = cells.to(torch.uint8) if cells.dtype == torch.bool else cells
    else:
        wrong = torch.isinf(cells)
        codes = cells > threshold
        missing = torch.isnan(cells)
        codes = torch.where(missing, torch.nan, codes.float()) if bool(missing.any()) else codes.to(torch.uint8)
    if bool(wrong.any()):
        row, column = (int(place) for place in torch.nonzero(wrong)[0])
        return DeviceArray(codes), (row, column, cells[row, column].item())
    return DeviceArray(codes), None


def alphabet_codes(X: DeviceArray, alphabets: tuple[Array, ...]) -> DeviceArray:
    """Place of each cell in its column's alphabet of numbers; behind the last one where it is none of them."""
    cells = X.tensor.double()
    codes = torch.empty_like(cells)
    for column, alphabet in enumerate(alphabets):
        values = torch.from_numpy(np.asarray(alphabet, dtype=np.float64)).to(cells.device)
        own = cells[:, column].contiguous()
        place = torch.searchsorted(values, own).clamp(max=len(values) - 1)
        codes[:, column] = torch.where(values[place] == own, place, len(values))
    return DeviceArray(torch.where(torch.isnan(cells), torch.nan, codes))


def log_coefficient(X: DeviceArray) -> DeviceArray:
    """Logarithm of the multinomial coefficient of each row of counts, (n, 1); minus infinity where one is negative."""
    counts = X.tensor.double()
    found = torch.lgamma(counts.sum(1) + 1.0) - torch.lgamma(counts + 1.0).sum(1)
    return DeviceArray(torch.where((counts >= 0).all(1), found, -torch.inf)[:, None])
