"""Fused Triton kernels over float32 rows, one row in a thread: evidence of Gaussian mixtures, and moments of groups.

A thread reads whole rows and keeps sums of what they add; the sums of all programs are added in float64 by
`parzen.compute.device.sums`, never by atomics: results are the same from run to run.
"""
# Tuples grow by +, which is what Triton compiles.
# ruff: noqa: RUF005

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
def _centred(x, centre, d: tl.constexpr) -> Any:
    found = ()
    for c in tl.static_range(d):
        found = found + (x[c] - centre[c],)
    return found


@triton.jit
def _score(x, t, constant, d: tl.constexpr, FULL: tl.constexpr) -> Any:
    """Log to base 2 of a Gaussian: a constant less |z|^2, z an affine function of x by the numbers t."""
    s = constant - x[0] * 0.0
    for a in tl.static_range(d):
        if FULL:
            z = t[d * (d + 1) // 2 + a] + t[a * (a + 1) // 2] * x[0]
            for b in tl.static_range(1, a + 1):
                z += t[a * (a + 1) // 2 + b] * x[b]
        else:
            z = t[a] * x[a] + t[d + a]
        s -= z * z
    return s


@triton.jit
def evidence_rows(
    X, ORIGIN, TABLE, CONSTANT, WEIGHTS, OUT, SCORE, n, K,
    stride: tl.constexpr, d: tl.constexpr, WIDTH: tl.constexpr, BM: tl.constexpr, FULL: tl.constexpr,
    WEIGHTED: tl.constexpr,
) -> None:  # fmt: skip
    """Log to base 2 of a mixture's density at each row, and the sum of them of each program."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    x = _centred(_cells(X, i, n, stride, d), _scalars(ORIGIN, d), d)
    top = tl.full((BM,), -1e30, tl.float32)
    sums = tl.zeros((BM,), tl.float32)
    for k in range(K):
        s = _score(x, _scalars(TABLE + k * WIDTH, WIDTH), tl.load(CONSTANT + k), d, FULL)
        new = tl.maximum(top, s)
        # One of the two exponentials is of zero.
        apart = tl.exp2(-tl.abs(top - s))
        sums = tl.where(s > top, sums * apart + 1.0, sums + apart)
        top = new
    found = top + tl.log2(sums)
    tl.store(OUT + i, found, mask=i < n)
    found = tl.where(i < n, found, 0.0)
    if WEIGHTED:
        w = tl.load(WEIGHTS + i, mask=i < n, other=0.0)
        found = tl.where(w == 0.0, 0.0, w * found)
    tl.store(SCORE + tl.program_id(0), tl.sum(found, 0))


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
def _read(X, EVIDENCE, WEIGHTS, i, n, stride, d: tl.constexpr, WEIGHTED: tl.constexpr) -> Any:
    """Rows, with their evidence, and their weights; beyond the last such as weigh nothing."""
    evidence = tl.load(EVIDENCE + i, mask=i < n, other=1e30)
    w = evidence
    if WEIGHTED:
        w = tl.load(WEIGHTS + i, mask=i < n, other=0.0)
    return _cells(X, i, n, stride, d), evidence, w


@triton.jit
def moment_rows(
    X, ORIGIN, TABLE, CONSTANT, EVIDENCE, WEIGHTS, OUT, n, per,
    stride: tl.constexpr, d: tl.constexpr, WIDTH: tl.constexpr, F: tl.constexpr, KB: tl.constexpr,
    BM: tl.constexpr, DEPTH: tl.constexpr, FULL: tl.constexpr, WEIGHTED: tl.constexpr,
) -> None:  # fmt: skip
    """Sums of some components over a run of rows, by responsibilities, (runs, K, F).

    Products of cells (or squares), cells, and weights. The rows of the next steps are on their way while these are
    added.
    """
    part, run = tl.program_id(0), tl.program_id(1)
    group = part * KB
    origin = _scalars(ORIGIN, d)
    t = ()
    constant = ()
    for k in tl.static_range(KB):
        for f in tl.static_range(WIDTH):
            t = t + (tl.load(TABLE + (group + k) * WIDTH + f),)
        constant = constant + (tl.load(CONSTANT + group + k),)
    total = ()
    for _ in tl.static_range(KB * F):
        total = total + (tl.zeros((BM,), tl.float32),)
    end = tl.minimum(run * per + per, n)
    lane = tl.arange(0, BM)
    ahead = ()
    for a in tl.static_range(DEPTH):
        ahead = ahead + (_read(X, EVIDENCE, WEIGHTS, run * per + a * BM + lane, end, stride, d, WEIGHTED),)
    for begin in range(run * per, end, BM * DEPTH):
        later = ()
        for a in tl.static_range(DEPTH):
            x, evidence, w = ahead[a]
            i = begin + (a + DEPTH) * BM + lane
            later = later + (_read(X, EVIDENCE, WEIGHTS, i, end, stride, d, WEIGHTED),)
            x = _centred(x, origin, d)
            squares = ()
            if not FULL:
                for c in tl.static_range(d):
                    squares = squares + (x[c] * x[c],)
            new = ()
            for k in tl.static_range(KB):
                own = ()
                for f in tl.static_range(WIDTH):
                    own = own + (t[k * WIDTH + f],)
                r = tl.exp2(_score(x, own, constant[k], d, FULL) - evidence)
                if WEIGHTED:
                    r = r * w
                new = new + _added(total, k * F, r, x, squares, d, FULL)
            total = new
        ahead = later
    place = OUT + (run * tl.num_programs(0) * KB + group).to(tl.int64) * F
    for k in tl.static_range(KB):
        for f in tl.static_range(F):
            tl.store(place + k * F + f, tl.sum(total[k * F + f], 0))


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
        x = _centred(_cells(X, i, n, stride, d), centre, d)
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
