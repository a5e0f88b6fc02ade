"""The loop: the same to the last bit for any number of threads, over arrays, batches, forks and errors."""

import multiprocessing
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from scipy import sparse

import parzen
from parzen import Gaussian, Labels, Multinomial, accumulate, evaluate, fit, thread_count, threads
from parzen.statistics.accumulate import block_rows
from parzen.statistics.statistic import arrays_of
from parzen.statistics.sums import Sums


@pytest.fixture
def X(rng):
    return rng.normal(size=(400_000, 5)) + 100


@pytest.mark.parametrize("R", ["none", "labels", "dense"])
def test_threads_change_no_bit(X, R, rng):
    assert len(X) > 3 * block_rows(X, 3)
    R = {"none": None, "labels": Labels(rng.integers(0, 3, len(X))), "dense": rng.random((len(X), 3))}[R]
    results = []
    for n in (1, 2, 5):
        with threads(n):
            statistic = accumulate(Gaussian(), X, R)
            density = Gaussian().maximise(statistic)
            results.append([*arrays_of(statistic), evaluate(density, X)])
    for other in results[1:]:
        for mine, theirs in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_sparse_rows_are_cut_into_blocks_too(rng):
    X = sparse.random_array((60_000, 30), density=0.1, random_state=rng).tocsr()
    assert X.shape[0] > 2 * block_rows(X, 1)
    totals = accumulate(Multinomial(), X).totals
    np.testing.assert_allclose(totals, X.sum(axis=0)[None], rtol=1e-12)


def test_an_iterable_of_batches_is_read_as_it_comes(X):
    whole = accumulate(Gaussian(), X)
    alive = []

    def batches():
        for begin in range(0, len(X), 7_000):
            alive.append(begin)
            yield X[begin : begin + 7_000]

    np.testing.assert_allclose(accumulate(Gaussian(), batches()).scatter, whole.scatter, rtol=1e-12)
    assert len(alive) == 58
    with pytest.raises(ValueError, match="no rows"):
        accumulate(Gaussian(), iter([]))
    with pytest.raises(ValueError, match="brings its own memberships"):
        accumulate(Gaussian(), [X], np.ones(len(X)))
    with pytest.raises(TypeError, match="a batch must be"):
        accumulate(Gaussian(), ["text"])


def test_the_number_of_threads_is_what_was_set_last(monkeypatch):
    monkeypatch.delenv("PARZEN_NUM_THREADS", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert thread_count() == len(os.sched_getaffinity(0))
    monkeypatch.setenv("OMP_NUM_THREADS", "3,2")
    assert thread_count() == 3
    monkeypatch.setenv("PARZEN_NUM_THREADS", "4")
    assert thread_count() == 4
    with parzen.threads(7):
        assert thread_count() == 7
        with parzen.threads(1):
            assert thread_count() == 1
        assert thread_count() == 7
    assert thread_count() == 4
    for bad in (0, -1, 1.5, 1025, 10**9, np.inf, True):
        with pytest.raises(ValueError, match="whole number of threads, from 1 to 1024"), parzen.threads(bad):
            pass


def test_a_number_of_threads_that_cannot_be_meant_is_an_error_that_names_its_variable(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    for text in ("0", "-1", "abc", "1.5", "4,2", "1025", "1000000000", "9" * 5000):
        monkeypatch.setenv("PARZEN_NUM_THREADS", text)
        with pytest.raises(ValueError, match=f"PARZEN_NUM_THREADS must be a whole .* 1 to 1024, got '{text}'"):
            thread_count()
    for text, count in (("", 3), (" 5 ", 5), ("1024", 1024)):
        monkeypatch.setenv("PARZEN_NUM_THREADS", text)
        assert thread_count() == count
    monkeypatch.delenv("PARZEN_NUM_THREADS")
    for text, count in (("1000000000", 1024), ("9" * 5000, 1024), ("0", None), ("-1", None), ("abc", None)):
        monkeypatch.setenv("OMP_NUM_THREADS", text)
        assert thread_count() == (len(os.sched_getaffinity(0)) if count is None else count)


def test_an_error_in_a_block_reaches_the_caller_and_the_pool_lives_on(X):
    class Faulty:
        keeps_rows = False

        def observe(self, X, R=None, at=None):
            raise RuntimeError("in a block")

    with threads(2), pytest.raises(RuntimeError, match="in a block"):
        accumulate(Faulty(), X)
    with threads(2):
        assert np.isfinite(accumulate(Gaussian(), X).scatter).all()


def test_work_inside_a_block_may_accumulate_itself(X):
    class Nested:
        keeps_rows = False

        def observe(self, X, R=None, at=None):
            return accumulate(Gaussian("diag"), np.repeat(X, 4, axis=0))

    with threads(2):
        inner = accumulate(Nested(), X)
    np.testing.assert_allclose(inner.weight, 4 * len(X))


def test_blocks_run_on_several_threads(X):
    meeting = threading.Barrier(2, timeout=30)
    met = []

    class Meets:
        keeps_rows = False

        def observe(self, X, R=None, at=None):
            if len(met) < 2:
                met.append(threading.get_ident())
                meeting.wait()
            return Sums(np.ones((1, 1)), np.ones((1, 1)))

    with threads(2):
        accumulate(Meets(), X)
    assert len(set(met)) == 2


def _forked(X, queue):
    with threads(2):
        queue.put(accumulate(Gaussian(), X).scatter)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_it_survives_fork(X):
    with threads(2):
        before = accumulate(Gaussian(), X).scatter
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_forked, args=(X, queue))
    child.start()
    np.testing.assert_array_equal(queue.get(timeout=60), before)
    child.join(timeout=60)
    assert child.exitcode == 0


def test_rows_that_come_in_any_layout_give_the_same_bits(X):
    whole = fit(Gaussian(), X).density.covariance
    np.testing.assert_array_equal(fit(Gaussian(), np.asfortranarray(X)).density.covariance, whole)
    frozen = X.copy()
    frozen.flags.writeable = False
    np.testing.assert_array_equal(fit(Gaussian(), frozen).density.covariance, whole)
    swapped = X.astype(X.dtype.newbyteorder())
    np.testing.assert_array_equal(fit(Gaussian(), swapped).density.covariance, whole)


def test_importing_parzen_imports_nothing_that_is_optional():
    program = (
        "import sys, sklearn.base, scipy.linalg; before = set(sys.modules); import parzen; "
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}; print(sorted(new))"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    for optional in ("matplotlib", "pandas", "polars", "pyarrow", "click", "jinja2", "rich"):
        assert f"'{optional}'" not in printed
