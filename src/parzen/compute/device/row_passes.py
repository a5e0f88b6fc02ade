"""Fused Triton kernels whose results are as long as the rows: places of labels, and log-densities of naive Bayes."""

import triton
import triton.language as tl


@triton.jit
def place_rows(Y, PLACE, OUT, n, low, groups, BM: tl.constexpr) -> None:
    """Places of labels in a range of whole numbers, and how often each comes in a program, (programs, groups)."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    place = (tl.load(Y + i, mask=i < n, other=0) - low).to(tl.int32)
    tl.store(PLACE + i, place, mask=i < n)
    place = tl.where(i < n, place, -1)
    for k in range(groups):
        tl.store(OUT + tl.program_id(0) * groups + k, tl.sum((place == k).to(tl.int32), 0))


@triton.jit
def independent_rows(
    X, CENTRE, SCALE, EACH, CONSTANT, OUT, n, stride, out_stride, K,
    d: tl.constexpr, KP: tl.constexpr, BM: tl.constexpr,
) -> None:  # fmt: skip
    """Log-densities of Gaussians with independent columns, in float64; a missing cell has log-density zero."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    k = tl.program_id(1) * KP + tl.arange(0, KP)[None, :]
    place = X + i.to(tl.int64) * stride
    found = tl.load(CONSTANT + k, mask=k < K, other=0.0) + tl.zeros((BM, KP), tl.float64)
    for c in tl.static_range(d):
        x = tl.load(place + c, mask=i < n, other=0.0).to(tl.float64)
        centre = tl.load(CENTRE + k * d + c, mask=k < K, other=0.0)
        scale = tl.load(SCALE + k * d + c, mask=k < K, other=0.0)
        z = (x - centre) * scale
        # The constant counts every column.
        found -= tl.where(x == x, 0.5 * z * z, tl.load(EACH + k * d + c, mask=k < K, other=0.0))
    tl.store(OUT + i.to(tl.int64) * out_stride + k, found, mask=(i < n) & (k < K))
