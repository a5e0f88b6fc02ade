"""Python's threads that use the library at once: what each gets is, to the last bit, what one thread alone gets."""

import subprocess
import sys
import sysconfig
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import parzen
from parzen.storage.files import dumped, loaded

THREADS = 8

RNG = np.random.default_rng(0)
#: Several blocks of rows, so that the library's own threads have work; few rows; so many columns that BLAS has threads.
LONG, FEW, WIDE = (RNG.normal(size=size) for size in ((60_000, 10), (300, 2), (900, 70)))
CODES = RNG.integers(0, 3, (300, 5)).astype(str).astype(object)
CODES[:, 1:] = np.where(RNG.random((300, 4)) < 0.7, CODES[:, :4], CODES[:, 1:])
GAPS = np.where(RNG.random(FEW.shape) < 0.1, np.nan, FEW)


def classes(X):
    return (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int) + (X[:, 1] > 1)


#: Makers of models, and arguments of `fit`.
FITS = {
    "GaussianNB": (lambda: parzen.GaussianNB(), (LONG, classes(LONG))),
    "QuadraticDiscriminantAnalysis": (lambda: parzen.QuadraticDiscriminantAnalysis(), (WIDE, classes(WIDE))),
    "LinearDiscriminantAnalysis": (lambda: parzen.LinearDiscriminantAnalysis(), (LONG, classes(LONG))),
    "LogisticRegression": (lambda: parzen.LogisticRegression(max_iter=30), (FEW, classes(FEW))),
    "NaiveBayes": (lambda: parzen.NaiveBayes(), (GAPS, classes(FEW))),
    "GaussianMixture": (lambda: parzen.GaussianMixture(3, random_state=0, max_iter=20, tol=1e-2), (FEW,)),
    "KMeans": (lambda: parzen.KMeans(3, n_init=2, random_state=0), (LONG[:, :3],)),
    "DensityEstimator": (lambda: parzen.DensityEstimator(), (GAPS,)),
    "KernelDensity": (lambda: parzen.KernelDensity(bandwidth="scott"), (FEW,)),
    "KernelDensity on a line": (lambda: parzen.KernelDensity(bandwidth="sj"), (LONG[:20_000, :1],)),
    "Histogram": (lambda: parzen.HistogramDensity(), (LONG[:, :1],)),
    "BayesNetwork": (lambda: parzen.BayesNetwork(structure="chow-liu"), (CODES,)),
    "HiddenMarkov": (lambda: parzen.HiddenMarkov(parzen.Gaussian(), 2, random_state=0, max_iter=5, tol=1.0), (FEW,)),
    "DensityOutlier": (lambda: parzen.DensityOutlier(), (FEW,)),
    "KernelRegressor": (lambda: parzen.KernelRegressor(bandwidth=0.5), (FEW[:, :1], FEW[:, 1])),
}
#: What a model is asked: the first of these that it answers.
QUESTIONS = ("score_samples", "predict_proba", "predict")


def fitted(name):
    make, given = FITS[name]
    return make().fit(*given)


def answers(name, model):
    X = FITS[name][1][0][:200]
    asked = next(one for one in QUESTIONS if hasattr(model, one))
    return np.asarray(getattr(model, asked)(X)).tobytes()


def at_once(function):
    """Results of function(0), function(1), ..., each called by a thread of its own, all at the same time."""
    start = threading.Barrier(THREADS)

    def begin(number):
        start.wait(timeout=60)
        return function(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


@pytest.fixture(scope="module")
def alone():
    """Each model, as a file, and its answers: by one thread."""
    found = {}
    for name in FITS:
        model = fitted(name)
        found[name] = dumped(model), answers(name, model)
    return found


def test_threads_that_fit_at_once_get_what_one_thread_gets(alone):
    names = list(FITS)

    def work(number):
        with parzen.threads(1 + number % 3):
            models = {name: fitted(name) for name in np.roll(names, number // 2)}  # two threads in each order
            count = parzen.thread_count()
            return count, {name: (dumped(model), answers(name, model)) for name, model in models.items()}

    for number, (count, found) in enumerate(at_once(work)):
        assert count == 1 + number % 3
        assert [name for name in names if found[name] != alone[name]] == []


def test_a_model_answers_many_threads_at_once(alone):
    models = {name: loaded(alone[name][0]) for name in FITS}  # nothing has been worked out of their densities yet

    def work(number):
        return {name: answers(name, model) for name, model in models.items()}

    for found in at_once(work):
        assert [name for name in FITS if found[name] != alone[name][1]] == []


#: Threads that meet the library for the first time: each imports all of it, in an order of its own, and fits.
PROGRAM = """
import random, sys, threading
import numpy as np
import scipy.linalg, sklearn.base
import parzen
gil = getattr(sys, "_is_gil_enabled", lambda: True)
before = gil()
X = np.random.default_rng(0).normal(size=(60_000, 10))
start, found, failed = threading.Barrier(8), [], []

def work(number):
    names = list(parzen.__all__)
    random.Random(number).shuffle(names)
    start.wait(timeout=60)
    for name in names:
        getattr(parzen, name)
    model = parzen.GaussianNB().fit(X, X[:, 0] > 0)
    found.append((model.theta_.tobytes(), model.var_.tobytes()))

threading.excepthook = failed.append
workers = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for one in workers:
    one.start()
for one in workers:
    one.join()
print(failed, len(found), len(set(found)), gil() == before)
"""


def test_the_first_use_may_be_by_several_threads():
    """Nor does the library switch the GIL on again, where it is off."""
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert run.stdout == "[] 8 1 True\n", run.stdout + run.stderr


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python always has its GIL")
def test_a_free_threaded_python_runs_the_tests_without_its_gil():
    assert not sys._is_gil_enabled(), "a library has switched it on; PYTHON_GIL=0 keeps it off"
