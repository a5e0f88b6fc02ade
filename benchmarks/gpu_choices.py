"""Candidates for passes on a GPU, timed against each other: what `parzen.compute.device` was chosen from.

python -m benchmarks.gpu_choices
"""

# ruff: noqa: B023, E501

import itertools
import time
import traceback

import numpy as np
import torch

from benchmarks.gpu import DEVICE, copy_speed, gaussians, milliseconds
from parzen.compute.device import sums, wide
from parzen.compute.device.array import DeviceArray
from parzen.compute.device.em import _about_means, em_step
from parzen.compute.em import em_step as em_step_here

#: Seconds that one part may take.
PATIENCE = 45
_began = 0.0


def tried(name, function, note=lambda result: ""):
    """Print the median time of a candidate, or why it failed."""
    if time.perf_counter() - _began > PATIENCE:
        return
    try:
        result = function()
        torch.cuda.synchronize()
        print(f"{name}: {milliseconds(function):.3f} ms {note(result)}", flush=True)
    except Exception as problem:
        print(f"{name}: failed, {type(problem).__name__}: {str(problem)[-300:]}", flush=True)


def profiled(name, function):
    """Print the times of the kernels of one call."""
    try:
        from torch.profiler import ProfilerActivity, profile

        function()
        with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as found:
            function()
            torch.cuda.synchronize()
        events = [event for event in found.key_averages() if event.self_device_time_total > 0]
        events.sort(key=lambda event: -event.self_device_time_total)
        print(name, [(event.key[:40], event.count, round(event.self_device_time_total)) for event in events[:8]])
    except Exception:
        print(name, "not profiled:", traceback.format_exc()[-300:])


def mixtures():
    n, d, K = 10_000_000, 10, 10
    X = torch.randn(n, d, device=DEVICE)
    for diagonal in (False, True):
        at = gaussians(K, d, diagonal)
        origin = sums.single(at.origin)
        parts = at.inverse, at.mean - origin, at.constant
        for block, own, rows in itertools.product(
            (512, 1024), (1, 2, 3, 4, 5) if diagonal else (1,), (4096, 8192, 16384)
        ):
            if diagonal and (rows != 8192 or block != 512):
                continue
            sums.RUN = rows
            tried(
                f"EM {'diagonal' if diagonal else 'full'} 10M x 10, K = 10, evidence of {block} rows, {own} at once, run {rows}",
                lambda: sums.mixture_sums(X, None, origin, parts, own, block),
            )
        sums.RUN = 8192
        profiled("  kernels", lambda: em_step(DeviceArray(X), None, at))
    some = X[:100_000]
    for diagonal in (False, True):
        at = gaussians(K, d, diagonal)
        ours, exact = em_step(DeviceArray(some), None, at), em_step_here(some.cpu().numpy().astype(float), None, at)
        print(
            "  relative differences",
            [f"{np.abs(a - b).max() / np.abs(b).max():.1e}" for a, b in zip(ours[:3], exact[:3], strict=True)],
        )


def classes():
    for n, d, K in (
        (10_000_000, 10, 10),
        (10_000_000, 10, 2),
        (50_000_000, 10, 10),
        (10_000_000, 10, 100),
        (2_000_000, 128, 10),
    ):
        X = torch.randn(n, d, device=DEVICE)
        codes = torch.randint(0, K, (n,), device=DEVICE, dtype=torch.int32)
        origin = np.zeros(d)
        print(f"reading {n:,} x {d}: {4e-9 * n * (d + 1) / copy_speed():.3f} ms")
        name = f"classes {n:,} x {d}, K = {K}"
        if d <= 40:
            for own in sorted({min(K, 2), min(K, 5), min(K, 7)}):
                for rows in (4096, 8192, 32768):
                    sums.RUN = rows
                    tried(f"{name}, {own} at once, run {rows}", lambda: sums.class_sums(X, None, origin, codes, K, own))
            sums.RUN = 8192
            profiled("  kernels", lambda: sums.class_sums(X, None, origin, codes, K))
        for BM, warps, split in ((64, 1, True), (128, 4, True), (128, 4, False)):
            tried(
                f"{name}, products, {BM} rows, {warps} warps, {'bfloat16' if split else 'tf32x3'}",
                lambda: sums.class_products(X, None, origin, codes, K, BM, warps, split),
            )
        few = slice(0, 200_000)
        hot = torch.nn.functional.one_hot(codes[few].long(), K).double()
        exact = (hot.T @ X[few].double() ** 2).cpu().numpy()
        for by in (sums.class_sums, sums.class_products):
            if by is sums.class_products or d <= 40:
                found = by(X[few], None, origin, codes[few], K)[2]
                print(f"  {by.__name__}: squares off by {np.abs(found / exact - 1).max():.1e}")


def thousand():
    n, d, K = 1_000_000, 128, 1024
    X = torch.randn(n, d, device=DEVICE)
    at = gaussians(K, d, True)
    origin = sums.single(at.origin)
    parts = at.inverse, at.mean - origin, at.constant
    few = X[:20_000]
    exact = em_step_here(few.cpu().numpy().astype(float), None, at)
    for way in ("single", "tf32", "half"):
        for size in (16, 32, 64):
            wide.SCORES = size * 2**20

            def step():
                return wide.wide_sums(X, None, origin, parts, way)

            tried(f"EM diagonal 1M x 128, K = 1024, {way}, scores of {size} MB", step)
        wide.SCORES = 32 * 2**20
        try:
            found = wide.wide_sums(few, None, origin, parts, way)
            about = _about_means(*found[:3], "diagonal", origin)
            print(
                "  off by",
                [f"{np.abs(a - b).max() / np.abs(b).max():.1e}" for a, b in zip(about, exact[:3], strict=False)],
                f"log-likelihood {found[3] * np.log(2) / exact[4] - 1:.1e}",
            )
            torch.cuda.reset_peak_memory_stats()
            before = torch.cuda.memory_allocated()
            step()
            print(f"  memory {(torch.cuda.max_memory_allocated() - before) / 2**20:.0f} MB")
        except Exception as problem:
            print("  failed", problem)
        profiled("  kernels", step)


def kernel_sums():
    n = 2**18
    for d in (32, 16, 8):
        h = n ** (-1 / (d + 4))
        P, Q = (torch.randn(n, d, device=DEVICE) * np.sqrt(0.5 * np.log2(np.e)) / h for _ in range(2))
        tiles = [(128, 64, 8, 1), (64, 64, 4, 1), (64, 64, 4, 2), (128, 128, 8, 1), (128, 32, 4, 1), (64, 128, 4, 1),
                 (64, 128, 4, 2), (128, 64, 4, 1), (128, 64, 8, 2), (256, 64, 8, 1), (128, 128, 8, 2), (64, 32, 4, 1)]  # fmt: skip
        for tile in tiles if d == 32 else tiles[:6]:
            tried(f"kernel sums, d = {d}, tile {tile}", lambda: sums.gaussian_sums(Q, P, None, tile))


def main():
    global _began
    for part in (mixtures, thousand, classes, kernel_sums):
        _began = time.perf_counter()
        try:
            part()
        except Exception:
            print(part.__name__, "failed:", traceback.format_exc()[-600:], flush=True)


if __name__ == "__main__":
    main()
