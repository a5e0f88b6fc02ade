"""Candidates for passes on a GPU, timed against each other: what `parzen.compute.device` was chosen from.

python -m benchmarks.gpu_choices
"""

# ruff: noqa: B023

import time
import traceback

import numpy as np
import torch

from benchmarks.gpu import DEVICE, gaussians, milliseconds
from parzen.compute.device import sums, wide
from parzen.compute.device.array import DeviceArray
from parzen.compute.device.em import _about_means, em_step
from parzen.compute.em import em_step as em_step_here

#: Seconds that one part may take.
PATIENCE = 35
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
    for diagonal, ways in ((False, ((1, 1), (2, 1), (8, 1))), (True, ((1, 2), (2, 1), (2, 3), (2, 5), (4, 3), (8, 2)))):
        at = gaussians(K, d, diagonal)
        origin = sums.single(at.origin)
        parts = at.inverse, at.mean - origin, at.constant
        name = f"EM {'diagonal' if diagonal else 'full'} 10M x 10, K = 10"
        for own in ways:
            for sums.RUN, block in ((4096, 512), (8192, 512), (8192, 1024)) if own == (2, 1) else ((8192, 512),):
                tried(
                    f"{name}, {own}, run {sums.RUN}, {block}",
                    lambda: sums.mixture_sums(X, None, origin, parts, own, block),
                )
            profiled("  kernels", lambda: sums.mixture_sums(X, None, origin, parts, own, 512))
        sums.RUN = 8192
        ours = em_step(DeviceArray(X[:100_000]), None, at)
        exact = em_step_here(X[:100_000].cpu().numpy().astype(float), None, at)
        print(
            "  relative differences",
            [f"{np.abs(a - b).max() / np.abs(b).max():.1e}" for a, b in zip(ours[:3], exact[:3], strict=True)],
        )


def classes():
    for n, d, K in (
        (10_000_000, 10, 10),
        (10_000_000, 10, 2),
        (50_000_000, 10, 10),
        (50_000_000, 10, 2),
        (2_000_000, 128, 10),
        (4_000_000, 40, 10),
    ):
        X = torch.randn(n, d, device=DEVICE)
        codes = torch.randint(0, K, (n,), device=DEVICE, dtype=torch.int32)
        origin = np.zeros(d)
        print(f"reading {n:,} x {d}: {4e-9 * n * (d + 1) / 4.27:.3f} ms")
        name = f"classes {n:,} x {d}, K = {K}"
        if d == 10:
            for own in ((1, 2), (2, 1)) if K == 2 else ((1, 5), (2, 5), (2, 3), (4, 3)):
                for sums.LEAST, sums.RUN in ((1024, 1024), (2048, 2048), (4096, 4096)):
                    tried(f"{name}, {own}, run {sums.RUN}", lambda: sums.class_sums(X, None, origin, codes, K, own))
                profiled("  kernels", lambda: sums.class_sums(X, None, origin, codes, K, own))
        else:
            for per, ahead in ((512, 4), (1024, 4), (2048, 4), (1024, 8)):
                tried(
                    f"{name}, columns, {per} rows, {ahead} ahead",
                    lambda: sums.class_columns(X, None, origin, codes, K, per, 10, ahead),
                )
            profiled("  kernels", lambda: sums.class_columns(X, None, origin, codes, K))
            few = slice(0, 200_000)
            hot = torch.nn.functional.one_hot(codes[few].long(), K).double()
            exact = (hot.T @ X[few].double() ** 2).cpu().numpy()
            print(
                f"  off by {np.abs(sums.class_columns(X[few], None, origin, codes[few], K)[2] / exact - 1).max():.1e}"
            )


def thousand():
    n, d, K = 1_000_000, 128, 1024
    X = torch.randn(n, d, device=DEVICE)
    at = gaussians(K, d, True)
    origin = sums.single(at.origin)
    parts = at.inverse, at.mean - origin, at.constant
    few = X[:20_000]
    exact = em_step_here(few.cpu().numpy().astype(float), None, at)
    for way in ("half", "single"):

        def step():
            return wide.wide_sums(X, None, origin, parts, way)

        for size in (32, 48, 64):
            wide.SCORES = size * 2**20
            tried(f"EM diagonal 1M x 128, K = 1024, {way}, scores of {size} MB", step)
            torch.cuda.reset_peak_memory_stats()
            before = torch.cuda.memory_allocated()
            step()
            print(f"  memory {(torch.cuda.max_memory_allocated() - before) / 2**20:.0f} MB")
        wide.SCORES = 32 * 2**20
        found = wide.wide_sums(few, None, origin, parts, way)
        about = _about_means(*found[:3], "diagonal", origin)
        print(
            "  off by",
            [f"{np.abs(a - b).max() / np.abs(b).max():.1e}" for a, b in zip(about, exact[:3], strict=False)],
            f"log-likelihood {found[3] * np.log(2) / exact[4] - 1:.1e}",
        )
        profiled("  kernels", step)


def kernel_sums():
    n = 2**18
    for d in (32, 16, 8):
        h = n ** (-1 / (d + 4))
        P, Q = (torch.randn(n, d, device=DEVICE) * np.sqrt(0.5 * np.log2(np.e)) / h for _ in range(2))
        exact = torch.zeros(64, dtype=torch.float64, device=DEVICE)
        for part in P.double().split(2**14):
            exact += torch.exp2(-(Q[:64].double()[:, None] - part[None]).square().sum(2)).sum(1)

        def error(found):
            return f"error {float(((found[:64] - exact) / exact).abs().max()):.0e}"

        for tile in (
            (128, 64, 8, 2),
            (128, 64, 4, 2),
            (64, 64, 4, 3),
            (128, 128, 8, 3),
            (64, 128, 4, 2),
            (128, 64, 8, 3),
            (64, 32, 4, 3),
        ):
            tried(
                f"kernel sums, d = {d}, parts, tile {tile}", lambda: sums.gaussian_sums(Q, P, None, tile, True), error
            )


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
