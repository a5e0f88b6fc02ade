"""E-step of a Gaussian mixture over rows on a device, with the moments; see `parzen.compute.em`.

Responsibilities live for a piece of the rows at a time; nothing of size n x K is stored.
"""

from typing import Any

import numpy as np
import torch

from parzen.compute.arrays import Array
from parzen.compute.device.array import DeviceArray
from parzen.compute.device.gaussian import missing_cells
from parzen.compute.device.moments import on, pieces


def em_step(X: DeviceArray, w: Any, at: Any) -> tuple[Array, Array, Array, Array, float]:
    rows = X.tensor
    n, d = rows.shape
    K = len(at.constant)
    like = {"dtype": torch.float64, "device": rows.device}
    origin, mean, inverse, constant = (
        torch.from_numpy(np.ascontiguousarray(part)).to(rows.device)
        for part in (at.origin, at.mean, at.inverse, at.constant)
    )
    off = mean if at.kind == "shared" else mean - origin
    alone = at.kind == "diagonal"
    weight, total = torch.zeros(K, **like), torch.zeros(K, d, **like)
    square = torch.zeros((K, d) if alone else (len(inverse), d, d), **like)
    likelihood = torch.zeros((), **like)
    for part in pieces(rows, (K + 3) * d + 3 * K):
        x = rows[part].double() - origin
        joint = _scores(x, at.kind, off, inverse) + constant
        top = joint.max(dim=1, keepdim=True).values
        shares = torch.exp2(joint - top)
        sums = shares.sum(1, keepdim=True)
        shares /= sums
        logs = (top + torch.log2(sums))[:, 0]
        own = None if w is None else on(w, rows, part).double()
        likelihood += logs.sum() if own is None else torch.where(own == 0, 0.0, own * logs).sum()
        if own is not None:
            shares *= own[:, None]
        weight += shares.sum(0)
        total += shares.T @ x
        _add_squares(square, x, shares, at.kind, own)
    score = float(likelihood) * float(np.log(2.0))
    if not np.isfinite(score):
        raise missing_cells(X)
    return (*_about_means(weight, total, square, at, d), score)


def _scores(x: torch.Tensor, kind: str, off: torch.Tensor, inverse: torch.Tensor) -> torch.Tensor:
    """Logs to base 2 of the components' densities at centred rows, their constants apart, (n, K)."""
    if kind == "diagonal":
        squares = inverse * inverse
        return (x @ (2.0 * squares * off).T) - (x * x) @ squares.T - (squares * off * off).sum(1)
    if kind == "shared":
        white = x @ inverse[0].T
        return x @ off.T - (white * white).sum(1, keepdim=True)
    K, d = off.shape
    white = x @ inverse.reshape(K * d, d).T
    white -= torch.einsum("kij,kj->ki", inverse, off).reshape(-1)
    return -(white * white).reshape(len(x), K, d).sum(2)


def _add_squares(square: torch.Tensor, x: torch.Tensor, shares: torch.Tensor, kind: str, own: Any) -> None:
    if kind == "diagonal":
        square += shares.T @ (x * x)
    elif kind == "shared":
        square[0] += (x if own is None else x * own[:, None]).T @ x
    else:
        K, d = shares.shape[1], x.shape[1]
        weighted = (shares[:, :, None] * x[:, None, :]).reshape(len(x), K * d)
        square += (weighted.T @ x).reshape(K, d, d)


def _about_means(
    weight: torch.Tensor, total: torch.Tensor, square: torch.Tensor, at: Any, d: int
) -> tuple[Array, Array, Array, Array]:
    """Moments about the components' means, from sums about the origin."""
    w, sums, squares = (part.cpu().numpy() for part in (weight, total, square))
    shift = sums / np.maximum(w, 1e-300)[:, None]
    mean = at.origin + shift
    carry = (at.origin - mean) + shift
    if at.kind == "diagonal":
        scatter = np.maximum(squares - w[:, None] * shift * shift, 0.0)
        return np.repeat(w[:, None], d, axis=1), mean, scatter, carry
    outer = np.einsum("k,ki,kj->kij", w, shift, shift)
    scatter = squares - (outer.sum(axis=0, keepdims=True) if at.kind == "shared" else outer)
    return w, mean, (scatter + scatter.transpose(0, 2, 1)) / 2, carry
