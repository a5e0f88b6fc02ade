"""Fused Triton kernels over float32 rows, on the tensor cores: nearest centres, sums of classes, kernel sums.

Products of matrices are ``tf32x3``: three products of the tensor cores, nearly as exact as float32's own. The sums of
all programs are added in float64 by `parzen.compute.device.sums`, never by atomics: results are the same from run to
run.
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
    d: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, C: tl.constexpr, WEIGHTED: tl.constexpr, TYPE: tl.constexpr,
) -> None:  # fmt: skip
    """Sums of w 2^(-|q - p|^2) over a share of the points, by differences, (shares, C, m).

    Columns of Q and P are contiguous; weights are C rows of W, or all one.
    """
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    share = tl.program_id(1)
    total = ()
    for _ in tl.static_range(C):
        total = total + (tl.zeros((BM, BN), TYPE),)
    for begin in range(share * per, min(share * per + per, n), BN):
        j = begin + tl.arange(0, BN)
        squares = tl.zeros((BM, BN), TYPE)
        for c in tl.static_range(d):
            q = tl.load(Q + c * m + i, mask=i < m, other=0.0)
            p = tl.load(P + c * n + j, mask=j < n, other=1e18)
            off = q[:, None] - p[None, :]
            squares += off * off
        near = tl.exp2(-squares)
        new = ()
        for c in tl.static_range(C):
            if WEIGHTED:
                new = new + (total[c] + near * tl.load(W + c * n + j, mask=j < n, other=0.0)[None, :],)
            else:
                new = new + (total[c] + near,)
        total = new
    for c in tl.static_range(C):
        tl.store(OUT + (share * C + c) * m + i, tl.sum(total[c], 1), mask=i < m)


@triton.jit
def class_rows(
    X, ORIGIN, CODES, WEIGHTS, OUT, n, stride, per, groups,
    d: tl.constexpr, DP: tl.constexpr, KP: tl.constexpr, BM: tl.constexpr, WEIGHTED: tl.constexpr,
    SPLIT: tl.constexpr,
) -> None:  # fmt: skip
    """Totals and squares about an origin of the rows of each class over a run, (runs, 2, groups, columns).

    Labels are a matrix of zeros and ones, exact in bfloat16; so are the three parts of a float32 number. Column d holds
    the weights.
    """
    run = tl.program_id(0)
    j = tl.program_id(1) * DP + tl.arange(0, DP)
    k = tl.program_id(2) * KP + tl.arange(0, KP)
    width = tl.num_programs(1) * DP
    origin = tl.load(ORIGIN + j, mask=j < d, other=0.0)
    total = tl.zeros((KP, DP), tl.float32)
    square = tl.zeros((KP, DP), tl.float32)
    for begin in range(run * per, min(run * per + per, n), BM):
        i = begin + tl.arange(0, BM)
        code = tl.load(CODES + i, mask=i < n, other=-1)
        x = tl.load(
            X + i[:, None].to(tl.int64) * stride + j[None, :], mask=(i[:, None] < n) & (j[None, :] < d), other=0.0
        )
        x = tl.where(j[None, :] == d, 1.0, x - origin[None, :])
        y = x
        if WEIGHTED:
            y = x * tl.load(WEIGHTS + i, mask=i < n, other=0.0)[:, None]
        if SPLIT:
            own = (code[None, :] == k[:, None]).to(tl.bfloat16)
            total += _exact_dot(own, y)
            square += _exact_dot(own, y * x)
        else:
            own = (code[None, :] == k[:, None]).to(tl.float32)
            total += tl.dot(own, y, input_precision="tf32x3")
            square += tl.dot(own, y * x, input_precision="tf32x3")
    place = OUT + (run.to(tl.int64) * 2 * groups + k[:, None]) * width + j[None, :]
    tl.store(place, total, mask=k[:, None] < groups)
    tl.store(place + groups * width, square, mask=k[:, None] < groups)


@triton.jit
def _exact_dot(own, x) -> Any:
    """A product of zeros and ones with float32 numbers, which are sums of three of bfloat16; the smallest first."""
    high = x.to(tl.bfloat16)
    rest = x - high.to(tl.float32)
    middle = rest.to(tl.bfloat16)
    low = (rest - middle.to(tl.float32)).to(tl.bfloat16)
    return tl.dot(own, high, tl.dot(own, middle, tl.dot(own, low)))


@triton.jit
def _split(x) -> Any:
    """A number as a sum of two of float16."""
    high = x.to(tl.float16)
    return high, (x - high.to(tl.float32)).to(tl.float16)


@triton.jit
def feature_rows(X, ORIGIN, SCALE, OUT, n, size, stride, d: tl.constexpr, DP: tl.constexpr, BM: tl.constexpr) -> None:
    """Centred, scaled cells of a block and their squares, in parts: low, high and high again; zero beyond n."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.arange(0, DP)
    inside = (i[:, None] < n) & (j[None, :] < d)
    x = tl.load(X + i[:, None].to(tl.int64) * stride + j[None, :], mask=inside, other=0.0)
    x = (x - tl.load(ORIGIN + j, mask=j < d, other=0.0)[None, :]) * tl.load(SCALE + j, mask=j < d, other=0.0)[None, :]
    x = tl.where(inside, x, 0.0)
    place = OUT + i[:, None] * (6 * d) + j[None, :]
    kept = (i[:, None] < size) & (j[None, :] < d)
    high, low = _split(x)
    square, rest = _split(x * x)
    tl.store(place, low, mask=kept)
    tl.store(place + d, rest, mask=kept)
    tl.store(place + 2 * d, high, mask=kept)
    tl.store(place + 3 * d, square, mask=kept)
    tl.store(place + 4 * d, high, mask=kept)
    tl.store(place + 5 * d, square, mask=kept)


@triton.jit
def share_rows(
    S, CONSTANT, WEIGHTS, SHARES, EVIDENCE, COUNTS, n, size, K, back, scale,
    KP: tl.constexpr, BM: tl.constexpr, WEIGHTED: tl.constexpr,
) -> None:  # fmt: skip
    """Responsibilities of BM rows of a block from scores, in two parts of float16, and the evidence.

    SHARES is the memory of the scores: those of a row give way to both parts, one behind the other. The sums of
    responsibilities are added to what is there.
    """
    k = tl.arange(0, KP)
    constant = tl.load(CONSTANT + k, mask=k < K, other=-float("inf"))
    place = COUNTS + tl.program_id(0) * K + k
    counts = tl.load(place, mask=k < K, other=0.0)
    first = tl.program_id(0) * BM
    for i in range(first, tl.minimum(first + BM, size)):
        s = tl.load(S + i * K + k, mask=k < K, other=0.0) * back + constant
        top = tl.max(s, 0)
        near = tl.exp2(s - top)
        total = tl.sum(near, 0)
        tl.store(EVIDENCE + i, top + tl.log2(total), mask=i < n)
        weight = tl.where(i < n, 1.0, 0.0) / total
        if WEIGHTED:
            weight = weight * tl.load(WEIGHTS + i, mask=i < n, other=0.0)
        r = near * weight
        counts += r
        high, low = _split(r * scale)
        tl.store(SHARES + i * 2 * K + k, high, mask=k < K)
        tl.store(SHARES + i * 2 * K + K + k, low, mask=k < K)
    tl.store(place, counts, mask=k < K)


@triton.jit
def gaussian_parts(
    QH, QL, PH, PL, QQ, PP, W, OUT, m, n, per,
    DP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, WEIGHTED: tl.constexpr,
) -> None:  # fmt: skip
    """The same by products, |q - p|^2 = |q|^2 + |p|^2 - 2 q'p, on the tensor cores.

    Rows are padded to DP columns. Numbers are split in two before, those of Q after they were doubled.
    """
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    share, c = tl.program_id(1), tl.arange(0, DP)
    qh = tl.load(QH + i[:, None] * DP + c[None, :], mask=i[:, None] < m, other=0.0)
    ql = tl.load(QL + i[:, None] * DP + c[None, :], mask=i[:, None] < m, other=0.0)
    qq = tl.load(QQ + i, mask=i < m, other=0.0)
    total = tl.zeros((BM, BN), tl.float32)
    for begin in range(share * per, min(share * per + per, n), BN):
        j = begin + tl.arange(0, BN)
        ph = tl.load(PH + j[None, :] * DP + c[:, None], mask=j[None, :] < n, other=0.0)
        pl = tl.load(PL + j[None, :] * DP + c[:, None], mask=j[None, :] < n, other=0.0)
        pp = tl.load(PP + j, mask=j < n, other=1e18)
        s = tl.dot(ql, ph, input_precision="tf32")
        s = tl.dot(qh, pl, s, input_precision="tf32")
        s = tl.dot(qh, ph, s, input_precision="tf32")
        near = tl.exp2((s - qq[:, None]) - pp[None, :])
        if WEIGHTED:
            near = near * tl.load(W + j, mask=j < n, other=0.0)[None, :]
        total += near
    tl.store(OUT + share * m + i, tl.sum(total, 1), mask=i < m)
