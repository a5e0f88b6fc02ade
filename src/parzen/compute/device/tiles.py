"""Fused Triton kernels over tiles of float32 rows: responsibilities and moments of Gaussians, nearest centres.

A program reads a run of rows, a tile at a time, and keeps sums of what they add; the sums of all programs are added in
float64 by `parzen.compute.device.sums`. Nothing is added by atomics: results are the same from run to run. Products are
``tf32x3``: three products of the tensor cores, as exact as float32's own.

Rows are centred. A column of ones beside them makes weights and totals cells of the same product as the squares.
"""

from typing import Any

import triton
import triton.language as tl

#: What memberships are made of.
SCORES, EVIDENCE, CODES = 0, 1, 2


@triton.jit
def _rows(X, ORIGIN, i, n, stride, d: tl.constexpr, DP: tl.constexpr) -> Any:
    """A tile of centred rows with a column of ones behind the last; rows beyond the end are zero."""
    j = tl.arange(0, DP)
    inside = (i[:, None] < n) & (j[None, :] < d)
    x = tl.load(X + i[:, None].to(tl.int64) * stride + j[None, :], mask=inside, other=0.0)
    x = tl.where(inside, x - tl.load(ORIGIN + j, mask=j < d, other=0.0)[None, :], 0.0)
    return tl.where((j[None, :] == d) & (i[:, None] < n), 1.0, x)


@triton.jit
def full_tile(
    X, ORIGIN, W, CONSTANT, EVIDENCE_, CODES_, WEIGHTS, OUT, LIKELIHOOD, n, stride, per, K,
    d: tl.constexpr, DP: tl.constexpr, KB: tl.constexpr, BM: tl.constexpr, MODE: tl.constexpr, WEIGHTED: tl.constexpr,
) -> None:  # fmt: skip
    """Squares, totals and weights of rows under full Gaussians, (programs, chunks, KB * DP, DP)."""
    run, chunk = tl.program_id(0), tl.program_id(1)
    wide = tl.arange(0, KB * DP)
    k = chunk * KB + tl.arange(0, KB)
    j = tl.arange(0, DP)
    if MODE != 2:
        table = tl.load(W + chunk * DP * KB * DP + j[:, None] * (KB * DP) + wide[None, :])
        constant = tl.load(CONSTANT + k, mask=k < K, other=-1e30)
    total = tl.zeros((KB * DP, DP), tl.float32)
    likelihood = tl.zeros((BM,), tl.float32)
    for begin in range(run * per, min(run * per + per, n), BM):
        i = begin + tl.arange(0, BM)
        x = _rows(X, ORIGIN, i, n, stride, d, DP)
        if MODE == 2:
            code = tl.load(CODES_ + i, mask=i < n, other=-1)
            r = tl.where(code[:, None] == k[None, :], 1.0, 0.0)
        else:
            z = tl.dot(x, table, input_precision="tf32x3")
            s = constant[None, :] - tl.sum(tl.reshape(z * z, (BM, KB, DP)), 2)
            if MODE == 0:
                top = tl.max(s, 1)
                e = tl.exp2(s - top[:, None])
                sums = tl.sum(e, 1)
                r = e / sums[:, None]
                logs = top + tl.log2(sums)
            else:
                logs = tl.load(EVIDENCE_ + i, mask=i < n, other=0.0)
                r = tl.exp2(s - logs[:, None])
        r = tl.where(i[:, None] < n, r, 0.0)
        if WEIGHTED:
            own = tl.load(WEIGHTS + i, mask=i < n, other=0.0)
            r = r * own[:, None]
            if MODE == 0:
                likelihood += tl.where(own > 0, own * logs, 0.0)
        elif MODE == 0:
            likelihood += tl.where(i < n, logs, 0.0)
        weighted = tl.reshape(r[:, :, None] * x[:, None, :], (BM, KB * DP))
        total += tl.dot(tl.trans(weighted), x, input_precision="tf32x3")
    place = OUT + (run * tl.num_programs(1) + chunk) * KB * DP * DP
    tl.store(place + wide[:, None] * DP + j[None, :], total)
    if MODE == 0:
        tl.store(LIKELIHOOD + run, tl.sum(likelihood, 0))


@triton.jit
def full_evidence(
    X, ORIGIN, W, CONSTANT, EVIDENCE_, n, stride, K, chunks,
    d: tl.constexpr, DP: tl.constexpr, KB: tl.constexpr, BM: tl.constexpr,
) -> None:  # fmt: skip
    """Log to base 2 of the mixture's density at each row, over chunks of components."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    x = _rows(X, ORIGIN, i, n, stride, d, DP)
    wide, j = tl.arange(0, KB * DP), tl.arange(0, DP)
    top = tl.full((BM,), -1e30, tl.float32)
    sums = tl.zeros((BM,), tl.float32)
    for chunk in range(chunks):
        k = chunk * KB + tl.arange(0, KB)
        table = tl.load(W + chunk * DP * KB * DP + j[:, None] * (KB * DP) + wide[None, :])
        constant = tl.load(CONSTANT + k, mask=k < K, other=-1e30)
        z = tl.dot(x, table, input_precision="tf32x3")
        s = constant[None, :] - tl.sum(tl.reshape(z * z, (BM, KB, DP)), 2)
        new = tl.maximum(top, tl.max(s, 1))
        sums = sums * tl.exp2(top - new) + tl.sum(tl.exp2(s - new[:, None]), 1)
        top = new
    tl.store(EVIDENCE_ + i, top + tl.log2(sums), mask=i < n)


@triton.jit
def diagonal_tile(
    X, ORIGIN, A, B, CONSTANT, EVIDENCE_, CODES_, GUESS, WEIGHTS, OUT, LIKELIHOOD, n, stride, per, K,
    d: tl.constexpr, DP: tl.constexpr, KB: tl.constexpr, BM: tl.constexpr, MODE: tl.constexpr, WEIGHTED: tl.constexpr,
) -> None:  # fmt: skip
    """Totals (with weights) and squares of rows under independent columns, (programs, chunks, 2, KB, DP)."""
    run, chunk = tl.program_id(0), tl.program_id(1)
    k = chunk * KB + tl.arange(0, KB)
    j = tl.arange(0, DP)
    if MODE != 2:
        slope = tl.load(A + j[:, None] * K + k[None, :], mask=(j[:, None] <= d) & (k[None, :] < K), other=0.0)
        curve = tl.load(B + j[:, None] * K + k[None, :], mask=(j[:, None] < d) & (k[None, :] < K), other=0.0)
        constant = tl.load(CONSTANT + k, mask=k < K, other=-1e30)
    total = tl.zeros((KB, DP), tl.float32)
    square = tl.zeros((KB, DP), tl.float32)
    likelihood = tl.zeros((BM,), tl.float32)
    for begin in range(run * per, min(run * per + per, n), BM):
        i = begin + tl.arange(0, BM)
        x = _rows(X, ORIGIN, i, n, stride, d, DP)
        if MODE == 2:
            code = tl.load(CODES_ + i, mask=i < n, other=-1)
            r = tl.where(code[:, None] == k[None, :], 1.0, 0.0)
            here = (i[:, None] < n) & (code[:, None] >= 0) & (j[None, :] < d)
            x = x - tl.load(GUESS + code[:, None] * d + j[None, :], mask=here, other=0.0)
        else:
            s = tl.dot(x, slope, input_precision="tf32x3") + tl.dot(x * x, curve, input_precision="tf32x3")
            s = s + constant[None, :]
            if MODE == 0:
                top = tl.max(s, 1)
                e = tl.exp2(s - top[:, None])
                sums = tl.sum(e, 1)
                r = e / sums[:, None]
                logs = top + tl.log2(sums)
            else:
                logs = tl.load(EVIDENCE_ + i, mask=i < n, other=0.0)
                r = tl.exp2(s - logs[:, None])
        r = tl.where(i[:, None] < n, r, 0.0)
        if WEIGHTED:
            own = tl.load(WEIGHTS + i, mask=i < n, other=0.0)
            r = r * own[:, None]
            if MODE == 0:
                likelihood += tl.where(own > 0, own * logs, 0.0)
        elif MODE == 0:
            likelihood += tl.where(i < n, logs, 0.0)
        total += tl.dot(tl.trans(r), x, input_precision="tf32x3")
        square += tl.dot(tl.trans(r), x * x, input_precision="tf32x3")
    place = OUT + (run * tl.num_programs(1) + chunk) * 2 * KB * DP
    cell = tl.arange(0, KB)[:, None] * DP + j[None, :]
    tl.store(place + cell, total)
    tl.store(place + KB * DP + cell, square)
    if MODE == 0:
        tl.store(LIKELIHOOD + run, tl.sum(likelihood, 0))


@triton.jit
def diagonal_evidence(
    X, ORIGIN, A, B, CONSTANT, EVIDENCE_, n, stride, K, chunks,
    d: tl.constexpr, DP: tl.constexpr, KB: tl.constexpr, BM: tl.constexpr,
) -> None:  # fmt: skip
    """Log to base 2 of the mixture's density at each row, over chunks of components with independent columns."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    x = _rows(X, ORIGIN, i, n, stride, d, DP)
    j = tl.arange(0, DP)
    top = tl.full((BM,), -1e30, tl.float32)
    sums = tl.zeros((BM,), tl.float32)
    for chunk in range(chunks):
        k = chunk * KB + tl.arange(0, KB)
        slope = tl.load(A + j[:, None] * K + k[None, :], mask=(j[:, None] <= d) & (k[None, :] < K), other=0.0)
        curve = tl.load(B + j[:, None] * K + k[None, :], mask=(j[:, None] < d) & (k[None, :] < K), other=0.0)
        constant = tl.load(CONSTANT + k, mask=k < K, other=-1e30)
        s = tl.dot(x, slope, input_precision="tf32x3") + tl.dot(x * x, curve, input_precision="tf32x3")
        s = s + constant[None, :]
        new = tl.maximum(top, tl.max(s, 1))
        sums = sums * tl.exp2(top - new) + tl.sum(tl.exp2(s - new[:, None]), 1)
        top = new
    tl.store(EVIDENCE_ + i, top + tl.log2(sums), mask=i < n)


@triton.jit
def quadratic_tile(
    X, ORIGIN, I, J, THETA, LINEAR, CODES_, WEIGHTS, SQUARES, TOTALS, LIKELIHOOD, n, stride, per, K,
    d: tl.constexpr, DP: tl.constexpr, F: tl.constexpr, KP: tl.constexpr, BM: tl.constexpr, MODE: tl.constexpr,
    WEIGHTED: tl.constexpr,
) -> None:  # fmt: skip
    """Squares and totals of rows in one pass, where the products of a row's cells are few: (programs, F or DP, KP).

    Scores are affine in the products x_i x_j, i <= j, and in x; the moments are the same products times memberships.
    """
    run = tl.program_id(0)
    f, j, k = tl.arange(0, F), tl.arange(0, DP), tl.arange(0, KP)
    first, second = tl.load(I + f), tl.load(J + f)
    middle_first = tl.load(ORIGIN + first)
    middle_second = tl.load(ORIGIN + second)
    if MODE == 0:
        theta = tl.load(THETA + f[:, None] * KP + k[None, :])
        linear = tl.load(LINEAR + j[:, None] * KP + k[None, :])
    squares = tl.zeros((F, KP), tl.float32)
    totals = tl.zeros((DP, KP), tl.float32)
    likelihood = tl.zeros((BM,), tl.float32)
    for begin in range(run * per, min(run * per + per, n), BM):
        i = begin + tl.arange(0, BM)
        there = i[:, None] < n
        place = X + i[:, None].to(tl.int64) * stride
        a = tl.load(place + first[None, :], mask=there, other=0.0) - middle_first[None, :]
        b = tl.load(place + second[None, :], mask=there, other=0.0) - middle_second[None, :]
        products = tl.where(there, a * b, 0.0)
        x = _rows(X, ORIGIN, i, n, stride, d, DP)
        if MODE == 0:
            s = tl.dot(products, theta, input_precision="tf32x3")
            s = tl.dot(x, linear, s, input_precision="tf32x3")
            top = tl.max(s, 1)
            e = tl.exp2(s - top[:, None])
            sums = tl.sum(e, 1)
            r = e / sums[:, None]
            logs = top + tl.log2(sums)
        else:
            code = tl.load(CODES_ + i, mask=i < n, other=-1)
            r = tl.where(code[:, None] == k[None, :], 1.0, 0.0)
        r = tl.where(there, r, 0.0)
        if WEIGHTED:
            own = tl.load(WEIGHTS + i, mask=i < n, other=0.0)
            r = r * own[:, None]
            if MODE == 0:
                likelihood += tl.where(own > 0, own * logs, 0.0)
        elif MODE == 0:
            likelihood += tl.where(i < n, logs, 0.0)
        squares = tl.dot(tl.trans(products), r, squares, input_precision="tf32x3")
        totals = tl.dot(tl.trans(x), r, totals, input_precision="tf32x3")
    tl.store(SQUARES + run * F * KP + f[:, None] * KP + k[None, :], squares)
    tl.store(TOTALS + run * DP * KP + j[:, None] * KP + k[None, :], totals)
    if MODE == 0:
        tl.store(LIKELIHOOD + run, tl.sum(likelihood, 0))


@triton.jit
def class_tile(
    X, GUESS, CODES_, WEIGHTS, OUT, n, stride, per, K,
    d: tl.constexpr, DP: tl.constexpr, KB: tl.constexpr, BM: tl.constexpr, WEIGHTED: tl.constexpr,
) -> None:  # fmt: skip
    """Weights, totals and squares of the cells of a few classes, (programs, chunks, 3, KB, DP); NaN weighs nothing."""
    run, chunk = tl.program_id(0), tl.program_id(1)
    k = chunk * KB + tl.arange(0, KB)
    j = tl.arange(0, DP)
    known = (k[:, None] < K) & (j[None, :] < d)
    guess = tl.load(GUESS + k[:, None] * d + j[None, :], mask=known, other=0.0)
    weights = tl.zeros((KB, BM, DP), tl.float32)
    totals = tl.zeros((KB, BM, DP), tl.float32)
    squares = tl.zeros((KB, BM, DP), tl.float32)
    for begin in range(run * per, min(run * per + per, n), BM):
        i = begin + tl.arange(0, BM)
        inside = (i[:, None] < n) & (j[None, :] < d)
        x = tl.load(X + i[:, None].to(tl.int64) * stride + j[None, :], mask=inside, other=float("nan"))
        code = tl.load(CODES_ + i, mask=i < n, other=-1)
        own = (code[None, :, None] == k[:, None, None]) & (x == x)[None, :, :]
        off = tl.where(own, x[None, :, :] - guess[:, None, :], 0.0)
        if WEIGHTED:
            w = tl.load(WEIGHTS + i, mask=i < n, other=0.0)[None, :, None]
            weights += tl.where(own, w, 0.0)
            totals += w * off
            squares += w * off * off
        else:
            weights += tl.where(own, 1.0, 0.0)
            totals += off
            squares += off * off
    place = OUT + (run * tl.num_programs(1) + chunk) * 3 * KB * DP
    cell = tl.arange(0, KB)[:, None] * DP + j[None, :]
    tl.store(place + cell, tl.sum(weights, 1))
    tl.store(place + KB * DP + cell, tl.sum(totals, 1))
    tl.store(place + 2 * KB * DP + cell, tl.sum(squares, 1))


@triton.jit
def segment_tile(
    X, CENTRE, ORDER, BEGIN, WEIGHTS, OUT, n, stride, shares,
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
def nearest_tile(
    X, ORIGIN, CENTRE, HALF, CODES_, SQUARES, n, stride, K, chunks,
    d: tl.constexpr, DP: tl.constexpr, KB: tl.constexpr, BM: tl.constexpr,
) -> None:  # fmt: skip
    """The nearest centre of each row, the first of equals, and its squared distance."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    x = _rows(X, ORIGIN, i, n, stride, d, DP)
    j = tl.arange(0, DP)
    best = tl.full((BM,), -1e30, tl.float32)
    code = tl.zeros((BM,), tl.int32)
    for chunk in range(chunks):
        k = chunk * KB + tl.arange(0, KB)
        centre = tl.load(CENTRE + k[None, :] * d + j[:, None], mask=(j[:, None] < d) & (k[None, :] < K), other=0.0)
        half = tl.load(HALF + k, mask=k < K, other=1e30)
        s = tl.dot(x, centre, input_precision="tf32x3") - half[None, :]
        top = tl.max(s, 1)
        place = tl.argmax(s, 1)
        code = tl.where(top > best, chunk * KB + place, code)
        best = tl.maximum(best, top)
    tl.store(CODES_ + i, code, mask=i < n)
    length = tl.sum(tl.where(j[None, :] < d, x * x, 0.0), 1)
    tl.store(SQUARES + i, tl.maximum(length - 2.0 * best, 0.0), mask=i < n)


@triton.jit
def gaussian_pairs(
    Q, P, W, OUT, m, n, per, d: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, WEIGHTED: tl.constexpr
) -> None:
    """Sums of w 2^(-|q - p|^2) over a share of the points, by differences; columns of Q and P are contiguous."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    share = tl.program_id(1)
    total = tl.zeros((BM, BN), tl.float32)
    for begin in range(share * per, min(share * per + per, n), BN):
        j = begin + tl.arange(0, BN)
        squares = tl.zeros((BM, BN), tl.float32)
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
