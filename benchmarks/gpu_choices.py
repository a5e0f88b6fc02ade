"""How passes on a GPU are cut, timed against each other: what the constants of `parzen.compute.device` come from.

python -m benchmarks.gpu_choices
"""

# ruff: noqa: B023

import numpy as np
import torch

from benchmarks.gpu import DEVICE, gaussians, milliseconds
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
        for groups in (2, 10):
            few = codes % groups
            name = f"classes, 10M x 10, K = {groups}, {sums.DEPTH} steps ahead"
            tried(name, lambda: sums.class_sums(X, None, np.zeros(d), few, groups))
    X = torch.randn(1_000_000, 128, device=DEVICE)
    at = gaussians(1024, 128, True)
    for size in (32, 48, 64):
        wide.SCORES = size * 2**20
        tried(f"EM diagonal, 1M x 128, K = 1024, scores of {size} MB", lambda: em_step(DeviceArray(X), None, at))


if __name__ == "__main__":
    main()
