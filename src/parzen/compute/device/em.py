"""E-step of a Gaussian mixture over rows on a device, with the moments; see `parzen.compute.em`.

Responsibilities live for a piece of the rows at a time; nothing of size n x K is stored.
"""

from typing import Any

import numpy as np
import torch

from parzen.compute.arrays import Array
from parzen.compute.device.array import DeviceArray
from parzen.compute.device.gaussian import missing_cells
from parzen.compute.device.memory import pieces
from parzen.compute.device.moments import on
from parzen.compute.device.sums import MOST_SUMS, mixture_sums, readable, single, sums_of
from parzen.compute.device.wide import scales, wide_sums

#: How far rounding may grow in a score (see `Components.loss`) where rows of float32 are worked on as they are.
EXACT = 30.0


def em_step(X: DeviceArray, w: Any, at: Any) -> tuple[Array, Array, Array, Array, float]:
    """`parzen.compute.em.em_step` of rows on a device; an error where cells are missing."""
    rows = X.tensor
    d = rows.shape[1]
    light = rows.dtype == torch.float32 and at.loss < EXACT
    origin = single(at.origin) if light else at.origin
    if light and at.kind != "shared" and readable(rows) and sums_of(d, at.kind == "full", False) <= MOST_SUMS:
        own = None if w is None else on(w, rows).float()
        gaussians = at.inverse, at.mean - origin, at.constant
        weight, total, square, score = mixture_sums(rows, own, origin, gaussians)
    elif light and at.kind == "diagonal" and (scale := scales(rows, origin, at.inverse)) is not None:
        own = None if w is None else on(w, rows).float()
        weight, total, square, score = wide_sums(rows, own, origin, (at.inverse, at.mean - origin, at.constant), scale)
    else:
        weight, total, square, score = _by_products(rows, w, at, origin, torch.float32 if light else torch.float64)
    if not np.isfinite(score):
        raise missing_cells(X)
    return (*_about_means(weight, total, square, at.kind, origin), score * float(np.log(2.0)))


def _by_products(
    rows: torch.Tensor, w: Any, at: Any, about: Array, dtype: torch.dtype
) -> tuple[Array, Array, Array, float]:
    """Weights, totals and squares about the origin, and the log-likelihood to base 2, by products of matrices."""
    d, K = rows.shape[1], len(at.constant)
    mean = at.mean if at.kind == "shared" else at.mean - about
    origin, mean, inverse, constant = (
        torch.from_numpy(np.ascontiguousarray(part)).to(rows.device, dtype)
        for part in (about, mean, at.inverse, at.constant)
    )
    found: list[Any] = [0.0, 0.0, 0.0, 0.0]
    wide = 2 * K * d if at.kind == "full" else 0
    for part in pieces(rows, wide + 3 * d + 3 * K):
        x = rows[part].to(dtype) - origin
        joint = _scores(x, at.kind, mean, inverse) + constant
        top = joint.max(dim=1, keepdim=True).values
        shares = torch.exp2(joint - top)
        sums = shares.sum(1, keepdim=True)
        shares /= sums
        logs = (top + torch.log2(sums))[:, 0].double()
        own = None if w is None else on(w, rows, part).double()
        if own is not None:
            shares *= own[:, None].to(dtype)
            logs = torch.where(own == 0, 0.0, own * logs)
        parts = (shares.sum(0), shares.T @ x, _squares(x, shares, at.kind, own), logs.sum())
        found = [old + new.double() for old, new in zip(found, parts, strict=True)]
    weight, total, square = (part.cpu().numpy() for part in found[:3])
    return weight, total, square, float(found[3])


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


def _squares(x: torch.Tensor, shares: torch.Tensor, kind: str, own: torch.Tensor | None) -> torch.Tensor:
    if kind == "diagonal":
        return shares.T @ (x * x)
    if kind == "shared":
        return ((x if own is None else x * own[:, None].to(x.dtype)).T @ x)[None]
    K, d = shares.shape[1], x.shape[1]
    weighted = (shares[:, :, None] * x[:, None, :]).reshape(len(x), K * d)
    return (weighted.T @ x).reshape(K, d, d)


def _about_means(
    weight: Array, total: Array, square: Array, kind: str, origin: Array
) -> tuple[Array, Array, Array, Array]:
    """Moments about the components' means, from sums about the origin."""
    shift = total / np.maximum(weight, 1e-300)[:, None]
    mean = origin + shift
    carry = (origin - mean) + shift
    if kind == "diagonal":
        scatter = np.maximum(square - weight[:, None] * shift * shift, 0.0)
        return np.repeat(weight[:, None], len(origin), axis=1), mean, scatter, carry
    outer = np.einsum("k,ki,kj->kij", weight, shift, shift)
    scatter = square - (outer.sum(axis=0, keepdims=True) if kind == "shared" else outer)
    return np.ascontiguousarray(weight), mean, (scatter + scatter.transpose(0, 2, 1)) / 2, carry
