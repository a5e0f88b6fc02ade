"""How passes on a GPU are cut, timed against each other: what the constants of `parzen.compute.device` come from.

python -m benchmarks.gpu_choices
"""

# ruff: noqa: B023

import torch

from benchmarks.gpu import DEVICE, beyond, gaussians, milliseconds
from parzen.compute.device import sums, wide
from parzen.compute.device.array import DeviceArray
from parzen.compute.device.em import em_step


def tried(name, function):
    """Print the median time of a candidate, or why it failed."""
    try:
        function()
        print(f"{name}: {milliseconds(function):.3f} ms", flush=True)
    except Exception as problem:
        print(f"{name}: failed, {type(problem).__name__}: {str(problem)[-300:]}", flush=True)


def main():
    n, d, K = 10_000_000, 10, 10
    X = torch.randn(n, d, device=DEVICE)
    codes = torch.randint(0, K, (n,), device=DEVICE, dtype=torch.int32)
    for sums.DEPTH in (1, 2, 3):
        for diagonal in (False, True):
            at = gaussians(K, d, diagonal)
            name = f"EM {'diagonal' if diagonal else 'full'}, 10M x 10, K = 10"
            for sums.RUN in (4096, 8192) if diagonal else (8192, 16384):
                tried(f"{name}, {sums.DEPTH} steps ahead, run {sums.RUN}", lambda: em_step(DeviceArray(X), None, at))
    about = torch.zeros(d, device=DEVICE)
    for depth in (2, 3, 4):
        for groups in (2, 10, 20, 36):
            few = codes % groups if groups < 20 else torch.randint(0, groups, (n,), device=DEVICE, dtype=torch.int32)
            for per in (2048, 4096, 8192):
                name = f"classes, 10M x 10, K = {groups}, {depth} steps ahead, run {per}"
                tried(name, lambda: sums.class_sums(X, None, about, few, groups, depth=depth, per=per))
            tried(f"{name}, by products", lambda: sums.class_products(X, None, about, few, groups))
    X = torch.randn(2_000_000, 128, device=DEVICE)
    few, about = codes[:2_000_000], torch.zeros(128, device=DEVICE)
    for cut in ((4, 32, 10), (4, 32, 5), (2, 32, 10)):
        for per in (256, 512, 1024, 2048):
            for depth in (2, 4):
                name = f"classes, 2M x 128, K = 10, cut {cut}, {depth} steps ahead, run {per}"
                tried(name, lambda: sums.class_sums(X, None, about, few, 10, cut, depth, per))
    X = torch.randn(1_000_000, 128, device=DEVICE)
    at = gaussians(1024, 128, True)
    for size in (32, 40, 48, 56):
        wide.SCORES = size * 2**20
        tried(f"EM diagonal, 1M x 128, K = 1024, scores of {size} MB", lambda: em_step(DeviceArray(X), None, at))
        print(f"  {beyond(lambda: em_step(DeviceArray(X), None, at)):.0f} MB")


if __name__ == "__main__":
    main()
