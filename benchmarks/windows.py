"""Kernel densities and bandwidths: sums over all pairs, sums to a tolerance, grids, selectors, leave-one-out.

Errors of densities are relative ones at 100 query points, against sums in extended precision. Errors of bandwidths are
relative to the one of least asymptotic mean integrated squared error. Peers that need minutes run once, or on some of
the queries, which cost them equally; their time is then multiplied, and the job says so.
"""

import warnings
from collections.abc import Callable, Iterator

import numpy as np
from scipy.stats import gaussian_kde
from sklearn.model_selection import KFold
from sklearn.neighbors import KernelDensity as Peer

from benchmarks import peak
from benchmarks.harness import Memory, Row, peak_memory, race, timed, within
from parzen import KernelDensity, bandwidth

N = 20_000
PEER = "scikit-learn KernelDensity"


def problem(n: int, d: int) -> tuple[np.ndarray, float]:
    X = np.random.default_rng(0).normal(size=(n, d))
    return X, float(n ** (-1 / (d + 4)))


def exact(X: np.ndarray, Q: np.ndarray, h: float, w: np.ndarray | None = None) -> np.ndarray:
    """Densities by direct sums in extended precision."""
    X, h = X.astype(np.longdouble), np.longdouble(h)
    w = np.ones(len(X)) if w is None else w
    out = []
    for q in Q:
        square = (((X - q) / h) ** 2).sum(axis=1)
        out.append((w * np.exp(-0.5 * square)).sum())
    return np.array(out) / w.sum() / (np.sqrt(2 * np.pi) * h) ** X.shape[1]


def judge(
    X: np.ndarray, Q: np.ndarray, h: float, w: np.ndarray | None = None, count: int = 100
) -> Callable[[np.ndarray], float]:
    """Relative error of log-densities at some of the query points."""
    some = np.linspace(0, len(Q) - 1, count).astype(int)
    truth = exact(X, Q[some], h, w)
    return lambda logs: float(np.abs(np.expm1(logs[some] - np.log(truth))).max())


def rows() -> Iterator[Row | Memory]:
    yield from direct()
    yield from limits()
    yield from few_columns()
    yield from metrics()
    yield from large()
    yield from grids()
    yield from selectors()
    yield from small()


def direct() -> Iterator[Row]:
    X, h = problem(N, 8)
    error = judge(X, X, h)
    peer = race("KDE 20,000 x 20,000, d = 8, all pairs", PEER,
                lambda: KernelDensity(bandwidth=h, rtol=0).fit(X).score_samples(X),
                lambda: Peer(bandwidth=h).fit(X).score_samples(X), error, error, 80, 3, slow=1.0)  # fmt: skip
    yield peer
    loose, ours_ms = timed(lambda: KernelDensity(bandwidth=h, rtol=1e-5).fit(X).score_samples(X), 3)
    job = "KDE 20,000 x 20,000, d = 8, rtol 1e-5"
    yield Row(job, PEER, ours_ms, peer.peer_ms, error(loose), peer.peer_error, 150)
    yield race("KDE 20,000 x 20,000, d = 8, rtol 1e-6", "SciPy gaussian_kde",
               lambda: KernelDensity(bandwidth=h).fit(X).score_samples(X),
               lambda: gaussian_kde(X.T).logpdf(X.T), error, None, None, 3, slow=1.0)  # fmt: skip
    w = np.random.default_rng(1).random(N)
    few = X[::40]
    yield race("KDE 20,000 x 20,000, d = 8, all pairs, weighted (peer: 500 queries, times 40)", PEER,
               lambda: KernelDensity(bandwidth=h, rtol=0).fit(X, sample_weight=w).score_samples(X),
               lambda: Peer(bandwidth=h).fit(X, sample_weight=w).score_samples(few),
               judge(X, X, h, w), judge(X, few, h, w), 500, 3, slow=40.0)  # fmt: skip


def limits() -> Iterator[Row]:
    """Pairs in eight columns beside the processor's limit, in processor time."""
    X, h = problem(N, 8)
    error = judge(X, X, h)
    for rtol, single in ((0.0, False), (1e-5, True)):
        limit = peak.limit_ms(float(N) ** 2, 8, single)
        if limit is None:
            continue
        ours = lambda rtol=rtol: KernelDensity(bandwidth=h, rtol=rtol).fit(X).score_samples(X)  # noqa: E731
        precision = "single" if single else "double"
        yield Row(f"KDE 20,000 x 20,000, d = 8, rtol {rtol:g}, {precision} precision (processor time)",
                  "limit of 9 products and 1 power for a pair", peak.processor_ms(ours), limit, error(ours()), None,
                  None if single else 1 / 1.5)  # fmt: skip


def few_columns() -> Iterator[Row]:
    for d, target in ((1, 2000), (2, 500), (3, 100)):
        X, h = problem(N, d)
        error = judge(X, X, h)
        ours = lambda X=X, h=h: KernelDensity(bandwidth=h).fit(X).score_samples(X)  # noqa: E731
        job = f"KDE 20,000 x 20,000, d = {d}, rtol 1e-6"
        yield race(job, PEER, ours, lambda X=X, h=h: Peer(bandwidth=h).fit(X).score_samples(X),
                   error, error, target, 5, slow=1.0)  # fmt: skip
        yield race(
            job, "SciPy gaussian_kde", ours, lambda X=X: gaussian_kde(X.T).logpdf(X.T), error, None, None, 5, slow=1.0
        )
        yield race(job, "mlpack kde (rel_error 1e-6)", ours, lambda X=X, h=h: np.log(_mlpack(X, h)), error, error, None,
                   5, slow=1.0)  # fmt: skip


def _mlpack(X: np.ndarray, h: float) -> np.ndarray:
    from mlpack import kde

    found = kde(reference=X.copy(), query=X.copy(), bandwidth=h, rel_error=1e-6, abs_error=0.0, copy_all_inputs=True)
    return found["predictions"].ravel()


def exact_by_metric(metric: str, X: np.ndarray, Q: np.ndarray, h: float) -> np.ndarray:
    """Densities by scikit-learn's convention, by direct sums in extended precision."""
    X, Q = X.astype(np.longdouble), Q.astype(np.longdouble)
    out = []
    for q in Q:
        if metric == "manhattan":
            far = np.abs(X - q).sum(axis=1)
        else:
            half = np.sin((X - q) / 2) ** 2
            far = 2 * np.arcsin(np.sqrt(half[:, 0] + np.cos(q[0]) * np.cos(X[:, 0]) * half[:, 1]))
        out.append(np.exp(-0.5 * (far / np.longdouble(h)) ** 2).mean())
    return np.array(out) / (2 * np.pi * np.longdouble(h) ** 2)


def metrics() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    sphere = np.column_stack([np.arcsin(rng.uniform(-1, 1, N)), rng.uniform(-np.pi, np.pi, N)])
    some = np.linspace(0, N - 1, 100).astype(int)
    for metric, X in (("manhattan", problem(N, 2)[0]), ("haversine", sphere)):
        h = float(N ** (-1 / 6))
        truth = np.log(exact_by_metric(metric, X, X[some], h))
        error = lambda logs, truth=truth: float(np.abs(np.expm1(logs[some] - truth)).max())  # noqa: E731
        yield race(f"KDE 20,000 x 20,000, d = 2, {metric}, rtol 1e-6", PEER,
                   lambda X=X, h=h, metric=metric: KernelDensity(bandwidth=h, metric=metric).fit(X).score_samples(X),
                   lambda X=X, h=h, metric=metric: Peer(bandwidth=h, metric=metric).fit(X).score_samples(X),
                   error, error, 10, 3, slow=1.0)  # fmt: skip


def large() -> Iterator[Row | Memory]:
    for d, seconds in ((1, 1.0), (2, 5.0)):
        X, h = problem(1_000_000, d)
        job = f"KDE 1,000,000 x 1,000,000, d = {d}, rtol 1e-6"
        ours = lambda X=X, h=h: KernelDensity(bandwidth=h).fit(X).score_samples(X)  # noqa: E731
        yield within(job, seconds, ours, judge(X, X, h), 3)
        yield Memory(job, peak_memory(ours))
    X, h = problem(1_000_000, 3)
    job = "KDE 1,000,000 x 1,000,000, d = 3, rtol 1e-4"
    ours = lambda: KernelDensity(bandwidth=h, rtol=1e-4).fit(X).score_samples(X)  # noqa: E731
    yield within(job, 20.0, ours, judge(X, X, h, count=30), 1)
    yield Memory(job, peak_memory(ours))


def grids() -> Iterator[Row]:
    from KDEpy import FFTKDE

    X, h = problem(1_000_000, 1)
    near = np.linspace(800, 3300, 100).astype(int)

    def error(found: tuple[np.ndarray, np.ndarray]) -> float:
        points, density = found[0][near], found[1][near]
        return float(np.abs(density / exact(X, points[:, None], h) - 1).max())

    yield race("KDE 1,000,000 to a grid of 4,096, d = 1", "KDEpy FFTKDE",
               lambda: KernelDensity(bandwidth=h).fit(X).grid(4096),
        lambda: FFTKDE(bw=h).fit(X).evaluate(4096), error, error, 2)  # fmt: skip


def selectors() -> Iterator[Row]:
    from KDEpy.bw_selection import improved_sheather_jones

    X, _ = problem(1_000_000, 1)
    best = 1.0592238 * 1_000_000**-0.2  # least asymptotic error, for a normal density
    error = lambda h: float(abs(h / best - 1))  # noqa: E731
    yield race("ISJ bandwidth, 1,000,000 rows", "KDEpy ISJ", lambda: bandwidth.isj(X),
               lambda: improved_sheather_jones(X), error, error, 3)  # fmt: skip
    yield within("SJ bandwidth over all pairs, 1,000,000 rows", 1.0, lambda: bandwidth.sj(X), error)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield within("LSCV bandwidth over all pairs, 1,000,000 rows", 1.0, lambda: bandwidth.lscv(X), error)
        rounded = X.round(2)
        yield within("The same of rows rounded to 0.01", 1.0, lambda: bandwidth.lscv(rounded), error)
    Y, h = problem(N, 8)
    grid = h * 2.0 ** (1 - np.arange(16) / 4)
    train, test = next(iter(KFold(5).split(Y)))
    yield race("leave-one-out likelihoods of 16 bandwidths, 20,000 x 8 (peer: one of 5 folds, one bandwidth, times 80)",
               "scikit-learn grid search", lambda: bandwidth.leave_one_out(Y, grid),
               lambda: Peer(bandwidth=h).fit(Y[train]).score(Y[test]), None, None, 100, 1, slow=80.0)  # fmt: skip


def small() -> Iterator[Row]:
    X, h = problem(1000, 1)
    ours, theirs, few = KernelDensity(bandwidth=h).fit(X), Peer(bandwidth=h).fit(X), X[:10].copy()
    error = lambda logs: float(np.abs(np.expm1(logs - np.log(exact(X, few, h)))).max())  # noqa: E731
    yield race("KDE of 10 queries, 1,000 rows, d = 1", PEER, lambda: ours.score_samples(few),
               lambda: theirs.score_samples(few), error, error)  # fmt: skip
