"""Log-densities of K Gaussians, and affine functions, of rows on a device; see `parzen.compute.gaussian`."""

import numpy as np
import torch
from scipy.linalg.lapack import dtrtri

from parzen.compute.arrays import Array
from parzen.compute.device.array import DeviceArray
from parzen.compute.device.memory import pieces
from parzen.compute.device.sums import along_rows, readable

#: Most columns of rows that the fused kernel reads.
FUSED = 64


def gaussian_log_density(
    X: DeviceArray, mean: Array, factor: Array, normaliser: Array, out: DeviceArray
) -> DeviceArray:
    """Log-densities (n, K); missing cells are marginalised where columns are independent, else refused."""
    rows, result = X.tensor, out.tensor
    centre, constant = _here(mean, rows), _here(normaliser, rows)
    if factor.ndim == 2:
        _independent(rows, centre, _here(1.0 / factor, rows), constant, result)
        return out
    inverse = _here(np.tril([dtrtri(one, lower=1)[0] for one in factor]), rows)
    K, d = mean.shape
    for part in pieces(rows, 3 * d):
        x = rows[part].double()
        for k in range(K):
            white = (x - centre[k]) @ inverse[min(k, len(inverse) - 1)].T
            result[part, k] = constant[k] - 0.5 * (white * white).sum(1)
    if torch.isnan(result[:, 0]).any() and torch.isnan(rows).any():
        raise missing_cells(X)
    return out


def _independent(
    rows: torch.Tensor, centre: torch.Tensor, scale: torch.Tensor, constant: torch.Tensor, result: torch.Tensor
) -> None:
    # The normaliser counts every column; one that is missing has density one.
    each = torch.log(scale) - 0.5 * float(np.log(2 * np.pi))
    (n, d), K = rows.shape, len(centre)
    if rows.is_floating_point() and readable(rows, rows.dtype) and d <= FUSED and result.stride(1) == 1:
        KP = min(1 << max(K - 1, 0).bit_length(), 32)
        BM = 512 // KP
        along_rows().independent_rows[(-(-n // BM), -(-K // KP))](
            rows, centre, scale, each, constant, result, n, rows.stride(0), result.stride(0), K, d=d, KP=KP, BM=BM
        )
        return
    for part in pieces(rows, 3 * rows.shape[1]):
        x = rows[part].double()
        known = ~torch.isnan(x)
        complete = bool(known.all())
        for k in range(len(centre)):
            z = (x - centre[k]) * scale[k]
            squares = z * z if complete else torch.where(known, z * z, 0.0)
            result[part, k] = constant[k] - 0.5 * squares.sum(1)
            if not complete:
                result[part, k] -= torch.where(known, 0.0, each[k]).sum(1)


def linear(X: DeviceArray, table: Array, offset: Array, out: DeviceArray, origin: Array | None = None) -> None:
    """Write ``(X - origin) @ table + offset``."""
    rows = X.tensor
    slope, at = _here(table, rows), _here(offset, rows)
    for part in pieces(rows, 2 * rows.shape[1]):
        x = rows[part].double()
        out.tensor[part] = torch.addmm(at, x if origin is None else x - _here(origin, rows), slope)


def missing_cells(X: DeviceArray) -> ValueError:
    """The error of rows with missing cells, where their columns are not independent."""
    return ValueError(
        "Input X contains NaN, and on a device only diagonal and spherical Gaussians marginalise missing cells; give "
        "X.cpu(), where every Gaussian does, or fill them."
    )


def _here(values: Array, rows: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(values)).to(rows.device)
