"""Rows on a GPU: times of whole passes beside what the chip allows, the best that plain PyTorch does, and the CPU.

Then whole jobs, and the tests of rows on a device.

    python -m benchmarks.gpu [--page docs/benchmarks.md]

Needs PyTorch with Triton and a GPU. Times are medians, warm, of calls as the library makes them: what goes to the
device and what comes back is counted.
"""

import argparse
import io
import math
import subprocess
import sys
import time
import warnings
from contextlib import redirect_stdout
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from triton.testing import do_bench

from benchmarks import gpu_jobs, page
from parzen.compute.device import DeviceArray, sums
from parzen.compute.device.em import em_step
from parzen.compute.device.kmeans import centre_step
from parzen.compute.device.moments import moments
from parzen.compute.em import components
from parzen.compute.em import em_step as em_step_here
from parzen.compute.kmeans import centre_step as centre_step_here
from parzen.compute.kmeans import points_of
from parzen.compute.memberships import Labels
from parzen.compute.moments import moments as moments_here

DEVICE = "cuda"


def milliseconds(function):
    return do_bench(function, warmup=50, rep=200, return_mode="median")


def once(function):
    begin = time.perf_counter()
    function()
    return 1e3 * (time.perf_counter() - begin)


def row(job, ours, limit, torch_best=None, here=None, note=""):
    others = [f"{torch_best:.3g}" if torch_best else "", f"{here:.4g}" if here else ""]
    ratios = [f"{torch_best / ours:.3g}x" if torch_best else "", f"{here / ours:.3g}x" if here else ""]
    cells = [
        job,
        f"{ours:.3g}",
        f"{limit:.3g}",
        f"{ours / limit:.2g}",
        others[0],
        ratios[0],
        others[1],
        ratios[1],
        note,
    ]
    print("| " + " | ".join(cells) + " |", flush=True)


def copy_speed():
    x = torch.empty(2**29, device=DEVICE)
    y = torch.empty_like(x)
    return 2 * x.numel() * 4 / milliseconds(lambda: y.copy_(x)) / 1e9


def product_speed():
    x = torch.randn(8192, 8192, device=DEVICE)
    return 2 * 8192**3 / milliseconds(lambda: x @ x) / 1e9


def gaussians(K, d, diagonal):
    rng = np.random.default_rng(0)
    factor = 0.7 + rng.random((K, d)) if diagonal else np.eye(d) + np.tril(0.1 * rng.normal(size=(K, d, d)))
    return components(rng.normal(size=(K, d)), factor, np.full(K, -math.log(K)))


def em(n, d, K, diagonal, bandwidth, flops):
    X = torch.randn(n, d, device=DEVICE)
    at = gaussians(K, d, diagonal)
    ours = milliseconds(lambda: em_step(DeviceArray(X), None, at))
    work = 2.0 * n * K * (4 * d if diagonal else d * (d + 1))
    limit = max(4e-9 * n * d / bandwidth, work / flops / 1e9)
    best = milliseconds(lambda: torch_em(X, K, diagonal))
    here = once(lambda: em_step_here(X.cpu().numpy(), None, at)) if n * d * K < 2e9 else None
    name = "diagonal" if diagonal else "full"
    first, second = (em_step(DeviceArray(X), None, at) for _ in range(2))
    assert all(np.array_equal(one, other) for one, other in zip(first, second, strict=True))
    note = f"{beyond(lambda: em_step(DeviceArray(X), None, at)):.0f} MB beyond the rows; limit: float32 products"
    row(f"one pass of EM, {name}, {n:,} x {d}, K = {K}", ours, limit, best, here, note)


def beyond(function):
    """The most memory that a call takes, in MB."""
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    function()
    return (torch.cuda.max_memory_allocated() - before) / 1e6


def torch_em(X, K, diagonal):
    """What one writes in PyTorch: responsibilities of blocks by products of matrices, in float32."""
    d = X.shape[1]
    torch.set_float32_matmul_precision("highest")
    A, B = torch.randn(d, K, device=DEVICE), torch.randn(d, K, device=DEVICE)
    W = torch.randn(d, K * d, device=DEVICE) * 0.1
    for rows in X.split(2**17):
        if diagonal:
            R = torch.softmax(rows @ A - (rows * rows) @ B.abs(), 1)
            R.T @ rows, R.T @ (rows * rows)
        else:
            R = torch.softmax(-((rows @ W) ** 2).reshape(len(rows), K, d).sum(2), 1)
            (R[:, :, None] * rows[:, None, :]).reshape(len(rows), K * d).T @ rows


def naive_bayes(n, d, K, bandwidth):
    X = torch.randn(n, d, device=DEVICE)
    codes = torch.randint(0, K, (n,), device=DEVICE, dtype=torch.int32)
    R = Labels.sound(DeviceArray(codes), None, K)
    ours = milliseconds(lambda: moments(DeviceArray(X), R, full=False))
    here = once(lambda: moments_here(X.cpu().numpy(), Labels(codes.cpu().numpy()), full=False)) if n * d < 2e8 else None

    def in_torch():
        ones = torch.nn.functional.one_hot(codes.long(), K).float()
        ones.T @ X, ones.T @ (X * X)

    limit = 4e-9 * n * (d + 1) / bandwidth
    row(f"moments of {K} classes, {n:,} x {d}", ours, limit, milliseconds(in_torch), here, "limit: reading rows once")
    first, second = (moments(DeviceArray(X), R, full=False) for _ in range(2))
    assert all((one == other).all() for one, other in zip(first, second, strict=True))


def k_means(n, d, K, flops):
    X = torch.randn(n, d, device=DEVICE)
    centre = np.random.default_rng(0).normal(size=(K, d))
    at = points_of(centre, False)
    ours = milliseconds(lambda: centre_step(DeviceArray(X), None, at))
    C = torch.from_numpy(centre).float().to(DEVICE)

    def in_torch():
        half, total = (C * C).sum(1) / 2, torch.zeros_like(C)
        for rows in X.split(2**18):
            total.index_add_(0, (rows @ C.T - half).argmax(1), rows)

    some = X[: n // 100].cpu().numpy()
    here = 100 * once(lambda: centre_step_here(some, None, at))
    limit = 2.0 * n * K * d / flops / 1e9
    row(f"step of k-means, {n:,} x {d}, K = {K}", ours, limit, milliseconds(in_torch), here, "limit: float32 products")


def kernel_sums(n, d, exps):
    h = n ** (-1 / (d + 4))
    P, Q = (torch.randn(n, d, device=DEVICE) * math.sqrt(0.5 * math.log2(math.e)) / h for _ in range(2))
    ours = milliseconds(lambda: sums.gaussian_sums(Q, P, None))
    some, exact = sums.gaussian_sums(Q, P, None)[:64], torch.zeros(64, dtype=torch.float64, device=DEVICE)
    for part in P.double().split(2**14):
        exact += torch.exp2(-(Q[:64].double()[:, None] - part[None]).square().sum(2)).sum(1)
    error = float(((some - exact) / exact).abs().max())
    few = Q[: 2**13]
    best = milliseconds(lambda: torch.exp2(-torch.cdist(few, P[: 2**15]).square()).sum(1)) * (n / 2**13) * (n / 2**15)
    rate = n * n / ours / 1e9
    row(f"Gaussian kernel sums, d = {d}, {n:,} x {n:,}", ours, n * n / exps / 1e9, best, None,
        f"{rate:.2f} x 10^12 pairs/s, error {error:.0e}; limit: exponentials")  # fmt: skip


def billion():
    """Statistics of a thousand million float32 rows at an offset of 10,000, beside float64 sums of the same cells."""
    n = 10**9
    X = torch.empty(n, 1, device=DEVICE)
    for part in X.split(10**8):
        part.normal_().add_(1e4)
    exact = [part.double() - 1e4 for part in X[:, 0].split(10**8)]
    mean = sum(float(part.sum()) for part in exact) / n
    variance = sum(float((part - mean).square().sum()) for part in exact) / n
    del exact
    codes = torch.zeros(n, dtype=torch.int32, device=DEVICE)
    print()
    for name, R, full in (("full", None, True), ("of classes", Labels.sound(DeviceArray(codes), None, 1), False)):
        begin = time.perf_counter()
        weight, centre, scatter, _ = moments(DeviceArray(X), R, full)
        took = 1e3 * (time.perf_counter() - begin)
        spread = float(scatter.ravel()[0] / weight.ravel()[0])
        print(f"moments {name} of {n:,} rows at 1e4, {took:.0f} ms: mean off by {abs(centre[0, 0] - 1e4 - mean):.1e}, "
              f"variance by {abs(spread / variance - 1):.1e} of it", flush=True)  # fmt: skip


def tests():
    if find_spec("pytest"):
        files = sorted(map(str, Path("tests/compute").glob("test_device*.py")))
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        print("\n".join(found.stdout.splitlines()[-12:]), flush=True)


class Both(io.StringIO):
    """Keeps what is printed, and prints it at once."""

    def __init__(self, out):
        super().__init__()
        self.out = out

    def write(self, text):
        self.out.write(text)
        self.out.flush()
        return super().write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", type=Path, help="the page whose table of a GPU is written, docs/benchmarks.md")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    with redirect_stdout(Both(sys.stdout)) as printed:
        races()
    if asked.page:
        asked.page.write_text(page.with_gpu(asked.page.read_text(), printed.getvalue()))
    tests()


def races():
    bandwidth, flops = copy_speed(), product_speed()
    processors = torch.cuda.get_device_properties(0).multi_processor_count
    exps = processors * 16 * 1.98e9 / 1e12
    print(f"{torch.cuda.get_device_name()}: copies at {bandwidth:.2f} TB/s, float32 products at {flops:.0f} TFLOP/s.\n")
    print(
        "| job | ours, ms | limit, ms | of it | PyTorch, ms | ratio | CPU, ms | ratio | |\n"
        + "|---|"
        + "---:|" * 7
        + "---|"
    )
    every = [
        lambda: em(10_000_000, 10, 10, False, bandwidth, flops),
        lambda: em(10_000_000, 10, 10, True, bandwidth, flops),
        lambda: em(1_000_000, 128, 1024, True, bandwidth, flops),
        *(
            partial(naive_bayes, n, d, K, bandwidth)
            for n, d, K in (
                (10_000_000, 10, 10),
                (10_000_000, 10, 2),
                (50_000_000, 10, 10),
                (50_000_000, 10, 2),
                (10_000_000, 10, 100),
                (2_000_000, 128, 10),
            )
        ),
        lambda: k_means(10_000_000, 16, 1000, flops),
        *(partial(kernel_sums, 2**18, d, exps) for d in (1, 2, 3, 8, 16, 32)),
        billion,
        gpu_jobs.main,
    ]
    for race in every:
        try:
            race()
        except Exception as problem:  # the others are worth running
            print(f"failed: {type(problem).__name__}: {problem}", flush=True)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
