"""Fused Triton kernels over float32 rows: responsibilities and moments of Gaussians, nearest centres, kernel sums.

A thread reads whole rows and keeps sums of what they add; the sums of all programs are added in float64 by
`parzen.compute.device.sums`. Nothing is added by atomics: results are the same from run to run. Products of matrices
are ``tf32x3``: three products of the tensor cores, nearly as exact as float32's own.
"""
# Tuples grow by +, which is what Triton compiles.
# ruff: noqa: RUF005

import os
from typing import Any

import triton
import triton.language as tl

#: Whether kernels are interpreted on the processor, as tests do.
INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
#: Types of sums in single and double precision.
KINDS = (tl.float32, tl.float64)


@triton.jit
def _scalars(P, count: tl.constexpr) -> Any:
    """Numbers that all threads share."""
    found = ()
    for f in tl.static_range(count):
        found = found + (tl.load(P + f),)
    return found


@triton.jit
def _cells(X, i, n, stride, centre, d: tl.constexpr) -> Any:
    """The cells of a row in each thread, less a centre; zero beyond the last row."""
    place = X + i.to(tl.int64) * stride
    x = ()
    for c in tl.static_range(d):
        x = x + (tl.where(i < n, tl.load(place + c, mask=i < n, other=0.0) - centre[c], 0.0),)
    return x


@triton.jit
def _score(x, t, constant, d: tl.constexpr, FULL: tl.constexpr) -> Any:
    """Log to base 2 of a Gaussian: a constant less |z|^2, z an affine function of x by the numbers t."""
    s = x[0] * 0.0 + constant
    for a in tl.static_range(d):
        if FULL:
            z = x[0] * 0.0 + t[d * (d + 1) // 2 + a]
            for b in tl.static_range(a + 1):
                z += t[a * (a + 1) // 2 + b] * x[b]
        else:
            z = t[a] * x[a] + t[d + a]
        s -= z * z
    return s


@triton.jit
def evidence_rows(
    X, ORIGIN, TABLE, CONSTANT, OUT, n, stride, K,
    d: tl.constexpr, WIDTH: tl.constexpr, BM: tl.constexpr, FULL: tl.constexpr,
) -> None:  # fmt: skip
    """Log to base 2 of a mixture's density at each row."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    x = _cells(X, i, n, stride, _scalars(ORIGIN, d), d)
    top = tl.full((BM,), -1e30, tl.float32)
    sums = tl.zeros((BM,), tl.float32)
    for k in range(K):
        s = _score(x, _scalars(TABLE + k * WIDTH, WIDTH), tl.load(CONSTANT + k), d, FULL)
        new = tl.maximum(top, s)
        sums = sums * tl.exp2(top - new) + tl.exp2(s - new)
        top = new
    tl.store(OUT + i, top + tl.log2(sums), mask=i < n)


@triton.jit
def moment_rows(
    X, CENTRE, TABLE, CONSTANT, EVIDENCE, CODES, WEIGHTS, OUT, n, stride, per, apart,
    d: tl.constexpr, WIDTH: tl.constexpr, F: tl.constexpr, BM: tl.constexpr, FULL: tl.constexpr, LABELS: tl.constexpr,
    WEIGHTED: tl.constexpr,
) -> None:  # fmt: skip
    """Sums of one group over a run of rows: products of cells (or squares), cells, and weights, (runs, K, F).

    By responsibilities, or by labels; then a missing cell weighs nothing, and every column has a weight.
    """
    run, k = tl.program_id(0), tl.program_id(1)
    centre = _scalars(CENTRE + k * apart, d)
    if not LABELS:
        t = _scalars(TABLE + k * WIDTH, WIDTH)
        constant = tl.load(CONSTANT + k)
    total = ()
    for _ in tl.static_range(F):
        total = total + (tl.zeros((BM,), tl.float32),)
    for begin in range(run * per, min(run * per + per, n), BM):
        i = begin + tl.arange(0, BM)
        if LABELS:
            r = tl.where(tl.load(CODES + i, mask=i < n, other=-1) == k, 1.0, 0.0)
        x = _cells(X, i, n, stride, centre, d)
        if not LABELS:
            r = tl.exp2(_score(x, t, constant, d, FULL) - tl.load(EVIDENCE + i, mask=i < n, other=1e30))
        if WEIGHTED:
            r = r * tl.load(WEIGHTS + i, mask=i < n, other=0.0)
        new = ()
        if FULL:
            for a in tl.static_range(d):
                y = r * x[a]
                for b in tl.static_range(a + 1):
                    new = new + (total[a * (a + 1) // 2 + b] + y * x[b],)
            for a in tl.static_range(d):
                new = new + (total[d * (d + 1) // 2 + a] + r * x[a],)
            new = new + (total[d * (d + 1) // 2 + d] + r,)
        elif LABELS:
            for a in tl.static_range(d):
                known = x[a] == x[a]
                own = tl.where(known, r, 0.0)
                off = tl.where(known, x[a], 0.0)
                y = own * off
                new = new + (total[3 * a] + y * off, total[3 * a + 1] + y, total[3 * a + 2] + own)
        else:
            for a in tl.static_range(d):
                y = r * x[a]
                new = new + (total[2 * a] + y * x[a], total[2 * a + 1] + y)
            new = new + (total[2 * d] + r,)
        total = new
    place = OUT + (run * tl.num_programs(1) + k) * F
    for f in tl.static_range(F):
        tl.store(place + f, tl.sum(total[f], 0))


@triton.jit
def nearest_rows(
    X, ORIGIN, CENTRE, HALF, CODES, SQUARES, n, stride, K, chunks,
    d: tl.constexpr, DP: tl.constexpr, KB: tl.constexpr, BM: tl.constexpr,
) -> None:  # fmt: skip
    """The nearest centre of each row, the first of equals, and its squared distance."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.arange(0, DP)
    inside = (i[:, None] < n) & (j[None, :] < d)
    x = tl.load(X + i[:, None].to(tl.int64) * stride + j[None, :], mask=inside, other=0.0)
    x = tl.where(inside, x - tl.load(ORIGIN + j, mask=j < d, other=0.0)[None, :], 0.0)
    best = tl.full((BM,), -1e30, tl.float32)
    code = tl.zeros((BM,), tl.int32)
    for chunk in range(chunks):
        k = chunk * KB + tl.arange(0, KB)
        centre = tl.load(CENTRE + k[None, :] * d + j[:, None], mask=(j[:, None] < d) & (k[None, :] < K), other=0.0)
        half = tl.load(HALF + k, mask=k < K, other=1e30)
        s = tl.dot(x, centre, input_precision="tf32x3") - half[None, :]
        top = tl.max(s, 1)
        code = tl.where(top > best, chunk * KB + tl.argmax(s, 1), code)
        best = tl.maximum(best, top)
    tl.store(CODES + i, code, mask=i < n)
    tl.store(SQUARES + i, tl.maximum(tl.sum(x * x, 1) - 2.0 * best, 0.0), mask=i < n)


@triton.jit
def cluster_rows(
    X, CENTRE, ORDER, BEGIN, WEIGHTS, OUT, stride, shares,
    d: tl.constexpr, DP: tl.constexpr, BM: tl.constexpr, WEIGHTED: tl.constexpr,
) -> None:  # fmt: skip
    """Totals of the rows of one cluster about its centre, and their weight in column d, (clusters, shares, DP)."""
    k, share = tl.program_id(0), tl.program_id(1)
    j = tl.arange(0, DP)
    centre = tl.load(CENTRE + k * d + j, mask=j < d, other=0.0)
    low, high = tl.load(BEGIN + k), tl.load(BEGIN + k + 1)
    each = (high - low + shares - 1) // shares
    low += share * each
    high = tl.minimum(high, low + each)
    total = tl.zeros((BM, DP), tl.float32)
    for begin in range(low, high, BM):
        at = begin + tl.arange(0, BM)
        i = tl.load(ORDER + at, mask=at < high, other=0)
        inside = (at[:, None] < high) & (j[None, :] < d)
        x = tl.load(X + i[:, None].to(tl.int64) * stride + j[None, :], mask=inside, other=0.0)
        x = tl.where(inside, x - centre[None, :], 0.0)
        x = tl.where((j[None, :] == d) & (at[:, None] < high), 1.0, x)
        if WEIGHTED:
            x = x * tl.load(WEIGHTS + i, mask=at < high, other=0.0)[:, None]
        total += x
    tl.store(OUT + (k * shares + share) * DP + j, tl.sum(total, 0))


@triton.jit
def gaussian_pairs(
    Q, P, W, OUT, m, n, per,
    d: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, WEIGHTED: tl.constexpr, TYPE: tl.constexpr,
) -> None:  # fmt: skip
    """Sums of w 2^(-|q - p|^2) over a share of the points, by differences; columns of Q and P are contiguous."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    share = tl.program_id(1)
    total = tl.zeros((BM, BN), TYPE)
    for begin in range(share * per, min(share * per + per, n), BN):
        j = begin + tl.arange(0, BN)
        squares = tl.zeros((BM, BN), TYPE)
        for c in tl.static_range(d):
            q = tl.load(Q + c * m + i, mask=i < m, other=0.0)
            p = tl.load(P + c * n + j, mask=j < n, other=1e18)
            off = q[:, None] - p[None, :]
            squares += off * off
        near = tl.exp2(-squares)
        if WEIGHTED:
            near = near * tl.load(W + j, mask=j < n, other=0.0)[None, :]
        total += near
    tl.store(OUT + share * m + i, tl.sum(total, 1), mask=i < m)


@triton.jit
def gaussian_products(
    Q, P, QQ, PP, W, OUT, m, n, per, DP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, WEIGHTED: tl.constexpr
) -> None:
    """The same by products: |q - p|^2 = |q|^2 + |p|^2 - 2 q'p, on the tensor cores; rows are padded to DP columns."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    share, c = tl.program_id(1), tl.arange(0, DP)
    q = tl.load(Q + i[:, None] * DP + c[None, :], mask=i[:, None] < m, other=0.0)
    qq = tl.load(QQ + i, mask=i < m, other=0.0)
    total = tl.zeros((BM, BN), tl.float32)
    for begin in range(share * per, min(share * per + per, n), BN):
        j = begin + tl.arange(0, BN)
        p = tl.load(P + j[None, :] * DP + c[:, None], mask=j[None, :] < n, other=0.0)
        pp = tl.load(PP + j, mask=j < n, other=1e18)
        near = tl.exp2(2.0 * tl.dot(q, p, input_precision="tf32x3") - qq[:, None] - pp[None, :])
        if WEIGHTED:
            near = near * tl.load(W + j, mask=j < n, other=0.0)[None, :]
        total += near
    tl.store(OUT + share * m + i, tl.sum(total, 1), mask=i < m)
