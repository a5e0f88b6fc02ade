"""A fused Triton kernel of the moments of classes: every row is read once, whatever the number of classes."""
# Tuples grow by +, which is what Triton compiles.
# ruff: noqa: RUF005

from typing import Any

import triton
import triton.language as tl


@triton.jit
def _read(
    X, CODES, WEIGHTS, i, end, j, stride,
    d: tl.constexpr, C: tl.constexpr, P: tl.constexpr, WEIGHTED: tl.constexpr,
) -> Any:  # fmt: skip
    """Some columns of a row in each thread, its label and its weight; beyond the last row no label."""
    inside = i[:, None] < end
    place = X + i[:, None].to(tl.int64) * stride + j[None, :]
    x = ()
    for c in tl.static_range(C):
        x = x + (tl.load(place + c * P, mask=inside & (j[None, :] + c * P < d), other=0.0),)
    code = tl.load(CODES + i, mask=i < end, other=-1)[:, None]
    w = code
    if WEIGHTED:
        w = tl.load(WEIGHTS + i, mask=i < end, other=0.0)[:, None]
    return x, code, w


@triton.jit
def class_rows(
    X, ORIGIN, CODES, WEIGHTS, OUT, n, stride, per,
    d: tl.constexpr, C: tl.constexpr, P: tl.constexpr, KB: tl.constexpr, BM: tl.constexpr, DEPTH: tl.constexpr,
    WEIGHTED: tl.constexpr,
) -> None:  # fmt: skip
    """Squares and totals about an origin, and weights, of some classes over a run of rows, (runs, ..., KB, 2 C + 1, P).

    P threads share a row: each has every P-th column of C x P, and the sums of KB classes. The rows of the next steps
    are on their way while these are added. The programs of a run are those of its columns and those of its classes.
    """
    run = tl.program_id(0)
    j = tl.program_id(1) * (C * P) + tl.arange(0, P)
    group = tl.program_id(2) * KB
    lane = tl.arange(0, BM)
    origin = ()
    for c in tl.static_range(C):
        origin = origin + (tl.load(ORIGIN + j + c * P, mask=j + c * P < d, other=0.0)[None, :],)
    total = ()
    for _ in tl.static_range(KB * (2 * C + 1)):
        total = total + (tl.zeros((BM, P), tl.float32),)
    end = tl.minimum(run * per + per, n)
    ahead = ()
    for a in tl.static_range(DEPTH):
        ahead = ahead + (_read(X, CODES, WEIGHTS, run * per + a * BM + lane, end, j, stride, d, C, P, WEIGHTED),)
    for begin in range(run * per, end, BM * DEPTH):
        later = ()
        for a in tl.static_range(DEPTH):
            x, code, w = ahead[a]
            i = begin + (a + DEPTH) * BM + lane
            later = later + (_read(X, CODES, WEIGHTS, i, end, j, stride, d, C, P, WEIGHTED),)
            off = ()
            for c in tl.static_range(C):
                off = off + (x[c] - origin[c],)
            new = ()
            for k in tl.static_range(KB):
                r = tl.where(code == group + k, 1.0, 0.0)
                if WEIGHTED:
                    r = r * w
                for c in tl.static_range(C):
                    new = new + (total[k * (2 * C + 1) + c] + r * (off[c] * off[c]),)
                for c in tl.static_range(C):
                    new = new + (total[k * (2 * C + 1) + C + c] + r * off[c],)
                new = new + (total[k * (2 * C + 1) + 2 * C] + r,)
            total = new
        ahead = later
    place = (run * tl.num_programs(1) + tl.program_id(1)) * tl.num_programs(2) + tl.program_id(2)
    out = OUT + place.to(tl.int64) * (KB * (2 * C + 1) * P) + tl.arange(0, P)
    for f in tl.static_range(KB * (2 * C + 1)):
        tl.store(out + f * P, tl.sum(total[f], 0))
