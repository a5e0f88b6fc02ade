"""One step of k-means over rows on a device; see `parzen.compute.kmeans`."""

from typing import Any

import numpy as np
import torch

from parzen.compute.arrays import Array
from parzen.compute.device.array import DeviceArray
from parzen.compute.device.memory import pieces
from parzen.compute.device.moments import memberships_of, on
from parzen.compute.device.sums import cluster_totals, nearest, readable
from parzen.compute.memberships import Labels

#: Most columns of rows that the fused kernels read.
COLUMNS = 128


def centre_step(
    X: DeviceArray, w: Array | None, at: Any, sums: bool = True, codes: DeviceArray | None = None
) -> tuple[Array, Array, float]:
    """`parzen.compute.kmeans.centre_step` of rows on a device; an error where cells are missing."""
    rows, centre = X.tensor, at.point
    (n, d), K = rows.shape, len(centre)
    place = torch.empty(n, dtype=torch.int32, device=rows.device) if codes is None else codes.tensor
    fused = readable(rows) and d <= COLUMNS
    squares = nearest(rows, at.origin, centre, place) if fused else _nearest(rows, at, place)
    if not bool(torch.isfinite(squares).all()):
        raise ValueError("Input X contains NaN: on a device k-means needs complete rows; give X.cpu(), or fill them.")
    if not sums:
        return np.zeros(K), np.zeros((K, d)), 0.0
    own = None if w is None else on(w, rows)
    inertia = float(squares.sum(dtype=torch.float64) if own is None else squares.double() @ own.double())
    if fused:
        weight, totals = cluster_totals(rows, None if own is None else own.float(), centre, place)
    else:
        weight, totals = _totals(rows, w, centre, place)
    return weight, totals, inertia


def _nearest(rows: torch.Tensor, at: Any, codes: torch.Tensor) -> torch.Tensor:
    """Nearest centres and squared distances, in float64."""
    centre = torch.from_numpy(at.point - at.origin).to(rows.device)
    origin, half = torch.from_numpy(at.origin).to(rows.device), 0.5 * (centre * centre).sum(1)
    squares = torch.empty(len(rows), dtype=torch.float64, device=rows.device)
    for part in pieces(rows, 2 * len(centre) + 2 * rows.shape[1]):
        x = rows[part].double() - origin
        place = (x @ centre.T - half).argmax(dim=1)
        codes[part] = place.to(torch.int32)
        squares[part] = ((x - centre[place]) ** 2).sum(1)
    return squares


def _totals(rows: torch.Tensor, w: Array | None, centre: Array, codes: torch.Tensor) -> tuple[Array, Array]:
    K, d = centre.shape
    at = torch.from_numpy(np.ascontiguousarray(centre)).to(rows.device)
    weight, totals = np.zeros(K), np.zeros((K, d))
    R = Labels.sound(DeviceArray(codes), w, K)  # type: ignore[arg-type]
    for part in pieces(rows, 2 * K + 2 * d):
        members = memberships_of(R, part, rows)
        assert members is not None
        weight += members.sum(0).cpu().numpy()
        totals += (members.T @ (rows[part].double() - at[codes[part].long()])).cpu().numpy()
    return weight, totals
