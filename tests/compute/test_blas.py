"""BLAS is kept to one thread, and gets its threads back, in whatever order contexts end."""

import pytest
import scipy.linalg  # noqa: F401
from threadpoolctl import threadpool_info, threadpool_limits

from parzen.compute.blas import SIDE, one_blas_thread


def counts():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def _two_threads():
    with threadpool_limits(2, "blas"):
        if counts() != {2}:
            pytest.skip("BLAS has no second thread here")
        yield


def test_blas_has_one_thread_inside_and_its_own_after_it():
    with one_blas_thread(SIDE):
        assert counts() == {1}
    assert counts() == {2}


def test_small_matrices_are_left_alone():
    with one_blas_thread(SIDE - 1):
        assert counts() == {2}


def test_contexts_that_overlap_give_the_threads_back():
    first, second = one_blas_thread(), one_blas_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert counts() == {1}
    second.__exit__(None, None, None)
    assert counts() == {2}


def test_an_error_inside_gives_the_threads_back():
    with pytest.raises(ValueError, match="inside"), one_blas_thread():
        raise ValueError("inside")
    assert counts() == {2}
