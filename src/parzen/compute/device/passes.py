"""Fused Triton kernels over float32 rows, one row in a thread: evidence of Gaussian mixtures, and moments of groups.

A thread reads whole rows and keeps sums of what they add; the sums of all programs are added in float64 by
`parzen.compute.device.sums`, never by atomics: results are the same from run to run.
"""
# Tuples grow by +, which is what Triton compiles.
# ruff: noqa: RUF005, SIM108

from typing import Any

import triton
import triton.language as tl


@triton.jit
def _scalars(P, count: tl.constexpr) -> Any:
    """Numbers that all threads share."""
    found = ()
    for f in tl.static_range(count):
        found = found + (tl.load(P + f),)
    return found


@triton.jit
def _cells(X, i, n, stride, d: tl.constexpr) -> Any:
    """The cells of a row in each thread, read two or four at a time where d allows; zero beyond the last row."""
    place = X + i.to(tl.int64) * stride
    x = ()
    if d % 4 == 0:
        for c in tl.static_range(d // 4):
            at = place[:, None] + 4 * c + tl.arange(0, 4)[None, :]
            four = tl.load(at, mask=i[:, None] < n, other=0.0)
            even, odd = tl.split(tl.reshape(four, (four.shape[0], 2, 2)))
            first, third = tl.split(even)
            second, fourth = tl.split(odd)
            x = x + (first, second, third, fourth)
    elif d % 2 == 0:
        for c in tl.static_range(d // 2):
            at = place[:, None] + 2 * c + tl.arange(0, 2)[None, :]
            first, second = tl.split(tl.load(at, mask=i[:, None] < n, other=0.0))
            x = x + (first, second)
    else:
        for c in tl.static_range(d):
            x = x + (tl.load(place + c, mask=i < n, other=0.0),)
    return x


@triton.jit
def _centred(x, centre, inside, d: tl.constexpr) -> Any:
    found = ()
    for c in tl.static_range(d):
        found = found + (tl.where(inside, x[c] - centre[c], 0.0),)
    return found


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
    X, ORIGIN, TABLE, CONSTANT, OUT, n, K,
    stride: tl.constexpr, d: tl.constexpr, WIDTH: tl.constexpr, BM: tl.constexpr, FULL: tl.constexpr,
) -> None:  # fmt: skip
    """Log to base 2 of a mixture's density at each row."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    x = _centred(_cells(X, i, n, stride, d), _scalars(ORIGIN, d), i < n, d)
    top = tl.full((BM,), -1e30, tl.float32)
    sums = tl.zeros((BM,), tl.float32)
    for k in range(K):
        s = _score(x, _scalars(TABLE + k * WIDTH, WIDTH), tl.load(CONSTANT + k), d, FULL)
        new = tl.maximum(top, s)
        # One of the two exponentials is of zero.
        apart = tl.exp2(-tl.abs(top - s))
        sums = tl.where(s > top, sums * apart + 1.0, sums + apart)
        top = new
    tl.store(OUT + i, top + tl.log2(sums), mask=i < n)


@triton.jit
def _added(total, at: tl.constexpr, r, x, squares, d: tl.constexpr, FULL: tl.constexpr) -> Any:
    """The sums of one group, from place at on, with a row added that weighs r."""
    new = ()
    if FULL:
        for a in tl.static_range(d):
            y = r * x[a]
            for b in tl.static_range(a + 1):
                new = new + (total[at + a * (a + 1) // 2 + b] + y * x[b],)
    else:
        for a in tl.static_range(d):
            new = new + (total[at + a] + r * squares[a],)
    first: tl.constexpr = d * (d + 1) // 2 if FULL else d
    for a in tl.static_range(d):
        new = new + (total[at + first + a] + r * x[a],)
    return new + (total[at + first + d] + r,)


@triton.jit
def moment_rows(
    X, ORIGIN, TABLE, CONSTANT, EVIDENCE, CODES, WEIGHTS, OUT, n, per, K,
    stride: tl.constexpr, d: tl.constexpr, WIDTH: tl.constexpr, F: tl.constexpr, KB: tl.constexpr, BM: tl.constexpr,
    FULL: tl.constexpr, LABELS: tl.constexpr, WEIGHTED: tl.constexpr,
) -> None:  # fmt: skip
    """Sums of KB groups over a run of rows: products of cells (or squares), cells, and weights, (runs, groups, F).

    By responsibilities, or by labels. The next rows are on their way while these are added.
    """
    part, run = tl.program_id(0), tl.program_id(1)
    origin = _scalars(ORIGIN, d)
    t = ()
    constant = ()
    if not LABELS:
        t = _scalars(TABLE + part * KB * WIDTH, KB * WIDTH)
        constant = _scalars(CONSTANT + part * KB, KB)
    total = ()
    for _ in tl.static_range(KB * F):
        total = total + (tl.zeros((BM,), tl.float32),)
    end = tl.minimum(run * per + per, n)
    i = run * per + tl.arange(0, BM)
    ahead = _cells(X, i, end, stride, d)
    if LABELS:
        beside = tl.load(CODES + i, mask=i < end, other=-1)
    else:
        beside = tl.load(EVIDENCE + i, mask=i < end, other=1e30)
    for begin in range(run * per, end, BM):
        i = begin + tl.arange(0, BM)
        x = _centred(ahead, origin, i < end, d)
        mark = beside
        ahead = _cells(X, i + BM, end, stride, d)
        if LABELS:
            beside = tl.load(CODES + i + BM, mask=i + BM < end, other=-1)
        else:
            beside = tl.load(EVIDENCE + i + BM, mask=i + BM < end, other=1e30)
        squares = ()
        if not FULL:
            for a in tl.static_range(d):
                squares = squares + (x[a] * x[a],)
        if WEIGHTED:
            w = tl.load(WEIGHTS + i, mask=i < end, other=0.0)
        new = ()
        for k in tl.static_range(KB):
            if LABELS:
                r = tl.where(mark == part * KB + k, 1.0, 0.0)
            else:
                own = ()
                for f in tl.static_range(WIDTH):
                    own = own + (t[k * WIDTH + f],)
                r = tl.exp2(_score(x, own, constant[k], d, FULL) - mark)
            if WEIGHTED:
                r = r * w
            new = new + _added(total, k * F, r, x, squares, d, FULL)
        total = new
    place = OUT + (run * tl.num_programs(0) + part).to(tl.int64) * (KB * F)
    for f in tl.static_range(KB * F):
        tl.store(place + f, tl.sum(total[f], 0))


@triton.jit
def known_rows(
    X, CENTRE, CODES, WEIGHTS, OUT, n, stride, per,
    d: tl.constexpr, F: tl.constexpr, BM: tl.constexpr, FULL: tl.constexpr, WEIGHTED: tl.constexpr,
) -> None:  # fmt: skip
    """Sums of one class over a run of rows about the class's own centre, (runs, K, F).

    Where they are not products, a missing cell weighs nothing, and every column has a weight.
    """
    k, run = tl.program_id(0), tl.program_id(1)
    centre = _scalars(CENTRE + k * d, d)
    total = ()
    for _ in tl.static_range(F):
        total = total + (tl.zeros((BM,), tl.float32),)
    for begin in range(run * per, tl.minimum(run * per + per, n), BM):
        i = begin + tl.arange(0, BM)
        r = tl.where(tl.load(CODES + i, mask=i < n, other=-1) == k, 1.0, 0.0)
        x = _centred(_cells(X, i, n, stride, d), centre, i < n, d)
        if WEIGHTED:
            r = r * tl.load(WEIGHTS + i, mask=i < n, other=0.0)
        if FULL:
            new = _added(total, 0, r, x, x, d, FULL)
        else:
            new = ()
            for a in tl.static_range(d):
                known = x[a] == x[a]
                own = tl.where(known, r, 0.0)
                off = tl.where(known, x[a], 0.0)
                y = own * off
                new = new + (total[3 * a] + y * off, total[3 * a + 1] + y, total[3 * a + 2] + own)
        total = new
    place = OUT + (run * tl.num_programs(0) + k).to(tl.int64) * F
    for f in tl.static_range(F):
        tl.store(place + f, tl.sum(total[f], 0))
