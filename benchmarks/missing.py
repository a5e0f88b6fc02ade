"""Rows with missing cells, against the same rows without: log-densities and steps of EM.

A ratio of a third is three times as long as with complete rows. Rows are put in the order of their patterns before the
steps, as a fit does once. The errors of log-densities are those of 500 rows, against solves with the covariances of the
observed cells; of complete rows, against the same.
"""

from collections.abc import Iterator

import numpy as np

import parzen
from benchmarks.harness import Row, race
from benchmarks.mixtures import problem, step_of
from parzen import Gaussian, Labels, Mixture, accumulate, evaluate, fit
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.mixture import MixtureDensity

SHAPES = {"full": ("full", False), "tied": ("full", True), "diag": ("diag", False), "spherical": ("spherical", False)}
PEER = "ours without missing cells"


def with_holes(X: np.ndarray, share: float) -> np.ndarray:
    """The rows with a share of their cells missing at random."""
    return np.where(np.random.default_rng(1).random(X.shape) < share, np.nan, X)


def exact(density: GaussianDensity, X: np.ndarray) -> np.ndarray:
    """Log-densities of the observed cells, from the covariances."""
    out = np.empty((len(X), density.shape[0]))
    for row, x in enumerate(X):
        there = np.flatnonzero(~np.isnan(x))
        S, off = density.covariance[:, there[:, None], there], x[there] - density.mean[:, there]
        squares = (off * np.linalg.solve(S, off[..., None])[..., 0]).sum(axis=1)
        out[row] = -0.5 * (squares + np.linalg.slogdet(S)[1] + len(there) * np.log(2 * np.pi))
    return out


def jobs(n: int, d: int, K: int, shape: str, share: float) -> Iterator[Row]:
    """Log-densities and one step of EM of a mixture."""
    X = problem(n, d, K, 1.5)
    holes, (covariance, shared) = with_holes(X, share), SHAPES[shape]
    family = Gaussian(covariance, shared=shared)
    parts = parzen.KMeans(K, n_init=1, random_state=0).fit(X[:20_000]).labels_
    density = fit(family, X[:20_000], Labels(parts)).density
    assert isinstance(density, GaussianDensity)
    what = f"{shape}, {n:,} x {d}, {K} components, {share:.0%} of the cells missing"
    truth, complete = exact(density, holes[:500]), exact(density, X[:500])
    yield race(
        f"Log-densities, {what}", PEER, lambda: evaluate(density, holes), lambda: evaluate(density, X),
        lambda found: float(np.abs(found[:500] - truth).max()),
        lambda found: float(np.abs(found[:500] - complete).max()), target=1 / 3, repeat=5,
    )  # fmt: skip
    mixture = Mixture(family, K)
    start = MixtureDensity(density, np.full(K, -np.log(K)))
    in_order = holes[np.lexsort(np.isnan(holes).T)]
    yield race(
        f"One step of EM, {what}", PEER, step_of(mixture, in_order, start), step_of(mixture, X, start),
        target=1 / 3, repeat=5,
    )  # fmt: skip
    if covariance == "full":
        yield labelled(family, X, holes, density, what)


def labelled(family: Gaussian, X: np.ndarray, holes: np.ndarray, density: GaussianDensity, what: str) -> Row:
    """One step of EM of labelled rows, against the one pass that complete rows need."""
    codes, order = evaluate(density, X).argmax(axis=1), np.lexsort(np.isnan(holes).T)
    K, in_order = len(density.mean), holes[order]
    R, sorted_R = Labels(codes, groups=K), Labels(codes[order], groups=K)
    return race(
        f"One step of EM of labelled rows, {what}", "ours in closed form, without missing cells",
        lambda: accumulate(family, in_order, sorted_R, at=density), lambda: accumulate(family, X, R),
        target=1 / 3, repeat=5,
    )  # fmt: skip


def rows() -> Iterator[Row]:
    for shape in SHAPES:
        for share in (0.05, 0.2):
            yield from jobs(200_000, 10, 10, shape, share)
    for shape in ("full", "tied", "diag"):  # nearly every row has a pattern of its own
        for share in (0.05, 0.2):
            yield from jobs(20_000, 30, 10, shape, share)
