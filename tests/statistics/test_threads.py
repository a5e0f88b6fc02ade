"""Work on threads: results in order, few of them waiting."""

import threading
import time
from contextvars import ContextVar

import pytest

from parzen.statistics.threads import AHEAD, for_each, threads


def test_few_results_wait_for_one_that_comes_before_them():
    begun, before, results = [], [], []

    def work(item):
        begun.append(item)
        if item == 0:
            time.sleep(0.3)
            before.extend(begun)
        return item

    with threads(2):
        for_each(work, iter(range(100)), results.append)
    assert results == list(range(100))
    assert len(before) <= 2 * AHEAD


@pytest.mark.parametrize("fails", [0, 5, 40])
def test_a_failure_ends_the_work_of_all_threads(fails):
    def work(item):
        time.sleep(0.001)
        if item == fails:
            raise ValueError(f"item {item}")
        return item

    results = []
    with threads(4), pytest.raises(ValueError, match=f"item {fails}"):
        for_each(work, iter(range(100)), results.append)
    assert results == list(range(fails))[: len(results)]
    with threads(4):
        for_each(abs, iter(range(20)), results.append)


def test_items_that_fail_to_come_end_the_work():
    def items():
        yield from range(10)
        raise KeyboardInterrupt

    results = []
    with threads(3), pytest.raises(KeyboardInterrupt):
        for_each(lambda item: threading.get_ident() and item, items(), results.append)
    assert results == list(range(10))[: len(results)]


def test_threads_of_the_pool_work_in_the_context_of_the_caller():
    """Those of a free-threaded Python begin with the context that was the caller's then, and keep it.

    NumPy's handling of errors is in it since NumPy 2.
    """
    marked = ContextVar("marked")
    for mark in ("one", "two"):
        marked.set(mark)
        met = threading.Barrier(2, timeout=30)

        def work(item, met=met):
            met.wait()
            return threading.get_ident(), marked.get()

        results = []
        with threads(2):
            for_each(work, iter(range(2)), results.append)
        assert len({thread for thread, _ in results}) == 2
        assert {found for _, found in results} == {mark}
