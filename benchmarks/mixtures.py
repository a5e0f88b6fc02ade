"""Gaussian mixtures and k-means, against scikit-learn and, where it is installed, pomegranate.

The error of a step of EM or of k-means is the largest one of the means after it, against exact responsibilities. The
error of a whole fit is how far the mean log-likelihood of a row lies below the better of the two fits. The error of
`predict_proba` is that of 1,000 rows, against extended precision.
"""

import importlib.util
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import sklearn.cluster
import sklearn.datasets
import sklearn.mixture
from sklearn.cluster._k_means_lloyd import lloyd_iter_chunked_dense

import parzen
from benchmarks.harness import Memory, Row, peak_memory, race
from parzen import Gaussian, Mixture, accumulate
from parzen.families.kmeans import CentroidDensity, Centroids
from parzen.families.variational import VariationalGaussians, VariationalPosterior

SHAPES = {"full": ("full", False), "diag": ("diag", False), "tied": ("full", True)}


def problem(n: int, d: int, K: int, apart: float, seed: int = 0) -> np.ndarray:
    """Rows of K Gaussians of different shapes, whose means lie so many deviations apart."""
    rng = np.random.default_rng(seed)
    mean, turn = rng.normal(size=(K, d)) * apart, rng.normal(size=(K, d, d)) / np.sqrt(d) + np.eye(d)
    label, noise = rng.integers(K, size=n), rng.normal(size=(n, d))
    X = np.empty((n, d))
    for k in range(K):
        X[label == k] = mean[k] + noise[label == k] @ turn[k].T
    return X


def step_of(family: Mixture, X: np.ndarray, density: Any) -> Callable[[], Any]:
    """One E-step and one M-step."""

    def step() -> Any:
        # What a density prepares for the E-step belongs to the step: a fresh one each time.
        fresh = type(density)(density.components, density.log_weight)
        seen = accumulate(family, X, at=fresh)
        return family.maximise(seen.statistic), float(seen.log_likelihood.sum())

    return step


def iteration(n: int, d: int, K: int, shape: str, target: float | None, dtype: Any = np.float64) -> Row:
    """One step of both from the same density; the means are judged by exact responsibilities in float64."""
    X = problem(n, d, K, 1.5)
    theirs = sklearn.mixture.GaussianMixture(
        K, covariance_type=shape, init_params="random", random_state=0, max_iter=8, tol=0
    ).fit(X[:20_000])
    start = parzen.GaussianMixture.from_parameters(theirs.weights_, theirs.means_, theirs.covariances_, shape).density_
    covariance, shared = SHAPES[shape]
    ours = step_of(Mixture(Gaussian(covariance, shared=shared), K), X.astype(dtype), start)
    responsibilities = start.posterior(X)
    mean = (responsibilities / responsibilities.sum(axis=0)).T @ X
    given = {name: getattr(theirs, name) for name in ("weights_", "means_", "covariances_", "precisions_cholesky_")}
    rows = X.astype(dtype)

    def step() -> Any:
        vars(theirs).update(given)
        _, log_resp = theirs._e_step(rows)
        theirs._m_step(rows, log_resp)
        return theirs.means_

    named = "" if dtype == np.float64 else ", float32"
    return race(
        f"One step of EM, {shape}, {n:,} x {d}, {K} components{named}", "scikit-learn GaussianMixture", ours, step,
        lambda found: float(np.abs(found[0].components.mean - mean).max()),
        lambda found: float(np.abs(found - mean).max()), target=target, repeat=5,
    )  # fmt: skip


def whole(X: np.ndarray, C: int, what: str, target: float, repeat: int = 3) -> Row:
    """A fit from scratch by the default settings of both."""
    ours, theirs = parzen.GaussianMixture(C, random_state=0), sklearn.mixture.GaussianMixture(C, random_state=0)
    best = max(ours.fit(X).score(X), theirs.fit(X).score(X))
    return race(
        f"GaussianMixture({C}).fit, {what}", "scikit-learn GaussianMixture",
        lambda: ours.fit(X), lambda: theirs.fit(X),
        lambda model: best - model.score(X), target=target, repeat=repeat,
    )  # fmt: skip


def wholes() -> Iterator[Row]:
    """Fits from scratch, of small tables and large ones."""
    yield whole(sklearn.datasets.load_iris().data, 3, "150 x 4 (iris)", 1, 9)
    yield whole(sklearn.datasets.load_breast_cancer().data, 3, "569 x 30 (breast cancer)", 1, 9)
    yield whole(problem(1000, 30, 5, 1.0), 5, "1,000 x 30, overlapping", 1, 9)
    yield whole(problem(100_000, 6, 8, 5.0), 8, "100,000 x 6, separated", 20)
    yield whole(problem(200_000, 10, 10, 5.0), 10, "200,000 x 10, separated", 25)
    yield whole(problem(200_000, 10, 10, 1.0), 10, "200,000 x 10, overlapping", 25)


def variational(shape: str, target: float) -> Row:
    """One step of variational Bayes of both, with its bound; the error is that of the posterior's means.

    Theirs, in float64, is the oracle of ours: the two follow from one formula and one start.
    """
    X = problem(200_000, 10, 10, 1.5)
    options = {"n_components": 10, "covariance_type": shape, "random_state": 0, "max_iter": 5, "tol": 0.0}
    theirs = sklearn.mixture.BayesianGaussianMixture(**options, init_params="random_from_data").fit(X[:20_000])
    names = ["weight_concentration_", "mean_precision_", "means_", "degrees_of_freedom_", "covariances_"]
    given = {name: getattr(theirs, name) for name in (*names, "precisions_cholesky_")}
    prior = ("weight_concentration_prior_", "mean_precision_prior_", "mean_prior_", "degrees_of_freedom_prior_")
    family = VariationalGaussians(
        shape, 10, True, *(getattr(theirs, name) for name in prior), np.asarray(theirs.covariance_prior_), 1e-6
    )
    hand = parzen.GaussianMixture.from_parameters(np.full(10, 0.1), theirs.means_, theirs.covariances_, shape)
    start = VariationalPosterior(
        True, np.stack(theirs.weight_concentration_), theirs.mean_precision_, theirs.means_,
        np.broadcast_to(theirs.degrees_of_freedom_, 10), hand.density_.components.factor,
    )  # fmt: skip

    def ours() -> Any:
        at = start.density()
        seen = accumulate(family, X, at=at)
        bound = float(seen.log_likelihood.sum()) + family.log_prior(at, seen.statistic)
        return family.posterior(seen.statistic).mean, bound

    def step() -> Any:
        vars(theirs).update(given)
        norm, log_resp = theirs._e_step(X)
        theirs._m_step(X, log_resp)
        return theirs.means_, theirs._compute_lower_bound(log_resp, norm)

    exact = step()[0]
    return race(
        f"One step of variational Bayes, {shape}, 200,000 x 10, 10 components", "scikit-learn BayesianGaussianMixture",
        ours, step, lambda found: float(np.abs(found[0] - exact).max()), target=target, repeat=3,
    )  # fmt: skip


def exact_posteriors(X: np.ndarray, model: Any) -> np.ndarray:
    """Posterior probabilities in extended precision, by one triangular system for each component."""
    joint = np.empty((len(X), len(model.weights_)), dtype=np.longdouble)
    for k, (mean, covariance) in enumerate(zip(model.means_, model.covariances_, strict=True)):
        d = len(mean)
        S, L = covariance.astype(np.longdouble), np.zeros((d, d), dtype=np.longdouble)
        for i in range(d):
            for j in range(i + 1):
                rest = S[i, j] - L[i, :j] @ L[j, :j]
                L[i, j] = np.sqrt(rest) if i == j else rest / L[j, j]
        z = np.zeros((len(X), d), dtype=np.longdouble)
        for i in range(d):
            z[:, i] = (X[:, i] - np.longdouble(mean[i]) - z[:, :i] @ L[i, :i]) / L[i, i]
        joint[:, k] = np.log(model.weights_[k]) - np.log(np.diagonal(L)).sum() - 0.5 * (z * z).sum(axis=1)
    responsibilities = np.exp(joint - joint.max(axis=1, keepdims=True))
    return np.asarray(responsibilities / responsibilities.sum(axis=1, keepdims=True), dtype=np.float64)


def proba() -> Row:
    X = problem(200_000, 10, 10, 1.5)
    theirs = sklearn.mixture.GaussianMixture(10, random_state=0).fit(X[:20_000])
    ours = parzen.GaussianMixture.from_parameters(theirs.weights_, theirs.means_, theirs.covariances_)
    some = slice(0, 1000)
    exact = exact_posteriors(X[some], theirs)
    return race(
        "predict_proba, full, 200,000 x 10, 10 components", "scikit-learn GaussianMixture",
        lambda: ours.predict_proba(X), lambda: theirs.predict_proba(X),
        lambda found: float(np.abs(found[some] - exact).max()), target=20, repeat=5,
    )  # fmt: skip


def gaps() -> Row:
    """A step with a fifth of the cells missing may take fifteen times as long as one of the complete rows."""
    X = problem(100_000, 10, 5, 1.5)
    family = Mixture(Gaussian(), 5)
    density = parzen.fit(family, X, rng=0, tol=1e-3).density
    holes = np.where(np.random.default_rng(1).random(X.shape) < 0.2, np.nan, X)
    holes = holes[np.lexsort(np.isnan(holes).T)]  # as a fit puts them, once
    return race(
        "One step of EM, full, 100,000 x 10, 5 components, 20% of the cells missing", "ours without missing cells",
        step_of(family, holes, density), step_of(family, X, density), target=1 / 15, repeat=5,
    )  # fmt: skip


def lloyd(n: int, d: int, K: int) -> Row:
    """One step of k-means from the same centres; the new centres are judged by sums in float64."""
    X = problem(n, d, K, 3)
    centre, w = X[:K].copy(), np.ones(n)
    family, at = Centroids(K), CentroidDensity(centre)
    threads = parzen.thread_count()

    def ours() -> Any:
        return family.maximise(accumulate(family, X, at=at).statistic).centre

    def theirs() -> Any:
        new, weight, shift = np.zeros_like(centre), np.zeros(K), np.zeros(K)
        lloyd_iter_chunked_dense(X, w, centre, new, weight, np.full(n, -1, dtype=np.int32), shift, threads)
        return new

    codes = at.nearest(X)
    exact = np.stack([X[codes == k].mean(axis=0) for k in range(K)])
    return race(
        f"One step of k-means, {n:,} x {d}, {K} clusters", "scikit-learn KMeans (Lloyd)", ours, theirs,
        lambda found: float(np.abs(found - exact).max()), target=1.5,
    )  # fmt: skip


def pomegranate() -> Iterator[Row]:
    if importlib.util.find_spec("pomegranate") is None:
        return
    import torch
    from pomegranate.distributions import Normal
    from pomegranate.gmm import GeneralMixtureModel

    X = problem(200_000, 10, 10, 1.5)
    start = parzen.GaussianMixture(10, random_state=0, max_iter=2).fit(X[:20_000])
    components = [
        Normal(torch.tensor(mean), torch.tensor(covariance), covariance_type="full")
        for mean, covariance in zip(start.means_, start.covariances_, strict=True)
    ]
    model = GeneralMixtureModel(components, priors=torch.tensor(start.weights_))
    rows = torch.tensor(X)

    def theirs() -> Any:
        model.summarize(rows)
        for component in model.distributions:
            component._reset_cache()
        model._reset_cache()

    ours = step_of(Mixture(Gaussian(), 10), X, start.density_)
    yield race("One step of EM, full, 200,000 x 10, 10 components", "pomegranate", ours, theirs, target=None, repeat=3)


def rows() -> Iterator[Row | Memory]:
    warnings.simplefilter("ignore")
    yield iteration(200_000, 10, 10, "full", 20)
    yield iteration(200_000, 10, 10, "full", None, np.float32)
    yield iteration(200_000, 10, 10, "diag", 12)
    yield iteration(200_000, 10, 10, "tied", 20)
    yield iteration(100_000, 32, 16, "full", 8)
    yield proba()
    yield from wholes()
    yield variational("full", 15)
    yield variational("diag", 15)
    yield gaps()
    yield lloyd(200_000, 10, 10)
    yield lloyd(1_000_000, 2, 100)
    yield from pomegranate()
    X = problem(1_000_000, 10, 50, 3)
    model = parzen.GaussianMixture(50, max_iter=3, random_state=0)
    yield Memory("GaussianMixture(50).fit, 1,000,000 x 10", peak_memory(lambda: model.fit(X)))
    yield Memory("KMeans(50).fit, 1,000,000 x 10", peak_memory(lambda: parzen.KMeans(50, max_iter=3).fit(X)))
